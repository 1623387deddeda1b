import { lstat, mkdtemp, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';

/** Paths of the embedded server below `<data folder>/postgres`. */
export interface Layout {
  root: string;
  /** Holds `data` and `password`; appears whole, by one rename. */
  cluster: string;
  data: string;
  password: string;
  libraries: string;
  guardLog: string;
  serverLog: string;
}

/** Longest name a unix socket can have is 103 bytes on macOS and 107 on Linux (sun_path). */
const SOCKET_PATH_MAX = 103;
const SERVER_SOCKET = '.s.PGSQL.5432.lock';

export function layoutOf(dataDir: string): Layout {
  const root = join(resolve(dataDir), 'postgres');
  const cluster = join(root, 'cluster');
  return {
    root,
    cluster,
    data: join(cluster, 'data'),
    password: join(cluster, 'password'),
    libraries: join(root, 'lib'),
    guardLog: join(root, 'guard.log'),
    serverLog: join(root, 'postgres.log'),
  };
}

/**
 * The folder of the sockets: `<root>/run`, or, where that name is too long for a socket, a link of that name
 * to a private folder of the system's temporary one. Both return the same result in every process.
 */
export async function openRunFolder(root: string): Promise<string> {
  const run = join(root, 'run');
  if (Buffer.byteLength(join(run, SERVER_SOCKET)) <= SOCKET_PATH_MAX) {
    await makeFolder(run, 0o700);
    return run;
  }
  for (;;) {
    const target = await readlink(run).catch(() => null);
    if (target !== null && (await isPrivate(target, root))) return realpath(target);
    if (target !== null) await rm(run, { force: true });
    const fresh = await mkdtemp(join(tmpdir(), 'offprint-'));
    if (Buffer.byteLength(join(fresh, SERVER_SOCKET)) > SOCKET_PATH_MAX) {
      await rm(fresh, { recursive: true });
      throw new Error(
        `The data folder and the temporary folder (${tmpdir()}) both have paths that are too long for a Unix socket. ` +
          'Choose a shorter OFFPRINT_DATA_DIR.',
      );
    }
    try {
      await symlink(fresh, run);
    } catch (error) {
      await rm(fresh, { recursive: true });
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** A cleaner may have removed the folder and a stranger may have made another one of that name. */
async function isPrivate(folder: string, root: string): Promise<boolean> {
  const info = await lstat(folder).catch(() => null);
  if (!info?.isDirectory() || (info.mode & 0o077) !== 0) return false;
  return info.uid === process.getuid?.() || info.uid === (await lstat(root)).uid;
}

export function guardSocket(run: string): string {
  return join(run, 'guard.sock');
}

/** Address of a database of the embedded server. TLS is pointless on a socket that only this user can reach. */
export function urlOf(run: string, password: string, database: string): string {
  const query = `host=${encodeURIComponent(run)}&sslmode=disable`;
  return `postgresql://${SUPERUSER}:${password}@localhost:5432/${database}?${query}`;
}

export const SUPERUSER = 'offprint';
export const DATABASE = 'offprint';
