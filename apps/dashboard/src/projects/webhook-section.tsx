import type { Automation, Project } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../session.tsx';
import {
  Button,
  ConfirmDialog,
  Dialog,
  Facts,
  Fault,
  Field,
  Form,
  Id,
  Input,
  Notice,
  SecretOnce,
  Section,
  Select,
  Switch,
  useGate,
} from '../ui/index.ts';
import { useUpdateAutomation } from './automation-data.ts';
import { forgeOf, hostOf } from './repository-address.ts';
import { WEBHOOK_FORGES, type WebhookForge, webhookSteps } from './webhook-steps.ts';

export function WebhookSection({ project, automation }: { project: Project; automation: Automation }) {
  const { source } = project;
  const description = 'The forge tells the platform about each push to the branch, and an export starts.';
  if (source.kind !== 'git')
    return (
      <Section title="Exports by pushes" description={description}>
        <p className="text-muted text-sm">Needs a Git repository as the source of the project.</p>
      </Section>
    );
  return (
    <Section title="Exports by pushes" description={description}>
      <Webhook project={project} automation={automation} repository={source.repository} />
    </Section>
  );
}

function Webhook({
  project,
  automation,
  repository,
}: {
  project: Project;
  automation: Automation;
  repository: string;
}) {
  const { webhook } = automation;
  const reason = useGate({ role: 'editor' });
  const update = useUpdateAutomation(project, automation, 'Webhook saved.');
  const forge = forgeOf(hostOf(repository));
  const [chosen, setChosen] = useState<WebhookForge>(
    WEBHOOK_FORGES.find((each) => each === forge) ?? 'GitHub',
  );
  return (
    <div className="max-w-180 space-y-5">
      <Switch
        label="Start an export on every push"
        help="A delivery that comes twice starts one export; pushes to other branches start none."
        checked={update.isPending ? update.variables.webhook?.enabled === true : webhook.enabled}
        disabled={reason !== null || update.isPending}
        onChange={({ target }) =>
          update.mutate({ webhook: { enabled: target.checked, branch: webhook.branch } })
        }
      />
      {update.error !== null && <Fault error={update.error} title="The webhook was not saved" />}
      {webhook.enabled && !webhook.hasSecret && (
        <Notice title="Make a secret and enter it at the forge">
          Deliveries are believed by their signature alone. Without a secret none is.
        </Notice>
      )}
      <Facts
        facts={[
          ['Address', <Id key="url" value={webhook.url} name="webhook address" />],
          ['Secret', <Secret key="secret" project={project} webhook={webhook} />],
        ]}
      />
      {webhook.enabled && (
        <Form
          key={webhook.branch}
          onSubmit={(values) => {
            const branch = String(values.get('branch')).trim();
            update.mutate({ webhook: { enabled: true, branch: branch === '' ? null : branch } });
          }}
        >
          <Field
            label="Branch whose pushes count"
            optional
            help="Empty: the published branch of the project."
          >
            {(control) => (
              <div className="flex gap-2">
                <Input
                  {...control}
                  name="branch"
                  maxLength={255}
                  defaultValue={webhook.branch ?? ''}
                  readOnly={reason !== null}
                  spellCheck={false}
                  autoCapitalize="off"
                  autoComplete="off"
                />
                <Button type="submit" look="quiet" reason={reason} busy={update.isPending}>
                  Save branch
                </Button>
              </div>
            )}
          </Field>
        </Form>
      )}
      <details className="rounded-card border" open={webhook.enabled && !webhook.hasSecret}>
        <summary className="rounded-card px-4 py-3 font-medium text-sm">
          How to set it up at the forge
        </summary>
        <div className="border-t p-4">
          <Field label="Forge">
            {(control) => (
              <Select
                {...control}
                className="max-w-60"
                value={chosen}
                onChange={({ target }) => setChosen(target.value as WebhookForge)}
              >
                {WEBHOOK_FORGES.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </Select>
            )}
          </Field>
          <ol className="mt-4 list-decimal space-y-1.5 ps-5 text-sm">
            {webhookSteps(chosen).map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      </details>
    </div>
  );
}

/** Makes the secret and shows it this once. */
function Secret({ project, webhook }: { project: Project; webhook: Automation['webhook'] }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const reason = useGate({ role: 'admin' });
  const [isAsking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const make = useMutation({
    mutationFn: () => api.createWebhookSecret(project.id),
    onSuccess: async (made) => {
      setAsking(false);
      setSecret(made.secret);
      await queries.invalidateQueries({ queryKey: [organizationId, 'projects', project.id, 'automation'] });
    },
  });
  return (
    <div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span>{webhook.hasSecret ? 'Stored, never shown again' : 'None yet'}</span>
        <Button
          look="quiet"
          size="small"
          reason={reason}
          busy={make.isPending && !isAsking}
          onClick={() => (webhook.hasSecret ? setAsking(true) : make.mutate())}
        >
          {webhook.hasSecret ? 'Replace secret' : 'Make secret'}
        </Button>
      </div>
      {make.error !== null && !isAsking && (
        <div className="mt-3">
          <Fault error={make.error} title="No secret was made" />
        </div>
      )}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Replace the webhook secret?"
        action="Replace secret"
        busy={make.isPending}
        error={make.error}
        onConfirm={() => make.mutate()}
      >
        <p>
          The old one stops working at once: deliveries of the forge are refused until the new one is entered
          there.
        </p>
      </ConfirmDialog>
      <Dialog
        open={secret !== null}
        onClose={() => setSecret(null)}
        title="Webhook secret"
        dismissible={false}
      >
        <SecretOnce value={secret ?? ''} name="webhook secret" onSaved={() => setSecret(null)}>
          Enter it at the forge, beside the address of the webhook.
        </SecretOnce>
      </Dialog>
    </div>
  );
}
