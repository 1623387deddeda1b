// Installs one npm package at its first use: a Node for old machines, the programs of PostgreSQL. Plain JavaScript for
// Node 18 and newer.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ version: string, integrity: string }} Pinned */

/**
 * Folder of a package that installPackage has installed below `folder`; null if it is not installed.
 * @param {string} folder @param {string} name @param {Pinned} pinned @returns {string | null}
 */
export function installedPackage(folder, name, { version }) {
  const path = join(placeOf(folder, name, version), 'node_modules', name);
  return existsSync(join(path, 'package.json')) ? path : null;
}

/**
 * Installs a package below `folder` with npm, which checks it against `integrity`, and returns its folder. Entries
 * named in `unwanted` are removed. Safe to run from several processes at once. Throws an Error that quotes npm.
 * @param {string} folder @param {string} name @param {Pinned} pinned @param {string[]} unwanted @returns {Promise<string>}
 */
export async function installPackage(folder, name, pinned, unwanted = []) {
  const found = installedPackage(folder, name, pinned);
  if (found !== null) return found;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const work = mkdtempSync(join(folder, 'installing-'));
  try {
    const dependencies = { [name]: pinned.version };
    const manifest = { name: 'offprint-packages', version: '1.0.0', private: true, dependencies };
    const packages = { '': { ...manifest }, [`node_modules/${name}`]: { ...pinned } };
    writeFileSync(join(work, 'package.json'), JSON.stringify(manifest));
    writeFileSync(
      join(work, 'package-lock.json'),
      JSON.stringify({ name: manifest.name, version: '1.0.0', lockfileVersion: 3, requires: true, packages }),
    );
    await npm(work, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--no-global', '--loglevel=error']);
    for (const entry of unwanted) {
      rmSync(join(work, 'node_modules', name, entry), { recursive: true, force: true });
    }
    const place = placeOf(folder, name, pinned.version);
    // PostgreSQL may have to run as another user.
    chmodSync(work, 0o755);
    try {
      renameSync(work, place);
    } catch (error) {
      // Another process was first.
      if (installedPackage(folder, name, pinned) === null) throw error;
    }
    return join(place, 'node_modules', name);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function placeOf(folder, name, version) {
  return join(folder, `${name.replace(/^@/, '').replace('/', '-')}-${version}`);
}

function npm(cwd, args) {
  const script = process.env.npm_execpath;
  const isScript = script !== undefined && /npm-cli\.js$/.test(script);
  const command = isScript ? process.execPath : 'npm';
  return new Promise((resolve, reject) => {
    const child = spawn(command, isScript ? [script, ...args] : args, {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: !isScript && process.platform === 'win32',
    });
    let text = '';
    child.stderr.on('data', (chunk) => {
      text = (text + chunk).slice(-2_000);
    });
    child.on('error', (error) => reject(new Error(`npm could not be started: ${error.message}.`)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`npm failed (${signal ?? `exit code ${code}`}): ${text.trim()}`));
    });
  });
}
