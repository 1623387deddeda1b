import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { forgetAuditEvents } from './events.ts';
import { forgetDays } from './quota.ts';

const SWEEP_MS = 3_600_000;

/** Starts to delete audit events and counts whose time is over. */
export function startAuditSweeper(adapters: {
  db: Kysely<Database>;
  log: Logger;
  metrics: Metrics;
  /** 0 = events are kept. */
  retentionDays: number;
}): { stop(): Promise<void> } {
  const { db, log, retentionDays } = adapters;
  return startShared(
    [
      { name: 'forget past days', ms: SWEEP_MS, run: () => forgetDays(db) },
      {
        name: 'delete old audit events',
        ms: SWEEP_MS,
        run: async (signal) => {
          if (retentionDays === 0) return;
          const deleted = await forgetAuditEvents(db, retentionDays, signal);
          if (deleted > 0) log.info({ deleted, retentionDays }, 'old audit events were deleted');
        },
      },
    ],
    adapters,
  );
}
