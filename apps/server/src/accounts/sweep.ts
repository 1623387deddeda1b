import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { forgetRates } from '../platform/http/shared-rate-limit.ts';
import { startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { forgetOldFailures } from './lock-out.ts';
import { deleteExpired } from './session-store.ts';

const EVERY_MS = 600_000;

/** Starts to delete sessions and links that have ended, and failed sign-ins and requests that no longer count. */
export function startAccountSweeper(adapters: { db: Kysely<Database>; log: Logger; metrics: Metrics }): {
  stop(): Promise<void>;
} {
  const run = async () => {
    await deleteExpired(adapters.db);
    await forgetOldFailures(adapters.db);
    await forgetRates(adapters.db);
  };
  return startShared([{ name: 'delete expired sessions', ms: EVERY_MS, run }], adapters);
}
