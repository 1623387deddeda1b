/** The last export of a docs folder, for one whose files have changed since. */
import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { type EarlierBundle, openEarlierBundle, parseChunkTable } from '@offprint/bundle';
import type { KeptExport } from '@offprint/server/export-site';
import type { Cache } from './cache-folder.ts';

/** The entry with the bundle, and where the bundle starts in its content. */
interface BundlePlace {
  key: string;
  start: number;
}

/** The first part of an entry; the state of the render follows. */
interface Head {
  place: BundlePlace;
  /** As `parseChunkTable` reads it. */
  chunks: string;
}

const LENGTH_BYTES = 4;

/** The key of the last export of a folder with these options by this program. */
export function lastKey(folder: string, program: string, options: object): string {
  return hash('sha256', JSON.stringify(['last', realpathSync(folder), program, options]));
}

/** Opens the bundle of the last export; the caller closes it. null without one, or if what is left is damaged. */
export function openLast(key: string, cache: Cache): { bundle: EarlierBundle; state: string } | null {
  const content = cache.get(key);
  if (content === null) return null;
  const end = LENGTH_BYTES + content.readUInt32LE(0);
  const { place, chunks }: Head = JSON.parse(content.toString('utf8', LENGTH_BYTES, end));
  const state = content.toString('utf8', end);
  const entry = cache.locate(place.key);
  if (entry === null) return null;
  try {
    const table = parseChunkTable(chunks);
    return { bundle: openEarlierBundle(entry.file, table, entry.start + place.start), state };
  } catch {
    return null;
  }
}

export function keepLast(key: string, place: BundlePlace, { chunks, state }: KeptExport, cache: Cache): void {
  if (state === null) return;
  const head = Buffer.from(JSON.stringify({ place, chunks: JSON.stringify(chunks) } satisfies Head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.length);
  cache.put(key, [length, head, Buffer.from(state)]);
}
