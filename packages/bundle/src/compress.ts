import { hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib';
import type { ArtifactChunk, ChunkStore } from './artifact.ts';
import type { ChunkSink, EarlierChunks } from './chunk-sink.ts';
import { chunkSize } from './cut.ts';
import { damagedBundle } from './damaged-bundle.ts';
import { bundleDigest } from './join.ts';

const maxInFlight = 32;
const deflateInPool = promisify(deflateRaw) as (raw: Uint8Array, options: ZlibOptions) => Promise<Buffer>;

/** Options of deflate for a chunk: it ends on a byte boundary and comes in one piece. */
export function deflateOptions(level: number): ZlibOptions {
  return { level, chunkSize: chunkSize + 1024, finishFlush: constants.Z_SYNC_FLUSH };
}

/** A chunk of these tar bytes and this deflate data. */
export function describeChunk(raw: Uint8Array, packed: Uint8Array): ArtifactChunk {
  return {
    sha256: hash('sha256', packed),
    bytes: packed.length,
    rawBytes: raw.length,
    crc32: crc32(raw),
  };
}

/**
 * Compresses chunks in the thread pool as they come and stores them; if the pool is busy, or the caller never lets the
 * event loop run, compresses them in place. So memory use stays at some megabytes, whatever the size of the site.
 * Chunks of an earlier bundle are copied; one that is damaged there fails (`isDamagedBundle`).
 */
export function storeSink(store: ChunkStore, earlier: EarlierChunks | null = null): ChunkSink {
  const chunks: ArtifactChunk[] = [];
  const work = new Set<Promise<void>>();
  let failure: unknown;
  let failed = false;
  /** Buffers of stored chunks, for the next ones: new ones would fill the memory until they are collected. */
  const free: Uint8Array<ArrayBuffer>[] = [];

  const fail = (error: unknown) => {
    if (!failed) failure = error;
    failed = true;
  };
  const keep = (place: number, raw: Uint8Array, packed: Buffer): void | Promise<void> => {
    const chunk = describeChunk(raw, packed);
    chunks[place] = chunk;
    return store.put(chunk, packed);
  };
  const track = (job: Promise<void>) => {
    const settled = job.catch(fail).then(() => void work.delete(settled));
    work.add(settled);
  };
  const compress = async (
    place: number,
    buffer: Uint8Array<ArrayBuffer>,
    raw: Uint8Array,
    options: ZlibOptions,
  ) => {
    await keep(place, raw, await deflateInPool(raw, options));
    free.push(buffer);
  };

  let places = 0;
  return {
    buffer: () => free.pop() ?? Buffer.allocUnsafeSlow(chunkSize),
    put(buffer, used, level) {
      const raw = buffer.subarray(0, used);
      const place = places++;
      const options = deflateOptions(level);
      if (work.size < maxInFlight) {
        track(compress(place, buffer, raw, options));
        return;
      }
      try {
        // nothing may wait for the event loop here, or the chunk would stay in memory until it runs
        const stored = keep(place, raw, deflateRawSync(raw, options));
        if (stored === undefined) free.push(buffer);
        else track(stored);
      } catch (error) {
        fail(error);
      }
    },
    ...(earlier === null
      ? {}
      : {
          reuse(key: string): boolean {
            const known = earlier.find(key);
            if (known === null) return false;
            const { chunk } = known;
            const packed = new Uint8Array(chunk.bytes);
            const count = readSync(earlier.descriptor, packed, 0, packed.length, known.from);
            if (count !== packed.length || hash('sha256', packed) !== chunk.sha256) throw damagedBundle();
            chunks[places++] = chunk;
            const stored = store.put(chunk, packed);
            if (stored !== undefined) track(stored);
            return true;
          },
        }),
    async room() {
      while (work.size >= maxInFlight) await Promise.race(work);
    },
    async end() {
      while (work.size > 0) await Promise.all(work);
      if (failed) throw failure;
      return chunks;
    },
    join: (ordered) => bundleDigest(ordered, store.get),
  };
}
