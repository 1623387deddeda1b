import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '@offprint/bundle';
import type { Binaries } from './binaries.ts';
import { giveTree, type Identity } from './identity.ts';
import { type Layout, SUPERUSER } from './layout.ts';

const UNFINISHED = 'new-';
const UNFINISHED_MAX_AGE_MS = 3_600_000;

/**
 * Creates the database cluster if it does not exist. It is made beside and renamed, so that a crash or a
 * second process leaves either no cluster or a whole one with its password.
 */
export async function ensureCluster(layout: Layout, binaries: Binaries, identity: Identity): Promise<void> {
  await removeUnfinished(layout.root);
  if (await exists(layout.cluster)) return giveTree(layout.cluster, identity);
  const fresh = await mkdtemp(join(layout.root, UNFINISHED));
  const password = join(fresh, 'password');
  await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600, flush: true });
  await mkdir(join(fresh, 'data'), { mode: 0o700 });
  await giveTree(fresh, identity);
  try {
    await runInitdb(join(fresh, 'data'), password, binaries, identity);
    await rename(fresh, layout.cluster);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process was first.
    if (!(await exists(layout.cluster))) throw error;
  }
  await syncPath(layout.root);
}

export async function readPassword(layout: Layout): Promise<string> {
  return (await readFile(layout.password, 'utf8')).trim();
}

async function runInitdb(
  data: string,
  passwordFile: string,
  binaries: Binaries,
  identity: Identity,
): Promise<void> {
  const command = [
    ...identity.prefix,
    binaries.initdb,
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ];
  const child = spawn(command[0]!, command.slice(1), {
    ...identity.user,
    env: binaries.environment,
    cwd: data,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000);
    });
  }
  await new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`initdb could not be started: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`initdb failed (${signal ?? `exit code ${code}`}):\n${output.trim()}`));
    });
  });
}

async function removeUnfinished(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(root, name);
    const info = await stat(path).catch(() => null);
    if (info && Date.now() - info.mtimeMs > UNFINISHED_MAX_AGE_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
