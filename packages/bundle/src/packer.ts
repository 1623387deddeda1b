import { createHash, hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib';
import type { ArtifactChunk, ArtifactIndex, ChunkStore } from './artifact.ts';
import { contentTypeOf, isCompressed } from './content-type.ts';
import { bundleOverhead, joinChunks } from './join.ts';
import { formatManifest, type ManifestFile, type ManifestHead, manifestPath } from './manifest.ts';
import { createPathGuard } from './path.ts';
import { blockSize, fileHeader, paddingOf } from './tar-header.ts';

/** Maximum tar bytes of a chunk. */
export const chunkSize = 256 * 1024;
const maxInFlight = 32;
/** Room for the deflated chunk, so that it comes in one piece. */
const deflatedSize = chunkSize + 1024;
/** Share of compressed files in a chunk from which it is stored as it is. */
const MOSTLY = 0.9;
const deflateInPool = promisify(deflateRaw) as (raw: Uint8Array, options: ZlibOptions) => Promise<Buffer>;

export interface PackerOptions {
  store: ChunkStore;
  /** Deflate level, 1 to 9; default 4. */
  level?: number;
  /** Receives the bytes of the bundle in order while the bundle is finished. */
  onBundle?(piece: Uint8Array): void | Promise<void>;
}

export interface Packer {
  /**
   * Adds the next file. Files are in the order of the calls. Throws a BundleError if the path is unsafe or
   * collides with an earlier one; the packer can continue without that file.
   */
  add(path: string, content: Uint8Array | string): void;
  /**
   * Like `add`, for a file of many chunks: lets the event loop run and waits for the thread pool instead of
   * compressing in place. Add the next file after it resolves; an earlier call throws a TypeError.
   */
  addLarge(path: string, content: Uint8Array | string): Promise<void>;
  /** SHA-256 of the paths and contents of the files so far, in hexadecimal. */
  contentDigest(): string;
  /** Finishes the bundle. Rejects with the first error of the store, if any. */
  finish(head: ManifestHead): Promise<ArtifactIndex>;
}

/**
 * Packs files into the chunks of a bundle. Chunks are compressed in the thread pool as they fill; if the pool
 * is busy, or the caller never lets the event loop run, they are compressed in place. So memory use stays at
 * some megabytes, whatever the size of the site. The same files in the same order give the same bytes.
 */
export function createPacker(options: PackerOptions): Packer {
  const guard = createPathGuard();
  guard(manifestPath);
  const files: ManifestFile[] = [];
  const content = createChunker(options);
  let bytes = 0;
  let finished = false;
  let busy = false;
  const take = (path: string, text: Uint8Array | string): Uint8Array => {
    if (finished) throw new TypeError('The bundle is already finished.');
    if (busy) throw new TypeError('A large file is being added.');
    guard(path);
    const data = typeof text === 'string' ? Buffer.from(text) : text;
    files.push({ path, sha256: hash('sha256', data), size: data.length, contentType: contentTypeOf(path) });
    bytes += data.length;
    return data;
  };
  return {
    add(path, text) {
      writeFile(content, path, take(path, text));
    },
    async addLarge(path, text) {
      const data = take(path, text);
      busy = true;
      content.write(fileHeader(path, data.length));
      for (let from = 0; from < data.length; from += chunkSize) {
        await content.room();
        content.write(data.subarray(from, from + chunkSize), isCompressed(path));
      }
      writePadding(content, data.length);
      busy = false;
    },
    contentDigest() {
      const digest = createHash('sha256');
      for (const file of files) digest.update(`${file.sha256} ${file.path}\n`);
      return digest.digest('hex');
    },
    async finish(head) {
      if (finished) throw new TypeError('The bundle is already finished.');
      if (busy) throw new TypeError('A large file is being added.');
      finished = true;
      content.write(Buffer.alloc(2 * blockSize));
      const manifestText = Buffer.from(formatManifest(head, files));
      const manifest = createChunker(options);
      writeFile(manifest, manifestPath, manifestText);
      const front = await manifest.end();
      const chunks = [...front, ...(await content.end())];
      const digest = createHash('sha256');
      for await (const piece of joinChunks(chunks, options.store.get)) {
        digest.update(piece);
        await options.onBundle?.(piece);
      }
      return {
        formatVersion: 1,
        artifact: { sha256: hash('sha256', manifestText), files: files.length, bytes },
        bundle: {
          sha256: digest.digest('hex'),
          bytes: chunks.reduce((sum, chunk) => sum + chunk.bytes, bundleOverhead),
        },
        chunks,
        manifestChunks: front.length,
      };
    },
  };
}

function writeFile(chunker: Chunker, path: string, data: Uint8Array): void {
  chunker.write(fileHeader(path, data.length));
  chunker.write(data, isCompressed(path));
  writePadding(chunker, data.length);
}

function writePadding(chunker: Chunker, size: number): void {
  const padding = paddingOf(size);
  if (padding > 0) chunker.write(Buffer.alloc(padding));
}

interface Chunker {
  /** Adds bytes; with `isPacked`, compressing them again would save nothing. */
  write(data: Uint8Array, isPacked?: boolean): void;
  /** Resolves when the thread pool can accept another chunk. */
  room(): Promise<void>;
  end(): Promise<ArtifactChunk[]>;
}

/** Cuts a stream into pieces of 256 kB, compresses each by itself and stores it. */
function createChunker({ store, level = 4 }: PackerOptions): Chunker {
  const deflate = { level, chunkSize: deflatedSize, finishFlush: constants.Z_SYNC_FLUSH };
  const copy = { ...deflate, level: 0 };
  const chunks: ArtifactChunk[] = [];
  const work = new Set<Promise<void>>();
  let failure: unknown;
  let failed = false;
  let buffer = Buffer.allocUnsafeSlow(chunkSize);
  let used = 0;
  /** Bytes of compressed files among them. */
  let packed = 0;
  /** Buffers of stored chunks, for the next ones: new ones would fill the memory until they are collected. */
  const free: Buffer<ArrayBuffer>[] = [];

  const fail = (error: unknown) => {
    if (!failed) failure = error;
    failed = true;
  };
  const keep = (place: number, raw: Uint8Array, packed: Buffer): void | Promise<void> => {
    const chunk = {
      sha256: hash('sha256', packed),
      bytes: packed.length,
      rawBytes: raw.length,
      crc32: crc32(raw),
    };
    chunks[place] = chunk;
    return store.put(chunk, packed);
  };
  const track = (job: Promise<void>) => {
    const settled = job.catch(fail).then(() => void work.delete(settled));
    work.add(settled);
  };
  const compress = async (
    place: number,
    raw: Uint8Array,
    whole: Buffer<ArrayBuffer>,
    options: typeof deflate,
  ) => {
    await keep(place, raw, await deflateInPool(raw, options));
    free.push(whole);
  };
  const flush = () => {
    const raw = buffer.subarray(0, used);
    const place = chunks.push({ sha256: '', bytes: 0, rawBytes: 0, crc32: 0 }) - 1;
    const options = packed > used * MOSTLY ? copy : deflate;
    used = 0;
    packed = 0;
    if (work.size < maxInFlight) {
      track(compress(place, raw, buffer, options));
      buffer = free.pop() ?? Buffer.allocUnsafeSlow(chunkSize);
      return;
    }
    try {
      // nothing may wait for the event loop here, or the chunk would stay in memory until it runs
      const stored = keep(place, raw, deflateRawSync(raw, options));
      if (stored !== undefined) track(stored);
    } catch (error) {
      fail(error);
    }
  };

  return {
    write(data, isPacked = false) {
      for (let from = 0; from < data.length; ) {
        const piece = data.subarray(from, from + chunkSize - used);
        buffer.set(piece, used);
        used += piece.length;
        if (isPacked) packed += piece.length;
        from += piece.length;
        if (used === chunkSize) flush();
      }
    },
    async room() {
      while (work.size >= maxInFlight) await Promise.race(work);
    },
    async end() {
      if (used > 0) flush();
      while (work.size > 0) await Promise.all(work);
      if (failed) throw failure;
      return chunks;
    },
  };
}
