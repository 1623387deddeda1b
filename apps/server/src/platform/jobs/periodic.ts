import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';

/** Something done again and again, `ms` after it ended the last time. */
export interface PeriodicTask {
  name: string;
  ms: number;
  run(signal: AbortSignal): Promise<void>;
}

interface Adapters {
  log: Logger;
  metrics: Metrics;
}

export interface Periodic {
  /** Resolves when what runs has ended. */
  stop(): Promise<void>;
}

/** How often a process asks whether a shared task is due. */
const CHECK_MS = 60_000;
/** Another process takes a task over after this time without a sign of the one that runs it. */
const LEASE_SECONDS = 120;
const RENEW_MS = 30_000;

/** Starts tasks of this process at once and repeats each until the stop; one that throws is logged and repeated too. */
export function startPeriodic(tasks: readonly PeriodicTask[], adapters: Adapters): Periodic {
  return repeat(
    tasks.map((task) => ({ everyMs: task.ms, turn: (signal) => runLogged(task, signal, adapters) })),
  );
}

/**
 * Like `startPeriodic`, for tasks of the installation: of all processes, one runs a task that is due, and the next run
 * is due `ms` after its end. One of a process that has died is taken over.
 */
export function startShared(
  tasks: readonly PeriodicTask[],
  adapters: Adapters & {
    db: Kysely<Database>;
    times?: { checkMs: number; leaseSeconds: number; renewMs: number };
  },
): Periodic {
  const { db, log, times = { checkMs: CHECK_MS, leaseSeconds: LEASE_SECONDS, renewMs: RENEW_MS } } = adapters;
  const holder = newId('proc');

  async function runIfDue(task: PeriodicTask, stopped: AbortSignal): Promise<void> {
    const { name, ms } = task;
    if (!(await claim(db, name, holder, times.leaseSeconds))) return;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      renew(db, name, holder, times.leaseSeconds).then(
        (isMine) => isMine || lost.abort(),
        (error: unknown) =>
          log.warn({ err: error, task: name }, 'the lease of a periodic task was not renewed'),
      );
    }, times.renewMs);
    await runLogged(task, AbortSignal.any([stopped, lost.signal]), adapters);
    clearInterval(renewal);
    // What a stop has interrupted continues elsewhere.
    await release(db, name, holder, stopped.aborted ? 0 : ms);
  }

  return repeat(
    tasks.map((task) => ({
      everyMs: Math.min(task.ms, times.checkMs),
      turn: (signal) =>
        runIfDue(task, signal).catch((error: unknown) => {
          log.warn({ err: error, task: task.name }, 'the lease of a periodic task could not be read');
        }),
    })),
  );
}

async function runLogged(
  { name, run }: PeriodicTask,
  signal: AbortSignal,
  { log, metrics }: Adapters,
): Promise<void> {
  try {
    await run(signal);
    metrics.sweeps.inc({ task: name, outcome: 'done' });
  } catch (error) {
    metrics.sweeps.inc({ task: name, outcome: 'failed' });
    log.error({ err: error, task: name }, 'a periodic task failed');
  }
}

/** `turn` never rejects. */
function repeat(turns: readonly { everyMs: number; turn(signal: AbortSignal): Promise<void> }[]): Periodic {
  const stopped = new AbortController();
  const { signal } = stopped;
  const started = turns.map(({ everyMs, turn }) => {
    let timer: NodeJS.Timeout | undefined;
    let running = Promise.resolve();
    const next = () => {
      running = turn(signal).then(() => {
        if (!signal.aborted) timer = setTimeout(next, everyMs);
      });
    };
    next();
    return () => {
      clearTimeout(timer);
      return running;
    };
  });
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all(started.map((end) => end()));
    },
  };
}

async function claim(db: Kysely<Database>, name: string, holder: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO periodic_tasks AS task (name, holder, due_at)
    VALUES (${name}, ${holder}, clock_timestamp() + make_interval(secs => ${seconds}))
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, due_at = excluded.due_at
      WHERE task.due_at <= clock_timestamp()
    RETURNING 1`.execute(db);
  return rows.length > 0;
}

async function renew(db: Kysely<Database>, name: string, holder: string, seconds: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('periodic_tasks')
    .set({ due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})` })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function release(db: Kysely<Database>, name: string, holder: string, ms: number): Promise<void> {
  await db
    .updateTable('periodic_tasks')
    .set({ holder: null, due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1_000})` })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute();
}
