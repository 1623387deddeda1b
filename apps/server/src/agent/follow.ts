import { setTimeout as delay } from 'node:timers/promises';
import type { AgentJob } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Listener } from '../platform/db/listen.ts';
import type { ServerEvent } from '../platform/http/route.ts';
import { JOB_CHANGED } from '../platform/jobs/jobs.ts';
import { type Wait, waitForChange } from '../platform/jobs/wait.ts';
import type { ToolCall } from '../platform/model/port.ts';
import { AGENT_DRAFT_CHANGED, findDraft } from './draft.ts';
import { callsOf, hideKeys, presentEvent, presentJob, statusOf } from './present.ts';
import type { EventBody } from './record.ts';
import { findAnswered, findEvents, findPending, type JobView } from './store.ts';

/** A notification can be lost, so a waiter polls the row at this interval. */
const POLL_MS = 2_000;

/** Events that are read at once. */
const BATCH = 100;

const isFinished = (row: JobView) => statusOf(row.phase) !== 'active';

/** The job after it has left the state `isKnown` or is finished, at the latest after `seconds`. */
export const waitForJob = (
  adapters: { listener: Listener; find(): Promise<JobView> },
  wait: Wait<AgentJob>,
): Promise<AgentJob> => waitForChange({ ...adapters, present: presentJob, isFinished }, wait);

/** The events of a job after `after` as they happen, then `done` with it. Ends without it when the job is deleted. */
export async function* followJob(
  adapters: { db: Kysely<Database>; listener: Listener; find(): Promise<JobView | undefined> },
  after: number,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const { db, listener, find } = adapters;
  let seq = after;
  let calls: readonly ToolCall[] | null = null;
  const passing = createPassing(db);
  let row = await find();
  while (row !== undefined && !signal.aborted) {
    const events = await findEvents(db, row.id, seq, BATCH);
    if (events.length > 0) passing.end();
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
    const [change, stopWaiting] = waitForEither(listener, row.id, signal);
    const now = await find();
    if (now !== undefined && now.last_seq <= seq && !isFinished(now)) {
      yield* await passing.read(now, seq);
      await change;
    }
    stopWaiting();
    // Two changes in one breath are one look.
    await delay(20);
    row = await find();
  }
}

/** A promise of the next change of a job or of its draft, and a function that ends the wait. */
function waitForEither(listener: Listener, id: string, signal: AbortSignal): [Promise<void>, () => void] {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const channels = [JOB_CHANGED, AGENT_DRAFT_CHANGED];
  const change = Promise.race(channels.map((channel) => listener.wait(channel, id, POLL_MS, either)));
  return [change, () => stop.abort()];
}

/** What is shown until an event replaces it: pending prompts and the draft. One for each stream. */
function createPassing(db: Kysely<Database>) {
  let text = '';
  let pending = '[]';
  return {
    /** An event has come, and with it the end of the draft. */
    end(): void {
      text = '';
    },
    /** What has changed since the last call, for a stream that has sent every event up to `seq`. */
    async read(row: JobView, seq: number): Promise<ServerEvent[]> {
      const prompts = (await findPending(db, row.id)).map(({ prompt, created_at }) => {
        return { text: hideKeys(prompt), at: created_at.toISOString() };
      });
      const events: ServerEvent[] = [];
      if (JSON.stringify(prompts) !== pending) {
        pending = JSON.stringify(prompts);
        const at = row.updated_at.toISOString();
        events.push({ event: 'pending', data: { seq, turn: row.turn, at, prompts } });
      }
      const draft = await findDraft(db, row.id, seq);
      const now = draft?.text ?? '';
      if (now !== text) {
        const offset = commonStart(text, now);
        text = now;
        const { turn, at } = draft ?? { turn: row.turn, at: row.updated_at };
        const data = { seq, turn, at: at.toISOString(), offset, text: now.slice(offset) };
        events.push({ event: 'text', data });
      }
      return events;
    },
  };
}

/** Code units that two texts begin with, without half of a character. */
function commonStart(a: string, b: string): number {
  let end = 0;
  while (end < a.length && a[end] === b[end]) end += 1;
  return /[\ud800-\udbff]/.test(a[end - 1] ?? '') ? end - 1 : end;
}
