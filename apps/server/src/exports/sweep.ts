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
import { removeOrphans } from './orphans.ts';
import { EXPORT_QUEUE, type ExportPayload, removeExport } from './service.ts';
import {
  abandonExport,
  type ExportRow,
  findExpired,
  findSilent,
  holdsExport,
  lockSilent,
  requeueExport,
} from './store.ts';

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

/** Failures of ours after which an export is given up. */
export const MAX_FAILURES = 5;

const SWEEP_MS = 15_000;
const TIDY_MS = 600_000;
/** Looks at every stored object. */
const ORPHANS_MS = 6 * 3_600_000;

/** An unfinished export that nobody has touched for so long is looked at. */
const SILENT_SECONDS = 60;

/** No upload takes longer than a day. */
const STALE_FILE_MS = 24 * 3_600_000;

const BATCH = 100;

/** Starts to look after what crashes and time leave behind. Resolves the stop when the sweep that runs has ended. */
export function startSweeper(adapters: SweepAdapters): { stop(): Promise<void> } {
  return startPeriodic(
    [
      { name: 'find lost exports', ms: SWEEP_MS, run: () => sweepLost(adapters) },
      { name: 'tidy up', ms: TIDY_MS, run: () => tidy(adapters) },
      {
        name: 'remove orphans',
        ms: ORPHANS_MS,
        run: async (signal) => {
          await removeOrphans({ ...adapters, now: systemClock, signal });
          const parts = await adapters.blobs.removeUnfinished(new Date(Date.now() - STALE_FILE_MS));
          if (parts > 0) adapters.log.info({ parts }, 'unfinished parts of objects were removed');
        },
      },
    ],
    adapters.log,
  );
}

/** Gives unfinished exports whose queue entry is gone to a new entry, or ends them after too many losses. */
export async function sweepLost(
  { db, queue, log }: Pick<SweepAdapters, 'db' | 'queue' | 'log'>,
  silentSeconds = SILENT_SECONDS,
): Promise<void> {
  for (const seen of await findSilent(db, silentSeconds, BATCH)) {
    if (seen.queue_entry !== null && (await queue.has(EXPORT_QUEUE, seen.queue_entry))) continue;
    const outcome = await db.transaction().execute(async (tx) => {
      const row = await lockSilent(tx, seen);
      if (row === undefined) return null;
      if (row.failures + 1 >= MAX_FAILURES) {
        await abandonExport(
          tx,
          row,
          `The export stopped its worker ${MAX_FAILURES} times and was given up. Report this with the id of the export.`,
        );
        return 'given up';
      }
      const entry = await queue.enqueue<ExportPayload>(tx, EXPORT_QUEUE, { exportId: row.id });
      await requeueExport(tx, row, entry);
      return 'queued again';
    });
    if (outcome !== null)
      log.warn({ exportId: seen.id, attempt: seen.attempt, outcome }, 'an export had lost its queue entry');
  }
}

async function tidy(adapters: SweepAdapters): Promise<void> {
  await forgetAnswers(adapters.db, adapters.idempotencyHours);
  await removeStaleFolders(adapters.db, adapters.workDir);
  if (adapters.exportRetentionDays > 0) await removeExpired(adapters);
}

async function removeExpired({ db, blobs, exportRetentionDays }: SweepAdapters): Promise<void> {
  for (;;) {
    const expired: Pick<ExportRow, 'id' | 'organization_id'>[] = await findExpired(
      db,
      exportRetentionDays,
      BATCH,
    );
    for (const row of expired) await removeExport(db, blobs, row.organization_id, row.id);
    if (expired.length < BATCH) return;
  }
}

/** Folder of the sandbox of this process inside the work folder: says on which machine and as which process. */
export function sandboxName(pid: number = process.pid): string {
  return `sandbox-${hostname().replace(/[^A-Za-z0-9._-]/g, '_')}-${pid}`;
}

/**
 * Removes what killed workers left: folders of attempts that no longer hold their export, and sandboxes of
 * processes of this machine that are gone. What bears no such name goes by age.
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
