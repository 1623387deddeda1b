/** Results that can be computed again, by key, in a folder of the user. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolderSync } from '@offprint/bundle/make-folder';

export interface Cache {
  /** Larger entries are not kept. */
  maxEntryBytes: number;
  /** The content of an entry; null without one. A damaged entry is removed and counts as missing. */
  get(key: string): Buffer | null;
  /**
   * As `get` for an entry of `putFile`: writes the content of its file to a new one, and returns the bytes before that,
   * whose number `headBytes` reads from their start.
   */
  getFile(key: string, headBytes: (start: Buffer) => number, file: string): Buffer | null;
  /** As `put`, with the content of a file behind these bytes. */
  putFile(key: string, head: readonly Uint8Array[], file: string): void;
  /** File of an entry, whose content is not checked, and the byte at which that starts; null without one. */
  locate(key: string): { file: string; start: number } | null;
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
  let room: number | null = null;
  const write = (key: string, size: number, pieces: () => Iterable<Uint8Array>): void => {
    const needed = DIGEST_BYTES + size;
    if (needed > maxEntryBytes) return;
    const unfinished = join(folder, `${UNFINISHED}${process.pid}-${key}`);
    try {
      makeFolderSync(folder, 0o700);
      // the folder is listed again only when it may be full
      if (room === null || room < needed) room = maxBytes - makeRoom(folder, maxBytes - needed);
      room -= needed;
      writeEntry(unfinished, key, pieces());
      renameSync(unfinished, join(folder, key));
    } catch {
      removeFile(unfinished);
    }
  };
  /** What `read` finds in the file of an entry; null if that is damaged. */
  const using = (key: string, read: (file: string) => Buffer | null): Buffer | null => {
    const file = join(folder, key);
    try {
      const content = read(file);
      const now = new Date();
      if (content === null) rmSync(file, { force: true });
      else utimesSync(file, now, now);
      return content;
    } catch {
      // Missing, or a folder that is not readable: the result is computed.
      return null;
    }
  };
  return {
    maxEntryBytes,
    get: (key) => using(key, (entry) => readEntry(entry, key)),
    getFile: (key, headBytes, file) => using(key, (entry) => splitEntry(entry, key, headBytes, file)),
    locate(key) {
      const file = join(folder, key);
      return existsSync(file) ? { file, start: DIGEST_BYTES } : null;
    },
    put: (key, content) => write(key, sizeOf(content), () => content),
    putFile: (key, head, file) =>
      write(key, sizeOf(head) + statSync(file).size, () => withPieces(head, file)),
  };
}

const sizeOf = (pieces: readonly Uint8Array[]): number =>
  pieces.reduce((sum, piece) => sum + piece.byteLength, 0);

/** The digest comes first in the file and is known last. */
function writeEntry(file: string, key: string, pieces: Iterable<Uint8Array>): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    const digest = createHash('sha256').update(`${key}\n`);
    let at = DIGEST_BYTES;
    for (const piece of pieces) {
      digest.update(piece);
      for (let from = 0; from < piece.byteLength; )
        from += writeSync(descriptor, piece, from, piece.byteLength - from, at + from);
      at += piece.byteLength;
    }
    writeSync(descriptor, digest.digest(), 0, DIGEST_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
}

/** The content of an entry; null if it is damaged. */
function readEntry(entry: string, key: string): Buffer | null {
  const bytes = readFileSync(entry);
  const content = bytes.subarray(DIGEST_BYTES);
  const digest = createHash('sha256').update(`${key}\n`).update(content).digest();
  return digest.equals(bytes.subarray(0, DIGEST_BYTES)) ? content : null;
}

/** As `getFile`. A bundle is the largest thing that is cached, and never in memory as a whole. */
function splitEntry(
  entry: string,
  key: string,
  headBytes: (start: Buffer) => number,
  file: string,
): Buffer | null {
  const digest = createHash('sha256').update(`${key}\n`);
  const head: Buffer[] = [];
  const output = openSync(file, 'wx');
  let isWhole = false;
  try {
    let left: number | null = null;
    let expected = Buffer.alloc(0);
    for (const piece of piecesOf(entry)) {
      const isFirst = left === null;
      if (isFirst) expected = Buffer.from(piece.subarray(0, DIGEST_BYTES));
      const content = isFirst ? piece.subarray(DIGEST_BYTES) : piece;
      digest.update(content);
      left ??= headBytes(content);
      const part = content.subarray(0, left);
      if (part.length > 0) head.push(Buffer.from(part));
      left -= part.length;
      writeAll(output, content.subarray(part.length));
    }
    isWhole = digest.digest().equals(expected);
  } finally {
    closeSync(output);
    if (!isWhole) removeFile(file);
  }
  return isWhole ? Buffer.concat(head) : null;
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.byteLength; )
    from += writeSync(descriptor, bytes, from, bytes.byteLength - from);
}

/** The content of a file, in one buffer that is filled again for each piece. */
function* piecesOf(file: string): Generator<Buffer> {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    for (let count = 1; count > 0; ) {
      count = readSync(descriptor, buffer, 0, buffer.length, null);
      yield buffer.subarray(0, count);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** These pieces, then the content of a file. */
function* withPieces(head: readonly Uint8Array[], file: string): Generator<Uint8Array> {
  yield* head;
  yield* piecesOf(file);
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The folder of the file cannot be written either.
  }
}

/**
 * Removes the oldest entries if more than `room` bytes are in use, and what interrupted commands left. Returns the bytes
 * that stay in use.
 */
function makeRoom(folder: string, room: number): number {
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
  return total;
}
