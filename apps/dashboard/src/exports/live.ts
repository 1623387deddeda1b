import type { ExportJob } from '@offprint/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { followExport, isFinished } from './follow.ts';

/** Milliseconds between two polls of a list with running exports, and of one without. */
const LIVE_MS = 1_000;
const IDLE_MS = 15_000;
/** Between two polls of an export whose lost files are rendered again, which no event reports. */
const RESTORING_MS = 5_000;

export const exportKeys = {
  /** Every list of the organization's exports. */
  lists: (organizationId: string) => [organizationId, 'exports'],
  one: (organizationId: string, jobId: string) => [organizationId, 'export', jobId],
};

/** An export that moves by itself. */
export function useLiveExport(jobId: string) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: exportKeys.one(organizationId, jobId),
    queryFn: ({ signal }) => api.getExport(jobId, { signal }),
    refetchInterval: ({ state: { data } }) => data?.artifact?.state === 'restoring' && RESTORING_MS,
  });
  const isLive = query.data !== undefined && !isFinished(query.data);
  useEffect(() => {
    if (!isLive) return;
    const stop = new AbortController();
    const source = {
      stream: (signal: AbortSignal) => api.streamExportEvents(jobId, { signal }),
      read: (signal: AbortSignal) => api.getExport(jobId, { signal }),
      pause,
    };
    const follow = async () => {
      for await (const job of followExport(source, stop.signal)) {
        queries.setQueryData(exportKeys.one(organizationId, jobId), job);
        if (isFinished(job)) void queries.invalidateQueries({ queryKey: exportKeys.lists(organizationId) });
      }
    };
    // The next request for the export itself reports why it ended permanently: it was deleted.
    follow().catch(() => queries.invalidateQueries({ queryKey: exportKeys.one(organizationId, jobId) }));
    return () => stop.abort();
  }, [api, isLive, jobId, organizationId, queries]);
  return query;
}

/** How often a list is read: a stream for each row would take more connections than a browser has for a host. */
export function listInterval(jobs: readonly Pick<ExportJob, 'status'>[] | undefined): number {
  return jobs?.some((job) => !isFinished(job)) === true ? LIVE_MS : IDLE_MS;
}

/** Resolves after this number of seconds, or at once when `signal` aborts. */
export function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, seconds * 1000);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
