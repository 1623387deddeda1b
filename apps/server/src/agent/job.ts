import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { mirrorOf } from '../platform/git/mirror.ts';
import { type Failure, type Fence, type Kind, type Lease, parkJob } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/log.ts';
import { VERSION } from '../version.ts';
import { type AgentJobAdapters, type Attempt, openProject } from './attempt.ts';
import { openDraft, saveDraft } from './draft.ts';
import { failureOf } from './failure.ts';
import { type AgentJobRow, beginJob, createJournal, endJob, keptMessage, moveJob } from './journal.ts';
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
import { rescueBranch } from './rescue.ts';
import { ACTIVE_PHASES } from './state.ts';
import { AGENT_KIND } from './store.ts';
import { toolDefinitions } from './tools/registry.ts';
import { createWorkspace } from './workspace/overlay.ts';

/** Internal failures in a row without a step between, after which a job is abandoned. */
const MAX_FAILURES = 10;

/** Agent jobs: each works on its turn and publishes what came of it. */
export function createAgentKind(adapters: AgentJobAdapters): Kind {
  return {
    name: AGENT_KIND,
    unfinished: sql`
      SELECT id, organization_id, project_id AS lane, attempt FROM agent_jobs
      WHERE phase IN (${sql.join(ACTIVE_PHASES)})`,
    maxFailures: MAX_FAILURES,
    async begin(tx, fence) {
      const row = await beginJob(tx, fence);
      if (row === undefined) return undefined;
      const log = adapters.log.child({ agentJobId: row.id, attempt: row.attempt });
      return {
        async run(lease) {
          log.info({ turn: row.turn }, 'agent job claimed');
          await work(adapters, row, lease, log);
          return 'ended';
        },
        abandon: (lease, failure) => rescueBranch(adapters, row, lease, failure),
      };
    },
    failureOf: (error) => (error instanceof LostJobError ? null : failureOf(error)),
    release: (tx, fence) => isOwned(moveJob(tx, fence, 'release')),
    retry: (tx, fence, { message }, delayMs) => isOwned(wait(tx, fence, delayMs, message)),
    fail: (tx, fence, failure) => isOwned(fail(tx, fence, failure)),
  };
}

async function isOwned(move: Promise<void>): Promise<boolean> {
  try {
    await move;
    return true;
  } catch (error) {
    if (error instanceof LostJobError) return false;
    throw error;
  }
}

async function work(
  adapters: AgentJobAdapters,
  claimed: AgentJobRow,
  fence: Lease,
  log: Logger,
): Promise<void> {
  const { db } = adapters;
  const { folder, signal } = fence;
  const { project, connection } = await openProject(adapters, claimed);
  const remote = await adapters.openRemote(
    {
      repository: project.repository,
      credential: (stop) => connection.forge.gitCredential(stop),
      policy: adapters.gitPolicy,
      limits: adapters.gitLimits,
      folder,
      mirror:
        adapters.mirrorDir === null
          ? undefined
          : mirrorOf(adapters.mirrorDir, claimed.project_id, claimed.repository),
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
        if (!isBegun) await db.transaction().execute((tx) => moveJob(tx, fence, 'begin'));
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
    basis: JSON.stringify([VERSION, prepared.baseCommit, policy]),
    policy,
    check: adapters.check,
    review: async (now) => {
      const { secrets } = connection;
      const { blocked } = scanChanges(now.changes(), { policy, base, secrets });
      const { held, refused } = await inspectChanges(now, adapters.check, signal);
      return {
        held: held.map((one) => ({ ...one, message: removeSecrets(one.message, secrets) })),
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
  { adapters, fence, log }: Attempt,
  result: Exclude<TurnResult, { kind: 'finished' }>,
): Promise<void> {
  const { db } = adapters;
  if (result.kind === 'waiting') {
    const { until, message } = result;
    log.info({ until, reason: message }, 'agent job waits');
    const delayMs = Math.max(1_000, until.getTime() - Date.now());
    return db.transaction().execute(async (tx) => {
      await wait(tx, fence, delayMs, message);
      await parkJob(tx, fence, delayMs);
    });
  }
  log.info({ code: result.code }, 'agent job failed');
  // A window that the instructions alone fill refuses every turn before it takes its message.
  if (result.code === 'context_overflow') return db.transaction().execute((tx) => fail(tx, fence, result));
  const advice = result.isTemporary === true ? ' Send a message to continue later.' : '';
  const message = keptMessage(`${result.message}${advice}`);
  const set = { failure_code: result.code, failure_message: message };
  await endJob(db, fence, { phase: 'failed', set, message });
}

function wait(tx: Transaction<Database>, fence: Fence, delayMs: number, message: string): Promise<void> {
  const until = new Date(Date.now() + delayMs);
  return moveJob(tx, fence, 'wait', {
    set: { waiting_until: until },
    message: keptMessage(message),
    until: until.toISOString(),
  });
}

function fail(
  tx: Transaction<Database>,
  fence: Fence,
  { code, message }: Pick<Failure, 'code' | 'message'>,
): Promise<void> {
  const kept = keptMessage(message);
  return moveJob(tx, fence, 'fail', {
    set: { failure_code: code, failure_message: kept, completed_at: sql<Date>`now()` },
    message: kept,
  });
}
