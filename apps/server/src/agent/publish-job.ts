import { json } from '../platform/db/database.ts';
import type { Attempt } from './attempt.ts';
import { endJob, keptMessage, moveJob, rebaseJob, type TurnEnd, updateJob } from './journal.ts';
import type { TurnResult } from './loop/open-turn.ts';
import { harmlessTitle } from './policy/harmless.ts';
import { repositoryPath } from './policy/paths.ts';
import { removeSecrets } from './policy/secrets.ts';
import type { Prepared } from './prepare.ts';
import { branchName } from './publish/branch-name.ts';
import { PublishError, type Published, publishChanges } from './publish/publish.ts';
import {
  countProblems,
  type EventBody,
  type HeldCode,
  type JobPullRequest,
  notCheckedText,
  sayFinding,
  sayHeld,
  type TurnOutcome,
} from './record.ts';
import { createWorkspace } from './workspace/overlay.ts';

type Finished = Extract<TurnResult, { kind: 'finished' }>;

/** The committer; this email address does not exist. */
const AUTHOR = { name: 'Offprint', email: 'agent@offprint.invalid' };

/** How often people may push to the branch in the middle of publishing before a job gives up. */
const MAX_ROUNDS = 2;

/**
 * Publishes what a turn has changed and ends it. `again` when people have changed the same lines on the
 * branch: the job is then based on their commit, and the model receives both texts.
 */
export async function publishJob(
  attempt: Attempt,
  prepared: Prepared,
  result: Finished,
  round: number,
): Promise<'published' | 'again'> {
  const { adapters, fence } = attempt;
  const { changes } = result;
  const { row } = prepared;
  const held = heldOf(prepared, result);
  const outcome = withoutSecrets(
    { ...result.outcome, held, docsFolder: attempt.project.folder },
    attempt.connection.secrets,
  );
  if (changes.length === 0 && row.pushed_sha === null) {
    const before = row.pull_requests as JobPullRequest[];
    await end(
      attempt,
      {
        outcome: json(outcome),
        // What was merged meanwhile is still what the job has made.
        pr_link: before.at(-1)?.url ?? null,
        ...(row.title === null ? { title: outcome.title } : {}),
      },
      [],
    );
    return 'published';
  }
  if (result.refused.length > 0) throw refusedError(result.refused);
  const branch = row.branch ?? branchFor(attempt, prepared, outcome.title);
  const commitAt = row.commit_at ?? new Date();
  const set = {
    outcome: json(outcome),
    title: row.title ?? outcome.title,
    branch,
    commit_at: commitAt,
  };
  await adapters.db.transaction().execute((tx) => moveJob(tx, fence, 'publish', { set }));
  try {
    const published = await publish(attempt, prepared, { ...result, outcome }, branch, commitAt);
    await end(attempt, finalColumns(row.pull_requests as JobPullRequest[], published), [
      publishedEvent(published),
    ]);
    attempt.log.info({ branch, pullRequest: published.pullRequest?.url ?? null }, 'agent job published');
    return 'published';
  } catch (error) {
    const isConflict =
      error instanceof PublishError && error.code === 'branch_moved' && error.conflicts.length > 0;
    if (!isConflict || round >= MAX_ROUNDS) throw error;
    await rebaseOntoBranch(attempt, prepared, branch, error.conflicts);
    return 'again';
  }
}

function publish(
  attempt: Attempt,
  prepared: Prepared,
  { outcome, changes, checks, blocking }: Finished,
  branch: string,
  commitAt: Date,
): Promise<Published> {
  const { adapters, fence, connection, project, remote, signal } = attempt;
  const { row } = prepared;
  const held = outcome.held ?? [];
  const isChecked = checks.status !== 'not_checked';
  const reasons = [
    ...(outcome.stopped === null ? [] : [outcome.stopped.message]),
    ...(outcome.needsInput === null ? [] : [`The agent asks: ${outcome.needsInput}`]),
    ...(outcome.leftOut ?? []),
    ...(isChecked ? [] : [notCheckedText(checks)]),
    ...(blocking.length === 0 ? [] : [`The checks report ${countProblems(blocking.length)}.`]),
  ];
  const { db } = adapters;
  return publishChanges(
    {
      jobId: row.id,
      changes,
      base: prepared.base,
      policy: { docsFolder: project.folder, allow: connection.writeAllow },
      baseBranch: prepared.baseBranch,
      baseCommit: prepared.baseCommit,
      branch,
      branchPrefix: connection.branchPrefix,
      title: row.title ?? outcome.title,
      turnTitle: outcome.title,
      summary: outcome.summary,
      draft: row.draft || reasons.length > 0 || held.length > 0,
      findings: { shown: (checks.findings ?? []).map(sayFinding), total: checks.new },
      held: held.map(sayHeld),
      reasons,
      footer: [
        isChecked ? `Checks: ${countProblems(checks.new)}, ${checks.fixed} fixed.` : 'Checks: not checked.',
        `Model: ${row.model}.`,
        ...(prepared.instructionsSource === null ? [] : [`Instructions: ${prepared.instructionsSource}.`]),
      ],
      commitAt,
      author: AUTHOR,
      isUnchecked: !isChecked,
      commitSha: row.commit_sha,
      pushedSha: row.pushed_sha,
      pullRequests: row.pull_requests as JobPullRequest[],
      secrets: connection.secrets,
    },
    {
      remote,
      forge: connection.forge,
      signal,
      journal: {
        saveCommit: (sha) => updateJob(db, fence, { commit_sha: sha }, sha !== row.commit_sha),
        savePushed: (sha) => updateJob(db, fence, { pushed_sha: sha }),
        savePullRequest: (pullRequest) =>
          updateJob(db, fence, {
            pull_requests: json(withPullRequest(row.pull_requests as JobPullRequest[], pullRequest)),
          }),
      },
    },
  );
}

/**
 * New code of this turn; and what was held before, where the work was restarted on the job's own branch and that code is
 * part of its base.
 */
function heldOf({ row, base, baseCommit }: Prepared, { outcome, changes }: Finished): HeldCode[] {
  const now = outcome.held ?? [];
  const before = row.pushed_sha === baseCommit ? ((row.outcome as TurnOutcome | null)?.held ?? []) : [];
  const gone = new Set(changes.flatMap(({ path, after }) => (after === null ? [path] : [])));
  const known = new Set(now.map(({ path, message }) => `${path}\0${message}`));
  const left = before.filter(
    ({ path, message }) => base.entries.has(path) && !gone.has(path) && !known.has(`${path}\0${message}`),
  );
  return [...now, ...left];
}

const MAX_REFUSED = 20;

function refusedError(refused: readonly string[]): PublishError {
  const left = refused.length - MAX_REFUSED;
  const shown = refused.slice(0, MAX_REFUSED).join(' ');
  return new PublishError('policy', `Nothing was published. ${shown}${left > 0 ? ` And ${left} more.` : ''}`);
}

/** What the model says at the end is shown by the API and goes to the forge. */
function withoutSecrets(outcome: TurnOutcome, secrets: readonly string[]): TurnOutcome {
  const { title, summary, needsInput, held = [], leftOut = [] } = outcome;
  return {
    ...outcome,
    held: held.map((one) => ({ ...one, message: removeSecrets(one.message, secrets) })),
    leftOut: leftOut.map((text) => removeSecrets(text, secrets)),
    title: removeSecrets(title, secrets),
    summary: removeSecrets(summary, secrets),
    needsInput: needsInput === null ? null : removeSecrets(needsInput, secrets),
  };
}

function branchFor({ connection }: Attempt, { row }: Prepared, title: string): string {
  const { branchPrefix } = connection;
  const asked = row.branch_requested;
  if (asked === null || row.branch_round > 1) {
    // The name of a branch leaves the house like a title does.
    const words = harmlessTitle(title, { maxLength: 200, secrets: connection.secrets });
    return branchName(branchPrefix, words, row.id, row.branch_round);
  }
  return asked.startsWith(branchPrefix) ? asked : `${branchPrefix}${asked}`;
}

function finalColumns(before: readonly JobPullRequest[], published: Published) {
  const { pullRequest } = published;
  return {
    // Nothing new to push: what was opened before is still what there is.
    pr_link: pullRequest?.url ?? before.at(-1)?.url ?? null,
    ...(pullRequest === null ? {} : { pull_requests: json(withPullRequest(before, pullRequest)) }),
  };
}

function withPullRequest(before: readonly JobPullRequest[], one: JobPullRequest): JobPullRequest[] {
  return [...before.filter(({ number, branch }) => number !== one.number || branch !== one.branch), one];
}

const publishedEvent = ({ branch, commit, pullRequest }: Published): EventBody => ({
  kind: 'published',
  branch,
  commit,
  prLink: pullRequest?.url ?? null,
});

async function end(
  { adapters, fence }: Attempt,
  set: TurnEnd['set'],
  events: readonly EventBody[],
): Promise<void> {
  await endJob(adapters.db, fence, { phase: 'idle', set: { ...set, commit_at: null }, events });
}

/** Longest text of a file that the model is shown of a conflict. */
const SHOWN = 8_000;

/**
 * Sets the job on the commit that people pushed. Files that only one side changed are taken from that side;
 * for files that both changed, the text of the people wins and the model receives its previous one.
 */
async function rebaseOntoBranch(
  { adapters, fence, remote, project, signal }: Attempt,
  { base, row }: Prepared,
  branch: string,
  conflicts: readonly string[],
): Promise<void> {
  const tip = await remote.branchTip(branch, signal);
  if (tip === null)
    throw new PublishError('branch_moved', `The branch ${branch} was deleted during publishing.`);
  await remote.fetchCommit(tip, signal);
  const journalFiles = await adapters.db
    .selectFrom('agent_files')
    .select(['path', 'content'])
    .where('job_id', '=', fence.id)
    .execute();
  const before = createWorkspace(base, new Map());
  const files = new Map<string, { content: string | null; before: string | null }>();
  const shown: string[] = [];
  for (const { path, content } of journalFiles) {
    const ours = content?.toString('utf8') ?? null;
    const full = repositoryPath(path, project.folder);
    const theirs = await remote.readText(tip, full, signal);
    const isConflict = conflicts.includes(full) || conflicts.includes(path);
    if (!isConflict && theirs === before.readBase(path)) files.set(path, { content: ours, before: theirs });
    else if (theirs !== ours) {
      shown.push(`### ${path}\nYour version was:\n${ours === null ? '(deleted)' : ours.slice(0, SHOWN)}`);
    }
  }
  const text = `Other people have pushed to the branch ${branch} and changed the same lines as you in: ${conflicts.join(', ')}. The files now contain their text. Read these files, apply the requested changes to their text, and finish again.\n\n${shown.join('\n\n')}`;
  await rebaseJob(
    adapters.db,
    fence,
    {
      phase: 'running',
      base_commit: tip,
      pushed_sha: tip,
      commit_sha: tip,
      commit_at: null,
      memory: json({ ...(row.memory as object), readPaths: [] }),
    },
    files,
    [
      { kind: 'state', phase: 'running', message: keptMessage(`Other people have pushed to ${branch}.`) },
      { kind: 'notice', text },
    ],
  );
}
