import { createHash, hash } from 'node:crypto';
import { type ArtifactIndex, type ChunkStore, memoryChunks } from './artifact.ts';
import type { ChunkSink } from './chunk-sink.ts';
import { storeSink } from './compress.ts';
import { contentTypeOf, isCompressed } from './content-type.ts';
import { chunkSize, endsGroup, pieceLength } from './cut.ts';
import { bundleOverhead } from './join.ts';
import { formatManifest, type ManifestFile, type ManifestHead, manifestPath } from './manifest.ts';
import { createPathGuard } from './path.ts';
import { blockSize, fileHeader, headerLength, paddingOf } from './tar-header.ts';

/** Share of compressed files in a chunk from which it is stored as it is. */
const MOSTLY = 0.9;

export interface PackerOptions {
  /** Where the chunks go: a store, or a sink that compresses and keeps them. */
  store?: ChunkStore;
  sink?: ChunkSink;
  /** Deflate level, 1 to 9; default 4. */
  level?: number;
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

/** Packs files into the chunks of a bundle. The same files in the same order give the same bytes. */
export function createPacker({ store, sink, level = 4 }: PackerOptions): Packer {
  const chunks = sink ?? storeSink(store ?? memoryChunks());
  const guard = createPathGuard();
  guard(manifestPath);
  const files: ManifestFile[] = [];
  const tar = createTar(chunks, level);
  let bytes = 0;
  let finished = false;
  let busy = false;
  const write = (path: string, content: Uint8Array | string): Generator<void> => {
    if (finished) throw new TypeError('The bundle is already finished.');
    if (busy) throw new TypeError('A large file is being added.');
    guard(path);
    return tar.write(path, content, (sha256, size) => {
      files.push({ path, sha256, size, contentType: contentTypeOf(path) });
      bytes += size;
    });
  };
  return {
    add(path, content) {
      for (const _ of write(path, content));
    },
    async addLarge(path, content) {
      const steps = write(path, content);
      busy = true;
      for (const _ of steps) await chunks.room();
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
      const count = tar.end();
      const manifestText = Buffer.from(formatManifest(head, files));
      for (const _ of tar.writeLarge(manifestPath, manifestText)) await chunks.room();
      const all = await chunks.end();
      const ordered = [...all.slice(count), ...all.slice(0, count)];
      return {
        formatVersion: 1,
        artifact: { sha256: hash('sha256', manifestText), files: files.length, bytes },
        bundle: {
          sha256: await chunks.join(ordered, all.length - count),
          bytes: ordered.reduce((sum, chunk) => sum + chunk.bytes, bundleOverhead),
        },
        chunks: ordered,
        manifestChunks: all.length - count,
      };
    },
  };
}

const encoder = new TextEncoder();

/**
 * Lays files out as a tar stream and cuts it (`cut.ts`): after a group of files, before a file that does not fit into
 * the rest of a chunk, and around and inside a file that fits into none. The writers are generators that yield after
 * each chunk of a large file.
 */
function createTar(sink: ChunkSink, level: number) {
  let buffer = sink.buffer();
  let used = 0;
  /** Bytes of compressed files among them. */
  let packed = 0;
  /** Files of the group so far. */
  let files = 0;
  let chunks = 0;

  const cut = (length: number): void => {
    const whole = buffer;
    const rest = used - length;
    buffer = sink.buffer();
    buffer.set(whole.subarray(length, used));
    sink.put(whole, length, packed > length * MOSTLY ? 0 : level);
    packed = Math.min(rest, Math.max(0, packed - length));
    used = rest;
    chunks++;
  };
  /** Writes a content there; its size, or -1 if it does not fit into the chunk with its padding. */
  const fill = (content: Uint8Array | string, at: number): number => {
    const room = chunkSize - at;
    if (content.length > room) return -1;
    let size = content.length;
    if (typeof content === 'string') {
      const { read, written } = encoder.encodeInto(content, buffer.subarray(at));
      if (read < content.length) return -1;
      size = written;
    } else buffer.set(content, at);
    return size + paddingOf(size) > room ? -1 : size;
  };
  /** Writes a file into this chunk, or into the next one. */
  const place = (path: string, content: Uint8Array | string): Uint8Array | null => {
    const header = headerLength(path);
    let size = fill(content, used + header);
    if (size < 0 && used > 0) {
      cut(used);
      size = fill(content, header);
    }
    if (size < 0) return null;
    const at = used + header;
    buffer.set(fileHeader(path, size), used);
    used = at + size + paddingOf(size);
    buffer.fill(0, at + size, used);
    if (isCompressed(path)) packed += used - at;
    return buffer.subarray(at, at + size);
  };
  function* writeLarge(path: string, data: Uint8Array): Generator<void> {
    const isPacked = isCompressed(path);
    const parts = [fileHeader(path, data.length), data, Buffer.alloc(paddingOf(data.length))];
    for (const part of parts) {
      for (let from = 0; from < part.length; ) {
        const piece = part.subarray(from, from + chunkSize - used);
        buffer.set(piece, used);
        used += piece.length;
        from += piece.length;
        if (isPacked) packed = used;
        if (used < chunkSize) continue;
        cut(isPacked ? used : pieceLength(buffer));
        yield;
      }
    }
    while (used > 0) cut(isPacked ? used : pieceLength(buffer.subarray(0, used)));
    files = 0;
  }
  return {
    *write(
      path: string,
      content: Uint8Array | string,
      onFile: (sha256: string, size: number) => void,
    ): Generator<void> {
      const placed = place(path, content);
      const data = placed ?? (typeof content === 'string' ? Buffer.from(content) : content);
      onFile(hash('sha256', data), data.length);
      if (placed === null) yield* writeLarge(path, data);
      else if (endsGroup(path, ++files)) {
        files = 0;
        cut(used);
      }
    },
    writeLarge,
    /** Ends the archive; the number of its chunks. */
    end(): number {
      const end = 2 * blockSize;
      if (used + end > chunkSize) cut(used);
      buffer.fill(0, used, used + end);
      used += end;
      cut(used);
      return chunks;
    },
  };
}
