import { setTimeout as delay } from 'node:timers/promises';
import type { ExportJob } from '@offprint/contract';
import type { Listener } from '../platform/db/listen.ts';
import { etagOf } from '../platform/http/etag.ts';
import type { ServerEvent } from '../platform/http/route.ts';
import { EXPORT_CHANGED } from './journal.ts';
import { isFinished, presentExport, versionOf } from './present.ts';
import type { ExportRow } from './store.ts';

/** A notification can be lost, so a waiter polls the row at this interval. */
const POLL_MS = 2_000;

export interface FollowAdapters {
  listener: Listener;
  /** The export as it is now; throws when it is gone. */
  find(): Promise<ExportRow>;
}

export interface Wait {
  seconds: number;
  /** Whether the client knows the export like that; undefined: it knows the first state that is read. */
  isKnown: ((job: ExportJob) => boolean) | undefined;
  signal: AbortSignal;
}

/** The export when it is no longer in the state `isKnown`, is finished, or after `seconds`. */
export async function waitForChange({ listener, find }: FollowAdapters, wait: Wait): Promise<ExportJob> {
  const until = performance.now() + wait.seconds * 1_000;
  const first = await find();
  const start = versionOf(first);
  const isSame = (row: ExportRow) =>
    wait.isKnown === undefined ? versionOf(row) === start : wait.isKnown(presentExport(row));
  let row = first;
  while (!isFinished(row) && isSame(row) && !wait.signal.aborted) {
    const left = until - performance.now();
    if (left <= 0) break;
    const change = listener.wait(EXPORT_CHANGED, row.id, Math.min(POLL_MS, left), wait.signal);
    // Again, after the subscription: nothing would report a change that was made in between.
    row = await find();
    if (!isFinished(row) && isSame(row)) await change;
    row = await find();
  }
  return presentExport(row);
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
    job = await waitForChange(adapters, { seconds: 60, isKnown, signal });
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
