import { type Kysely, sql } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import type { Failure, Kind, Lease } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/log.ts';
import { inSpan } from '../platform/tracing.ts';
import { checkIndex, isStored, storeArtifact, storeBundle } from './artifact.ts';
import { failureOf } from './failure.ts';
import { beginExport, completeExport, failExport, type OnExportEnd, requeueExport } from './journal.ts';
import type { Produce } from './produce.ts';
import { followProgress } from './progress.ts';
import { EXPORT_KIND } from './start.ts';
import type { ExportRow } from './store.ts';

export interface ExportJobAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  /** Reads the source and renders it: steps 1 and 2. */
  produce: Produce;
  /** Makes it live, in the transaction in which it ends. */
  onEnd?: OnExportEnd;
  log: Logger;
}

/** Internal failures after which an export is abandoned. */
export const MAX_FAILURES = 5;

/** Times that an artifact is stored in one attempt: again only when somebody removes it at the same time. */
const MAX_STORES = 3;

/** Parts of the progress bar in percent: the source is read, the pages are rendered, the artifact is stored. */
const RENDER_FROM = 3;
const RENDER_TO = 92;
const STORE_TO = 98;

/** Exports as jobs: snapshot, render, store, pack, commit. */
export function createExportKind(adapters: ExportJobAdapters): Kind {
  return {
    name: EXPORT_KIND,
    unfinished: sql`
      SELECT id, organization_id, NULL AS lane, attempt FROM exports WHERE status IN ('queued', 'running')`,
    maxFailures: MAX_FAILURES,
    async begin(tx, fence) {
      const row = await beginExport(tx, fence);
      return row && { run: (lease) => runAttempt(adapters, row, lease) };
    },
    failureOf,
    release: (tx, fence) => requeueExport(tx, fence, 'released'),
    retry: (tx, fence) => requeueExport(tx, fence, 'retried'),
    async fail(tx, fence, failure, tries) {
      const isFailed = await failExport(tx, fence, failureText(failure, tries));
      if (isFailed) await adapters.onEnd?.(tx, fence.id);
      return isFailed;
    },
  };
}

async function runAttempt(adapters: ExportJobAdapters, row: ExportRow, lease: Lease): Promise<string> {
  const log = adapters.log.child({ exportId: row.id, attempt: row.attempt });
  log.info({ domain: row.domain }, 'export claimed');
  const pageCount = await makeExport(adapters, row, lease);
  const outcome = pageCount === null ? 'lost' : 'completed';
  log.info({ outcome, pageCount }, 'export ended');
  return outcome;
}

/** Steps 1 to 5; the number of pages, or null when the attempt had lost the export at the end. */
async function makeExport(adapters: ExportJobAdapters, row: ExportRow, lease: Lease): Promise<number | null> {
  const { db, blobs } = adapters;
  const { signal, folder } = lease;
  const organizationId = row.organization_id;
  const fence = { id: row.id, attempt: row.attempt, organizationId };
  const progress = followProgress(db, fence, lease.lose);
  try {
    const product = await adapters.produce(row, folder, {
      signal,
      keepPages: true,
      onSource: ({ commit, commitInfo }) =>
        progress.report({ progress: RENDER_FROM, phase: 'rendering', commit, commitInfo }),
      onRender: ({ rendered, total }) =>
        progress.report({
          phase: rendered === total ? 'writing' : 'rendering',
          progress: RENDER_FROM + (RENDER_TO - RENDER_FROM) * (total === 0 ? 1 : rendered / total),
          pageCount: rendered,
          totalPages: total,
        }),
    });
    signal.throwIfAborted();
    const { index, readChunk, links, earlier } = product;
    await checkIndex(index, readChunk);
    const { version, commit, commitInfo, pageCount, access, warnings, warningCount } = product;
    const { artifact, bundle } = index;
    const result = {
      version,
      commit,
      commitInfo,
      pageCount,
      access,
      warnings,
      warningCount,
      artifact,
      bundle,
    };
    for (let round = 1; round <= MAX_STORES; round++) {
      await inSpan('export store', { attributes: { 'offprint.artifact.bytes': artifact.bytes } }, () =>
        storeArtifact(blobs, organizationId, index, readChunk, {
          links,
          earlier,
          onProgress: (stored, total) =>
            progress.report({
              phase: 'storing',
              progress: RENDER_TO + (STORE_TO - RENDER_TO) * (stored / total),
            }),
        }),
      );
      signal.throwIfAborted();
      progress.report({ phase: 'packing', progress: STORE_TO });
      await inSpan('export pack', {}, () => storeBundle(blobs, organizationId, index, readChunk));
      signal.throwIfAborted();
      await progress.end();
      const isWhole = () => isStored(blobs, organizationId, index);
      const outcome = await completeExport(db, fence, result, isWhole, adapters.onEnd);
      if (outcome === 'completed') {
        // The site can be served from here on; a worker that is killed now only makes the next export slower.
        await product.keepPages();
        return pageCount;
      }
      if (outcome !== 'not stored') return null;
      // The last other export with the same artifact was deleted, files and all, while this one found them there.
    }
    throw new Error(`the artifact of bundle ${bundle.sha256} does not stay stored`);
  } finally {
    await progress.end();
  }
}

function failureText(failure: Failure, tries: number): { code: string; message: string } {
  if (!failure.retryable) return failure;
  return {
    code: failure.code,
    message: `${failure.message} It failed ${tries} times. Start a new export later.`,
  };
}
