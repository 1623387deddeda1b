import { readdir, rm, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Encoding, encodings, type SiteFile } from '@offprint/bundle';
import type { Release } from '../releases/store.ts';
import { fillPack, type MissingFile } from './encoder.ts';
import { closePack, createPack, finishPack, openPack, type Pack, readPacked } from './pack.ts';

/**
 * The text files of a release in shorter content encodings, created once and kept on the volume beside the
 * release. Until a file is encoded, it is sent in another encoding or uncompressed.
 */
export interface EncodedFiles {
  /** Size of an encoded file; 0 while it does not exist, or if it would not be shorter. */
  length(file: SiteFile, encoding: Encoding): number;
  /** Open file and offset, for a stream. */
  place(file: SiteFile, encoding: Encoding): { fd: number; position: number };
  read(file: SiteFile, encoding: Encoding): Promise<Buffer>;
  progress(): EncodingProgress;
  /**
   * Creates missing files, one at a time and with rests. Files with the same content in another release are
   * copied. Returns when all exist, or when paused; throws if the volume is full.
   */
  encode(from: EncodedFiles | null): Promise<void>;
  /** Stops creating files; existing ones stay. */
  pause(): Promise<void>;
  /** Closes all files. Nothing may be read afterwards. */
  close(): Promise<void>;
  /** The existing files, for copies. */
  made: { files: readonly SiteFile[]; packs: ReadonlyMap<Encoding, Pack> };
}

export interface EncodingProgress {
  /** Text files, each counted once per encoding. */
  wanted: number;
  /** The finished ones: encoded, or found not to be shorter. */
  settled: number;
  /** Bytes stored. */
  bytes: number;
}

/** Missing files are being created. */
interface Run {
  stop: AbortController;
  done: Promise<void>;
}

const folderEnding = '.encoded';
/** Space on the volume that is left free for others. */
const spareBytes = 64 * 1024 * 1024;
/** Usual maximum size of an encoded site relative to its text. */
const usualShare = 0.35;

/** Opens the encoded files of a release; there may be none yet. */
export async function openEncodings(release: Release, files: readonly SiteFile[]): Promise<EncodedFiles> {
  const folder = release.folder + folderEnding;
  const texts = files.filter(({ isText }) => isText);
  const packs = new Map<Encoding, Pack>();
  for (const encoding of encodings) {
    const pack = await openPack(folder, encoding, { sha256: release.sha256, files: files.length });
    if (pack !== null) packs.set(encoding, pack);
  }
  let running: Run | null = null;

  const encodeAll = async (from: EncodedFiles | null, signal: AbortSignal): Promise<void> => {
    // the encoding that takes a second or two first, so that few readers get uncompressed bytes
    for (const encoding of encodings.toReversed()) {
      const known = packs.get(encoding);
      if (known?.temporary === null || signal.aborted) continue;
      await requireSpace(release.folder, texts);
      const pack = known ?? (await createPack(folder, encoding, files.length));
      packs.set(encoding, pack);
      const source = from?.made.packs.get(encoding) ?? null;
      const work = missingFiles(pack, texts, release.folder, source, from?.made.files ?? []);
      const isWhole = await fillPack(pack, work, source, signal);
      // another server on this volume may have renamed the pack that this one filled: then a complete one
      // exists
      if (isWhole) await finishPack(pack, release.sha256).catch(ignoreMissing);
    }
  };

  const lengthOf = (file: SiteFile, encoding: Encoding) =>
    Math.max(0, packs.get(encoding)?.lengths[file.index] ?? 0);
  const packOf = (encoding: Encoding): Pack => {
    const pack = packs.get(encoding);
    if (pack === undefined) throw new Error(`The file is not stored with the encoding ${encoding}.`);
    return pack;
  };
  const encoded: EncodedFiles = {
    made: { files, packs },
    length: lengthOf,
    place(file, encoding) {
      const { handle, positions } = packOf(encoding);
      return { fd: handle.fd, position: positions[file.index] ?? 0 };
    },
    read: (file, encoding) => readPacked(packOf(encoding), file.index),
    progress() {
      let [settled, bytes] = [0, 0];
      for (const { lengths, end } of packs.values()) {
        for (const { index } of texts) if (lengths[index] !== 0) settled++;
        bytes += end;
      }
      return { wanted: texts.length * encodings.length, settled, bytes };
    },
    encode(from) {
      if (running !== null) return running.done;
      const stop = new AbortController();
      const done = encodeAll(from, stop.signal).finally(() => {
        running = null;
      });
      running = { stop, done };
      return done;
    },
    async pause() {
      const run = running;
      run?.stop.abort();
      await run?.done.catch(() => {});
    },
    async close() {
      await encoded.pause();
      for (const pack of packs.values()) await closePack(pack);
      packs.clear();
    },
  };
  return encoded;
}

/** Removes the encoded files of releases that no longer exist. */
export async function sweepEncodings(releasesDir: string): Promise<void> {
  const names = new Set(await readdir(releasesDir).catch(() => []));
  for (const name of names) {
    if (name.endsWith(folderEnding) && !names.has(basename(name, folderEnding)))
      await rm(join(releasesDir, name), { recursive: true, force: true });
  }
}

/** What a pack does not contain yet: pages and their assets first, large files last. */
function missingFiles(
  pack: Pack,
  texts: readonly SiteFile[],
  folder: string,
  source: Pack | null,
  sourceFiles: readonly SiteFile[],
): MissingFile[] {
  const known = new Map(source === null ? [] : sourceFiles.map((file) => [file.sha256, file.index]));
  return texts
    .filter(({ index }) => pack.lengths[index] === 0)
    .sort((a, b) => rank(a) - rank(b))
    .map((file) => {
      const twin = known.get(file.sha256) ?? -1;
      const length = source?.lengths[twin] ?? 0;
      const copy = length === 0 ? null : { position: source?.positions[twin] ?? 0, length };
      return { index: file.index, folder, file, copy };
    });
}

function rank(file: SiteFile): number {
  if (file.size > 1024 * 1024) return 2;
  return /^text\/(?:html|css|javascript)/.test(file.contentType) ? 0 : 1;
}

async function requireSpace(folder: string, texts: readonly SiteFile[]): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = spareBytes + texts.reduce((sum, { size }) => sum + size, 0) * usualShare;
  if (needed <= bavail * bsize) return;
  const [asked, free] = [Math.ceil(needed / 1e6), Math.floor((bavail * bsize) / 1e6)];
  throw new Error(
    `The compressed files need about ${asked} MB on the volume; ${free} MB are free. Enlarge the volume.`,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
