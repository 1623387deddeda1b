import { type Kysely, type Selectable, sql, type Transaction, type UpdateObject } from 'kysely';
import { addUsage } from '../audit/service.ts';
import { recordNotification } from '../notifications/service.ts';
import {
  type AgentEventKind,
  type AgentJobsTable,
  type AgentPhase,
  type Database,
  json,
  plainText,
} from '../platform/db/database.ts';
import { type Fence, notifyChanged, parkJob, recordProgress } from '../platform/jobs/jobs.ts';
import { type Entry, type Journal, LostJobError, type Verdict } from './loop/journal.ts';
import { EMPTY_COUNTERS, type EventBody, type JobEvent, type JobUsage, type TurnCounters } from './record.ts';
import { HELD_PHASES, type JobAction, phasesFor, transition } from './state.ts';
import type { ToolMemory } from './tools/tool.ts';

type Tx = Transaction<Database>;

export type AgentJobRow = Selectable<AgentJobsTable>;

/**
 * Starts the next attempt, and every earlier one loses the job. Undefined when it is finished or gone, or when a later
 * attempt has started.
 */
export async function beginJob(tx: Tx, fence: Fence): Promise<AgentJobRow | undefined> {
  const row = await tx
    .updateTable('agent_jobs')
    .set({
      phase: 'preparing',
      attempt: fence.attempt,
      waiting_until: null,
      // Counters are emptied when a turn starts and written with its first step.
      turn_started_at: sql<Date>`CASE WHEN counters = '{}' THEN now() ELSE coalesce(turn_started_at, now()) END`,
      commit_at: sql<Date | null>`CASE WHEN counters = '{}' THEN NULL ELSE commit_at END`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', fence.id)
    .where('attempt', '<', fence.attempt)
    .where('phase', 'in', phasesFor('claim'))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const [event] = await append(tx, row, [{ kind: 'state', phase: 'preparing' }]);
  return { ...row, last_seq: event?.seq ?? row.last_seq };
}

/**
 * Writes columns of a held job; throws LostJobError when it is held no more. `isStep`: they are what a later attempt
 * continues from, and were not there before.
 */
export async function updateJob(
  db: Kysely<Database>,
  fence: Fence,
  set: UpdateObject<Database, 'agent_jobs'>,
  isStep = true,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await owned(tx, fence, set);
    if (isStep) await recordProgress(tx, fence);
  });
}

/** What a change of phase says, and what else is written with it. */
interface Move {
  set?: UpdateObject<Database, 'agent_jobs'>;
  message?: string;
  until?: string;
}

/**
 * Moves a claimed job to its next phase, with the event that reports it. Throws LostJobError.
 */
export async function moveJob(
  tx: Tx,
  fence: Fence,
  action: JobAction,
  { set = {}, ...said }: Move = {},
): Promise<void> {
  const phase = await lock(tx, fence);
  const next = transition(phase, action);
  if (next === null) throw new LostJobError(`the job is ${phase}`);
  const row = await owned(tx, fence, { ...set, phase: next });
  await append(tx, row, [{ kind: 'state', phase: next, ...said }]);
  if (next === 'failed') await notifyOfEnd(tx, row);
}

/** Queues the notifications of the end of a job. */
async function notifyOfEnd(tx: Tx, row: AgentJobRow): Promise<void> {
  const isFailed = row.phase === 'failed';
  const title = row.title ?? row.subject;
  await recordNotification(tx, {
    organizationId: row.organization_id,
    projectId: row.project_id,
    event: isFailed ? 'agent_job.failed' : 'agent_job.finished',
    subject: `The agent job "${title}" ${isFailed ? 'failed' : 'finished'}`,
    data: {
      jobId: row.id,
      pullRequest: row.pr_link,
      error: row.failure_message,
      errorCode: row.failure_code,
    },
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
 * Ends a turn. `false` if a follow-up arrived that the model has not received: then the job is queued again for another
 * turn, and nothing of `set` that a finished job shows is lost.
 */
export function endJob(
  db: Kysely<Database>,
  fence: Fence,
  { phase, set, events = [], message }: TurnEnd,
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
      await notifyOfEnd(tx, row);
      return true;
    }
    const row = await owned(tx, fence, {
      ...set,
      phase: 'queued',
      turn: sql<number>`turn + 1`,
      counters: '{}',
      failure_code: null,
      failure_message: null,
    });
    await append(tx, row, [...events, state('queued')]);
    await recordProgress(tx, fence);
    await parkJob(tx, fence);
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
        verdict: row.verdict as Verdict | null,
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
    ...(entry.verdict === undefined ? {} : { verdict: json(entry.verdict) }),
  });
  // A notice of a state can be repeated by each attempt.
  const isStep = entry.verdict !== undefined || (entry.events ?? []).some(({ kind }) => kind !== 'state');
  if (isStep) await recordProgress(tx, fence);
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
  await notifyChanged(tx, fence.id);
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
  await notifyChanged(tx, row.id);
  return bodies.map((body, index) => ({
    ...body,
    seq: first + index,
    turn: row.turn,
    at: rows[index]?.at ?? new Date(),
  }));
}

/** A message as a row keeps it. */
export const keptMessage = (text: string): string => plainText(text.slice(0, 2_000));
