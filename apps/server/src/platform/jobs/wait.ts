import type { Listener } from '../db/listen.ts';
import { JOB_CHANGED } from './jobs.ts';

/** A notification can be lost, so a waiter polls the row at this interval. */
const POLL_MS = 2_000;

/** A job that somebody waits for. */
export interface Watched<Row extends { id: string }, Shown> {
  listener: Listener;
  /** The row as it is now; throws when it is gone. */
  find(): Promise<Row>;
  /** As the API shows it. */
  present(row: Row): Shown;
  isFinished(row: Row): boolean;
}

export interface Wait<Shown> {
  seconds: number;
  /** Whether the client knows the job like that; undefined: it knows the first state that is read. */
  isKnown: ((shown: Shown) => boolean) | undefined;
  signal: AbortSignal;
}

/** The job after it has left the state `isKnown` or is finished, at the latest after `seconds`. */
export async function waitForChange<Row extends { id: string }, Shown>(
  { listener, find, present, isFinished }: Watched<Row, Shown>,
  wait: Wait<Shown>,
): Promise<Shown> {
  const until = performance.now() + wait.seconds * 1_000;
  let row = await find();
  const start = JSON.stringify(present(row));
  const isOver = (): boolean => {
    const shown = present(row);
    const isSame = wait.isKnown === undefined ? JSON.stringify(shown) === start : wait.isKnown(shown);
    return isFinished(row) || !isSame || wait.signal.aborted;
  };
  while (!isOver()) {
    const left = until - performance.now();
    if (left <= 0) break;
    const change = listener.wait(JOB_CHANGED, row.id, Math.min(POLL_MS, left), wait.signal);
    // Again, after the subscription: nothing would report a change that was made in between.
    row = await find();
    if (!isOver()) await change;
    row = await find();
  }
  return present(row);
}
