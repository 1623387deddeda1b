import { randomBytes } from 'node:crypto';
import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';

/**
 * Events on the volume that the platform does not have yet. Each file is one batch: it is written by one process, and
 * never again once it has its final name. Another process sends the files of one that died, and the platform stores a
 * batch once, however often it is sent.
 */
export interface Spool {
  /** Writes an event, a line of JSON. It survives the end of the process when this returns true. */
  append(line: string): boolean;
  /** Ends the file that is being written, so that it can be sent. */
  close(): void;
  /** Batches to send, oldest first. */
  list(): Promise<string[]>;
  /** The events of a batch; null if another process has sent it. */
  read(name: string): Promise<string[] | null>;
  remove(name: string): Promise<void>;
  /** Events that were not written, because the limit is reached or the volume fails. */
  dropped(): number;
  /** Bytes of all batches that wait. */
  bytes(): number;
}

export interface SpoolOptions {
  /** Made if it does not exist. */
  dir: string;
  maxBytes: number;
  /** After this time without a write, a file that is being written is one of a process that died. Default a minute. */
  adoptMs?: number;
}

/** A request to the platform may have a megabyte. */
const maxFileBytes = 700_000;
const maxFileEvents = 900;
/** A process that was stopped for longer does not write to its file again: another one may have sent it. */
const maxOpenMs = 10_000;
const ready = /^\d{13}-[0-9a-f]{24}\.ready$/;
const open = /^\d{13}-[0-9a-f]{24}\.open$/;

interface OpenFile {
  descriptor: number;
  name: string;
  since: number;
  bytes: number;
  events: number;
}

/** Opens the spool. Throws if the folder cannot be made. */
export async function openSpool({ dir, maxBytes, adoptMs = 60_000 }: SpoolOptions): Promise<Spool> {
  await makeFolder(dir, 0o700);
  let current: OpenFile | null = null;
  let dropped = 0;
  let used = await sizeOf(dir);
  const own = new Set<string>();

  const close = (): void => {
    if (current === null) return;
    const { descriptor, name } = current;
    current = null;
    try {
      closeSync(descriptor);
      renameSync(join(dir, name), join(dir, name.replace(/open$/, 'ready')));
      own.add(name.replace(/open$/, 'ready'));
    } catch {
      // another process has taken it over, or will
    }
  };
  const start = (): OpenFile => {
    const name = `${String(Date.now()).padStart(13, '0')}-${randomBytes(12).toString('hex')}.open`;
    const descriptor = openSync(join(dir, name), 'ax', 0o600);
    return { descriptor, name, since: performance.now(), bytes: 0, events: 0 };
  };
  const drop = (): false => {
    dropped += 1;
    return false;
  };
  return {
    append(line) {
      const bytes = Buffer.from(`${line}\n`);
      if (used + bytes.length > maxBytes) return drop();
      if (current !== null && isFull(current, bytes.length)) close();
      try {
        current ??= start();
        if (writeSync(current.descriptor, bytes) !== bytes.length) throw new Error('The volume is full.');
      } catch {
        // what follows an incomplete line would not be read
        close();
        return drop();
      }
      current.bytes += bytes.length;
      current.events += 1;
      used += bytes.length;
      return true;
    },
    close,
    async list() {
      const names = await readdir(dir);
      used = await sizeOf(dir);
      for (const name of names) {
        if (!open.test(name) || name === current?.name) continue;
        if (!(await isOlder(join(dir, name), adoptMs))) continue;
        await rename(join(dir, name), join(dir, name.replace(/open$/, 'ready'))).catch(() => {});
      }
      const found: string[] = [];
      // those of others only if their process does not send them
      for (const name of (await readdir(dir)).filter((one) => ready.test(one)).sort())
        if (own.has(name) || (await isOlder(join(dir, name), Math.min(adoptMs, 15_000)))) found.push(name);
      return found;
    },
    async read(name) {
      const text = await readFile(join(dir, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
      // the last line of a process that died may be incomplete
      return text === null ? null : text.split('\n').slice(0, -1);
    },
    async remove(name) {
      await rm(join(dir, name), { force: true });
      own.delete(name);
    },
    dropped: () => dropped,
    bytes: () => used,
  };
}

function isFull({ bytes, events, since }: OpenFile, more: number): boolean {
  return bytes + more > maxFileBytes || events >= maxFileEvents || performance.now() - since > maxOpenMs;
}

async function isOlder(path: string, ms: number): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > ms;
}

async function sizeOf(dir: string): Promise<number> {
  let sum = 0;
  for (const name of await readdir(dir)) sum += (await stat(join(dir, name)).catch(() => null))?.size ?? 0;
  return sum;
}
