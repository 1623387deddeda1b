import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { createRateLimiter, type RateStanding } from './rate-limit.ts';

/** Requests of one caller that this process has let pass and the others do not know of yet. */
export interface Charge {
  subject: Buffer;
  /** Milliseconds of the allowance. */
  costMs: number;
  /** Since the first of the requests. */
  ageMs: number;
}

/** What all processes together have let pass. */
export interface RateStore {
  /** Adds the charges; returns the milliseconds of the allowance that are used, in the order of the charges. */
  add(charges: readonly Charge[]): Promise<number[]>;
}

/** Like RateLimiter, for all processes together: `take` waits only where a caller has used much of what was known. */
export interface SharedRateLimiter {
  take(caller: string): Promise<number>;
  standing(caller: string): RateStanding;
}

export interface SharedLimit {
  /** What is limited; limits with different names are counted apart. */
  name: string;
  perMinute: number;
  /** null: this process counts alone. */
  store: RateStore | null;
  now?: () => number;
}

/** What one process may let pass before the others know: this share of what is left, so that ten stay near the limit. */
const UNKNOWN_SHARE = 0.05;
/** What is known of a caller is used for this time, and nothing remains unknown to the others for longer. */
const FRESH_MS = 5_000;
/** A request waits for the database for this time. */
const MAX_WAIT_MS = 250;
/** After an error or a timeout, no request waits for this time. */
const PAUSE_MS = 5_000;
/** Callers of whom something is known; more are counted by this process alone. */
const MAX_CALLERS = 100_000;

interface Known {
  /** Requests that are not in the store. */
  unknown: number;
  /** Time of the first of them. */
  since: number;
  /** Requests that may be unknown. */
  allowance: number;
  readAt: number;
}

/**
 * Limits callers in all processes with the same store. Each process keeps an estimate, which is never above what is
 * true except by what others have not stored yet, and stores what it has let pass in batches: at once for a caller that
 * it does not know, then whenever the caller has used a twentieth of the rest. If the store is slow or unreachable, each
 * process counts alone.
 */
export function createSharedRateLimiter({ name, perMinute, store, now }: SharedLimit): SharedRateLimiter {
  const clock = now ?? (() => performance.now());
  const local = createRateLimiter(perMinute, clock);
  const interval = 60_000 / perMinute;
  const callers = new Map<string, Known>();
  const asked = new Set<string>();
  let next: Promise<void> | null = null;
  let last = Promise.resolve();
  let willFlush = false;
  let waitsAgainAt = Number.NEGATIVE_INFINITY;

  const isFresh = ({ readAt }: Known) => clock() - readAt < FRESH_MS;

  function pass(caller: string, known: Known | undefined): number {
    const wait = local.take(caller);
    if (wait > 0 || known === undefined) return wait;
    if (known.unknown === 0) known.since = clock();
    known.unknown += 1;
    if (!isFresh(known)) void exchange(caller);
    flushLater();
    return 0;
  }

  function flushLater(): void {
    if (willFlush) return;
    willFlush = true;
    setTimeout(flush, FRESH_MS).unref();
  }

  function knownOf(caller: string): Known | undefined {
    let known = callers.get(caller);
    if (known !== undefined || store === null || callers.size >= MAX_CALLERS) return known;
    known = { unknown: 0, since: 0, allowance: 1, readAt: Number.NEGATIVE_INFINITY };
    callers.set(caller, known);
    return known;
  }

  /** Stores what is unknown of the caller and reads what others have stored, together with other callers. */
  function exchange(caller: string): Promise<void> {
    asked.add(caller);
    next ??= last.then(() => {
      next = null;
      last = exchangeAll();
      return last;
    });
    return next;
  }

  async function exchangeAll(): Promise<void> {
    const batch = [...asked].flatMap((caller) => {
      const known = callers.get(caller);
      return known === undefined ? [] : [{ caller, known, count: known.unknown, since: known.since }];
    });
    asked.clear();
    for (const { known } of batch) known.unknown = 0;
    try {
      const used = await store?.add(
        batch.map(({ caller, count, since }) => ({
          subject: digestOf(name, caller),
          costMs: count * interval,
          ageMs: count === 0 ? 0 : clock() - since,
        })),
      );
      for (const [at, { caller, known }] of batch.entries()) {
        local.raise(caller, (used?.[at] ?? 0) + known.unknown * interval);
        known.allowance = Math.max(1, Math.floor(local.standing(caller).remaining * UNKNOWN_SHARE));
        known.readAt = clock();
      }
    } catch {
      waitsAgainAt = clock() + PAUSE_MS;
      for (const { known, count, since } of batch) {
        if (count === 0) continue;
        known.unknown += count;
        known.since = since;
      }
    }
  }

  function flush(): void {
    willFlush = false;
    for (const [caller, known] of callers) {
      if (known.unknown > 0) void exchange(caller);
      // Nothing is known of it any more.
      else if (!isFresh(known)) callers.delete(caller);
    }
    if (callers.size > 0) flushLater();
  }

  return {
    standing: local.standing,
    async take(caller) {
      const known = knownOf(caller);
      const allowance = known !== undefined && isFresh(known) ? known.allowance : 1;
      // Others can only have used more of the allowance than this process knows.
      const canWait = known !== undefined && known.unknown >= allowance && local.wait(caller) === 0;
      if (canWait && clock() >= waitsAgainAt && !(await isDoneWithin(exchange(caller), MAX_WAIT_MS))) {
        waitsAgainAt = clock() + PAUSE_MS;
      }
      return pass(caller, known);
    },
  };
}

/** Counts in the table `rate_limits`. */
export function createRateStore(db: Kysely<Database>): RateStore {
  return {
    async add(charges) {
      // In one order, so that no two processes wait for each other.
      const sorted = charges
        .map((charge) => ({ ...charge, key: charge.subject.toString('hex') }))
        .sort((a, b) => (a.key < b.key ? -1 : 1));
      const { rows } = await sql<{ key: string; used: number }>`
        INSERT INTO rate_limits AS stored (subject, full_at, cost)
        SELECT subject, now() - age * interval '1 millisecond' + cost, cost
        FROM (
          SELECT subject, cost * interval '1 millisecond' AS cost, age
          FROM unnest(${sorted.map(({ subject }) => subject)}::bytea[],
            ${sorted.map(({ costMs }) => costMs)}::float8[],
            ${sorted.map(({ ageMs }) => ageMs)}::float8[]) AS charge (subject, cost, age)
        ) charges
        ON CONFLICT (subject) DO UPDATE
          SET full_at = greatest(stored.full_at + excluded.cost, excluded.full_at), cost = excluded.cost
        RETURNING encode(subject, 'hex') AS key,
          greatest(0, extract(epoch FROM full_at - now()) * 1000)::float8 AS used`.execute(db);
      const used = new Map(rows.map((row) => [row.key, row.used]));
      return charges.map(({ subject }) => used.get(subject.toString('hex')) ?? 0);
    },
  };
}

/** Deletes callers that have their whole allowance. */
export async function forgetRates(db: Kysely<Database>): Promise<void> {
  await db.deleteFrom('rate_limits').where('full_at', '<', sql<Date>`now()`).execute();
}

function digestOf(name: string, caller: string): Buffer {
  return createHash('sha256').update(`${name}\n${caller}`).digest().subarray(0, 16);
}

async function isDoneWithin(done: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([done.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
