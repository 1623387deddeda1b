import type { CreateWebhookEndpointBody, Project, WebhookEndpoint } from '@offprint/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Webhook } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  Card,
  ConfirmDialog,
  Dialog,
  Empty,
  Fault,
  Field,
  Form,
  FormActions,
  Input,
  Loaded,
  Notice,
  RoleGate,
  SecretOnce,
  Section,
  Skeleton,
  Switch,
  toast,
  useGate,
} from '../ui/index.ts';
import { EVENT_LABELS, EventFields, eventsOf } from './notification-events.tsx';

const endpointsKey = (organizationId: string, projectId: string) => [
  organizationId,
  'projects',
  projectId,
  'webhook-endpoints',
];

/** URLs that receive signed requests about events of the project. */
export function WebhookEndpointsSection({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const query = useQuery({
    queryKey: endpointsKey(organizationId, project.id),
    queryFn: ({ signal }) => api.listWebhookEndpoints(project.id, { signal }),
  });
  return (
    <Section
      title="Webhook endpoints"
      description="Each event is sent as a signed POST request, and again for about 20 hours until the endpoint accepts it."
    >
      <RoleGate role="admin" act="Changing webhook endpoints" />
      <div className="space-y-6">
        <Loaded query={query} fault="The endpoints did not load" skeleton={<Skeleton shape="card" />}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty icon={<Webhook />} title="No endpoints yet">
                Add the URL of a chat, an incident tool or your own service.
              </Empty>
            ) : (
              <ul className="space-y-4">
                {data.map((endpoint) => (
                  <li key={endpoint.id}>
                    <Endpoint project={project} endpoint={endpoint} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
        <AddEndpoint project={project} />
      </div>
    </Section>
  );
}

function Endpoint({ project, endpoint }: { project: Project; endpoint: WebhookEndpoint }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const reason = useGate({ role: 'admin' });
  const [isDeleting, setDeleting] = useState(false);
  const refresh = (what: string) =>
    queries.invalidateQueries({ queryKey: [organizationId, 'projects', project.id, what] });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => api.updateWebhookEndpoint(project.id, endpoint.id, { enabled }),
    onSuccess: () => refresh('webhook-endpoints'),
  });
  const test = useMutation({
    mutationFn: () => api.testWebhookEndpoint(project.id, endpoint.id),
    onSuccess: async () => {
      toast('A test is on its way. Its result is in the log.');
      await refresh('notifications');
    },
  });
  const remove = useMutation({
    mutationFn: () => api.deleteWebhookEndpoint(project.id, endpoint.id),
    onSuccess: async () => {
      toast('The endpoint was deleted.');
      await refresh('webhook-endpoints');
    },
  });
  const error = enable.error ?? test.error;
  return (
    <Card>
      <div className="space-y-4">
        <div className="flex flex-wrap items-start justify-between gap-3">
          <div className="min-w-0">
            <p className="break-words font-medium text-sm">{endpoint.url}</p>
            <p className="mt-1 text-muted text-sm">
              {endpoint.events.map((event) => EVENT_LABELS[event]).join(' · ')}
            </p>
          </div>
          <div className="flex gap-2">
            <Button
              look="quiet"
              size="small"
              reason={reason}
              busy={test.isPending}
              onClick={() => test.mutate()}
            >
              Send test
            </Button>
            <Button look="quiet" size="small" reason={reason} onClick={() => setDeleting(true)}>
              Delete
            </Button>
          </div>
        </div>
        {endpoint.disabledReason !== null && (
          <Notice title="Disabled by the server">{endpoint.disabledReason}</Notice>
        )}
        <Switch
          label="Enabled"
          checked={enable.isPending ? enable.variables : endpoint.enabled}
          disabled={reason !== null || enable.isPending}
          onChange={({ target }) => enable.mutate(target.checked)}
        />
        {error !== null && <Fault error={error} />}
      </div>
      <ConfirmDialog
        open={isDeleting}
        onClose={() => setDeleting(false)}
        title="Delete the endpoint?"
        action="Delete endpoint"
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
      >
        <p>Its notifications are deleted with it, also those that were not delivered yet.</p>
      </ConfirmDialog>
    </Card>
  );
}

function AddEndpoint({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const reason = useGate({ role: 'admin' });
  const [secret, setSecret] = useState<string | null>(null);
  const [added, setAdded] = useState(0);
  const add = useMutation({
    mutationFn: (body: CreateWebhookEndpointBody) => api.createWebhookEndpoint(project.id, body),
    onSuccess: async (created) => {
      setSecret(created.secret);
      setAdded((before) => before + 1);
      await queries.invalidateQueries({ queryKey: endpointsKey(organizationId, project.id) });
    },
  });
  if (reason !== null) return null;
  return (
    <>
      <Form
        key={added}
        error={add.error}
        onSubmit={(values) => add.mutate({ url: String(values.get('url')).trim(), events: eventsOf(values) })}
        className="max-w-160"
      >
        <Field
          label="URL to add"
          param="/url"
          help="It can contain a secret: afterwards only the host is shown."
        >
          {(control) => (
            <Input
              {...control}
              name="url"
              type="url"
              required
              maxLength={2000}
              placeholder="https://hooks.example.com/docs"
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        <EventFields
          legend="Send a request when"
          chosen={['export.failed', 'deployment.failed']}
          disabled={add.isPending}
        />
        <FormActions>
          <Button type="submit" busy={add.isPending}>
            Add endpoint
          </Button>
        </FormActions>
      </Form>
      <Dialog
        open={secret !== null}
        onClose={() => setSecret(null)}
        title="Secret of the endpoint"
        dismissible={false}
      >
        <SecretOnce value={secret ?? ''} name="secret of the endpoint" onSaved={() => setSecret(null)}>
          Requests are signed with it by Standard Webhooks. Verify the header webhook-signature with it.
        </SecretOnce>
      </Dialog>
    </>
  );
}
