import type {
  ChangeReport,
  ExportChanges,
  ExportJob,
  ExportPageChanges,
  ExportPreview,
  ExportStatus,
  ExportWarning,
  StartExportBody,
} from '@offprint/contract';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Listener } from '../platform/db/listen.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError } from '../platform/http/error.ts';
import type { StoredAnswer } from '../platform/http/idempotency.ts';
import type { Reach, ServerEvent } from '../platform/http/route.ts';
import type { Logger } from '../platform/log.ts';
import { type BundleLinkAdapters, type BundleLinks, createBundleLinks } from './bundle-link.ts';
import { compareExportPage, compareExports, reportExports } from './comparison.ts';
import { followExport, type Wait, waitForExport } from './follow.ts';
import { cancelExport } from './journal.ts';
import { createLookUp, requireExport } from './look-up.ts';
import { presentExport } from './present.ts';
import { createPreview, type OpenPreview, openPreview, type PreviewAdapters } from './preview.ts';
import { removeExport } from './retention.ts';
import type { RunQueries } from './run-queries.ts';
import { type StartAdapters, type StartRequest, startExport } from './start.ts';
import { findExportOfBundle, listExports } from './store.ts';
import { createArtifactReader, createOpenExport, type StoredArtifact } from './stored-artifact.ts';
import { readWarnings } from './warnings.ts';

export { unfinishedVectorsKey, vectorsKey } from './artifact.ts';
export { lockBundle, usesBundle } from './bundle-use.ts';
export { cancelExport, type OnExportEnd } from './journal.ts';
export { checksText, code, reportMarkdown } from './report-markdown.ts';
export { previewRetention, type Retention, type RetentionPreview, removeExport } from './retention.ts';
export { findWaitingExport, startExportIn } from './start.ts';
export type { StoredArtifact } from './stored-artifact.ts';
export { removeVariants, startVariantIn } from './variant.ts';

export interface ExportService extends BundleLinks {
  /** Queues an export; the response is 202 with the job. */
  start(reach: Reach, body: StartExportBody, request: StartRequest): Promise<StoredAnswer>;
  read(organizationId: string, id: string): Promise<ExportJob>;
  /** Reads when the export is no longer in the state `isKnown`, or after `seconds`. */
  readChanged(organizationId: string, id: string, wait: Wait): Promise<ExportJob>;
  list(
    reach: Reach,
    query: {
      domain?: string | undefined;
      projectId?: string | undefined;
      status?: ExportStatus | undefined;
      cursor?: string | undefined;
      limit: number;
    },
  ): Promise<{ data: ExportJob[]; nextCursor: string | null }>;
  cancel(organizationId: string, id: string): Promise<ExportJob>;
  /** Deletes a finished export, also where the store fails: the sweep then removes what is left of it. */
  delete(organizationId: string, id: string): Promise<void>;
  warnings(organizationId: string, id: string): Promise<ExportWarning[]>;
  /** What the export has that an earlier one (`since`, default the one before it) had not, and the other way round. */
  changes(reach: Reach, id: string, since: string | undefined): Promise<ExportChanges>;
  /** What differs in one page of the same two exports. */
  pageChanges(
    reach: Reach,
    id: string,
    query: { path: string; since?: string | undefined },
  ): Promise<ExportPageChanges>;
  /** What changes for readers since the same earlier one. */
  report(reach: Reach, id: string, since: string | undefined): Promise<ChangeReport>;
  /** Its stored files. Throws the 410 for a lost artifact. */
  openArtifact(organizationId: string, id: string): Promise<StoredArtifact>;
  /** The stored artifact of a bundle. Throws the 410 if files of it are missing. */
  openBundle(organizationId: string, sha256: string): Promise<StoredArtifact>;
  /** An address at which the export is served for an hour. */
  createPreview(organizationId: string, id: string): Promise<ExportPreview>;
  /** What the token of a preview grants; else what is wrong with it. */
  openPreview(token: string): Promise<OpenPreview | 'invalid' | 'expired'>;
  /**
   * `progress` now and at every change, then `done`. With the id of the event that a client has seen last,
   * earlier state is left out.
   */
  events(
    organizationId: string,
    id: string,
    request: { lastEventId: string | undefined; signal: AbortSignal },
  ): Promise<AsyncIterable<ServerEvent>>;
}

export interface ExportAdapters extends StartAdapters, Omit<BundleLinkAdapters, 'lookUp'> {
  blobs: BlobStore;
  listener: Listener;
  log: Logger;
  preview: Pick<PreviewAdapters, 'key' | 'url'>;
  /** Runs test queries on the searches of exports. */
  runQueries: RunQueries;
}

export function createExportService(adapters: ExportAdapters): ExportService {
  const { db, blobs, listener } = adapters;
  const lookUp = createLookUp(db);
  const artifacts = createArtifactReader(blobs);
  const openExport = createOpenExport(db, artifacts);
  const previews = { ...adapters.preview, lookUp, openExport };
  const find = (organizationId: string, id: string) => requireExport(lookUp, organizationId, id);

  return {
    ...createBundleLinks({ ...adapters, lookUp }),
    start: (reach, body, request) => startExport(adapters, reach, body, request),
    read: async (organizationId, id) => presentExport(await find(organizationId, id)),
    readChanged: (organizationId, id, wait) =>
      waitForExport({ listener, find: () => find(organizationId, id) }, wait),
    warnings: (organizationId, id) => readWarnings(db, organizationId, id),
    changes: (reach, id, since) => compareExports({ db, lookUp, openExport }, { reach, id, since }),
    pageChanges: (reach, id, { path, since }) =>
      compareExportPage({ db, lookUp, openExport }, { reach, id, path, since }),
    report: (reach, id, since) =>
      reportExports({ db, lookUp, openExport, blobs, runQueries: adapters.runQueries }, { reach, id, since }),
    openArtifact: async (organizationId, id) => openExport(await find(organizationId, id)),
    async openBundle(organizationId, sha256) {
      const row = await findExportOfBundle(db, organizationId, sha256);
      return row === undefined ? artifacts.open(organizationId, sha256) : openExport(row);
    },
    createPreview: (organizationId, id) => createPreview(previews, organizationId, id),
    openPreview: (token) => openPreview(previews, token),

    async list(reach, query) {
      const rows = await listExports(db, reach, {
        domain: query.domain,
        projectId: query.projectId,
        status: query.status,
        after: parseCursor(query.cursor),
        limit: query.limit,
      });
      return pageOf(rows, query.limit, presentExport);
    },

    async cancel(organizationId, id) {
      const cancelled = await cancelExport(db, organizationId, id);
      return presentExport(cancelled ?? (await find(organizationId, id)));
    },

    async delete(organizationId, id) {
      const { isDeleted, fault } = await removeExport(db, blobs, organizationId, id);
      if (fault !== undefined) {
        adapters.log.warn(
          { err: fault, exportId: id },
          'files of a deleted export could not be deleted; the next cleanup deletes them',
        );
      }
      if (isDeleted) return;
      const { status } = await find(organizationId, id);
      if (status === 'completed' || status === 'failed') {
        throw new AppError(
          'export_deployed',
          'A site serves the export, or can go back to it. Delete its deployment first.',
        );
      }
      throw new AppError('not_finished', `The export is ${status}. Cancel it first, or wait for its end.`);
    },

    async events(organizationId, id, request) {
      const first = await find(organizationId, id);
      return followExport({ listener, find: () => find(organizationId, id) }, first, request);
    },
  };
}
