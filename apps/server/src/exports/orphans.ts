import type { Kysely } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { withKeepAlive } from '../platform/db/keep-alive.ts';
import { mayRemoveFiles } from '../platform/db/keep-files.ts';
import type { Logger } from '../platform/log.ts';
import { isStoredSince, listStored, removeArtifact, type StoredBundle } from './artifact.ts';
import { findBundles, lockBundle, usesBundle } from './bundle-use.ts';

export interface OrphanAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  log: Logger;
  now: Clock;
  signal: AbortSignal;
}

/** No attempt lives as long: what it stores is named by its export before, or never. */
const ORPHAN_MS = 24 * 3_600_000;

/**
 * Removes artifacts and bundles that no export of their organization names and of which nothing was stored
 * for a day: attempts that ended before their commit left them, and removals that failed. Ends early when the
 * signal aborts. Returns how many were removed; throws the first error, after all others were tried.
 */
export async function removeOrphans(adapters: OrphanAdapters): Promise<number> {
  const { db, blobs, log, signal } = adapters;
  const old = new Date(adapters.now().getTime() - ORPHAN_MS);
  let organizationId: string | null = null;
  let named = new Set<string | null>();
  let removed = 0;
  const faults: unknown[] = [];
  for await (const stored of listStored(blobs)) {
    if (signal.aborted) break;
    if (stored.modifiedAt > old) continue;
    if (stored.organizationId !== organizationId) {
      organizationId = stored.organizationId;
      named = await findBundles(db, organizationId);
    }
    if (named.has(stored.bundle)) continue;
    try {
      if (!(await removeOrphan(adapters, stored, old))) continue;
      removed += 1;
      log.info({ organizationId, bundle: stored.bundle }, 'stored files without an export were deleted');
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return removed;
}

/** False when an export names it by now, when it is being stored again, when it is gone, or while a backup runs. */
function removeOrphan(
  { db, blobs }: OrphanAdapters,
  { organizationId, bundle }: StoredBundle,
  old: Date,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // An attempt commits under the same lock, and only what is stored whole then.
    await lockBundle(tx, organizationId, bundle);
    if (await usesBundle(tx, organizationId, { bundle })) return false;
    if (!(await mayRemoveFiles(tx))) return false;
    return withKeepAlive(tx, async (signal) => {
      if (await isStoredSince(blobs, organizationId, bundle, old)) return false;
      await removeArtifact(blobs, organizationId, bundle, signal);
      return true;
    });
  });
}
