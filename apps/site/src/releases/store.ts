import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type FileHandle,
  lstat,
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
  type ArtifactIndex,
  type BundleLimits,
  type Manifest,
  manifestPath,
  parseManifestInTurns,
  syncPath,
  unpackBundle,
} from '@offprint/bundle';
import { makeFolder } from '@offprint/bundle/make-folder';
import { dropBundle, type KeptBundle, keepBundle, openKeptBundle } from './kept-bundle.ts';
import { createLease } from './lease.ts';
import { openFile } from './open-file.ts';
import { type Pointer, type PointerEntry, readPointer, writePointer } from './pointer.ts';

/** A bundle unpacked to a folder, every file verified when it was written. */
export interface Release {
  /** SHA-256 of the bundle: the name of the folder. */
  sha256: string;
  folder: string;
  manifest: Manifest;
  /** Digest of `offprint.json`. */
  manifestSha256: string;
}

export interface StoreOptions {
  /** Sync files to disk. Default true; false suits a temporary folder. */
  durable?: boolean;
  /** What is verified of a release found on disk. Default: the digests of all files. */
  verify?: 'digests' | 'sizes';
  /** Responses from this release are still being sent: it stays. */
  isInUse?: (sha256: string) => boolean;
  /** Limits of the bundles that are unpacked. Default: those of the format. */
  limits?: Partial<BundleLimits>;
}

export interface InstallOptions {
  /** Known digest of the bundle. Default: it is computed first. */
  sha256?: string;
  /** Receives the manifest before any file is written; if it throws, the bundle is refused. */
  accept?: (manifest: Manifest) => void;
  onProgress?: (done: { step: 'verifying' | 'unpacking'; bytes: number; total: number }) => void;
  signal?: AbortSignal;
}

/** The releases on a volume: `<dir>/<sha256>/`, and the file `current` that points at one. */
export interface Store {
  pointer(): Promise<Pointer | null>;
  /** Path to which a bundle may be written before it is installed. */
  newPath(): string;
  /** Bytes free on the volume. */
  freeBytes(): Promise<number>;
  /** A release that is present and intact, else null. It stays until it is neither pointed at nor in use. */
  open(sha256: string, manifestSha256?: string): Promise<Release | null>;
  /**
   * Verifies a bundle and unpacks it, or reuses the release that already exists. Throws a BundleError and
   * leaves every other release alone.
   */
  install(bundle: string, options?: InstallOptions): Promise<Release>;
  /** Moves the bundle of an installed release to where the next download finds it, if there is enough space. */
  keepBundle(file: string, release: Release, index: ArtifactIndex): Promise<void>;
  /** The bundle that is kept; null without one. */
  openKeptBundle(): Promise<KeptBundle | null>;
  dropBundle(): Promise<void>;
  /** Writes a pointer, and returns the function that activates it. */
  preparePointer(pointer: Pointer): Promise<() => Promise<void>>;
  /** Removes leftovers of ended processes, and every release that is not pointed at, leased or in use. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const releasePattern = /^[0-9a-f]{64}$/;
const readsAtATime = 8;

/** Opens a folder of releases, creating it if missing, and cleans it up. Throws file system errors. */
export async function openStore(volume: string, options: StoreOptions = {}): Promise<Store> {
  const durable = options.durable !== false;
  await makeFolder(volume);
  const dir = await realpath(volume);
  const lease = await createLease(dir);
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

  /** Moves a folder away in one step, then removes it. */
  const remove = async (sha256: string, isWanted: () => Promise<boolean>): Promise<void> => {
    const folder = join(dir, sha256);
    const aside = lease.newPath('.old');
    if (!(await rename(folder, aside).then(done, missing))) return;
    // another process may have started to use it in the meantime
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
    // a damaged release is in the way
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
    if (theirs === null) throw new Error(`${folder} is in the way: it is not a complete release. Remove it.`);
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
    async keepBundle(file, { manifest }, index) {
      // it must not take the space of the next release
      const next = manifest.files.reduce((sum, { size }) => sum + size, 2 * index.bundle.bytes);
      if ((await store.freeBytes()) < next) await dropBundle(dir);
      else await keepBundle(dir, file, index);
    },
    openKeptBundle: () => openKeptBundle(dir),
    dropBundle: () => dropBundle(dir),
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

/** The entry of a release in the pointer, with the current time. */
export function pointerEntry({ sha256, manifest, manifestSha256 }: Release): PointerEntry {
  return { sha256, version: manifest.version, manifestSha256, activatedAt: new Date().toISOString() };
}

/**
 * A release on disk, by its real path; null if it is missing, or if a file does not match the manifest or is
 * reached through a link.
 */
export async function openRelease(
  place: string,
  sha256: string,
  verify: 'digests' | 'sizes',
  manifestSha256?: string,
): Promise<Release | null> {
  try {
    // the path of the volume may contain links of its operator; below it, none are allowed
    const folder = join(await realpath(dirname(place)), basename(place));
    const text = await read(folder, manifestPath, (handle) => handle.readFile());
    const digest = hash('sha256', text);
    if (manifestSha256 !== undefined && manifestSha256 !== digest) return null;
    const manifest = await parseManifestInTurns(text.toString());
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

/** Whether every folder of a release is a real folder, not a link to another place. */
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

/** False for a folder that does not exist; throws other errors. */
function missing(error: NodeJS.ErrnoException): boolean {
  if (error.code === 'ENOENT') return false;
  throw error;
}

/** False for a name that already exists; throws other errors. */
function taken(error: NodeJS.ErrnoException): boolean {
  if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
  throw error;
}
