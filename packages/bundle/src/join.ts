import { createHash, hash } from 'node:crypto';
import type { ArtifactChunk, ArtifactIndex } from './artifact.ts';
import { combineCrc32 } from './crc.ts';
import { BundleError } from './error.ts';

/** The bytes of a bundle before its chunks (RFC 1952): deflate, no flags, no time, no name, unknown system. */
export const gzipHeader = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
const finalBlock = Uint8Array.of(0x03, 0x00);

/** Bytes of a bundle before and after its chunks. */
export const bundleOverhead = gzipHeader.length + finalBlock.length + 8;

type MaybePromise<T> = T | Promise<T>;

/** Returns the bytes of a chunk, at once or as a stream. */
export type ReadChunk = (chunk: ArtifactChunk) => MaybePromise<Uint8Array | AsyncIterable<Uint8Array>>;

/** All bytes in one piece. */
export async function collect(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content;
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Where each chunk starts in the bundle, in bytes. */
export function chunkOffsets({ chunks }: Pick<ArtifactIndex, 'chunks'>): number[] {
  let next = gzipHeader.length;
  return chunks.map(({ bytes }) => {
    const start = next;
    next += bytes;
    return start;
  });
}

/** The bytes of a bundle after its chunks. */
export function bundleEnd(chunks: readonly ArtifactChunk[]): Uint8Array {
  let crc32 = 0;
  let rawBytes = 0;
  for (const chunk of chunks) {
    crc32 = combineCrc32(crc32, chunk.crc32, chunk.rawBytes);
    rawBytes += chunk.rawBytes;
  }
  const end = Buffer.alloc(finalBlock.length + 8);
  end.set(finalBlock, 0);
  end.writeUInt32LE(crc32, finalBlock.length);
  end.writeUInt32LE(rawBytes % 2 ** 32, finalBlock.length + 4);
  return end;
}

/**
 * The bytes of the bundle of an artifact: exactly those it had when it was packed. Throws a BundleError if a
 * chunk is damaged.
 */
export async function* joinBundle(
  { chunks }: Pick<ArtifactIndex, 'chunks'>,
  readChunk: ReadChunk,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield gzipHeader;
  for (const chunk of chunks) {
    const bytes = await collect(await readChunk(chunk));
    if (bytes.length !== chunk.bytes || hash('sha256', bytes) !== chunk.sha256) {
      throw new BundleError('digest_mismatch', `Chunk ${chunk.sha256} of the artifact is damaged.`);
    }
    yield bytes;
  }
  yield bundleEnd(chunks);
}

/** SHA-256 of the bundle of chunks that were just written: damage to them is found where they are read. */
export async function bundleDigest(chunks: readonly ArtifactChunk[], readChunk: ReadChunk): Promise<string> {
  const digest = createHash('sha256').update(gzipHeader);
  for (const chunk of chunks) digest.update(await collect(await readChunk(chunk)));
  return digest.update(bundleEnd(chunks)).digest('hex');
}
