import type { ExportJob } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { Ago, Badge, Empty, Id, Listing, NONE, Table, useCursorList } from '../ui/index.ts';
import { exportKeys, listInterval } from './live.ts';
import { CommitSubject, ExportStatus, StartedBy } from './parts.tsx';

/** The exports of the domain with their digests. */
export function HistoryPanel({ job }: { job: ExportJob }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const list = useCursorList(
    [...exportKeys.lists(organizationId), 'history', job.domain],
    (query, signal) => api.listExports({ ...query, domain: job.domain }, { signal }),
    { limit: 20, refetchInterval: listInterval },
  );
  const digest = job.artifact?.sha256;
  return (
    <>
      <p className="mb-4 max-w-[68ch] text-muted text-sm">
        Exports of {job.domain}, newest first. Exports with the same digest contain the same files, byte for
        byte: deploying one instead of the other changes nothing.
      </p>
      <Listing
        list={list}
        fault="The history did not load"
        empty={<Empty title="No exports of this domain">All of them were deleted.</Empty>}
      >
        {(jobs) => (
          <Table
            label={`Exports of ${job.domain}`}
            rows={jobs}
            rowKey={({ jobId }) => jobId}
            columns={[
              {
                head: 'Version',
                width: '28%',
                cell: (each) => (
                  <span className="inline-flex min-w-0 flex-wrap items-center gap-2">
                    <Link
                      to="/$organizationId/exports/$jobId"
                      params={{ organizationId, jobId: each.jobId }}
                      className="font-medium hover:underline"
                      aria-current={each.jobId === job.jobId ? 'true' : undefined}
                    >
                      {each.version ?? each.jobId.slice(0, 9)}
                    </Link>
                    {each.jobId === job.jobId && <Badge>this export</Badge>}
                    {each.commitInfo !== null && (
                      <span className="block basis-full text-muted text-xs">
                        <CommitSubject job={each} />
                      </span>
                    )}
                  </span>
                ),
              },
              { head: 'Status', cell: (each) => <ExportStatus job={each} /> },
              {
                head: 'Digest',
                cell: (each) =>
                  each.artifact === null ? (
                    NONE
                  ) : (
                    <span className="inline-flex flex-wrap items-center gap-2">
                      <Id value={each.artifact.sha256} name="digest" short="start" />
                      {each.jobId !== job.jobId && each.artifact.sha256 === digest && (
                        <Badge tone="success">same files</Badge>
                      )}
                    </span>
                  ),
              },
              { head: 'Started by', width: '22%', cell: (each) => <StartedBy job={each} /> },
              {
                head: 'Started',
                align: 'end',
                cell: (each) => <Ago at={each.createdAt} />,
              },
            ]}
          />
        )}
      </Listing>
    </>
  );
}
