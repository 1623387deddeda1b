import type { Project, Trigger } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { Zap } from 'lucide-react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { Empty, Listing, Section, Status, Table, Time, type Tone, useCursorList } from '../ui/index.ts';

const OUTCOMES: Readonly<Record<Trigger['outcome'], { tone: Tone; word: string }>> = {
  started: { tone: 'success', word: 'Started' },
  skipped: { tone: 'neutral', word: 'Skipped' },
  refused: { tone: 'danger', word: 'Refused' },
};

/** What came in from the forge and the clock, and what became of it. */
export function TriggersSection({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const triggers = useCursorList<Trigger>(
    [organizationId, 'projects', project.id, 'triggers'],
    (query, signal) => api.listTriggers(project.id, query, { signal }),
    { limit: 20, refetchInterval: 15_000 },
  );
  return (
    <Section title="Deliveries" description="Webhook deliveries and scheduled runs, newest first.">
      <Listing
        list={triggers}
        fault="The deliveries did not load"
        empty={
          <Empty icon={<Zap />} title="No deliveries yet">
            Each webhook delivery and each scheduled run is listed here with its outcome, even if it did not
            start an export.
          </Empty>
        }
      >
        {(items) => (
          <Table
            label="Deliveries"
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              { head: 'Time', width: '16%', cell: ({ at }) => <Time at={at} /> },
              { head: 'Event', width: '26%', cell: (trigger) => <What trigger={trigger} /> },
              {
                head: 'Outcome',
                width: '14%',
                cell: ({ outcome }) => (
                  <Status tone={OUTCOMES[outcome].tone}>{OUTCOMES[outcome].word}</Status>
                ),
              },
              { head: 'Reason', cell: ({ message }) => <span className="text-muted">{message}</span> },
              {
                head: '(Export)',
                width: '10%',
                align: 'end',
                cell: ({ exportId }) =>
                  exportId === null ? null : (
                    <Link
                      to="/$organizationId/exports/$jobId"
                      params={{ organizationId, jobId: exportId }}
                      className="link whitespace-nowrap"
                    >
                      Export
                    </Link>
                  ),
              },
            ]}
          />
        )}
      </Listing>
    </Section>
  );
}

function What({ trigger: { kind, event, ref, commit } }: { trigger: Trigger }) {
  const details = [ref?.replace(/^refs\/(heads|tags)\//, ''), commit?.slice(0, 12)]
    .filter(Boolean)
    .join(', ');
  return (
    <span className="block min-w-0">
      {kind === 'schedule' ? 'Schedule' : `Webhook${event === null ? '' : `, ${event}`}`}
      {details !== '' && <code className="block break-words text-muted text-xs leading-5">{details}</code>}
    </span>
  );
}
