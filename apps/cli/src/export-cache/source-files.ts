/** Digests of the files of a docs folder, read again only where a file may have changed. */
import { hash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cache } from './cache-folder.ts';

/** A file that was written shortly before it was read can change again without a new time. */
const MIN_AGE_MS = 2_000;

/** Size, times and place on the disk of a file, then the digest of its content. */
type Known = readonly [state: string, sha256: string];

/**
 * SHA-256 of each of the regular files `paths` below `folder`, in their order. What was read is remembered in `cache`.
 * Throws the error of the system for a file that cannot be read.
 */
export function digestFiles(folder: string, paths: readonly string[], cache: Cache): string[] {
  const key = hash('sha256', `files\0${folder}`);
  const known = readKnown(cache.get(key));
  const next: Record<string, Known> = {};
  const now = Date.now();
  let hasNews = false;
  const digests = paths.map((path) => {
    const file = join(folder, path);
    const { size, mtimeNs, ctimeNs, mtimeMs, ino } = lstatSync(file, { bigint: true });
    const state = `${size} ${mtimeNs} ${ctimeNs} ${ino}`;
    const before = Object.hasOwn(known, path) ? known[path] : undefined;
    const isKnown = before !== undefined && before[0] === state;
    const sha256 = isKnown ? before[1] : hash('sha256', readFileSync(file));
    hasNews ||= !isKnown;
    if (now - Number(mtimeMs) > MIN_AGE_MS) next[path] = [state, sha256];
    return sha256;
  });
  if (hasNews) cache.put(key, [Buffer.from(JSON.stringify(next))]);
  return digests;
}

function readKnown(content: Buffer | null): Readonly<Record<string, Known>> {
  return content === null ? {} : JSON.parse(content.toString('utf8'));
}
