import { json } from '../platform/db/database.ts';
import type { Failure, Lease } from '../platform/jobs/jobs.ts';
import { type AgentJobAdapters, type Connection, openProject } from './attempt.ts';
import { type AgentJobRow, updateJob } from './journal.ts';
import { harmlessTitle } from './policy/harmless.ts';
import { marker } from './publish/message.ts';
import type { JobPullRequest } from './record.ts';

/**
 * Before a job is abandoned that has pushed: a branch without a pull request is given a draft, so that the work is not
 * lost out of sight. Returns the failure with where the work is.
 */
export async function rescueBranch(
  adapters: AgentJobAdapters,
  claimed: AgentJobRow,
  lease: Lease,
  failure: Failure,
): Promise<Failure> {
  const row = await adapters.db
    .selectFrom('agent_jobs')
    .selectAll()
    .where('id', '=', claimed.id)
    .executeTakeFirstOrThrow();
  const known = row.pull_requests as JobPullRequest[];
  const { branch } = row;
  if (branch === null || row.pushed_sha === null || known.some((one) => one.branch === branch))
    return failure;
  const say = (text: string): Failure => ({ ...failure, message: `${failure.message} ${text}` });
  try {
    const { connection } = await openProject(adapters, row);
    if (!connection.forge.hasPullRequests) return say(`The changes are in the branch ${branch}.`);
    const { number, url, state } = await draftOf(row, branch, connection, lease.signal);
    await updateJob(adapters.db, lease, {
      pull_requests: json([...known, { number, url, branch, state }]),
      pr_link: url,
    });
    return say(`The changes are in the branch ${branch}, with the draft pull request ${url}.`);
  } catch (error) {
    lease.signal.throwIfAborted();
    adapters.log.warn({ err: error, agentJobId: row.id }, 'a pushed branch was left without a pull request');
    return say(
      `The changes are in the branch ${branch}, which has no pull request. Open one, or delete the branch.`,
    );
  }
}

/** The open pull request of the branch, or a new draft. */
async function draftOf(
  row: AgentJobRow,
  branch: string,
  { forge, secrets }: Connection,
  signal: AbortSignal,
) {
  const found = await forge.findPullRequest(branch, signal);
  if (found?.state === 'open') return found;
  return forge.createPullRequest(
    {
      headBranch: branch,
      baseBranch: row.base_branch ?? '',
      title: harmlessTitle(row.title ?? row.subject, { maxLength: 200, secrets }),
      body: `The agent job was abandoned after it had pushed these changes. Review all of them.\n\n${marker(row.id)}`,
      draft: true,
    },
    signal,
  );
}
