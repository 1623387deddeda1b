import type { Kysely } from 'kysely';
import type { FsBlobStore } from './platform/blob/fs.ts';
import type { BlobStore } from './platform/blob/store.ts';
import type { Database } from './platform/db/database.ts';
import type { Listener } from './platform/db/listen.ts';
import type { Queue } from './platform/jobs/queue.ts';
import type { Logger } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';

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
  /** Address in links; known once the API listens. */
  publicUrl(): string;
  setPublicUrl(url: string): void;
}
