import { createHash, randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * The lease of one process on a folder of releases: a folder of its own inside it, for downloads and
 * unpacking, with a list of the releases it needs. All unfinished files are in such folders, so that
 * leftovers of a killed process can be distinguished from the work of a running one, also if several
 * processes share a volume.
 */
export interface Lease {
  /** A new, unique path in the folder of this process. */
  newPath(extension: string): string;
  /** Path of the file to which the next pointer is written. */
  pointerPath: string;
  /** Names the releases that no other process may remove. */
  hold(releases: Iterable<string>): Promise<void>;
  /** The releases in use by running processes, including this one. */
  held(): Promise<Set<string>>;
  /**
   * Names the release that this process will remove unless another one holds it; null afterwards. A process that first
   * names a release, then reads the holds, and one that first holds it, then reads these names, cannot miss each other.
   */
  announceRemoval(release: string | null): Promise<void>;
  /** The releases that running processes, including this one, may be removing. */
  removals(): Promise<Set<string>>;
  /** Removes the folders of processes that ended without closing their lease. */
  sweep(): Promise<void>;
  /** Releases the lease and removes its folder. */
  close(): Promise<void>;
}

const beatMilliseconds = 15_000;
/**
 * A process without a heartbeat for this time has ended, or is suspended: then it creates a new lease when it
 * resumes.
 */
const silentMilliseconds = 120_000;
const leasePattern = /^\.process-([0-9a-f]{8})-(\d+)-[0-9a-f]{16}$/;
const holdsFile = 'holds';
const removalFile = 'removal';
/** Names of the leases of this process: it may have several in one folder. */
const ownLeases = new Set<string>();

/** Creates a lease. Throws the file system error if the folder is not writable. */
export async function createLease(dir: string): Promise<Lease> {
  const name = `.process-${scope()}-${process.pid}-${randomBytes(8).toString('hex')}`;
  const folder = join(dir, name);
  ownLeases.add(name);
  let holds: string[] = [];
  const write = async (): Promise<void> => {
    await mkdir(folder, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const temporary = join(folder, `${holdsFile}.tmp`);
    await writeFile(temporary, holds.map((sha256) => `${sha256}\n`).join(''));
    await rename(temporary, join(folder, holdsFile));
  };
  await write().catch((error: unknown) => {
    ownLeases.delete(name);
    throw error;
  });
  const beat = setInterval(() => {
    const now = new Date();
    // another process took the folder for a stale one and removed it: create the lease again
    utimes(folder, now, now).catch(() => write().catch(() => {}));
  }, beatMilliseconds);
  beat.unref();

  const leases = async (): Promise<{ path: string; isOver: boolean }[]> => {
    // the clock of the file system, which may be on another machine
    const now = (await stat(folder).catch(() => write().then(() => stat(folder)))).mtimeMs;
    const found = (await readdir(dir)).filter((other) => leasePattern.test(other) && other !== name);
    return Promise.all(
      found.map(async (other) => {
        const path = join(dir, other);
        const time = (await stat(path).catch(() => null))?.mtimeMs ?? 0;
        return { path, isOver: hasEnded(other) || now - time > silentMilliseconds };
      }),
    );
  };

  /** The names in a file of each running process. */
  const readNames = async (file: string): Promise<string[]> => {
    const names: string[] = [];
    for (const { path, isOver } of await leases()) {
      if (isOver) continue;
      const text = await readFile(join(path, file), 'utf8').catch(() => '');
      names.push(...text.split('\n').filter((sha256) => sha256 !== ''));
    }
    return names;
  };
  let removal: string | null = null;

  return {
    newPath: (extension) => join(folder, `${randomBytes(8).toString('hex')}${extension}`),
    pointerPath: join(folder, 'pointer.tmp'),
    async hold(releases) {
      holds = [...releases];
      await write();
    },
    async held() {
      const others = await readNames(holdsFile);
      return new Set([...holds, ...others]);
    },
    async announceRemoval(release) {
      removal = release;
      await writeFile(join(folder, removalFile), release === null ? '' : `${release}\n`);
    },
    async removals() {
      const names = new Set(await readNames(removalFile));
      if (removal !== null) names.add(removal);
      return names;
    },
    async sweep() {
      const now = new Date();
      await utimes(folder, now, now).catch(write);
      for (const { path, isOver } of await leases()) {
        if (isOver) await rm(path, { recursive: true, force: true });
      }
    },
    async close() {
      clearInterval(beat);
      ownLeases.delete(name);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Process ids are unique only within one machine or container. */
function scope(): string {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // not Linux: the host name is enough
  }
  return createHash('sha256').update(`${hostname()}\n${namespace}`).digest('hex').slice(0, 8);
}

/** Whether the process of a lease has certainly ended; false if that cannot be determined here. */
function hasEnded(name: string): boolean {
  const [, itsScope, id] = leasePattern.exec(name) ?? [];
  if (itsScope !== scope()) return false;
  // a restarted container gives its process the same id again
  if (Number(id) === process.pid) return !ownLeases.has(name);
  try {
    process.kill(Number(id), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
