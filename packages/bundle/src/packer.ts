import { createHash, hash } from 'node:crypto';
import { type ArtifactIndex, type ChunkStore, memoryChunks } from './artifact.ts';
import type { ChunkSink, EarlierChunks } from './chunk-sink.ts';
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
  /** With a store: chunks that were made from the same files are copied from here. */
  earlier?: EarlierChunks | null;
  /** Deflate level, 1 to 9; default 4. */
  level?: number;
}

/** Content of a file that an earlier bundle contains. */
export interface StoredFile {
  sha256: string;
  /** Bytes. */
  size: number;
  read(): Uint8Array;
  /** The same piece by piece. */
  pieces(): Iterable<Uint8Array>;
}

export type FileContent = Uint8Array | string | StoredFile;

/** Content of a large file that is made piece by piece. */
export interface PiecedFile {
  /** Bytes. */
  size: number;
  pieces(): Iterable<Uint8Array>;
}

/** What a packer knows of a file that was added. */
export type AddedFile = Pick<ManifestFile, 'sha256' | 'size'>;

export interface Packer {
  /**
   * Adds the next file. Files are in the order of the calls. Throws a BundleError if the path is unsafe or
   * collides with an earlier one; the packer can continue without that file.
   */
  add(path: string, content: FileContent): AddedFile;
  /**
   * Like `add`, for a file of many chunks: lets the event loop run and waits for the thread pool instead of
   * compressing in place. Add the next file after it resolves; an earlier call throws a TypeError.
   */
  addLarge(path: string, content: FileContent | PiecedFile): Promise<AddedFile>;
  /** SHA-256 of the paths and contents of the files so far, in hexadecimal. */
  contentDigest(): string;
  /** Finishes the bundle. Rejects with the first error of the store, if any. */
  finish(head: ManifestHead): Promise<ArtifactIndex>;
  /** What each chunk of the finished bundle was made from, in its order: equal keys mean equal bytes. */
  chunkKeys(): readonly string[];
}

/** Packs files into the chunks of a bundle. The same files in the same order give the same bytes. */
export function createPacker({ store, sink, earlier = null, level = 4 }: PackerOptions): Packer {
  const chunks = sink ?? storeSink(store ?? memoryChunks(), earlier);
  const guard = createPathGuard();
  guard(manifestPath);
  const files: ManifestFile[] = [];
  const tar = createTar(chunks, level);
  let bytes = 0;
  let finished = false;
  let busy = false;
  let keys: readonly string[] = [];
  const write = (path: string, content: FileContent | PiecedFile): Generator<void, AddedFile> => {
    if (finished) throw new TypeError('The bundle is already finished.');
    if (busy) throw new TypeError('A large file is being added.');
    guard(path);
    return tar.write(path, content, ({ sha256, size }) => {
      files.push({ path, sha256, size, contentType: contentTypeOf(path) });
      bytes += size;
    });
  };
  return {
    add(path, content) {
      const steps = write(path, content);
      while (true) {
        const { done, value } = steps.next();
        if (done) return value;
      }
    },
    async addLarge(path, content) {
      const steps = write(path, content);
      busy = true;
      while (true) {
        const { done, value } = steps.next();
        if (done) {
          busy = false;
          return value;
        }
        await chunks.room();
      }
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
      const manifest = { size: manifestText.length, pieces: () => [manifestText] };
      for (const _ of tar.writeLarge(manifestPath, manifest)) await chunks.room();
      const all = await chunks.end();
      const ordered = [...all.slice(count), ...all.slice(0, count)];
      keys = [...tar.keys.slice(count), ...tar.keys.slice(0, count)];
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
    chunkKeys: () => keys,
  };
}

/** Whether a file of that size can be in one chunk. */
const fits = (path: string, size: number): boolean =>
  headerLength(path) + size + paddingOf(size) <= chunkSize;

const joined = ({ pieces }: PiecedFile): Uint8Array => Buffer.concat([...pieces()]);

const encoder = new TextEncoder();

const isStored = (content: FileContent): content is StoredFile =>
  typeof content !== 'string' && !(content instanceof Uint8Array);

const isPieced = (content: FileContent | PiecedFile): content is PiecedFile =>
  typeof content !== 'string' && !(content instanceof Uint8Array) && !('sha256' in content);

function piecesOf(content: FileContent): PiecedFile {
  if (isStored(content)) return content;
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { size: bytes.length, pieces: () => [bytes] };
}

/**
 * Lays files out as a tar stream and cuts it (`cut.ts`): after a group of files, before a file that does not fit into
 * the rest of a chunk, and around and inside a file that fits into none. The writers are generators that yield after
 * each chunk of a large file. A stored file is read only if the sink does not have its chunk.
 */
function createTar(sink: ChunkSink, level: number) {
  let buffer = sink.buffer();
  let used = 0;
  /** Bytes of compressed files among them. */
  let packed = 0;
  /** Files of the group so far. */
  let files = 0;
  /** The files of the chunk so far, a line each. */
  let names = '';
  /** Those that are not in the buffer yet. */
  let held: { at: number; path: string; file: StoredFile }[] = [];
  const keys: string[] = [];

  const cut = (length: number, key: string): void => {
    const rest = used - length;
    const stored = packed > length * MOSTLY ? 0 : level;
    keys.push(key);
    if (sink.reuse?.(key)) buffer.copyWithin(0, length, used);
    else {
      for (const { at, path, file } of held) lay(path, file.read(), at);
      const whole = buffer;
      buffer = sink.buffer();
      buffer.set(whole.subarray(length, used));
      sink.put(whole, length, stored);
    }
    held = [];
    names = '';
    packed = Math.min(rest, Math.max(0, packed - length));
    used = rest;
  };
  const cutFiles = (): void => cut(used, hash('sha256', names));
  /** Writes a file of known bytes there. */
  const lay = (path: string, content: Uint8Array, at: number): void => {
    const header = fileHeader(path, content.length);
    const start = at + header.length;
    const end = start + content.length;
    buffer.set(header, at);
    buffer.set(content, start);
    buffer.fill(0, end, end + paddingOf(content.length));
  };
  /** Writes a content there, that of a stored file later; its size, or -1 if it does not fit with its padding. */
  const fill = (content: FileContent, at: number): number => {
    const room = chunkSize - at;
    if (isStored(content)) return content.size + paddingOf(content.size) > room ? -1 : content.size;
    if (content.length > room) return -1;
    let size = content.length;
    if (typeof content === 'string') {
      const { read, written } = encoder.encodeInto(content, buffer.subarray(at));
      if (read < content.length) return -1;
      size = written;
    } else buffer.set(content, at);
    return size + paddingOf(size) > room ? -1 : size;
  };
  /** Writes a file into this chunk, or into the next one; null if it fits into none. */
  const place = (path: string, content: FileContent): AddedFile | null => {
    const header = headerLength(path);
    let size = fill(content, used + header);
    if (size < 0 && used > 0) {
      cutFiles();
      size = fill(content, header);
    }
    if (size < 0) return null;
    const at = used + header;
    if (isStored(content)) held.push({ at: used, path, file: content });
    else {
      buffer.set(fileHeader(path, size), used);
      buffer.fill(0, at + size, at + size + paddingOf(size));
    }
    const sha256 = isStored(content) ? content.sha256 : hash('sha256', buffer.subarray(at, at + size));
    used = at + size + paddingOf(size);
    if (isCompressed(path)) packed += used - at;
    names += `${sha256} ${size} ${path}\n`;
    return { sha256, size };
  };
  const cutPiece = (length: number): void => {
    // only a sink that has chunks needs the key of a piece
    cut(length, sink.reuse === undefined ? '' : `piece-${hash('sha256', buffer.subarray(0, length))}`);
  };
  function* writeLarge(path: string, { size, pieces }: PiecedFile): Generator<void, AddedFile> {
    const isPacked = isCompressed(path);
    const digest = createHash('sha256');
    function* all(): Generator<Uint8Array> {
      yield fileHeader(path, size);
      for (const piece of pieces()) {
        digest.update(piece);
        yield piece;
      }
      yield Buffer.alloc(paddingOf(size));
    }
    for (const part of all()) {
      for (let from = 0; from < part.length; ) {
        const piece = part.subarray(from, from + chunkSize - used);
        buffer.set(piece, used);
        used += piece.length;
        from += piece.length;
        if (isPacked) packed = used;
        if (used < chunkSize) continue;
        cutPiece(isPacked ? used : pieceLength(buffer));
        yield;
      }
    }
    while (used > 0) cutPiece(isPacked ? used : pieceLength(buffer.subarray(0, used)));
    files = 0;
    return { sha256: digest.digest('hex'), size };
  }
  return {
    *write(
      path: string,
      written: FileContent | PiecedFile,
      onFile: (file: AddedFile) => void,
    ): Generator<void, AddedFile> {
      const content = isPieced(written) && fits(path, written.size) ? joined(written) : written;
      const placed = isPieced(content) ? null : place(path, content);
      if (placed === null) {
        // what does not fit into the rest of the chunk starts another one
        if (used > 0) cutFiles();
        const file = yield* writeLarge(path, isPieced(content) ? content : piecesOf(content));
        onFile(file);
        return file;
      }
      onFile(placed);
      if (endsGroup(path, ++files)) {
        files = 0;
        cutFiles();
      }
      return placed;
    },
    writeLarge,
    /** Ends the archive; the number of its chunks. */
    end(): number {
      const end = 2 * blockSize;
      if (used + end > chunkSize) cutFiles();
      buffer.fill(0, used, used + end);
      used += end;
      names += 'end';
      cutFiles();
      return keys.length;
    },
    /** What each chunk was made from. */
    keys,
  };
}
