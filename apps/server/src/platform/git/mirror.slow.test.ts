/** Jobs of a project build on what earlier ones have fetched, by real Git over HTTP. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import {
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GitServer, startGitServer } from '../../../../../test/support/git-server.ts';
import { addToMirror, openMirror, removeMirrors, sweepMirrors } from './mirror.ts';
import { openRemote } from './open-remote.ts';
import { DEFAULT_GIT_LIMITS } from './policy.ts';
import type { GitRemote } from './remote.ts';
import { snapshotRepository } from './snapshot.ts';

const { signal } = new AbortController();
const IMAGE = { path: 'image.bin', content: randomBytes(400_000) };

let server: GitServer;
let root: string;
let mirror: string;
/** Bytes of all responses of the server. */
let sent = 0;
const opened: GitRemote[] = [];
beforeAll(async () => {
  server = await startGitServer({
    intercept(_request, { socket }) {
      const before = socket?.bytesWritten ?? 0;
      // Before the next request of the connection, which is after the last byte of this response.
      socket?.once('close', () => {
        sent += socket.bytesWritten - before;
      });
      return false;
    },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'offprint-mirror-'));
  mirror = join(root, 'mirrors', 'project');
});
afterEach(async () => {
  for (const remote of opened.splice(0)) await remote.close();
  await rm(root, { recursive: true, force: true });
});

async function open(repository: string): Promise<GitRemote> {
  const remote = await openRemote(
    {
      repository: `${server.url}/${repository}`,
      credential: async () => null,
      policy: { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] },
      limits: DEFAULT_GIT_LIMITS,
      folder: join(root, 'work'),
      mirror,
    },
    signal,
  );
  opened.push(remote);
  return remote;
}

/** What an attempt reads of a branch, and how many bytes it received for it. */
async function attempt(repository: string, ref = 'main'): Promise<{ files: string[]; bytes: number }> {
  const before = sent;
  const remote = await open(repository);
  const { commit } = await remote.fetchCommit(ref, signal);
  const entries = await remote.listTree(commit, '', signal);
  const files: string[] = [];
  await remote.readContents(
    entries,
    ({ path }, content) => files.push(`${path} ${content.byteLength}`),
    signal,
  );
  await remote.close();
  return { files, bytes: sent - before };
}

const generations = async (): Promise<string[]> => (await readdir(mirror)).sort();

const packs = (generation: string): string[] =>
  readdirSync(join(mirror, generation, 'objects', 'pack'))
    .filter((name) => name.endsWith('.pack'))
    .map((name) => join(mirror, generation, 'objects', 'pack', name));

/** Overwrites the middle of each pack. */
async function damage(generation: string): Promise<void> {
  for (const pack of packs(generation)) {
    const { size } = await stat(pack);
    const file = await openFile(pack, 'r+');
    await file.write(Buffer.alloc(2000), 0, 2000, Math.max(0, Math.floor(size / 2) - 1000));
    await file.close();
  }
}

describe('a second job', () => {
  test('fetches nothing of a commit that is there, and of a new one only what is new', async () => {
    const parent = await server.commit('same.git', [IMAGE, { path: 'a.mdx', content: 'a' }]);
    expect((await attempt('same.git')).bytes).toBeGreaterThan(400_000);
    const again = await attempt('same.git');
    expect(again.files).toEqual(['a.mdx 1', 'image.bin 400000']);
    expect(again.bytes, 'the server is asked, and sends no pack').toBeGreaterThan(0);
    expect(again.bytes).toBeLessThan(10_000);
    await server.commit('same.git', [IMAGE, { path: 'a.mdx', content: 'ab' }], { parent });
    const next = await attempt('same.git');
    expect(next.files).toEqual(['a.mdx 2', 'image.bin 400000']);
    expect(next.bytes).toBeLessThan(10_000);
    expect((await attempt('same.git')).files).toEqual(next.files);
    expect(await generations()).toHaveLength(1);
  });

  test('commits, merges and pushes on what an earlier one fetched', async () => {
    const base = await server.commit('push.git', [IMAGE, { path: 'a.mdx', content: 'a' }]);
    await attempt('push.git');
    const remote = await open('push.git');
    await remote.fetchCommit('main', signal);
    const commit = await remote.commit(
      {
        parent: base,
        files: new Map([['a.mdx', 'changed']]),
        message: 'Change',
        author: { name: 'A', email: 'a@example.com' },
        at: new Date(),
      },
      signal,
    );
    const theirs = await server.commit('push.git', [IMAGE, { path: 'b.mdx', content: 'b' }], {
      parent: base,
    });
    await remote.fetchCommit(theirs, signal);
    expect(await remote.isAncestor(base, theirs, signal)).toBe(true);
    expect(await remote.mergeBase(base, theirs, signal)).toBe(base);
    expect(await remote.merge({ base, ours: commit, theirs }, signal)).toMatchObject({
      conflicts: ['a.mdx'],
    });
    expect(await remote.push({ commit, branch: 'work', expected: null }, signal)).toBe('pushed');
    const read = ['--git-dir', join(server.root, 'push.git'), 'show', 'work:a.mdx'];
    expect(execFileSync('git', read, { encoding: 'utf8' })).toBe('changed');
  });

  test('two at a time share what they fetch, and neither waits for the other', async () => {
    await server.commit('twins.git', [IMAGE]);
    const both = await Promise.all([attempt('twins.git'), attempt('twins.git')]);
    expect(both.map(({ files }) => files)).toEqual([['image.bin 400000'], ['image.bin 400000']]);
    expect((await attempt('twins.git')).bytes).toBeLessThan(10_000);
  });

  test('reads a repository whose history was replaced', async () => {
    await server.commit('new.git', [IMAGE]);
    await attempt('new.git');
    await server.commit('new.git', [{ path: 'b.mdx', content: 'b' }], { at: 1_800_000_000 });
    expect((await attempt('new.git')).files).toEqual(['b.mdx 1']);
  });
});

describe('a copy that cannot be read', () => {
  test('fails one attempt, which may be repeated, and is fetched again', async () => {
    await server.commit('cut.git', [IMAGE]);
    await attempt('cut.git');
    const [generation] = await generations();
    await damage(generation ?? '');
    await expect(attempt('cut.git')).rejects.toMatchObject({ name: 'GitError', retryable: true });
    expect(await generations()).toEqual([]);
    expect((await attempt('cut.git')).files).toEqual(['image.bin 400000']);
  });

  test('because it was cut off is replaced at once', async () => {
    await server.commit('short.git', [IMAGE]);
    await attempt('short.git');
    const [generation] = await generations();
    for (const pack of packs(generation ?? '')) await truncate(pack, 1000);
    expect((await attempt('short.git')).files).toEqual(['image.bin 400000']);
    const after = await attempt('short.git');
    expect(after.files).toEqual(['image.bin 400000']);
    expect(after.bytes).toBeLessThan(10_000);
  });

  test('without a complete commit is not used', async () => {
    await server.commit('killed.git', [IMAGE]);
    await attempt('killed.git');
    const [generation = ''] = await generations();
    // A worker that was killed between the packs and the file of the commit.
    await rm(join(mirror, generation, 'commits'), { recursive: true });
    expect((await attempt('killed.git')).files).toEqual(['image.bin 400000']);
    expect(await generations()).toHaveLength(2);
  });
});

test('a snapshot of an export fetches only what earlier ones and jobs have not, and survives a damaged copy', async () => {
  const parent = await server.commit('export.git', [IMAGE, { path: 'a.mdx', content: 'a' }]);
  const snapshot = async (into: string): Promise<{ commit: string; bytes: number }> => {
    const before = sent;
    const { commit } = await snapshotRepository({
      repository: `${server.url}/export.git`,
      ref: 'main',
      folder: '',
      into: join(root, into),
      policy: { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] },
      limits: DEFAULT_GIT_LIMITS,
      signal,
      mirror,
    });
    return { commit, bytes: sent - before };
  };
  await attempt('export.git');
  expect((await snapshot('one')).bytes).toBeLessThan(10_000);
  const next = await server.commit('export.git', [IMAGE, { path: 'a.mdx', content: 'ab' }], { parent });
  const second = await snapshot('two');
  expect(second.commit).toBe(next);
  expect(second.bytes).toBeLessThan(10_000);
  expect(await readFile(join(root, 'two', 'a.mdx'), 'utf8')).toBe('ab');
  expect(await readFile(join(root, 'two', 'image.bin'))).toEqual(IMAGE.content);
  await damage((await generations())[0] ?? '');
  await expect(snapshot('three')).rejects.toMatchObject({ retryable: true });
  expect((await snapshot('four')).commit).toBe(next);
});

test('a new generation starts after 64 commits', async () => {
  await server.commit('many.git', [IMAGE]);
  await attempt('many.git');
  const [generation = ''] = await generations();
  const [commit = ''] = await readdir(join(mirror, generation, 'commits'));
  for (let at = 1; at < 64; at++)
    await writeFile(
      join(mirror, generation, 'commits', `${String(at).padStart(8, '0')}${commit.slice(8)}`),
      '',
    );
  expect((await attempt('many.git')).bytes).toBeGreaterThan(400_000);
  expect(await generations()).toHaveLength(2);
});

test('nothing is added to a copy that is larger than its limit', async () => {
  await server.commit('large.git', [IMAGE]);
  await attempt('large.git');
  const commits = async (): Promise<string[]> =>
    readdir(join(mirror, (await generations())[0] ?? '', 'commits'));
  const known = await commits();
  await addToMirror(await openMirror(mirror), root, 'a'.repeat(40), 100_000);
  expect(await commits()).toEqual(known);
  await addToMirror(await openMirror(mirror), root, 'a'.repeat(40), 1_000_000);
  expect(await commits()).toHaveLength(known.length + 1);
});

test('copies of deleted projects are deleted', async () => {
  const mirrors = join(root, 'mirrors');
  await server.commit('gone.git', [IMAGE]);
  for (const name of ['prj_1-abc', 'prj_2-abc']) {
    mirror = join(mirrors, name);
    await attempt('gone.git');
  }
  await removeMirrors(mirrors, async (project) => project === 'prj_2');
  expect(await readdir(mirrors)).toEqual(['prj_2-abc']);
});

test('copies are deleted once they are superseded or unused for long, and the least used ones when they are too large', async () => {
  const day = 24 * 3_600_000;
  const now = Date.now();
  const mirrors = join(root, 'mirrors');
  const used = async (name: string, at: number): Promise<void> => {
    const [generation = ''] = (await readdir(join(mirrors, name))).sort().slice(-1);
    await utimes(join(mirrors, name, generation), new Date(at), new Date(at));
  };
  for (const name of ['old', 'recent', 'current']) {
    await server.commit(`${name}.git`, [IMAGE]);
    mirror = join(mirrors, name);
    await attempt(`${name}.git`);
  }
  await used('old', now - 15 * day);
  await used('recent', now - 2 * day);
  const left = async (): Promise<string[]> => {
    const names = await readdir(mirrors);
    const counts = await Promise.all(names.map(async (name) => (await readdir(join(mirrors, name))).length));
    return names.filter((_, index) => (counts[index] ?? 0) > 0).sort();
  };
  await sweepMirrors(mirrors, 1e9, now);
  expect(await left()).toEqual(['current', 'recent']);
  await sweepMirrors(mirrors, 500_000, now);
  expect(await left()).toEqual(['current']);
  await sweepMirrors(mirrors, 0, now);
  expect(await left(), 'what is in use stays, whatever its size').toEqual(['current']);
  await expect(stat(mirrors)).resolves.toBeDefined();
});
