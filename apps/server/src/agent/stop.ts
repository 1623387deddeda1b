import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { notFound } from '../platform/http/error.ts';
import { cancelJob } from '../platform/jobs/jobs.ts';
import { statusOf } from './present.ts';
import { transition } from './state.ts';
import { changeJob, type JobName, type JobView, lockJob } from './store.ts';

/** Ends what a worker may be doing with the job, then stops the worker. Throws the 404. */
export function stopAgentJob(
  db: Kysely<Database>,
  name: JobName,
  action: 'archive' | 'cancel',
): Promise<JobView> {
  return db.transaction().execute(async (tx) => {
    const before = await lockJob(tx, name);
    if (before === undefined) throw notFound('agent job');
    const phase = transition(before.phase, action);
    if (phase === null) return before;
    const isActive = statusOf(before.phase) === 'active';
    const now = sql<Date>`now()`;
    const message = action === 'cancel' ? 'Cancelled.' : 'Archived.';
    const changed = await changeJob(
      tx,
      before.id,
      {
        phase,
        // A worker that is processing it loses it.
        attempt: before.attempt + 1,
        waiting_until: null,
        ...(isActive ? { completed_at: now } : {}),
        ...(action === 'archive' ? { archived_at: now } : {}),
        ...(action === 'cancel' ? { failure_code: 'cancelled', failure_message: message } : {}),
      },
      { kind: 'state', phase, message },
    );
    await cancelJob(tx, before.id);
    return changed;
  });
}
