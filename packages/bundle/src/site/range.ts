/** First and last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The one range of a `Range` header (RFC 9110, 14.1.2). Null: send the whole file, which is right for a
 * header that is missing, malformed or lists several ranges. `unsatisfiable`: return 416.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '');
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Whether `If-None-Match` names the ETag: weak comparison, lists and `*` (RFC 9110, 13.1.2). */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === tag);
}
