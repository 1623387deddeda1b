import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startGitServer } from '../../../../test/support/git-server.ts';
import { DEFAULT_GIT_LIMITS } from '../platform/git/policy.ts';
import { type SnapshotOptions, type SnapshotSource, snapshotSource } from './snapshot.ts';

let work: string;
let docs: string;

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'offprint-source-'));
  docs = join(work, 'project', 'docs');
  await mkdir(join(docs, 'guides'), { recursive: true });
  await writeFile(join(docs, 'docs.json'), '{}');
  await writeFile(join(docs, 'guides', 'start.mdx'), '# Start');
  await writeFile(join(work, 'secret'), 'canary');
});
afterEach(() => rm(work, { recursive: true, force: true }));

function snapshot(source: Partial<SnapshotSource>, options: Partial<SnapshotOptions> = {}) {
  return snapshotSource(
    {
      sourceKind: 'upload',
      repository: null,
      branch: null,
      folder: '',
      credential: null,
      uploadArchive: async () => null,
      ...source,
    },
    {
      ref: null,
      into: join(work, 'attempt'),
      policy: { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] },
      gitLimits: DEFAULT_GIT_LIMITS,
      archiveLimits: {},
      folderRoot: '/',
      signal: new AbortController().signal,
      ...options,
    },
  );
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function archiveOf(folder: string, ...names: string[]): () => Promise<Readable> {
  const file = join(work, `${names[0]}.tar.gz`.replaceAll('/', '_'));
  execFileSync('tar', ['czf', file, '-C', folder, ...names]);
  return async () => createReadStream(file);
}

const DOCS = ['docs.json', 'guides/start.mdx'];

describe('an uploaded archive', () => {
  test.each([
    ['of the docs themselves', () => archiveOf(docs, '.'), ''],
    ['with one top folder', () => archiveOf(join(work, 'project'), 'docs'), ''],
    ['with the docs in a named folder', () => archiveOf(join(work, 'project'), 'docs'), 'docs'],
    ['with a named folder below a top folder', () => archiveOf(work, 'project'), 'docs'],
  ])('%s becomes the source', async (_name, archive, folder) => {
    const { root, commit, committedAt, skipped } = await snapshot({ uploadArchive: archive(), folder });
    expect(await filesBelow(root)).toEqual(DOCS);
    expect([commit, committedAt, skipped]).toEqual([null, null, []]);
    expect(await readdir(join(work, 'attempt'))).toEqual(['source']);
  });

  test('links are reported and lead nowhere', async () => {
    await symlink(join(work, 'secret'), join(docs, 'absolute.md'));
    await symlink('../../secret', join(docs, 'guides', 'climbing.md'));
    const { root, skipped } = await snapshot({ uploadArchive: archiveOf(docs, '.') });
    expect(await filesBelow(root)).toEqual(DOCS);
    expect(skipped.map(({ file, code }) => [file, code]).sort()).toEqual([
      ['absolute.md', 'source-symlink'],
      ['guides/climbing.md', 'source-symlink'],
    ]);
  });

  test('a missing or invalid archive is reported', async () => {
    await expect(snapshot({})).rejects.toMatchObject({ code: 'source_missing', retryable: false });
    const noise = async () => Readable.from([Buffer.from('no archive at all')]);
    await expect(snapshot({ uploadArchive: noise })).rejects.toMatchObject({ code: 'source_invalid' });
    await expect(snapshot({ uploadArchive: archiveOf(docs, '.'), folder: 'nope' })).rejects.toMatchObject({
      code: 'source_missing',
    });
    for (const folder of ['..', '../x', '.git']) {
      await expect(snapshot({ uploadArchive: archiveOf(docs, '.'), folder })).rejects.toMatchObject({
        code: 'source_invalid',
      });
    }
    const limits = { archiveLimits: { maxFiles: 1 } };
    await expect(snapshot({ uploadArchive: archiveOf(docs, '.') }, limits)).rejects.toMatchObject({
      code: 'source_too_large',
    });
    expect(await readdir(work)).not.toContain('nope');
    expect(await readdir(join(work, 'attempt'))).toEqual([]);
  });

  test('a branch cannot be named', async () => {
    await expect(snapshot({ uploadArchive: archiveOf(docs, '.') }, { ref: 'main' })).rejects.toMatchObject({
      code: 'source_invalid',
    });
  });
});

describe('a folder of this machine', () => {
  const folder = () => ({ sourceKind: 'folder', repository: docs }) as const;

  test('is copied without links, devices, .git and node_modules', async () => {
    await mkdir(join(docs, '.git', 'hooks'), { recursive: true });
    await mkdir(join(docs, 'guides', 'node_modules'), { recursive: true });
    await writeFile(join(docs, '.git', 'config'), 'x');
    await writeFile(join(docs, 'guides', 'node_modules', 'a.md'), 'x');
    await symlink(work, join(docs, 'all'));
    await symlink(join(work, 'secret'), join(docs, 'secret.md'));
    execFileSync('mkfifo', [join(docs, 'pipe')]);
    const { root, skipped } = await snapshot(folder());
    expect(await filesBelow(root)).toEqual(DOCS);
    expect(skipped.map(({ file, code }) => [file, code]).sort()).toEqual([
      ['all', 'source-symlink'],
      ['pipe', 'source-special-file'],
      ['secret.md', 'source-symlink'],
    ]);
    expect(await readFile(join(root, 'guides/start.mdx'), 'utf8')).toBe('# Start');
  });

  test('is copied and not linked, so that nothing written to the copy reaches it', async () => {
    await link(join(work, 'secret'), join(docs, 'hard.md'));
    const { root } = await snapshot(folder());
    await writeFile(join(root, 'hard.md'), 'changed');
    expect(await readFile(join(work, 'secret'), 'utf8')).toBe('canary');
  });

  test('is refused where the operator has not allowed it', async () => {
    await expect(snapshot(folder(), { folderRoot: null })).rejects.toMatchObject({
      code: 'source_invalid',
    });
    await expect(snapshot({ ...folder(), repository: join(work, 'nope') })).rejects.toMatchObject({
      code: 'source_missing',
    });
    const gitLimits = { ...DEFAULT_GIT_LIMITS, files: 1 };
    await expect(snapshot(folder(), { gitLimits })).rejects.toMatchObject({ code: 'source_too_large' });
  });
});

describe('a folder below the only one that the operator allows', () => {
  const at = (repository: string) => snapshot({ sourceKind: 'folder', repository }, { folderRoot: docs });

  test('is copied, and so is the allowed folder itself, also through a symbolic link to it', async () => {
    expect((await readdir((await at(join(docs, 'guides'))).root)).length).toBeGreaterThan(0);
    await rm(join(work, 'attempt'), { recursive: true });
    expect(await filesBelow((await at(docs)).root)).toEqual(DOCS);
    await rm(join(work, 'attempt'), { recursive: true });
    await symlink(docs, join(work, 'link-to-docs'));
    expect(await filesBelow((await at(join(work, 'link-to-docs'))).root)).toEqual(DOCS);
  });

  test('is read, and no other: not beside it, above it, by .. or by a symbolic link in it', async () => {
    await mkdir(`${docs}-private`);
    await symlink(work, join(docs, 'up'));
    for (const path of [work, '/', '/etc', '/nowhere', `${docs}-private`, `${docs}/../`, join(docs, 'up')]) {
      await expect(at(path), path).rejects.toMatchObject({
        code: 'source_invalid',
        message: expect.stringContaining(docs),
      });
    }
    await expect(at(join(docs, 'nope'))).rejects.toMatchObject({ code: 'source_missing' });
  });
});

describe('a repository', () => {
  test('is pinned to a commit and its errors are distinguished', async () => {
    const server = await startGitServer();
    try {
      const commit = await server.commit('a.git', [
        { path: 'docs/docs.json', content: '{}' },
        { path: 'docs/link', content: '/etc/passwd', mode: '120000' },
      ]);
      const source = {
        sourceKind: 'git',
        repository: `${server.url}/a.git`,
        branch: 'main',
        folder: 'docs',
      } as const;
      const result = await snapshot(source);
      expect(result).toMatchObject({ commit, committedAt: '2023-11-14T22:13:20Z' });
      expect(result.skipped).toMatchObject([{ file: 'link', line: null, code: 'source-symlink' }]);
      expect(await filesBelow(result.root)).toEqual(['docs.json']);
      const into = join(work, 'second');
      await expect(snapshot(source, { into, ref: 'nope' })).rejects.toMatchObject({ code: 'source_missing' });
      await expect(
        snapshot({ ...source, repository: 'http://127.0.0.1:9/a.git' }, { into }),
      ).rejects.toMatchObject({ code: 'source_unreachable', retryable: true });
      const strict = { allowPrivate: false, allowedHosts: [], allowHttp: ['*'] };
      await expect(snapshot(source, { into, policy: strict })).rejects.toMatchObject({
        code: 'source_refused',
        retryable: false,
      });
    } finally {
      await server.close();
    }
  });
});

test('an aborted snapshot throws the reason', async () => {
  const reason = new Error('lost');
  await expect(snapshot({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
