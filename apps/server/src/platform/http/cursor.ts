import { AppError } from './error.ts';

/** Where a list resumes, newest first: after the row with this creation time and id. */
export interface Cursor {
  createdAt: Date;
  id: string;
}

export function formatCursor(row: { created_at: Date; id: string }): string {
  return Buffer.from(JSON.stringify([row.created_at.getTime(), row.id])).toString('base64url');
}

/** Throws the 400 for anything that is not our cursor. */
export function parseCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  try {
    const [time, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as [unknown, unknown];
    if (isTime(time) && typeof id === 'string' && /^[a-z]+_[0-9a-f]{1,32}$/.test(id)) {
      return { createdAt: new Date(time), id };
    }
  } catch {
    // Handled below like any other text that is not a cursor.
  }
  throw new AppError('invalid_request', 'cursor must be the nextCursor of an earlier response.', {
    param: 'cursor',
  });
}

/** Milliseconds since 1970 that both a Date and a timestamp of the database can hold. */
function isTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 8.64e15;
}

/** One page of a list out of `limit + 1` rows. */
export function pageOf<Row extends { created_at: Date; id: string }, Item>(
  rows: readonly Row[],
  limit: number,
  present: (row: Row) => Item,
): { data: Item[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: shown.map(present),
    nextCursor: rows.length > limit && last !== undefined ? formatCursor(last) : null,
  };
}
