/** Small files of snapshots have one copy on the disk, whose content is checked at each use; by real Git over HTTP. */
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type GitServer, startGitServer } from '../../../../../test/support/git-server.ts';
import { MAX_KEPT_BYTES } from './kept-files.ts';
import { sweepMirrors } from './mirror.ts';
import { DEFAULT_GIT_LIMITS } from './policy.ts';
import { snapshotRepository } from './snapshot.ts';

let server: GitServer;
let root: string;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'offprint-kept-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Takes a snapshot into a folder of that name. */
async function snapshot(repository: string, name: string) {
  const into = join(root, name, 'source');
  const { files, skipped } = await snapshotRepository({
    repository: `${server.url}/${repository}`,
    ref: 'main',
    folder: '',
    into,
    mirror: join(root, 'mirrors', 'project'),
    policy: { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] },
    limits: DEFAULT_GIT_LIMITS,
    signal: new AbortController().signal,
  });
  return { into, files, skipped };
}

const mirrors = (): string => join(root, 'mirrors');
const keptFolder = (): string => {
  const [generation = ''] = readdirSync(join(mirrors(), 'project')).sort().slice(-1);
  return join(mirrors(), 'project', generation, 'files');
};
const inodeOf = (...path: string[]): number => statSync(join(...path)).ino;
const POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
const LARGE = 'x'.repeat(MAX_KEPT_BYTES + 1);

test('a snapshot shares unchanged small files with the last one, and writes the others', async () => {
  const first = [
    { path: 'a.mdx', content: 'a' },
    { path: 'b/b.mdx', content: 'b' },
    { path: 'b/same.mdx', content: 'a' },
    { path: 'empty.mdx', content: '' },
    { path: 'large.svg', content: LARGE },
    { path: 'pointer.png', content: POINTER },
  ];
  const parent = await server.commit('docs.git', first);
  const one = await snapshot('docs.git', 'one');
  await server.commit('docs.git', [...first.slice(1), { path: 'a.mdx', content: 'changed' }], { parent });
  const two = await snapshot('docs.git', 'two');
  const read = (path: string) => readFileSync(join(two.into, path), 'utf8');
  expect(['a.mdx', 'b/b.mdx', 'b/same.mdx', 'empty.mdx', 'large.svg'].map(read)).toEqual([
    'changed',
    'b',
    'a',
    '',
    LARGE,
  ]);
  for (const path of ['b/b.mdx', 'empty.mdx'])
    expect(inodeOf(two.into, path), path).toBe(inodeOf(one.into, path));
  expect(inodeOf(two.into, 'b/same.mdx')).toBe(inodeOf(one.into, 'a.mdx'));
  for (const path of ['a.mdx', 'large.svg'])
    expect(inodeOf(two.into, path), path).not.toBe(inodeOf(one.into, path));
  expect([two.files, two.skipped.map(({ path, reason }) => `${path} ${reason}`)]).toEqual([
    5,
    ['pointer.png lfs-pointer'],
  ]);
  expect(two.skipped).toEqual(one.skipped);
  expect(readdirSync(keptFolder())).toHaveLength(4);
});

test('a kept file whose content is not that of its name is written again', async () => {
  await server.commit('docs.git', [
    { path: 'a.mdx', content: 'original' },
    { path: 'b.mdx', content: 'another' },
  ]);
  await snapshot('docs.git', 'one');
  rmSync(join(root, 'one'), { recursive: true });
  const [damaged = '', cut = ''] = readdirSync(keptFolder()).map((name) => join(keptFolder(), name));
  for (const [file, content] of [
    [damaged, readFileSync(damaged, 'utf8').toUpperCase()],
    [cut, ''],
  ] as const) {
    chmodSync(file, 0o644);
    writeFileSync(file, content);
  }
  const { into } = await snapshot('docs.git', 'two');
  expect(['a.mdx', 'b.mdx'].map((path) => readFileSync(join(into, path), 'utf8'))).toEqual([
    'original',
    'another',
  ]);
  const third = await snapshot('docs.git', 'three');
  expect(inodeOf(third.into, 'a.mdx'), 'the new file is kept').toBe(inodeOf(into, 'a.mdx'));
});

test('kept files count as a part of the copy that may be deleted', async () => {
  const files = Array.from({ length: 40 }, (_, at) => ({
    path: `${at}.mdx`,
    content: `${at} `.padEnd(50_000, 'words '),
  }));
  await server.commit('docs.git', files);
  await snapshot('docs.git', 'one');
  const later = Date.now() + 2 * 24 * 3_600_000;
  await sweepMirrors(mirrors(), 3_000_000, later);
  expect(readdirSync(join(mirrors(), 'project'))).toHaveLength(1);
  await sweepMirrors(mirrors(), 1_000_000, later);
  expect(readdirSync(join(mirrors(), 'project'))).toEqual([]);
});
