import { type Kysely, type Selectable, sql, type Transaction, type UpdateObject } from 'kysely';
import { addUsage } from '../audit/service.ts';
import {
  type AgentEventKind,
  type AgentJobsTable,
  type AgentPhase,
  type Database,
  json,
  plainText,
} from '../platform/db/database.ts';
import { type Entry, type Journal, LostJobError } from './loop/journal.ts';
import { EMPTY_COUNTERS, type EventBody, type JobEvent, type JobUsage, type TurnCounters } from './record.ts';
import { HELD_PHASES, type JobAction, phasesFor, transition } from './state.ts';
import type { ToolMemory } from './tools/tool.ts';

type Tx = Transaction<Database>;

export type AgentJobRow = Selectable<AgentJobsTable>;

/** Channel of the notifications of changed jobs; the payload is the id. */
export const AGENT_JOB_CHANGED = 'offprint_agent_job_changed';

/** Who may write to a job: the holder of its latest attempt. */
export interface Fence {
  id: string;
  attempt: number;
}

/**
 * Claims a job for the queue entry: the next attempt starts, and every earlier one loses it. `busy` when as
 * many jobs of the project run as may, undefined when the job is finished, gone, or meant for another entry.
 */
export function claimJob(
  db: Kysely<Database>,
  id: string,
  entry: string,
  maxOfProject: number,
): Promise<AgentJobRow | 'busy' | undefined> {
  return db.transaction().execute(async (tx) => {
    const seen = await tx
      .selectFrom('agent_jobs')
      .select('project_id')
      .where('id', '=', id)
      .where('queue_entry', '=', entry)
      .executeTakeFirst();
    if (seen === undefined) return undefined;
    // One claim of a project at a time, so that the count holds.
    const name = JSON.stringify(['agent-claims', seen.project_id]);
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
    const { count } = await tx
      .selectFrom('agent_jobs')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('project_id', '=', seen.project_id)
      .where('id', '<>', id)
      .where('phase', 'in', [...HELD_PHASES])
      .executeTakeFirstOrThrow();
    if (count >= maxOfProject) return 'busy';
    const row = await tx
      .updateTable('agent_jobs')
      .set((eb) => ({
        phase: 'preparing',
        attempt: eb('attempt', '+', 1),
        // Held by a worker that is gone: a step that is saved sets it to 0 again.
        failures: sql<number>`failures + CASE WHEN phase IN ('preparing', 'running', 'publishing') THEN 1 ELSE 0 END`,
        waiting_until: null,
        // Counters are emptied when a turn starts and written with its first step.
        turn_started_at: sql<Date>`CASE WHEN counters = '{}' THEN now() ELSE coalesce(turn_started_at, now()) END`,
        commit_at: sql<Date | null>`CASE WHEN counters = '{}' THEN NULL ELSE commit_at END`,
        updated_at: sql<Date>`now()`,
      }))
      .where('id', '=', id)
      .where('queue_entry', '=', entry)
      .where('phase', 'in', phasesFor('claim'))
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const [event] = await append(tx, row, [{ kind: 'state', phase: 'preparing' }]);
    return { ...row, last_seq: event?.seq ?? row.last_seq };
  });
}

/** Jobs of the same project that have waited longer. */
export async function countAhead(tx: Tx, id: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM agent_jobs mine
    JOIN agent_jobs other ON other.project_id = mine.project_id AND other.phase = 'queued'
      AND (other.created_at, other.id) < (mine.created_at, mine.id)
    WHERE mine.id = ${id}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Writes columns of a held job; throws LostJobError when it is held no more. */
export async function updateJob(
  db: Kysely<Database>,
  fence: Fence,
  set: UpdateObject<Database, 'agent_jobs'>,
): Promise<void> {
  await db.transaction().execute((tx) => owned(tx, fence, set));
}

/**
 * Moves a claimed job to its next phase with the event that reports it, and related changes in the same
 * transaction. Throws LostJobError.
 */
export function moveJob(
  db: Kysely<Database>,
  fence: Fence,
  action: JobAction,
  set: UpdateObject<Database, 'agent_jobs'> = {},
  more: { message?: string; until?: string; also?: (tx: Tx, row: AgentJobRow) => Promise<void> } = {},
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const phase = await lock(tx, fence);
    const next = transition(phase, action);
    if (next === null) throw new LostJobError(`the job is ${phase}`);
    const row = await owned(tx, fence, { ...set, phase: next });
    const { message, until } = more;
    await append(tx, row, [
      {
        kind: 'state',
        phase: next,
        ...(message === undefined ? {} : { message }),
        ...(until === undefined ? {} : { until }),
      },
    ]);
    await more.also?.(tx, row);
  });
}

/** How a turn ends: with what it shows, the events that tell so, and why when it failed. */
export interface TurnEnd {
  phase: 'idle' | 'failed';
  set: UpdateObject<Database, 'agent_jobs'>;
  events?: readonly EventBody[];
  message?: string;
}

/**
 * Ends a turn. `false` if a follow-up arrived that the model has not received: then the job is queued again
 * by `enqueue` for another turn, and nothing of `set` that a finished job shows is lost.
 */
export function endJob(
  db: Kysely<Database>,
  fence: Fence,
  { phase, set, events = [], message }: TurnEnd,
  enqueue: (tx: Tx) => Promise<string>,
): Promise<boolean> {
  const state = (to: AgentPhase): EventBody => ({
    kind: 'state',
    phase: to,
    ...(message === undefined ? {} : { message }),
  });
  return db.transaction().execute(async (tx) => {
    // Sending a message locks the row first, so none can arrive between the question and the end.
    await lock(tx, fence);
    const pending = await tx
      .selectFrom('agent_messages')
      .select('id')
      .where('job_id', '=', fence.id)
      .where('delivered_seq', 'is', null)
      .limit(1)
      .executeTakeFirst();
    if (pending === undefined) {
      const row = await owned(tx, fence, { ...set, phase, completed_at: sql<Date>`now()` });
      await append(tx, row, [...events, state(phase)]);
      return true;
    }
    const row = await owned(tx, fence, {
      ...set,
      phase: 'queued',
      turn: sql<number>`turn + 1`,
      counters: '{}',
      failures: 0,
      failure_code: null,
      failure_message: null,
      queue_entry: await enqueue(tx),
    });
    await append(tx, row, [...events, state('queued')]);
    return false;
  });
}

/**
 * Sets a claimed job on another base: `set` with what it works on from now, `files` the overlay on it, and
 * the message for the model.
 */
export function rebaseJob(
  db: Kysely<Database>,
  fence: Fence,
  set: UpdateObject<Database, 'agent_jobs'>,
  files: ReadonlyMap<string, { content: string | null; before: string | null }>,
  events: readonly EventBody[],
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const row = await owned(tx, fence, set);
    await tx.deleteFrom('agent_files').where('job_id', '=', fence.id).execute();
    for (const [path, { content, before }] of files) {
      await tx
        .insertInto('agent_files')
        .values({ job_id: fence.id, path, content: bytesOf(content), before: bytesOf(before) })
        .execute();
    }
    await append(tx, row, events);
  });
}

const bytesOf = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text));

/** The journal of a held job. `readBase` gives the text of a path at the base, kept beside what was changed. */
export function createJournal(
  db: Kysely<Database>,
  fence: Fence,
  readBase: (path: string) => string | null,
): Journal {
  return {
    async load() {
      const [row, events, files] = await Promise.all([
        db.selectFrom('agent_jobs').selectAll().where('id', '=', fence.id).executeTakeFirstOrThrow(),
        db.selectFrom('agent_events').selectAll().where('job_id', '=', fence.id).orderBy('seq').execute(),
        db.selectFrom('agent_files').select(['path', 'content']).where('job_id', '=', fence.id).execute(),
      ]);
      if (row.attempt !== fence.attempt) throw new LostJobError('another attempt has the lease of the job');
      return {
        events: events.map(({ seq, turn, at, body }) => ({ ...(body as EventBody), seq, turn, at })),
        overlay: new Map(files.map(({ path, content }) => [path, content?.toString('utf8') ?? null])),
        memory: row.memory as ToolMemory,
        counters: { ...EMPTY_COUNTERS, ...(row.counters as Partial<TurnCounters>) },
        usage: row.usage as JobUsage,
        turnStartedAt: row.turn_started_at ?? new Date(),
      };
    },

    save: (entry) => db.transaction().execute((tx) => save(tx, fence, entry, readBase)),

    takeMessages: () =>
      db.transaction().execute(async (tx) => {
        await lock(tx, fence);
        const pending = await tx
          .selectFrom('agent_messages')
          .select(['id', 'prompt'])
          .where('job_id', '=', fence.id)
          .where('delivered_seq', 'is', null)
          .orderBy('id')
          .execute();
        if (pending.length === 0) return [];
        const row = await owned(tx, fence, {});
        const events = await append(
          tx,
          row,
          pending.map(({ prompt }) => ({ kind: 'prompt', text: prompt }) as const),
        );
        for (const [index, { id }] of pending.entries()) {
          await tx
            .updateTable('agent_messages')
            .set({ delivered_seq: events[index]?.seq ?? 0 })
            .where('id', '=', id)
            .execute();
        }
        return events;
      }),

    async beginCall() {
      const { id } = await db
        .insertInto('agent_model_calls')
        .columns(['job_id', 'turn', 'attempt'])
        .expression((eb) =>
          eb
            .selectFrom('agent_jobs')
            .select(['id', 'turn', 'attempt'])
            .where('id', '=', fence.id)
            .where('attempt', '=', fence.attempt),
        )
        .returning('id')
        .executeTakeFirstOrThrow(() => new LostJobError('another attempt has the lease of the job'));
      return (outcome, spent) =>
        db.transaction().execute(async (tx) => {
          const ended = await tx
            .updateTable('agent_model_calls')
            .from('agent_jobs')
            .set({
              ended_at: sql<Date>`clock_timestamp()`,
              outcome,
              usage: spent === null ? null : json(spent.usage),
            })
            .whereRef('agent_jobs.id', '=', 'agent_model_calls.job_id')
            .where('agent_model_calls.id', '=', id)
            // Repeated after a lost response, it counts once.
            .where('ended_at', 'is', null)
            .returning('agent_jobs.organization_id')
            .executeTakeFirst();
          if (ended === undefined) return;
          await addUsage(tx, ended.organization_id, {
            agentCalls: 1,
            inputTokens: spent?.usage.input ?? 0,
            outputTokens: spent?.usage.output ?? 0,
            costUsd: spent?.costUsd ?? null,
          });
        });
    },
  };
}

async function save(
  tx: Tx,
  fence: Fence,
  entry: Entry,
  readBase: (path: string) => string | null,
): Promise<JobEvent[]> {
  const row = await owned(tx, fence, {
    ...(entry.counters === undefined ? {} : { counters: json(entry.counters) }),
    ...(entry.usage === undefined ? {} : { usage: json(entry.usage) }),
    ...(entry.memory === undefined ? {} : { memory: json(entry.memory) }),
    ...(entry.checks === undefined ? {} : { checks: json(entry.checks) }),
    ...((entry.events ?? []).length === 0 ? {} : { failures: 0 }),
  });
  for (const [path, text] of entry.files ?? []) {
    if (text === undefined) {
      await tx.deleteFrom('agent_files').where('job_id', '=', fence.id).where('path', '=', path).execute();
      continue;
    }
    const content = bytesOf(text);
    await tx
      .insertInto('agent_files')
      .values({ job_id: fence.id, path, content, before: bytesOf(readBase(path)) })
      .onConflict((conflict) => conflict.columns(['job_id', 'path']).doUpdateSet({ content }))
      .execute();
  }
  return append(tx, row, entry.events ?? []);
}

/** Locks a claimed job and returns its phase. Throws LostJobError. */
async function lock(tx: Tx, fence: Fence): Promise<AgentPhase> {
  const row = await tx
    .selectFrom('agent_jobs')
    .select('phase')
    .where('id', '=', fence.id)
    .where('attempt', '=', fence.attempt)
    .where('phase', 'in', [...HELD_PHASES])
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new LostJobError('another worker took over the job');
  return row.phase;
}

/** The only way to write to a held job: under its fence. */
async function owned(tx: Tx, fence: Fence, set: UpdateObject<Database, 'agent_jobs'>): Promise<AgentJobRow> {
  const row = await tx
    .updateTable('agent_jobs')
    .set({ ...set, updated_at: sql<Date>`now()` })
    .where('id', '=', fence.id)
    .where('attempt', '=', fence.attempt)
    .where('phase', 'in', [...HELD_PHASES])
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new LostJobError('another worker took over the job');
  await sql`SELECT pg_notify(${AGENT_JOB_CHANGED}, ${fence.id})`.execute(tx);
  return row;
}

/** Adds events in the transaction that holds the row; their numbers follow without a gap. */
export async function append(
  tx: Tx,
  row: Pick<AgentJobRow, 'id' | 'turn' | 'attempt'>,
  bodies: readonly EventBody[],
): Promise<JobEvent[]> {
  if (bodies.length === 0) return [];
  await tx.deleteFrom('agent_drafts').where('job_id', '=', row.id).execute();
  const { last_seq: last } = await tx
    .updateTable('agent_jobs')
    .set({ last_seq: sql<number>`last_seq + ${bodies.length}` })
    .where('id', '=', row.id)
    .returning('last_seq')
    .executeTakeFirstOrThrow();
  const first = last - bodies.length + 1;
  const rows = await tx
    .insertInto('agent_events')
    .values(
      bodies.map((body, index) => ({
        job_id: row.id,
        seq: first + index,
        turn: row.turn,
        attempt: row.attempt,
        kind: body.kind as AgentEventKind,
        body: json(body),
      })),
    )
    .returning(['seq', 'turn', 'at'])
    .execute();
  await sql`SELECT pg_notify(${AGENT_JOB_CHANGED}, ${row.id})`.execute(tx);
  return bodies.map((body, index) => ({
    ...body,
    seq: first + index,
    turn: row.turn,
    at: rows[index]?.at ?? new Date(),
  }));
}

/** A message as a row keeps it. */
export const keptMessage = (text: string): string => plainText(text.slice(0, 2_000));
