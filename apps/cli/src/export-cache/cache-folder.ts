/** Results that can be computed again, by key, in a folder of the user. */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export interface Cache {
  /** Larger entries are not kept. */
  maxEntryBytes: number;
  /** The content of an entry; null without one. A damaged entry is removed and counts as missing. */
  get(key: string): Buffer | null;
  /** Keeps an entry if the folder can be written, and removes the ones that were not used for the longest time. */
  put(key: string, content: readonly Uint8Array[]): void;
}

const MAX_BYTES = 1_000_000_000;
/** Share that stays when entries are removed, so that not every export has to. */
const KEPT = 0.8;
/** An entry is the digest of its key and content, then the content. */
const DIGEST_BYTES = 32;
const UNFINISHED = '.unfinished-';
const UNFINISHED_MAX_AGE_MS = 3_600_000;

/** `key` must be a digest in hexadecimal; `maxBytes` limits the folder, and half of it an entry. */
export function cacheFolder(folder: string, maxBytes = MAX_BYTES): Cache {
  const maxEntryBytes = maxBytes / 2;
  return {
    maxEntryBytes,
    get(key) {
      const file = join(folder, key);
      try {
        const bytes = readFileSync(file);
        const content = bytes.subarray(DIGEST_BYTES);
        if (digestOf(key, [content]).equals(bytes.subarray(0, DIGEST_BYTES))) {
          const now = new Date();
          utimesSync(file, now, now);
          return content;
        }
        rmSync(file, { force: true });
      } catch {
        // Missing, or a folder that is not readable: the result is computed.
      }
      return null;
    },
    put(key, content) {
      const size = content.reduce((sum, piece) => sum + piece.byteLength, DIGEST_BYTES);
      if (size > maxEntryBytes) return;
      const unfinished = join(folder, `${UNFINISHED}${process.pid}-${key}`);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        makeRoom(folder, maxBytes - size);
        writeFileSync(unfinished, Buffer.concat([digestOf(key, content), ...content]), {
          mode: 0o600,
          flag: 'wx',
        });
        renameSync(unfinished, join(folder, key));
      } catch {
        removeFile(unfinished);
      }
    },
  };
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The folder of the file cannot be written either.
  }
}

function digestOf(key: string, pieces: readonly Uint8Array[]): Buffer {
  const digest = createHash('sha256').update(`${key}\n`);
  for (const piece of pieces) digest.update(piece);
  return digest.digest();
}

/** Removes the oldest entries if more than `room` bytes are in use, and what interrupted commands left. */
function makeRoom(folder: string, room: number): void {
  const entries = readdirSync(folder).flatMap((name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    return stat?.isFile() ? [{ name, size: stat.size, usedAt: stat.mtimeMs }] : [];
  });
  let total = entries.reduce((sum, { size }) => sum + size, 0);
  const isFull = total > room;
  for (const { name, size, usedAt } of entries.sort((a, b) => a.usedAt - b.usedAt)) {
    const isLeft = name.startsWith(UNFINISHED) && Date.now() - usedAt > UNFINISHED_MAX_AGE_MS;
    if (!isLeft && !(isFull && total > room * KEPT)) continue;
    rmSync(join(folder, name), { force: true });
    total -= size;
  }
}
