import type { ExportJob, StartExportBody } from '@offprint/contract';
import type { WantedServices } from '@offprint/render';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type Quotas, requireStorage, takeDaily } from '../audit/service.ts';
import { lockOrganization } from '../organizations/service.ts';
import { type Database, type ExportTrigger, json } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { hasAnswer, runOnce, type StoredAnswer } from '../platform/http/idempotency.ts';
import type { Reach } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import { enqueueJob } from '../platform/jobs/jobs.ts';
import { readProjectByDomain } from '../projects/service.ts';
import { addEvent } from './journal.ts';
import type { FindUnknownPath } from './path-check.ts';
import { requireExportPlan } from './plan.ts';
import { presentExport } from './present.ts';
import { columns, type ExportRow, isFullExport } from './store.ts';

/** Kind of the jobs that work on exports. */
export const EXPORT_KIND = 'export';

export interface StartAdapters {
  db: Kysely<Database>;
  findUnknownPath: FindUnknownPath;
  maxActiveExports: number;
  quotas: Quotas;
  idempotencyHours: number;
}

export interface StartRequest {
  key: string | undefined;
  target: string;
  signal: AbortSignal;
  /** The person who starts it, for display. */
  createdBy: string;
}

/** Queues an export, once per `Idempotency-Key`; the response is 202 with the job. */
export async function startExport(
  adapters: StartAdapters,
  reach: Reach,
  body: StartExportBody,
  request: StartRequest,
): Promise<StoredAnswer> {
  const { db } = adapters;
  const once = {
    organizationId: reach.organizationId,
    route: request.target,
    key: request.key,
    body,
    hours: adapters.idempotencyHours,
  };
  // Before the transaction: reading the source can take longer than one may.
  if (body.paths !== undefined && !(await hasAnswer(db, once))) {
    await requirePages(adapters, reach, body, request.signal);
  }
  return runOnce(db, once, async (tx) => {
    const job = await startExportIn(tx, adapters, reach, body, {
      createdBy: request.createdBy,
      trigger: 'call',
    });
    return {
      status: 202,
      body: job,
      headers: { Location: `/v1/static-export/jobs/${job.jobId}`, 'Retry-After': '1' },
    };
  });
}

/** Throws the 400 for the first path that is not a page, if the check has a result. */
async function requirePages(
  { db, findUnknownPath }: StartAdapters,
  reach: Reach,
  body: StartExportBody,
  signal: AbortSignal,
): Promise<void> {
  const { organizationId } = reach;
  const { id } = await admit(db, reach, body);
  const { paths = [] } = body;
  const at = await findUnknownPath({
    project: { organizationId, id },
    ref: body.source?.ref ?? null,
    paths,
    groups: body.options?.groups ?? [],
    signal,
  });
  if (at === null) return;
  throw new AppError(
    'unknown_page',
    `${JSON.stringify(paths[at]?.slice(0, 200))} is not a page of ${body.domain}. Name pages by their path, such as "guides/start".`,
    { param: `/paths/${at}` },
  );
}

/** Queues an export in the caller's transaction; throws the errors of the start endpoint. */
export async function startExportIn(
  tx: Transaction<Database>,
  adapters: Pick<StartAdapters, 'maxActiveExports' | 'quotas'>,
  reach: Reach,
  body: StartExportBody,
  start: {
    /** The person who starts it, for display. */
    createdBy: string;
    trigger: ExportTrigger;
    /** Services of the platform that pages use; default none. */
    services?: WantedServices;
  },
): Promise<ExportJob> {
  const { organizationId } = reach;
  const project = await admit(tx, reach, body);
  const active = await countActive(tx, organizationId);
  if (active >= adapters.maxActiveExports) {
    throw new AppError(
      'too_many_exports',
      `${active} exports of the organization are queued or running, which is the limit. Wait for one to finish or cancel one.`,
      { headers: { 'Retry-After': '5' } },
    );
  }
  await requireStorage(tx, organizationId, adapters.quotas.storageMb);
  await takeDaily(tx, organizationId, 'exports', adapters.quotas.dailyExports);
  const id = newId('se');
  return presentExport(await insertExport(tx, { id, organizationId, projectId: project.id, body, ...start }));
}

/**
 * Id of a queued export of everything that will read the ref (null: the published branch) as it is now or later;
 * null: none. Holds back others who start exports of the organization until the transaction ends.
 */
export async function findWaitingExport(
  tx: Transaction<Database>,
  organizationId: string,
  wanted: { projectId: string; domain: string; ref: string | null },
): Promise<string | null> {
  await lockOrganization(tx, organizationId);
  const row = await tx
    .selectFrom('exports')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', wanted.projectId)
    .where('domain', '=', wanted.domain)
    .where('status', '=', 'queued')
    .where('attempt', '=', 0)
    .where(isFullExport)
    .where(sql<boolean>`ref_requested IS NOT DISTINCT FROM ${wanted.ref}`)
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The project that the request exports; throws if it does not exist, or may not be exported like that. */
async function admit(db: Kysely<Database> | Transaction<Database>, reach: Reach, body: StartExportBody) {
  await requireExportPlan(db, reach.organizationId);
  const project = await readProjectByDomain(db, reach, body.domain);
  if (body.source?.ref === undefined || project.source_kind === 'git') return project;
  throw new AppError(
    'invalid_request',
    `The project has no repository, so /source/ref cannot name a part of it. Leave it out.`,
    { param: '/source/ref' },
  );
}

/** Adds a queued export with its job and its first history row. */
export async function insertExport(
  tx: Transaction<Database>,
  wanted: {
    id: string;
    organizationId: string;
    projectId: string;
    body: StartExportBody;
    createdBy: string;
    trigger: ExportTrigger;
    services?: WantedServices;
  },
): Promise<ExportRow> {
  const { id, organizationId, body } = wanted;
  const row = await tx
    .insertInto('exports')
    .values({
      id,
      organization_id: organizationId,
      project_id: wanted.projectId,
      domain: body.domain,
      version: body.version ?? null,
      version_requested: body.version ?? null,
      ref_requested: body.source?.ref ?? null,
      paths: body.paths === undefined ? null : json([...new Set(body.paths)]),
      include_unlisted: body.options?.includeUnlisted ?? true,
      groups: json([...new Set(body.options?.groups ?? [])]),
      services: json(wanted.services ?? {}),
      created_by: wanted.createdBy,
      trigger: wanted.trigger,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  await addEvent(tx, { id, attempt: 0 }, 'queued');
  await enqueueJob(tx, { id, kind: EXPORT_KIND, organizationId });
  return row;
}

/**
 * Queued and running exports of the organization. Serializes the starts of exports of one organization until
 * their transaction ends, so that the count holds.
 */
async function countActive(tx: Transaction<Database>, organizationId: string): Promise<number> {
  await lockOrganization(tx, organizationId);
  const row = await tx
    .selectFrom('exports')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('organization_id', '=', organizationId)
    .where('is_variant', '=', false)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirstOrThrow();
  return row.count;
}
