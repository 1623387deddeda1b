import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeFolderSync } from '@offprint/bundle/make-folder';
import { moduleGraph } from './grants.ts';
import { childNiceness, type Isolation } from './isolation.ts';

/** A child loads its modules in a third of the time if their code is compiled already. */
export interface CompileCache {
  /** Read by children, written by no child that has an input. */
  folder: string;
  flags: readonly string[];
}

const USE = join(import.meta.dirname, 'use-compile-cache.mjs');
/** CPU time of the process that fills a folder. */
const FILL_CPU_SECONDS = 60;

const filled = new Map<string, CompileCache | null>();

/**
 * Compiled code of a child's modules; null if it does not exist yet. It is kept where this process keeps its own
 * (`NODE_COMPILE_CACHE`), so that a process without one has none for its children. The first question starts a process
 * that fills it and receives no input; the next process of the platform finds it.
 *
 * Node's permission model grants the code only to a process that may also write there. A child must not: the code would
 * run in the next child, which has the docs of others. So it gets nothing unless the kernel denies the write.
 *
 * `v8Flags` are those of the child: compiled code is valid for the same ones only.
 */
export function compileCache(
  module: string,
  isolation: Isolation,
  v8Flags: readonly string[],
): CompileCache | null {
  const own = getCompileCacheDir();
  if (own === undefined || isolation.files.length === 0) return null;
  const known = filled.get(module);
  if (known !== undefined) return known;
  const folder = join(own, 'children', keyOf(module, v8Flags));
  const found = existsSync(folder) ? cacheIn(folder) : null;
  filled.set(module, found);
  if (found === null) fill({ module, isolation, v8Flags, folder });
  return found;
}

const cacheIn = (folder: string): CompileCache => ({
  folder,
  flags: [
    `--allow-fs-read=${folder}`,
    `--allow-fs-write=${folder}`,
    `--import=${pathToFileURL(USE).href}?folder=${encodeURIComponent(folder)}`,
  ],
});

/** Changes with the flags and with every module of the project, so that a folder never lacks many of them. */
function keyOf(module: string, v8Flags: readonly string[]): string {
  const sources = moduleGraph(module).filter((folder) => basename(folder) === 'src' && existsSync(folder));
  const hash = createHash('sha256').update(JSON.stringify([module, v8Flags]));
  const files = [
    // Compiled programs of a package have no `src`: all are in one folder.
    ...readdirSync(dirname(module), { withFileTypes: true }),
    ...sources.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true })),
  ];
  for (const entry of files) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    hash.update(`${path}\0${statSync(path).mtimeMs}\0`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** In the isolation of a child, since the folder is of one user only, and isolation changes the user. */
function fill(options: {
  module: string;
  isolation: Isolation;
  v8Flags: readonly string[];
  folder: string;
}): void {
  const { module, isolation, v8Flags, folder } = options;
  const work = `${folder}.${randomBytes(8).toString('hex')}`;
  const discard = (): void => rmSync(work, { recursive: true, force: true });
  try {
    makeFolderSync(work, 0o700);
    const graph = moduleGraph(module);
    const [program = process.execPath, ...args] = isolation.wrap(
      [process.execPath, ...v8Flags, ...cacheIn(work).flags.slice(-1), module],
      { readOnly: [process.execPath, ...graph], writable: [work] },
      // At a lower priority than the children, it would never end beside them: it ends with this process.
      { nice: childNiceness(), cpuSeconds: FILL_CPU_SECONDS },
    );
    // Without an input the child ends as soon as its modules are loaded. It expects the channel of its parent.
    const child = spawn(program, args, {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ignore'],
    });
    child.unref();
    child.on('error', discard);
    child.on('exit', (code) => {
      try {
        // A process that was killed may have written only a part; one that ends for want of an input exits with 1.
        if (code !== 1 || readdirSync(work).length === 0) return discard();
        nameFiles(work);
        renameSync(work, folder);
      } catch {
        // Another process was first.
        discard();
      }
    });
  } catch {
    discard();
  }
}

/** A child may rename nothing, so the files still have the names `KEY.SUFFIX` under which Node writes them. */
function nameFiles(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const [key, suffix] = entry.name.split('.');
    if (!entry.isFile() || key === undefined || suffix === undefined) continue;
    renameSync(join(entry.parentPath, entry.name), join(entry.parentPath, key));
  }
}
