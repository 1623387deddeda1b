/** Digests of the files of a docs folder, read again only where a file may have changed. */
import { hash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_PAGES, showsDates } from '@offprint/server/wants-dates';
import type { Cache } from './cache-folder.ts';

/** A file that was written shortly before it was read can change again without a new time. */
const MIN_AGE_MS = 2_000;

/** Size, times and place on the disk of a file, then the digest of its content, and whether that asks for dates. */
type Known = readonly [state: string, sha256: string, showsDates: boolean];

export interface DigestedFiles {
  /** SHA-256 of each file. */
  digests: string[];
  /** Whether the site shows when its files were changed; null if that is not known. */
  wantsDates: boolean | null;
}

/**
 * Reads the regular files `paths` below `folder`. The digests are in their order. What was read is remembered in `cache`.
 * Throws the error of the system for a file that cannot be read.
 */
export function digestFiles(folder: string, paths: readonly string[], cache: Cache): DigestedFiles {
  const key = hash('sha256', `files 2\0${folder}`);
  const known = readKnown(cache.get(key));
  const next: Record<string, Known> = {};
  const now = Date.now();
  let hasNews = false;
  let wantsDates = false;
  const digests = paths.map((path) => {
    const file = join(folder, path);
    const { size, mtimeNs, ctimeNs, mtimeMs, ino } = lstatSync(file, { bigint: true });
    const state = `${size} ${mtimeNs} ${ctimeNs} ${ino}`;
    const before = Object.hasOwn(known, path) ? known[path] : undefined;
    const isKnown = before !== undefined && before[0] === state;
    const content = isKnown ? null : readFileSync(file);
    const sha256 = content === null ? (before?.[1] ?? '') : hash('sha256', content);
    const shows = content === null ? before?.[2] === true : showsDates(path, content);
    wantsDates ||= shows;
    hasNews ||= !isKnown;
    if (now - Number(mtimeMs) > MIN_AGE_MS) next[path] = [state, sha256, shows];
    return sha256;
  });
  if (hasNews) cache.put(key, [Buffer.from(JSON.stringify(next))]);
  const pages = paths.filter((path) => /\.mdx?$/.test(path)).length;
  return { digests, wantsDates: pages < MAX_PAGES ? wantsDates : null };
}

function readKnown(content: Buffer | null): Readonly<Record<string, Known>> {
  return content === null ? {} : JSON.parse(content.toString('utf8'));
}
