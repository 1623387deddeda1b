import { setTimeout as delay } from 'node:timers/promises';
import type { AgentJob } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Listener } from '../platform/db/listen.ts';
import type { ServerEvent } from '../platform/http/route.ts';
import { AGENT_JOB_CHANGED } from './journal.ts';
import type { ToolCall } from './model/port.ts';
import { callsOf, presentEvent, presentJob, statusOf } from './present.ts';
import type { EventBody } from './record.ts';
import { findAnswered, findEvents, type JobView } from './store.ts';

/** A notification can be lost, so a waiter polls the row at this interval. */
const POLL_MS = 2_000;

/** Events that are read at once. */
const BATCH = 100;

const isFinished = (row: JobView) => statusOf(row.phase) !== 'active';

/**
 * The job when it is no longer in the state `isKnown` (default: the one it is in now), is finished, or after
 * `seconds`. `find` throws when it is gone.
 */
export async function waitForChange(
  { listener, find }: { listener: Listener; find(): Promise<JobView> },
  wait: { seconds: number; isKnown: ((job: AgentJob) => boolean) | undefined; signal: AbortSignal },
): Promise<AgentJob> {
  const until = performance.now() + wait.seconds * 1_000;
  let row = await find();
  const start = JSON.stringify(presentJob(row));
  const isSame = () => {
    const job = presentJob(row);
    return wait.isKnown === undefined ? JSON.stringify(job) === start : wait.isKnown(job);
  };
  while (!isFinished(row) && isSame() && !wait.signal.aborted) {
    const left = until - performance.now();
    if (left <= 0) break;
    const change = listener.wait(AGENT_JOB_CHANGED, row.id, Math.min(POLL_MS, left), wait.signal);
    // Again, after the subscription: nothing would report a change that was made in between.
    row = await find();
    if (!isFinished(row) && isSame()) await change;
    row = await find();
  }
  return presentJob(row);
}

/** The events of a job after `after` as they happen, then `done` with it. Ends without it when the job is deleted. */
export async function* followJob(
  adapters: { db: Kysely<Database>; listener: Listener; find(): Promise<JobView | undefined> },
  after: number,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const { db, listener, find } = adapters;
  let seq = after;
  let calls: readonly ToolCall[] | null = null;
  let row = await find();
  while (row !== undefined && !signal.aborted) {
    const events = await findEvents(db, row.id, seq, BATCH);
    for (const event of events) {
      const body = event.body as EventBody;
      if (body.kind === 'assistant') calls = callsOf(body);
      if (body.kind === 'results') calls ??= callsOf(await findAnswered(db, row.id, seq));
      seq = event.seq;
      yield* presentEvent(event, calls ?? []);
    }
    if (events.length > 0) {
      row = await find();
      continue;
    }
    // The row was read before the events, so a finished job has no events that were not sent.
    if (isFinished(row)) {
      yield { id: String(Math.max(seq, row.last_seq)), event: 'done', data: presentJob(row) };
      return;
    }
    const change = listener.wait(AGENT_JOB_CHANGED, row.id, POLL_MS, signal);
    const now = await find();
    if (now !== undefined && now.last_seq <= seq && !isFinished(now)) await change;
    // Two changes in one breath are one look.
    await delay(20);
    row = await find();
  }
}
