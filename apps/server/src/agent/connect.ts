import type { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { forgeSettingsFor } from '../platform/forge/detect.ts';
import { createFeedback, type ForgeFeedback } from '../platform/forge/feedback.ts';
import { createForge } from '../platform/forge/forge.ts';
import { createModel } from '../platform/model/ai-sdk.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import { type GitProject, readGitProject } from '../projects/service.ts';
import type { Connection } from './attempt.ts';
import { JobError } from './failure.ts';
import type { AgentJobRow } from './journal.ts';
import { modelFetch, type ProjectForge, resolveForge, resolveModel } from './settings.ts';

export interface ConnectAdapters {
  db: Kysely<Database>;
  config: Config;
  /** Opens the keys of models and forges. */
  key: Buffer;
  /** Root secret of the installation, which must never leave. */
  secret: string;
}

/**
 * Model, forge and rules of a job as they are set now: keys can be exchanged between two turns. Throws JobError when
 * there is no model, ForgeError when the forge cannot work as it is set.
 */
export async function connectJob(
  { db, config, key, secret }: ConnectAdapters,
  row: AgentJobRow,
  project: GitProject,
): Promise<Connection> {
  const stored = await db
    .selectFrom('agent_settings')
    .selectAll()
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  const settings = resolveModel({ config, key }, stored, row.model_requested);
  if (settings === null) {
    throw new JobError(
      'model_auth',
      'The project no longer has a model. Set one in its agent settings, then send a message.',
    );
  }
  const { forge, forgeSettings, forgeFetch } = forgeOf({ config, key }, project, stored);
  const { credential } = project;
  const secrets = [
    secret,
    settings.apiKey,
    forge?.token,
    forge?.privateKey,
    credential?.kind === 'token' ? credential.token : credential?.privateKey,
  ];
  return {
    model: createModel(settings, { fetch: modelFetch(config, stored, project) }),
    settings,
    forge: createForge(forgeSettings, { fetch: forgeFetch, now: systemClock }),
    instructions: stored?.instructions ?? '',
    writeAllow: stored?.write_allow ?? [],
    branchPrefix: stored?.branch_prefix ?? 'offprint/',
    secrets: secrets.filter((value): value is string => typeof value === 'string' && value !== ''),
  };
}

/**
 * What reports on commits and pull requests of a project: null if the project has set no forge for its agent. Throws
 * ForgeError when the forge cannot work as it is set.
 */
export async function connectFeedback(
  { db, config, key, credentialKey }: Omit<ConnectAdapters, 'secret'> & { credentialKey: Buffer },
  name: { organizationId: string; id: string },
): Promise<ForgeFeedback | null> {
  const project = await readGitProject(db, credentialKey, name);
  if (project === null) return null;
  const stored = await db
    .selectFrom('agent_settings')
    .selectAll()
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  const { forge, forgeSettings, forgeFetch } = forgeOf({ config, key }, project, stored);
  if (forge === null || forgeSettings.kind === 'git') return null;
  return createFeedback(forgeSettings, { fetch: forgeFetch, now: systemClock });
}

/** How the forge of a project is reached, as it is set now. */
function forgeOf(
  { config, key }: Pick<ConnectAdapters, 'config' | 'key'>,
  project: GitProject,
  stored: Parameters<typeof resolveForge>[2],
) {
  const { id, repository, credential, airGapped } = project;
  const forge = resolveForge({ key }, { id, repository }, stored);
  const forgeFetch = createGuardedFetch({
    policy: {
      allowPrivate: config.allowPrivateHosts.includes('*'),
      allowedHosts: config.allowPrivateHosts,
      onlyAllowedHosts: airGapped,
    },
    ...(config.caFile === undefined ? {} : { caFile: config.caFile }),
  });
  const forgeSettings = forgeSettingsFor({
    repository,
    credential,
    stored: forge === null ? null : storedForge(forge),
    secret: forge?.privateKey ?? forge?.token ?? null,
  });
  return { forge, forgeSettings, forgeFetch };
}

function storedForge({ kind, apiUrl, appId, installationId, username }: ProjectForge) {
  return {
    kind,
    ...(apiUrl === null ? {} : { apiUrl }),
    ...(appId === null ? {} : { appId }),
    ...(installationId === null ? {} : { installationId }),
    ...(username === null ? {} : { username }),
  };
}
