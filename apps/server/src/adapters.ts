import { type Kysely, sql } from 'kysely';
import { readJobStates, stalledText } from './job-state.ts';
import type { FsBlobStore } from './platform/blob/fs.ts';
import type { BlobStore } from './platform/blob/store.ts';
import type { Database } from './platform/db/database.ts';
import type { Listener } from './platform/db/listen.ts';
import type { Disk } from './platform/disk.ts';
import type { Checks } from './platform/http/health.ts';
import { readStops } from './platform/jobs/stops.ts';
import type { Logger } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import type { OutageLog } from './platform/outage-log.ts';
import type { Sandbox } from './platform/sandbox/sandbox.ts';

/** The adapters that the features use: one of each in a process. */
export interface Adapters {
  db: Kysely<Database>;
  /** The same database for claims and heartbeats of jobs: connections that requests cannot take. */
  jobsDb: Kysely<Database>;
  blobs: BlobStore;
  /** The same store where it is a folder of this machine: the API then serves its links. */
  localBlobs: FsBlobStore | null;
  listener: Listener;
  /** Number by which this process is known in the jobs that it holds. */
  workerNumber: number;
  log: Logger;
  metrics: Metrics;
  /** Root of the keys of this installation. */
  secret: string;
  /** The file system of the data folder. */
  disk: Disk;
  /** Outages that this process has met. */
  outages: OutageLog;
  /** Runs the programs that process docs. */
  sandbox: Sandbox;
  /** Address in links; known once the API listens. */
  publicUrl(): string;
  setPublicUrl(url: string): void;
}

/** What an operator should know of the installation although this process works. */
export async function warningsOf({ db, disk, outages }: Adapters): Promise<string[]> {
  const stalled = stalledText(await readJobStates(db));
  const { kinds: paused } = await readStops(db);
  const isFull = !(await disk.hasRoom());
  return [
    ...(stalled === null ? [] : [stalled]),
    ...paused.map((kind) => `The queue of the kind ${kind} is paused: none of its jobs starts.`),
    ...(isFull ? ['The disk has less free space than OFFPRINT_MIN_FREE_MB: no export is started here.'] : []),
    ...outages.recent().map(({ message }) => `In the last 10 minutes: ${message}`),
  ];
}

/** What API and workers need all the time. */
export function checksOf({ db, blobs }: Adapters): Checks {
  return {
    database: async () => {
      await sql`SELECT 1`.execute(db);
    },
    queue: async () => {
      await db.selectFrom('jobs').select('id').limit(1).execute();
    },
    blobs: () => blobs.check(),
  };
}
