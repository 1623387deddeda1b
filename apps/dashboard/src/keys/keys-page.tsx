import type { ApiKey } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { useAllProjects } from '../projects/all.ts';
import {
  Badge,
  Button,
  ConfirmDialog,
  count,
  Day,
  Empty,
  Listing,
  PageHeader,
  RoleGate,
  Section,
  Table,
  Time,
  toast,
  useCursorList,
  useGate,
  useNow,
  useOpenParam,
} from '../ui/index.ts';
import { CreateKeyDialog } from './create-key.tsx';
import { createdFrom, type KeyState, keyState, scopeWords } from './key-facts.ts';
import { UseApiSection } from './use-api-section.tsx';

export function Page() {
  const api = useApi();
  const organizationId = useOrganizationId();
  const reason = useGate({ role: 'admin' });
  const now = new Date(useNow());
  const [isCreating, setCreating] = useOpenParam('create');
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const keys = useCursorList<ApiKey>([organizationId, 'keys'], (query, signal) =>
    api.listApiKeys(query, { signal }),
  );
  const create = (
    <Button reason={reason} onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description="Keys for programs such as pipelines, scripts and the command line. You do not need one to use the dashboard."
        action={keys.items.length > 0 ? create : undefined}
      />
      <RoleGate role="admin" act="Creating and revoking keys" />
      <Section title="Keys">
        <Listing
          list={keys}
          fault="The keys did not load"
          empty={
            <Empty icon={<KeyRound />} title="No API keys yet" action={create}>
              With a key, a pipeline can start an export after each release, or a script can create agent
              jobs. Each key has its own access, expiration date and allowed IP addresses, and can be revoked
              separately.
            </Empty>
          }
        >
          {(items) => <Keys keys={items} now={now} onRevoke={setRevoking} />}
        </Listing>
      </Section>
      <UseApiSection />
      <CreateKeyDialog open={isCreating && reason === null} onClose={() => setCreating(false)} />
      {revoking !== null && (
        <RevokeDialog
          apiKey={revoking}
          created={createdFrom(keys.items, revoking.id).filter((key) => keyState(key, now).isUsable)}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  );
}

/** Keys that work; those that do not are folded away. */
function Keys({
  keys,
  now,
  onRevoke,
}: {
  keys: readonly ApiKey[];
  now: Date;
  onRevoke: (key: ApiKey) => void;
}) {
  const usable = keys.filter((key) => keyState(key, now).isUsable);
  const past = keys.filter((key) => !keyState(key, now).isUsable);
  return (
    <>
      {usable.length === 0 ? (
        <p className="rounded-card border border-border-strong border-dashed p-6 text-center text-muted text-sm">
          No active keys.
        </p>
      ) : (
        <KeyTable label="API keys" keys={usable} now={now} onRevoke={onRevoke} />
      )}
      {past.length > 0 && (
        <details className="mt-4">
          <summary className="w-fit rounded-control py-1 text-muted text-sm hover:text-text">
            {count(past.length, 'revoked or expired key')}
          </summary>
          <div className="mt-3">
            <KeyTable label="Revoked and expired keys" keys={past} now={now} onRevoke={null} />
          </div>
        </details>
      )}
    </>
  );
}

const TONES: Readonly<Record<KeyState['kind'], 'neutral' | 'warning' | 'danger'>> = {
  active: 'neutral',
  expiring: 'warning',
  expired: 'danger',
  revoked: 'neutral',
};

function KeyTable({
  label,
  keys,
  now,
  onRevoke,
}: {
  label: string;
  keys: readonly ApiKey[];
  now: Date;
  onRevoke: ((key: ApiKey) => void) | null;
}) {
  const reason = useGate({ role: 'admin' });
  return (
    <Table
      label={label}
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        { head: 'Name', width: '22%', cell: (key) => <NameCell apiKey={key} state={keyState(key, now)} /> },
        { head: 'Access', width: '22%', cell: (key) => <RightsCell apiKey={key} /> },
        { head: 'Created', width: '20%', cell: (key) => <CreatedCell apiKey={key} /> },
        {
          head: 'Last used',
          width: '13%',
          cell: ({ lastUsedAt }) =>
            lastUsedAt === null ? <span className="text-muted">Never</span> : <Time at={lastUsedAt} />,
        },
        {
          head: onRevoke === null ? 'Ended' : 'Expires',
          width: '13%',
          cell: (key) => <EndCell apiKey={key} />,
        },
        ...(onRevoke === null
          ? []
          : [
              {
                head: '(Actions)',
                align: 'end' as const,
                cell: (key: ApiKey) => (
                  <Button
                    look="quiet"
                    size="small"
                    reason={reason}
                    aria-label={`Revoke ${key.name}`}
                    onClick={() => onRevoke(key)}
                  >
                    Revoke
                  </Button>
                ),
              },
            ]),
      ]}
    />
  );
}

function NameCell({ apiKey, state }: { apiKey: ApiKey; state: KeyState }) {
  return (
    <span className="block min-w-0">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="min-w-0 break-words font-medium">{apiKey.name}</span>
        {state.kind !== 'active' && <Badge tone={TONES[state.kind]}>{state.label}</Badge>}
      </span>
      <code className="text-muted text-xs">…{apiKey.last4}</code>
    </span>
  );
}

function RightsCell({ apiKey: { scopes, projects, allowedCidrs } }: { apiKey: ApiKey }) {
  const words = scopeWords(scopes);
  return (
    <span className="block min-w-0">
      {words === null ? (
        <span className="flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <code key={scope} className="rounded-control bg-sunken px-1.5 text-xs leading-5">
              {scope}
            </code>
          ))}
        </span>
      ) : (
        <span className="block">{words}</span>
      )}
      <ProjectNames ids={projects} />
      <span className="block text-muted text-xs leading-5" title={allowedCidrs.join('\n')}>
        {allowedCidrs.length === 0 ? (
          'from any IP address'
        ) : (
          <>
            from {allowedCidrs.slice(0, 2).join(', ')}
            {allowedCidrs.length > 2 && ` and ${allowedCidrs.length - 2} more`}
          </>
        )}
      </span>
    </span>
  );
}

/** The projects to which a key is limited. */
function ProjectNames({ ids }: { ids: readonly string[] | null }) {
  const projects = useAllProjects();
  const names = (ids ?? []).map((id) => projects.data?.find((project) => project.id === id)?.name ?? id);
  return (
    <span className="block break-words text-muted text-xs leading-5" title={names.join('\n')}>
      {ids === null
        ? 'all projects'
        : `only ${names.slice(0, 2).join(', ')}${names.length > 2 ? ` and ${names.length - 2} more` : ''}`}
    </span>
  );
}

function CreatedCell({ apiKey: { createdAt, createdBy, createdByKey } }: { apiKey: ApiKey }) {
  return (
    <span className="block min-w-0">
      <Time at={createdAt} />
      <span className="block break-words text-muted text-xs leading-5" title={createdByKey ?? undefined}>
        by {createdByKey === null ? createdBy : `the key “${createdBy}”`}
      </span>
    </span>
  );
}

function EndCell({ apiKey: { expiresAt, revokedAt } }: { apiKey: ApiKey }) {
  const end = revokedAt ?? expiresAt;
  return end === null ? <span className="text-muted">Never</span> : <Day at={end} />;
}

function RevokeDialog({
  apiKey,
  created,
  onClose,
}: {
  apiKey: ApiKey;
  /** The keys that it created. */
  created: readonly ApiKey[];
  onClose: () => void;
}) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => api.revokeApiKey(apiKey.id),
    onSuccess: async () => {
      toast(`Key “${apiKey.name}” revoked.`);
      onClose();
      await queries.invalidateQueries({ queryKey: [organizationId, 'keys'] });
      // the row with the button that had the focus is gone
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus();
      });
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Revoke the key “${apiKey.name}”?`}
      action="Revoke key"
      onConfirm={() => revoke.mutate()}
      busy={revoke.isPending}
      error={revoke.error}
    >
      <p>
        The key ending in <code>{apiKey.last4}</code> stops working immediately for every program that uses
        it. This cannot be undone.
      </p>
      {created.length > 0 && (
        <p>
          {created.length === 1
            ? 'The key that it created is revoked too: '
            : `The ${created.length} keys that it created are revoked too: `}
          {created.map(({ name }) => `“${name}”`).join(', ')}.
        </p>
      )}
      <p>
        {apiKey.lastUsedAt === null ? (
          'The key was never used.'
        ) : (
          <>
            The key was last used <Time at={apiKey.lastUsedAt} />. Replace it with another key first.
          </>
        )}
      </p>
    </ConfirmDialog>
  );
}
