import { once } from 'node:events';
import { crc32, createInflateRaw } from 'node:zlib';
import { BundleError } from './error.ts';
import { type ArchiveLimits, ratioFrom } from './limits.ts';

const maxHeaderBytes = 64 * 1024;

/**
 * The content of a gzip file with exactly one member (RFC 1952). Unlike `node:zlib` it rejects data after the
 * member, and enforces the limits while it reads. Throws BundleErrors.
 */
export async function* gunzip(
  source: AsyncIterable<Uint8Array>,
  limits: Pick<ArchiveLimits, 'maxBytes' | 'maxRatio'>,
): AsyncGenerator<Buffer, void, undefined> {
  const input = source[Symbol.asyncIterator]();
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 });
  // the pump below also waits for the end; without a listener, a failure between two waits would be fatal
  inflate.on('error', () => {});
  let tail: Buffer = Buffer.alloc(0);
  let pumpFailure: unknown;
  const pump = async () => {
    let piece: Buffer | null = await skipHeader(input);
    let written = 0;
    const ended = once(inflate, 'end');
    ended.catch(() => {});
    while (piece !== null) {
      written += piece.length;
      const taken = new Promise<void>((resolve) => inflate.write(piece, () => resolve()));
      await Promise.race([taken, ended]);
      if (inflate.bytesWritten < written) {
        // the deflate data ended within this piece
        tail = piece.subarray(piece.length - (written - inflate.bytesWritten));
        return;
      }
      piece = await readPiece(input);
    }
    inflate.end();
  };
  const pumped = pump().catch((error: unknown) => {
    pumpFailure = error;
    inflate.destroy();
  });

  let total = 0;
  let sum = 0;
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      total += piece.length;
      sum = crc32(piece, sum);
      if (total > limits.maxBytes) {
        throw new BundleError('too_large', `The archive unpacks to more than ${limits.maxBytes} bytes.`);
      }
      if (total > ratioFrom && total > inflate.bytesWritten * limits.maxRatio) {
        throw new BundleError(
          'too_large',
          `The compression ratio of the archive is above ${limits.maxRatio}.`,
        );
      }
      yield piece;
    }
    await pumped;
    if (pumpFailure !== undefined) throw pumpFailure;
    await checkTrailer(tail, input, sum, total);
  } catch (error) {
    throw inflateFault(pumpFailure ?? error);
  } finally {
    inflate.destroy();
    // not awaited: a source that stalls would delay the error
    Promise.resolve(input.return?.()).catch(() => {});
  }
}

function inflateFault(error: unknown): unknown {
  if (error instanceof BundleError || !(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'Z_BUF_ERROR') return new BundleError('truncated', 'The archive ends too early.');
  if (String(error.code).startsWith('Z_')) {
    return new BundleError('gzip_invalid', 'The archive is damaged: its deflate data is not valid.');
  }
  return error;
}

async function readPiece(input: AsyncIterator<Uint8Array>): Promise<Buffer | null> {
  for (;;) {
    const { value, done } = await input.next();
    if (done) return null;
    if (value.length > 0) return Buffer.from(value.buffer, value.byteOffset, value.length);
  }
}

/** Parses the header of the member; returns the rest of the last piece read. */
async function skipHeader(input: AsyncIterator<Uint8Array>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  for (;;) {
    const piece = await readPiece(input);
    if (piece === null) {
      throw head.length >= 2 || head.length === 0
        ? new BundleError('truncated', 'The archive ends too early.')
        : notGzip();
    }
    head = head.length === 0 ? piece : Buffer.concat([head, piece]);
    if (head.length >= 3 && (head[0] !== 0x1f || head[1] !== 0x8b || head[2] !== 8)) throw notGzip();
    const length = headerLength(head);
    if (length !== null) return head.subarray(length);
    if (head.length > maxHeaderBytes + 32) {
      throw new BundleError('gzip_invalid', 'The gzip header is longer than 64 kB.');
    }
  }
}

function notGzip(): BundleError {
  return new BundleError('gzip_invalid', 'The file is not a gzip archive.');
}

/** Length of the header at the start of these bytes; null if the header is incomplete. */
function headerLength(head: Buffer): number | null {
  if (head.length < 10) return null;
  const flags = head[3]!;
  if (flags & 0xe0) throw new BundleError('gzip_invalid', 'The gzip header has unknown flags.');
  let at = 10;
  if (flags & 4) {
    if (head.length < at + 2) return null;
    at += 2 + head.readUInt16LE(at);
  }
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = head.indexOf(0, at);
    if (end < 0) return null;
    at = end + 1;
  }
  if (flags & 2) at += 2;
  return at <= head.length ? at : null;
}

async function checkTrailer(
  start: Buffer,
  input: AsyncIterator<Uint8Array>,
  sum: number,
  total: number,
): Promise<void> {
  let trailer = start;
  while (trailer.length <= 8) {
    const piece = await readPiece(input);
    if (piece === null) break;
    trailer = Buffer.concat([trailer, piece]);
  }
  if (trailer.length < 8) throw new BundleError('truncated', 'The archive ends too early.');
  if (trailer.readUInt32LE(0) !== sum || trailer.readUInt32LE(4) !== total % 2 ** 32) {
    throw new BundleError('gzip_invalid', 'The archive is damaged: its checksum does not match.');
  }
  if (trailer.length > 8) throw new BundleError('trailing_data', 'Bytes follow the end of the archive.');
}
