import { setTimeout as sleep } from 'node:timers/promises';
import type { Listener } from '../db/listen.ts';
import { removeStaleFolders } from './folders.ts';
import { CHANNEL, type JobAbort, type Kind } from './jobs.ts';
import {
  ALONE_AFTER,
  adoptOrphans,
  beat,
  type ClaimRules,
  claimJob,
  forgetTurns,
  giveBack,
  isTaken,
  LEASE_SECONDS,
  leaseKey,
  recoverLost,
} from './leases.ts';
import { startPeriodic } from './periodic.ts';
import { type Held, type RunAdapters, runLeased } from './run.ts';

/** How many jobs of a kind this worker takes, and of whom. */
export interface Slots extends ClaimRules {
  kind: Kind;
  /** Jobs that run at the same time on this worker. */
  concurrency: number;
  /**
   * Whether several organizations can have jobs. Then one slot is kept from an organization that holds all others of this
   * worker; default false.
   */
  isShared?: () => Promise<boolean>;
  /** Whether this process can take another job now, such as for its disk; default true. */
  hasRoom?: () => Promise<boolean>;
}

export interface WorkerAdapters extends RunAdapters {
  /** Hears notifications on a session that has announced the worker. */
  listener: Listener;
}

export interface JobWorker {
  /** Stops claiming, waits `graceMs` for handlers, aborts the rest with `shutdown` and gives their jobs back. */
  stop(graceMs: number): Promise<void>;
}

const POLL_MS = 500;
const BEAT_MS = 1_000;
const RECOVER_MS = 1_000;
const ADOPT_MS = 15_000;
const FOLDERS_MS = 15_000;
const TURNS_MS = 3_600_000;
/** After a lost session or a database error, others get this long to send a heartbeat before they are considered gone. */
const SETTLED_MS = 4_000;
/** How long stop() waits for handlers after it aborted them. */
const ABORTED_MS = 5_000;

/**
 * Works on jobs. One of a killed worker runs again after about 4 seconds, of a paused or unreachable one after 16, and
 * a cancel reaches its handler within a second.
 */
export function startJobs(adapters: WorkerAdapters, slots: readonly Slots[]): JobWorker {
  const { db, worker, listener, log, metrics } = adapters;
  const held = new Map<Held, Promise<void>>();
  /** A job of these waits until this worker is idle. */
  let reserved: Slots | null = null;
  let claiming: Promise<void> | null = null;
  let isAgain = false;
  let isStopping = false;
  let lastBeat = performance.now();
  let settledSince = performance.now();

  const noteFault = (error: unknown): void => {
    settledSince = performance.now();
    log.warn({ err: error }, 'jobs: the database could not be used');
  };

  /** Claims until nothing may start; one pass at a time. */
  function claimMore(): void {
    isAgain = true;
    claiming ??= (async () => {
      await null;
      while (isAgain && !isStopping) {
        isAgain = false;
        try {
          while (!isStopping && (await claimNext()));
        } catch (error) {
          noteFault(error);
        }
      }
      claiming = null;
    })();
  }

  /** Claims one job; false if none may start now. */
  async function claimNext(): Promise<boolean> {
    if ([...held.keys()].some(({ deaths }) => deaths >= ALONE_AFTER)) return false;
    for (const one of reserved === null ? slots : [reserved]) {
      if (countHeld(one.kind) >= one.concurrency || (await one.hasRoom?.()) === false) continue;
      const job = await claimJob(db, one.kind.name, one, {
        worker,
        isIdle: held.size === 0,
        passOver: await fullHolders(one),
      });
      if (job === undefined) continue;
      if (job.worker === null) {
        reserved = one;
        return false;
      }
      const entry: Held = {
        id: job.id,
        attempt: job.attempt,
        deaths: job.deaths,
        traceParent: job.trace_parent,
        organizationId: job.organization_id,
        kind: one.kind,
        controller: new AbortController(),
        isOver: false,
      };
      reserved = null;
      metrics.jobEvents.inc({ kind: one.kind.name, event: 'claimed' });
      const end = runLeased(adapters, entry).then(() => {
        held.delete(entry);
        claimMore();
      });
      held.set(entry, end);
      return true;
    }
    const wasReserved = reserved !== null;
    reserved = null;
    return wasReserved && claimNext();
  }

  const countHeld = (kind: Kind): number => [...held.keys()].filter((entry) => entry.kind === kind).length;

  /** Organizations that have to leave the last slot to others. */
  async function fullHolders({ kind, concurrency, isShared }: Slots): Promise<string[]> {
    const mine = [...held.keys()].filter((entry) => entry.kind === kind);
    const counts = Map.groupBy(mine, ({ organizationId }) => organizationId);
    const full = [...counts].flatMap(([id, { length }]) => (length >= concurrency - 1 ? [id] : []));
    return full.length > 0 && concurrency > 1 && (await isShared?.()) === true ? full : [];
  }

  /** Keeps the leases and finds out which are gone. */
  async function beatAll(): Promise<void> {
    const asked = [...held.keys()].filter(({ controller }) => !controller.signal.aborted);
    try {
      const kept = asked.length === 0 ? new Map() : await beat(db, worker, asked);
      lastBeat = performance.now();
      for (const entry of asked) {
        const deaths = kept.get(leaseKey(entry));
        if (deaths !== undefined) entry.deaths = deaths;
        else if (!entry.isOver) abort(entry, (await isTaken(db, entry.id)) ? 'lost' : 'cancelled');
      }
    } catch (error) {
      noteFault(error);
      // Somebody else may have taken over by now.
      if (performance.now() - lastBeat > LEASE_SECONDS * 1_000)
        for (const entry of asked) abort(entry, 'lost');
    }
  }

  async function recover(): Promise<void> {
    if (performance.now() - settledSince < SETTLED_MS) return;
    const freed = await recoverLost(db, worker).catch(noteFault);
    // Others have lost their sessions too, and need time to open new ones.
    if (freed === null) settledSince = performance.now();
    for (const kind of freed ?? []) metrics.jobEvents.inc({ kind, event: 'taken_over' });
    if (freed?.length) log.info({ freed: freed.length }, 'requeued jobs of workers that are gone');
  }

  async function adopt(): Promise<void> {
    for (const { kind } of slots) {
      const adopted = await adoptOrphans(db, kind);
      if (adopted.length > 0) log.warn({ kind: kind.name, adopted }, 'queued unfinished rows without a job');
    }
  }

  async function handBack(entry: Held): Promise<void> {
    abort(entry, 'shutdown');
    await db
      .transaction()
      .execute(async (tx) => {
        await entry.kind.release(tx, entry);
        await giveBack(tx, worker, entry);
      })
      .then(() => metrics.jobEvents.inc({ kind: entry.kind.name, event: 'given_back' }), noteFault);
  }

  const stopHearing = listener.listen(CHANNEL, (message) => {
    const [word, subject] = message.split(' ');
    if (word === 'wake' && slots.some(({ kind }) => kind.name === subject)) claimMore();
    if (word === 'cancel' && [...held.keys()].some(({ id }) => id === subject)) void beatAll();
  });
  const timers = [
    setInterval(claimMore, POLL_MS),
    setInterval(spaced(beatAll), BEAT_MS),
    setInterval(spaced(recover), RECOVER_MS),
  ];
  const sweeps = startPeriodic(
    [
      { name: 'queue unfinished rows', ms: ADOPT_MS, run: adopt },
      {
        name: 'remove folders of killed attempts',
        ms: FOLDERS_MS,
        run: () => removeStaleFolders(db, adapters.workDir),
      },
      { name: 'forget turns', ms: TURNS_MS, run: () => forgetTurns(db) },
    ],
    adapters,
  );
  claimMore();

  return {
    async stop(graceMs) {
      if (isStopping) return;
      isStopping = true;
      await Promise.all([sweeps.stop(), claiming]);
      await within(held.values(), graceMs);
      const rest = [...held.keys()].filter(({ isOver }) => !isOver);
      for (const entry of rest) await handBack(entry);
      if (rest.length > 0) log.info({ jobs: rest.length }, 'requeued jobs that this worker does not finish');
      await within(held.values(), ABORTED_MS);
      for (const timer of timers) clearInterval(timer);
      stopHearing();
    },
  };
}

/** Skips a run while the one before is under way. */
function spaced(task: () => Promise<void>): () => void {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    void task().finally(() => {
      isRunning = false;
    });
  };
}

function abort({ controller }: Held, reason: JobAbort): void {
  if (!controller.signal.aborted) controller.abort(reason);
}

/** Resolves when all have ended, or after the time. */
async function within(ends: Iterable<Promise<void>>, ms: number): Promise<void> {
  const all = [...ends];
  if (all.length === 0 || ms <= 0) return;
  const timeout = new AbortController();
  await Promise.race([
    Promise.all(all),
    sleep(ms, undefined, { signal: timeout.signal }).catch(() => undefined),
  ]);
  timeout.abort();
}
