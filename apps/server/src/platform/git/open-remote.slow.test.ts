import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Entry, type GitServer, startGitServer } from '../../../../../test/support/git-server.ts';
import { readProcesses } from '../../../../../test/support/processes.ts';
import { openRemote } from './open-remote.ts';
import { DEFAULT_GIT_LIMITS, type GitLimits, type GitPolicy } from './policy.ts';
import type { CommitRequest, GitRemote, RemoteRequest } from './remote.ts';

const LOCAL: GitPolicy = { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] };
const { signal } = new AbortController();
const SITE: Entry[] = [
  { path: 'README.md', content: 'outside' },
  { path: 'docs/docs.json', content: '{}' },
  { path: 'docs/start.mdx', content: 'one\ntwo\nthree\n' },
  { path: 'docs/run.sh', content: '#!/bin/sh\n', mode: '100755' },
  { path: 'docs/link', content: 'start.mdx', mode: '120000' },
  { path: 'docs/module', content: '1'.repeat(40), mode: '160000' },
];

let server: GitServer;
let work: string;
const opened: GitRemote[] = [];
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'offprint-remote-'));
});
afterEach(async () => {
  for (const remote of opened.splice(0)) await remote.close();
  expect(await readdir(work)).toEqual([]);
  await rm(work, { recursive: true, force: true });
});

async function open(
  repository: string,
  options: Partial<RemoteRequest> & { limit?: Partial<GitLimits> } = {},
): Promise<GitRemote> {
  const { limit, ...rest } = options;
  const remote = await openRemote(
    {
      repository: repository.includes(':') ? repository : `${server.url}/${repository}`,
      credential: async () => null,
      policy: LOCAL,
      limits: { ...DEFAULT_GIT_LIMITS, timeoutMs: 240_000, ...limit },
      folder: work,
      ...rest,
    },
    signal,
  );
  opened.push(remote);
  return remote;
}

/** Git as it is installed, on a repository of the server. */
function git(repository: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const folder = repository.startsWith('/') ? repository : join(server.root, repository);
  return execFileSync('git', [`--git-dir=${folder}`, ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

function change(parent: string, files: Record<string, string | null>, rest: Partial<CommitRequest> = {}) {
  return {
    parent,
    files: new Map(Object.entries(files)),
    message: 'Change\n\nOffprint-Job: job_1\n',
    author: { name: 'Offprint', email: 'agent@example.com' },
    at: new Date('2026-01-02T03:04:05.678Z'),
    ...rest,
  };
}

async function hook(repository: string, name: string, script: string): Promise<void> {
  await mkdir(join(server.root, repository, 'hooks'), { recursive: true });
  await writeFile(join(server.root, repository, 'hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

describe('a transfer', () => {
  test('that breaks off in the pack can be retried, and the next one succeeds', async () => {
    const commit = await server.commit('cut.git', [{ path: 'a.bin', content: randomBytes(300_000) }]);
    let isCut = true;
    const proxy = createHttpServer((request, response) => {
      const { method, headers } = request;
      const asked = httpRequest(`${server.url}${request.url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.byteLength;
          if (isCut && bytes > 100_000) response.destroy();
          else response.write(chunk);
        });
        answer.on('end', () => response.end());
      });
      request.pipe(asked);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = proxy.address() as AddressInfo;
      const remote = await open(`http://127.0.0.1:${port}/cut.git`);
      const broken = remote.fetchCommit('main', signal);
      await expect(broken).rejects.toMatchObject({ code: 'unreachable', retryable: true });
      await expect(broken).rejects.toThrow('interrupted or too slow');
      isCut = false;
      await expect(remote.fetchCommit('main', signal)).resolves.toMatchObject({ commit });
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });
});

describe('reading', () => {
  test('branches, tips, the default branch, and commits by every kind of name', async () => {
    const first = await server.commit('names.git', SITE, { tag: 'v1' });
    const second = await server.commit('names.git', SITE.slice(1), { parent: first });
    const other = await server.commit('names.git', SITE, { ref: 'refs/heads/a/main', at: 5 });
    await server.commit('names.git', SITE, { ref: 'refs/offprint/refs/heads/main', at: 6 });
    const remote = await open('names.git');
    expect(await remote.fetchCommit(null, signal)).toEqual({ commit: second, branch: 'main' });
    expect(await remote.fetchCommit('a/main', signal)).toEqual({ commit: other, branch: 'a/main' });
    expect(await remote.fetchCommit('v1', signal)).toEqual({ commit: first, branch: 'v1' });
    expect(await remote.fetchCommit(first, signal)).toEqual({ commit: first, branch: first });
    expect(await remote.defaultBranch(signal)).toBe('main');
    expect(await remote.branchTip('main', signal)).toBe(second);
    expect(await remote.branchTip('nope', signal)).toBeNull();
    expect(await remote.branches(signal)).toEqual(
      new Map([
        ['a/main', other],
        ['main', second],
      ]),
    );
    await expect(remote.branchTip('ma*', signal)).rejects.toMatchObject({ code: 'invalid' });
    await expect(remote.fetchCommit('nope', signal)).rejects.toMatchObject({ code: 'ref-not-found' });
  });

  test('a commit that is here is not fetched again', async () => {
    const commit = await server.commit('once.git', SITE);
    const remote = await open('once.git');
    await remote.fetchCommit('main', signal);
    server.requests.length = 0;
    await remote.fetchCommit(commit, signal);
    expect(server.requests).toEqual([]);
  });

  test('a folder with its contents, links and submodules by name only, and unsafe paths not at all', async () => {
    const commit = await server.commit('tree.git', [
      ...SITE,
      { path: 'docs/large.bin', content: Buffer.alloc(3000, 1) },
      { path: 'docs/back\\slash.md', content: 'x' },
      { path: 'docs/new\nline.md', content: 'x' },
      { path: 'docs/é.md', content: 'ü' },
    ]);
    const remote = await open('tree.git');
    await remote.fetchCommit(commit, signal);
    const entries = await remote.listTree(commit, 'docs', signal);
    const files = entries.filter(({ kind, bytes }) => kind === 'file' && bytes < 2000);
    const contents = new Map<string, string>();
    await remote.readContents(
      files,
      ({ path }, content) => contents.set(path, Buffer.from(content).toString()),
      signal,
    );
    const seen = entries.map(({ path, kind, executable, bytes }) => [
      path,
      kind,
      executable,
      bytes,
      contents.get(path) ?? null,
    ]);
    expect(seen).toEqual([
      ['docs.json', 'file', false, 2, '{}'],
      ['large.bin', 'file', false, 3000, null],
      ['link', 'symlink', false, 9, null],
      ['module', 'submodule', false, 0, null],
      ['run.sh', 'file', true, 10, '#!/bin/sh\n'],
      ['start.mdx', 'file', false, 14, 'one\ntwo\nthree\n'],
      ['é.md', 'file', false, 2, 'ü'],
    ]);
    expect(await remote.readText(commit, 'docs/é.md', signal)).toBe('ü');
    for (const path of [
      'docs/link',
      'docs/module',
      'docs',
      'docs/*',
      'nope',
      '../etc/passwd',
      'docs/large.bin\0',
    ])
      expect(await remote.readText(commit, path, signal)).toBeNull();
    await expect(remote.listTree(commit, 'nope', signal)).rejects.toMatchObject({
      code: 'folder-not-found',
    });
    await expect(remote.listTree('--all', '', signal)).rejects.toMatchObject({ code: 'invalid' });
  });

  test('limits of count, bytes and time hold', async () => {
    const commit = await server.commit('bounds.git', SITE);
    for (const limit of [{ files: 3 }, { totalBytes: 10 }]) {
      const remote = await open('bounds.git', { limit });
      await remote.fetchCommit(commit, signal);
      const reading = remote
        .listTree(commit, '', signal)
        .then((entries) => entries.filter(({ kind }) => kind === 'file'))
        .then((files) => remote.readContents(files, () => undefined, signal));
      await expect(reading).rejects.toMatchObject({ code: 'too-large' });
    }
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const remote = await open(`http://127.0.0.1:${port}/x.git`, { limit: { timeoutMs: 400 } });
    await expect(remote.branches(signal)).rejects.toMatchObject({ code: 'timeout', retryable: true });
    const reason = new Error('cancelled');
    await expect(remote.branches(AbortSignal.abort(reason))).rejects.toBe(reason);
    silent.close();
  });

  test('a host that policy forbids is refused before anything is asked', async () => {
    const commit = await server.commit('refused.git', SITE);
    const strict = { ...LOCAL, allowPrivate: false };
    const remote = await open('refused.git', { policy: strict });
    server.requests.length = 0;
    const refused = { code: 'host-refused' };
    await expect(remote.fetchCommit(null, signal)).rejects.toMatchObject(refused);
    await expect(remote.push({ commit, branch: 'x', expected: null }, signal)).rejects.toMatchObject(refused);
    expect(server.requests).toEqual([]);
  });
});

describe('commits', () => {
  test('the same request makes the same commit anywhere, with modes kept and everything else as it was', async () => {
    const base = await server.commit('commit.git', SITE);
    const files = {
      'docs/run.sh': '#!/bin/sh\necho ü\n',
      'docs/docs.json': null,
      'docs/new "page".mdx': 'data 3\nfrom $&\n',
      'docs/a/b/c.mdx': '',
      'not/there': null,
    };
    const made: string[] = [];
    for (const order of [Object.entries(files), Object.entries(files).reverse()]) {
      const remote = await open('commit.git');
      await remote.fetchCommit('main', signal);
      made.push(await remote.commit(change(base, Object.fromEntries(order)), signal));
    }
    expect(made[0]).toBe(made[1]);
    const remote = await open('commit.git');
    await remote.fetchCommit('main', signal);
    const commit = await remote.commit(change(base, files), signal);
    expect(commit).toBe(made[0]);
    expect(await remote.push({ commit, branch: 'offprint/x', expected: null }, signal)).toBe('pushed');
    expect(git('commit.git', 'ls-tree', '-r', '--format=%(objectmode) %(path)', commit).split('\n')).toEqual([
      '100644 README.md',
      '100644 docs/a/b/c.mdx',
      '120000 docs/link',
      '160000 docs/module',
      '100644 "docs/new \\"page\\".mdx"',
      '100755 docs/run.sh',
      '100644 docs/start.mdx',
    ]);
    expect(git('commit.git', 'cat-file', 'blob', `${commit}:docs/new "page".mdx`)).toBe('data 3\nfrom $&');
    expect(git('commit.git', 'cat-file', 'commit', commit).split('\n').slice(1)).toEqual([
      `parent ${base}`,
      'author Offprint <agent@example.com> 1767323045 +0000',
      'committer Offprint <agent@example.com> 1767323045 +0000',
      '',
      'Change',
      '',
      'Offprint-Job: job_1',
    ]);
    expect(() => git('commit.git', 'fsck', '--strict', '--no-dangling')).not.toThrow();
  });

  test.each([
    ['docs/link', 'a link'],
    ['docs/module', 'a link'],
    ['docs', 'a file and a folder'],
    ['docs/start.mdx/x.mdx', 'a file and a folder'],
    ['../x', 'leaves the folder'],
    ['docs/.git/config', 'reserved by Git'],
    ['docs/a\nM 100644 inline x', 'control character'],
  ])('a text cannot be put at %j', async (path, why) => {
    const base = await server.commit('place.git', SITE);
    const remote = await open('place.git');
    await remote.fetchCommit('main', signal);
    await expect(remote.commit(change(base, { [path]: 'x' }), signal)).rejects.toThrow(why);
  });

  test('a file may become a folder, and a folder a file, once what was there is deleted', async () => {
    const base = await server.commit('turn.git', [
      { path: 'a', content: '1' },
      { path: 'b/c', content: '2' },
    ]);
    const remote = await open('turn.git');
    await remote.fetchCommit('main', signal);
    const commit = await remote.commit(change(base, { 'a/x': '1', a: null, b: '2', 'b/c': null }), signal);
    const entries = await remote.listTree(commit, '', signal);
    expect(entries.map(({ path }) => path)).toEqual(['a/x', 'b']);
  });

  test('names and messages cannot add lines to the head of a commit', async () => {
    const base = await server.commit('head.git', SITE);
    const remote = await open('head.git');
    await remote.fetchCommit('main', signal);
    const author = { name: 'A\nparent 1 <x>', email: 'e@x>\ncommitter evil <y' };
    const request = change(base, {}, { author, message: '\n\nfrom main\ndata 2\n' });
    const commit = await remote.commit(request, signal);
    const { parents, message } = await remote.readCommit(commit, signal);
    expect([parents, message]).toEqual([[base], '\n\nfrom main\ndata 2\n']);
  });

  test('merges take both sides, name the paths that conflict, and need no history', async () => {
    const text = 'one\ntwo\nthree\nfour\nfive\n';
    const page = (path: string, content: string) => ({ path, content });
    const base = await server.commit('merge.git', [page('a.md', text), page('b.md', text)]);
    const ours = await server.commit(
      'merge.git',
      [page('a.md', text.replace('one', 'ONE')), page('b.md', text), page('ours.md', '')],
      { ref: 'refs/heads/ours' },
    );
    const theirs = await server.commit(
      'merge.git',
      [page('a.md', text.replace('five', 'FIVE')), page('b.md', text)],
      { ref: 'refs/heads/theirs' },
    );
    const clashing = await server.commit('merge.git', [page('a.md', text.replace('one', 'two'))], {
      ref: 'refs/heads/clashing',
    });
    const remote = await open('merge.git');
    for (const id of [base, ours, theirs, clashing]) await remote.fetchCommit(id, signal);
    const clean = await remote.merge({ base, ours, theirs }, signal);
    expect(clean.conflicts).toEqual([]);
    expect(await remote.readText(clean.tree, 'a.md', signal)).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
    expect(await remote.readText(clean.tree, 'ours.md', signal)).toBe('');
    const merged = await remote.commit(change(theirs, {}, { also: [ours], from: clean.tree }), signal);
    expect(await remote.readCommit(merged, signal)).toMatchObject({
      tree: clean.tree,
      parents: [theirs, ours],
    });
    expect(await remote.merge({ base, ours, theirs: clashing }, signal)).toMatchObject({
      conflicts: ['a.md'],
    });
  });

  test('repositories of SHA-256 work like others', async () => {
    const folder = join(server.root, 'long.git');
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', '--object-format=sha256', folder]);
    await appendFile(join(folder, 'config'), '[http]\n\treceivepack = true\n');
    const tree = git('long.git', 'hash-object', '-t', 'tree', '-w', '/dev/null');
    const person = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
    const base = git('long.git', ...person, 'commit-tree', '-m', 'x', tree);
    git('long.git', 'update-ref', 'refs/heads/main', base);
    const remote = await open('long.git');
    expect(await remote.fetchCommit(null, signal)).toEqual({ commit: base, branch: 'main' });
    const commit = await remote.commit(change(base, { 'a.md': 'a' }), signal);
    expect(commit).toHaveLength(64);
    expect(await remote.push({ commit, branch: 'offprint/x', expected: null }, signal)).toBe('pushed');
    expect(await remote.isAncestor(base, commit, signal)).toBe(true);
    expect(git('long.git', 'rev-parse', 'offprint/x')).toBe(commit);
  });
});

describe('ancestors', () => {
  test('are found however far back they are, also by servers that filter, and strangers are none', async () => {
    let commit = await server.commit('deep.git', SITE);
    const first = commit;
    for (let at = 0; at < 40; at += 1) commit = await server.commit('deep.git', SITE, { parent: commit, at });
    const stranger = await server.commit('deep.git', SITE, { ref: 'refs/heads/other', at: 9 });
    const remote = await open('deep.git');
    await remote.fetchCommit('main', signal);
    expect(await remote.isAncestor(commit, commit, signal)).toBe(true);
    expect(await remote.isAncestor(first, commit, signal)).toBe(true);
    expect(await remote.isAncestor(stranger, commit, signal)).toBe(false);
    expect(await remote.isAncestor(commit, first, signal)).toBe(false);
    git('deep.git', 'config', 'uploadpack.allowFilter', 'true');
    const filtered = await open('deep.git');
    expect(await filtered.isAncestor(first, commit, signal)).toBe(true);
    expect(await filtered.isAncestor(stranger, commit, signal)).toBe(false);
    expect(await filtered.isAncestor('1'.repeat(40), commit, signal)).toBe(false);
  });
});

describe('pushing', () => {
  async function branch(name: string) {
    const base = await server.commit(name, SITE, { tag: 'v1' });
    const remote = await open(name);
    await remote.fetchCommit('main', signal);
    const commit = await remote.commit(change(base, { 'a.md': 'a' }), signal);
    return { base, remote, commit };
  }

  test('moves exactly one branch from where it was expected, and no other ref', async () => {
    const { base, remote, commit } = await branch('push.git');
    const push = (id: string, expected: string | null) =>
      remote.push({ commit: id, branch: 'offprint/x', expected }, signal);
    const next = await remote.commit(change(commit, { 'b.md': 'b' }), signal);
    const fork = await remote.commit(change(commit, { 'b.md': 'fork' }), signal);
    expect(await push(commit, null)).toBe('pushed');
    expect(await push(commit, null)).toBe('pushed');
    expect(await push(next, null)).toBe('moved');
    expect(await push(next, commit)).toBe('pushed');
    expect(await push(next, commit)).toBe('pushed');
    expect(await push(fork, commit)).toBe('moved');
    expect(git('push.git', 'for-each-ref', '--format=%(refname) %(objectname)').split('\n')).toEqual([
      `refs/heads/main ${base}`,
      `refs/heads/offprint/x ${next}`,
      expect.stringMatching(/^refs\/tags\/v1 /),
    ]);
    git('push.git', 'update-ref', '-d', 'refs/heads/offprint/x');
    expect(await push(next, commit)).toBe('moved');
  });

  test('a commit that drops what it replaces is never pushed, even where the lease would let it', async () => {
    const { base, remote, commit } = await branch('rewrite.git');
    await remote.push({ commit, branch: 'offprint/x', expected: null }, signal);
    const other = await remote.commit(change(base, { 'a.md': 'other' }), signal);
    const push = remote.push({ commit: other, branch: 'offprint/x', expected: commit }, signal);
    await expect(push).rejects.toThrow('is not a descendant of');
    expect(await remote.branchTip('offprint/x', signal)).toBe(commit);
  });

  test.each(['', '-x', 'a..b', 'a:refs/heads/main', '+main', 'refs/heads/*', 'a b'])(
    'the branch name %j moves nothing',
    async (name) => {
      const { base, remote, commit } = await branch('names-push.git');
      const outcome = await remote
        .push({ commit, branch: name, expected: null }, signal)
        .catch((error: { code: string }) => error.code);
      if (name !== '+main') expect(outcome).toBe('invalid');
      expect(git('names-push.git', 'rev-parse', 'main')).toBe(base);
    },
  );

  test('of two that push at once one succeeds and the other fails because the branch moved', async () => {
    const { base, remote, commit } = await branch('race.git');
    const other = await remote.commit(change(base, { 'a.md': 'other' }), signal);
    // The hook holds the first push until the second has landed, past the look that each took at the branch.
    const mark = join(server.root, 'race.git', 'second');
    await hook(
      'race.git',
      'update',
      `[ "$3" = ${other} ] && exit 0\nwhile [ ! -e ${mark} ]; do sleep 0.02; done`,
    );
    const slow = remote.push({ commit, branch: 'offprint/x', expected: null }, signal);
    expect(await remote.push({ commit: other, branch: 'offprint/x', expected: null }, signal)).toBe('pushed');
    await writeFile(mark, '');
    expect(await slow).toBe('moved');
    expect(await remote.branchTip('offprint/x', signal)).toBe(other);
  });

  test("a refusal by a hook reports the server's words, cleaned, and is not retried", async () => {
    const { remote, commit } = await branch('hook.git');
    await hook(
      'hook.git',
      'pre-receive',
      `printf 'GH006: \\033[31mProtected\\033[0m branch\\n' >&2
printf 'see https://user:token@example.com/rules \\342\\200\\256\\n' >&2
seq 1 500 >&2
exit 1`,
    );
    const error = await remote
      .push({ commit, branch: 'offprint/x', expected: null }, signal)
      .catch((caught: Error) => caught);
    expect(error).toMatchObject({ name: 'GitError', code: 'refused', retryable: false });
    const { message } = error as Error;
    expect(message).toContain('rejected the push to the branch "offprint/x": pre-receive hook declined.');
    expect(message).toContain('GH006: Protected branch / see https://example.com/rules / 1 / 2');
    expect(message).not.toMatch(/[\x1b\u202e]|token/);
    expect(message.length).toBeLessThan(900);
  });

  test('a name that a branch blocks as a folder is a refusal, not a race', async () => {
    const { remote, commit, base } = await branch('blocked.git');
    git('blocked.git', 'update-ref', 'refs/heads/offprint', base);
    const push = remote.push({ commit, branch: 'offprint/x', expected: null }, signal);
    await expect(push).rejects.toMatchObject({ code: 'refused' });
  });

  test('a push whose response is lost is an outage, and repeating it finds it done', async () => {
    let isCut = true;
    const cutting = await startGitServer({
      intercept: (request, response) => {
        if (!isCut || request.method !== 'POST' || !request.url?.endsWith('/git-receive-pack')) return false;
        // The backend does its work; nobody hears of it.
        response.writeHead = () => response;
        response.write = () => true;
        response.end = () => {
          request.socket.destroy();
          return response;
        };
        return false;
      },
    });
    const base = await cutting.commit('cut.git', SITE);
    const remote = await open(`${cutting.url}/cut.git`);
    await remote.fetchCommit('main', signal);
    const commit = await remote.commit(change(base, { 'a.md': 'a' }), signal);
    const push = () => remote.push({ commit, branch: 'offprint/x', expected: null }, signal);
    await expect(push()).rejects.toMatchObject({ name: 'GitError', retryable: true });
    expect(await remote.branchTip('offprint/x', signal)).toBe(commit);
    isCut = false;
    expect(await push()).toBe('pushed');
    await cutting.close();
  });
});

test('while git pushes, the token is in no argument, variable, configuration or file but the one it is read from', async () => {
  const account = { username: 'x-access-token', password: 'ghp_verySecretToken123' };
  const seen: { cmdline: string; environ: string; kept: string[] }[] = [];
  const watched = await startGitServer({
    account,
    intercept: (request) => {
      if (request.url?.includes('git-receive-pack')) {
        seen.push({
          cmdline: readProcesses('cmdline').join('\n'),
          environ: readProcesses('environ').join('\n'),
          kept: filesWith(account.password),
        });
      }
      return false;
    },
  });
  const base = await watched.commit('private.git', SITE);
  const credential = { kind: 'token', token: account.password } as const;
  const remote = await open(`${watched.url}/private.git`, { credential: async () => credential });
  await remote.fetchCommit('main', signal);
  const commit = await remote.commit(change(base, { 'a.md': 'a' }), signal);
  expect(await remote.push({ commit, branch: 'offprint/x', expected: null }, signal)).toBe('pushed');
  await watched.close();
  expect(seen.some(({ cmdline }) => cmdline.includes('push\0--porcelain'))).toBe(true);
  expect(seen.some(({ environ }) => environ.includes('GIT_ASKPASS='))).toBe(true);
  expect(seen.some(({ kept }) => kept.length === 1)).toBe(true);
  for (const { cmdline, environ, kept } of seen) {
    expect(cmdline).not.toContain(account.password);
    expect(environ).not.toContain(account.password);
    expect(kept.every((file) => /\/access-[0-9a-f]{12}\/password$/.test(file))).toBe(true);
  }
  expect(filesWith(account.password)).toEqual([]);
});

test('a read-only credential is reported when it pushes', async () => {
  const readOnly = await startGitServer({
    intercept: (request, response) => {
      if (!request.url?.includes('git-receive-pack')) return false;
      response.writeHead(403).end('denied');
      return true;
    },
  });
  const base = await readOnly.commit('r.git', SITE);
  const remote = await open(`${readOnly.url}/r.git`);
  await remote.fetchCommit('main', signal);
  const commit = await remote.commit(change(base, { 'a.md': 'a' }), signal);
  const push = remote.push({ commit, branch: 'x', expected: null }, signal);
  await expect(push).rejects.toMatchObject({ code: 'auth' });
  await expect(push).rejects.toThrow('may write to this repository');
  await readOnly.close();
});

function filesWith(text: string): string[] {
  return readdirSync(work, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'latin1').includes(text));
}
