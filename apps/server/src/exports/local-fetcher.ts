import { join } from 'node:path';
import type { FetchRemote } from '@offprint/render';
import { createRemoteFetcher, fetchInProcess } from './remote-fetch.ts';
import { wantsDates } from './wants-dates.ts';

/**
 * Dates of the files of a docs folder on this machine, if its pages show them and it is in a checkout;
 * undefined otherwise. Reads the history for 10 seconds at most. `wanted` = whether pages show them, if that is known.
 */
export async function localDates(
  folder: string,
  wanted: boolean | null = null,
): Promise<FileDates | undefined> {
  return (wanted ?? (await wantsDates(folder))) ? await checkoutDates(folder) : undefined;
}

/** Fetches files of other hosts for an export in this process: public hosts, https only, in the usual limits. */
export function localFetcher(work: string): FetchRemote {
  const fetcher = createRemoteFetcher({
    policy: { allowPrivate: false, allowedHosts: [] },
    cacheDir: join(work, 'remote'),
  });
  return fetchInProcess(fetcher, new AbortController().signal);
}
