/** Pull requests from the delivery of the forge to its commit status and comment, with real exports and doubles of the forges. */
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createForge } from '../../apps/server/src/platform/forge/forge.ts';
import { createGuardedFetch } from '../../apps/server/src/platform/net/guarded-fetch.ts';
import { makeCertificate } from '../support/certificate.ts';
import type { DoubleOptions, ForgeDouble } from '../support/forge/double.ts';
import { startGiteaDouble } from '../support/forge/gitea.ts';
import { startGithubDouble } from '../support/forge/github.ts';
import { startGitlabDouble } from '../support/forge/gitlab.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, siteFiles } from './api.ts';

const PATIENCE_MS = 180_000;
const { signal } = new AbortController();

let platform: TestPlatform;
let tenant: Tenant;
let git: GitServer;
let folder: string;
let tls: { key: string; cert: string };
let trusting: typeof fetch;
let deliveries = 0;

const ask = async <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) => {
  const reply = await call<Body>(platform.url, method, path, { key: tenant.key, body });
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.body;
};

async function until<Value>(what: string, read: () => Value | undefined | Promise<Value | undefined>) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`${what}: nothing happened.\n${platform.log().slice(-4_000)}`);
    await sleep(200);
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offprint-pulls-'));
  const made = makeCertificate(folder);
  tls = { key: made.key, cert: made.cert };
  trusting = createGuardedFetch({
    policy: { allowPrivate: true, allowedHosts: [] },
    caFile: made.certFile,
  });
  git = await startGitServer({ tls });
  platform = await startTestPlatform({
    env: {
      OFFPRINT_PREVIEW_DOMAIN: 'previews.example.net',
      OFFPRINT_ALLOW_PRIVATE_HOSTS: 'localhost,127.0.0.1',
      OFFPRINT_CA_FILE: made.certFile,
      OFFPRINT_PUBLIC_URL: 'https://offprint.example.com',
    },
  });
  tenant = await platform.createTenant();
}, 300_000);
afterAll(async () => {
  await platform?.stop();
  await git?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Forge {
  name: string;
  kind: 'github' | 'gitlab' | 'gitea';
  start(options: DoubleOptions): Promise<ForgeDouble>;
}
const FORGES: Forge[] = [
  { name: 'GitHub', kind: 'github', start: startGithubDouble },
  { name: 'GitLab', kind: 'gitlab', start: startGitlabDouble },
  { name: 'Gitea and Forgejo', kind: 'gitea', start: startGiteaDouble },
];

interface Pull {
  action: 'opened' | 'synchronize' | 'closed';
  number: number;
  commit: string;
  fork?: boolean;
}

/** A project whose repository is at a forge, with production live and previews on. */
async function setUp({ kind, start }: Forge) {
  const repository = `acme/${kind}`;
  const bare = `${repository}.git`;
  const commit = (files: Record<string, string>, branch: string, parent?: string) =>
    git.commit(
      bare,
      Object.entries(files).map(([path, content]) => ({ path, content })),
      { ref: `refs/heads/${branch}`, ...(parent === undefined ? {} : { parent }) },
    );
  const base = await commit(siteFiles(2), 'main');
  const double = await start({ gitRoot: git.root, repository, tls });
  const { projectId } = await createProject(platform.url, tenant.key, {
    kind: 'git',
    repository: `${git.url.replace('127.0.0.1', 'localhost')}/${bare}`,
    branch: 'main',
  });
  const forge = { kind, apiUrl: double.apiUrl, token: double.tokens.write };
  await ask('PUT', `/v1/projects/${projectId}/agent`, {
    forge: kind === 'gitea' ? { ...forge, username: 'offprint-bot' } : forge,
  });
  await ask('PUT', `/v1/projects/${projectId}/automation`, { webhook: { enabled: true } });
  const { secret } = await ask<{ secret: string }>('POST', `/v1/projects/${projectId}/automation/secret`, {});
  await ask('PUT', `/v1/projects/${projectId}/hosting`, { enabled: true, previews: { enabled: true } });
  const deliver = async (body: object, event: string) => {
    const text = JSON.stringify(body);
    deliveries += 1;
    const digest = createHmac('sha256', secret).update(text).digest('hex');
    const headers: Record<string, Record<string, string>> = {
      github: { 'x-hub-signature-256': `sha256=${digest}`, 'x-github-delivery': `d-${deliveries}` },
      gitlab: { 'x-gitlab-token': secret, 'idempotency-key': `d-${deliveries}` },
      gitea: { 'x-gitea-signature': digest, 'x-gitea-delivery': `d-${deliveries}` },
    };
    const reply = await call<{ outcome: string; message: string; exportId: string | null }>(
      platform.url,
      'POST',
      `/v1/webhooks/${projectId}`,
      {
        body: text,
        headers: { 'content-type': 'application/json', [`x-${kind}-event`]: event, ...headers[kind] },
      },
    );
    expect(reply.status, reply.text).toBe(202);
    return reply.body;
  };
  const pull = (of: Pull) =>
    kind === 'gitlab'
      ? deliver(mergeRequest(repository, of), 'Merge Request Hook')
      : deliver(pullRequest(repository, of), 'pull_request');
  const push = (branch: string, after: string) =>
    deliver(
      {
        ref: `refs/heads/${branch}`,
        after,
        repository: { full_name: repository, default_branch: 'main' },
        project: { path_with_namespace: repository, default_branch: 'main' },
      },
      kind === 'gitlab' ? 'Push Hook' : 'push',
    );
  const statusOf = (of: string, state: string) =>
    until(`the status ${state} of ${of}`, () =>
      double.statuses().find(({ commit: sha, state: found }) => sha === of && found === state),
    );
  const preview = async () =>
    (
      await platform.database.db
        .selectFrom('sites')
        .select('label')
        .where('project_id', '=', projectId)
        .where('expires_at', '>', new Date())
        .executeTakeFirst()
    )?.label;
  return { projectId, repository, double, base, commit, pull, push, statusOf, preview };
}

function pullRequest(repository: string, { action, number, commit, fork = false }: Pull) {
  return {
    action,
    number,
    repository: { full_name: repository, default_branch: 'main' },
    pull_request: {
      number,
      user: { login: 'alice' },
      head: { ref: 'topic', sha: commit, repo: { full_name: fork ? 'mallory/docs' : repository } },
      base: { ref: 'main', repo: { full_name: repository } },
    },
  };
}

const mergeRequest = (repository: string, { action, number, commit, fork = false }: Pull) => ({
  object_kind: 'merge_request',
  user: { username: 'alice' },
  project: { path_with_namespace: repository, default_branch: 'main' },
  object_attributes: {
    iid: number,
    action: { opened: 'open', synchronize: 'update', closed: 'close' }[action],
    oldrev: '0'.repeat(39).concat('1'),
    source_branch: 'topic',
    target_branch: 'main',
    source_project_id: fork ? 2 : 1,
    target_project_id: 1,
    last_commit: { id: commit },
    source: { path_with_namespace: fork ? 'mallory/docs' : repository },
  },
});

describe.each(FORGES)('$name', (forge) => {
  test('a pull request has a preview, a status and one comment, until it is closed', async () => {
    const stage = await setUp(forge);
    const { double, pull, statusOf } = stage;
    const failed = forge.kind === 'gitlab' ? 'failed' : 'failure';
    await stage.push('main', stage.base);
    await statusOf(stage.base, 'success');

    const files = siteFiles(2);
    const first = await stage.commit(
      { ...files, 'index.mdx': `${files['index.mdx']}\nA new sentence.\n` },
      'topic',
      stage.base,
    );
    const { number } = await createForge(double.settings(), {
      fetch: trusting,
      now: () => new Date(),
    }).createPullRequest(
      { headBranch: 'topic', baseBranch: 'main', title: 'A', body: '', draft: false },
      signal,
    );
    // The forge is down for longer than one attempt takes.
    double.fail({ kind: 503, times: 8 });
    expect(await pull({ action: 'opened', number, commit: first })).toMatchObject({ outcome: 'started' });
    expect(await stage.push('topic', first)).toMatchObject({ outcome: 'skipped' });
    const passed = await statusOf(first, 'success');
    const label = await stage.preview();
    expect(passed).toMatchObject({
      context: expect.stringMatching(/^offprint\/preview \(Project \d+\)$/),
      description: 'All checks passed.',
      url: `https://${label}.previews.example.net`,
    });
    const comment = await until('the comment', () =>
      double.comments().find(({ body }) => body.includes('passed')),
    );
    expect(comment.pull).toBe(number);
    expect(comment.body).toContain(`[Preview](https://${label}.previews.example.net)`);
    expect(comment.body).toContain('0 pages added, 0 removed, 1 edited.');
    expect(comment.body).toMatch(/<!-- offprint:[0-9a-f]{64} -->$/);

    const { 'guide/page-1.mdx': _gone, ...rest } = siteFiles(2);
    const config = { ...JSON.parse(rest['docs.json'] ?? '{}') };
    config.navigation.groups[0].pages = ['index', 'guide/page-0'];
    const second = await stage.commit({ ...rest, 'docs.json': JSON.stringify(config) }, 'topic', first);
    expect(await pull({ action: 'synchronize', number, commit: second })).toMatchObject({
      outcome: 'started',
    });
    const broken = await statusOf(second, failed);
    expect(broken.description).toMatch(/^links: 1 \(fail\)/);
    await until('the edited comment', () => double.comments().find(({ body }) => body.includes('failed')));
    expect(double.comments().map(({ id }) => id)).toEqual([comment.id]);
    expect(double.comments()[0]?.body).toContain('/guide/page-1');
    expect(await stage.preview(), 'the host stays').toBe(label);

    expect(await pull({ action: 'opened', number: number + 1, commit: second, fork: true })).toMatchObject({
      outcome: 'skipped',
      message: expect.stringMatching(/fork mallory\/docs waits for the approval of a member/),
    });
    expect(await pull({ action: 'closed', number, commit: second })).toMatchObject({
      message: expect.stringMatching(/Its preview was deleted/),
    });
    expect(await stage.preview(), 'only the one of the fork is left').toMatch(/^mallory-docs-topic-/);
    await pull({ action: 'closed', number: number + 1, commit: second, fork: true });
    expect(await stage.preview()).toBeUndefined();

    // An update that fails is shown at its commit.
    const bad = await stage.commit({ 'index.mdx': '# No configuration' }, 'main', stage.base);
    await stage.push('main', bad);
    expect(await statusOf(bad, failed)).toMatchObject({
      context: expect.stringMatching(/^offprint\/production/),
      description: expect.stringMatching(/docs\.json/),
    });
    expect(double.takeViolations()).toEqual([]);
    await double.close();
  }, 600_000);
});
