/** Our clients against doubles of the forges, both held to the official descriptions of their APIs. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createForge } from '../../apps/server/src/platform/forge/forge.ts';
import { createGuardedFetch } from '../../apps/server/src/platform/net/guarded-fetch.ts';
import { hasOpenssl, makeCertificate } from '../support/certificate.ts';
import { doubleRows, refused, request, rows, signal } from '../support/forge/contract.ts';
import type { DoubleOptions, ForgeDouble, Mutation } from '../support/forge/double.ts';
import { startGiteaDouble } from '../support/forge/gitea.ts';
import { type GithubDouble, type GithubDoubleOptions, startGithubDouble } from '../support/forge/github.ts';
import { startGitlabDouble } from '../support/forge/gitlab.ts';
import { type DoubleStage, setStage } from '../support/forge/ground.ts';

type Start = (options: DoubleOptions) => Promise<ForgeDouble>;

const forges: Record<string, Start> = {
  GitHub: startGithubDouble,
  GitLab: startGitlabDouble,
  Gitea: startGiteaDouble,
};

/** The same with another surface: what holds on every forge. */
const kin: Record<string, Start> = {
  'GitHub Enterprise Server': (options) => startGithubDouble({ ...options, isServer: true }),
  'an old Gitea': (options) => startGiteaDouble({ ...options, isOld: true }),
};

async function play<T extends { run(ground: DoubleStage): Promise<void> }>(
  start: Start,
  row: T,
): Promise<void> {
  const stage = await setStage(start);
  try {
    await row.run(stage);
  } finally {
    await stage.stop();
  }
}

describe.each(Object.entries(forges))('%s', (_name, start) => {
  test.each([...rows, ...doubleRows])('$name', (row) => play(start, row));
});

describe.each(Object.entries(kin))('%s', (_name, start) => {
  test.each(rows)('$name', (row) => play(start, row));
});

describe('a GitHub App', () => {
  /** A stage whose client is the App, and what GitHub saw of it. */
  async function asApp(
    options: Partial<GithubDoubleOptions> = {},
    now: () => Date = () => new Date(),
  ): Promise<{
    stage: DoubleStage;
    github: GithubDouble;
    client(change?: object): ReturnType<typeof createForge>;
  }> {
    let github: GithubDouble | null = null;
    const stage = await setStage(async (given) => {
      github = await startGithubDouble({ ...given, ...options, now });
      return github;
    });
    const double = github as unknown as GithubDouble;
    const settings = double.appSettings();
    const client = (change: object = {}) => {
      if (settings.kind !== 'github') throw new Error('no GitHub');
      const changed = { ...settings, auth: { ...settings.auth, ...change } } as typeof settings;
      return createForge(changed, { fetch, now, wait: async () => undefined });
    };
    return { stage, github: double, client };
  }

  test('asks for one repository and three permissions, never for workflows, and once for a whole publication', async () => {
    const { stage, github, client } = await asApp();
    const forge = client();
    const branch = stage.newBranch();
    await stage.push(branch);
    await forge.protectedBranches(signal);
    const { number } = await forge.createPullRequest(request(branch, { draft: true }), signal);
    await forge.updatePullRequest(number, { draft: false, title: 'Ready' }, signal);
    expect((await forge.findPullRequest(branch, signal))?.isDraft).toBe(false);
    expect(github.mints()).toEqual([
      {
        token: expect.stringMatching(/^ghs_/),
        repositories: ['docs'],
        permissions: { contents: 'write', pull_requests: 'write', metadata: 'read' },
      },
    ]);
    const token = github.mints()[0]?.token;
    expect(await forge.gitCredential(signal)).toEqual({ kind: 'token', token, username: 'x-access-token' });
    await stage.stop();
  });

  test('takes a new token when the old one is a few minutes old', async () => {
    let now = new Date();
    const { stage, github, client } = await asApp({}, () => now);
    const forge = client();
    await forge.gitCredential(signal);
    now = new Date(now.getTime() + 2 * 60_000);
    await forge.gitCredential(signal);
    expect(github.mints()).toHaveLength(1);
    now = new Date(now.getTime() + 2 * 60_000);
    await forge.gitCredential(signal);
    expect(github.mints()).toHaveLength(2);
    await stage.stop();
  });

  test('reports which of its settings is invalid', async () => {
    const { stage, github, client } = await asApp();
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const privateKey = other.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const stranger = await refused(client({ privateKey }).gitCredential(signal), 'auth');
    expect(stranger.message).toMatch(/App 4711.*private key/);
    expect(stranger.message).not.toContain('eyJ');
    expect((await refused(client({ appId: '1' }).gitCredential(signal), 'auth')).message).toMatch(/App's id/);
    const nowhere = await refused(client({ installationId: '9' }).gitCredential(signal), 'auth');
    expect(nowhere.message).toMatch(/did not find the installation 9/);
    expect(() => client({ privateKey: 'not a key' })).toThrow(/not an RSA key in PEM form/);
    expect(github.mints()).toEqual([]);
    await stage.stop();
  });

  test('that was granted too little says which rights it needs', async () => {
    const { stage, client } = await asApp({ granted: { contents: 'write', metadata: 'read' } });
    const error = await refused(client().gitCredential(signal), 'auth');
    expect(error.message).toMatch(/Pull requests: read and write/);
    await stage.stop();
  });
});

test('creates a regular pull request where GitHub does not support drafts, and converting it is not an error', async () => {
  const stage = await setStage(startGithubDouble);
  const branch = stage.newBranch();
  await stage.push(branch);
  stage.double.forbidDrafts();
  const created = await stage.forge.createPullRequest(request(branch, { draft: true }), signal);
  expect(created.isDraft).toBe(false);
  const turned = await stage.forge.updatePullRequest(created.number, { draft: true }, signal);
  expect(turned.isDraft).toBe(false);
  await stage.stop();
});

test.skipIf(!hasOpenssl)(
  `the guarded fetch carries all of it over https${hasOpenssl ? '' : ' (skipped: there is no openssl to make a certificate)'}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'offprint-forge-tls-'));
    const { key, cert, certFile } = makeCertificate(folder);
    const guarded = createGuardedFetch({
      policy: { allowPrivate: false, allowedHosts: ['127.0.0.1'] },
      caFile: certFile,
    });
    for (const start of Object.values(forges)) {
      const stage = await setStage((given) => start({ ...given, tls: { key, cert } }), { fetch: guarded });
      const branch = stage.newBranch();
      await stage.push(branch);
      const { number } = await stage.forge.createPullRequest(request(branch), signal);
      expect((await stage.forge.findPullRequest(branch, signal))?.number).toBe(number);
      stage.double.fail({ kind: 'lost-answer' });
      expect((await stage.forge.updatePullRequest(number, { body: 'x' }, signal)).body).toBe('x');
      await stage.stop();
    }
    await rm(folder, { recursive: true });
  },
);

describe('plain Git', () => {
  test('has a credential and nothing else', async () => {
    const credential = { kind: 'token' as const, token: 't' };
    const forge = createForge({ kind: 'git', credential }, { fetch, now: () => new Date() });
    expect([forge.kind, forge.hasPullRequests]).toEqual(['git', false]);
    expect(await forge.gitCredential(signal)).toBe(credential);
    expect(await forge.findPullRequest('b', signal)).toBe(null);
    expect(await forge.protectedBranches(signal)).toEqual([]);
    await refused(forge.createPullRequest(request('b'), signal), 'rejected');
    await refused(forge.updatePullRequest(1, {}, signal), 'rejected');
  });

  test('keeps a bot to its branches by the hook of the documentation', async () => {
    const page = await readFile(new URL('../../docs/agent/forges.mdx', import.meta.url), 'utf8');
    const hook = /```sh pre-receive\n(.*?)```/s.exec(page)?.[1] ?? '';
    const stage = await setStage(startGithubDouble);
    const write = async (account: string): Promise<void> => {
      const file = join(stage.double.git.gitDir, 'hooks', 'pre-receive');
      await mkdir(dirname(file), { recursive: true });
      // The server of the tests knows everybody as "test".
      await writeFile(file, hook.replaceAll('offprint-bot', account), { mode: 0o755 });
    };
    await write('test');
    expect(await stage.pushTo('main')).toBe(false);
    expect(await stage.pushTo('offprintx')).toBe(false);
    expect(await stage.pushTo('offprint/page')).toBe(true);
    expect(await stage.pushTo('offprint/page', 'delete')).toBe(false);
    await write('somebody-else');
    expect(await stage.pushTo('main')).toBe(true);
    expect(await stage.pushTo('offprint/page', 'delete')).toBe(true);
    await stage.stop();
  });
});

describe('the suite detects a defect', () => {
  /** Names of the rows that fail. */
  async function failing(
    start: Start,
    wanted: readonly string[],
    change: { mutation?: Mutation; fetch?: typeof fetch },
  ): Promise<string[]> {
    const failed: string[] = [];
    for (const row of [...rows, ...doubleRows].filter(({ name }) => wanted.includes(name))) {
      const stage = await setStage(start, change);
      let isFine = true;
      await row.run(stage).catch(() => {
        isFine = false;
      });
      await stage.stop().catch(() => {
        isFine = false;
      });
      if (!isFine) failed.push(row.name);
    }
    return failed;
  }

  const CREATED = 'a pull request that was created is found as it was asked for';
  const DUPLICATE = 'a second pull request of a branch is refused as a duplicate';
  const FORK = "a fork's branch of the same name does not count";

  const doubles: [Mutation, string][] = [
    ['no-duplicate-check', DUPLICATE],
    ['wrong-status', CREATED],
    ['wrong-type', CREATED],
  ];
  test.each(
    Object.entries(forges).flatMap(([name, start]) =>
      doubles.map(([mutation, row]) => ({ name, start, mutation, row })),
    ),
  )('of the double: $name, $mutation', async ({ start, mutation, row }) => {
    expect(await failing(start, [CREATED, DUPLICATE], { mutation })).toContain(row);
  });

  /** Our client with one thing changed in what it sends. */
  const changed =
    (change: (url: URL, init: RequestInit) => void): typeof fetch =>
    (input, init = {}) => {
      const url = new URL(String(input));
      const copy = { ...init };
      change(url, copy);
      return fetch(url, copy);
    };
  const clients: Record<string, { forge: string; row: string; fetch: typeof fetch }> = {
    'a head without its owner': {
      forge: 'GitHub',
      row: 'what is behind many others is found',
      fetch: changed((url) => {
        const head = url.searchParams.get('head');
        if (head !== null) url.searchParams.set('head', head.slice(head.indexOf(':') + 1));
        url.searchParams.set('per_page', '5');
      }),
    },
    'a property that is not described': {
      forge: 'GitHub',
      row: CREATED,
      fetch: changed((_url, init) => {
        if (init.method === 'POST')
          init.body = JSON.stringify({ ...JSON.parse(String(init.body)), label: 'x' });
      }),
    },
    'a parameter that is not described': {
      forge: 'Gitea',
      row: CREATED,
      fetch: changed((url) => url.searchParams.set('head', 'x')),
    },
    'a parameter of the wrong kind': {
      forge: 'GitLab',
      row: CREATED,
      fetch: changed((url) => {
        if (url.searchParams.has('state')) url.searchParams.set('state', 'open');
      }),
    },
    'another header for the token': {
      forge: 'GitLab',
      row: CREATED,
      fetch: changed((_url, init) => {
        const { authorization, ...headers } = init.headers as Record<string, string>;
        init.headers = { ...headers, 'job-token': authorization ?? '' };
      }),
    },
    'no filter by branch': {
      forge: 'GitLab',
      row: CREATED,
      fetch: changed((url) => {
        if (url.searchParams.has('source_branch')) url.searchParams.set('source_branch', 'other');
      }),
    },
  };
  test.each(Object.entries(clients))('of the client: %s', async (_name, { forge, row, fetch: mutated }) => {
    const start = forges[forge] as Start;
    expect(await failing(start, [row, FORK], {})).toEqual([]);
    expect(await failing(start, [row], { fetch: mutated })).toEqual([row]);
  });
});
