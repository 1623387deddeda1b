import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { forgetNotifications } from './store.ts';

const SWEEP_MS = 3_600_000;
const RETENTION_DAYS = 30;

/** Starts to delete notifications whose time is over. */
export function startNotificationSweeper(adapters: { db: Kysely<Database>; log: Logger; metrics: Metrics }): {
  stop(): Promise<void>;
} {
  const { db, log } = adapters;
  return startShared(
    [
      {
        name: 'delete old notifications',
        ms: SWEEP_MS,
        run: async () => {
          const deleted = await forgetNotifications(db, RETENTION_DAYS);
          if (deleted > 0) log.info({ deleted }, 'old notifications were deleted');
        },
      },
    ],
    adapters,
  );
}
