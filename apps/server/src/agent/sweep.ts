import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { removeMirrors, sweepMirrors } from '../platform/git/mirror.ts';
import { startPeriodic } from '../platform/jobs/periodic.ts';
import type { Queue } from '../platform/jobs/queue.ts';
import type { Logger } from '../platform/log.ts';
import { append } from './journal.ts';
import { emptyOldJobs } from './retention.ts';
import { AGENT_QUEUE, enqueueAgentJob } from './service.ts';
import { ACTIVE_PHASES } from './state.ts';

const SWEEP_MS = 15_000;
const RETENTION_MS = 3_600_000;

/** Starts the cleanup after crashes and of old data. */
export function startAgentSweeper(adapters: {
  db: Kysely<Database>;
  queue: Queue;
  log: Logger;
  workDir: string;
  mirrorDir: string;
  /** Bytes of packs that are kept. */
  mirrorBytes: number;
  /** 0 = transcripts are kept. */
  retentionDays: number;
}): { stop(): Promise<void> } {
  return startPeriodic(
    [
      { name: 'requeue stale agent jobs', ms: SWEEP_MS, run: () => requeueStaleJobs(adapters) },
      {
        name: 'remove folders of killed agent jobs',
        ms: SWEEP_MS,
        run: () => removeStaleFolders(adapters.db, adapters.workDir),
      },
      {
        name: 'delete unused copies of repositories',
        ms: RETENTION_MS,
        run: async () => {
          await removeMirrors(adapters.mirrorDir, (id) => hasProject(adapters.db, id));
          await sweepMirrors(adapters.mirrorDir, adapters.mirrorBytes);
        },
      },
      {
        name: 'forget transcripts',
        ms: RETENTION_MS,
        run: async () => {
          await emptyOldJobs(adapters.db, adapters.retentionDays);
        },
      },
    ],
    adapters.log,
  );
}

async function hasProject(db: Kysely<Database>, id: string): Promise<boolean> {
  const row = await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** An unfinished job that nobody has touched for this time is checked. */
const SILENT_SECONDS = 60;
const BATCH = 100;

/**
 * Gives unfinished jobs whose queue entry is gone to a new entry. Which worker may write is decided by the fence alone,
 * so one entry too many does no harm.
 */
export async function requeueStaleJobs(
  { db, queue, log }: { db: Kysely<Database>; queue: Queue; log: Logger },
  silentSeconds = SILENT_SECONDS,
): Promise<void> {
  const silent = await db
    .selectFrom('agent_jobs')
    .select(['id', 'queue_entry', 'updated_at'])
    .where('phase', 'in', [...ACTIVE_PHASES])
    .where('updated_at', '<', sql<Date>`now() - make_interval(secs => ${silentSeconds})`)
    .orderBy('updated_at')
    .limit(BATCH)
    .execute();
  for (const seen of silent) {
    if (seen.queue_entry !== null && (await queue.has(AGENT_QUEUE, seen.queue_entry))) continue;
    const isQueued = await db.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('agent_jobs')
        .select(['id', 'turn', 'attempt', 'organization_id'])
        .where('id', '=', seen.id)
        .where('phase', 'in', [...ACTIVE_PHASES])
        .where('queue_entry', 'is not distinct from', seen.queue_entry)
        .where('updated_at', '=', seen.updated_at)
        .forUpdate()
        .executeTakeFirst();
      if (row === undefined) return false;
      const entry = await enqueueAgentJob(queue, tx, row);
      await tx
        .updateTable('agent_jobs')
        .set({
          phase: 'queued',
          queue_entry: entry,
          failures: sql<number>`failures + 1`,
          updated_at: sql<Date>`now()`,
        })
        .where('id', '=', row.id)
        .execute();
      await append(tx, row, [{ kind: 'state', phase: 'queued' }]);
      return true;
    });
    if (isQueued)
      log.warn({ agentJobId: seen.id }, 'the queue entry of an agent job was missing and was created again');
  }
}

/**
 * Removes what killed workers left: folders of attempts that no longer hold their job. A credential that Git was being
 * given can be in one.
 */
export async function removeStaleFolders(db: Kysely<Database>, workDir: string): Promise<void> {
  const names = await readdir(workDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const [, id, attempt] = /^(job_[0-9a-f]{32})-(\d+)$/.exec(name) ?? [];
    if (id === undefined) continue;
    const holder = await db
      .selectFrom('agent_jobs')
      .select('id')
      .where('id', '=', id)
      .where('attempt', '=', Number(attempt))
      .where('phase', 'in', [...ACTIVE_PHASES])
      .executeTakeFirst();
    if (holder === undefined) await rm(join(workDir, name), { recursive: true, force: true, maxRetries: 3 });
  }
}
