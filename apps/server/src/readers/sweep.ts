import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { forgetGroups } from './groups.ts';
import { forgetUsedTokens } from './store.ts';

const EVERY_MS = 600_000;

/** Starts to delete the records of used tokens that have expired. */
export function startReaderSweeper(adapters: { db: Kysely<Database>; log: Logger; metrics: Metrics }): {
  stop(): Promise<void>;
} {
  const { db } = adapters;
  return startShared(
    [
      { name: 'delete used tokens of readers', ms: EVERY_MS, run: () => forgetUsedTokens(db) },
      { name: 'forget groups of readers', ms: EVERY_MS, run: () => forgetGroups(db) },
    ],
    adapters,
  );
}
