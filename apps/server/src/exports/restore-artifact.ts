import { type Kysely, sql } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { withKeepAlive } from '../platform/db/keep-alive.ts';
import type { Failure, Kind, Lease } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/log.ts';
import { checkIndex, findLoss, isStored, storeArtifact, storeBundle } from './artifact.ts';
import { lockBundle } from './bundle-use.ts';
import { failureOf } from './failure.ts';
import {
  ARTIFACT_KIND,
  beginRestoration,
  endRestoration,
  forgetLoss,
  type LossRow,
} from './lost-artifact.ts';
import type { Produce } from './produce.ts';
import { findExport } from './store.ts';

export interface RestorationAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  /** Reads the source and renders it. */
  produce: Produce;
  log: Logger;
}

/** Internal failures after which an artifact stays lost. */
const MAX_FAILURES = 5;

/** The source no longer gives the artifact that was lost. */
class DifferentArtifactError extends Error {
  override name = 'DifferentArtifactError';
}

/** Lost artifacts as jobs: the source is rendered again, and only the same digest is stored. */
export function createArtifactKind(adapters: RestorationAdapters): Kind {
  return {
    name: ARTIFACT_KIND,
    unfinished: sql`
      SELECT id, organization_id, NULL AS lane, attempt FROM lost_artifacts WHERE state <> 'lost'`,
    maxFailures: MAX_FAILURES,
    async begin(tx, fence) {
      const loss = await beginRestoration(tx, fence);
      return loss && { run: (lease) => restore(adapters, loss, lease) };
    },
    failureOf: explain,
    release: (tx, fence) => endRestoration(tx, fence, { state: 'queued' }),
    retry: (tx, fence) => endRestoration(tx, fence, { state: 'queued' }),
    fail: (tx, fence, { code, message }) =>
      endRestoration(tx, fence, { state: 'lost', error: message, error_code: code }),
  };
}

async function restore(adapters: RestorationAdapters, loss: LossRow, lease: Lease): Promise<string> {
  const { db, blobs } = adapters;
  const { organizationId, bundle, exportId } = loss;
  const log = adapters.log.child({ exportId, bundle, attempt: loss.attempt });
  const row = await findExport(db, organizationId, exportId);
  // Deleted meanwhile, and its loss with it.
  if (row === undefined) return 'lost';
  // Somebody may have put the files back.
  if ((await findLoss(blobs, organizationId, bundle)) !== null) {
    log.warn('the artifact of an export is lost and is rendered again');
    const { index, readChunk, links } = await adapters.produce(row, lease.folder, {
      signal: lease.signal,
      onSource: () => undefined,
      onRender: () => undefined,
    });
    if (index.bundle.sha256 !== bundle) {
      throw new DifferentArtifactError(
        `Its source now gives another bundle (SHA-256 ${index.bundle.sha256.slice(0, 12)} instead of ${bundle.slice(0, 12)}): the source, the settings of the project or the version of the renderer have changed.`,
      );
    }
    await checkIndex(index, readChunk);
    lease.signal.throwIfAborted();
    await storeArtifact(blobs, organizationId, index, readChunk, { mayBeDamaged: true, links });
    lease.signal.throwIfAborted();
    await storeBundle(blobs, organizationId, index, readChunk, { mayBeDamaged: true });
    lease.signal.throwIfAborted();
    return finish(adapters, loss, () => isStored(blobs, organizationId, index));
  }
  return finish(adapters, loss, async () => true);
}

async function finish(
  { db, log }: RestorationAdapters,
  loss: LossRow,
  isWhole: () => Promise<boolean>,
): Promise<string> {
  const isRestored = await db.transaction().execute(async (tx) => {
    await lockBundle(tx, loss.organizationId, loss.bundle);
    // The last export with the artifact may have been deleted, files and all.
    return (await withKeepAlive(tx, isWhole)) && forgetLoss(tx, loss);
  });
  if (isRestored)
    log.info({ exportId: loss.exportId, bundle: loss.bundle }, 'a lost artifact is stored again');
  return isRestored ? 'completed' : 'lost';
}

function explain(error: unknown): Failure {
  if (error instanceof DifferentArtifactError)
    return { code: 'artifact_differs', message: error.message, retryable: false };
  const failure = failureOf(error);
  if (failure.code !== 'internal') return failure;
  return { ...failure, message: 'Rendering failed because of an internal server error.' };
}
