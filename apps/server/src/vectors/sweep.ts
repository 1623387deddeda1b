import type { Kysely } from 'kysely';
import { lockBundle, unfinishedVectorsKey, vectorsKey } from '../exports/service.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { mayRemoveFiles } from '../platform/db/keep-files.ts';
import { type Periodic, startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { deleteVectors, listUnused, queueVectors, type VectorsRow } from './store.ts';

export interface VectorSweepAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  log: Logger;
  metrics: Metrics;
}

/** Promotions, and groups of readers that have got a release. */
const QUEUE_MS = 15_000;
const REMOVE_MS = 60_000;
const BATCH = 100;

/** Starts to queue the vectors that sites lack, and to delete those that nobody uses. */
export function startVectorSweeper(adapters: VectorSweepAdapters): Periodic {
  const { db } = adapters;
  const queue = () => db.transaction().execute((tx) => queueVectors(tx, null));
  return startShared(
    [
      { name: 'queue vectors of sites', ms: QUEUE_MS, run: queue },
      { name: 'delete vectors', ms: REMOVE_MS, run: (signal) => removeUnusedVectors(adapters, signal) },
    ],
    adapters,
  );
}

/** Deletes vectors of bundles that no longer exist, and of endpoints that are no longer set. */
export async function removeUnusedVectors(
  { db, blobs }: Pick<VectorSweepAdapters, 'db' | 'blobs'>,
  signal: AbortSignal,
): Promise<void> {
  for (const row of await listUnused(db, BATCH)) {
    if (signal.aborted) return;
    const keys = await db.transaction().execute(async (tx) => {
      await lockBundle(tx, row.organization_id, row.bundle_sha256);
      // A backup may be reading them.
      if (!(await mayRemoveFiles(tx))) return [];
      return (await deleteVectors(tx, row)) ? keysOf(row) : [];
    });
    for (const key of keys) await blobs.delete(key);
  }
}

function keysOf({ organization_id, bundle_sha256, space, file_sha256: file }: VectorsRow): string[] {
  const unfinished = unfinishedVectorsKey(organization_id, bundle_sha256, space);
  return file === null ? [unfinished] : [unfinished, vectorsKey(organization_id, bundle_sha256, file)];
}
