import { Readable } from 'node:stream';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { enqueueJob, type Fence, holdsRow, type Kind, type Lease } from '../platform/jobs/jobs.ts';
import { exportEvents } from './queries.ts';

/** Kind of the jobs that write files with events. */
export const EVENT_FILE_KIND = 'analytics-file';

const DAY_MS = 86_400_000;
/** Days that must have ended before a file is written: events wait on volumes while the platform cannot be reached. */
const OPEN_DAYS = 1;
/** Days back for which a file that does not exist is still written: events are stored for longer. */
const FILE_DAYS = 30;
const MAX_FAILURES = 20;

export interface EventFiles {
  db: Kysely<Database>;
  /** The bucket for events. */
  bucket: BlobStore;
}

interface EventFile {
  organizationId: string;
  projectId: string;
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
}

export const keyOfFile = ({ projectId, day }: Pick<EventFile, 'projectId' | 'day'>): string =>
  `analytics/${projectId}/${day}.jsonl`;

/** Queues the files of days that are over and have events, and those that failed; how many. */
export async function queueEventFiles(db: Kysely<Database>, now: Date): Promise<number> {
  let queued = 0;
  for (let back = OPEN_DAYS + 1; back <= OPEN_DAYS + FILE_DAYS; back += 1) {
    const day = new Date(now.getTime() - back * DAY_MS).toISOString().slice(0, 10);
    // One step of the index of events for each project that has no file of that day.
    const { rows } = await sql<Pick<EventFile, 'organizationId' | 'projectId'>>`
      SELECT organization_id AS "organizationId", id AS "projectId" FROM projects
      WHERE NOT EXISTS (
          SELECT FROM analytics_files f
          WHERE f.project_id = projects.id AND f.day = ${day}::date AND f.state <> 'failed')
        AND EXISTS (
          SELECT FROM analytics_events e WHERE e.project_id = projects.id
            AND e.at >= ${day}::timestamp AT TIME ZONE 'UTC'
            AND e.at < (${day}::date + 1)::timestamp AT TIME ZONE 'UTC')
      ORDER BY id`.execute(db);
    for (const row of rows)
      if (await db.transaction().execute((tx) => queueFile(tx, { ...row, day }))) queued += 1;
  }
  return queued;
}

async function queueFile(
  tx: Transaction<Database>,
  { organizationId, projectId, day }: EventFile,
): Promise<boolean> {
  // Nothing is inserted for a project that was deleted meanwhile.
  const { rows } = await sql<{ id: string; attempt: number }>`
    INSERT INTO analytics_files AS f (id, organization_id, project_id, day)
    SELECT ${newId('evf')}, ${organizationId}, id, ${day}::date FROM projects WHERE id = ${projectId} FOR SHARE
    ON CONFLICT (project_id, day) DO UPDATE SET state = 'queued', updated_at = now()
      WHERE f.state = 'failed'
    RETURNING id, attempt`.execute(tx);
  const [file] = rows;
  if (file === undefined) return false;
  await enqueueJob(tx, { ...file, kind: EVENT_FILE_KIND, organizationId });
  return true;
}

/**
 * Writes files with the events of a project on a day, each once: the store has an object completely or not at all, and an
 * attempt that finds the object of an earlier one, which died before it could change the row, leaves it as it is.
 */
export function createEventFileKind({ db, bucket }: EventFiles): Kind {
  return {
    name: EVENT_FILE_KIND,
    unfinished: sql`
      SELECT id, organization_id, NULL AS lane, attempt FROM analytics_files WHERE state = 'queued'`,
    maxFailures: MAX_FAILURES,
    async begin(tx, { id, attempt }) {
      const file = await tx
        .updateTable('analytics_files')
        .set({ attempt })
        .where('id', '=', id)
        .where('attempt', '<', attempt)
        .where('state', '=', 'queued')
        .returning([
          'organization_id as organizationId',
          'project_id as projectId',
          sql<string>`day::text`.as('day'),
        ])
        .executeTakeFirst();
      return file && { run: (lease) => writeFile({ db, bucket }, file, lease) };
    },
    failureOf: () => ({
      code: 'store_unavailable',
      message: 'The events could not be written to the bucket.',
      retryable: true,
    }),
    release: (tx, fence) => holdsRow(tx, 'analytics_files', fence),
    retry: (tx, fence) => holdsRow(tx, 'analytics_files', fence),
    // It is queued again within the hour.
    fail: (tx, fence) => endFile(tx, fence, 'failed'),
  };
}

async function writeFile({ db, bucket }: EventFiles, file: EventFile, lease: Lease): Promise<string> {
  const key = keyOfFile(file);
  if ((await bucket.stat(key)) === null) {
    const to = new Date(Date.parse(file.day) + DAY_MS).toISOString().slice(0, 10);
    const lines = Readable.from(exportEvents(db, { ...file, from: file.day, to }), { objectMode: false });
    const stop = () => lines.destroy(new Error('The attempt is over.'));
    lease.signal.addEventListener('abort', stop, { once: true });
    try {
      lease.signal.throwIfAborted();
      await bucket.put(key, lines);
    } finally {
      lease.signal.removeEventListener('abort', stop);
    }
  }
  await db.transaction().execute((tx) => endFile(tx, lease, 'written'));
  return 'completed';
}

async function endFile(
  tx: Transaction<Database>,
  { id, attempt }: Fence,
  state: 'written' | 'failed',
): Promise<boolean> {
  const row = await tx
    .updateTable('analytics_files')
    .set({ state, updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
