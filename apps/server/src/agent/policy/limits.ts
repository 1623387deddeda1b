import { Buffer } from 'node:buffer';

/** Paths that one job may change. */
export const MAX_CHANGED_FILES = 300;

/** Bytes of a file that a job creates, and by which a larger one may grow. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** Bytes of all changed files together; of a file that was larger than a job may create, only what it grew by. */
export const MAX_CHANGED_BYTES = 4 * 1024 * 1024;

const bytesOf = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text));

/** Bytes that a file may have: API descriptions that people maintain can be larger than what a job creates. */
export function maxBytes(before: string | null): number {
  const known = bytesOf(before);
  return known > MAX_FILE_BYTES ? known + MAX_FILE_BYTES : MAX_FILE_BYTES;
}

/** What a change counts for `MAX_CHANGED_BYTES`. */
export function countedBytes(before: string | null, after: string): number {
  const known = bytesOf(before);
  return Math.max(0, bytesOf(after) - (known > MAX_FILE_BYTES ? known : 0));
}
