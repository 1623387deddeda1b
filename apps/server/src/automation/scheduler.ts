import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { startPeriodic, startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { nextTime } from './schedule.ts';
import { type StartAdapters, seize } from './start.ts';
import { type AutomationRow, claimDue, databaseTime, forgetTriggers, setNextTime } from './store.ts';

export interface SchedulerAdapters extends StartAdapters {
  db: Kysely<Database>;
  log: Logger;
}

/** How late a schedule can be. */
const LOOK_MS = 5_000;
const TIDY_MS = 3_600_000;
/** Triggers are kept so long. */
const KEPT_DAYS = 90;

/** Starts to start the exports whose time has come. Any number of processes may. */
export function startScheduler(adapters: SchedulerAdapters & { metrics: Metrics }): {
  stop(): Promise<void>;
} {
  const schedules = startPeriodic(
    [{ name: 'start scheduled exports', ms: LOOK_MS, run: (signal) => runDue(adapters, signal) }],
    adapters,
  );
  const triggers = startShared(
    [{ name: 'forget triggers', ms: TIDY_MS, run: () => forgetTriggers(adapters.db, KEPT_DAYS) }],
    adapters,
  );
  return {
    stop: async () => {
      await Promise.all([schedules.stop(), triggers.stop()]);
    },
  };
}

/** Starts what is due now; one that fails for a reason of ours stays due and holds up no other. */
export async function runDue(adapters: SchedulerAdapters, signal: AbortSignal): Promise<void> {
  const tried: string[] = [];
  while (!signal.aborted) {
    let current: string | undefined;
    try {
      const found = await adapters.db.transaction().execute(async (tx) => {
        const automation = await claimDue(tx, tried);
        current = automation?.project_id;
        if (automation !== undefined) await runOne(tx, adapters, automation);
        return automation !== undefined;
      });
      if (!found) return;
    } catch (error) {
      if (current === undefined) throw error;
      adapters.log.error({ err: error, projectId: current }, 'could not start a scheduled export');
    }
    if (current !== undefined) tried.push(current);
  }
}

/** One export for all times that were missed, and the next time after now. */
async function runOne(
  tx: Transaction<Database>,
  adapters: SchedulerAdapters,
  automation: AutomationRow,
): Promise<void> {
  const { cron, next_at: due, project_id: projectId, time_zone: timeZone } = automation;
  if (cron === null || due === null) return setNextTime(tx, projectId, null);
  const result = await seize(tx, adapters, {
    automation,
    facts: {
      project_id: projectId,
      kind: 'schedule',
      delivery: due.toISOString(),
      event: null,
      ref: null,
      commit: null,
    },
    by: `schedule ${cron}`,
    source: 'schedule',
    address: null,
    decide: () => ({ ref: null }),
  });
  await setNextTime(tx, projectId, nextTime(cron, timeZone, await databaseTime(tx)));
  adapters.log.info({ projectId, due, outcome: result.outcome, exportId: result.export_id }, 'schedule');
}
