import type { Kysely } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { forgetAnswers } from '../platform/http/idempotency.ts';
import { startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { removeOrphans } from './orphans.ts';
import { removeOldPages } from './page-stock.ts';
import { type Retention, removeExpired } from './retention.ts';

export interface SweepAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  log: Logger;
  metrics: Metrics;
  idempotencyHours: number;
  retention: Retention;
}

const TIDY_MS = 600_000;
/** Checks every stored object. */
const ORPHANS_MS = 6 * 3_600_000;

/** No upload takes longer than a day. */
const STALE_FILE_MS = 24 * 3_600_000;

/** Starts the cleanup after crashes and of old data, which one process of the installation does. Resolves the stop when the sweep that runs has ended. */
export function startSweeper(adapters: SweepAdapters): { stop(): Promise<void> } {
  return startShared(
    [
      {
        name: 'delete stored responses',
        ms: TIDY_MS,
        run: async () => {
          await forgetAnswers(adapters.db, adapters.idempotencyHours);
        },
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
        name: 'remove pages of earlier exports',
        ms: ORPHANS_MS,
        run: (signal) => removeOldPages(adapters, systemClock(), signal),
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
    adapters,
  );
}
