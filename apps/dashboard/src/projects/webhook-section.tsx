import type { Automation, Project } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
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
  const description = 'The forge notifies the server of each push to the branch, and an export starts.';
  if (source.kind !== 'git')
    return (
      <Section title="Webhook" description={description}>
        <p className="text-muted text-sm">Requires a Git repository as the source of the project.</p>
      </Section>
    );
  return (
    <Section title="Webhook" description={description}>
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
        help="A repeated delivery does not start a second export. Pushes to other branches are ignored."
        checked={update.isPending ? update.variables.webhook?.enabled === true : webhook.enabled}
        disabled={reason !== null || update.isPending}
        onChange={({ target }) =>
          update.mutate({ webhook: { enabled: target.checked, branch: webhook.branch } })
        }
      />
      {update.error !== null && <Fault error={update.error} title="The webhook was not saved" />}
      {webhook.enabled && !webhook.hasSecret && (
        <Notice title="Create a secret and add it on the forge">
          The server accepts only signed deliveries. Without a secret, it refuses all of them.
        </Notice>
      )}
      <Facts
        facts={[
          ['URL', <Id key="url" value={webhook.url} name="webhook URL" />],
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
            label="Branch"
            optional
            help="Pushes to this branch start an export. Leave empty for the published branch of the project."
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
          Set up the webhook on the forge
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

/** Creates the secret and shows it this one time. */
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
        <span>{webhook.hasSecret ? 'Stored and not shown again' : 'None yet'}</span>
        <Button
          look="quiet"
          size="small"
          reason={reason}
          busy={make.isPending && !isAsking}
          onClick={() => (webhook.hasSecret ? setAsking(true) : make.mutate())}
        >
          {webhook.hasSecret ? 'Replace secret' : 'Create secret'}
        </Button>
      </div>
      {make.error !== null && !isAsking && (
        <div className="mt-3">
          <Fault error={make.error} title="The secret was not created" />
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
          The current secret stops working immediately. Deliveries are refused until you add the new secret on
          the forge.
        </p>
      </ConfirmDialog>
      <Dialog
        open={secret !== null}
        onClose={() => setSecret(null)}
        title="Webhook secret"
        dismissible={false}
      >
        <SecretOnce value={secret ?? ''} name="webhook secret" onSaved={() => setSecret(null)}>
          Add it on the forge, together with the webhook URL.
        </SecretOnce>
      </Dialog>
    </div>
  );
}
