import { setTimeout as delay } from 'node:timers/promises';
import type { ExportJob } from '@offprint/contract';
import type { Listener } from '../platform/db/listen.ts';
import { etagOf } from '../platform/http/etag.ts';
import type { ServerEvent } from '../platform/http/route.ts';
import { type Wait as JobWait, waitForChange } from '../platform/jobs/wait.ts';
import { isFinished, presentExport } from './present.ts';
import type { ExportRow } from './store.ts';

export interface FollowAdapters {
  listener: Listener;
  /** The export as it is now; throws when it is gone. */
  find(): Promise<ExportRow>;
}

export type Wait = JobWait<ExportJob>;

/** The export after it has left the state `isKnown` or is finished, at the latest after `seconds`. */
export function waitForExport(adapters: FollowAdapters, wait: Wait): Promise<ExportJob> {
  return waitForChange({ ...adapters, present: presentExport, isFinished }, wait);
}

/** `progress` for the state `first`, unless its event is the last one seen, and for every change, then `done`. */
export async function* followExport(
  adapters: FollowAdapters,
  first: ExportRow,
  { lastEventId, signal }: { lastEventId: string | undefined; signal: AbortSignal },
): AsyncGenerator<ServerEvent> {
  let job = presentExport(first);
  if (eventIdOf(job) !== lastEventId) yield { id: eventIdOf(job), event: 'progress', data: job };
  while (job.status !== 'completed' && job.status !== 'failed') {
    const known = JSON.stringify(job);
    const isKnown = (now: ExportJob) => JSON.stringify(now) === known;
    job = await waitForExport(adapters, { seconds: 60, isKnown, signal });
    if (signal.aborted) return;
    if (!isKnown(job)) yield { id: eventIdOf(job), event: 'progress', data: job };
    // Two changes in one breath are one event.
    await delay(50);
  }
  yield { id: eventIdOf(job), event: 'done', data: job };
}

/** The same for the same state, so that a client that reconnects does not receive it again. */
function eventIdOf(job: ExportJob): string {
  return etagOf(JSON.stringify(job)).slice(1, -1);
}
