import type { FileHandle } from 'node:fs/promises';
import type { SiteFile } from '@offprint/bundle';
import { openFile } from '../releases/open-file.ts';

/** Maximum size of a file that is held in memory; larger files are streamed. */
export const maxCachedFileBytes = 64 * 1024;

/** Read-ahead of a stream, in bytes. */
export const streamBytes = 16 * 1024;

/** Memory for cached files. A compressed site of 1,000 pages fits in. */
const cacheBytes = 8 * 1024 * 1024;
/** Overhead of a cache entry, in bytes. */
const entryBytes = 1024;

/** A file in a content encoding, ready to be sent. */
export interface Piece {
  /** Alternating names and values. */
  headers: string[];
  body: Buffer;
}

/** Recently read files; the least recently used ones are removed first. */
export interface PieceCache {
  get(key: number): Piece | undefined;
  /** The result of `load`, cached from then on. Concurrent callers share one call. */
  load(key: number, load: () => Promise<Piece>): Promise<Piece>;
  clear(): void;
}

export function createPieceCache(maxBytes = cacheBytes): PieceCache {
  const pieces = new Map<number, Piece>();
  const loading = new Map<number, Promise<Piece>>();
  let held = 0;
  const weigh = ({ body }: Piece) => body.length + entryBytes;
  const keep = (key: number, piece: Piece) => {
    const before = pieces.get(key);
    if (before !== undefined) held -= weigh(before);
    pieces.set(key, piece);
    held += weigh(piece);
    for (const [oldest, other] of pieces) {
      if (held <= maxBytes) break;
      pieces.delete(oldest);
      held -= weigh(other);
    }
  };
  return {
    get(key) {
      const piece = pieces.get(key);
      if (piece === undefined) return undefined;
      // a Map keeps the insertion order: the most recently used entry is the last one
      pieces.delete(key);
      pieces.set(key, piece);
      return piece;
    },
    load(key, load) {
      const known = loading.get(key);
      if (known !== undefined) return known;
      const piece = load()
        .then((loaded) => {
          keep(key, loaded);
          return loaded;
        })
        .finally(() => loading.delete(key));
      loading.set(key, piece);
      return piece;
    },
    clear() {
      pieces.clear();
      held = 0;
    },
  };
}

/** The bytes of a file. */
export async function readContent(folder: string, file: SiteFile): Promise<Buffer> {
  const handle = await openContent(folder, file);
  try {
    const body = Buffer.allocUnsafeSlow(file.size);
    const { bytesRead } = await handle.read(body, 0, file.size, 0);
    if (bytesRead !== file.size) throw new Error('A file of the release is shorter than expected.');
    return body;
  } finally {
    await handle.close();
  }
}

/** Opens a file of a release for reading. Throws if it is not the file that the release had. */
export function openContent(folder: string, file: SiteFile): Promise<FileHandle> {
  return openFile(folder, file.path, file.size);
}
