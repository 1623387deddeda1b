// Makes a fresh clone ready: installs dependencies when the lock file changed and finds a Node that can run the
// project. Plain JavaScript for any Node from 18 on, because it runs before ours is there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedNode, isNewEnough, REQUIRED_NODE } from './launch.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const STAMP = join(root, 'node_modules', '.offprint-installed');
const LOCK = join(root, '.offprint-install.lock');
const LOCK_STALE_MS = 10 * 60_000;

/** Installs what is missing and returns the path of a Node >= 24. Ends the process with a message when it cannot. */
export function setup() {
  install();
  return findNode();
}

function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (installed(wanted)) return;
  const release = lock();
  try {
    if (installed(wanted)) return;
    process.stderr.write('Installing dependencies (once, about half a minute)\n');
    // Scripts of packages stay off: nothing of the project needs one, and they are how worms get in.
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const npm = process.env.npm_execpath;
    const child = npm?.endsWith('.js')
      ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
      : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
    if (child.status !== 0) {
      fail(
        'npm ci did not succeed. Its message is above; check the network and the registry npm is set to, then run the command again.',
      );
    }
    writeFileSync(STAMP, wanted);
  } finally {
    release();
  }
}

function installed(wanted) {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted;
}

/** Two commands started at once on a fresh clone must not install into the same folder. */
function lock() {
  for (;;) {
    try {
      mkdirSync(LOCK);
      return () => rmSync(LOCK, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > LOCK_STALE_MS) rmSync(LOCK, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    }
  }
}

function findNode() {
  const own = installedNode(import.meta.url);
  if (own !== null) return own;
  if (isNewEnough()) return process.execPath;
  return fail(
    `Offprint needs Node ${REQUIRED_NODE} or newer and brings it along on Linux (x64, arm64) and Windows (x64). ` +
      `Here is ${process.platform} ${process.arch} with Node ${process.versions.node}: install Node ${REQUIRED_NODE} and run the command again.`,
  );
}

function fail(message) {
  process.stderr.write(`offprint: ${message}\n`);
  process.exit(1);
}
