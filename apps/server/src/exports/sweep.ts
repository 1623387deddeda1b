import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { forgetAnswers } from '../platform/http/idempotency.ts';
import { startPeriodic } from '../platform/jobs/periodic.ts';
import type { Queue } from '../platform/jobs/queue.ts';
import type { Logger } from '../platform/log.ts';
import { holdsExport } from './journal.ts';
import { sweepLost } from './lost.ts';
import { removeOrphans } from './orphans.ts';
import { removeExpired } from './retention.ts';

export interface SweepAdapters {
  db: Kysely<Database>;
  queue: Queue;
  blobs: BlobStore;
  log: Logger;
  workDir: string;
  idempotencyHours: number;
  /** 0 = exports are kept. */
  exportRetentionDays: number;
}

const SWEEP_MS = 15_000;
const TIDY_MS = 600_000;
/** Checks every stored object. */
const ORPHANS_MS = 6 * 3_600_000;

/** No upload takes longer than a day. */
const STALE_FILE_MS = 24 * 3_600_000;

/** Starts the cleanup after crashes and of old data. Resolves the stop when the sweep that runs has ended. */
export function startSweeper(adapters: SweepAdapters): { stop(): Promise<void> } {
  return startPeriodic(
    [
      { name: 'find lost exports', ms: SWEEP_MS, run: () => sweepLost(adapters) },
      {
        name: 'delete stored responses',
        ms: TIDY_MS,
        run: async () => {
          await forgetAnswers(adapters.db, adapters.idempotencyHours);
        },
      },
      {
        name: 'remove stale folders',
        ms: TIDY_MS,
        run: () => removeStaleFolders(adapters.db, adapters.workDir),
      },
      { name: 'delete expired exports', ms: TIDY_MS, run: () => removeExpired(adapters) },
      {
        name: 'remove orphans',
        ms: ORPHANS_MS,
        run: async (signal) => {
          await removeOrphans({ ...adapters, now: systemClock, signal });
        },
      },
      {
        name: 'remove unfinished uploads',
        ms: ORPHANS_MS,
        run: async () => {
          const parts = await adapters.blobs.removeUnfinished(new Date(Date.now() - STALE_FILE_MS));
          if (parts > 0) adapters.log.info({ parts }, 'incomplete uploads to the store were deleted');
        },
      },
    ],
    adapters.log,
  );
}

/** Folder of the sandbox of this process inside the work folder: says on which machine and as which process. */
export function sandboxName(pid: number = process.pid): string {
  return `sandbox-${hostname().replace(/[^A-Za-z0-9._-]/g, '_')}-${pid}`;
}

/**
 * Removes what killed workers left: folders of attempts that no longer hold their export, and sandboxes of
 * processes of this machine that are gone. Files with other names are removed by age.
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
  const [, id, attempt] = /^(se_[0-9a-f]{32})-(\d+)$/.exec(name) ?? [];
  if (id !== undefined) return !(await holdsExport(db, { id, attempt: Number(attempt) }));
  if (name.startsWith('sandbox-')) {
    const pid = Number(/\d+$/.exec(name)?.[0]);
    return name === sandboxName(pid) && !isAlive(pid);
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
