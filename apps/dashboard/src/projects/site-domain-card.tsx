import type { SiteDomain } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  Card,
  ConfirmDialog,
  Facts,
  Fault,
  Field,
  Id,
  Select,
  Status,
  Time,
  type Tone,
  toast,
  useGate,
} from '../ui/index.ts';

const STATES: Readonly<Record<SiteDomain['state'], { tone: Tone; word: string }>> = {
  pending: { tone: 'info', word: 'Not verified yet' },
  verified: { tone: 'success', word: 'Verified' },
  failing: { tone: 'warning', word: 'Record missing' },
  expired: { tone: 'danger', word: 'Removed from service' },
};

const CERTIFICATES: Readonly<
  Record<NonNullable<SiteDomain['certificate']>['state'], { tone: Tone; word: string }>
> = {
  queued: { tone: 'info', word: 'An order will start' },
  running: { tone: 'info', word: 'Being ordered' },
  ready: { tone: 'success', word: 'In use' },
  failed: { tone: 'danger', word: 'The last order failed' },
};

interface CardProps {
  projectId: string;
  domain: SiteDomain;
  /** Domains to which it can redirect. */
  others: readonly SiteDomain[];
}

/** A domain, what is to be done next, and what the last check found. */
export function SiteDomainCard({ projectId, domain, others }: CardProps) {
  const api = useApi();
  const reason = useGate({ role: 'editor' });
  const check = useChange(projectId, () => api.checkDomain(projectId, domain.id), 'Checked.');
  const state = STATES[domain.state];
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h3 className="break-all font-semibold">{domain.domain}</h3>
          <Status tone={state.tone}>{state.word}</Status>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button
            look="quiet"
            size="small"
            reason={reason}
            busy={check.isPending}
            onClick={() => check.mutate()}
          >
            Check now
          </Button>
          <Release projectId={projectId} domain={domain} />
        </div>
      </div>
      {check.error !== null && (
        <div className="mt-3">
          <Fault error={check.error} title="The domain was not checked" />
        </div>
      )}
      {domain.nextStep !== null && (
        <div className="mt-4 rounded-card border bg-sunken p-4 text-sm">
          <p className="font-medium">Next step</p>
          <p className="mt-0.5 break-words">{domain.nextStep.message}</p>
        </div>
      )}
      <div className="mt-4">
        <Facts facts={factsOf(domain)} />
      </div>
      {!domain.domain.startsWith('*.') && (others.length > 0 || domain.redirectTo !== null) && (
        <Redirect projectId={projectId} domain={domain} others={others} />
      )}
    </Card>
  );
}

function factsOf(domain: SiteDomain): (readonly [string, ReactNode])[] {
  const { record, finding, certificate, removedAt } = domain;
  const facts: (readonly [string, ReactNode])[] = [
    ['TXT record', <Id key="name" value={record.name} name="name of the record" />],
    ['Value', <Id key="value" value={record.value} name="value of the record" />],
    ['Found', <Found key="found" finding={finding} />],
  ];
  if (removedAt !== null) facts.push(['Removed from service', <Time key="removed" at={removedAt} />]);
  if (certificate !== null)
    facts.push(['Certificate', <Certificate key="certificate" certificate={certificate} />]);
  return facts;
}

function Found({ finding }: { finding: SiteDomain['finding'] }) {
  if (finding === null) return <span className="text-muted">Not checked yet</span>;
  const { texts, addresses, messages, checkedAt } = finding;
  return (
    <div className="space-y-1">
      <p className="break-all">{texts.length === 0 ? 'No TXT record' : texts.join(', ')}</p>
      <p>{addresses.length === 0 ? 'No IP address' : `Points to ${addresses.join(', ')}`}</p>
      {messages.map((message) => (
        <p key={message} className="break-words text-muted">
          {message}
        </p>
      ))}
      <p className="text-muted">
        Checked <Time at={checkedAt} />
      </p>
    </div>
  );
}

function Certificate({ certificate }: { certificate: NonNullable<SiteDomain['certificate']> }) {
  const { state, expiresAt, error, retryAt } = certificate;
  return (
    <div className="space-y-1">
      <Status tone={CERTIFICATES[state].tone} live={state === 'running'}>
        {CERTIFICATES[state].word}
      </Status>
      {expiresAt !== null && (
        <p className="text-muted">
          Expires <Time at={expiresAt} />
        </p>
      )}
      {error !== null && <p className="break-words">{error}</p>}
      {retryAt !== null && (
        <p className="text-muted">
          Next attempt <Time at={retryAt} />
        </p>
      )}
    </div>
  );
}

function Redirect({ projectId, domain, others }: CardProps) {
  const api = useApi();
  const reason = useGate({ role: 'editor' });
  const update = useChange(
    projectId,
    (redirectTo: string) =>
      api.updateDomain(projectId, domain.id, { redirectTo: redirectTo === '' ? null : redirectTo }),
    'Redirect saved.',
  );
  return (
    <div className="mt-4 max-w-100 space-y-3">
      <Field label="Requests">
        {(control) => (
          <Select
            {...control}
            value={domain.redirectTo ?? ''}
            disabled={reason !== null || update.isPending}
            onChange={({ target }) => update.mutate(target.value)}
          >
            <option value="">Serve the site</option>
            {others.map(({ id, domain: host }) => (
              <option key={id} value={host}>
                Redirect to {host}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {update.error !== null && <Fault error={update.error} title="The redirect was not saved" />}
    </div>
  );
}

function Release({ projectId, domain }: { projectId: string; domain: SiteDomain }) {
  const api = useApi();
  const reason = useGate({ role: 'admin' });
  const [isAsking, setAsking] = useState(false);
  const release = useChange(
    projectId,
    () => api.releaseDomain(projectId, domain.id),
    `${domain.domain} was released.`,
  );
  return (
    <>
      <Button look="quiet" size="small" reason={reason} onClick={() => setAsking(true)}>
        Release
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Release ${domain.domain}?`}
        action="Release domain"
        busy={release.isPending}
        error={release.error}
        onConfirm={() => release.mutate()}
      >
        <p>
          The site is no longer served on this domain, and its certificate is deleted. Another organization
          can claim the domain.
        </p>
      </ConfirmDialog>
    </>
  );
}

/** A change of a domain; the list is read again afterwards. */
function useChange<Input = void>(projectId: string, run: (input: Input) => Promise<unknown>, done: string) {
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: async () => {
      toast(done);
      await queries.invalidateQueries({ queryKey: [organizationId, 'projects', projectId, 'site-domains'] });
    },
  });
}
