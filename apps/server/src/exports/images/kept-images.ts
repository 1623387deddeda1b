import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Encoded images that exports of a project leave for the next one, as a render reads and writes them: one file, which the
 * parent stores as it is.
 */
export const keptImagesFile = 'kept-images';

/** The question of a render for them. The reply says whether they are in the folder. */
export interface KeptImagesQuestion {
  keptImages: true;
}

/** A larger file is not kept; the images that were not used for the longest time leave it first. */
export const maxKeptImageBytes = 64 * 1024 * 1024;
/** For the head of the file. */
const HEAD_SHARE = 1024 * 1024;

/** The first part of the file; the records follow. */
type Head = [key: string, sha256: string, bytes: number, unused: number][];

const LENGTH_BYTES = 4;

interface Kept {
  record: Uint8Array;
  /** Times that images were kept since it was last used. */
  unused: number;
}

export interface KeptImages {
  get(key: string): Uint8Array | null;
  put(key: string, record: Uint8Array): void;
  /** Writes the file into a folder, if there are new images. */
  keep(folder: string): void;
}

/** Opens what the parent has left in `folder`; null: nothing. Damaged images are not used. */
export function openKeptImages(folder: string | null): KeptImages {
  const all = folder === null ? new Map<string, Kept>() : readKept(join(folder, keptImagesFile));
  const used = new Set<string>();
  let hasNews = false;
  return {
    get(key) {
      used.add(key);
      return all.get(key)?.record ?? null;
    },
    put(key, record) {
      used.add(key);
      hasNews = true;
      all.set(key, { record, unused: 0 });
    },
    keep(target) {
      if (hasNews) writeFileSync(join(target, keptImagesFile), pack(all, used));
    },
  };
}

function pack(all: ReadonlyMap<string, Kept>, used: ReadonlySet<string>): Buffer {
  const aged = [...all].map(([key, { record, unused }]) => ({
    key,
    record,
    unused: used.has(key) ? 0 : unused + 1,
  }));
  let room = maxKeptImageBytes - HEAD_SHARE;
  const kept = aged
    .sort((a, b) => a.unused - b.unused || (a.key < b.key ? -1 : 1))
    .filter(({ record }) => {
      room -= record.byteLength;
      return room >= 0;
    });
  const head = Buffer.from(
    JSON.stringify(
      kept.map(({ key, record, unused }) => [
        key,
        hash('sha256', record),
        record.byteLength,
        unused,
      ]) satisfies Head,
    ),
  );
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.byteLength);
  return Buffer.concat([length, head, ...kept.map(({ record }) => record)]);
}

function readKept(file: string): Map<string, Kept> {
  const found = new Map<string, Kept>();
  try {
    const bytes = readFileSync(file);
    let at = LENGTH_BYTES + bytes.readUInt32LE(0);
    const head: Head = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, at));
    for (const [key, sha256, size, unused] of head) {
      const record = bytes.subarray(at, at + size);
      at += size;
      if (hash('sha256', record) === sha256) found.set(key, { record, unused });
    }
  } catch {
    // What cannot be read is encoded again.
  }
  return found;
}
