import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';

/** Entries of one owner in a queue, as the database has them. */
export interface OwnerState {
  owner: string;
  /** Entries in the hands of any worker. */
  active: number;
}

/** Owners with an entry that could start now, the oldest entry first. The empty owner has entries without one. */
export async function waitingOwners(
  db: Kysely<Database>,
  schema: string,
  queue: string,
): Promise<OwnerState[]> {
  const { rows } = await sql<OwnerState>`
    SELECT w.owner, (
      SELECT count(*)::int FROM ${sql.id(schema, 'job')} a
      WHERE a.name = ${queue} AND a.state = 'active' AND a.group_id = w.owner
    ) AS active
    FROM (
      SELECT coalesce(group_id, '') AS owner, min(created_on) AS since
      FROM ${sql.id(schema, 'job')}
      WHERE name = ${queue} AND state < 'active' AND start_after <= now()
      GROUP BY 1
    ) w
    ORDER BY w.since`.execute(db);
  return rows;
}

/** Slots of one worker. */
export interface Slots {
  total: number;
  /** How many of them each owner holds. */
  held: ReadonlyMap<string, number>;
  /** When each owner was last given a slot, in milliseconds of a clock that only goes forward. */
  turns: ReadonlyMap<string, number>;
  /** Keeps one slot from an owner that holds all others. */
  isShared: boolean;
}

/**
 * The owner whose entry starts next, or null if none may start: the one with the fewest active entries, of these
 * the one whose last turn is longest ago, and of these the one with the oldest entry. With one slot, nothing can be
 * kept free.
 */
export function nextOwner(waiting: readonly OwnerState[], slots: Slots): string | null {
  const { total, held, turns, isShared } = slots;
  const most = isShared && total > 1 ? total - 1 : total;
  const turnOf = ({ owner }: OwnerState): number => turns.get(owner) ?? 0;
  const [next] = waiting
    .filter(({ owner }) => (held.get(owner) ?? 0) < most)
    .sort((a, b) => a.active - b.active || turnOf(a) - turnOf(b));
  return next?.owner ?? null;
}

/** More owners than wait at the same time; an older turn counts as none. */
const MAX_TURNS = 10_000;

/** Records that an owner was given a slot. */
export function noteTurn(turns: Map<string, number>, owner: string): void {
  turns.delete(owner);
  turns.set(owner, performance.now());
  const [oldest] = turns.keys();
  if (turns.size > MAX_TURNS && oldest !== undefined) turns.delete(oldest);
}
