import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';

const BATCH = 50;

/**
 * Deletes the transcripts of jobs that nothing has happened to for `days` days: events, files, model calls and the
 * texts of prompts. The job itself stays, with its summary and its pull requests, and takes no messages any more. 0
 * days keeps everything. Returns how many jobs were emptied.
 */
export async function emptyOldJobs(db: Kysely<Database>, days: number): Promise<number> {
  if (days === 0) return 0;
  let emptied = 0;
  for (;;) {
    const ids = await emptyBatch(db, days);
    emptied += ids;
    if (ids < BATCH) return emptied;
  }
}

function emptyBatch(db: Kysely<Database>, days: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    // One that a message wakes at this moment is locked by it and left alone.
    const rows = await tx
      .selectFrom('agent_jobs')
      .select('id')
      .where('phase', 'in', ['idle', 'failed', 'archived'])
      .where('emptied_at', 'is', null)
      .where('updated_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
      .orderBy('updated_at')
      .limit(BATCH)
      .forUpdate()
      .skipLocked()
      .execute();
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await tx.deleteFrom('agent_events').where('job_id', 'in', ids).execute();
    await tx.deleteFrom('agent_files').where('job_id', 'in', ids).execute();
    await tx.deleteFrom('agent_drafts').where('job_id', 'in', ids).execute();
    await tx.deleteFrom('agent_model_calls').where('job_id', 'in', ids).execute();
    // The rows stay: they count as messages of the job.
    await tx.updateTable('agent_messages').set({ prompt: '' }).where('job_id', 'in', ids).execute();
    await tx
      .updateTable('agent_jobs')
      .set({
        emptied_at: sql<Date>`now()`,
        instructions: null,
        baseline: null,
        verdict: null,
        counters: '{}',
        memory: sql`jsonb_set(memory, '{readPaths}', '[]')`,
      })
      .where('id', 'in', ids)
      .execute();
    return ids.length;
  });
}
