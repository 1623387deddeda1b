import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { branchName } from '../../apps/server/src/agent/publish/branch-name.ts';
import { needsNewRound, publishChanges } from '../../apps/server/src/agent/publish/publish.ts';
import { createForge } from '../../apps/server/src/platform/forge/forge.ts';
import { startGiteaDouble } from '../support/forge/gitea.ts';
import { startGitlabDouble } from '../support/forge/gitlab.ts';
import {
  changesOf,
  Lost,
  nextTurn,
  publish,
  type Row,
  requestOf,
  START,
  type Stage,
  setStage,
  workerOf,
} from './publishing.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.close());

const edited = (from: string, to: string, text = START): string => text.replace(from, to);
const pullsOf = (branch: string) => stage.double.rows().filter(({ head }) => head === branch);

async function newRound(row: Row): Promise<boolean> {
  const worker = await workerOf(stage, row);
  try {
    return await needsNewRound(requestOf(row), worker);
  } finally {
    await worker.close();
  }
}

async function refsMovedBy(work: () => Promise<unknown>): Promise<string[]> {
  const before = await stage.refs();
  await work();
  const after = await stage.refs();
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

describe('one turn', () => {
  test('makes one branch with one commit on the base, one pull request, and moves nothing else', async () => {
    const row = stage.row({
      'start.mdx': edited('one', 'ONE'),
      'new/page.mdx': '# New\n',
      'other.mdx': null,
    });
    const ref = `refs/heads/${row.branch}`;
    expect(await refsMovedBy(() => publish(stage, row))).toEqual([ref]);
    expect((await stage.git('rev-list', '--parents', ref)).split('\n')[0]).toBe(
      `${row.commitSha} ${stage.base}`,
    );
    expect((await stage.git('diff', '--name-status', stage.base, ref)).trim().split('\n')).toEqual([
      'A\tdocs/new/page.mdx',
      'D\tdocs/other.mdx',
      'M\tdocs/start.mdx',
    ]);
    expect(await stage.git('log', '-1', '--format=%an <%ae> %cn %aI %cI%n%B', ref)).toBe(
      `Offprint <agent@example.com> Offprint 2026-02-03T04:05:06Z 2026-02-03T04:05:06Z\nDescribe the start\n\nThe page **start** says more.\n\nOffprint-Job: ${row.jobId}\n\n`.replaceAll(
        'Z',
        '+00:00',
      ),
    );
    const [pull, ...others] = pullsOf(row.branch);
    expect(others).toEqual([]);
    expect(pull).toMatchObject({ title: 'Describe the start', base: 'main', draft: false, state: 'open' });
    expect(pull?.body).toContain('The page **start** says more.');
    expect(pull?.body).toContain('Checks: 0 new problems, 1 fixed.');
    expect(pull?.body.endsWith(`<!-- offprint-job:${row.jobId} -->`)).toBe(true);
    expect(row.pullRequests).toEqual([
      {
        number: pull?.number,
        url: expect.stringContaining(`/pull/${pull?.number}`),
        branch: row.branch,
        state: 'open',
      },
    ]);
    expect(row.pushedSha).toBe(row.commitSha);
  });

  test('changes that were not checked are a draft again, even after a person released the pull request', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    await publish(stage, row);
    expect(pullsOf(row.branch).map(({ draft }) => draft)).toEqual([false]);
    nextTurn(row, { 'start.mdx': edited('one', 'First') });
    await publish(stage, row, { more: { draft: true, isUnchecked: true } });
    expect(pullsOf(row.branch).map(({ draft }) => draft)).toEqual([true]);
  });

  test('new code for browsers is a draft again for each piece that no person has released', async () => {
    const row = stage.row({ 'start.mdx': edited('one', '{run()}') });
    const held = ['`start.mdx`, line 1: has a function call (`run`)'];
    const draftOf = () => pullsOf(row.branch).map(({ draft }) => draft);
    await publish(stage, row, { more: { draft: true, held } });
    expect(draftOf()).toEqual([true]);
    expect(pullsOf(row.branch)[0]?.body).toContain('New code for the browsers of readers');
    const number = pullsOf(row.branch)[0]?.number ?? 0;
    await stage.forge.updatePullRequest(number, { draft: false }, stage.signal);

    // The code has moved, and is the one that was released.
    nextTurn(row, { 'start.mdx': `zero\n${edited('one', '{run()}')}` });
    await publish(stage, row, { more: { draft: true, held: [held[0]?.replace('line 1', 'line 2') ?? ''] } });
    expect(draftOf()).toEqual([false]);

    nextTurn(row, { 'start.mdx': edited('one', '{run()} {go()}') });
    const more = [...held, '`start.mdx`, line 1: has a function call (`go`)'];
    await publish(stage, row, { more: { draft: true, held: more } });
    expect(draftOf()).toEqual([true]);
    const steps = stage.double.requests().map(({ method, path }) => `${method} ${path}`);
    expect(steps.lastIndexOf('POST /graphql')).toBeLessThan(
      steps.lastIndexOf(`PATCH ${steps.findLast((step) => step.startsWith('PATCH '))?.slice(6)}`),
    );
  });

  test('the same call again writes nothing anywhere', async () => {
    const row = stage.row({ 'start.mdx': edited('two', 'TWO') });
    const first = await publish(stage, row);
    const seen = stage.double.requests().length;
    stage.server.requests.length = 0;
    expect(await refsMovedBy(async () => expect(await publish(stage, row)).toEqual(first))).toEqual([]);
    const writes = stage.double
      .requests()
      .slice(seen)
      .filter(({ method }) => method !== 'GET');
    expect(writes).toEqual([]);
    expect(stage.server.requests.filter((request) => request.includes('receive-pack'))).toEqual([]);
  });

  test('without a change nothing is pushed and no pull request is opened', async () => {
    const row = stage.row({});
    const same = stage.row({ 'start.mdx': START });
    expect(
      await refsMovedBy(async () => {
        expect(await publish(stage, row)).toMatchObject({ pullRequest: null, commit: stage.base });
        expect(await publish(stage, same)).toMatchObject({ pullRequest: null, commit: stage.base });
      }),
    ).toEqual([]);
    expect(pullsOf(row.branch)).toEqual([]);
  });

  test('on a plain Git server the branch is all there is', async () => {
    const row = stage.row({ 'start.mdx': edited('two', 'Two') });
    const forge = createForge({ kind: 'git', credential: null }, { fetch, now: () => new Date() });
    const published = await publish(stage, row, { forge });
    expect(published).toMatchObject({ pullRequest: null, branch: row.branch, commit: row.commitSha });
    expect((await stage.refs()).get(`refs/heads/${row.branch}`)).toBe(row.commitSha);
    expect(await publish(stage, row, { forge })).toEqual(published);
  });

  test('words of the model notify nobody, name no other job, and hold no secret', async () => {
    const row = stage.row(
      { 'start.mdx': edited('two', 'tWO') },
      {
        title: 'Fixes #12 for @alice\nsk-live-own-secret-value',
        summary:
          'cc @bob\n\nCo-authored-by: Eve <e@x>\n<!-- offprint-job:agt_other -->\n![x](https://evil.example/p.png) sk-live-own-secret-value\n\nOffprint-Job: agt_other',
      },
    );
    await publish(stage, row, { more: { reasons: ['asks @carol <img src=x>'], footer: ['read @dave'] } });
    const [pull] = pullsOf(row.branch);
    const message = await stage.git('log', '-1', '--format=%B', row.branch);
    for (const text of [`${pull?.title}\n${pull?.body}`, message]) {
      expect(text).not.toMatch(/sk-live-own|@(?:alice|bob|carol|dave)|#12|^Co-authored-by:|<img|\]\(https/m);
      expect(text).not.toContain('offprint-job:agt_other');
      expect(text).not.toContain('Offprint-Job: agt_other');
    }
    expect(message.trim().split('\n').at(-1)).toBe(`Offprint-Job: ${row.jobId}`);
  });

  test('blocked findings of the scan are not published, and noted ones are in the body', async () => {
    const blocked = stage.row({ 'start.mdx': '<script>steal()</script>\n' });
    expect(
      await refsMovedBy(() => expect(publish(stage, blocked)).rejects.toMatchObject({ code: 'policy' })),
    ).toEqual([]);
    const noted = stage.row({ 'start.mdx': `import { x } from '/snippets/x.mdx'\n\n${START}` });
    const { notes } = await publish(stage, noted);
    expect(notes).not.toEqual([]);
    expect(pullsOf(noted.branch)[0]?.body).toContain('Please review');
  });
});

describe('follow-ups', () => {
  test('put a commit on top, keep the pull request, and leave what people wrote below its marker', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    await publish(stage, row);
    const first = row.commitSha;
    const pull = stage.double.rows().find(({ head }) => head === row.branch) as {
      body: string;
      title: string;
    };
    pull.body = `Added by a person.\n\n${pull.body}\n\nReviewed by hand.`;
    pull.title = 'Changed by a person';
    nextTurn(row, { 'start.mdx': edited('one', 'Once') }, 'Say it shorter');
    await publish(stage, row);
    const line = (await stage.git('rev-list', row.branch)).trim().split('\n');
    expect(line).toEqual([row.commitSha, first, stage.base]);
    expect(await stage.text(row.branch, 'docs/start.mdx')).toBe(edited('one', 'Once'));
    expect(pullsOf(row.branch)).toHaveLength(1);
    expect(pull).toMatchObject({ title: 'Changed by a person' });
    expect(pull.body.startsWith('Added by a person.\n\nThe page **start** says more.')).toBe(true);
    expect(pull.body.match(/### Say it shorter/g)).toHaveLength(1);
    expect(pull.body.match(/Checks: 0 new problems/g)).toHaveLength(1);
    expect(await stage.git('log', '-1', '--format=%s', row.branch)).toBe('Say it shorter\n');
    expect(pull.body.endsWith(`<!-- offprint-job:${row.jobId} -->\n\nReviewed by hand.`)).toBe(true);
    // A turn that changes nothing, such as a question, leaves all of it alone.
    nextTurn(row, { 'start.mdx': edited('one', 'Once') }, 'An answer');
    expect(await publish(stage, row)).toMatchObject({ pullRequest: null });
    expect(pull.body).not.toContain('An answer');
  });

  test('what people pushed on other lines stays, through every later turn', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    await publish(stage, row);
    const human = await stage.person(row.branch, {
      'docs/start.mdx': edited('five', 'FIVE', edited('one', 'ONE')),
      'docs/human.mdx': 'by hand\n',
    });
    nextTurn(row, { 'start.mdx': edited('one', 'First') });
    await publish(stage, row);
    const both = edited('five', 'FIVE', edited('one', 'First'));
    expect(await stage.text(row.branch, 'docs/start.mdx')).toBe(both);
    expect(await stage.text(row.branch, 'docs/human.mdx')).toBe('by hand\n');
    const parents = (await stage.git('rev-parse', `${row.branch}^1`, `${row.branch}^2^`)).trim().split('\n');
    expect(parents[0]).toBe(human);
    // The job has not seen what people wrote; its next turn must not take it away.
    nextTurn(row, { 'start.mdx': edited('one', 'First of all') });
    await publish(stage, row);
    expect(await stage.text(row.branch, 'docs/start.mdx')).toBe(both.replace('First', 'First of all'));
    expect(await stage.text(row.branch, 'docs/human.mdx')).toBe('by hand\n');
    expect(pullsOf(row.branch)).toHaveLength(1);
    const settled = await publish(stage, row);
    expect(settled.commit).toBe(row.commitSha);
  });

  test('changes that people pushed on the same lines are reported with their paths and never overwritten', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    await publish(stage, row);
    const human = await stage.person(row.branch, { 'docs/start.mdx': edited('one', 'by hand') });
    nextTurn(row, { 'start.mdx': edited('one', 'First') });
    const moved = { code: 'branch_moved', conflicts: ['docs/start.mdx'] };
    expect(await refsMovedBy(() => expect(publish(stage, row)).rejects.toMatchObject(moved))).toEqual([]);
    // The job starts again from the commits that people pushed, and resolves the conflict.
    Object.assign(row, { baseCommit: human, pushedSha: human, commitSha: human });
    row.changes = changesOf({ 'start.mdx': edited('one', 'by hand, first') });
    await publish(stage, row);
    expect((await stage.git('rev-parse', `${row.branch}^`)).trim()).toBe(human);
    expect(await stage.text(row.branch, 'docs/start.mdx')).toBe(edited('one', 'by hand, first'));
    const later = await stage.person(row.branch, { 'docs/start.mdx': edited('one', 'by hand, last') });
    row.baseCommit = later;
    nextTurn(row, { 'other.mdx': 'more\n' });
    await publish(stage, row);
    expect(await stage.text(row.branch, 'docs/start.mdx')).toBe(edited('one', 'by hand, last'));
    expect((await stage.git('rev-parse', `${row.branch}^`)).trim()).toBe(later);
  });

  test("a branch that was rewritten, or is somebody else's, is left as it is", async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    await publish(stage, row);
    await stage.person(row.branch, { 'docs/start.mdx': 'rewritten\n' }, { onto: 'main', force: true });
    nextTurn(row, { 'start.mdx': edited('one', 'First') });
    const stranger = stage.row({ 'start.mdx': edited('one', 'ONE') });
    await stage.person(stranger.branch, { 'docs/x.mdx': 'mine\n' }, { onto: 'main' });
    for (const job of [row, stranger]) {
      const moved = { code: 'branch_moved', conflicts: [], retryable: false };
      expect(await refsMovedBy(() => expect(publish(stage, job)).rejects.toMatchObject(moved))).toEqual([]);
    }
    expect(pullsOf(stranger.branch)).toEqual([]);
  });

  test('a branch that people deleted is made again from the base', async () => {
    const forge = createForge({ kind: 'git', credential: null }, { fetch, now: () => new Date() });
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    await publish(stage, row, { forge });
    await stage.git('update-ref', '-d', `refs/heads/${row.branch}`);
    nextTurn(row, { 'start.mdx': edited('one', 'First') });
    await publish(stage, row, { forge });
    expect((await stage.git('rev-parse', `${row.branch}^`)).trim()).toBe(stage.base);
    expect(await stage.text(row.branch, 'docs/start.mdx')).toBe(edited('one', 'First'));
  });

  test('after a merge or a closing more work needs a new round, which makes a second branch and pull request', async () => {
    const row = stage.row({ 'third.mdx': 'x\n' });
    await publish(stage, row);
    expect(await newRound(row)).toBe(false);
    stage.double.closePull(row.pullRequests[0]?.number ?? 0);
    expect(await newRound(row)).toBe(false);
    nextTurn(row, { 'third.mdx': 'y\n' });
    expect(await newRound(row)).toBe(true);
    const ended = { code: 'branch_moved', retryable: true };
    expect(await refsMovedBy(() => expect(publish(stage, row)).rejects.toMatchObject(ended))).toEqual([]);
    const first = row.branch;
    row.branch = branchName('offprint/', row.title, row.jobId, 2);
    Object.assign(row, { commitSha: null, pushedSha: null });
    await publish(stage, row);
    expect(row.branch).toBe(`${first}-2`);
    expect(row.pullRequests.map(({ branch }) => branch)).toEqual([first, `${first}-2`]);
    expect(
      pullsOf(first)
        .concat(pullsOf(row.branch))
        .map(({ state }) => state),
    ).toEqual(['closed', 'open']);
  });

  test('a pull request that was merged before the word of it was saved is the result, not a reason for another', async () => {
    const row = stage.row({ 'fourth.mdx': 'x\n' });
    const around = async (name: string, effect: () => Promise<unknown>) => {
      if (name === 'savePullRequest') throw new Lost('gone');
      return effect();
    };
    await expect(publish(stage, row, { around })).rejects.toBeInstanceOf(Lost);
    const [pull] = pullsOf(row.branch);
    await stage.double.merge(pull?.number ?? 0, { deleteBranch: true });
    expect(await newRound(row)).toBe(false);
    expect(await publish(stage, row)).toMatchObject({
      pullRequest: { number: pull?.number, state: 'merged' },
    });
    expect((await stage.refs()).has(`refs/heads/${row.branch}`)).toBe(false);
    expect(pullsOf(row.branch)).toHaveLength(1);
  });
});

describe('what has changed around the job', () => {
  test('a base branch that has moved is reported, and whether both changed the same lines, also after people pushed', async () => {
    await stage.person('main', { 'docs/other.mdx': edited('three', 'moved') });
    const clean = stage.row({ 'start.mdx': edited('one', 'ONE') });
    expect((await publish(stage, clean)).notes).toEqual([expect.stringContaining('do not conflict')]);
    const tip = await stage.person(clean.branch, { 'docs/other.mdx': edited('three', 'by hand') });
    Object.assign(clean, { baseCommit: tip, pushedSha: tip, commitSha: tip });
    nextTurn(clean, { 'start.mdx': edited('one', 'First') });
    expect((await publish(stage, clean)).notes.join()).toContain('same lines in docs/other.mdx');
    const clashing = stage.row({ 'other.mdx': edited('three', 'THREE') });
    const { notes } = await publish(stage, clashing);
    expect(notes.join()).toContain('docs/other.mdx');
    expect(pullsOf(clashing.branch)[0]?.body).toContain('docs/other.mdx');
    expect((await stage.git('rev-parse', `${clashing.branch}^`)).trim()).toBe(stage.base);
  });

  test('a pull request that somebody else opened for the branch is taken and left in their words', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    const around = async (name: string, effect: () => Promise<unknown>) => {
      if (name === 'create') {
        await stage.forge.createPullRequest(
          { headBranch: row.branch, baseBranch: 'main', title: 'By hand', body: 'mine', draft: false },
          stage.signal,
        );
      }
      return effect();
    };
    const { pullRequest } = await publish(stage, row, { around });
    expect(pullsOf(row.branch)).toMatchObject([
      { number: pullRequest?.number, title: 'By hand', body: 'mine' },
    ]);
  });
});

describe('refusals', () => {
  test('work that is in the base branch already needs no pull request', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    const around = async (name: string, effect: () => Promise<unknown>) => {
      if (name === 'create') await stage.git('update-ref', 'refs/heads/people', row.commitSha ?? '');
      return effect();
    };
    const more = { baseBranch: 'people' };
    expect(await publish(stage, row, { around, more })).toMatchObject({ pullRequest: null });
    expect(pullsOf(row.branch)).toEqual([]);
  });

  test('a job that is cancelled ends with the reason, wherever it is', async () => {
    for (const at of ['saveCommit', 'push', 'create']) {
      const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
      const cancel = new AbortController();
      const reason = new Error('cancelled');
      const worker = await workerOf(stage, row, async (name, effect) => {
        if (name === at) cancel.abort(reason);
        return effect();
      });
      const publishing = publishChanges(requestOf(row), { ...worker, signal: cancel.signal });
      await expect(publishing, at).rejects.toBe(reason);
      await worker.close();
      expect(pullsOf(row.branch), at).toEqual([]);
    }
  });

  test('the base branch, the default one, one that is protected or beside the prefix are never pushed to', async () => {
    await stage.double.git.createBranches(['offprint/kept'], stage.base);
    await stage.double.protect('offprint/kept');
    for (const branch of ['main', 'people', 'offprint/kept', 'offprint/', 'OFFPRINT/x']) {
      const row = stage.row({ 'start.mdx': 'x\n' }, { branch });
      expect(
        await refsMovedBy(() => expect(publish(stage, row)).rejects.toMatchObject({ code: 'policy' })),
      ).toEqual([]);
    }
    const prefixed = { branchPrefix: 'ma' };
    const row = stage.row({ 'start.mdx': 'x\n' }, { branch: 'main' });
    await expect(publish(stage, row, { more: prefixed })).rejects.toMatchObject({ code: 'policy' });
    await expect(publish(stage, row, { more: { ...prefixed, baseBranch: 'people' } })).rejects.toThrow(
      'default branch',
    );
  });

  test('a text cannot be put where a link stands', async () => {
    const base = await stage.server.commit(
      'acme/docs.git',
      [{ path: 'docs/link.mdx', content: '/etc/passwd', mode: '120000' }],
      { ref: 'refs/heads/links' },
    );
    const row = stage.row({ 'link.mdx': 'text\n' }, { baseCommit: base });
    await expect(publish(stage, row)).rejects.toMatchObject({ code: 'policy' });
    expect((await stage.refs()).has(`refs/heads/${row.branch}`)).toBe(false);
  });

  test('a server rule that only the push triggers is reported in the words of the server', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    const hooks = join(stage.server.root, 'acme/docs.git/hooks');
    await mkdir(hooks, { recursive: true });
    await writeFile(
      join(hooks, 'update'),
      `#!/bin/sh\n[ "$1" = refs/heads/${row.branch} ] || exit 0\necho GH013: rule violations >&2\nexit 1\n`,
      { mode: 0o755 },
    );
    const refused = expect(publish(stage, row)).rejects;
    await refused.toMatchObject({ code: 'push_rejected', retryable: false });
    await expect(publish(stage, row)).rejects.toThrow('GH013: rule violations');
    expect((await stage.refs()).has(`refs/heads/${row.branch}`)).toBe(false);
    expect(pullsOf(row.branch)).toEqual([]);
  });

  test('an unavailable forge causes a retry, which duplicates nothing', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    // As often as the client tries.
    stage.double.fail({ kind: 502, methods: ['POST'], times: 3 });
    await expect(publish(stage, row)).rejects.toMatchObject({ code: 'pr_rejected', retryable: true });
    expect(row.pushedSha).toBe((await stage.refs()).get(`refs/heads/${row.branch}`));
    expect(row.pullRequests).toEqual([]);
    await publish(stage, row);
    expect(pullsOf(row.branch)).toHaveLength(1);
  });
});

describe.each([
  ['GitLab', startGitlabDouble],
  ['Gitea', startGiteaDouble],
] as const)('on %s', (_name, start) => {
  test('drafts, follow-ups, repetitions, lost responses and new rounds have the same result as on GitHub', async () => {
    const other = await setStage(start);
    try {
      const row = other.row({ 'start.mdx': edited('one', 'ONE') });
      const pulls = () => other.double.rows().filter(({ head }) => head.startsWith(row.branch));
      const more = { draft: true, reasons: ['The budget ran out.'] };
      other.double.fail({ kind: 'lost-answer', methods: ['POST'] });
      await publish(other, row, { more }).catch(() => publish(other, row, { more }));
      const seen = other.double.requests().length;
      await publish(other, row, { more });
      const writes = other.double.requests().slice(seen);
      expect(writes.filter(({ method }) => method !== 'GET')).toEqual([]);
      nextTurn(row, { 'start.mdx': edited('one', 'First') }, 'Say it better');
      await publish(other, row, { more });
      expect(pulls()).toMatchObject([{ state: 'open', draft: true, base: 'main' }]);
      expect(pulls()[0]?.title).toMatch(/(?:^|: )Describe the start$/);
      expect(pulls()[0]?.body).toContain('### Say it better');
      expect(pulls()[0]?.body).toContain('The budget ran out.');
      await other.double.merge(pulls()[0]?.number ?? 0, { deleteBranch: true });
      nextTurn(row, { 'start.mdx': edited('one', 'Once') });
      const worker = await workerOf(other, row);
      expect(await needsNewRound(requestOf(row), worker)).toBe(true);
      await worker.close();
      const baseCommit = (await other.refs()).get('refs/heads/main') ?? '';
      Object.assign(row, { branch: `${row.branch}-2`, commitSha: null, pushedSha: null, baseCommit });
      await publish(other, row);
      const all = other.double.rows().map(({ head, state }) => [head, state]);
      expect(all).toEqual([
        [row.branch.replace(/-2$/, ''), 'merged'],
        [row.branch, 'open'],
      ]);
    } finally {
      await other.close();
    }
  });
});

describe('lost responses', () => {
  test('a pull request that was opened unheard of is found', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    stage.double.fail({ kind: 'lost-answer', methods: ['POST'] });
    await publish(stage, row).catch(() => publish(stage, row));
    expect(pullsOf(row.branch)).toHaveLength(1);
    expect(row.pullRequests).toHaveLength(1);
  });

  test('a push that landed unheard of is found', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    let isCut = true;
    stage.intercept.current = (request, response) => {
      if (request.method !== 'POST' || !request.url?.endsWith('/git-receive-pack') || !isCut) return false;
      response.writeHead = () => response;
      response.write = () => true;
      response.end = () => {
        request.socket.destroy();
        return response;
      };
      return false;
    };
    await expect(publish(stage, row)).rejects.toMatchObject({ code: 'repo_unreachable', retryable: true });
    isCut = false;
    const landed = (await stage.refs()).get(`refs/heads/${row.branch}`);
    expect(landed).toBe(row.commitSha);
    expect(row.pushedSha).toBeNull();
    expect(await publish(stage, row)).toMatchObject({ commit: landed });
    expect(pullsOf(row.branch)).toHaveLength(1);
  });
});

describe('two workers on one job', () => {
  /** A worker that stalls before an effect until it is woken. */
  async function stalled(row: Row, at: string) {
    row.attempt += 1;
    let wake: () => void = () => undefined;
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let reached: () => void = () => undefined;
    const there = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const worker = await workerOf(stage, row, async (name, effect) => {
      if (name === at) {
        reached();
        await asleep;
      }
      return effect();
    });
    const outcome = publishChanges(requestOf(row), worker).then(
      () => 'published',
      (error: unknown) => error,
    );
    await there;
    return { wake, outcome: outcome.finally(worker.close) };
  }

  test.each(['saveCommit', 'push', 'savePushed', 'create', 'savePullRequest'])(
    'one that stalls before %s and wakes after the other is done writes nothing and doubles nothing',
    async (at) => {
      const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
      const slow = await stalled(row, at);
      await publish(stage, row);
      nextTurn(row, { 'start.mdx': edited('one', 'First') });
      const done = await publish(stage, row);
      const kept = structuredClone(row);
      expect(
        await refsMovedBy(async () => {
          slow.wake();
          expect(await slow.outcome).toBeInstanceOf(Lost);
        }),
      ).toEqual([]);
      expect(row).toEqual(kept);
      expect((await stage.refs()).get(`refs/heads/${row.branch}`)).toBe(done.commit);
      expect(pullsOf(row.branch)).toHaveLength(1);
    },
  );

  test('both at the same time make the same commit and one pull request', async () => {
    const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
    const workers = [await workerOf(stage, row), await workerOf(stage, row)];
    const results = await Promise.allSettled(workers.map((worker) => publishChanges(requestOf(row), worker)));
    for (const worker of workers) await worker.close();
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect((await stage.git('rev-list', row.branch)).trim().split('\n')).toEqual([row.commitSha, stage.base]);
    expect(pullsOf(row.branch)).toHaveLength(1);
  });
});
