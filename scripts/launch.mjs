// Starts a program under a Node that can run it. Plain JavaScript for Node 18 and newer, because it runs before any
// other file of the project or of a published package.
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedPackage, installPackage } from './npm-package.mjs';
import { run } from './run.mjs';

export const REQUIRED_NODE = 24;

/** Name of the npm package that holds a Node for this machine. */
export const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const nodeFile = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';

export const isNewEnough = () => Number(process.versions.node.split('.')[0]) >= REQUIRED_NODE;

/** Path of the Node that is installed with the file at `url`; null if it is not installed. */
export function installedNode(url) {
  const manifest = resolveFrom(url, `${nodePackage}/package.json`);
  const path = manifest === null ? null : join(dirname(manifest), nodeFile);
  return path !== null && existsSync(path) ? path : null;
}

/**
 * Runs a program and sets the exit code.
 * - `name` of the command, for messages
 * - `url` of the file that the user started
 * - `main` imports the program, which has a function `main`
 * - `setup` imports `scripts/setup.mjs` in the repository, where dependencies may be missing; `dependency` is one of them
 * - `compileCache`: whether to keep compiled code for the next start
 * - `packages` of a published package: npm packages with their exact `version` and `integrity`, by name
 */
export async function launch({ name, url, main, setup, dependency, packages = {}, compileCache = false }) {
  const isMissing = setup !== undefined && resolveFrom(url, dependency) === null;
  const node = isMissing
    ? (await setup()).setup()
    : isNewEnough()
      ? process.execPath
      : await findNode(name, url, packages);
  if (node !== process.execPath) {
    const args = [...process.execArgv, fileURLToPath(url), ...process.argv.slice(2)];
    process.exitCode = await run(node, args);
    return;
  }
  // Compiling takes half of the time of a small export. Where the folder cannot be written, nothing is kept.
  if (compileCache)
    modules.enableCompileCache(setup === undefined ? join(cacheFolder(), 'compiled') : repositoryCache());
  await (await main()).main();
}

async function findNode(name, url, packages) {
  const installed = installedNode(url);
  if (installed !== null) return installed;
  const wanted = packages[nodePackage];
  const here = `Node ${process.versions.node} is too old: ${name} needs Node ${REQUIRED_NODE} or newer.`;
  if (wanted === undefined)
    return fail(name, `${here} Install it from https://nodejs.org and run the command again.`);
  const folder = cacheFolder();
  const found = installedPackage(folder, nodePackage, wanted);
  if (found !== null) return join(found, nodeFile);
  process.stderr.write(
    `${name}: ${here} Installing Node ${wanted.version} in ${folder} (once, about 45 MB)\n`,
  );
  try {
    // Headers and manuals are half of the package.
    return join(await installPackage(folder, nodePackage, wanted, ['include', 'share']), nodeFile);
  } catch (error) {
    return fail(
      name,
      `Node ${wanted.version} was not installed. Install Node ${REQUIRED_NODE} or newer, or the npm package ${nodePackage}@${wanted.version} beside ${name}. ${error.message}`,
    );
  }
}

/** Where files of this user are kept that can be made again. */
export function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (process.platform === 'win32')
    return join(LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'offprint', 'cache');
  if (XDG_CACHE_HOME?.startsWith('/')) return join(XDG_CACHE_HOME, 'offprint');
  return join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'offprint');
}

/** Beside the packages, where only those may write who may change the program as well. */
function repositoryCache() {
  return fileURLToPath(new URL('../node_modules/.cache/offprint', import.meta.url));
}

function resolveFrom(url, specifier) {
  try {
    return modules.createRequire(url).resolve(specifier);
  } catch {
    return null;
  }
}

function fail(name, message) {
  process.stderr.write(`${name}: ${message}\n`);
  process.exit(1);
}
