import { randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';

/** No upload takes longer than a day. */
const STALE_FILE_MS = 24 * 3_600_000;

/** Folder of the sandbox of this process inside the work folder: says on which machine and as which process. */
export function sandboxName(pid: number = process.pid): string {
  return ofProcess('sandbox', pid);
}

/** A new name for a folder inside the work folder that this process removes, or a sweep once the process is gone. */
export function temporaryName(use: 'check' | 'queries' | 'paths', pid: number = process.pid): string {
  return `${ofProcess(use, pid)}-${randomBytes(8).toString('hex')}`;
}

const ofProcess = (use: string, pid: number): string =>
  `${use}-${hostname().replace(/[^A-Za-z0-9._-]/g, '_')}-${pid}`;

/**
 * Removes what killed workers left: folders of attempts that no longer hold their job, in which a credential can be, and
 * sandboxes and temporary folders of processes of this machine that are gone. Files with other names are removed by age.
 */
export async function removeStaleFolders(db: Kysely<Database>, workDir: string): Promise<void> {
  const names = await readdir(workDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const path = join(workDir, name);
    if (await isStale(db, name, path)) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function isStale(db: Kysely<Database>, name: string, path: string): Promise<boolean> {
  const [, id, attempt] = /^([a-z]+_[0-9a-f]{32})-(\d+)$/.exec(name) ?? [];
  if (id !== undefined) {
    const holder = await db
      .selectFrom('jobs')
      .select('id')
      .where('id', '=', id)
      .where('attempt', '=', Number(attempt))
      .where('worker', 'is not', null)
      .executeTakeFirst();
    return holder === undefined;
  }
  const [, owner, use, pid] =
    /^((sandbox|check|queries|paths)-.*-(\d{1,10}))(?:-[0-9a-f]{16})?$/.exec(name) ?? [];
  if (use !== undefined && pid !== undefined) {
    return owner === ofProcess(use, Number(pid)) && !isAlive(Number(pid));
  }
  const info = await stat(path).catch(() => null);
  return info !== null && Date.now() - info.mtimeMs > STALE_FILE_MS;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
