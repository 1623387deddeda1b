import { quantizeQuery } from '@offprint/search';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Logger } from '../platform/log.ts';
import { ModelError } from '../platform/model/port.ts';
import { openModel, type SettingsRow, type VectorConfig } from './settings.ts';
import { noteQuery, type VectorsRow } from './store.ts';

/** Why a search is by words only. */
export type Missed = 'slow' | 'failed' | 'busy' | 'paused';

/** Vectors that a query is compared with, and the endpoint that made them. */
export interface Target {
  settings: SettingsRow;
  row: VectorsRow;
  isAirGapped: boolean;
}

/** The vectors of queries, from the endpoints of their projects. */
export interface QueryVectors {
  get(target: Target, query: string): Promise<Int32Array | Missed>;
}

export interface QueryAdapters extends VectorConfig {
  db: Kysely<Database>;
  log: Logger;
}

/** A search waits so long for the vector of its query. */
const QUERY_MS = 1_000;
/** Queries whose vectors are kept. */
const MAX_KNOWN = 1_000;
/** Requests to the endpoint of one project at the same time. */
const MAX_REQUESTS = 8;
/** After a failure, searches do not wait for the endpoint: so long, or as long as it asks for within the second limit. */
const PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 60_000;

export function createQueryVectors(adapters: QueryAdapters): QueryVectors {
  /** The one used last at the end. */
  const known = new Map<string, Int32Array>();
  /** Requests at the same time, by project. */
  const running = new Map<string, number>();
  /** When searches may ask an endpoint again. */
  const paused = new Map<string, number>();

  const ask = async (target: Target, query: string): Promise<Int32Array | Missed> => {
    const { project_id: projectId, space } = target.settings;
    const place = `${projectId} ${space}`;
    if ((paused.get(place) ?? 0) > performance.now()) return 'paused';
    const requests = running.get(projectId) ?? 0;
    if (requests >= MAX_REQUESTS) return 'busy';
    running.set(projectId, requests + 1);
    try {
      const vector = await embedQuery(adapters, target, query);
      paused.delete(place);
      return vector ?? 'failed';
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const pause = Math.min(Math.max(PAUSE_MS, error.retryAfterMs ?? 0), MAX_PAUSE_MS);
      paused.set(place, performance.now() + pause);
      await noteFailure(adapters, target, error);
      return error.fault === 'timeout' ? 'slow' : 'failed';
    } finally {
      const left = (running.get(projectId) ?? 1) - 1;
      if (left === 0) running.delete(projectId);
      else running.set(projectId, left);
    }
  };
  return {
    async get(target, query) {
      const { project_id: projectId, space } = target.settings;
      const key = `${projectId} ${space} ${target.row.dimensions} ${query}`;
      const vector = known.get(key) ?? (await ask(target, query));
      if (typeof vector === 'string') return vector;
      known.delete(key);
      known.set(key, vector);
      const [oldest] = known.keys();
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
      return vector;
    },
  };
}

/** Null: the model sees no direction in the query. Throws a ModelError. */
async function embedQuery(
  adapters: QueryAdapters,
  { settings, row, isAirGapped }: Target,
  query: string,
): Promise<Int32Array | null> {
  const [vector] = await openModel(adapters, settings, { isAirGapped }).embed([query], {
    signal: new AbortController().signal,
    timeoutMs: QUERY_MS,
  });
  if (vector?.length !== row.dimensions) throw otherDimensions(vector?.length ?? 0, row);
  if (settings.query_error !== null) await noteQuery(adapters.db, settings, null);
  return quantizeQuery(vector);
}

async function noteFailure(
  { db, log }: QueryAdapters,
  { settings }: Target,
  { message }: ModelError,
): Promise<void> {
  const { project_id: projectId } = settings;
  log.warn({ projectId, reason: message }, 'a query has no vector, and is searched by words');
  await noteQuery(db, settings, message);
}

const otherDimensions = (length: number, { dimensions }: VectorsRow): ModelError =>
  new ModelError(
    'invalid',
    `The model returns vectors with ${length} dimensions, but those of the site have ${dimensions}. Set \`dimensions\` to ${length}: then all are made again.`,
  );
