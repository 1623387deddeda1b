import { setTimeout as delay } from 'node:timers/promises';
import type {
  ExportBundle,
  ExportJob,
  ExportStatus,
  ExportWarning,
  StartExportBody,
} from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import { requirePlan } from '../organizations/service.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database, ExportTrigger } from '../platform/db/database.ts';
import type { Listener } from '../platform/db/listen.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { hasAnswer, runOnce, type StoredAnswer } from '../platform/http/idempotency.ts';
import type { ServerEvent } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import type { Queue } from '../platform/jobs/queue.ts';
import { readProjectByDomain } from '../projects/service.ts';
import { bundleKey, packBundle, removeArtifact } from './artifact.ts';
import type { FindUnknownPath } from './path-check.ts';
import { isFinished, presentExport, versionOf } from './present.ts';
import {
  cancelExport,
  countActive,
  deleteFinished,
  EXPORT_CHANGED,
  type ExportRow,
  findExport,
  findWarnings,
  insertExport,
  listExports,
  lockBundle,
  setQueueEntry,
  usesBundle,
} from './store.ts';

/** Name of the queue of exports; a payload is `{exportId}`. */
export const EXPORT_QUEUE = 'exports';

export interface ExportPayload {
  exportId: string;
}

/** What the plan has to include. */
const FEATURE = 'Static export';

/** Seconds that a link works when nobody says otherwise. */
const LINK_SECONDS = 3_600;

/** A notification can be lost, so a waiter looks at the row this often. */
const POLL_MS = 2_000;

export interface ExportService {
  /** Queues an export; the answer is 202 with the job. */
  start(
    organizationId: string,
    body: StartExportBody,
    request: {
      key: string | undefined;
      target: string;
      signal: AbortSignal;
      /** Who starts it, for people. */
      createdBy: string;
      /** Default: a call. */
      trigger?: ExportTrigger;
    },
  ): Promise<StoredAnswer>;
  read(organizationId: string, id: string): Promise<ExportJob>;
  /** Reads when the export is no longer in the state `isKnown`, or after `seconds`. */
  readChanged(
    organizationId: string,
    id: string,
    wait: { seconds: number; isKnown: ((job: ExportJob) => boolean) | undefined; signal: AbortSignal },
  ): Promise<ExportJob>;
  list(
    organizationId: string,
    query: {
      domain?: string | undefined;
      status?: ExportStatus | undefined;
      cursor?: string | undefined;
      limit: number;
    },
  ): Promise<{ data: ExportJob[]; nextCursor: string | null }>;
  /** A fresh link; packs the bundle again when it is gone. */
  bundle(organizationId: string, id: string, expiresIn: number | undefined): Promise<ExportBundle>;
  /** `bundle`, once per `Idempotency-Key`. */
  bundleOnce(
    organizationId: string,
    id: string,
    body: { expiresIn?: number | undefined } | undefined,
    request: { key: string | undefined; target: string },
  ): Promise<StoredAnswer>;
  cancel(organizationId: string, id: string): Promise<ExportJob>;
  delete(organizationId: string, id: string): Promise<void>;
  warnings(organizationId: string, id: string): Promise<ExportWarning[]>;
  /** `progress` now and at every change, then `done`. */
  events(organizationId: string, id: string, signal: AbortSignal): Promise<AsyncIterable<ServerEvent>>;
}

export interface ExportAdapters {
  db: Kysely<Database>;
  queue: Queue;
  blobs: BlobStore;
  listener: Listener;
  findUnknownPath: FindUnknownPath;
  maxActiveExports: number;
  idempotencyHours: number;
}

export function createExportService(adapters: ExportAdapters): ExportService {
  const { db, queue, blobs, listener } = adapters;
  // Calls for one bundle in this process share one packing; in another process it makes the same bytes.
  const packing = new Map<string, Promise<void>>();

  const find = async (organizationId: string, id: string): Promise<ExportRow> => {
    const row = await findExport(db, organizationId, id);
    if (row === undefined) throw notFound('export');
    return row;
  };

  const readChanged: ExportService['readChanged'] = async (organizationId, id, wait) => {
    const until = performance.now() + wait.seconds * 1_000;
    const first = await find(organizationId, id);
    const start = versionOf(first);
    const isSame = (row: ExportRow) =>
      wait.isKnown === undefined ? versionOf(row) === start : wait.isKnown(presentExport(row));
    let row = first;
    while (!isFinished(row) && isSame(row) && !wait.signal.aborted) {
      const left = until - performance.now();
      if (left <= 0) break;
      const change = listener.wait(EXPORT_CHANGED, id, Math.min(POLL_MS, left), wait.signal);
      // Again, now that the ear is open: what changed in between would be waited for in vain.
      row = await find(organizationId, id);
      if (!isFinished(row) && isSame(row)) await change;
      row = await find(organizationId, id);
    }
    return presentExport(row);
  };

  const requireBundle = async (row: ExportRow): Promise<{ key: string; sha256: string; bytes: number }> => {
    const { bundle_sha256: sha256, bundle_bytes: bytes } = row;
    if (row.status !== 'completed' || sha256 === null || bytes === null) {
      throw new AppError('not_completed', notCompleted(row));
    }
    const key = bundleKey(row.organization_id, sha256);
    if ((await blobs.stat(key))?.bytes !== bytes) {
      const running = packing.get(key) ?? packBundle(blobs, row.organization_id, sha256);
      packing.set(key, running);
      const fault = await running.then(
        () => null,
        (error: unknown) => ({ error }),
      );
      packing.delete(key);
      const isGone = await db.transaction().execute(async (tx) => {
        // Held by a delete until it is done.
        await lockBundle(tx, row.organization_id, sha256);
        if ((await findExport(tx, row.organization_id, row.id)) !== undefined) return false;
        // Then the artifact was gone, or a bundle was made that nobody else would remove.
        await removeUnused(tx, blobs, row);
        return true;
      });
      if (isGone) throw notFound('export');
      if (fault !== null) throw fault.error;
    }
    return { key, sha256, bytes };
  };

  const bundle: ExportService['bundle'] = async (organizationId, id, expiresIn) => {
    await requirePlan(db, organizationId, FEATURE, 'enterprise');
    const row = await find(organizationId, id);
    const { key, sha256, bytes } = await requireBundle(row);
    const version = row.version ?? sha256.slice(0, 12);
    const { url, expiresAt } = await blobs.signUrl(key, {
      expiresIn: expiresIn ?? LINK_SECONDS,
      fileName: `${row.domain.replace(/^_+/, '').slice(0, 100)}-${version}.tar.gz`,
    });
    return {
      jobId: id,
      bundleUrl: url,
      sizeBytes: bytes,
      expiresAt: expiresAt.toISOString(),
      sha256,
      version,
    };
  };

  /** Throws the 400 for the first path that is no page, if that can be told now. */
  const requirePages = async (
    organizationId: string,
    body: StartExportBody,
    signal: AbortSignal,
  ): Promise<void> => {
    const { id } = await admit(db, organizationId, body);
    const { paths = [] } = body;
    const at = await adapters.findUnknownPath({
      project: { organizationId, id },
      ref: body.source?.ref ?? null,
      paths,
      groups: body.options?.groups ?? [],
      signal,
    });
    if (at === null) return;
    throw new AppError(
      'unknown_page',
      `${JSON.stringify(paths[at]?.slice(0, 200))} is not a page of ${body.domain}. Name pages as their address without host, such as "guides/start".`,
      { param: `/paths/${at}` },
    );
  };

  return {
    readChanged,
    bundle,
    read: async (organizationId, id) => presentExport(await find(organizationId, id)),

    async start(organizationId, body, request) {
      const once = {
        organizationId,
        route: request.target,
        key: request.key,
        body,
        hours: adapters.idempotencyHours,
      };
      // Before the transaction: reading the source can take longer than one may.
      if (body.paths !== undefined && !(await hasAnswer(db, once))) {
        await requirePages(organizationId, body, request.signal);
      }
      return runOnce(db, once, async (tx) => {
        const project = await admit(tx, organizationId, body);
        const active = await countActive(tx, organizationId);
        if (active >= adapters.maxActiveExports) {
          throw new AppError(
            'too_many_exports',
            `${active} exports of the organization are queued or running, which is the limit. Wait for one to finish or cancel one.`,
            { headers: { 'Retry-After': '5' } },
          );
        }
        const id = newId('se');
        await insertExport(tx, {
          id,
          organizationId,
          projectId: project.id,
          body,
          createdBy: request.createdBy,
          trigger: request.trigger ?? 'call',
        });
        const entry = await queue.enqueue<ExportPayload>(tx, EXPORT_QUEUE, { exportId: id });
        const row = await setQueueEntry(tx, id, entry);
        return {
          status: 202,
          body: presentExport(row),
          headers: { Location: `/v1/static-export/jobs/${id}`, 'Retry-After': '1' },
        };
      });
    },

    async list(organizationId, query) {
      const rows = await listExports(db, organizationId, {
        domain: query.domain,
        status: query.status,
        after: parseCursor(query.cursor),
        limit: query.limit,
      });
      return pageOf(rows, query.limit, presentExport);
    },

    async bundleOnce(organizationId, id, body, request) {
      // Before the transaction of the key begins: packing can take longer than a transaction may, and whoever
      // holds one connection must not wait for another.
      const link = await bundle(organizationId, id, body?.expiresIn);
      const answer = { status: 200, body: link, headers: {} };
      if (request.key === undefined) return answer;
      const once = {
        organizationId,
        route: request.target,
        key: request.key,
        body: body ?? {},
        hours: adapters.idempotencyHours,
      };
      return runOnce(db, once, async () => answer);
    },

    async cancel(organizationId, id) {
      const cancelled = await cancelExport(db, organizationId, id);
      if (cancelled?.queue_entry) await queue.cancel(EXPORT_QUEUE, cancelled.queue_entry);
      return presentExport(cancelled ?? (await find(organizationId, id)));
    },

    async delete(organizationId, id) {
      if (await removeExport(db, blobs, organizationId, id)) return;
      const { status } = await find(organizationId, id);
      throw new AppError('not_finished', `The export is ${status}. Cancel it first, or wait for its end.`);
    },

    async warnings(organizationId, id) {
      const row = await findWarnings(db, organizationId, id);
      if (row === undefined) throw notFound('export');
      return row.warnings.map((warning) => ({ ...warning, sourceUrl: null }));
    },

    async events(organizationId, id, signal) {
      const first = await find(organizationId, id);
      return follow(first);

      async function* follow(row: ExportRow): AsyncGenerator<ServerEvent> {
        let job = presentExport(row);
        yield { event: 'progress', data: job };
        while (job.status !== 'completed' && job.status !== 'failed') {
          const known = JSON.stringify(job);
          const isKnown = (now: ExportJob) => JSON.stringify(now) === known;
          job = await readChanged(organizationId, id, { seconds: 60, isKnown, signal });
          if (signal.aborted) return;
          if (!isKnown(job)) yield { event: 'progress', data: job };
          // Two changes in one breath are one event.
          await delay(50);
        }
        yield { event: 'done', data: job };
      }
    },
  };
}

/**
 * Deletes a finished export with what no other export of the organization uses. False when it is not finished
 * or not there.
 */
export async function removeExport(
  db: Kysely<Database>,
  blobs: BlobStore,
  organizationId: string,
  id: string,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const row = await deleteFinished(tx, organizationId, id);
    if (row === undefined) return false;
    await removeUnused(tx, blobs, row);
    return true;
  });
}

/** Removes the artifact and the bundle of an export that is deleted when no other one has them. */
async function removeUnused(tx: Transaction<Database>, blobs: BlobStore, row: ExportRow): Promise<void> {
  const { organization_id: organizationId, artifact_sha256: artifact, bundle_sha256: bundle } = row;
  if (artifact === null || bundle === null) return;
  await lockBundle(tx, organizationId, bundle);
  if (await usesBundle(tx, organizationId, { artifact, bundle })) return;
  await removeArtifact(blobs, organizationId, bundle);
}

/** The project that the request exports; throws when there is none, or it may not be exported like that. */
async function admit(
  db: Kysely<Database> | Transaction<Database>,
  organizationId: string,
  body: StartExportBody,
) {
  await requirePlan(db, organizationId, FEATURE, 'enterprise');
  const project = await readProjectByDomain(db, organizationId, body.domain);
  if (body.source?.ref === undefined || project.source_kind === 'git') return project;
  throw new AppError(
    'invalid_request',
    `The project has no repository, so /source/ref cannot name a part of it. Leave it out.`,
    { param: '/source/ref' },
  );
}

function notCompleted(row: ExportRow): string {
  if (row.status === 'failed')
    return `The export failed: ${row.error ?? 'no reason is known'} Start a new one.`;
  return `The export is ${row.status} (${presentExport(row).progress} %). Ask again when its status is completed.`;
}
