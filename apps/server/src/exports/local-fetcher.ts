import { join } from 'node:path';
import type { FetchRemote } from '@offprint/render';
import { createRemoteFetcher, fetchInProcess } from './remote-fetch.ts';

/** Fetches files of other hosts for an export in this process: public hosts, https only, in the usual limits. */
export function localFetcher(work: string): FetchRemote {
  const fetcher = createRemoteFetcher({
    policy: { allowPrivate: false, allowedHosts: [] },
    cacheDir: join(work, 'remote'),
  });
  return fetchInProcess(fetcher, new AbortController().signal);
}
