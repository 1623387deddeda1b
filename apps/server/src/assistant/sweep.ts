import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { forgetUse } from './limits.ts';
import { forgetTurns } from './store.ts';

const EVERY_MS = 600_000;

/** Starts to delete old questions, and what was counted for limits of earlier days. */
export function startAssistantSweeper({
  retentionDays,
  ...adapters
}: {
  db: Kysely<Database>;
  log: Logger;
  metrics: Metrics;
  /** 0: questions stay. */
  retentionDays: number;
}): { stop(): Promise<void> } {
  const run = async (): Promise<void> => {
    await forgetUse(adapters.db);
    if (retentionDays > 0) await forgetTurns(adapters.db, retentionDays);
  };
  return startShared([{ name: 'delete old questions to assistants', ms: EVERY_MS, run }], adapters);
}
