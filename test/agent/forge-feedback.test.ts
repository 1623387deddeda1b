/** Commit statuses and comments on pull requests, against doubles that check each request by the description of the API. */
import { describe, expect, test } from 'vitest';
import { createFeedback } from '../../apps/server/src/platform/forge/feedback.ts';
import { startGiteaDouble } from '../support/forge/gitea.ts';
import { startGithubDouble } from '../support/forge/github.ts';
import { startGitlabDouble } from '../support/forge/gitlab.ts';
import { type DoubleStage, setStage } from '../support/forge/ground.ts';

const signal = new AbortController().signal;
const starts = { GitHub: startGithubDouble, GitLab: startGitlabDouble, 'Gitea, Forgejo': startGiteaDouble };
const marker = 'offprint:2f1c9a';
const comment = (body: string) => ({ marker, body });

async function withStage(
  start: (typeof starts)[keyof typeof starts],
  run: (stage: DoubleStage, pull: number, commit: string) => Promise<void>,
): Promise<void> {
  const stage = await setStage(start);
  try {
    const branch = stage.newBranch();
    const commit = await stage.push(branch);
    const request = { headBranch: branch, baseBranch: 'main', title: 'A', body: '', draft: false };
    const { number } = await stage.forge.createPullRequest(request, signal);
    await run(stage, number, commit);
  } finally {
    await stage.stop();
  }
}

const feedbackOf = ({ double }: DoubleStage, token?: string) =>
  createFeedback(double.settings(token), {
    fetch,
    now: () => new Date(),
    wait: async (_milliseconds, waiting) => waiting.throwIfAborted(),
  });

describe.each(Object.entries(starts))('%s', (name, start) => {
  test('the status of a commit is set, set again, and replaced', () =>
    withStage(start, async (stage, _pull, commit) => {
      const { setCommitStatus } = feedbackOf(stage);
      const status = { context: 'offprint/preview', description: 'Working', url: null };
      await setCommitStatus(commit, { ...status, state: 'pending' }, signal);
      await setCommitStatus(commit, { ...status, state: 'pending' }, signal);
      const failed = { ...status, state: 'failure' as const, description: `2 broken\n${'x'.repeat(300)}` };
      await setCommitStatus(commit, { ...failed, url: 'https://offprint.example.com/e/1' }, signal);
      const [set, ...others] = stage.double.statuses();
      expect(others).toEqual([]);
      expect(set).toMatchObject({
        commit,
        context: 'offprint/preview',
        state: name === 'GitLab' ? 'failed' : 'failure',
        url: 'https://offprint.example.com/e/1',
      });
      expect(set?.description).toMatch(/^2 broken x+$/);
      expect(set?.description.length).toBeLessThanOrEqual(140);
    }));

  test('one comment is written and then edited, between those of others', () =>
    withStage(start, async (stage, pull) => {
      const { double } = stage;
      const { putComment } = feedbackOf(stage);
      for (let at = 0; at < 130; at++) double.addComment(pull, `Comment ${at}`);
      expect(await putComment(pull, comment('First report'), signal)).toBe('created');
      // Somebody quotes ours, marker included.
      double.addComment(pull, `> First report <!-- ${marker} -->`);
      expect(await putComment(pull, comment('First report'), signal)).toBe('unchanged');
      expect(await putComment(pull, comment('Second report'), signal)).toBe('edited');
      const bodies = double.comments().map(({ body }) => body);
      expect(bodies).toHaveLength(132);
      expect(bodies[130]).toBe(`Second report\n\n<!-- ${marker} -->`);
      expect(bodies[131]).toContain('> First report');
    }));

  test('a lost response leaves one comment, and a deleted comment is written again', () =>
    withStage(start, async (stage, pull) => {
      const { double } = stage;
      const { putComment } = feedbackOf(stage);
      double.fail({ kind: 'lost-answer', methods: ['POST'] });
      expect(await putComment(pull, comment('Report'), signal)).toBe('created');
      expect(double.comments()).toHaveLength(1);
      double.removeComment(double.comments()[0]?.id ?? 0);
      expect(await putComment(pull, comment('Report'), signal)).toBe('created');
      expect(double.comments()).toHaveLength(1);
    }));

  test('a token without the right is an error that names the permission', () =>
    withStage(start, async (stage, pull, commit) => {
      const { putComment, setCommitStatus } = feedbackOf(stage, stage.double.tokens.read);
      const status = { state: 'success' as const, context: 'offprint', description: 'Done', url: null };
      const requests = [
        () => putComment(pull, comment('x'), signal),
        () => setCommitStatus(commit, status, signal),
      ];
      for (const request of requests) {
        const error = await request().catch((caught: unknown) => caught);
        expect(error).toMatchObject({
          fault: 'auth',
          message: expect.stringMatching(/read and write|scope api/),
        });
        expect(String(error)).not.toContain(stage.double.tokens.read);
      }
      expect(double(stage)).toEqual([0, 0]);
    }));

  test('a commit that is not an object name is refused before any request', () =>
    withStage(start, async (stage) => {
      const before = stage.double.requests().length;
      const status = { state: 'success' as const, context: 'offprint', description: 'Done', url: null };
      await expect(feedbackOf(stage).setCommitStatus('../main', status, signal)).rejects.toThrow(
        /object name/,
      );
      expect(stage.double.requests()).toHaveLength(before);
    }));
});

const double = ({ double: { comments, statuses } }: DoubleStage) => [comments().length, statuses().length];

test('a GitHub App asks for the rights of statuses and pull requests, and for no others', async () => {
  const stage = await setStage((options) =>
    startGithubDouble({
      ...options,
      granted: { statuses: 'write', pull_requests: 'write', metadata: 'read' },
    }),
  );
  try {
    const github = await startGithubDouble({
      gitRoot: stage.double.git.gitDir.replace(/\/acme\/docs(?:\.git)?$/, ''),
      repository: 'acme/docs',
      granted: { statuses: 'write', pull_requests: 'write', metadata: 'read' },
    });
    const commit = await stage.push(stage.newBranch());
    const { setCommitStatus } = createFeedback(github.appSettings(), { fetch, now: () => new Date() });
    await setCommitStatus(
      commit,
      { state: 'success', context: 'offprint', description: 'Done', url: null },
      signal,
    );
    expect(github.mints().map(({ permissions }) => permissions)).toEqual([
      { statuses: 'write', pull_requests: 'write', metadata: 'read' },
    ]);
    await github.close();
  } finally {
    await stage.stop();
  }
});
