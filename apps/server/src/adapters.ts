import { type Kysely, sql } from 'kysely';
import type { FsBlobStore } from './platform/blob/fs.ts';
import type { BlobStore } from './platform/blob/store.ts';
import type { Database } from './platform/db/database.ts';
import type { Listener } from './platform/db/listen.ts';
import type { Disk } from './platform/disk.ts';
import type { Checks } from './platform/http/health.ts';
import type { Queue } from './platform/jobs/queue.ts';
import type { Logger } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import type { Sandbox } from './platform/sandbox/sandbox.ts';

/** The adapters that the features use: one of each in a process. */
export interface Adapters {
  db: Kysely<Database>;
  queue: Queue;
  blobs: BlobStore;
  /** The same store where it is a folder of this machine: the API then serves its links. */
  localBlobs: FsBlobStore | null;
  listener: Listener;
  log: Logger;
  metrics: Metrics;
  /** Root of the keys of this installation. */
  secret: string;
  /** The file system of the data folder. */
  disk: Disk;
  /** Runs the programs that process docs. */
  sandbox: Sandbox;
  /** Address in links; known once the API listens. */
  publicUrl(): string;
  setPublicUrl(url: string): void;
}

/** What API and workers need all the time. */
export function checksOf({ db, queue, blobs }: Adapters): Checks {
  return {
    database: async () => {
      await sql`SELECT 1`.execute(db);
    },
    queue: () => queue.check(),
    blobs: () => blobs.check(),
  };
}
