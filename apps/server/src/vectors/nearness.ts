import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ComparableVectors,
  compareVectors,
  createGate,
  MAX_QUERY,
  prepareVectors,
  type Similarities,
} from '@offprint/search';
import type { Kysely } from 'kysely';
import { vectorsKey } from '../exports/service.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { readVectorFile } from './files.ts';
import { createQueryVectors, type Missed } from './query-vectors.ts';
import type { VectorConfig } from './settings.ts';
import { findStored, requeueVectors, type VectorsRow } from './store.ts';
import { createVectorCache } from './vector-cache.ts';

export interface NearnessAdapters extends VectorConfig {
  db: Kysely<Database>;
  blobs: BlobStore;
  log: Logger;
  metrics: Pick<Metrics, 'vectorSearches'>;
}

/** How similar the sections of a bundle are to a query; null where there are no vectors, or the endpoint has failed. */
export type CompareSections = (
  projectId: string,
  bundle: string,
  query: string,
) => Promise<Similarities | null>;

/** Memory of the vectors of all sites in a process. */
const CACHE_BYTES = 128 * 1024 * 1024;
/** For reading a file of vectors the first time. */
const LOAD_MS = 2_000;
/** Files that are read at the same time, and those that wait: each needs memory. */
const LOADS = { running: 2, waiting: 20 };
/** Comparisons at the same time, and those that wait. */
const COMPARISONS = { running: 2, waiting: 50 };
/** Products of a query and vectors before other work of the process gets a turn, some 4 ms. */
const PRODUCTS = 4_000_000;

export function createNearness(adapters: NearnessAdapters): CompareSections {
  const { db, blobs, log, metrics } = adapters;
  const cache = createVectorCache(CACHE_BYTES);
  const loads = createGate(LOADS.running, LOADS.waiting);
  const comparisons = createGate(COMPARISONS.running, COMPARISONS.waiting);
  const queries = createQueryVectors(adapters);

  /** The file of vectors; null if it is missing or damaged: then it is made again. */
  const load = async (row: VectorsRow): Promise<ComparableVectors | null> => {
    const { organization_id: organizationId, bundle_sha256: bundle, file_sha256: file } = row;
    if (file === null) return null;
    const vectors = await readVectorFile(blobs, vectorsKey(organizationId, bundle, file), file);
    if (vectors !== null && vectors.space === row.space) return prepareVectors(vectors);
    log.warn({ vectorsId: row.id }, 'stored vectors are missing or damaged, and are made again');
    await requeueVectors(db, row);
    return null;
  };

  return async (projectId, bundle, query) => {
    const stored = await findStored(db, projectId, bundle);
    if (stored === undefined) return null;
    const { row } = stored;
    const missed = (outcome: Missed): null => {
      metrics.vectorSearches.inc({ outcome });
      return null;
    };
    try {
      const [vectors, vector] = await Promise.all([
        within(
          LOAD_MS,
          cache.get(`${row.organization_id}/${row.file_sha256}`, () => loads.run(() => load(row))),
        ),
        queries.get(stored, query.slice(0, MAX_QUERY).trim()),
      ]);
      if (typeof vector === 'string') return missed(vector);
      if (vectors === 'slow') return missed('slow');
      if (vectors === null || vectors.dimensions !== vector.length) return missed('failed');
      const similarities = await comparisons.run(() => compareAll(vectors, vector));
      if (similarities === null) return missed('busy');
      metrics.vectorSearches.inc({ outcome: 'merged' });
      return similarities;
    } catch (error) {
      // The search by words needs none of it.
      log.warn({ err: error, projectId }, 'the vectors of a site cannot be used');
      return missed('failed');
    }
  };
}

/** Compares a query with every vector, some milliseconds at a time. */
async function compareAll(vectors: ComparableVectors, query: Int32Array): Promise<Similarities> {
  const cosines = new Float32Array(vectors.count);
  const rows = Math.max(1, Math.floor(PRODUCTS / vectors.dimensions));
  for (let from = 0; from < vectors.count; from += rows) {
    if (from > 0) await nextTurn();
    compareVectors(vectors, query, cosines, from, Math.min(from + rows, vectors.count));
  }
  let start = 0;
  return new Map(
    vectors.directories.map(({ path, sections }) => {
      const own = cosines.subarray(start, start + sections);
      start += sections;
      return [path, own];
    }),
  );
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | 'slow'> {
  const { promise: late, resolve } = Promise.withResolvers<'slow'>();
  const timer = setTimeout(() => resolve('slow'), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
