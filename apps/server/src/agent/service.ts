import type {
  AgentJob,
  AgentJobDiff,
  AgentJobList,
  AgentJobStatus,
  AgentModelTest,
  AgentSettings,
  CreateAgentJobBody,
  SendAgentMessageBody,
} from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import { type Quotas, takeDaily } from '../audit/service.ts';
import { planFault } from '../organizations/service.ts';
import type { Database } from '../platform/db/database.ts';
import type { Listener } from '../platform/db/listen.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { runOnce, type StoredAnswer } from '../platform/http/idempotency.ts';
import type { Principal, ServerEvent } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import { createModel } from '../platform/model/ai-sdk.ts';
import type { ModelPort, ModelSettings } from '../platform/model/port.ts';
import { isAllowedHost } from '../platform/net/host.ts';
import { type ProjectRow, readProject } from '../projects/service.ts';
import { diffOf } from './diff.ts';
import { followJob, waitForJob } from './follow.ts';
import { createTestSlots, testModel } from './model-test.ts';
import { phasesOf, presentJob, subjectOf } from './present.ts';
import {
  type AgentSettingsRow,
  hostOf,
  modelFetch,
  modelPolicy,
  presentSettings,
  resolveModel,
  type SettingsAdapters,
  type SettingsBody,
  settingsColumns,
} from './settings.ts';
import { transition } from './state.ts';
import { stopAgentJob } from './stop.ts';
import {
  changeJob,
  countMessages,
  findFiles,
  findJob,
  findSettings,
  insertJob,
  insertMessage,
  type JobName,
  type JobView,
  listJobs,
  lockJob,
  lockProject,
  queueJob,
  replaceSettings,
  secondsUntilUse,
} from './store.ts';

export type { SettingsAdapters } from './settings.ts';
export { stopAgentJob } from './stop.ts';

/** Messages of one job, the first prompt among them. */
const MAX_MESSAGES = 200;

type Db = Kysely<Database> | Transaction<Database>;
type Caller = Pick<Principal, 'organizationId' | 'id'>;

interface OnceRequest {
  /** The `Idempotency-Key`. */
  key: string | undefined;
  /** Method and path. */
  target: string;
}

export interface AgentService {
  /** Queues a job; the response is 201 with it. */
  create(
    caller: Caller,
    projectId: string,
    body: CreateAgentJobBody,
    request: OnceRequest,
  ): Promise<StoredAnswer>;
  /** Gives a job another prompt; the response is 200 with the job, which is active. */
  message(
    caller: Caller,
    projectId: string,
    id: string,
    body: SendAgentMessageBody,
    request: OnceRequest,
  ): Promise<StoredAnswer>;
  read(name: JobName): Promise<AgentJob>;
  /** Reads when the job is no longer in the state `isKnown`, or after `seconds`. */
  readChanged(
    name: JobName,
    wait: { seconds: number; isKnown: ((job: AgentJob) => boolean) | undefined; signal: AbortSignal },
  ): Promise<AgentJob>;
  list(
    organizationId: string,
    projectId: string,
    query: { status?: AgentJobStatus | undefined; cursor?: string | undefined; limit: number },
  ): Promise<AgentJobList>;
  archive(name: JobName): Promise<AgentJob>;
  cancel(name: JobName): Promise<AgentJob>;
  /** What happened after the event `after` and what happens, then `done`. */
  events(name: JobName, after: number, signal: AbortSignal): Promise<AsyncIterable<ServerEvent>>;
  diff(name: JobName): Promise<AgentJobDiff>;
  settings(organizationId: string, projectId: string): Promise<AgentSettings>;
  /** The settings before and after the update. */
  updateSettings(
    organizationId: string,
    projectId: string,
    body: SettingsBody,
  ): Promise<{ before: AgentSettings; settings: AgentSettings }>;
  /** Sends a request to the model that new jobs would use. */
  testModel(organizationId: string, projectId: string, signal: AbortSignal): Promise<AgentModelTest>;
}

export interface AgentAdapters {
  db: Kysely<Database>;
  listener: Listener;
  /** Model of the installation and the key of secrets. */
  models: SettingsAdapters;
  usesPerHour: number;
  quotas: Quotas;
  retentionDays: number;
  idempotencyHours: number;
}

export function createAgentService(adapters: AgentAdapters): AgentService {
  const { db, listener, models } = adapters;
  const inTestSlot = createTestSlots();

  const find = async (name: JobName): Promise<JobView> => {
    const row = await findJob(db, name);
    if (row === undefined) throw notFound('agent job');
    return row;
  };

  /** Throws the 429 when the project has used the agent as often as it may. Needs the lock of the project. */
  const takeUse = async (tx: Transaction<Database>, projectId: string): Promise<void> => {
    const seconds = await secondsUntilUse(tx, projectId, adapters.usesPerHour);
    if (seconds === 0) return;
    throw new AppError(
      'too_many_agent_uses',
      `The project has created agent jobs and sent messages ${adapters.usesPerHour} times in the last hour, which is the limit. Try again in ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    );
  };

  return {
    read: async (name) => presentJob(await find(name)),
    archive: async (name) => presentJob(await stopAgentJob(db, name, 'archive')),
    cancel: async (name) => presentJob(await stopAgentJob(db, name, 'cancel')),

    create(caller, projectId, body, request) {
      const { organizationId } = caller;
      const once = {
        organizationId,
        route: request.target,
        key: request.key,
        body,
        hours: adapters.idempotencyHours,
      };
      return runOnce(db, once, async (tx) => {
        if (!(await lockProject(tx, organizationId, projectId))) throw notFound('project');
        const { project, model, configured } = await admit(
          tx,
          models,
          organizationId,
          projectId,
          body.model ?? null,
        );
        if (model === null) {
          throw new AppError(
            'invalid_request',
            `model is not ${configured.model}, the model of this installation. Leave it out, or set a model with your own key in the agent settings of the project.`,
            { param: '/model' },
          );
        }
        requireOtherBranch(body, project);
        await takeUse(tx, projectId);
        await takeDaily(tx, organizationId, 'agent_jobs', adapters.quotas.dailyAgentJobs);
        const id = newId('job');
        const row = await insertJob(tx, {
          id,
          organizationId,
          projectId,
          createdBy: caller.id,
          repository: project.repository,
          model: model.model,
          modelRequested: body.model ?? null,
          branch: body.branch ?? null,
          baseBranch: body.baseBranch ?? null,
          draft: body.draft ?? false,
          subject: subjectOf(body.prompt),
        });
        await insertMessage(tx, { jobId: id, projectId, prompt: body.prompt, createdBy: caller.id });
        return {
          status: 201,
          body: presentJob(row),
          headers: { Location: `/v2/agent/${projectId}/job/${id}`, 'Retry-After': '2' },
        };
      });
    },

    message(caller, projectId, id, body, request) {
      const { organizationId } = caller;
      const once = {
        organizationId,
        route: request.target,
        key: request.key,
        body,
        hours: adapters.idempotencyHours,
      };
      return runOnce(db, once, async (tx) => {
        await lockProject(tx, organizationId, projectId);
        const before = await lockJob(tx, { organizationId, projectId, id });
        if (before === undefined) throw notFound('agent job');
        await requireOpen(tx, before, adapters.retentionDays);
        const requested = before.model_requested;
        const { project, model } = await admit(tx, models, organizationId, projectId, requested);
        if (model === null) {
          throw new AppError(
            'model_missing',
            `The job was created with the model ${requested}, for which the project no longer has a key. Create a new job.`,
          );
        }
        requireSameRepository(before, project);
        await takeUse(tx, projectId);
        await insertMessage(tx, { jobId: id, projectId, prompt: body.prompt, createdBy: caller.id });
        const row = await wake(tx, before, model);
        return { status: 200, body: presentJob(row), headers: {} };
      });
    },

    readChanged: (name, wait) => waitForJob({ listener, find: () => find(name) }, wait),

    async list(organizationId, projectId, query) {
      await readProject(db, organizationId, projectId);
      const rows = await listJobs(
        db,
        { organizationId, projectId },
        {
          phases: query.status === undefined ? undefined : phasesOf(query.status),
          after: parseCursor(query.cursor),
          limit: query.limit,
        },
      );
      return pageOf(rows, query.limit, presentJob);
    },

    async events(name, after, signal) {
      await find(name);
      return followJob({ db, listener, find: () => findJob(db, name) }, after, signal);
    },

    async diff(name) {
      const row = await find(name);
      return { ...diffOf(await findFiles(db, row.id)), isKept: row.emptied_at === null };
    },

    async settings(organizationId, projectId) {
      const project = await readProject(db, organizationId, projectId);
      return show(db, models, project, await findSettings(db, projectId));
    },

    updateSettings(organizationId, projectId, body) {
      return db.transaction().execute(async (tx) => {
        await lockProject(tx, organizationId, projectId);
        const project = await readProject(tx, organizationId, projectId);
        const before = await findSettings(tx, projectId);
        const set = settingsColumns(body, project, before, models);
        const after = await replaceSettings(tx, { organizationId, id: projectId }, set);
        return {
          before: await show(tx, models, project, before),
          settings: await show(tx, models, project, after),
        };
      });
    },

    async testModel(organizationId, projectId, signal) {
      const project = await readProject(db, organizationId, projectId);
      const settings = await findSettings(db, projectId);
      // Unlike a job, a test needs no repository.
      const fault = await planFault(db, organizationId, 'The agent', 'pro');
      const configured = fault ?? usableModel(models, project, settings);
      if (configured instanceof AppError) throw configured;
      const airGapped = project.deployment_type === 'air-gapped';
      const fetch = modelFetch(models.config, settings, { airGapped });
      return inTestSlot(organizationId, () => testModel(configured, { fetch, signal }));
    },
  };

  /** Lets a worker see the message that was just stored: now, or at the next step of the one that has the job. */
  async function wake(tx: Transaction<Database>, before: JobView, model: ModelSettings): Promise<JobView> {
    const next = transition(before.phase, 'message');
    if (next !== null || before.phase === 'waiting') await queueJob(tx, before);
    if (next !== null) {
      return changeJob(
        tx,
        before.id,
        {
          phase: next,
          turn: before.turn + 1,
          model: model.model,
          counters: '{}',
          outcome: null,
          failure_code: null,
          failure_message: null,
          completed_at: null,
        },
        { kind: 'state', phase: next },
      );
    }
    if (before.phase !== 'waiting') return changeJob(tx, before.id, {});
    return changeJob(
      tx,
      before.id,
      { phase: 'queued', waiting_until: null },
      { kind: 'state', phase: 'queued' },
    );
  }
}

type GitProjectRow = ProjectRow & { repository: string };

/** The project and the model of a job that is asked for; throws when it may not or cannot have one. */
async function admit(
  db: Db,
  models: SettingsAdapters,
  organizationId: string,
  projectId: string,
  requested: string | null,
): Promise<{ project: GitProjectRow; model: ModelSettings | null; configured: ModelSettings }> {
  const project = await readProject(db, organizationId, projectId);
  const settings = await findSettings(db, projectId);
  const configured = resolveModel(models, settings);
  const fault = await faultOf(db, models, project, settings);
  if (fault !== null) throw fault;
  return {
    project: project as GitProjectRow,
    model: resolveModel(models, settings, requested),
    configured: configured as ModelSettings,
  };
}

/** Why no job can be created in the project; null when one can. */
async function faultOf(
  db: Db,
  models: SettingsAdapters,
  project: ProjectRow,
  settings: AgentSettingsRow | undefined,
): Promise<AppError | null> {
  const wrongPlan = await planFault(db, project.organization_id, 'The agent', 'pro');
  if (wrongPlan !== null) return wrongPlan;
  if (project.source_kind !== 'git' || project.repository === null) {
    return new AppError(
      'source_kind_mismatch',
      `The source of the project is of kind ${project.source_kind}, but the agent needs a Git repository. Change the source of the project to git.`,
    );
  }
  const model = usableModel(models, project, settings);
  return model instanceof AppError ? model : null;
}

/** Whether a project has set a model of its own. */
export async function hasOwnModel(db: Db, projectId: string): Promise<boolean> {
  return ((await findSettings(db, projectId))?.model ?? null) !== null;
}

/**
 * The model of a project, for features that read: `requested` is another model of the same provider. An AppError is the
 * reason why it cannot be used.
 */
export async function openProjectModel(
  db: Db,
  models: SettingsAdapters,
  project: ProjectRow,
  requested: string | null,
): Promise<{ settings: ModelSettings; model: ModelPort } | AppError> {
  const stored = await findSettings(db, project.id);
  const fault = usableModel(models, project, stored);
  if (fault instanceof AppError) return fault;
  const settings = resolveModel(models, stored, requested) ?? fault;
  const airGapped = project.deployment_type === 'air-gapped';
  return {
    settings,
    model: createModel(settings, { fetch: modelFetch(models.config, stored, { airGapped }) }),
  };
}

/** The model of a project, or why it cannot be used. */
function usableModel(
  models: SettingsAdapters,
  project: ProjectRow,
  settings: AgentSettingsRow | undefined,
): ModelSettings | AppError {
  const model = resolveModel(models, settings);
  if (model === null) {
    return new AppError(
      'model_missing',
      'No model is configured. Set one in the agent settings of the project, or ask the operator to set OFFPRINT_AGENT_PROVIDER and OFFPRINT_AGENT_MODEL, with OFFPRINT_AGENT_BASE_URL for openai-compatible.',
    );
  }
  const host = hostOf(model);
  if (
    project.deployment_type === 'air-gapped' &&
    !isAllowedHost(host, modelPolicy(models.config, settings))
  ) {
    return new AppError(
      'model_missing',
      `The project is air-gapped, and its model is at ${host}, which the operator has not allowed. Set a model inside the network in the agent settings of the project, or ask the operator to add the host to OFFPRINT_ALLOW_PRIVATE_HOSTS.`,
    );
  }
  return model;
}

async function show(
  db: Db,
  models: SettingsAdapters,
  project: ProjectRow,
  settings: AgentSettingsRow | undefined,
): Promise<AgentSettings> {
  const model = resolveModel(models, settings);
  const fault = await faultOf(db, models, project, settings);
  return presentSettings(settings, project, model, fault?.message ?? null);
}

/** What is proposed must be on a branch of its own. */
function requireOtherBranch({ branch, baseBranch }: CreateAgentJobBody, project: ProjectRow): void {
  if (branch === undefined || (branch !== baseBranch && branch !== project.branch)) return;
  const what = branch === baseBranch ? 'baseBranch' : 'the published branch';
  throw new AppError(
    'invalid_request',
    `branch is ${what}, to which the agent never pushes. Use another branch, or leave it out.`,
    { param: '/branch' },
  );
}

/** Throws when the job takes no more messages. */
async function requireOpen(tx: Transaction<Database>, row: JobView, retentionDays: number): Promise<void> {
  if (row.phase === 'archived') {
    throw new AppError('job_archived', 'The job is archived and accepts no messages. Create a new one.');
  }
  const again = `Create a new one${row.branch === null ? '' : ' on another branch, or once the pull request is merged'}.`;
  if (row.emptied_at !== null) {
    throw new AppError(
      'job_emptied',
      `The transcript of the job was deleted, like those of all jobs after ${retentionDays} days, so the job cannot continue. ${again}`,
    );
  }
  if ((await countMessages(tx, row.id)) < MAX_MESSAGES) return;
  throw new AppError('job_full', `The job has ${MAX_MESSAGES} messages, which is the limit. ${again}`);
}

function requireSameRepository(row: JobView, project: GitProjectRow): void {
  if (row.repository === project.repository) return;
  throw new AppError(
    'source_changed',
    'The project now has another repository than the one that the job works on. Create a new job.',
  );
}
