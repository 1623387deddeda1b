import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Job } from '../platform/jobs/queue.ts';
import type { Logger } from '../platform/log.ts';
import { readGitProject } from '../projects/service.ts';
import type { AgentJobAdapters, Attempt } from './attempt.ts';
import { openDraft, saveDraft } from './draft.ts';
import { type Failure, failureOf, JobError } from './failure.ts';
import {
  type AgentJobRow,
  claimJob,
  countAhead,
  createJournal,
  endJob,
  type Fence,
  keptMessage,
  moveJob,
  updateJob,
} from './journal.ts';
import { LostJobError } from './loop/journal.ts';
import type { TurnResult } from './loop/open-turn.ts';
import { runTurn } from './loop/turn.ts';
import { sayNote, scanChanges } from './policy/diff-scan.ts';
import { inspectChanges } from './policy/inspect.ts';
import { removeSecrets } from './policy/secrets.ts';
import { type Prepared, prepareJob } from './prepare.ts';
import { projectFacts } from './prompt/project-facts.ts';
import { systemPrompt } from './prompt/system.ts';
import { publishJob } from './publish-job.ts';
import { type AgentPayload, enqueueAgentJob } from './service.ts';
import { toolDefinitions } from './tools/registry.ts';
import { createWorkspace } from './workspace/overlay.ts';

/** Internal failures, or deaths of the worker without a step between, after which a job is abandoned. */
export const MAX_FAILURES = 10;
const GIVEN_UP = `The job crashed its worker ${MAX_FAILURES} times without progress and was abandoned. Report this with the id of the job.`;
/** How soon a job that waits for others of its project is checked again. */
const BUSY_SECONDS = 2;
const MAX_BUSY_SECONDS = 60;

/** Handles entries of the agent queue: takes a job, works on its turn and publishes what came of it. */
export function createAgentRunner(adapters: AgentJobAdapters): (job: Job<AgentPayload>) => Promise<void> {
  return async (job) => {
    const { db, metrics } = adapters;
    const { agentJobId } = job.payload;
    const row = await claimJob(db, agentJobId, job.id, adapters.maxOfProject);
    if (row === undefined) return;
    if (row === 'busy') {
      await requeueLater(adapters, agentJobId, job.id);
      return;
    }
    const log = adapters.log.child({ agentJobId, attempt: row.attempt });
    const started = performance.now();
    metrics.activeJobs.inc({ kind: 'agent' });
    try {
      await runAttempt(adapters, job, row, log);
    } finally {
      metrics.activeJobs.dec({ kind: 'agent' });
      metrics.jobSeconds.observe({ kind: 'agent' }, (performance.now() - started) / 1_000);
    }
  };
}

/** Requeues the entry, with a longer delay the more older ones precede it; the job stays as it is. */
async function requeueLater(
  { db, queue, maxOfProject }: AgentJobAdapters,
  id: string,
  entry: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const ahead = await countAhead(tx, id);
    const delaySeconds = Math.min(MAX_BUSY_SECONDS, BUSY_SECONDS * (1 + Math.floor(ahead / maxOfProject)));
    const row = await tx
      .selectFrom('agent_jobs')
      .select(['id', 'organization_id'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return;
    const next = await enqueueAgentJob(queue, tx, row, delaySeconds);
    await tx
      .updateTable('agent_jobs')
      .set({ queue_entry: next, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('queue_entry', '=', entry)
      .execute();
  });
}

async function runAttempt(
  adapters: AgentJobAdapters,
  job: Job<AgentPayload>,
  row: AgentJobRow,
  log: Logger,
): Promise<void> {
  const fence = { id: row.id, attempt: row.attempt };
  const folder = join(adapters.workDir, `${row.id}-${row.attempt}`);
  log.info({ delivery: job.delivery, turn: row.turn }, 'agent job claimed');
  try {
    if (row.failures >= MAX_FAILURES) throw new JobError('internal', GIVEN_UP);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await work(adapters, row, fence, folder, job.signal, log);
    count(adapters, 'ended');
  } catch (error) {
    await settle(adapters, job, row, fence, error, log);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function work(
  adapters: AgentJobAdapters,
  claimed: AgentJobRow,
  fence: Fence,
  folder: string,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const { db } = adapters;
  const project = await readGitProject(db, adapters.credentialKey, {
    organizationId: claimed.organization_id,
    id: claimed.project_id,
  });
  if (project === null) {
    throw new JobError(
      'repo_unreachable',
      'The project no longer has a Git repository. Set one and send a message.',
    );
  }
  if (project.repository !== claimed.repository) {
    throw new JobError(
      'repo_unreachable',
      'The project now has another repository than when the job was created. Create a new job.',
    );
  }
  const connection = await adapters.connect(claimed, project);
  const remote = await adapters.openRemote(
    {
      repository: project.repository,
      credential: (stop) => connection.forge.gitCredential(stop),
      policy: adapters.gitPolicy,
      limits: adapters.gitLimits,
      folder,
      mirror: mirrorOf(adapters, claimed),
    },
    signal,
  );
  try {
    const attempt: Attempt = { adapters, row: claimed, fence, project, connection, remote, signal, log };
    let isBegun = false;
    // A branch that people have pushed to sends the turn back to the model, with their text.
    for (let round = 0; ; round += 1) {
      const prepared = await prepareJob({
        db,
        fence,
        row: await reread(db, claimed.id),
        project,
        remote,
        forge: connection.forge,
        check: adapters.check,
        scratch: folder,
        adminInstructions: connection.instructions,
        signal,
      });
      try {
        if (!isBegun) await moveJob(db, fence, 'begin');
        isBegun = true;
        const result = await turn({ ...attempt, row: prepared.row }, prepared);
        if (result.kind !== 'finished') return await leave(attempt, result);
        const outcome = await publishJob({ ...attempt, row: prepared.row }, prepared, result, round);
        if (outcome === 'published') return;
      } finally {
        prepared.base.close();
      }
    }
  } finally {
    await remote.close();
  }
}

/** A project's own, since another may not be permitted to read the same repository. */
function mirrorOf({ mirrorDir }: AgentJobAdapters, row: AgentJobRow): string | undefined {
  if (mirrorDir === null) return undefined;
  const repository = createHash('sha256').update(row.repository).digest('hex').slice(0, 16);
  return join(mirrorDir, `${row.project_id}-${repository}`);
}

function reread(db: Kysely<Database>, id: string): Promise<AgentJobRow> {
  return db.selectFrom('agent_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

function turn(attempt: Attempt, prepared: Prepared): Promise<TurnResult> {
  const { adapters, connection, project, fence, signal } = attempt;
  const { settings } = connection;
  const { base, baseline } = prepared;
  const workspace = createWorkspace(base, new Map());
  const policy = { docsFolder: project.folder, allow: connection.writeAllow };
  return runTurn({
    model: connection.model,
    contextWindow: settings.contextWindow,
    maxOutput: settings.maxOutput,
    price: settings.price,
    system: systemPrompt({
      facts: projectFacts(workspace),
      instructions: prepared.instructions,
      template: prepared.template,
    }),
    tools: toolDefinitions(),
    base,
    loadBase: base.load,
    baseline,
    policy,
    check: adapters.check,
    review: async (now) => {
      const { secrets } = connection;
      const { blocked } = scanChanges(now.changes(), { policy, base, secrets });
      const { held, refused } = await inspectChanges(now, adapters.check, signal);
      return {
        held,
        refused: [...blocked, ...refused].map((note) => {
          return { path: note.path, text: removeSecrets(sayNote(note), secrets) };
        }),
      };
    },
    limits: adapters.limits,
    journal: createJournal(adapters.db, fence, (path) => workspace.readBase(path)),
    now: Date.now,
    openDraft: (after) => openDraft((text) => saveDraft(adapters.db, fence, after, text)),
    sleep: (ms, stop) => delay(ms, undefined, { signal: stop }),
    signal,
  });
}

/** Ends an attempt whose turn has to wait, or has failed. */
async function leave(
  { adapters, fence, row, log }: Attempt,
  result: Exclude<TurnResult, { kind: 'finished' }>,
): Promise<void> {
  if (result.kind === 'waiting') {
    log.info({ until: result.until, reason: result.message }, 'agent job waits');
    await park(adapters, fence, row, result.until, result.message);
    return;
  }
  log.info({ code: result.code }, 'agent job failed');
  // A window that the instructions alone fill refuses every turn before it takes its message.
  if (result.code === 'context_overflow') return fail(adapters, fence, result);
  const { db, queue } = adapters;
  const message = keptMessage(result.message);
  const set = { failure_code: result.code, failure_message: message };
  await endJob(db, fence, { phase: 'failed', set, message }, (tx) => enqueueAgentJob(queue, tx, row));
}

async function park(
  { db, queue }: AgentJobAdapters,
  fence: Fence,
  row: { id: string; organization_id: string },
  until: Date,
  message: string,
): Promise<void> {
  const delaySeconds = Math.max(1, (until.getTime() - Date.now()) / 1_000);
  await moveJob(
    db,
    fence,
    'wait',
    { waiting_until: until },
    {
      message: keptMessage(message),
      until: until.toISOString(),
      also: async (tx) => {
        const entry = await enqueueAgentJob(queue, tx, row, delaySeconds);
        await tx.updateTable('agent_jobs').set({ queue_entry: entry }).where('id', '=', row.id).execute();
      },
    },
  );
}

async function fail(
  { db }: AgentJobAdapters,
  fence: Fence,
  { code, message }: Pick<Failure, 'code' | 'message'>,
): Promise<void> {
  const kept = keptMessage(message);
  await moveJob(
    db,
    fence,
    'fail',
    { failure_code: code, failure_message: kept, completed_at: sql<Date>`now()` },
    { message: kept },
  );
}

/** What becomes of an attempt that threw. */
async function settle(
  adapters: AgentJobAdapters,
  job: Job<AgentPayload>,
  row: AgentJobRow,
  fence: Fence,
  error: unknown,
  log: Logger,
): Promise<void> {
  if (job.signal.aborted) {
    const reason = String(job.signal.reason);
    log.info({ reason }, 'agent job stopped');
    count(adapters, reason);
    if (reason === 'shutdown') await ignoreLost(moveJob(adapters.db, fence, 'release'));
    throw error;
  }
  if (error instanceof LostJobError) {
    log.info('agent job was taken over by another worker');
    count(adapters, 'lost');
    return;
  }
  const failure = failureOf(error);
  const failures = row.failures + 1;
  await ignoreLost(
    (async () => {
      if (!failure.retryable || failures >= MAX_FAILURES) {
        const level = failure.code === 'internal' ? 'error' : 'info';
        log[level]({ err: error, code: failure.code }, 'agent job failed');
        count(adapters, 'failed');
        await fail(adapters, fence, failure);
        return;
      }
      log.warn({ err: error, failures }, 'an attempt failed and will be retried');
      count(adapters, 'retried');
      await updateJob(adapters.db, fence, { failures });
      const wait = Math.max(failure.retryAfterMs ?? 0, Math.min(300_000, 5_000 * 2 ** (failures - 1)));
      await park(adapters, fence, row, new Date(Date.now() + wait), failure.message);
    })(),
  );
}

async function ignoreLost(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof LostJobError)) throw error;
  }
}

function count({ metrics }: AgentJobAdapters, outcome: string): void {
  metrics.jobs.inc({ kind: 'agent', outcome });
}
