import { createReadStream, readFileSync, readSync, writeSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib';
import type { Encoding } from './negotiation.ts';

export interface EncoderStart {
  encoding: Encoding;
  /** The pack, open for writing. */
  fd: number;
  /** Bytes of it that are in use. */
  end: number;
  /** The pack that `copy` of a file speaks of. */
  from: number | null;
}

export interface EncoderFile {
  index: number;
  /** Where the plain bytes are. */
  path: string;
  size: number;
  /** Where the other pack has it; a length of -1: known to be no shorter. */
  copy: { position: number; length: number } | null;
}

export interface EncoderResult {
  /** Index of the file, place and length in the pack; a length of -1 where it would be no shorter. */
  entries: [index: number, position: number, length: number][];
  /** Bytes of the pack in use. */
  end: number;
}

/** Longer files go through a stream at a faster setting, so that memory stays small. */
const wholeBytes = 1024 * 1024;
/** A coding that saves less is not worth the work of the reader. */
const worthwhile = 0.95;
/** Time of work after which the thread rests as long. */
const workMilliseconds = 20;
const gzipLevel = 6;
// by brotli's scale of 11: 10 saves a tenth more than 5; 11 saves 2 % more than 10 and takes three times as long
const thoroughQuality = 10;
const quickQuality = 6;

/**
 * What the thread does that makes the shorter codings of files: it takes batches of them, at the lowest priority and
 * at most half of a processor.
 */
export function runEncoder(): void {
  const start = workerData as EncoderStart;
  const pack: OpenPack = { ...start };
  // on Linux this is the priority of the thread alone; elsewhere it would be that of the process
  if (process.platform === 'linux') setPriority(19);
  parentPort?.on('message', async (batch: EncoderFile[]) => {
    const entries: EncoderResult['entries'] = [];
    let begin = performance.now();
    for (const file of batch) {
      const position = pack.end;
      entries.push([file.index, position, await add(pack, file)]);
      const worked = performance.now() - begin;
      if (worked < workMilliseconds) continue;
      await delay(worked);
      begin = performance.now();
    }
    parentPort?.postMessage({ entries, end: pack.end } satisfies EncoderResult);
  });
}

/** The pack that is filled; `end` moves on. */
type OpenPack = EncoderStart;

/** Puts a file at the end of the pack and gives its length; -1 where it would be no shorter. */
async function add(pack: OpenPack, file: EncoderFile): Promise<number> {
  if (file.copy !== null) return copy(pack, file.copy);
  const begin = pack.end;
  if (file.size <= wholeBytes) append(pack, encodeWhole(pack.encoding, file));
  else for await (const piece of encodeStream(pack.encoding, file)) append(pack, piece);
  const length = pack.end - begin;
  if (length < file.size * worthwhile) return length;
  pack.end = begin;
  return -1;
}

function encodeWhole(encoding: Encoding, { path, size }: EncoderFile): Buffer {
  const content = readFileSync(path);
  if (content.length !== size) throw new Error('A file of the release has not the size that it should have.');
  return encoding === 'gzip'
    ? gzipSync(content, { level: gzipLevel })
    : brotliCompressSync(content, brotliOptions(thoroughQuality, size));
}

function encodeStream(encoding: Encoding, { path, size }: EncoderFile): Readable {
  const coder =
    encoding === 'gzip'
      ? createGzip({ level: gzipLevel })
      : createBrotliCompress(brotliOptions(quickQuality, size));
  const source = createReadStream(path);
  source.once('error', (error) => coder.destroy(error));
  return source.pipe(coder);
}

function brotliOptions(quality: number, size: number) {
  return {
    chunkSize: 64 * 1024,
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  };
}

function copy(pack: OpenPack, { position, length }: { position: number; length: number }): number {
  const piece = Buffer.allocUnsafe(64 * 1024);
  for (let done = 0; done < length; ) {
    const bytes = readSync(
      pack.from ?? pack.fd,
      piece,
      0,
      Math.min(piece.length, length - done),
      position + done,
    );
    if (bytes === 0) throw new Error('The compressed files of the other release end early.');
    append(pack, piece.subarray(0, bytes));
    done += bytes;
  }
  return length;
}

function append(pack: OpenPack, piece: Uint8Array): void {
  for (let done = 0; done < piece.length; ) {
    const bytes = writeSync(pack.fd, piece, done, piece.length - done, pack.end);
    done += bytes;
    pack.end += bytes;
  }
}
