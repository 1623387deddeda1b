import type { Readable } from 'node:stream';
import type {
  CreateProjectBody,
  DeployKey,
  FeatureName,
  Plan,
  Project,
  ProjectFeatures,
  SourceUpload,
  UpdateProjectBody,
  UpdateProjectFeaturesBody,
} from '@offprint/contract';
import type { Excluded } from '@offprint/render';
import { type Kysely, sql, type Transaction } from 'kysely';
import { readOrganization } from '../organizations/service.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { type Database, json } from '../platform/db/database.ts';
import { mayRemoveFiles } from '../platform/db/keep-files.ts';
import { mirrorOf } from '../platform/git/mirror.ts';
import { DEFAULT_GIT_LIMITS, type GitCredential, type GitPolicy } from '../platform/git/policy.ts';
import { newSshKey } from '../platform/git/ssh-key.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { runOnce, type StoredAnswer } from '../platform/http/idempotency.ts';
import type { Reach } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import type { FolderRoot } from './allowed-folder.ts';
import {
  excludedFeatures,
  exclusionOf,
  type FeatureFacts,
  type FeatureSwitches,
  isMeasured,
  resolveFeatures,
  switchFeatures,
} from './feature.ts';
import {
  type Snapshot,
  SnapshotError,
  type SnapshotOptions,
  type SnapshotSource,
  snapshotSource,
} from './snapshot.ts';
import { openCredential, presentSource, type SourceRules, sealCredential, sourceColumns } from './source.ts';
import { starterArchive } from './starter.ts';
import {
  deleteProject,
  findProject,
  findProjectByDomain,
  insertProject,
  listProjects,
  lockProject,
  lockUpload,
  type ProjectRow,
  replaceDomains,
  replaceUpload,
  updateProject,
  usesUpload,
} from './store.ts';
import { receiveUpload, type UploadLimits, uploadKey } from './upload.ts';

export { createConnectionTest, type TestConnection } from './connection.ts';
export { type Snapshot, SnapshotError } from './snapshot.ts';
export type { ProjectRow } from './store.ts';

type Db = Kysely<Database> | Transaction<Database>;

export interface ProjectService {
  /** Creates a project, once per `Idempotency-Key`; the response is 201 with the project. */
  create(
    organizationId: string,
    body: CreateProjectBody,
    request: { key: string | undefined; route: string },
  ): Promise<StoredAnswer>;
  /** Creates a project in the caller's transaction. */
  createIn(tx: Transaction<Database>, organizationId: string, body: CreateProjectBody): Promise<Project>;
  /** Updates a project in the caller's transaction. */
  updateIn(
    tx: Transaction<Database>,
    organizationId: string,
    id: string,
    body: UpdateProjectBody,
  ): Promise<Project>;
  list(
    reach: Reach,
    query: { cursor?: string | undefined; limit: number },
  ): Promise<{ data: Project[]; nextCursor: string | null }>;
  read(organizationId: string, id: string): Promise<Project>;
  /** The project before and after the update. */
  update(
    organizationId: string,
    id: string,
    body: UpdateProjectBody,
  ): Promise<{ before: Project; project: Project }>;
  delete(organizationId: string, id: string): Promise<void>;
  /** Replaces the docs of a project whose source is an upload. */
  putSource(organizationId: string, id: string, bytes: Readable): Promise<SourceUpload>;
  /** Makes an SSH key the credential of the project; the public half. */
  createDeployKey(organizationId: string, id: string): Promise<DeployKey>;
  features(organizationId: string, id: string): Promise<ProjectFeatures>;
  /** Switches features that the deployment type leaves open. `before`, `after`: the switches that were set. */
  updateFeatures(
    organizationId: string,
    id: string,
    body: UpdateProjectFeaturesBody,
  ): Promise<{ before: FeatureSwitches; after: FeatureSwitches; features: ProjectFeatures }>;
}

export interface ProjectAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  sourceRules: SourceRules;
  /** Folder for archives that are being received. */
  workDir: string;
  uploadLimits: UploadLimits;
  idempotencyHours: number;
  /** Configurable features that the installation provides. */
  providedFeatures: ReadonlySet<string>;
  /** Features whose service the installation has set up. */
  services: FeatureFacts['services'];
  /** Why the project has no model; null if it has one. */
  modelFault(row: ProjectRow): Promise<string | null>;
}

export function createProjectService(adapters: ProjectAdapters): ProjectService {
  const { db, blobs } = adapters;

  const find = async (on: Db, organizationId: string, id: string): Promise<ProjectRow> => {
    const row = await findProject(on, organizationId, id);
    if (row === undefined) throw notFound('project');
    return row;
  };

  const createIn: ProjectService['createIn'] = async (tx, organizationId, body) => {
    const id = newId('prj');
    await insertProject(tx, {
      id,
      organization_id: organizationId,
      name: body.name,
      deployment_type: body.deploymentType ?? 'cloud',
      base_path: body.basePath ?? '',
      ...(await sourceColumns(body.source, id, undefined, adapters.sourceRules)),
    });
    if (body.source.kind === 'upload' && body.source.starter === true) {
      await storeStarter(tx, organizationId, id);
    }
    await setDomains(tx, organizationId, id, body.domains ?? []);
    return present(await find(tx, organizationId, id));
  };

  /** Gives a new project the starter site, in the transaction that creates the project. */
  async function storeStarter(tx: Transaction<Database>, organizationId: string, id: string): Promise<void> {
    const { archive, sha256 } = starterArchive();
    const key = uploadKey(organizationId, sha256);
    // Removal of archives waits for the lock, and then sees that this project has it.
    await lockUpload(tx, organizationId, sha256);
    if ((await blobs.stat(key))?.bytes !== archive.length) await blobs.put(key, archive);
    await replaceUpload(tx, organizationId, id, sha256);
  }

  const updateIn: ProjectService['updateIn'] = async (tx, organizationId, id, body) => {
    const before = await find(tx, organizationId, id);
    if (body.source?.kind === 'upload' && body.source.starter !== undefined) {
      throw new AppError(
        'invalid_request',
        'source.starter is for new projects: it would replace the docs of this one. Create a new project for it.',
        { param: '/source/starter' },
      );
    }
    const source =
      body.source === undefined ? {} : await sourceColumns(body.source, id, before, adapters.sourceRules);
    const isUpload = (body.source?.kind ?? before.source_kind) === 'upload';
    await updateProject(tx, organizationId, id, {
      ...source,
      ...(isUpload ? {} : { upload_sha256: null }),
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.deploymentType === undefined ? {} : { deployment_type: body.deploymentType }),
      ...(body.basePath === undefined ? {} : { base_path: body.basePath }),
    });
    if (body.domains !== undefined) await setDomains(tx, organizationId, id, body.domains);
    return present(await find(tx, organizationId, id));
  };

  return {
    createIn,
    updateIn,

    create(organizationId, body, request) {
      const once = {
        organizationId,
        route: request.route,
        key: request.key,
        body,
        hours: adapters.idempotencyHours,
      };
      return runOnce(db, once, async (tx) => {
        const project = await createIn(tx, organizationId, body);
        return { status: 201, body: project, headers: { Location: `/v1/projects/${project.id}` } };
      });
    },

    async list(reach, query) {
      const rows = await listProjects(db, reach, {
        after: parseCursor(query.cursor),
        limit: query.limit,
      });
      return pageOf(rows, query.limit, present);
    },

    read: async (organizationId, id) => present(await find(db, organizationId, id)),

    async update(organizationId, id, body) {
      const { before, project } = await db.transaction().execute(async (tx) => {
        await lockProject(tx, organizationId, id);
        return {
          before: await find(tx, organizationId, id),
          project: await updateIn(tx, organizationId, id, body),
        };
      });
      await dropUpload(organizationId, before.upload_sha256);
      return { before: present(before), project };
    },

    async delete(organizationId, id) {
      const deleted = await deleteProject(db, organizationId, id);
      if (deleted === undefined) throw notFound('project');
      await dropUpload(organizationId, deleted.upload_sha256);
    },

    async putSource(organizationId, id, bytes) {
      requireUploads(await find(db, organizationId, id));
      let replaced: { upload_sha256: string | null } | undefined;
      const upload = await receiveUpload(bytes, organizationId, {
        blobs,
        workDir: adapters.workDir,
        limits: adapters.uploadLimits,
        keep: (sha256) =>
          db.transaction().execute(async (tx) => {
            await lockUpload(tx, organizationId, sha256);
            if ((await blobs.stat(uploadKey(organizationId, sha256))) === null) return false;
            replaced = await replaceUpload(tx, organizationId, id, sha256);
            return true;
          }),
      });
      if (replaced !== undefined) {
        await dropUpload(organizationId, replaced.upload_sha256);
        return upload;
      }
      // The project was deleted or got another source while the archive arrived.
      await dropUpload(organizationId, upload.sha256);
      requireUploads(await find(db, organizationId, id));
      throw notFound('project');
    },

    async createDeployKey(organizationId, id) {
      return db.transaction().execute(async (tx) => {
        await lockProject(tx, organizationId, id);
        const row = await find(tx, organizationId, id);
        requireSsh(row);
        const { privateKey, publicKey } = newSshKey(`offprint-${id}`);
        await updateProject(tx, organizationId, id, {
          credential_sealed: sealCredential(adapters.sourceRules.key, id, { kind: 'ssh-key', privateKey }),
        });
        return { publicKey };
      });
    },

    async features(organizationId, id) {
      const row = await find(db, organizationId, id);
      return resolveFeatures(...(await featuresOf(db, row, adapters)));
    },

    async updateFeatures(organizationId, id, body) {
      return db.transaction().execute(async (tx) => {
        await lockProject(tx, organizationId, id);
        const row = await find(tx, organizationId, id);
        const [facts, plan] = await featuresOf(tx, row, adapters);
        const features = switchFeatures(facts, body);
        await updateProject(tx, organizationId, id, { features: json(features) });
        return {
          before: facts.switches,
          after: features,
          features: resolveFeatures({ ...facts, switches: features }, plan),
        };
      });
    },
  };

  async function dropUpload(organizationId: string, sha256: string | null): Promise<void> {
    if (sha256 !== null) await removeUnusedUpload({ db, blobs }, organizationId, sha256);
  }
}

/** Removes an archive that no project of the organization has any more, unless a backup runs, which does it then. */
export async function removeUnusedUpload(
  { db, blobs }: { db: Kysely<Database>; blobs: BlobStore },
  organizationId: string,
  sha256: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockUpload(tx, organizationId, sha256);
    if (await usesUpload(tx, organizationId, sha256)) return;
    if (!(await mayRemoveFiles(tx))) return;
    await blobs.delete(uploadKey(organizationId, sha256));
  });
}

function factsOf(
  row: Pick<ProjectRow, 'deployment_type' | 'features'>,
  { providedFeatures, services }: Pick<ProjectAdapters, 'providedFeatures' | 'services'>,
): FeatureFacts {
  return {
    deploymentType: row.deployment_type,
    provided: providedFeatures,
    switches: row.features,
    services,
  };
}

/** Why the platform offers no service of a feature for a project; null if it may. Throws the 404. */
export async function readExclusion(
  db: Db,
  organizationId: string,
  id: string,
  name: FeatureName,
): Promise<string | null> {
  const row = await readProject(db, organizationId, id);
  return exclusionOf(name, { deploymentType: row.deployment_type, switches: row.features });
}

/** What decides the features of a project, with what it lacks itself. */
async function featuresOf(
  db: Db,
  row: ProjectRow,
  adapters: Pick<ProjectAdapters, 'providedFeatures' | 'services' | 'modelFault'>,
): Promise<[FeatureFacts, Plan]> {
  const { plan } = await readOrganization(db, row.organization_id);
  const fault = await adapters.modelFault(row);
  const missing = fault === null ? {} : { assistant: fault };
  return [{ ...factsOf(row, adapters), missing }, plan];
}

/** Why a feature of a project is not enabled, apart from what the project itself lacks for it; null if it is. */
export async function readFeatureFault(
  db: Db,
  row: ProjectRow,
  name: FeatureName,
  adapters: Pick<ProjectAdapters, 'providedFeatures' | 'services'>,
): Promise<string | null> {
  const { plan } = await readOrganization(db, row.organization_id);
  const found = resolveFeatures(factsOf(row, adapters), plan).features.find((one) => one.name === name);
  return found === undefined || found.enabled ? null : found.reason;
}

/** Of these projects, of any organization, those whose readers site servers may count. */
export async function readMeasured(
  db: Kysely<Database>,
  ids: readonly string[],
  adapters: Pick<ProjectAdapters, 'providedFeatures' | 'services'>,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'deployment_type', 'features'])
    .where('id', '=', sql<string>`ANY(${[...new Set(ids)]}::text[])`)
    .execute();
  return new Set(rows.filter((row) => isMeasured(factsOf(row, adapters))).map(({ id }) => id));
}

function requireSsh(row: ProjectRow): void {
  if (row.source_kind === 'git' && row.repository?.startsWith('https:') === false) return;
  const what = row.source_kind === 'git' ? `has the URL ${row.repository}` : `is of kind ${row.source_kind}`;
  throw new AppError(
    'source_kind_mismatch',
    `A deploy key requires a Git repository with an ssh URL; the source of the project ${what}. Change the source first.`,
  );
}

function requireUploads(row: ProjectRow): void {
  if (row.source_kind === 'upload') return;
  throw new AppError(
    'source_kind_mismatch',
    `The source of the project is of kind ${row.source_kind}. Change it to upload first.`,
  );
}

/** A project of the organization; undefined when it has none of that id. */
export { addProjectDomain, findProject as findProjectIn, findUnknownProject, lockProject } from './store.ts';

/** Throws the 404 for a project that the organization does not have. */
export async function readProject(db: Db, organizationId: string, id: string): Promise<ProjectRow> {
  const row = await findProject(db, organizationId, id);
  if (row === undefined) throw notFound('project');
  return row;
}

/** The project that publishes on the domain; throws the 404 when the caller reaches none. */
export async function readProjectByDomain(
  db: Db,
  { organizationId, projects }: Reach,
  domain: string,
): Promise<ProjectRow> {
  const row = await findProjectByDomain(db, organizationId, domain);
  if (row !== undefined && (projects === null || projects.includes(row.id))) return row;
  throw new AppError('not_found', `No project of the organization has the domain ${domain}.`, {
    param: '/domain',
  });
}

/** The id of the project that publishes on the domain. */
export async function findProjectIdByDomain(
  db: Db,
  organizationId: string,
  domain: string,
): Promise<string | undefined> {
  return (await findProjectByDomain(db, organizationId, domain))?.id;
}

/** The Git source of a project, its credential opened. */
export interface GitProject {
  id: string;
  organizationId: string;
  repository: string;
  /** Null: the default branch of the repository. */
  branch: string | null;
  /** Folder of the docs inside the repository, '' for the root. */
  folder: string;
  credential: GitCredential | null;
  airGapped: boolean;
}

/** The project with its Git source; null when it is gone or its source is of another kind. */
export async function readGitProject(
  db: Db,
  credentialKey: Buffer,
  project: { organizationId: string; id: string },
): Promise<GitProject | null> {
  const row = await findProject(db, project.organizationId, project.id);
  if (row === undefined || row.source_kind !== 'git' || row.repository === null) return null;
  return {
    id: row.id,
    organizationId: row.organization_id,
    repository: row.repository,
    branch: row.branch,
    folder: row.folder,
    credential: openCredential(credentialKey, row),
    airGapped: row.deployment_type === 'air-gapped',
  };
}

export interface SnapshotAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  /** Opens credentials. */
  credentialKey: Buffer;
  folderRoot: FolderRoot;
  policy: GitPolicy;
  /** Bytes of an unpacked source. */
  sourceBytes: number;
  /** Folder of what jobs have fetched of repositories, for later ones; null: each fetches everything. */
  mirrorDir: string | null;
  /** Configurable features that the installation provides. */
  providedFeatures: ReadonlySet<string>;
}

/** A snapshot with what else an export of the project depends on. */
export interface ProjectSnapshot extends Snapshot {
  airGapped: boolean;
  /** Path below which its site is served. */
  basePath: string;
  /** Features that its exports leave out. */
  excluded: Excluded;
}

/**
 * Copies the docs of a project into `into`, as they are now. `ref` names another branch, tag or commit than the
 * published one. Says too below which path its site is served and which features its exports leave out. Throws
 * SnapshotError, or the reason of `signal`.
 */
export async function snapshotProject(
  adapters: SnapshotAdapters,
  project: { organizationId: string; id: string | null },
  options: Pick<SnapshotOptions, 'ref' | 'into' | 'signal' | 'wantsDates'>,
): Promise<ProjectSnapshot> {
  const { db, sourceBytes } = adapters;
  const { organizationId, id } = project;
  const row = id === null ? undefined : await findProject(db, organizationId, id);
  if (row === undefined) {
    throw new SnapshotError('source_missing', 'The project was deleted.', { retryable: false });
  }
  const source: SnapshotSource = {
    sourceKind: row.source_kind,
    repository: row.repository,
    branch: row.branch,
    folder: row.folder,
    credential: openCredential(adapters.credentialKey, row),
    uploadArchive: () => openUpload(adapters, row),
  };
  const snapshot = await snapshotSource(source, {
    ...options,
    policy: adapters.policy,
    gitLimits: { ...DEFAULT_GIT_LIMITS, totalBytes: sourceBytes },
    archiveLimits: { maxBytes: sourceBytes },
    folderRoot: adapters.folderRoot,
    ...(adapters.mirrorDir === null || row.repository === null
      ? {}
      : { mirror: mirrorOf(adapters.mirrorDir, row.id, row.repository) }),
  });
  return {
    ...snapshot,
    airGapped: row.deployment_type === 'air-gapped',
    basePath: row.base_path,
    excluded: excludedFeatures(factsOf(row, { ...adapters, services: new Set() })),
  };
}

/**
 * The archive of a project; null when it has none. One that was replaced and removed since the row was read is not
 * there: then the row names the new one.
 */
async function openUpload(
  { db, blobs }: Pick<SnapshotAdapters, 'db' | 'blobs'>,
  row: ProjectRow,
): Promise<Readable | null> {
  const { organization_id: organizationId, id } = row;
  let sha256 = row.upload_sha256;
  while (sha256 !== null) {
    const archive = await blobs.get(uploadKey(organizationId, sha256));
    if (archive !== null) return archive;
    const now: string | null = (await findProject(db, organizationId, id))?.upload_sha256 ?? null;
    if (now === sha256) throw new Error(`the archive ${sha256} of the project ${id} is not stored`);
    sha256 = now;
  }
  return null;
}

async function setDomains(
  tx: Transaction<Database>,
  organizationId: string,
  id: string,
  domains: readonly string[],
): Promise<void> {
  const taken = await replaceDomains(tx, organizationId, id, [...new Set(domains)]);
  if (taken === null) return;
  throw new AppError('domain_taken', `Another project of the organization has the domain ${taken}.`, {
    param: '/domains',
  });
}

function present(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    source: presentSource(row),
    domains: row.domains,
    basePath: row.base_path,
    deploymentType: row.deployment_type,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
