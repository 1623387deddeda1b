import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { type Database, json } from '../platform/db/database.ts';
import type { Forge } from '../platform/forge/port.ts';
import type { GitRemote } from '../platform/git/remote.ts';
import type { Fence } from '../platform/jobs/jobs.ts';
import type { GitProject } from '../projects/service.ts';
import { createBaseline } from './baseline.ts';
import type { Baseline } from './check/check-changes.ts';
import type { DocsCheck } from './check/docs-check.ts';
import { JobError } from './failure.ts';
import { type AgentJobRow, rebaseJob, updateJob } from './journal.ts';
import { findInstructions, findPullRequestTemplate } from './prompt/project-instructions.ts';
import type { JobPullRequest } from './record.ts';
import { type GitBase, openGitBase } from './workspace/git-base.ts';

/** What a job works on, read from the repository. */
export interface Prepared {
  /** The row with what was found out written to it. */
  row: AgentJobRow;
  /** To be closed after use. */
  base: GitBase;
  baseBranch: string;
  baseCommit: string;
  instructions: string;
  instructionsSource: string | null;
  /** Template of pull requests of the repository; '' = none. */
  template: string;
  baseline: Baseline;
}

export interface PrepareRequest {
  db: Kysely<Database>;
  fence: Fence;
  row: AgentJobRow;
  project: GitProject;
  remote: GitRemote;
  forge: Forge;
  check: DocsCheck;
  /** Folder of the attempt, for the contents of the docs. */
  scratch: string;
  /** Added by an administrator to the instructions of the repository. */
  adminInstructions: string;
  signal: AbortSignal;
}

/**
 * Fetches the commit that a job works on and opens its docs. The first attempt of a job fixes the commit and the
 * instructions; a follow-up starts where its branch is now, or from the published branch when its pull request is merged
 * or closed.
 */
export async function prepareJob(request: PrepareRequest): Promise<Prepared> {
  const row = await startingPoint(request);
  const { remote, project, signal, db, fence, check, scratch } = request;
  const { folder } = project;
  const { base_commit: baseCommit, base_branch: baseBranch } = row;
  if (baseCommit === null || baseBranch === null) throw new Error('the base commit is not set');
  const published = await publishedCommit(request, row, baseCommit);
  const { text, source } = await instructionsOf(request, row, published);
  if (row.instructions === null)
    await updateJob(db, fence, { instructions: text, instructions_source: source });
  const template = await findPullRequestTemplate((path) => remote.readText(published, path, signal));
  const base = await openGitBase(remote, { commit: baseCommit, folder, scratch }, signal);
  return {
    row,
    base,
    baseBranch,
    baseCommit,
    instructions: text,
    instructionsSource: source,
    template,
    baseline: createBaseline({ db, fence, row, folder, base, check }),
  };
}

/**
 * Where what a model is instructed by is read. A job may start on any branch, or continue on commits pushed
 * to its own, and anybody with push permission may have created those.
 */
async function publishedCommit(
  { remote, project, signal }: PrepareRequest,
  row: AgentJobRow,
  baseCommit: string,
): Promise<string> {
  if (row.base_branch_requested === null && baseCommit !== row.pushed_sha) return baseCommit;
  return (await remote.fetchCommit(project.branch, signal)).commit;
}

/** Instructions are those of the deploy branch at the start of the job: a job cannot change its own. */
async function instructionsOf(
  request: PrepareRequest,
  row: AgentJobRow,
  commit: string,
): Promise<{ text: string; source: string | null }> {
  if (row.instructions !== null) return { text: row.instructions, source: row.instructions_source };
  const { remote, project, adminInstructions, signal } = request;
  const found = await findInstructions((path) => remote.readText(commit, path, signal), project.folder);
  const parts = [found?.text ?? '', adminInstructions]
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const source =
    found === null
      ? null
      : `${found.path} ${createHash('sha256').update(found.text).digest('hex').slice(0, 12)}`;
  return { text: parts.join('\n\n'), source };
}

/** Fetches the base of the job and writes it to the row, if it is not what the row says already. */
async function startingPoint(request: PrepareRequest): Promise<AgentJobRow> {
  const { row, remote, forge, signal } = request;
  if (row.base_commit === null) return startAnew(request, {});
  if (row.branch === null || row.pushed_sha === null) {
    await remote.fetchCommit(row.base_commit, signal);
    return row;
  }
  const last = (row.pull_requests as JobPullRequest[]).at(-1);
  if (last !== undefined && forge.hasPullRequests) {
    const now = await forge.findPullRequest(row.branch, signal);
    if (now !== null && now.state !== 'open') {
      const pullRequests = (row.pull_requests as JobPullRequest[]).map((one) =>
        one.number === now.number ? { ...one, state: now.state } : one,
      );
      return startAnew(request, {
        pull_requests: json(pullRequests),
        branch: null,
        branch_round: row.branch_round + 1,
        commit_sha: null,
        pushed_sha: null,
      });
    }
  }
  const tip = await remote.branchTip(row.branch, signal);
  if (tip === null) {
    // Deleted by somebody: what the job did is still in its overlay and is pushed again.
    await remote.fetchCommit(row.base_commit, signal);
    return row;
  }
  await remote.fetchCommit(row.base_commit, signal);
  if (tip === row.pushed_sha) return row;
  const isAhead = await remote.isAncestor(row.pushed_sha, tip, signal);
  if (!isAhead) {
    throw new JobError(
      'branch_moved',
      `The branch ${row.branch} was rewritten by someone else: it no longer contains ${row.pushed_sha.slice(0, 12)}. Start a new job.`,
    );
  }
  // What people pushed belongs to the work from now on; what the job had pushed is part of it.
  if (row.commit_sha !== row.pushed_sha) return row;
  await remote.fetchCommit(tip, signal);
  const set = { base_commit: tip, pushed_sha: tip, commit_sha: tip };
  const notice = `Other people have pushed to the branch ${row.branch}: files may differ from what you have seen. Read them again before you change them.`;
  await rebaseJob(
    request.db,
    request.fence,
    { ...set, memory: json({ ...(row.memory as object), readPaths: [] }) },
    new Map(),
    [{ kind: 'notice', text: notice }],
  );
  return { ...row, ...set };
}

async function startAnew(
  { db, fence, row, project, remote, signal }: PrepareRequest,
  more: Parameters<typeof rebaseJob>[2],
): Promise<AgentJobRow> {
  const { commit, branch } = await remote.fetchCommit(row.base_branch_requested ?? project.branch, signal);
  const set = { ...more, base_commit: commit, base_branch: branch };
  if (row.base_commit === null) {
    await updateJob(db, fence, set);
  } else {
    await rebaseJob(
      db,
      fence,
      { ...set, memory: json({ ...(row.memory as object), readPaths: [] }) },
      new Map(),
      [
        {
          kind: 'notice',
          text: 'The pull request was merged or closed. You now work on the published docs. Your changes that were not merged are gone: read files again, and repeat these changes if needed.',
        },
      ],
    );
  }
  return db.selectFrom('agent_jobs').selectAll().where('id', '=', fence.id).executeTakeFirstOrThrow();
}
