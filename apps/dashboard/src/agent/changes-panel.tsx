import type { AgentJob } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { FileDiff } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { Button, count, Empty, formatNumber, Loaded } from '../ui/index.ts';
import { agentKeys } from './live.ts';
import { PatchView } from './patch-view.tsx';

const LIVE_MS = 5_000;
/** Files drawn at once; a job may change 300. */
const SHOWN = 30;

/** What the job has changed, by file. */
export function ChangesPanel({ projectId, job }: { projectId: string; job: AgentJob }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const [shown, setShown] = useState(SHOWN);
  const query = useQuery({
    queryKey: agentKeys.diff(organizationId, job.id),
    queryFn: ({ signal }) => api.getAgentJobDiff(projectId, job.id, { signal }),
    refetchInterval: job.status === 'active' ? LIVE_MS : false,
  });
  return (
    <Loaded query={query} fault="The changes did not load">
      {({ files, isKept }) =>
        files.length === 0 ? (
          <Empty icon={<FileDiff />} title={isKept ? 'No files changed' : 'Changes deleted'}>
            {isKept
              ? job.status === 'active'
                ? 'Changes appear here while the agent works.'
                : 'The agent made no changes, or reverted them.'
              : 'Changes are deleted some time after a job ends. They remain in the branch and the pull request.'}
          </Empty>
        ) : (
          <>
            <p role="status" className="mb-4 text-muted text-sm tabular-nums">
              {count(files.length, 'file')}: {count(sum(files.map(({ additions }) => additions)), 'line')}{' '}
              added, {formatNumber(sum(files.map(({ deletions }) => deletions)))} removed since the base
              commit of the job.
            </p>
            <div className="space-y-4">
              {files.slice(0, shown).map((file) => (
                <PatchView key={file.path} file={file} />
              ))}
            </div>
            {files.length > shown && (
              <div className="mt-4 flex justify-center">
                <Button look="quiet" onClick={() => setShown(shown + 2 * SHOWN)}>
                  Show more of {files.length} files
                </Button>
              </div>
            )}
          </>
        )
      }
    </Loaded>
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
