import { setTimeout as delay } from 'node:timers/promises';
import {
  type ExportBundle,
  type ExportChanges,
  type ExportJob,
  type ExportPreview,
  type ExportStatus,
  type ExportWarning,
  isWellFormedId,
  type StartExportBody,
} from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import { requirePlan } from '../organizations/service.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { whileAwake } from '../platform/db/awake.ts';
import { batchLookups } from '../platform/db/batch.ts';
import type { Database, ExportTrigger } from '../platform/db/database.ts';
import type { Listener } from '../platform/db/listen.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { etagOf } from '../platform/http/etag.ts';
import { hasAnswer, runOnce, type StoredAnswer } from '../platform/http/idempotency.ts';
import type { ServerEvent } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import type { Queue } from '../platform/jobs/queue.ts';
import { readProject, readProjectByDomain } from '../projects/service.ts';
import { bundleKey, packBundle, removeArtifact } from './artifact.ts';
import { compareFiles } from './changes.ts';
import type { FindUnknownPath } from './path-check.ts';
import { isFinished, presentExport, versionOf } from './present.ts';
import { readPreview, signPreview } from './preview-token.ts';
import { type SourceLink, sourceLinks } from './source-link.ts';
import {
  cancelExport,
  countActive,
  deleteFinished,
  EXPORT_CHANGED,
  type ExportRow,
  findCompletedBefore,
  findExport,
  findExports,
  findLatest,
  findUnread,
  findWarnings,
  insertExport,
  listExports,
  lockBundle,
  setQueueEntry,
  usesBundle,
} from './store.ts';
import { createArtifactReader, type StoredArtifact } from './stored-artifact.ts';

/** Name of the queue of exports; a payload is `{exportId}`. */
export const EXPORT_QUEUE = 'exports';

export interface ExportPayload {
  exportId: string;
}

/** What the plan has to include. */
const FEATURE = 'Static export';

/** Seconds that a link works when nobody says otherwise. */
const LINK_SECONDS = 3_600;

/** Seconds that an export can be looked at before somebody asks again. */
const PREVIEW_SECONDS = 3_600;

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
      projectId?: string | undefined;
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
  /**
   * The bundle of the newest export of the domain, or of the newest with the label; only its digest, with nothing
   * packed or signed, when `isKnown` says that the caller has it.
   */
  latestBundle(
    organizationId: string,
    query: { domain: string; version?: string | undefined; expiresIn: number },
    isKnown: (sha256: string) => boolean,
  ): Promise<ExportBundle | { sha256: string; bundleUrl: null }>;
  cancel(organizationId: string, id: string): Promise<ExportJob>;
  delete(organizationId: string, id: string): Promise<void>;
  warnings(organizationId: string, id: string): Promise<ExportWarning[]>;
  /** What the export has that an earlier one (`since`, default the one before it) had not, and the other way round. */
  changes(organizationId: string, id: string, since: string | undefined): Promise<ExportChanges>;
  /** An address at which the export is served for an hour. */
  createPreview(organizationId: string, id: string): Promise<ExportPreview>;
  /** What the token of a preview grants; else what is wrong with it. */
  openPreview(token: string): Promise<OpenPreview | 'invalid' | 'expired'>;
  /**
   * `progress` now and at every change, then `done`. With the id of the event that a client has seen last, what that
   * told is left out.
   */
  events(
    organizationId: string,
    id: string,
    request: { lastEventId: string | undefined; signal: AbortSignal },
  ): Promise<AsyncIterable<ServerEvent>>;
}

/** An export that is being looked at. */
export interface OpenPreview {
  exportId: string;
  /** Where it begins, without a slash at the end. */
  url: string;
  secondsLeft: number;
  artifact: StoredArtifact;
}

export interface ExportAdapters {
  db: Kysely<Database>;
  queue: Queue;
  blobs: BlobStore;
  listener: Listener;
  findUnknownPath: FindUnknownPath;
  maxActiveExports: number;
  idempotencyHours: number;
  /** Seals answers that hold a link while they are kept to be given again. */
  answerKey: Buffer;
  /** Signs the addresses of previews, which begin with `url`. */
  preview: { key: Buffer; url(): string };
}

export function createExportService(adapters: ExportAdapters): ExportService {
  const { db, queue, blobs, listener } = adapters;
  // Calls for one bundle in this process share one packing; in another process it makes the same bytes.
  const packing = new Map<string, Promise<void>>();
  const artifacts = createArtifactReader(blobs);

  // Status polls come by the hundred; those that come together are one query.
  const lookUp = batchLookups(async (names) => {
    const wanted = names.map((name) => JSON.parse(name) as { organizationId: string; id: string });
    const rows = await findExports(db, wanted);
    return new Map(rows.map((row) => [nameOf(row.organization_id, row.id), row]));
  });
  const nameOf = (organizationId: string, id: string) => JSON.stringify({ organizationId, id });

  const find = async (organizationId: string, id: string): Promise<ExportRow> => {
    // What cannot be an id is not asked for together with what can.
    const row = isWellFormedId('export', id) ? await lookUp(nameOf(organizationId, id)) : undefined;
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
    return linkTo(await find(organizationId, id), expiresIn ?? LINK_SECONDS);
  };

  const linkTo = async (row: ExportRow, expiresIn: number): Promise<ExportBundle> => {
    const { key, sha256, bytes } = await requireBundle(row);
    const version = row.version ?? sha256.slice(0, 12);
    const { url, expiresAt } = await blobs.signUrl(key, {
      expiresIn,
      fileName: `${row.domain.replace(/^_+/, '').slice(0, 100)}-${version}.tar.gz`,
    });
    return {
      jobId: row.id,
      bundleUrl: url,
      sizeBytes: bytes,
      expiresAt: expiresAt.toISOString(),
      sha256,
      version,
    };
  };

  /** The artifact of a completed export; throws the 409 for one that is not. */
  const openArtifact = async (row: ExportRow): Promise<StoredArtifact> => {
    if (row.status !== 'completed' || row.bundle_sha256 === null) {
      throw new AppError('not_completed', notCompleted(row));
    }
    const artifact = await artifacts.open(row.organization_id, row.bundle_sha256);
    // Deleted since the row was read.
    if (artifact === null) throw notFound('export');
    return artifact;
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
        const job = await startExportIn(tx, adapters, organizationId, body, {
          createdBy: request.createdBy,
          trigger: 'call',
        });
        return {
          status: 202,
          body: job,
          headers: { Location: `/v1/static-export/jobs/${job.jobId}`, 'Retry-After': '1' },
        };
      });
    },

    async list(organizationId, query) {
      const rows = await listExports(db, organizationId, {
        domain: query.domain,
        projectId: query.projectId,
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
        // Whoever reads the database must not find a link that works.
        sealKey: adapters.answerKey,
      };
      return runOnce(db, once, async () => answer);
    },

    async latestBundle(organizationId, { domain, version, expiresIn }, isKnown) {
      await requirePlan(db, organizationId, FEATURE, 'enterprise');
      const row = await findLatest(db, organizationId, { domain, version });
      if (row === undefined) {
        throw version === undefined
          ? new AppError(
              'not_found',
              `There is no completed export of all of ${domain}: every page of the published branch, default options. Start one, or check the domain.`,
              { param: 'domain' },
            )
          : new AppError(
              'not_found',
              `There is no completed export of ${domain} with the label ${JSON.stringify(version)}. Start one, or check the label.`,
              { param: 'version' },
            );
      }
      const { bundle_sha256: sha256 } = row;
      return sha256 !== null && isKnown(sha256) ? { sha256, bundleUrl: null } : linkTo(row, expiresIn);
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
      const link = await findSourceLink(organizationId, row);
      return row.warnings.map((warning) => ({ ...warning, sourceUrl: link(warning.file, warning.line) }));
    },

    async changes(organizationId, id, since) {
      const row = await find(organizationId, id);
      const after = await openArtifact(row);
      const other =
        since === undefined ? await findCompletedBefore(db, row) : await find(organizationId, since);
      const before = other === undefined ? [] : (await openArtifact(other)).manifest.files;
      return { jobId: id, since: other?.id ?? null, ...compareFiles(before, after.manifest.files) };
    },

    async createPreview(organizationId, id) {
      await openArtifact(await find(organizationId, id));
      const { key } = adapters.preview;
      const expiresAt = new Date((Math.floor(Date.now() / 1000) + PREVIEW_SECONDS) * 1000);
      const token = signPreview(key, { organizationId, exportId: id, expiresAt });
      return { url: `${previewUrl(token)}/`, expiresAt: expiresAt.toISOString() };
    },

    async openPreview(token) {
      const now = new Date();
      const read = readPreview(adapters.preview.key, token, now);
      if ('fault' in read) return read.fault;
      const { organizationId, exportId, expiresAt } = read.grant;
      // Each time: the preview of an export ends with it.
      const row = await lookUp(nameOf(organizationId, exportId));
      if (row?.status !== 'completed' || row.bundle_sha256 === null) return 'invalid';
      const artifact = await artifacts.open(organizationId, row.bundle_sha256);
      if (artifact === null) return 'invalid';
      const secondsLeft = Math.floor((expiresAt.getTime() - now.getTime()) / 1000);
      return { exportId, url: previewUrl(token), secondsLeft, artifact };
    },

    async events(organizationId, id, { lastEventId, signal }) {
      const first = await find(organizationId, id);
      return follow(first);

      async function* follow(row: ExportRow): AsyncGenerator<ServerEvent> {
        let job = presentExport(row);
        if (eventIdOf(job) !== lastEventId) yield { id: eventIdOf(job), event: 'progress', data: job };
        while (job.status !== 'completed' && job.status !== 'failed') {
          const known = JSON.stringify(job);
          const isKnown = (now: ExportJob) => JSON.stringify(now) === known;
          job = await readChanged(organizationId, id, { seconds: 60, isKnown, signal });
          if (signal.aborted) return;
          if (!isKnown(job)) yield { id: eventIdOf(job), event: 'progress', data: job };
          // Two changes in one breath are one event.
          await delay(50);
        }
        yield { id: eventIdOf(job), event: 'done', data: job };
      }
    },
  };

  function previewUrl(token: string): string {
    return `${adapters.preview.url()}/preview/${token}`;
  }

  async function findSourceLink(
    organizationId: string,
    { project_id: projectId, commit }: { project_id: string | null; commit: string | null },
  ): Promise<SourceLink> {
    if (projectId === null || commit === null) return noLink;
    const project = await readProject(db, organizationId, projectId).catch(() => null);
    if (project?.source_kind !== 'git' || project.repository === null) return noLink;
    return sourceLinks({ repository: project.repository, folder: project.folder, commit });
  }
}

const noLink: SourceLink = () => null;

/** The same for the same state, so that a client that comes back need not be told it again. */
function eventIdOf(job: ExportJob): string {
  return etagOf(JSON.stringify(job)).slice(1, -1);
}

/** Queues an export in the caller's transaction; throws what the start call answers. */
export async function startExportIn(
  tx: Transaction<Database>,
  adapters: Pick<ExportAdapters, 'queue' | 'maxActiveExports'>,
  organizationId: string,
  body: StartExportBody,
  start: {
    /** Who starts it, for people. */
    createdBy: string;
    trigger: ExportTrigger;
  },
): Promise<ExportJob> {
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
  await insertExport(tx, { id, organizationId, projectId: project.id, body, ...start });
  const entry = await adapters.queue.enqueue<ExportPayload>(tx, EXPORT_QUEUE, { exportId: id });
  return presentExport(await setQueueEntry(tx, id, entry));
}

/**
 * Id of a queued export that will read the ref (null: the published branch) as it is now or later; null: none. Holds
 * back others who start exports of the organization until the transaction ends.
 */
export async function findWaitingExport(
  tx: Transaction<Database>,
  organizationId: string,
  wanted: { domain: string; ref: string | null },
): Promise<string | null> {
  await countActive(tx, organizationId);
  return findUnread(tx, organizationId, wanted);
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
  await whileAwake(tx, () => removeArtifact(blobs, organizationId, bundle));
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
