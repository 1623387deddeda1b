import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGitServer } from '../../../../../test/support/git-server.ts';
import { checkoutDates, fileDates } from './dates.ts';
import { DEFAULT_GIT_LIMITS } from './policy.ts';
import { snapshotRepository } from './snapshot.ts';

let work: string;
let checkout: string;

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'offprint-dates-'));
  checkout = join(work, 'checkout');
  await mkdir(join(checkout, 'docs', 'guides'), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
});
afterEach(() => rm(work, { recursive: true, force: true }));

function git(...args: string[]): string {
  return execFileSync('git', ['-C', checkout, ...args], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH ?? '',
      HOME: work,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@example.com',
      GIT_AUTHOR_DATE: '1500000000 +0000',
      GIT_COMMITTER_DATE: `${committed} +0200`,
    },
  });
}

let committed = 1_700_000_000;
async function commit(at: number, files: Record<string, string>): Promise<void> {
  committed = at;
  for (const [path, text] of Object.entries(files)) await writeFile(join(checkout, path), text);
  git('add', '-A');
  git('commit', '--quiet', '--no-verify', '-m', 'change');
}

test('each file has the committer date of its last change, in UTC, by its path from the docs', async () => {
  await commit(1_700_000_000, { 'docs/a.md': '1', 'docs/guides/b ü.md': '1', 'other.md': '1' });
  await commit(1_700_000_060, { 'docs/a.md': '2' });
  await commit(1_700_000_120, { 'other.md': '2' });
  const dates = { 'a.md': '2023-11-14T22:14:20Z', 'guides/b ü.md': '2023-11-14T22:13:20Z' };
  expect(await checkoutDates(join(checkout, 'docs'))).toEqual(dates);
  expect(await checkoutDates(checkout)).toEqual({
    'docs/a.md': dates['a.md'],
    'docs/guides/b ü.md': dates['guides/b ü.md'],
    'other.md': '2023-11-14T22:15:20Z',
  });
});

test('a folder without a repository, or with an empty one, has no dates', async () => {
  expect(await checkoutDates(work)).toEqual({});
  expect(await checkoutDates(checkout)).toEqual({});
});

test('a worktree has the dates of its own commit', async () => {
  await commit(1_700_000_000, { 'docs/a.md': '1' });
  git('branch', 'old');
  await commit(1_700_000_060, { 'docs/a.md': '2' });
  git('worktree', 'add', '--quiet', join(work, 'old'), 'old');
  expect(await checkoutDates(join(work, 'old', 'docs'))).toEqual({ 'a.md': '2023-11-14T22:13:20Z' });
});

test('the oldest commit of a history that was cut off gives no dates', async () => {
  await commit(1_700_000_000, { 'docs/a.md': '1', 'docs/b.md': '1' });
  await commit(1_700_000_060, { 'docs/c.md': '1' });
  await commit(1_700_000_120, { 'docs/b.md': '2' });
  const shallow = join(work, 'shallow');
  git('clone', '--quiet', '--depth=2', `file://${checkout}`, shallow);
  expect(await checkoutDates(join(shallow, 'docs'))).toEqual({ 'b.md': '2023-11-14T22:15:20Z' });
});

test('nothing that the configuration of a repository names is run', async () => {
  await commit(1_700_000_000, { 'docs/a.md': '1', '.gitattributes': '*.md diff=evil filter=evil' });
  const canary = join(work, 'canary');
  const script = join(work, 'evil.sh');
  await writeFile(script, `#!/bin/sh\ntouch ${canary}\n`);
  await chmod(script, 0o755);
  await mkdir(join(checkout, '.git', 'hooks'), { recursive: true });
  await symlink(script, join(checkout, '.git', 'hooks', 'post-checkout'));
  for (const [key, value] of [
    ['core.fsmonitor', script],
    ['core.pager', script],
    ['pager.log', script],
    ['diff.external', script],
    ['diff.evil.command', script],
    ['diff.evil.textconv', script],
    ['filter.evil.clean', script],
    ['gpg.program', script],
    ['log.showSignature', 'true'],
    ['core.sshCommand', script],
    ['core.alternateRefsCommand', script],
    ['alias.log', `!${script}`],
  ] as const) {
    git('config', key, value);
  }
  expect(await checkoutDates(checkout)).toMatchObject({ 'docs/a.md': '2023-11-14T22:13:20Z' });
  await expect(stat(canary)).rejects.toThrow();
});

test('a reading that is cut off gives what it has, and a commit that is not there nothing', async () => {
  await commit(1_700_000_000, { 'docs/a.md': '1' });
  const request = { gitDir: join(checkout, '.git'), commit: 'HEAD', folder: '' };
  expect(await fileDates({ ...request, signal: AbortSignal.abort() })).toEqual({});
  const signal = new AbortController().signal;
  expect(await fileDates({ ...request, commit: 'f'.repeat(40), signal })).toEqual({});
  expect(await fileDates({ ...request, commit: '--output=/tmp/x', signal })).toEqual({});
});

test('a snapshot fetches the history only when the docs want dates, and lives without one', async () => {
  const server = await startGitServer();
  try {
    const entries = (text: string) => [
      { path: 'docs/docs.json', content: '{}' },
      { path: 'docs/a.md', content: text },
    ];
    const first = await server.commit('dates.git', entries('1'), { at: 1_700_000_000 });
    const second = await server.commit('dates.git', entries('2'), { at: 1_700_000_060, parent: first });
    const snapshot = (into: string, wants: boolean) =>
      snapshotRepository({
        repository: `${server.url}/dates.git`,
        ref: null,
        folder: 'docs',
        into: join(work, into),
        policy: { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] },
        limits: { ...DEFAULT_GIT_LIMITS, timeoutMs: 240_000 },
        signal: new AbortController().signal,
        wantsDates: async () => wants,
      });
    const without = await snapshot('one', false);
    expect(without.dates).toBeUndefined();
    const requests = server.requests.length;
    const dated = await snapshot('two', true);
    expect(dated).toMatchObject({
      commit: second,
      dates: { 'docs.json': '2023-11-14T22:13:20Z', 'a.md': '2023-11-14T22:14:20Z' },
    });
    expect(server.requests.length).toBeGreaterThan(requests);
  } finally {
    await server.close();
  }
});
