import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { removeMirrors, sweepMirrors } from '../platform/git/mirror.ts';
import { startPeriodic, startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { emptyOldJobs } from './retention.ts';

const RETENTION_MS = 3_600_000;

/** Starts the cleanup of old data. */
export function startAgentSweeper(adapters: {
  db: Kysely<Database>;
  log: Logger;
  metrics: Metrics;
  mirrorDir: string;
  /** Bytes of packs that are kept. */
  mirrorBytes: number;
  /** 0 = transcripts are kept. */
  retentionDays: number;
}): { stop(): Promise<void> } {
  // The copies are on the disk of this worker.
  const copies = startPeriodic(
    [
      {
        name: 'delete unused copies of repositories',
        ms: RETENTION_MS,
        run: async () => {
          await removeMirrors(adapters.mirrorDir, (id) => hasProject(adapters.db, id));
          await sweepMirrors(adapters.mirrorDir, adapters.mirrorBytes);
        },
      },
    ],
    adapters,
  );
  const transcripts = startShared(
    [
      {
        name: 'forget transcripts',
        ms: RETENTION_MS,
        run: async () => {
          await emptyOldJobs(adapters.db, adapters.retentionDays);
        },
      },
    ],
    adapters,
  );
  return {
    stop: async () => {
      await Promise.all([copies.stop(), transcripts.stop()]);
    },
  };
}

async function hasProject(db: Kysely<Database>, id: string): Promise<boolean> {
  const row = await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}
