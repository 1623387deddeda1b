import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import { type Database, openDatabase } from '../db/database.ts';
import { type Listener, openListener } from '../db/listen.ts';
import {
  announce,
  beat,
  CHANNEL,
  type Claim,
  claimKey,
  giveBack,
  isCancelled,
  LEASE_SECONDS,
  newWorkerNumber,
  recordClaims,
  recoverLost,
  removeClaim,
} from './claims.ts';
import type { EnqueueOptions, Job, JobAbort, Queue, WorkOptions } from './queue.ts';
import { nextOwner, noteTurn, waitingOwners } from './turns.ts';

export interface QueueOptions {
  /** Database that the migrations were applied to. */
  url: string;
  /** Names the connections. */
  role: string;
  /** Schema of pg-boss's tables, made when missing. */
  schema?: string;
  /** Connections of the process to use; default: own ones. */
  connections?: { jobs: Kysely<Database>; listener: Listener };
  log: { info(message: string): void; error(message: string): void };
}

const POLL_MS = 500;
const BEAT_MS = 1_000;
const RECOVER_MS = 1_000;
/** After a database error, others get this long to send a heartbeat before they are considered gone. */
const SETTLED_MS = 4_000;
/** How long a handler's end is reported again and again while the database is away. */
const SETTLE_MS = 60_000;
const SETTLE_RETRY_MS = 500;
/** How long stop() waits for handlers after it aborted them. */
const ABORTED_MS = 5_000;

const ENTRY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const QUEUE_SETTINGS = {
  retryLimit: 5,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 300,
  expireInSeconds: 7_200,
  // A job that was accepted is never dropped because it waited long.
  retentionSeconds: 365 * 86_400,
  deleteAfterSeconds: 7 * 86_400,
} as const;

interface Handled extends WorkOptions {
  name: string;
  /** When each owner was last given a slot, the latest at the end. */
  turns: Map<string, number>;
  handler: (job: Job<object>) => Promise<void>;
  running: number;
  claiming: Promise<void> | null;
  again: boolean;
}

interface Held {
  claim: Claim;
  owner: string;
  controller: AbortController;
  /** The handler has returned; its end is being recorded. */
  over: boolean;
  ended: Promise<void>;
}

/**
 * A queue over pg-boss: it keeps the entries, counts retries and spaces them out (5 s doubling to 5 min, five
 * times). Claiming, beating and giving up are ours: an entry of a killed worker is out again after about
 * 4 seconds, of a paused or unreachable one after 16, and a cancel reaches its handler within a second.
 */
export async function createQueue(options: QueueOptions): Promise<Queue> {
  const { url, role, schema = 'pgboss', log } = options;
  let settledSince = performance.now();
  const { connections } = options;
  const own = connections ? null : openDatabase(url, { role: `${role}-queue`, max: 4, onError: noteFault });
  const db = own?.db ?? connections!.jobs;
  const boss = new PgBoss({ db: fromKysely(db), schema, schedule: false });
  boss.on('error', noteFault);
  await boss.start();

  const worker = newWorkerNumber();
  const known = new Map<string, Promise<void>>();
  const handled = new Map<string, Handled>();
  const held = new Set<Held>();
  const timers: NodeJS.Timeout[] = [];
  let ownListener: Listener | null = null;
  let stopping = false;
  let closed = false;
  let lastBeat = performance.now();

  function noteFault(error: Error): void {
    settledSince = performance.now();
    log.error(`queue: ${error.message}`);
  }

  function ensureQueue(name: string): Promise<void> {
    let ready = known.get(name);
    if (!ready) {
      ready = boss.createQueue(name, QUEUE_SETTINGS).then(() => boss.updateQueue(name, QUEUE_SETTINGS));
      ready.catch(() => known.delete(name));
      known.set(name, ready);
    }
    return ready;
  }

  /** Claims until the handlers are busy or the queue is empty; one pass at a time for each queue. */
  function claimMore(queue: Handled): void {
    queue.again = true;
    queue.claiming ??= (async () => {
      await null;
      while (queue.again && !stopping) {
        queue.again = false;
        try {
          while (queue.running < queue.concurrency && !stopping && (await claim(queue)));
        } catch (error) {
          noteFault(error as Error);
        }
      }
      queue.claiming = null;
    })();
  }

  /** Claims one entry of the owner whose turn it is; false if none may start now. */
  async function claim(queue: Handled): Promise<boolean> {
    if ((await queue.hasRoom?.()) === false) return false;
    const fetched = await db.transaction().execute(async (tx) => {
      const waiting = await waitingOwners(tx, schema, queue.name);
      if (waiting.length === 0) return null;
      const owner = nextOwner(waiting, {
        total: queue.concurrency,
        held: heldByOwner(queue.name),
        turns: queue.turns,
        isShared: (await queue.isShared?.()) ?? false,
      });
      if (owner === null) return null;
      const others = waiting.flatMap((one) => (one.owner === owner || one.owner === '' ? [] : [one.owner]));
      const [job] = await boss.fetch<object>(queue.name, {
        batchSize: 1,
        includeMetadata: true,
        ignoreGroups: others,
        db: fromKysely(tx),
      });
      if (job === undefined) return null;
      const claim = { entry: job.id, queue: queue.name, delivery: job.retryCount + 1 };
      await recordClaims(tx, worker, [claim]);
      return { job, claim };
    });
    if (fetched === null) return false;
    const { job, claim } = fetched;
    const owner = job.groupId ?? '';
    noteTurn(queue.turns, owner);
    const entry: Held = {
      claim,
      owner,
      controller: new AbortController(),
      over: false,
      ended: Promise.resolve(),
    };
    held.add(entry);
    entry.ended = run(queue, entry, {
      id: claim.entry,
      payload: job.data,
      delivery: claim.delivery,
      last: job.retryCount >= job.retryLimit,
      signal: entry.controller.signal,
    });
    return true;
  }

  function heldByOwner(name: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { claim, owner } of held)
      if (claim.queue === name) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return counts;
  }

  async function run(queue: Handled, entry: Held, job: Job<object>): Promise<void> {
    queue.running++;
    let failure: Error | null = null;
    try {
      await queue.handler(job);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    entry.over = true;
    await settle(entry.claim, job.signal, failure);
    held.delete(entry);
    queue.running--;
    claimMore(queue);
  }

  /** Reports the end of a handler. One that was aborted has no say any more, unless it made it to the end. */
  async function settle(claim: Claim, signal: AbortSignal, failure: Error | null): Promise<void> {
    if (failure && signal.aborted) {
      if (signal.reason === 'cancelled') await removeClaim(db, worker, claim).catch(noteFault);
      return;
    }
    if (failure) log.error(`queue: ${claim.queue} ${claim.entry} failed: ${failure.message}`);
    const deadline = performance.now() + SETTLE_MS;
    while (!closed && performance.now() < deadline) {
      try {
        return await db.transaction().execute(async (tx) => {
          if (!(await removeClaim(tx, worker, claim))) return;
          const attempt = { id: claim.entry, retryCount: claim.delivery - 1 };
          const connection = { db: fromKysely(tx) };
          if (failure) await boss.fail(claim.queue, attempt, { message: failure.message }, connection);
          else await boss.complete(claim.queue, attempt, null, connection);
        });
      } catch (error) {
        noteFault(error as Error);
        await sleep(SETTLE_RETRY_MS);
      }
    }
    log.error(`queue: could not record the end of ${claim.queue} ${claim.entry}; it will be delivered again`);
  }

  /** Keeps the claims and finds out which are gone. */
  async function beatAll(): Promise<void> {
    const asked = [...held].filter(({ controller }) => !controller.signal.aborted);
    if (asked.length === 0) {
      lastBeat = performance.now();
      return;
    }
    try {
      const claims = asked.map(({ claim }) => claim);
      const kept = await beat(db, schema, worker, claims);
      lastBeat = performance.now();
      for (const { claim, controller, over } of asked) {
        if (over || kept.has(claimKey(claim))) continue;
        abort(controller, (await isCancelled(db, schema, claim)) ? 'cancelled' : 'lost');
      }
    } catch (error) {
      noteFault(error as Error);
      // Somebody else may have taken over by now.
      if (performance.now() - lastBeat > LEASE_SECONDS * 1000) {
        for (const { controller } of asked) abort(controller, 'lost');
      }
    }
  }

  async function recover(): Promise<void> {
    if (performance.now() - settledSince < SETTLED_MS) return;
    try {
      const freed = await recoverLost(db, schema);
      if (freed > 0) log.info(`queue: requeued ${freed} entries of stale workers`);
    } catch (error) {
      noteFault(error as Error);
    }
  }

  function startWorker(): void {
    ownListener = connections ? null : openListener(url, { role: `${role}-queue`, onError: noteFault });
    const listener = ownListener ?? connections!.listener;
    listener.onSession((client) => announce(client, worker));
    listener.listen(CHANNEL, (message) => {
      const [word, subject] = message.split(' ');
      const queue = word === 'wake' ? handled.get(subject!) : undefined;
      if (queue) claimMore(queue);
      if (word === 'cancel' && [...held].some(({ claim }) => claim.entry === subject)) void beatAll();
    });
    timers.push(setInterval(() => void [...handled.values()].map(claimMore), POLL_MS));
    timers.push(everySpaced(beatAll, BEAT_MS), everySpaced(recover, RECOVER_MS));
  }

  return {
    async enqueue<Payload extends object>(
      tx: Transaction<Database>,
      name: string,
      payload: Payload,
      { owner, delaySeconds = 0 }: EnqueueOptions,
    ) {
      await ensureQueue(name);
      const id = await boss.send(name, payload, {
        db: fromKysely(tx),
        group: { id: owner },
        startAfter: Math.ceil(delaySeconds),
      });
      if (id === null) throw new Error(`The queue ${name} did not accept an entry`);
      await notify(tx, `wake ${name}`);
      return id;
    },

    async cancel(name, id) {
      if (!ENTRY.test(id)) return;
      await ensureQueue(name);
      await db.transaction().execute(async (tx) => {
        await boss.cancel(name, id, { db: fromKysely(tx) });
        await notify(tx, `cancel ${id}`);
      });
    },

    async has(name, id) {
      if (!ENTRY.test(id)) return false;
      const { rows } = await sql`
        SELECT FROM ${sql.id(schema, 'job')}
        WHERE name = ${name} AND id = ${id} AND state < 'completed'`.execute(db);
      return rows.length > 0;
    },

    async work<Payload extends object>(
      name: string,
      options: WorkOptions,
      handler: (job: Job<Payload>) => Promise<void>,
    ) {
      if (stopping) throw new Error('The queue is stopping');
      if (handled.has(name)) throw new Error(`The queue ${name} already has a handler`);
      await ensureQueue(name);
      const queue: Handled = {
        ...options,
        name,
        turns: new Map(),
        // A payload is what enqueue() of this name was given.
        handler: handler as (job: Job<object>) => Promise<void>,
        running: 0,
        claiming: null,
        again: false,
      };
      handled.set(name, queue);
      if (timers.length === 0) startWorker();
      claimMore(queue);
    },

    async stop(graceMs) {
      if (stopping) return;
      stopping = true;
      await Promise.all([...handled.values()].map(({ claiming }) => claiming));
      await endedWithin(held, graceMs);
      const rest = [...held].filter(({ over }) => !over);
      for (const { controller } of rest) abort(controller, 'shutdown');
      if (rest.length > 0) {
        await giveBack(
          db,
          schema,
          worker,
          rest.map(({ claim }) => claim.entry),
        ).catch(noteFault);
        log.info(`queue: requeued ${rest.length} entries`);
      }
      await endedWithin(held, ABORTED_MS);
      for (const timer of timers) clearInterval(timer);
      closed = true;
      await ownListener?.close();
      await boss.stop({ graceful: false });
      await own?.close();
    },

    async check() {
      await sql`SELECT 1`.execute(db);
    },
  };
}

function abort(controller: AbortController, reason: JobAbort): void {
  if (!controller.signal.aborted) controller.abort(reason);
}

async function notify(db: Kysely<Database>, message: string): Promise<void> {
  await sql`SELECT pg_notify(${CHANNEL}, ${message})`.execute(db);
}

async function endedWithin(held: ReadonlySet<Held>, ms: number): Promise<void> {
  if (held.size === 0 || ms <= 0) return;
  const timeout = new AbortController();
  const all = Promise.all([...held].map(({ ended }) => ended));
  await Promise.race([all, sleep(ms, undefined, { signal: timeout.signal }).catch(() => {})]);
  timeout.abort();
}

/** Like setInterval, without a second run while one is under way. */
function everySpaced(task: () => Promise<void>, ms: number): NodeJS.Timeout {
  let busy = false;
  return setInterval(() => {
    if (busy) return;
    busy = true;
    void task().finally(() => {
      busy = false;
    });
  }, ms);
}
