import { createHash } from 'node:crypto';
import {
  DamagedIndexError,
  DamagedVectorsError,
  type ReadFile,
  type Vectors,
  writeVectors,
} from '@offprint/search';
import { type Kysely, sql } from 'kysely';
import { lockBundle, unfinishedVectorsKey, usesBundle, vectorsKey } from '../exports/service.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { type Failure, holdsRow, type Kind, type Lease, recordProgress } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/log.ts';
import { ModelError } from '../platform/model/port.ts';
import { readProject } from '../projects/service.ts';
import { readVectorFile } from './files.ts';
import {
  type Draft,
  embedMissing,
  OtherDimensionsError,
  readDraft,
  takeKnown,
  VectorsError,
  vectorsOf,
} from './make.ts';
import { openModel, type SettingsRow, type VectorConfig } from './settings.ts';
import {
  beginVectors,
  endVectors,
  findSettings,
  listEarlier,
  VECTORS_KIND,
  type VectorsRow,
} from './store.ts';

export interface VectorJobAdapters extends VectorConfig {
  db: Kysely<Database>;
  blobs: BlobStore;
  log: Logger;
  /** Files of the artifact of a bundle; null if no export has it any more. Throws the 410 for a lost one. */
  openFiles(organizationId: string, bundle: string): Promise<ReadFile | null>;
}

/** Failures in a row, with the delays of every job about 8 hours: an endpoint may be off at night. */
const MAX_FAILURES = 100;
/** For one request. Servers of teams may load the model first. */
const CALL_MS = { openai: 60_000, 'openai-compatible': 180_000 };
/** After this time, an attempt stores what it has. */
const SAVE_MS = 10_000;
/** After this time, an attempt ends, so that jobs of others get a turn. */
const ATTEMPT_MS = 600_000;
/** Sites whose vectors are looked through for unchanged texts. */
const EARLIER = 4;

/** Vectors of bundles as jobs. Nothing waits for them: until they are stored, the search is by words. */
export function createVectorsKind(adapters: VectorJobAdapters): Kind {
  return {
    name: VECTORS_KIND,
    unfinished: sql`
      SELECT id, organization_id, project_id AS lane, attempt FROM bundle_vectors WHERE state = 'queued'`,
    maxFailures: MAX_FAILURES,
    async begin(tx, fence) {
      const row = await beginVectors(tx, fence);
      return row && { run: (lease) => makeVectors(adapters, row, lease) };
    },
    failureOf: explain,
    release: (tx, fence) => holdsRow(tx, 'bundle_vectors', fence),
    retry: (tx, fence, { code, message }) =>
      endVectors(tx, fence, { state: 'queued', error: message, error_code: code }),
    fail(tx, fence, { code, message }) {
      adapters.log.warn({ vectorsId: fence.id, code, reason: message }, 'vectors of a site cannot be made');
      return endVectors(tx, fence, { state: 'failed', error: message, error_code: code });
    },
  };
}

async function makeVectors(adapters: VectorJobAdapters, row: VectorsRow, lease: Lease): Promise<string> {
  const settings = await findSettings(adapters.db, row.project_id);
  const read = await adapters.openFiles(row.organization_id, row.bundle_sha256);
  if (settings === undefined || settings.space !== row.space || read === null) return drop(adapters, row);
  const file = await compose(adapters, { row, settings, read, lease }, true).catch((error: unknown) => {
    if (!(error instanceof OtherDimensionsError)) throw error;
    adapters.log.warn(
      { vectorsId: row.id },
      'the endpoint returns other dimensions than before: all vectors are made again',
    );
    return compose(adapters, { row, settings, read, lease }, false);
  });
  lease.signal.throwIfAborted();
  return store(adapters, row, lease, file);
}

interface Attempt {
  row: VectorsRow;
  settings: SettingsRow;
  read: ReadFile;
  lease: Lease;
}

async function compose(
  adapters: VectorJobAdapters,
  { row, settings, read, lease }: Attempt,
  takesEarlier: boolean,
): Promise<Vectors> {
  const { db, blobs, log } = adapters;
  const { organization_id: organizationId, bundle_sha256: bundle, project_id: projectId, space } = row;
  const started = performance.now();
  const draft = await readDraft(read, space);
  const unfinished = unfinishedVectorsKey(organizationId, bundle, space);
  let taken = 0;
  for await (const vectors of takesEarlier ? earlierVectors(adapters, row, unfinished) : []) {
    if (vectors.space === space) taken += takeKnown(draft, vectors);
    if (!draft.known.includes(null)) break;
  }
  const { deployment_type: type } = await readProject(db, organizationId, projectId);
  const model = openModel(adapters, settings, { isAirGapped: type === 'air-gapped' });
  let savedAt = 0;
  let saved = countKnown(draft);
  const save = async (): Promise<void> => {
    await blobs.put(unfinished, writeVectors(vectorsOf(draft)));
    await db.transaction().execute((tx) => recordProgress(tx, lease));
    saved = countKnown(draft);
    savedAt = performance.now();
  };
  const sent = await embedMissing(draft, read, model, {
    signal: lease.signal,
    timeoutMs: CALL_MS[settings.provider],
    async onBatch() {
      const isOver = performance.now() - started > ATTEMPT_MS;
      if (savedAt === 0 || performance.now() - savedAt > SAVE_MS || isOver) await save();
      if (isOver) throw new VectorsError('Not all vectors are made yet.', { retryable: true });
    },
  }).catch(async (error: unknown) => {
    // The next attempt asks only for what this one did not get.
    if (error instanceof ModelError && countKnown(draft) > saved) await save();
    throw error;
  });
  log.info({ vectorsId: row.id, texts: draft.known.length, taken, sent }, 'vectors of a site are made');
  return vectorsOf(draft);
}

const countKnown = ({ known }: Draft): number => known.filter((vector) => vector !== null).length;

/** Vectors of what was made before: of this bundle, and of the last ones of the project. */
async function* earlierVectors(
  { db, blobs }: VectorJobAdapters,
  row: VectorsRow,
  unfinished: string,
): AsyncGenerator<Vectors> {
  const own = await readVectorFile(blobs, unfinished, null);
  if (own !== null) yield own;
  for (const { organization_id, bundle_sha256, file_sha256 } of await listEarlier(db, row, EARLIER)) {
    if (file_sha256 === null) continue;
    const vectors = await readVectorFile(
      blobs,
      vectorsKey(organization_id, bundle_sha256, file_sha256),
      file_sha256,
    );
    if (vectors !== null) yield vectors;
  }
}

async function store(
  { db, blobs }: VectorJobAdapters,
  { organization_id: organizationId, bundle_sha256: bundle, space }: VectorsRow,
  lease: Lease,
  vectors: Vectors,
): Promise<string> {
  const content = writeVectors(vectors);
  const sha256 = createHash('sha256').update(content).digest('hex');
  await blobs.put(vectorsKey(organizationId, bundle, sha256), content);
  lease.signal.throwIfAborted();
  const isStored = await db.transaction().execute(async (tx) => {
    // What removes the artifact removes the file, too.
    await lockBundle(tx, organizationId, bundle);
    if (!(await usesBundle(tx, organizationId, { bundle }))) return false;
    return endVectors(tx, lease, {
      state: 'stored',
      file_sha256: sha256,
      sections: vectors.count,
      dimensions: vectors.dimensions,
    });
  });
  if (!isStored) return 'lost';
  await blobs.delete(unfinishedVectorsKey(organizationId, bundle, space));
  return 'completed';
}

async function drop({ db }: VectorJobAdapters, { id, attempt }: VectorsRow): Promise<string> {
  await db.deleteFrom('bundle_vectors').where('id', '=', id).where('attempt', '=', attempt).execute();
  return 'skipped';
}

function explain(error: unknown): Failure {
  if (error instanceof ModelError) {
    const { message, retryable, retryAfterMs } = error;
    return {
      code: 'embeddings_failed',
      message,
      retryable,
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
    };
  }
  if (error instanceof VectorsError)
    return { code: 'vectors_unavailable', message: error.message, retryable: error.retryable };
  if (error instanceof DamagedIndexError || error instanceof DamagedVectorsError)
    return {
      code: 'index_damaged',
      message: 'The search index of the site is damaged. Deploy it again.',
      retryable: false,
    };
  if (error instanceof AppError)
    return {
      code: error.code,
      message: error.message,
      retryable: error.status >= 500 || error.code === 'artifact_lost',
    };
  return { code: 'internal', message: 'An internal error of the server.', retryable: true };
}
