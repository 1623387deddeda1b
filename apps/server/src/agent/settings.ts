import type { AgentSettings, updateAgentSettingsBody } from '@offprint/contract';
import type { Selectable } from 'kysely';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import type { AgentSettingsTable } from '../platform/db/database.ts';
import type { ForgeKind } from '../platform/forge/port.ts';
import { parseRepository } from '../platform/git/repository.ts';
import { checkedUrl } from '../platform/http/endpoint-url.ts';
import { AppError } from '../platform/http/error.ts';
import type { ModelPrice, ModelSettings } from '../platform/model/port.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import type { NetworkPolicy } from '../platform/net/host.ts';
import { seal, unseal } from '../platform/secret.ts';

export type AgentSettingsRow = Selectable<AgentSettingsTable>;

/** A body of the settings call, checked. */
export type SettingsBody = z.output<typeof updateAgentSettingsBody>;

/** What the installation says of the model of projects that have none of their own. */
export type InstalledModel = Pick<
  Config,
  | 'agentProvider'
  | 'agentModel'
  | 'agentBaseUrl'
  | 'agentApiKey'
  | 'agentContextTokens'
  | 'agentOutputTokens'
  | 'agentToolMode'
  | 'agentEffort'
  | 'agentPrices'
  | 'allowPrivateHosts'
  | 'caFile'
>;

export interface SettingsAdapters {
  config: InstalledModel;
  /** Seals the keys of models and forges. */
  key: Buffer;
}

/** The model of a project as its row keeps it, without the key. */
interface StoredModel {
  provider: ModelSettings['provider'];
  model: string;
  baseUrl: string | null;
  contextWindow: number;
  maxOutput: number;
  toolMode: ModelSettings['toolMode'];
  /** Absent in rows of versions without it. */
  effort?: ModelSettings['effort'];
  price: ModelPrice | null;
}

/** The forge of a project as its row keeps it, without the secret. */
interface KeptForge {
  kind: ForgeKind;
  apiUrl: string | null;
  appId: string | null;
  installationId: string | null;
  username: string | null;
  /** Host that the secret was given for: it is sent to no other, even when the project gets another repository. */
  secretHost: string | null;
}

/** The project that settings belong to. */
interface Owner {
  id: string;
  repository: string | null;
}

/**
 * The model of a job, its key opened: that of the project, else that of the installation. `requested` is another
 * model of the same provider. Null when none is configured, or when the installation's is not the one that was
 * requested: its key pays for the operator's choice only.
 */
export function resolveModel(
  { config, key }: SettingsAdapters,
  row: AgentSettingsRow | undefined,
  requested: string | null = null,
): ModelSettings | null {
  const stored = (row?.model ?? null) as StoredModel | null;
  if (row === undefined || stored === null) {
    const installed = installedModel(config);
    return installed === null || (requested ?? installed.model) === installed.model ? installed : null;
  }
  const apiKey =
    row.model_key_sealed === null
      ? null
      : unseal(key, row.model_key_sealed, modelContext(row.project_id, stored));
  const { provider, baseUrl, contextWindow, maxOutput, toolMode } = stored;
  const model = requested ?? stored.model;
  // The price of the project is that of the configured model.
  const ownPrice = model === stored.model ? stored.price : null;
  return {
    provider,
    model,
    baseUrl,
    apiKey,
    contextWindow,
    maxOutput,
    toolMode,
    effort: stored.effort ?? null,
    price: ownPrice ?? listedPrice(config, { provider, model, baseUrl }),
  };
}

/** The price that the operator lists for a model. It is that of the provider and of the operator's own endpoint. */
function listedPrice(
  config: InstalledModel,
  { provider, model, baseUrl }: Pick<ModelSettings, 'provider' | 'model' | 'baseUrl'>,
): ModelPrice | null {
  const isListed =
    baseUrl === null || (provider === config.agentProvider && baseUrl === (config.agentBaseUrl ?? null));
  return (isListed ? config.agentPrices?.get(model) : undefined) ?? null;
}

function installedModel(config: InstalledModel): ModelSettings | null {
  const { agentProvider: provider, agentModel: model, agentBaseUrl: baseUrl = null } = config;
  if (provider === undefined || model === undefined) return null;
  if (provider === 'openai-compatible' && baseUrl === null) return null;
  return {
    provider,
    model,
    baseUrl,
    apiKey: config.agentApiKey ?? null,
    contextWindow: config.agentContextTokens,
    maxOutput: config.agentOutputTokens,
    toolMode: config.agentToolMode,
    effort: config.agentEffort ?? null,
    price: config.agentPrices?.get(model) ?? config.agentPrices?.get('') ?? null,
  };
}

/**
 * Which hosts the model of a project may be reached at. The operator's own address may be anywhere and may be http;
 * that of a project is public, unless the operator allows its host.
 */
export function modelPolicy(
  config: InstalledModel,
  row: AgentSettingsRow | undefined,
): NetworkPolicy & { allowHttp: boolean } {
  const { allowPrivateHosts: allowedHosts, agentBaseUrl } = config;
  const allowPrivate = allowedHosts.includes('*');
  const isOwn = (row?.model ?? null) !== null;
  if (isOwn || agentBaseUrl === undefined) return { allowPrivate, allowedHosts, allowHttp: false };
  const url = new URL(agentBaseUrl);
  return {
    allowPrivate,
    allowedHosts: [...allowedHosts, url.hostname],
    allowHttp: url.protocol === 'http:',
  };
}

/** Fetches from the model of a project, as `modelPolicy` permits. */
export function modelFetch(
  config: InstalledModel,
  row: AgentSettingsRow | undefined,
  { airGapped }: { airGapped: boolean },
): typeof fetch {
  return createGuardedFetch({
    // Nothing of an air-gapped project goes to a host that the operator has not named.
    policy: { ...modelPolicy(config, row), onlyAllowedHosts: airGapped },
    ...(config.caFile === undefined ? {} : { caFile: config.caFile }),
  });
}

const PROVIDER_HOSTS = { anthropic: 'api.anthropic.com', openai: 'api.openai.com', 'openai-compatible': '' };

/** Host that a model is asked at. */
export function hostOf({ provider, baseUrl }: Pick<ModelSettings, 'provider' | 'baseUrl'>): string {
  return baseUrl === null ? PROVIDER_HOSTS[provider] : new URL(baseUrl).hostname;
}

/**
 * What a project says of its forge, its secret opened. Null fields: detected from the host of the repository.
 */
export interface ProjectForge {
  kind: ForgeKind;
  apiUrl: string | null;
  appId: string | null;
  installationId: string | null;
  username: string | null;
  /** Access token. */
  token: string | null;
  /** Of a GitHub App, PEM. */
  privateKey: string | null;
}

/**
 * The forge as the project has set it, with its secret opened; null when it has set none. A secret that was given for
 * another host is not opened.
 */
export function resolveForge(
  { key }: Pick<SettingsAdapters, 'key'>,
  project: Owner,
  row: AgentSettingsRow | undefined,
): ProjectForge | null {
  const kept = (row?.forge ?? null) as KeptForge | null;
  if (row === undefined || kept === null) return null;
  const { kind, apiUrl, appId, installationId, username } = kept;
  const secret =
    row.forge_secret_sealed === null || kept.secretHost !== secretHostOf(kept, project)
      ? null
      : unseal(key, row.forge_secret_sealed, forgeContext(project.id, kept));
  // Without a secret of its own the forge is asked with the credential of the repository, which goes to its host only.
  const goesThere = apiUrl !== null && (secret !== null || isOfRepository(apiUrl, project));
  return {
    kind,
    apiUrl: goesThere ? apiUrl : null,
    appId,
    installationId,
    username,
    token: appId === null ? secret : null,
    privateKey: appId === null ? null : secret,
  };
}

function isOfRepository(apiUrl: string, { repository }: Owner): boolean {
  if (repository === null) return false;
  const { host } = parseRepository(repository, { allowHttp: ['*'] });
  const api = new URL(apiUrl).hostname.replace(/^\[|\]$/g, '');
  return api === host || api === `api.${host}`;
}

/** The columns of settings as sent. `before` are those of now. Throws the 400 for what cannot be set. */
export function settingsColumns(
  body: SettingsBody,
  project: Owner,
  before: AgentSettingsRow | undefined,
  { config, key }: SettingsAdapters,
) {
  return {
    ...modelColumns(body, project, before, config, key),
    ...forgeColumns(body, project, before, config, key),
    instructions: body.instructions,
    write_allow: [...new Set(body.writeAllow)],
    branch_prefix: body.branchPrefix,
  };
}

function modelColumns(
  { model: sent }: SettingsBody,
  { id }: Owner,
  before: AgentSettingsRow | undefined,
  config: InstalledModel,
  key: Buffer,
): { model: StoredModel | null; model_key_sealed: Buffer | null } {
  if (sent === undefined || sent === null) return { model: null, model_key_sealed: null };
  const { provider, model: name, contextWindow, maxOutput, toolMode, effort = null, apiKey } = sent;
  const baseUrl = checkedUrl(sent.baseUrl, config.allowPrivateHosts, '/model/baseUrl');
  const price = sent.price ?? null;
  const model: StoredModel = {
    provider,
    model: name,
    baseUrl,
    contextWindow,
    maxOutput,
    toolMode,
    effort,
    price:
      price === null
        ? null
        : {
            input: price.input,
            output: price.output,
            cacheRead: price.cacheRead ?? price.input,
            cacheWrite: price.cacheWrite ?? price.input,
          },
  };
  const context = modelContext(id, model);
  const old = (before?.model ?? null) as StoredModel | null;
  // A key that would go to another place than it was given for is not kept.
  const kept = old !== null && modelContext(id, old) === context ? (before?.model_key_sealed ?? null) : null;
  return { model, model_key_sealed: sealed(apiKey, kept, key, context) };
}

function forgeColumns(
  { forge: sent }: SettingsBody,
  project: Owner,
  before: AgentSettingsRow | undefined,
  config: InstalledModel,
  key: Buffer,
): { forge: KeptForge | null; forge_secret_sealed: Buffer | null } {
  if (sent === undefined || sent === null) return { forge: null, forge_secret_sealed: null };
  const isGithub = sent.kind === 'github';
  const unbound = {
    kind: sent.kind,
    apiUrl: sent.kind === 'git' ? null : checkedUrl(sent.apiUrl, config.allowPrivateHosts, '/forge/apiUrl'),
    appId: isGithub ? (sent.appId ?? null) : null,
    installationId: isGithub ? (sent.installationId ?? null) : null,
    username: sent.kind === 'gitea' ? sent.username : null,
  };
  const forge: KeptForge = { ...unbound, secretHost: secretHostOf(unbound, project) };
  const context = forgeContext(project.id, forge);
  const old = (before?.forge ?? null) as KeptForge | null;
  const kept =
    old !== null && forgeContext(project.id, old) === context ? (before?.forge_secret_sealed ?? null) : null;
  const secret = sent.kind === 'git' ? null : isGithub && forge.appId !== null ? sent.privateKey : sent.token;
  const secretSealed = sealed(secret, kept, key, context);
  if (forge.apiUrl !== null && secretSealed === null && !isOfRepository(forge.apiUrl, project)) {
    throw new AppError(
      'invalid_request',
      'forge.apiUrl is on another host than the repository, whose credential is not sent there. Set a token or a private key beside it.',
      { param: '/forge/apiUrl' },
    );
  }
  return { forge, forge_secret_sealed: secretSealed };
}

/** Undefined keeps, null removes. */
function sealed(
  secret: string | null | undefined,
  kept: Buffer | null,
  key: Buffer,
  context: string,
): Buffer | null {
  if (secret === undefined) return kept;
  return secret === null ? null : seal(key, secret, context);
}

/** Binds the key of a model to where it is sent. */
const modelContext = (projectId: string, { provider, baseUrl }: Pick<StoredModel, 'provider' | 'baseUrl'>) =>
  JSON.stringify(['agent-model', projectId, provider, baseUrl]);

const forgeContext = (projectId: string, forge: KeptForge) =>
  JSON.stringify([
    'agent-forge',
    projectId,
    forge.kind,
    forge.secretHost,
    forge.apiUrl,
    forge.appId,
    forge.installationId,
    forge.username,
  ]);

/** Where the secret of a forge goes: to the API, and with git to the repository. */
function secretHostOf(forge: Pick<KeptForge, 'apiUrl'>, { repository }: Owner): string | null {
  const api = forge.apiUrl === null ? '' : new URL(forge.apiUrl).host;
  if (repository === null) return null;
  const { host, port } = parseRepository(repository, { allowHttp: ['*'] });
  return `${host}:${port} ${api}`.trimEnd();
}

/** The settings as the API shows them, without secrets. `fault` is what keeps a job from being created. */
export function presentSettings(
  row: AgentSettingsRow | undefined,
  project: Owner & { folder: string | null },
  model: ModelSettings | null,
  fault: string | null,
): AgentSettings {
  const own = (row?.model ?? null) as StoredModel | null;
  const forge = (row?.forge ?? null) as KeptForge | null;
  return {
    isReady: fault === null,
    reason: fault,
    usesModel: model?.model ?? null,
    usesPrice: model?.price ?? null,
    model:
      own === null ? null : { ...own, effort: own.effort ?? null, hasApiKey: row?.model_key_sealed !== null },
    forge:
      forge === null
        ? null
        : {
            kind: forge.kind,
            apiUrl: forge.apiUrl,
            appId: forge.appId,
            installationId: forge.installationId,
            username: forge.username,
            hasSecret: row?.forge_secret_sealed !== null && forge.secretHost === secretHostOf(forge, project),
          },
    instructions: row?.instructions ?? '',
    writeAllow: row?.write_allow ?? [],
    docsAtRepositoryRoot: project.folder === '',
    branchPrefix: row?.branch_prefix ?? 'offprint/',
    updatedAt: row?.updated_at.toISOString() ?? null,
  };
}
