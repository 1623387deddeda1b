import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Entry, type GitServer, startGitServer } from '../../../../../test/support/git-server.ts';
import { readProcesses } from '../../../../../test/support/processes.ts';
import { withAccess } from './credential.ts';
import { DEFAULT_GIT_LIMITS, type GitLimits, type GitPolicy } from './policy.ts';
import { parseRepository } from './repository.ts';
import { runGit } from './run.ts';
import { type SnapshotRequest, snapshotRepository } from './snapshot.ts';

const LOCAL: GitPolicy = { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] };
const SITE: Entry[] = [
  { path: 'README.md', content: 'outside' },
  { path: 'docs/docs.json', content: '{}' },
  { path: 'docs/guides/start.mdx', content: '# Start\r\n$Id$\n' },
  { path: 'docs/run.sh', content: '#!/bin/sh\n', mode: '100755' },
];

let server: GitServer;
let work: string;

beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'offprint-snapshot-'));
});
afterEach(() => rm(work, { recursive: true, force: true }));

function snapshot(
  repository: string,
  changes: Partial<SnapshotRequest> & { limit?: Partial<GitLimits> } = {},
) {
  const { limit, ...rest } = changes;
  return snapshotRepository({
    repository: repository.includes(':') ? repository : `${server.url}/${repository}`,
    ref: null,
    folder: '',
    into: join(work, 'tree'),
    policy: LOCAL,
    limits: { ...DEFAULT_GIT_LIMITS, timeoutMs: 240_000, ...limit },
    signal: new AbortController().signal,
    ...rest,
  });
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

describe('what is read', () => {
  test('the default branch, a branch, a tag, an annotated tag and a commit are pinned to their commit', async () => {
    const first = await server.commit('refs.git', SITE, { tag: 'v1.0', at: 1_600_000_000 });
    const second = await server.commit('refs.git', [...SITE, { path: 'new.md', content: 'x' }], {
      parent: first,
    });
    const other = await server.commit('refs.git', SITE, {
      ref: 'refs/heads/feature/a-b',
      parent: second,
      at: 5,
    });
    await server.commit('refs.git', SITE, { ref: 'refs/tags/light', at: 7 });
    const read = async (ref: string | null) => {
      const { commit, ref: name } = await snapshot('refs.git', { ref, into: join(work, `${Math.random()}`) });
      return [commit, name];
    };
    expect(await read(null)).toEqual([second, 'main']);
    expect(await read('main')).toEqual([second, 'main']);
    expect(await read('feature/a-b')).toEqual([other, 'feature/a-b']);
    expect(await read('v1.0')).toEqual([first, 'v1.0']);
    expect((await read('light'))[1]).toBe('light');
    expect(await read(first)).toEqual([first, first]);
  });

  test('files are the stored bytes, without executable bit, and the date is the committer date in UTC', async () => {
    await server.commit('bytes.git', SITE);
    const result = await snapshot('bytes.git');
    expect(result).toMatchObject({
      details: { committedAt: '2023-11-14T22:13:20Z' },
      files: 4,
      bytes: 33,
      skipped: [],
    });
    expect(await filesBelow(join(work, 'tree'))).toEqual([
      'README.md',
      'docs/docs.json',
      'docs/guides/start.mdx',
      'docs/run.sh',
    ]);
    expect(await readFile(join(work, 'tree/docs/guides/start.mdx'), 'utf8')).toBe('# Start\r\n$Id$\n');
    expect((await stat(join(work, 'tree/docs/run.sh'))).mode & 0o111).toBe(0);
    expect(await readdir(work)).toEqual(['tree']);
  });

  test('a folder becomes the root and nothing beside it is written', async () => {
    await server.commit('folder.git', SITE);
    for (const folder of ['docs', '/docs/', './docs']) {
      const into = join(work, folder.replaceAll('/', '_'));
      await snapshot('folder.git', { folder, into });
      expect(await filesBelow(into)).toEqual(['docs.json', 'guides/start.mdx', 'run.sh']);
    }
    await expect(snapshot('folder.git', { folder: 'doc' })).rejects.toMatchObject({
      code: 'folder-not-found',
    });
    await expect(snapshot('folder.git', { folder: 'README.md' })).rejects.toMatchObject({
      code: 'folder-not-found',
    });
  });

  test('thousands of files and large ones come out byte for byte', async () => {
    const large = Buffer.alloc(5 * 1024 ** 2, 'offprint');
    const many = Array.from({ length: 3000 }, (_, index) => ({
      path: `p/${index % 50}/${index}.md`,
      content: `${index}\n`,
    }));
    await server.commit('many.git', [
      ...many,
      { path: 'large.bin', content: large },
      { path: 'empty', content: '' },
    ]);
    const { files } = await snapshot('many.git');
    expect(files).toBe(3002);
    expect(large.equals(await readFile(join(work, 'tree/large.bin')))).toBe(true);
    expect(await readFile(join(work, 'tree/p/49/2999.md'), 'utf8')).toBe('2999\n');
    expect((await stat(join(work, 'tree/empty'))).size).toBe(0);
  });

  test('a server that gives tips by name only is read by name, and a commit by its history', async () => {
    const first = await server.commit('old.git', SITE);
    const tip = await server.commit('old.git', [{ path: 'a.md', content: 'a' }], { parent: first });
    const old = await startGitServer({
      // Without the header Git speaks protocol 0, which offers the tips of refs only.
      intercept: (request) => {
        delete request.headers['git-protocol'];
        return false;
      },
    });
    try {
      const from = join(old.root, 'old.git');
      await symlink(join(server.root, 'old.git'), from);
      expect(await snapshot(`${old.url}/old.git`)).toMatchObject({ commit: tip });
      const deep = await snapshot(`${old.url}/old.git`, { ref: first, into: join(work, 'deep') });
      expect(deep).toMatchObject({ commit: first, files: 4 });
    } finally {
      await old.close();
    }
  });
});

describe('what is refused', () => {
  test.each([
    '-x',
    '--upload-pack=x',
    'a..b',
    'a b',
    'a:b',
    '+main',
    'a\nb',
    'refs/heads/*',
    '',
    '@{-1}',
    'x.lock',
    '/a',
    'a~1',
  ])('the ref %j', async (ref) => {
    await server.commit('ref.git', SITE);
    const code = ref === '+main' ? 'ref-not-found' : 'invalid';
    await expect(snapshot('ref.git', { ref })).rejects.toMatchObject({ code });
  });

  test.each([
    '..',
    '../x',
    'a/../../b',
    '.git',
    'a/.GIT/b',
    'git~1',
    'a\\b',
    'a\0b',
    '.g\u200cit',
    '.git.',
    'a//b',
  ])('the folder %j', async (folder) => {
    await expect(snapshot('ref.git', { folder })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('private hosts and plain http without permission of the operator', async () => {
    const strict = { allowPrivate: false, allowedHosts: [], allowHttp: [] };
    await server.commit('refused.git', SITE);
    server.requests.length = 0;
    await expect(snapshot('refused.git', { policy: strict })).rejects.toMatchObject({ code: 'invalid' });
    await expect(snapshot('refused.git', { policy: { ...strict, allowHttp: ['*'] } })).rejects.toMatchObject({
      code: 'host-refused',
    });
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', 'localhost', '169.254.169.254']) {
      await expect(snapshot(`https://${host}/a.git`, { policy: strict })).rejects.toMatchObject({
        code: 'host-refused',
      });
      const scp = `git@${host}:a.git`;
      await expect(snapshot(scp, { policy: strict })).rejects.toMatchObject({ code: 'host-refused' });
    }
    expect(server.requests).toEqual([]);
  });

  test('what is not there, in words that say what', async () => {
    await server.commit('there.git', SITE);
    await expect(snapshot('missing.git')).rejects.toMatchObject({ code: 'not-found' });
    const noRef = snapshot('there.git', { ref: 'nope' });
    await expect(noRef).rejects.toMatchObject({ code: 'ref-not-found' });
    await expect(noRef).rejects.toThrow('no branch or tag "nope"');
    await expect(snapshot('there.git', { ref: 'abc1234' })).rejects.toThrow('all of its 40 characters');
    const unknown = '0'.repeat(39).concat('1');
    const noCommit = snapshot('there.git', { ref: unknown });
    await expect(noCommit).rejects.toMatchObject({ code: 'ref-not-found' });
    await expect(noCommit).rejects.toThrow(`there.git has no commit ${unknown}. Push the commit`);
    await expect(snapshot('http://127.0.0.1:9/x.git')).rejects.toMatchObject({
      code: 'unreachable',
      retryable: true,
    });
  });

  test('a server that packs in silence for more than a minute is waited for', async () => {
    const hook = join(work, 'pack.sh');
    await writeFile(hook, '#!/bin/sh\nsleep 66\nexec "$@"\n', { mode: 0o755 });
    const settings = { 'uploadpack.packObjectsHook': hook, 'uploadpack.keepAlive': '0' };
    const packing = await startGitServer({ settings });
    try {
      const commit = await packing.commit('slow.git', SITE);
      await expect(snapshot(`${packing.url}/slow.git`)).resolves.toMatchObject({ commit });
    } finally {
      await packing.close();
    }
  });

  test('a redirect, to another host or elsewhere', async () => {
    const moved = await startGitServer({
      intercept: (request, response) => {
        if (!request.url?.startsWith('/moved')) return false;
        response.writeHead(301, { location: `${server.url}/there.git${request.url.slice(6)}` }).end();
        return true;
      },
    });
    server.requests.length = 0;
    await expect(snapshot(`${moved.url}/moved`)).rejects.toMatchObject({ code: 'host-refused' });
    expect(server.requests).toEqual([]);
    await moved.close();
  });

  test('a dumb server, whose alternates could name any other host', async () => {
    const dumb = await startGitServer({
      intercept: (request, response) => {
        if (request.url?.includes('info/refs')) {
          response.writeHead(200, { 'content-type': 'text/plain' });
          response.end(`${'1'.repeat(40)}\trefs/heads/main\n`);
        } else if (request.url?.endsWith('/HEAD')) response.end('ref: refs/heads/main\n');
        else if (request.url?.includes('alternates')) response.end(`${server.url}/there.git/objects\n`);
        else response.writeHead(404).end();
        return true;
      },
    });
    server.requests.length = 0;
    await expect(snapshot(`${dumb.url}/x.git`)).rejects.toMatchObject({ name: 'GitError' });
    expect(server.requests).toEqual([]);
    await dumb.close();
  });
});

test('git connects to the checked address and asks no resolver', async () => {
  const commit = await server.commit('pinned.git', SITE);
  const url = `${server.url.replace('127.0.0.1', 'name-that-is-nowhere.invalid')}/pinned.git`;
  const repository = parseRepository(url, LOCAL);
  const addresses = [{ address: '127.0.0.1', family: 4 }] as const;
  const { stdout } = await withAccess(repository, addresses, undefined, LOCAL, work, (access) =>
    runGit({
      ...access,
      gitDir: join(work, 'none'),
      args: ['ls-remote', '--', repository.url, 'HEAD'],
      signal: new AbortController().signal,
    }),
  );
  expect(stdout.toString()).toBe(`${commit}\tHEAD\n`);
});

describe.skipIf(!hasOpenssl())(hasOpenssl() ? 'https' : 'https: no openssl to make a certificate', () => {
  test('a certificate must be of an authority that is known, and the name is connected to the checked address', async () => {
    const file = (name: string) => join(work, name);
    execFileSync(
      'openssl',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '2',
        ],
        ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
        ...['-keyout', file('key'), '-out', file('cert')],
      ],
      { stdio: 'ignore' },
    );
    const [key, cert] = [await readFile(file('key'), 'utf8'), await readFile(file('cert'), 'utf8')];
    const secure = await startGitServer({ tls: { key, cert } });
    await secure.commit('a.git', SITE);
    const url = `${secure.url.replace('127.0.0.1', 'localhost')}/a.git`;
    const policy = { ...LOCAL, allowHttp: [] };
    await expect(snapshot(url, { policy })).rejects.toMatchObject({ code: 'unreachable' });
    await expect(snapshot(url, { policy })).rejects.toThrow('TLS certificate');
    const trusting = { ...policy, caFile: file('cert') };
    expect(await snapshot(url, { policy: trusting, into: file('b') })).toMatchObject({ files: 4 });
    const byAddress = url.replace('localhost', '127.0.0.1');
    await expect(snapshot(byAddress, { policy: trusting, into: file('c') })).rejects.toThrow(
      'TLS certificate',
    );
    await secure.close();
  });
});

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('credentials', () => {
  const account = { username: 'x-access-token', password: 'ghp_verySecretToken123' };
  let guarded: GitServer;
  beforeAll(async () => {
    guarded = await startGitServer({ account });
    await guarded.commit('private.git', SITE);
  });
  afterAll(() => guarded.close());

  test('a token opens a private repository and leaves nothing behind', async () => {
    const credential = { kind: 'token', token: account.password } as const;
    const { files } = await snapshot(`${guarded.url}/private.git`, { credential });
    expect(files).toBe(4);
    expect(await readdir(work)).toEqual(['tree']);
  });

  test('without a credential or with a wrong one the error names the cause and contains no secret', async () => {
    const bare = await snapshot(`${guarded.url}/private.git`).catch((error: Error) => error);
    expect(bare).toMatchObject({ code: 'auth' });
    const credential = { kind: 'token', token: 'wrongSecret987' } as const;
    const wrong = await snapshot(`${guarded.url}/private.git`, { credential }).catch((error: Error) => error);
    expect(wrong).toMatchObject({ code: 'auth' });
    expect(JSON.stringify([String(wrong), wrong])).not.toContain('wrongSecret987');
    expect(await readdir(work)).toEqual(['tree']);
  });

  test('no argument and no variable of any process holds the token while git runs', async () => {
    const seen: string[] = [];
    const watched = await startGitServer({
      account,
      intercept: () => {
        // The moment git talks to the server: inspect every process of this machine.
        for (const file of ['cmdline', 'environ']) seen.push(readProcesses(file).join('\n'));
        return false;
      },
    });
    await watched.commit('private.git', SITE);
    await snapshot(`${watched.url}/private.git`, { credential: { kind: 'token', token: account.password } });
    await watched.close();
    expect(seen.some((text) => text.includes('fetch\0--quiet'))).toBe(true);
    expect(seen.every((text) => !text.includes(account.password))).toBe(true);
  });

  test('a credential of the wrong kind is refused before anything is asked', async () => {
    const token = { kind: 'token', token: 'x' } as const;
    const key = { kind: 'ssh-key', privateKey: 'x' } as const;
    await expect(snapshot('git@127.0.0.1:a.git', { credential: token })).rejects.toMatchObject({
      code: 'auth',
    });
    await expect(snapshot('a.git', { credential: key })).rejects.toMatchObject({ code: 'auth' });
  });
});

describe('hostile repositories', () => {
  test('links, submodules and names that git or a file system would misread are reported and not written', async () => {
    await server.commit('hostile.git', [
      { path: 'ok.md', content: 'ok' },
      { path: 'absolute', content: '/etc/passwd', mode: '120000' },
      { path: 'climbing', content: '../../../../etc/passwd', mode: '120000' },
      { path: 'sub', content: '1'.repeat(40), mode: '160000' },
      { path: 'carriage\r', content: 'x' },
      { path: 'back\\slash', content: 'x' },
      { path: 'new\nline', content: 'x' },
      { path: 'escape\u001b[31m', content: 'x' },
      { path: 'image.png', content: 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n' },
    ]);
    const { skipped, files } = await snapshot('hostile.git');
    expect(await filesBelow(join(work, 'tree'))).toEqual(['ok.md']);
    expect(Object.fromEntries(skipped.map(({ path, reason }) => [path, reason]))).toEqual({
      absolute: 'symlink',
      climbing: 'symlink',
      sub: 'submodule',
      'carriage\\u{d}': 'unsafe-path',
      'back\\slash': 'unsafe-path',
      'new\\u{a}line': 'unsafe-path',
      'escape\\u{1b}[31m': 'unsafe-path',
      'image.png': 'lfs-pointer',
    });
    expect(files).toBe(1);
  });

  test.each([
    ['..', '../escaped'],
    ['.git', '.git/hooks/post-checkout'],
    ['.GIT', '.GIT/config'],
    ['git~1', 'GIT~1/config'],
    ['.git with an ignorable', '.g\u200cit/config'],
    ['an empty name', 'a//b'],
    ['an absolute path', '/tmp/offprint-escaped'],
  ])('a tree with %s writes nothing outside', async (_name, path) => {
    const name = `tree-${Math.random()}.git`;
    await server.commit(name, [
      { path: 'ok.md', content: 'ok' },
      { path, content: 'x' },
    ]);
    const before = await readdir(tmpdir());
    const outcome = await snapshot(name).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ name: 'GitError', code: 'invalid' });
    const written = await filesBelow(work);
    expect(written.filter((file) => file !== 'tree/ok.md')).toEqual([]);
    expect(
      (await readdir(tmpdir())).filter((file) => !before.includes(file) && /escaped/.test(file)),
    ).toEqual([]);
  });

  test('hooks, attributes, filters and configuration of the repository run nothing', async () => {
    const canary = join(work, 'canary');
    const run = `sh -c 'touch ${canary}'`;
    await server.commit('filters.git', [
      {
        path: '.gitattributes',
        content: '* filter=evil diff=evil text eol=crlf ident\n*.md export-ignore\n',
      },
      {
        path: '.gitconfig',
        content: `[core]\n\tfsmonitor = ${run}\n\tsshCommand = ${run}\n[filter "evil"]\n\tsmudge = ${run}\n`,
      },
      {
        path: '.gitmodules',
        content: '[submodule "x"]\n\tpath = sub\n\turl = https://example.com/x.git\n\tupdate = none\n',
      },
      { path: '.lfsconfig', content: `[lfs]\n\turl = http://127.0.0.1:1/\n` },
      { path: 'hooks/post-checkout', content: `#!/bin/sh\ntouch ${canary}\n`, mode: '100755' },
      { path: 'page.md', content: 'line\n$Id$\n' },
    ]);
    await snapshot('filters.git');
    expect(await readFile(join(work, 'tree/page.md'), 'utf8')).toBe('line\n$Id$\n');
    await expect(stat(canary)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('configuration and variables of the account are not read', async () => {
    const canary = join(work, 'canary');
    const config = join(work, 'evil.config');
    await writeFile(
      config,
      `[core]\n\taskPass = touch ${canary}\n[url "http://127.0.0.1:1/"]\n\tinsteadOf = ${server.url}\n`,
    );
    const names = {
      GIT_CONFIG_GLOBAL: config,
      GIT_CONFIG_SYSTEM: config,
      GIT_SSH_COMMAND: `touch ${canary}`,
      GIT_TRACE: canary,
      GIT_EXTERNAL_DIFF: canary,
    };
    Object.assign(process.env, names);
    try {
      await server.commit('account.git', SITE);
      await snapshot('account.git');
    } finally {
      for (const name of Object.keys(names)) delete process.env[name];
    }
    await expect(stat(canary)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('twins in letter case or Unicode form never overwrite one another', async () => {
    const twins = ['A.md', 'a.md', 'caf\u00e9.md', 'cafe\u0301.md'];
    await server.commit(
      'twins.git',
      twins.map((path) => ({ path, content: path })),
    );
    const { files, skipped } = await snapshot('twins.git');
    expect(files + skipped.length).toBe(4);
    for (const path of twins) {
      const kept = skipped.some((entry) => entry.path === path);
      if (!kept) expect(await readFile(join(work, 'tree', path), 'utf8')).toBe(path);
    }
  });

  test('limits of count, file, folder and transfer hold', async () => {
    await server.commit('limits.git', [
      ...Array.from({ length: 30 }, (_, index) => ({ path: `${index}.md`, content: `${index}` })),
      { path: 'big.bin', content: Buffer.alloc(100_000, 1) },
    ]);
    await expect(snapshot('limits.git', { limit: { files: 30 } })).rejects.toMatchObject({
      code: 'too-large',
      message:
        "The docs folder contains more than 30 files. Set the project's folder to the one that contains only the docs.",
    });
    await expect(snapshot('limits.git', { limit: { totalBytes: 99_999 } })).rejects.toMatchObject({
      code: 'too-large',
    });
    const { skipped, files } = await snapshot('limits.git', {
      limit: { fileBytes: 99_999 },
      into: join(work, 'c'),
    });
    expect(files).toBe(30);
    expect(skipped).toMatchObject([{ path: 'big.bin', reason: 'too-large' }]);
    const endless = await startGitServer({
      intercept: (request, response) => {
        if (!request.url?.endsWith('/git-upload-pack') || !request.headers['git-protocol']) return false;
        let body = '';
        request.on('data', (chunk: Buffer) => {
          body += chunk.toString('latin1');
        });
        request.on('end', () => {
          if (!body.includes('command=fetch')) return passThrough();
          response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
          response.write('000dpackfile\n');
          const band = Buffer.alloc(65_000, 7);
          const header = Buffer.from(`PACK\0\0\0\x02\0\0\0\x01`, 'latin1');
          response.write(`${(header.byteLength + 5).toString(16).padStart(4, '0')}\x01`);
          response.write(header);
          const timer = setInterval(() => {
            for (let index = 0; index < 50; index += 1) {
              response.write(`${(band.byteLength + 5).toString(16)}\x01`);
              response.write(band);
            }
          }, 5);
          response.on('close', () => clearInterval(timer));
        });
        const passThrough = (): void => {
          response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
          const line = `${'1'.repeat(40)} HEAD symref-target:refs/heads/main\n`;
          response.end(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
        };
        return true;
      },
    });
    await endless.commit('endless.git', SITE);
    const outcome = await snapshot(`${endless.url}/endless.git`, {
      into: join(work, 'd'),
      limit: { transferBytes: 1e6 },
    }).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ name: 'GitError' });
    await endless.close();
  });

  test('a server that hangs or never ends is left when time is up, and no process stays', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const url = `http://127.0.0.1:${port}/hang.git`;
    await expect(snapshot(url, { limit: { timeoutMs: 500 } })).rejects.toMatchObject({ code: 'timeout' });
    const reason = new Error('cancelled by its owner');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 300);
    await expect(snapshot(url, { signal: controller.signal })).rejects.toBe(reason);
    expect(await readdir(join(work, 'tree'))).toEqual([]);
    await expect.poll(() => readProcesses('cmdline').join('\n')).not.toContain(url);
    silent.close();
  });
});

test('git ends with the process that started it', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const url = `http://127.0.0.1:${port}/orphan.git`;
  const here = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
  const starter = `
    import { snapshotRepository } from ${here('./snapshot.ts')};
    import { DEFAULT_GIT_LIMITS } from ${here('./policy.ts')};
    snapshotRepository({ repository: ${JSON.stringify(url)}, ref: null, folder: '', into: ${JSON.stringify(join(work, 'tree'))},
      policy: { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] }, limits: DEFAULT_GIT_LIMITS,
      signal: new AbortController().signal });`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', starter], { stdio: 'ignore' });
  await new Promise((resolve) => silent.once('connection', resolve));
  expect(readProcesses('cmdline').join('\n')).toContain(`ls-remote\0--symref\0--quiet\0--\0${url}`);
  parent.kill('SIGKILL');
  await new Promise((resolve) => parent.on('close', resolve));
  await expect
    .poll(() => readProcesses('cmdline').join('\n'))
    .not.toContain(`ls-remote\0--symref\0--quiet\0--\0${url}`);
  silent.close();
});
