import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { startPeriodic } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { forgetAuditEvents } from './events.ts';

const SWEEP_MS = 3_600_000;

/** Starts to delete audit events whose time is over. */
export function startAuditSweeper(adapters: {
  db: Kysely<Database>;
  log: Logger;
  metrics: Metrics;
  /** 0 = events are kept. */
  retentionDays: number;
}): { stop(): Promise<void> } {
  const { db, log, retentionDays } = adapters;
  if (retentionDays === 0) return { stop: async () => undefined };
  return startPeriodic(
    [
      {
        name: 'delete old audit events',
        ms: SWEEP_MS,
        run: async (signal) => {
          const deleted = await forgetAuditEvents(db, retentionDays, signal);
          if (deleted > 0) log.info({ deleted, retentionDays }, 'old audit events were deleted');
        },
      },
    ],
    adapters,
  );
}
