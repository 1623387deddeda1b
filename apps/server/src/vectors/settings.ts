import { createHash } from 'node:crypto';
import type { Embeddings, updateAssistantSettingsBody } from '@offprint/contract';
import type { Selectable } from 'kysely';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import type { VectorSettingsTable } from '../platform/db/database.ts';
import { checkedUrl } from '../platform/http/endpoint-url.ts';
import {
  createEmbeddingModel,
  type EmbeddingPort,
  type EmbeddingSettings,
  MAX_EMBEDDING_RESPONSE,
} from '../platform/model/embed.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import { seal, unseal } from '../platform/secret.ts';

export type SettingsRow = Selectable<VectorSettingsTable>;
/** The part of a body with the endpoint, checked. */
export type EmbeddingsBody = NonNullable<z.output<typeof updateAssistantSettingsBody>['embeddings']>;

export interface VectorConfig {
  config: Pick<Config, 'allowPrivateHosts' | 'caFile'>;
  /** Seals the keys of endpoints. */
  key: Buffer;
}

/** The columns of settings as sent. `before` are those of now. Throws the 400 for what cannot be set. */
export function settingsColumns(
  { config, key }: VectorConfig,
  projectId: string,
  body: EmbeddingsBody,
  before: SettingsRow | undefined,
): Pick<
  SettingsRow,
  'provider' | 'model' | 'base_url' | 'dimensions' | 'key_sealed' | 'space' | 'query_error'
> {
  const { provider, model, apiKey, dimensions = null } = body;
  const place = {
    provider,
    base_url: checkedUrl(body.baseUrl, config.allowPrivateHosts, '/embeddings/baseUrl'),
  };
  const context = contextOf(projectId, place);
  // A key that would go to another place than it was given for is not kept.
  const kept = before !== undefined && contextOf(projectId, before) === context ? before.key_sealed : null;
  return {
    ...place,
    model,
    dimensions,
    key_sealed: apiKey === undefined ? kept : apiKey === null ? null : seal(key, apiKey, context),
    space: spaceOf([provider, place.base_url, model, dimensions]),
    query_error: null,
  };
}

/** Vectors of different endpoints, models or lengths have nothing to do with each other. */
const spaceOf = (parts: readonly (string | number | null)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

/** Binds the key of an endpoint to where it is sent. */
const contextOf = (
  projectId: string,
  { provider, base_url: baseUrl }: Pick<SettingsRow, 'provider' | 'base_url'>,
): string => JSON.stringify(['embeddings', projectId, provider, baseUrl]);

/** The model of a project. Its host is public, unless the operator allows it; redirects are not followed. */
export function openModel(
  { config, key }: VectorConfig,
  row: SettingsRow,
  { isAirGapped }: { isAirGapped: boolean },
): EmbeddingPort {
  const { provider, model, base_url: baseUrl, dimensions, key_sealed: sealed } = row;
  const settings: EmbeddingSettings = {
    provider,
    model,
    baseUrl,
    dimensions,
    apiKey: sealed === null ? null : unseal(key, sealed, contextOf(row.project_id, row)),
  };
  const { allowPrivateHosts: allowedHosts, caFile } = config;
  return createEmbeddingModel(settings, {
    fetch: createGuardedFetch({
      policy: {
        allowPrivate: allowedHosts.includes('*'),
        allowedHosts,
        onlyAllowedHosts: isAirGapped,
      },
      maxBytes: MAX_EMBEDDING_RESPONSE,
      ...(caFile === undefined ? {} : { caFile }),
    }),
  });
}

/** The settings as the API shows them. */
export function presentSettings(
  row: SettingsRow,
  state: Pick<Embeddings, 'state' | 'reason' | 'sections'>,
): Embeddings {
  const { provider, model, base_url: baseUrl, dimensions, key_sealed: sealed } = row;
  return { provider, model, baseUrl, dimensions, hasApiKey: sealed !== null, ...state };
}
