import { createHash, hash } from 'node:crypto';
import { open, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Encoding, encodings } from '@offprint/bundle';
import type { Log } from '../log.ts';
import {
  encodeStream,
  maxWholeBytes,
  restShare,
  wholeOptions,
  workMilliseconds,
  worthwhile,
} from '../serving/encoder.ts';
import { type CopyThread, createCopyThread } from './copy-thread.ts';
import type { CopyTask } from './copy-work.ts';
import type { TableRecord } from './table.ts';
import { copyHeaderBytes, streamFile } from './verified-file.ts';
import type { Volume } from './volume.ts';

/** Makes the compressed copies of releases in the background, one file at a time. */
export interface EncodingQueue {
  /** Makes what a release lacks, after the releases before it. */
  add(sha256: string): void;
  /** Number of releases whose copies are not complete. */
  waiting(): number;
  stop(): Promise<void>;
}

export interface EncodingOptions {
  volume: Volume;
  onEncoded(sha256: string): void;
  log: Log;
}

/** Space on the volume that is left free for others. */
const spareBytes = 64 * 1024 * 1024;
/** In the folder of a release whose copies were all made. */
const doneFile = 'encoded';

export function createEncodingQueue({ volume, onEncoded, log }: EncodingOptions): EncodingQueue {
  const queue = new Set<string>();
  const thread = createCopyThread();
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | null = null;

  const run = async (): Promise<void> => {
    for (const sha256 of queue) {
      if (signal.aborted) return;
      await encodeRelease({ volume, thread, onEncoded, signal }, sha256).catch(
        (error: NodeJS.ErrnoException) => {
          // a release that was removed meanwhile
          if (error.code !== 'ENOENT')
            log.warn('compressed files are not created', { release: sha256, reason: error.message });
        },
      );
      queue.delete(sha256);
    }
  };
  return {
    add(sha256) {
      if (signal.aborted) return;
      queue.add(sha256);
      running ??= run().finally(() => {
        running = null;
      });
    },
    waiting: () => queue.size,
    async stop() {
      stopping.abort();
      await running;
      await thread.end();
    },
  };
}

interface Encoder {
  volume: Volume;
  thread: CopyThread;
  onEncoded(sha256: string): void;
  signal: AbortSignal;
}

async function encodeRelease(encoder: Encoder, sha256: string): Promise<void> {
  const { volume, signal } = encoder;
  const done = join(volume.folderOf(sha256), doneFile);
  if ((await stat(done).catch(() => null)) !== null) return;
  const table = await volume.openTable(sha256);
  try {
    let begin = performance.now();
    // the encoding that takes a second or two first, so that few readers get uncompressed bytes
    for (const encoding of encodings.toReversed()) {
      for await (const record of table.records()) {
        if (signal.aborted) return;
        if (!record.isText) continue;
        if (await encodeFile(encoder, sha256, record, encoding)) encoder.onEncoded(record.sha256);
        const worked = performance.now() - begin;
        if (worked < workMilliseconds) continue;
        await delay(worked * restShare, undefined, { signal }).catch(() => {});
        begin = performance.now();
      }
    }
    if (!signal.aborted) await writeFile(done, '');
  } finally {
    await table.close();
  }
}

/** Returns false if the copy exists, or could not be completed. */
async function encodeFile(
  { volume, thread, signal }: Encoder,
  release: string,
  record: TableRecord,
  encoding: Encoding,
): Promise<boolean> {
  const { folder, name } = volume.encodedFile(record.sha256, encoding);
  if ((await stat(join(folder, name)).catch(() => null)) !== null) return false;
  if ((await volume.freeBytes()) < spareBytes + record.size)
    throw new Error('The volume has no space for compressed files. Enlarge it.');
  const path = volume.newPath();
  try {
    const source = volume.folderOf(release);
    await (record.size <= maxWholeBytes
      ? thread.make(taskOf(path, encoding, source, record))
      : writeStream(path, encoding, source, record, signal));
    if (signal.aborted) return false;
    await volume.addEncoded(record.sha256, encoding, path);
    return true;
  } finally {
    await rm(path, { force: true });
  }
}

/** A copy that is not shorter is recorded as an empty one. */
function taskOf(target: string, encoding: Encoding, folder: string, { sha256, size }: TableRecord): CopyTask {
  const options = wholeOptions(encoding, size);
  return { source: join(folder, sha256), sha256, size, encoding, options, target, worthwhile };
}

async function writeStream(
  path: string,
  encoding: Encoding,
  folder: string,
  { sha256, size }: TableRecord,
  signal: AbortSignal,
): Promise<void> {
  const source = await streamFile(folder, sha256, size, { start: 0 });
  const file = await open(path, 'wx', 0o644);
  try {
    const digest = createHash('sha256');
    let end = copyHeaderBytes;
    const pieces: AsyncIterable<Buffer> = encodeStream(encoding, source, size);
    for await (const piece of pieces) {
      if (signal.aborted) return;
      digest.update(piece);
      await file.write(piece, 0, piece.length, end);
      end += piece.length;
    }
    const isShorter = end - copyHeaderBytes < size * worthwhile;
    if (!isShorter) await file.truncate(copyHeaderBytes);
    await file.write(isShorter ? digest.digest() : hash('sha256', '', 'buffer'), 0, copyHeaderBytes, 0);
  } finally {
    await file.close();
  }
}
