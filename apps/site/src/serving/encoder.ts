import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib';
import type { Encoding, SiteFile } from '@offprint/bundle';
import { openContent, readContent } from './content.ts';
import type { Pack } from './pack.ts';

/** A file that a pack does not contain yet. */
export interface MissingFile {
  index: number;
  /** Where the uncompressed bytes are. */
  folder: string;
  file: SiteFile;
  /** Where another pack contains it; a length of -1: known not to become shorter. */
  copy: { position: number; length: number } | null;
}

/** Larger files are streamed through a faster setting, so that memory use stays small. */
export const maxWholeBytes = 256 * 1024;
/** An encoding that saves less is not worth the work of the client. */
export const worthwhile = 0.95;
/** After this much work, the encoder rests for twice the time: requests go first, also on a single core. */
export const workMilliseconds = 20;
export const restShare = 2;
const gzipLevel = 6;
// on brotli's scale of 11: 10 saves a tenth more than 5; 11 saves 2 % more than 10 and takes three times as
// long
const thoroughQuality = 10;
const quickQuality = 6;
const quickWindowBits = 20;

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);

/**
 * Fills a pack, one file at a time, until it is complete or the signal aborts. Returns whether it is
 * complete.
 */
export async function fillPack(
  pack: Pack,
  missing: readonly MissingFile[],
  from: Pack | null,
  signal: AbortSignal,
): Promise<boolean> {
  let begin = performance.now();
  for (const file of missing) {
    if (signal.aborted) return false;
    const position = pack.end;
    const end = file.copy === null ? await encode(pack, file, signal) : await copy(pack, file.copy, from);
    if (end === null) return false;
    const length = end - position;
    const isShorter = file.copy !== null ? length > 0 : length < file.file.size * worthwhile;
    pack.positions[file.index] = position;
    pack.lengths[file.index] = isShorter ? length : -1;
    if (isShorter) pack.end = end;
    const worked = performance.now() - begin;
    if (worked < workMilliseconds) continue;
    await delay(worked * restShare, undefined, { signal }).catch(() => {});
    begin = performance.now();
  }
  return !signal.aborted;
}

/** Appends a file to the pack and returns its end; null if aborted. */
async function encode(pack: Pack, file: MissingFile, signal: AbortSignal): Promise<number | null> {
  const { size } = file.file;
  if (size <= maxWholeBytes) {
    const content = await readContent(file.folder, file.file);
    return write(pack, await encodeWhole(pack.encoding, content), pack.end);
  }
  let end = pack.end;
  const source = (await openContent(file.folder, file.file)).createReadStream();
  for await (const piece of encodeStream(pack.encoding, source, size)) {
    if (signal.aborted) return null;
    end = await write(pack, piece as Buffer, end);
  }
  return end;
}

/** A small file in a content encoding. */
export function encodeWhole(encoding: Encoding, content: Buffer): Promise<Buffer> {
  const options = wholeOptions(encoding, content.length);
  return encoding === 'gzip' ? compressGzip(content, options) : compressBrotli(content, options);
}

/** How a small file is compressed. */
export function wholeOptions(encoding: Encoding, size: number): BrotliOptions & ZlibOptions {
  // about the size of the result: a larger buffer is memory that a collection of garbage must return
  const chunkSize = Math.max(1024, Math.min(maxWholeBytes / 4, Math.ceil(size / 2)));
  return encoding === 'gzip'
    ? { chunkSize, level: gzipLevel }
    : { chunkSize, params: brotliOptions(thoroughQuality, size) };
}

/** A large file in a content encoding, in pieces. */
export function encodeStream(encoding: Encoding, source: Readable, size: number): Readable {
  const params = {
    ...brotliOptions(quickQuality, size),
    [constants.BROTLI_PARAM_LGWIN]: quickWindowBits,
  };
  const coder = encoding === 'gzip' ? createGzip({ level: gzipLevel }) : createBrotliCompress({ params });
  source.once('error', (error) => coder.destroy(error));
  coder.once('close', () => source.destroy());
  return source.pipe(coder);
}

function brotliOptions(quality: number, size: number): Record<number, number> {
  return {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  };
}

async function copy(
  pack: Pack,
  { position, length }: { position: number; length: number },
  from: Pack | null,
): Promise<number> {
  const piece = Buffer.allocUnsafe(64 * 1024);
  let end = pack.end;
  for (let done = 0; done < length; ) {
    const wanted = Math.min(piece.length, length - done);
    const bytes = (await from?.handle.read(piece, 0, wanted, position + done))?.bytesRead ?? 0;
    if (bytes === 0) throw new Error('The compressed files of another release are truncated.');
    end = await write(pack, piece.subarray(0, bytes), end);
    done += bytes;
  }
  return end;
}

async function write(pack: Pack, piece: Uint8Array, position: number): Promise<number> {
  let end = position;
  for (let done = 0; done < piece.length; ) {
    const { bytesWritten } = await pack.handle.write(piece, done, piece.length - done, end);
    done += bytesWritten;
    end += bytesWritten;
  }
  return end;
}
