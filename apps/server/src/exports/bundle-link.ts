import type { ExportBundle } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { isWithinProjects } from '../platform/db/within-projects.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { runOnce, type StoredAnswer } from '../platform/http/idempotency.ts';
import type { Reach } from '../platform/http/route.ts';
import { bundleKey, indexKey, packBundle } from './artifact.ts';
import { lockBundle } from './bundle-use.ts';
import { type LookUpExport, requireExport } from './look-up.ts';
import { explainLoss } from './lost-artifact.ts';
import { requireExportPlan } from './plan.ts';
import { notCompleted } from './present.ts';
import { removeUnused } from './retention.ts';
import { columns, type Db, type ExportRow, findExport, isPublishedExport } from './store.ts';

/** Seconds that a link works when nobody says otherwise. */
const LINK_SECONDS = 3_600;

export interface BundleLinkAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  lookUp: LookUpExport;
  idempotencyHours: number;
  /** Seals responses that hold a link while they are kept for replay. */
  answerKey: Buffer;
}

export interface BundleLinks {
  /** A fresh link; packs the bundle again when it is gone. */
  bundle(organizationId: string, id: string, expiresIn: number | undefined): Promise<ExportBundle>;
  /** `bundle` for what is live, whatever the plan of the organization is by now. */
  servedBundle(organizationId: string, id: string): Promise<ExportBundle>;
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
    reach: Reach,
    query: { domain: string; version?: string | undefined; expiresIn: number },
    isKnown: (sha256: string) => boolean,
  ): Promise<ExportBundle | { sha256: string; bundleUrl: null }>;
}

export function createBundleLinks(adapters: BundleLinkAdapters): BundleLinks {
  const { db, blobs, lookUp } = adapters;
  // Calls for one bundle in this process share one packing; in another process it makes the same bytes.
  const packing = new Map<string, Promise<void>>();

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
      if (fault !== null) throw await explainLoss(db, row, fault.error);
    }
    return { key, sha256, bytes };
  };

  const linkTo = async (row: ExportRow, expiresIn: number): Promise<ExportBundle> => {
    const { key, sha256, bytes } = await requireBundle(row);
    const version = row.version ?? sha256.slice(0, 12);
    const name = `${row.domain.replace(/^_+/, '').slice(0, 100)}-${version}`;
    const { url, expiresAt } = await blobs.signUrl(key, { expiresIn, fileName: `${name}.tar.gz` });
    const index = await blobs.signUrl(indexKey(row.organization_id, sha256), {
      expiresIn,
      fileName: `${name}.json`,
    });
    return {
      jobId: row.id,
      bundleUrl: url,
      sizeBytes: bytes,
      expiresAt: expiresAt.toISOString(),
      sha256,
      version,
      indexUrl: index.url,
    };
  };

  const bundle: BundleLinks['bundle'] = async (organizationId, id, expiresIn) => {
    await requireExportPlan(db, organizationId);
    return linkTo(await requireExport(lookUp, organizationId, id), expiresIn ?? LINK_SECONDS);
  };

  return {
    bundle,
    servedBundle: async (organizationId, id) =>
      linkTo(await requireExport(lookUp, organizationId, id), LINK_SECONDS),

    async bundleOnce(organizationId, id, body, request) {
      // Before the transaction of the key starts: packing can take longer than a transaction may, and code
      // that holds one connection must not wait for another.
      const link = await bundle(organizationId, id, body?.expiresIn);
      const answer = { status: 200, body: link, headers: {} };
      if (request.key === undefined) return answer;
      const once = {
        organizationId,
        route: request.target,
        key: request.key,
        body: body ?? {},
        hours: adapters.idempotencyHours,
        // A reader of the database must not find a link that works.
        sealKey: adapters.answerKey,
      };
      return runOnce(db, once, async () => answer);
    },

    async latestBundle(reach, { domain, version, expiresIn }, isKnown) {
      await requireExportPlan(db, reach.organizationId);
      const row = await findLatest(db, reach, { domain, version });
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
  };
}

/**
 * The completed export of the domain that was started last. Without a label only exports of everything count: all
 * pages of the published branch with the default options. With one, also others that were started with that label:
 * labels made of a commit are shared by exports of parts of it.
 */
function findLatest(
  db: Db,
  { organizationId, projects }: Reach,
  wanted: { domain: string; version: string | undefined },
): Promise<ExportRow | undefined> {
  let query = db
    .selectFrom('exports')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('domain', '=', wanted.domain)
    .where('is_variant', '=', false)
    .where('status', '=', 'completed')
    .where(isWithinProjects(projects));
  if (wanted.version === undefined) query = query.where(isPublishedExport);
  else {
    query = query
      .where('version', '=', wanted.version)
      .where((eb) => eb.or([isPublishedExport, eb('version_requested', '=', wanted.version ?? null)]));
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
}
