import { createReadStream } from 'node:fs';
import { link, lstat, readdir, realpath, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  BundleError,
  type BundleLimits,
  type Encoding,
  type FolderWriter,
  type ManifestFile,
  readBundle,
  syncPath,
  writeFolder,
} from '@offprint/bundle';
import { makeFolder } from '@offprint/bundle/make-folder';
import { createLease } from '../releases/lease.ts';
import { formatTable, type KeepBlock, openTable, type Table, verifyTable } from './table.ts';
import { verifyContent } from './verified-file.ts';

export interface VolumeOptions {
  /** Sync files to disk. Default true. */
  durable?: boolean;
  /** Limits of the bundles that are unpacked. Default: those of the format. */
  limits?: Partial<BundleLimits>;
  /** How long a release is unused before it is removed, in milliseconds. Default one minute. */
  graceMs?: number;
  /** Responses from this release are still being sent: it stays. */
  isInUse?: (sha256: string) => boolean;
}

export interface InstallOptions {
  /** Digest of the bundle. */
  sha256: string;
  signal: AbortSignal;
  /** The release exists, and some of its files are damaged: verifies all of them and replaces those. */
  repair?: boolean;
}

/**
 * The releases of many sites on a volume. `releases/<digest of the bundle>/` contains the list of files and each file,
 * named by the digest of its content. `files/` contains the same files as hard links, and their compressed copies, so
 * that a file of several releases is stored once. A file in `files/` that no release links to is no longer needed.
 */
export interface Volume {
  /** Real path of the folder. */
  dir: string;
  /** A new, unique path for an unfinished file. */
  newPath(): string;
  /** Bytes free. */
  freeBytes(): Promise<number>;
  /** Folder of a release. */
  folderOf(sha256: string): string;
  /** Whether the release is present and its list of files intact. It stays until the next `sweep`. */
  has(sha256: string): Promise<boolean>;
  openTable(sha256: string, keep?: KeepBlock): Promise<Table>;
  /** Verifies a bundle and unpacks it. Throws a BundleError and leaves every other release alone. */
  install(bundle: string, options: InstallOptions): Promise<void>;
  /** Folder and name of the compressed copy of a file, which may not exist. */
  encodedFile(sha256: string, encoding: Encoding): { folder: string; name: string };
  /** Moves a finished compressed copy to its place. */
  addEncoded(sha256: string, encoding: Encoding, file: string): Promise<void>;
  dropEncoded(sha256: string, encoding: Encoding): Promise<void>;
  /**
   * Removes leftovers of ended processes, every release that is neither wanted nor in use by any process, and the files
   * that no release has any more.
   */
  sweep(wanted: Iterable<string>): Promise<void>;
  close(): Promise<void>;
}

const tableFile = 'table';
const releasePattern = /^[0-9a-f]{64}$/;
const encodedPattern = /^([0-9a-f]{64})\.(?:br|gzip)$/;
const usualGraceMs = 60_000;
/** Pause between two checks whether another process has removed a release. */
const removalPollMs = 20;
/** Files that are looked up or linked at a time. */
const filesAtATime = 16;

/** Opens a volume, creating it if missing. Throws file system errors. */
export async function openVolume(path: string, options: VolumeOptions = {}): Promise<Volume> {
  const { durable = true, graceMs = usualGraceMs } = options;
  await makeFolder(path);
  const dir = await realpath(path);
  const [releases, files] = [join(dir, 'releases'), join(dir, 'files')];
  await makeFolder(releases);
  await makeFolder(files);
  const lease = await createLease(dir);
  await lease.sweep();
  let wanted: ReadonlySet<string> = new Set();
  /** Releases that are being verified or installed. */
  const busy = new Map<string, number>();
  /** Time at which a release was first seen to be unused. */
  const unusedSince = new Map<string, number>();
  let hasChanged = true;

  let holding: Promise<void> = Promise.resolve();
  /** Names what this process needs, one call at a time. */
  const holdAll = (): Promise<void> => {
    holding = holding.catch(() => {}).then(() => lease.hold(new Set([...wanted, ...busy.keys()])));
    return holding;
  };

  const folderOf = (sha256: string) => join(releases, sha256);
  const shardOf = (sha256: string) => join(files, sha256.slice(0, 2));

  const hold = async <Result>(sha256: string, use: () => Promise<Result>): Promise<Result> => {
    busy.set(sha256, (busy.get(sha256) ?? 0) + 1);
    try {
      // a full disk must not keep a release from being served
      await holdAll().catch(() => {});
      // from now on, no process starts to remove it
      while ((await lease.removals()).has(sha256)) await delay(removalPollMs);
      return await use();
    } finally {
      const left = (busy.get(sha256) ?? 1) - 1;
      if (left === 0) busy.delete(sha256);
      else busy.set(sha256, left);
      // until the next sweep decides
      wanted = new Set([...wanted, sha256]);
    }
  };

  const isWanted = async (sha256: string): Promise<boolean> =>
    busy.has(sha256) || options.isInUse?.(sha256) === true || (await lease.held()).has(sha256);

  /** Moves a release away in one step, then removes it, unless a process has started to use it. */
  const remove = async (sha256: string): Promise<void> => {
    const aside = lease.newPath('.old');
    await lease.announceRemoval(sha256);
    try {
      if (await isWanted(sha256)) return;
      await rename(folderOf(sha256), aside);
    } finally {
      await lease.announceRemoval(null);
    }
    await rm(aside, { recursive: true, force: true });
    hasChanged = true;
  };

  const unpack = async (bundle: string, { sha256, signal }: InstallOptions): Promise<void> => {
    const fresh = lease.newPath('.new');
    try {
      const written = await writeFolder(fresh, { durable }, async (writer) => ({
        result: await unpackInto(writer, bundle, sha256, signal),
        root: '.',
      }));
      // on disk by now, so that no power failure leaves a damaged file for other releases
      await forEach(written, (name) => share(fresh, name));
      if (
        !(await succeeds(rename(fresh, folderOf(sha256)))) &&
        !(await verifyTable(folderOf(sha256), tableFile))
      )
        throw new Error(`${folderOf(sha256)} is in the way: it is not a complete release. Remove it.`);
      if (durable) await syncPath(releases);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  };

  /** Writes the files that no other release has. Returns their names. */
  const unpackInto = async (
    writer: FolderWriter,
    bundle: string,
    sha256: string,
    signal: AbortSignal,
  ): Promise<string[]> => {
    const present = new Set<string>();
    const written: string[] = [];
    const { manifest } = await readBundle(
      readFrom(bundle, signal),
      {
        async manifest({ files: all }) {
          const sizes = new Map(all.map((file) => [file.sha256, file.size]));
          await forEach([...sizes], async ([name, size]) => {
            const file = join(shardOf(name), name);
            const there = await lstat(file).catch(() => null);
            if (there?.isFile() === true && there.size === size && (await writer.link(file, name)))
              present.add(name);
          });
          await checkSpace([...sizes].filter(([name]) => !present.has(name)));
        },
        async file(file, content) {
          if (present.has(file.sha256)) return drain(content);
          await writer.write(file.sha256, content);
          present.add(file.sha256);
          written.push(file.sha256);
        },
      },
      { sha256, ...(options.limits === undefined ? {} : { limits: options.limits }) },
    );
    await writer.write(tableFile, await formatTable(manifest));
    return written;
  };

  const checkSpace = async (missing: readonly (readonly [string, number])[]): Promise<void> => {
    const { bavail, bsize } = await statfs(dir);
    const needed = missing.reduce((sum, [, size]) => sum + Math.ceil(size / bsize) * bsize, 0);
    if (needed <= bavail * bsize) return;
    throw new BundleError(
      'no_space',
      `The bundle needs ${needed} bytes in ${dir}, where ${bavail * bsize} bytes are free. Free some space.`,
    );
  };

  /** Makes a file available to other releases. Without hard links, each release has its own files. */
  const share = async (folder: string, name: string): Promise<void> => {
    const target = join(shardOf(name), name);
    if (await succeeds(link(join(folder, name), target))) return;
    await makeFolder(shardOf(name));
    await link(join(folder, name), target).catch(() => {});
  };

  const repair = async (bundle: string, { sha256, signal }: InstallOptions): Promise<void> => {
    const folder = folderOf(sha256);
    const checked = new Set<string>();
    const replace = async (
      file: Pick<ManifestFile, 'sha256'>,
      name: string,
      content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    ): Promise<void> => {
      const fresh = lease.newPath('.file');
      try {
        await writeFolder(fresh, { durable }, async (writer) => ({
          result: await writer.write(name, content),
          root: '.',
        }));
        // the damaged file is the one of other releases too
        await rm(join(shardOf(file.sha256), file.sha256), { force: true });
        await rename(join(fresh, name), join(folder, name));
      } finally {
        await rm(fresh, { recursive: true, force: true });
      }
      if (name !== tableFile) await share(folder, name);
    };
    const { manifest } = await readBundle(
      readFrom(bundle, signal),
      {
        manifest: async () => {},
        async file(file, content) {
          const isIntact = checked.has(file.sha256) || (await verifyContent(folder, file.sha256, file));
          checked.add(file.sha256);
          await (isIntact ? drain(content) : replace(file, file.sha256, content));
        },
      },
      { sha256, ...(options.limits === undefined ? {} : { limits: options.limits }) },
    );
    if (!(await verifyTable(folder, tableFile)))
      await replace({ sha256 }, tableFile, await formatTable(manifest));
    if (durable) await syncPath(folder);
  };

  const sweepFiles = async (): Promise<void> => {
    for (const shard of await readdir(files)) {
      const folder = join(files, shard);
      const names = new Set(await readdir(folder).catch(() => []));
      const removed = new Set<string>();
      await forEach([...names], async (name) => {
        if (!releasePattern.test(name)) return;
        // a process that links to it now keeps its content; only the name here is removed
        const there = await stat(join(folder, name)).catch(() => null);
        if (there === null || there.nlink > 1) return;
        await rm(join(folder, name), { force: true });
        removed.add(name);
      });
      for (const name of names) {
        const [, content = null] = encodedPattern.exec(name) ?? [];
        if (content !== null && (removed.has(content) || !names.has(content)))
          await rm(join(folder, name), { force: true });
      }
    }
  };

  return {
    dir,
    newPath: () => lease.newPath('.part'),
    async freeBytes() {
      const { bavail, bsize } = await statfs(dir);
      return bavail * bsize;
    },
    folderOf,
    has: (sha256) => hold(sha256, () => verifyTable(folderOf(sha256), tableFile)),
    openTable: (sha256, keep) => openTable(folderOf(sha256), tableFile, keep),
    install: (bundle, install) =>
      hold(install.sha256, async () => {
        const isThere = (await lstat(folderOf(install.sha256)).catch(() => null))?.isDirectory() === true;
        if (!isThere) await unpack(bundle, install);
        else if (install.repair === true || !(await verifyTable(folderOf(install.sha256), tableFile)))
          await repair(bundle, install);
      }),
    encodedFile: (sha256, encoding) => ({ folder: shardOf(sha256), name: `${sha256}.${encoding}` }),
    async addEncoded(sha256, encoding, file) {
      await makeFolder(shardOf(sha256));
      await rename(file, join(shardOf(sha256), `${sha256}.${encoding}`));
    },
    dropEncoded: (sha256, encoding) => rm(join(shardOf(sha256), `${sha256}.${encoding}`), { force: true }),
    async sweep(needed) {
      await lease.sweep();
      wanted = new Set(needed);
      await holdAll();
      const held = await lease.held();
      const now = Date.now();
      const names = new Set(await readdir(releases));
      for (const known of unusedSince.keys()) if (!names.has(known)) unusedSince.delete(known);
      for (const name of names) {
        if (!releasePattern.test(name)) continue;
        if (held.has(name) || options.isInUse?.(name) === true) {
          unusedSince.delete(name);
          continue;
        }
        const since = unusedSince.get(name) ?? now;
        unusedSince.set(name, since);
        if (now - since >= graceMs) await remove(name).catch(ignoreMissing);
      }
      if (hasChanged) await sweepFiles();
      hasChanged = false;
    },
    close: () => lease.close(),
  };
}

async function* readFrom(file: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const pieces: AsyncIterable<Buffer> = createReadStream(file);
  for await (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
  }
}

async function drain(content: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of content);
}

async function forEach<Item>(items: readonly Item[], use: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: filesAtATime }, async () => {
      for (const item of rest) await use(item);
    }),
  );
}

function succeeds(done: Promise<unknown>): Promise<boolean> {
  return done.then(
    () => true,
    () => false,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
