import type { Notification, Project } from '@offprint/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  count,
  Empty,
  Fault,
  Form,
  FormActions,
  Listing,
  Loaded,
  Notice,
  Section,
  Skeleton,
  Status,
  Table,
  Time,
  type Tone,
  toast,
  useCursorList,
  useGate,
} from '../ui/index.ts';
import { EVENT_LABELS, EventFields, eventsOf } from './notification-events.tsx';
import { WebhookEndpointsSection } from './webhook-endpoints-section.tsx';

export function NotificationsTab({ project }: { project: Project }) {
  return (
    <>
      <EmailSection project={project} />
      <WebhookEndpointsSection project={project} />
      <LogSection project={project} />
    </>
  );
}

function EmailSection({ project }: { project: Project }) {
  const api = useApi();
  const queries = useQueryClient();
  const key = ['user', 'email-notifications', project.id];
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.getEmailNotifications(project.id, { signal }),
  });
  const save = useMutation({
    mutationFn: (values: FormData) => api.updateEmailNotifications(project.id, { events: eventsOf(values) }),
    onSuccess: (data) => {
      queries.setQueryData(key, data);
      toast(data.events.length === 0 ? 'You get no more emails.' : 'Email notifications saved.');
    },
  });
  return (
    <Section title="Emails to you" description="Only you see and change this. Off until you turn it on.">
      <Loaded query={query} fault="Your notifications did not load" skeleton={<Skeleton shape="card" />}>
        {({ events, available }) => (
          <>
            {!available && (
              <Notice title="This installation does not send email">
                An operator can set OFFPRINT_SMTP_URL. Your choice is kept until then.
              </Notice>
            )}
            <Form error={save.error} onSubmit={(values) => save.mutate(values)} className="max-w-160">
              <EventFields legend="Send me an email when" chosen={events} disabled={save.isPending} />
              <FormActions>
                <Button type="submit" busy={save.isPending}>
                  Save
                </Button>
              </FormActions>
            </Form>
          </>
        )}
      </Loaded>
    </Section>
  );
}

const STATES: Readonly<Record<Notification['state'], { tone: Tone; word: string }>> = {
  queued: { tone: 'neutral', word: 'Queued' },
  delivered: { tone: 'success', word: 'Delivered' },
  failed: { tone: 'danger', word: 'Failed' },
};

const POLL_MS = 10_000;

function LogSection({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const key = [organizationId, 'projects', project.id, 'notifications'];
  const list = useCursorList<Notification>(
    key,
    (query, signal) => api.listNotifications(project.id, query, { signal }),
    { limit: 20, refetchInterval: POLL_MS },
  );
  return (
    <Section title="Log" description="Notifications of the last 30 days by email and webhook, newest first.">
      <Listing
        list={list}
        fault="The notifications did not load"
        empty={
          <Empty icon={<Bell />} title="No notifications yet">
            Each email and each webhook request is listed here with what the recipient responded.
          </Empty>
        }
      >
        {(items) => (
          <Table
            label="Notifications"
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              { head: 'Time', width: '14%', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { head: 'Event', width: '24%', cell: ({ event }) => EVENT_LABELS[event] },
              {
                head: 'Recipient',
                width: '24%',
                cell: ({ recipient }) => <span className="break-words">{recipient}</span>,
              },
              {
                head: 'State',
                cell: (notification) => <State notification={notification} />,
              },
              {
                head: '(Deliver again)',
                width: '16%',
                align: 'end',
                cell: (notification) => (
                  <Redeliver project={project} notification={notification} listKey={key} />
                ),
              },
            ]}
          />
        )}
      </Listing>
    </Section>
  );
}

function State({ notification: { state, attempts } }: { notification: Notification }) {
  const last = attempts.at(-1);
  const details = [
    last?.error ?? (last?.status === undefined || last.status === null ? null : `Status ${last.status}`),
    attempts.length > 1 ? count(attempts.length, 'attempt') : null,
  ]
    .filter((text) => text !== null)
    .join(' · ');
  return (
    <span className="block min-w-0">
      <Status tone={STATES[state].tone}>{STATES[state].word}</Status>
      {details !== '' && <span className="block break-words text-muted text-xs leading-5">{details}</span>}
    </span>
  );
}

function Redeliver({
  project,
  notification,
  listKey,
}: {
  project: Project;
  notification: Notification;
  listKey: readonly string[];
}) {
  const api = useApi();
  const queries = useQueryClient();
  const reason = useGate({ role: 'editor' });
  const redeliver = useMutation({
    mutationFn: () => api.redeliverNotification(project.id, notification.id),
    onSuccess: async () => {
      toast('The notification is delivered again.');
      await queries.invalidateQueries({ queryKey: listKey });
    },
  });
  if (notification.state === 'queued') return null;
  return (
    <>
      <Button
        look="quiet"
        size="small"
        reason={reason}
        busy={redeliver.isPending}
        onClick={() => redeliver.mutate()}
      >
        Deliver again
      </Button>
      {redeliver.error !== null && <Fault error={redeliver.error} />}
    </>
  );
}
