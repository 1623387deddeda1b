import type { Transaction } from 'kysely';
import type { Database } from '../db/database.ts';

/** What a worker is given: a queue entry, delivered at least once. */
export interface Job<Payload> {
  id: string;
  payload: Payload;
  /** 1 for the first delivery. */
  delivery: number;
  /** Whether a failure of this delivery is followed by another. */
  last: boolean;
  /** Aborts when the entry was cancelled, its lease was lost or the worker stops. `reason` is a JobAbort. */
  signal: AbortSignal;
}

export type JobAbort = 'cancelled' | 'lost' | 'shutdown';

export interface EnqueueOptions {
  /** Id of the organization that the entry is for. Owners take turns. */
  owner: string;
  /** The entry is delivered no earlier than this many seconds from now; default 0. */
  delaySeconds?: number;
}

export interface WorkOptions {
  /** Entries that the worker handles at the same time. */
  concurrency: number;
  /**
   * Whether several owners can have entries. Then one slot is kept from an owner that holds all others of this
   * worker; default false.
   */
  isShared?: () => Promise<boolean>;
  /** Whether this process can take another entry now, such as for its disk; default true. */
  hasRoom?: () => Promise<boolean>;
}

/**
 * Dispatches entries to workers. It is not the source of truth: the row of the feature's table holds the
 * state of a job, an entry only requests that somebody process it.
 */
export interface Queue {
  /** Adds an entry in the caller's transaction. */
  enqueue<Payload extends object>(
    tx: Transaction<Database>,
    name: string,
    payload: Payload,
    options: EnqueueOptions,
  ): Promise<string>;
  /** Stops an entry that waits or runs; not an error if it does not exist. */
  cancel(name: string, id: string): Promise<void>;
  /**
   * Whether the entry still waits, runs or is to be delivered again. False: nobody will process it any more.
   */
  has(name: string, id: string): Promise<boolean>;
  /** Starts handling entries. One whose handler throws is delivered again later. */
  work<Payload extends object>(
    name: string,
    options: WorkOptions,
    handler: (job: Job<Payload>) => Promise<void>,
  ): Promise<void>;
  /** Stops claiming, waits `graceMs` for handlers, aborts the rest with `shutdown` and gives their entries back. */
  stop(graceMs: number): Promise<void>;
  check(): Promise<void>;
}
