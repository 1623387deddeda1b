import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  statfs,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  type BundleLimits,
  type Manifest,
  manifestPath,
  parseManifest,
  syncPath,
  unpackBundle,
} from '@offprint/bundle';
import { takeLease } from './lease.ts';
import { openFile } from './open-file.ts';
import { type Pointer, type PointerEntry, readPointer, writePointer } from './pointer.ts';

/** A bundle unpacked to a folder, every file of it verified when it was written. */
export interface Release {
  /** SHA-256 of the bundle: the name of the folder. */
  sha256: string;
  folder: string;
  manifest: Manifest;
  /** Digest of `offprint.json`. */
  manifestSha256: string;
}

export interface StoreOptions {
  /** Sync what is written to disk. Default true; false suits a folder that is thrown away. */
  durable?: boolean;
  /** What of a release found on disk is checked. Default: the digests of all files. */
  verify?: 'digests' | 'sizes';
  /** Requests of this release are still being answered: it stays. */
  isInUse?: (sha256: string) => boolean;
  /** Of the bundles that are unpacked. Default: those of the format. */
  limits?: Partial<BundleLimits>;
}

export interface InstallOptions {
  /** Digest of the bundle, known to be right. Default: it is read first. */
  sha256?: string;
  /** Is given the manifest before any file is written; what it throws refuses the bundle. */
  accept?: (manifest: Manifest) => void;
  onProgress?: (done: { step: 'verifying' | 'unpacking'; bytes: number; total: number }) => void;
  signal?: AbortSignal;
}

/** The releases on a volume: `<dir>/<sha256>/`, and the file `current` that points at one. */
export interface Store {
  pointer(): Promise<Pointer | null>;
  /** Path at which a bundle may be written before it is installed. */
  newPath(): string;
  /** Bytes free on the volume. */
  freeBytes(): Promise<number>;
  /** A release that is there and whole, else null. It stays until it is neither pointed at nor in use. */
  open(sha256: string, manifestSha256?: string): Promise<Release | null>;
  /**
   * Verifies a bundle and unpacks it, or takes the release that is there already. Throws a BundleError and
   * leaves every other release alone.
   */
  install(bundle: string, options?: InstallOptions): Promise<Release>;
  /** Writes a pointer, and gives the function that makes it count. */
  preparePointer(pointer: Pointer): Promise<() => Promise<void>>;
  /** Removes what ended processes left, and every release that nobody points at, holds or reads from. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const releasePattern = /^[0-9a-f]{64}$/;
const readsAtATime = 8;

/** Opens a folder of releases, which is made when missing, and sweeps it. Throws errors of the file system. */
export async function openStore(volume: string, options: StoreOptions = {}): Promise<Store> {
  const durable = options.durable !== false;
  await mkdir(volume, { recursive: true });
  const dir = await realpath(volume);
  const lease = await takeLease(dir);
  /** Releases that this process opened and may still serve or read. */
  const held = new Set<string>();
  /** Releases that are being opened or installed. */
  const busy = new Map<string, number>();

  const hold = async <Result>(sha256: string, use: () => Promise<Result | null>): Promise<Result | null> => {
    busy.set(sha256, (busy.get(sha256) ?? 0) + 1);
    try {
      if (!held.has(sha256)) {
        held.add(sha256);
        // a full disk must not keep a release from being served
        await lease.hold(held).catch(() => {});
      }
      return await use();
    } finally {
      busy.set(sha256, (busy.get(sha256) ?? 1) - 1);
      if (busy.get(sha256) === 0) busy.delete(sha256);
    }
  };

  /** Takes a folder away in one step, then removes it. */
  const remove = async (sha256: string, isWanted: () => Promise<boolean>): Promise<void> => {
    const folder = join(dir, sha256);
    const aside = lease.newPath('.old');
    if (!(await rename(folder, aside).then(done, missing))) return;
    // another process may have begun to hold it in the meantime
    if ((await isWanted()) && (await rename(aside, folder).then(done, () => false))) return;
    await rm(aside, { recursive: true, force: true });
  };

  const sweepReleases = async (): Promise<void> => {
    const pointer = await readPointer(dir);
    for (const sha256 of held) {
      const isPointedAt = pointer?.current.sha256 === sha256 || pointer?.previous?.sha256 === sha256;
      if (!isPointedAt && !busy.has(sha256) && options.isInUse?.(sha256) !== true) held.delete(sha256);
    }
    await lease.hold(held);
    const isWanted = async (sha256: string): Promise<boolean> => {
      const now = await readPointer(dir);
      if (now?.current.sha256 === sha256 || now?.previous?.sha256 === sha256) return true;
      return (await lease.held()).has(sha256);
    };
    for (const name of await readdir(dir)) {
      if (!releasePattern.test(name) || (await isWanted(name))) continue;
      await remove(name, () => isWanted(name));
    }
  };

  const openHeld = (sha256: string, manifestSha256?: string): Promise<Release | null> =>
    hold(sha256, () => openRelease(join(dir, sha256), sha256, options.verify ?? 'digests', manifestSha256));

  const unpack = async (bundle: string, sha256: string, install: InstallOptions): Promise<Release> => {
    // a damaged one stands in the way
    await remove(sha256, async () => false);
    const folder = join(dir, sha256);
    const fresh = lease.newPath('.new');
    const total = (await stat(bundle)).size;
    const source = readFrom(bundle, install.signal, (bytes) =>
      install.onProgress?.({ step: 'unpacking', bytes, total }),
    );
    try {
      const { manifest } = await unpackBundle(source, fresh, {
        sha256,
        durable,
        ...(options.limits === undefined ? {} : { limits: options.limits }),
        ...(install.accept === undefined ? {} : { accept: install.accept }),
      });
      const manifestSha256 = hash('sha256', await readFile(join(fresh, manifestPath)));
      const won = await rename(fresh, folder).then(done, taken);
      if (won) {
        if (durable) await syncPath(dir);
        return { sha256, folder, manifest, manifestSha256 };
      }
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
    // another process was faster
    const theirs = await openRelease(folder, sha256, options.verify ?? 'digests');
    if (theirs === null) throw new Error(`${folder} is in the way and is no whole release.`);
    return theirs;
  };

  const store: Store = {
    pointer: () => readPointer(dir),
    newPath: () => lease.newPath('.part'),
    async freeBytes() {
      const { bavail, bsize } = await statfs(dir);
      return bavail * bsize;
    },
    open: openHeld,
    async install(bundle, install = {}) {
      const sha256 = install.sha256 ?? (await digestOf(bundle, install));
      const release = await hold(sha256, async () => {
        const there = await openHeld(sha256);
        if (there === null) return unpack(bundle, sha256, install);
        install.accept?.(there.manifest);
        return there;
      });
      return release as Release;
    },
    preparePointer: (pointer) => writePointer(dir, lease.pointerPath, pointer),
    async sweep() {
      await lease.sweep();
      await sweepReleases();
    },
    close: () => lease.close(),
  };
  await lease.sweep();
  return store;
}

/** The entry of a release in the pointer, from now on. */
export function pointerEntry({ sha256, manifest, manifestSha256 }: Release): PointerEntry {
  return { sha256, version: manifest.version, manifestSha256, activatedAt: new Date().toISOString() };
}

/**
 * A release on disk, by its real path; null when it is missing, or a file is not what the manifest says, or behind a
 * link.
 */
export async function openRelease(
  place: string,
  sha256: string,
  verify: 'digests' | 'sizes',
  manifestSha256?: string,
): Promise<Release | null> {
  try {
    // where the volume is may be a link of its operator's; below it, nothing is
    const folder = join(await realpath(dirname(place)), basename(place));
    const text = await read(folder, manifestPath, (handle) => handle.readFile());
    const digest = hash('sha256', text);
    if (manifestSha256 !== undefined && manifestSha256 !== digest) return null;
    const manifest = parseManifest(text.toString());
    const rest = manifest.files.values();
    let isWhole = await hasPlainFolders(folder, manifest);
    const check = async (): Promise<void> => {
      for (const file of rest) {
        const path = join(folder, file.path);
        const there = await lstat(path);
        if (!there.isFile() || there.size !== file.size) isWhole = false;
        else if (verify === 'digests' && (await read(folder, file.path, digestOfOpen)) !== file.sha256)
          isWhole = false;
        if (!isWhole) return;
      }
    };
    await Promise.all(Array.from({ length: readsAtATime }, check));
    return isWhole ? { sha256, folder, manifest, manifestSha256: digest } : null;
  } catch {
    return null;
  }
}

async function read<Result>(
  folder: string,
  path: string,
  use: (handle: FileHandle) => Promise<Result>,
): Promise<Result> {
  const handle = await openFile(folder, path);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

async function digestOfOpen(handle: FileHandle): Promise<string> {
  const digest = createHash('sha256');
  for await (const piece of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>)
    digest.update(piece);
  return digest.digest('hex');
}

/** Whether every folder of a release is one, and no link to another place. */
async function hasPlainFolders(folder: string, { files }: Manifest): Promise<boolean> {
  const names = new Set(['.']);
  for (const { path } of files) {
    for (let name = dirname(path); !names.has(name); name = dirname(name)) names.add(name);
  }
  for (const name of names) if (!(await lstat(join(folder, name))).isDirectory()) return false;
  return true;
}

async function digestOf(file: string, install: InstallOptions = {}): Promise<string> {
  const total = install.onProgress === undefined ? 0 : (await stat(file)).size;
  const digest = createHash('sha256');
  const report = (bytes: number) => install.onProgress?.({ step: 'verifying', bytes, total });
  for await (const piece of readFrom(file, install.signal, report)) digest.update(piece);
  return digest.digest('hex');
}

async function* readFrom(
  file: string,
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    signal?.throwIfAborted();
    bytes += piece.length;
    onBytes(bytes);
    yield piece;
  }
}

const done = (): boolean => true;

/** False for a folder that is not there; throws other errors. */
function missing(error: NodeJS.ErrnoException): boolean {
  if (error.code === 'ENOENT') return false;
  throw error;
}

/** False for a name that is taken; throws other errors. */
function taken(error: NodeJS.ErrnoException): boolean {
  if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
  throw error;
}
