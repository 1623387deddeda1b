import type { FileHandle } from 'node:fs/promises';
import { openFile } from '../releases/open-file.ts';
import type { SiteFile } from './files.ts';

/** Bytes up to which a file is held whole; longer ones go through a stream. */
export const wholeBytes = 64 * 1024;

/** Bytes that a stream reads ahead of its reader. */
export const streamBytes = 16 * 1024;

/** Memory for files that were read. A site of 1,000 pages fits in, compressed. */
const cacheBytes = 8 * 1024 * 1024;
/** What an entry takes beside its bytes. */
const entryBytes = 1024;

/** A file in a coding, ready to be sent. */
export interface Piece {
  /** Names and values in turn. */
  headers: string[];
  body: Buffer;
}

/** Files read lately; those not asked for longest go first. */
export interface PieceCache {
  get(key: number): Piece | undefined;
  /** What `load` gives, kept from then on. Calls at the same time share one. */
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
      // a Map keeps the order of insertion: what was asked for last stands last
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
    if (bytesRead !== file.size) throw new Error('A file of the release is shorter than it should be.');
    return body;
  } finally {
    await handle.close();
  }
}

/** Opens a file of a release for reading. Throws when it is not the one that the release had. */
export function openContent(folder: string, file: SiteFile): Promise<FileHandle> {
  return openFile(folder, file.path, file.size);
}
