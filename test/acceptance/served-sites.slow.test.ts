/**
 * Deployments with real exports: what site servers read, failures, rollbacks, previews, the order of requests, and
 * workers that die.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment, DeploymentList, Hosting, UpdateStatus } from '@offprint/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settleExport } from '../../apps/server/src/deployments/service.ts';
import type { SiteList } from '../../apps/server/src/deployments/sites.ts';
import { removePreviews } from '../../apps/server/src/deployments/sweep.ts';
import { completeExport } from '../../apps/server/src/exports/journal.ts';
import { openFsBlobStore } from '../../apps/server/src/platform/blob/fs.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { type CallOptions, call, createProject, expectError, siteFiles } from './api.ts';
import { verifyHost } from './served-site.ts';

const TOKEN = 'hosting-token-of-the-test-0123456789';
const PREVIEWS = 'previews.example.net';

let platform: TestPlatform;
let tenant: Tenant;
let git: GitServer;
let projectId: string;
let domain: string;
let worker: ChildProcess;
let head: string;

const ask = <Body = Record<string, unknown>>(method: string, path: string, options: CallOptions = {}) =>
  call<Body>(platform.url, method, path, { key: tenant.key, ...options });
const deploymentsPath = () => `/v1/projects/${projectId}/deployments`;

const follow = (query = '', key = TOKEN) =>
  call<SiteList>(platform.url, 'GET', `/v1/hosting/sites${query}`, { key });
const sites = async () => (await follow()).body.sites;
const siteOf = async (host = domain) => (await sites()).find((site) => site.host === host);

async function update(id = projectId): Promise<string> {
  const reply = await ask<{ statusId: string }>('POST', `/v1/project/update/${id}`);
  expect(reply.status, reply.text).toBe(202);
  return reply.body.statusId;
}

async function preview(branch: string): Promise<{ statusId: string; previewUrl: string }> {
  const reply = await ask<{ statusId: string; previewUrl: string }>(
    'POST',
    `/v1/project/preview/${projectId}`,
    {
      body: { branch },
    },
  );
  expect(reply.status, reply.text).toBe(202);
  return reply.body;
}

async function status(id: string): Promise<UpdateStatus> {
  const reply = await ask<UpdateStatus>('GET', `/v1/project/update-status/${id}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}

async function ended(id: string): Promise<UpdateStatus> {
  for (;;) {
    const now = await status(id);
    if (now.status === 'success' || now.status === 'failure') return now;
    await sleep(50);
  }
}

const read = async (id: string) => (await ask<Deployment>('GET', `${deploymentsPath()}/${id}`)).body;
const live = async () => (await ask<Hosting>('GET', `/v1/projects/${projectId}/hosting`)).body.live;

async function commit(files: Record<string, string>, ref = 'refs/heads/main'): Promise<string> {
  const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
  return git.commit('docs.git', entries, { ref, ...(head === undefined ? {} : { parent: head }) });
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

beforeAll(async () => {
  git = await startGitServer();
  head = await commit(siteFiles(2));
  platform = await startTestPlatform({
    roles: ['api'],
    env: {
      OFFPRINT_HOSTING_TOKEN: TOKEN,
      OFFPRINT_PREVIEW_DOMAIN: PREVIEWS,
      OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      OFFPRINT_ALLOW_HTTP_GIT_HOSTS: '127.0.0.1',
    },
  });
  tenant = await platform.createTenant();
  ({ projectId, domain } = await createProject(platform.url, tenant.key, {
    kind: 'git',
    repository: `${git.url}/docs.git`,
  }));
  await verifyHost(platform, { organizationId: tenant.organizationId, projectId, host: domain });
}, 300_000);
afterAll(async () => {
  await platform?.stop();
  await git?.close();
});

test('site servers need the token, and without one there are no such endpoints', async () => {
  for (const path of ['/v1/hosting/sites', '/v1/hosting/deployments/dep_0/bundle']) {
    expectError(await call(platform.url, 'GET', path), 401, 'unauthorized');
    expectError(await call(platform.url, 'GET', path, { key: tenant.key }), 401, 'unauthorized');
    expectError(await call(platform.url, 'GET', path, { key: `${TOKEN}x` }), 401, 'unauthorized');
  }
  expectError(await follow('?waitSeconds=31'), 400, 'invalid_request', 'waitSeconds');
  const other = await platform.startApi({ OFFPRINT_HOSTING_TOKEN: '' });
  expectError(await call(other, 'GET', '/v1/hosting/sites', { key: TOKEN }), 404, 'not_found');
  expect((await follow()).body.sites).toEqual([]);
});

describe('an update', () => {
  let first: string;
  let second: string;

  test('is live when its export has completed, and site servers that wait receive the list', async () => {
    const { cursor } = (await follow()).body;
    expect((await follow(`?after=${cursor}`)).status).toBe(304);
    first = await update();
    expect(await status(first)).toMatchObject({ status: 'queued', commit: null, isLive: false });
    expect(await update(), 'one that waits is not queued again').toBe(first);
    worker = platform.start(['worker']);
    let received = await follow(`?after=${cursor}&waitSeconds=30`);
    while (received.status === 304) received = await follow(`?after=${cursor}&waitSeconds=30`);
    const done = await ended(first);
    expect(done, done.error ?? '').toMatchObject({
      _id: first,
      projectId,
      status: 'success',
      isLive: true,
      subdomain: domain,
      url: `https://${domain}`,
      source: 'api',
      author: { name: 'Test' },
      commit: { sha: head, ref: 'main', filesChanged: null },
    });
    const shown = await read(first);
    expect(shown).toMatchObject({ isLive: true, canPromote: false, liveBy: 'test', commit: head });
    expect(received.body.sites).toEqual([
      {
        host: domain,
        projectId,
        deploymentId: first,
        kind: 'production',
        redirectTo: null,
        basePath: '',
        sha256: shown.sha256,
        sizeBytes: shown.sizeBytes,
        noindex: false,
        access: { kind: 'public' },
        variants: [],
        isMeasured: true,
      },
    ]);
  }, 300_000);

  test('has a bundle that site servers download, once', async () => {
    const path = `/v1/hosting/deployments/${first}/bundle`;
    const reply = await call<{ bundleUrl: string; sha256: string; sizeBytes: number; indexUrl: string }>(
      platform.url,
      'GET',
      path,
      { key: TOKEN },
    );
    expect(reply.status, reply.text).toBe(200);
    const { sha256 } = await read(first);
    expect(reply.body.sha256).toBe(sha256);
    expect((await (await fetch(reply.body.bundleUrl)).arrayBuffer()).byteLength).toBe(reply.body.sizeBytes);
    const headers = { 'if-none-match': `"${sha256}"` };
    expect((await call(platform.url, 'GET', path, { key: TOKEN, headers })).status).toBe(304);
    const missing = `/v1/hosting/deployments/dep_${'0'.repeat(32)}/bundle`;
    expectError(await call(platform.url, 'GET', missing, { key: TOKEN }), 404, 'not_found');
  });

  test('replaces the one before, and names the pages that have changed', async () => {
    head = await commit({ ...siteFiles(3), 'guide/page-0.mdx': '---\ntitle: page-0\n---\n\nNew text.\n' });
    second = await update();
    const done = await ended(second);
    expect(done.status, done.error ?? '').toBe('success');
    expect(done.commit?.sha).toBe(head);
    expect(done.commit?.filesChanged?.added).toEqual(['guide/page-2']);
    expect(done.commit?.filesChanged?.modified).toContain('guide/page-0');
    expect((await siteOf())?.deploymentId).toBe(second);
    expect(await status(first)).toMatchObject({ status: 'success', isLive: false });
  }, 300_000);

  test('that fails leaves what is live, and its status says why', async () => {
    const before = await sites();
    await commit({ 'readme.txt': 'no docs' });
    const failed = await ended(await update());
    expect(failed).toMatchObject({ status: 'failure', isLive: false, endedAt: expect.any(String) });
    expect(failed.error).toMatch(/docs\.json/);
    expect(failed.summary).toContain(failed.error);
    expect(await sites()).toEqual(before);
    expectError(await ask('POST', `${deploymentsPath()}/${failed._id}/promote`), 409, 'not_completed');
    expect((await ask('DELETE', `${deploymentsPath()}/${failed._id}`)).status).toBe(204);
    head = await commit(siteFiles(3));
  }, 300_000);

  test('is rolled back by one switch, which builds nothing', async () => {
    const exportsBefore = await ask<{ data: unknown[] }>('GET', '/v1/static-export/jobs');
    const promoted = await ask<Deployment>('POST', `${deploymentsPath()}/${first}/promote`, {
      body: { replaces: second },
    });
    expect(promoted.status, promoted.text).toBe(200);
    expect(promoted.body).toMatchObject({ id: first, isLive: true, liveBy: 'test' });
    expect((await siteOf())?.sha256).toBe(promoted.body.sha256);
    expect((await ask<{ data: unknown[] }>('GET', '/v1/static-export/jobs')).body.data.length).toBe(
      exportsBefore.body.data.length,
    );
    const stale = { body: { replaces: second } };
    expectError(
      await ask('POST', `${deploymentsPath()}/${second}/promote`, stale),
      409,
      'deployment_changed',
    );
    expect((await live())?.id).toBe(first);
  });

  test('and its export cannot be deleted while it is live or can be live again', async () => {
    expectError(await ask('DELETE', `${deploymentsPath()}/${first}`), 409, 'deployment_live');
    for (const id of [first, second]) {
      const { jobId } = await read(id);
      expectError(await ask('DELETE', `/v1/static-export/jobs/${jobId}`), 409, 'export_deployed');
    }
    const { jobId } = await read(second);
    expect((await ask('DELETE', `${deploymentsPath()}/${second}`)).status).toBe(204);
    expectError(await ask('GET', `${deploymentsPath()}/${second}`), 404, 'not_found');
    expect((await ask('DELETE', `/v1/static-export/jobs/${jobId}`)).status).toBe(204);
  });

  test('is written to the audit log with the deployment as its target', async () => {
    const events = await ask<{ data: { action: string; target: string; projectId: string }[] }>(
      'GET',
      '/v1/audit-events?limit=100',
    );
    for (const [action, target] of [
      ['triggerUpdate', first],
      ['promoteDeployment', first],
      ['deleteDeployment', second],
    ]) {
      expect(
        events.body.data.find((event) => event.action === action && event.target === target),
      ).toMatchObject({ projectId });
    }
  });
});

test('the list has every deployment once, newest first, and pages of any size', async () => {
  const all = await ask<DeploymentList>('GET', deploymentsPath());
  const paged: Deployment[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = await ask<DeploymentList>('GET', `${deploymentsPath()}?limit=1${query}`);
    paged.push(...page.body.data);
    cursor = page.body.nextCursor;
  }
  expect(paged).toEqual(all.body.data);
  expect((await ask<DeploymentList>('GET', `${deploymentsPath()}?kind=preview`)).body.data).toEqual([]);
});

test('other organizations find none of it', async () => {
  const stranger = await platform.createTenant();
  const { id = '' } = (await live()) ?? {};
  const requests: [string, string, unknown?][] = [
    ['POST', `/v1/project/update/${projectId}`],
    ['POST', `/v1/project/preview/${projectId}`, { branch: 'main' }],
    ['GET', `/v1/project/update-status/${id}`],
    ['GET', deploymentsPath()],
    ['GET', `${deploymentsPath()}/${id}`],
    ['POST', `${deploymentsPath()}/${id}/promote`],
    ['DELETE', `${deploymentsPath()}/${id}`],
    ['GET', `/v1/projects/${projectId}/hosting`],
    ['PUT', `/v1/projects/${projectId}/hosting`, { enabled: true }],
  ];
  for (const [method, path, body] of requests)
    expectError(await ask(method, path, { key: stranger.key, body }), 404, 'not_found');
  // Another project of the same organization does not lead to the deployment either.
  const other = await createProject(platform.url, tenant.key, { kind: 'upload' });
  expectError(await ask('GET', `/v1/projects/${other.projectId}/deployments/${id}`), 404, 'not_found');
  expectError(
    await ask('POST', `/v1/project/preview/${other.projectId}`, { body: { branch: 'main' } }),
    409,
    'source_kind_mismatch',
  );
});

test('a domain that another organization names serves the project that verified it', async () => {
  const other = await platform.createTenant();
  const body = { name: 'other', source: { kind: 'upload' }, domains: [domain] };
  expect((await ask('POST', '/v1/projects', { key: other.key, body })).status).toBe(201);
  expect((await sites()).filter(({ host }) => host === domain)).toHaveLength(1);
  expect((await siteOf())?.projectId).toBe(projectId);
});

test('a domain below the one of previews is not served', async () => {
  const { organizationId } = tenant;
  const hosts = [PREVIEWS, `topic.${PREVIEWS}`];
  for (const host of hosts) await verifyHost(platform, { organizationId, projectId, host });
  expect((await sites()).map(({ host }) => host)).toEqual([domain]);
  await platform.database.db.deleteFrom('site_domains').where('host', 'in', hosts).execute();
});

describe('a preview', () => {
  let started: { statusId: string; previewUrl: string };
  let host: string;

  test('has a host of its own, which its updates keep, and is not indexed', async () => {
    await commit(siteFiles(1, 'Topic'), 'refs/heads/Feature/New_Docs');
    started = await preview('Feature/New_Docs');
    expect(started.previewUrl).toMatch(/^https:\/\/feature-new-docs-[a-z2-9]{12}\.previews\.example\.net$/);
    host = new URL(started.previewUrl).hostname;
    const done = await ended(started.statusId);
    expect(done, done.error ?? '').toMatchObject({ kind: 'preview', status: 'success', subdomain: host });
    expect(await siteOf(host)).toMatchObject({
      kind: 'preview',
      noindex: true,
      deploymentId: started.statusId,
      redirectTo: null,
    });
    expect((await live())?.kind, 'production stays as it is').toBe('production');
    await commit(siteFiles(2, 'Topic'), 'refs/heads/Feature/New_Docs');
    const again = await preview('Feature/New_Docs');
    expect(again.previewUrl).toBe(started.previewUrl);
    expect((await ended(again.statusId)).status).toBe('success');
    expect((await siteOf(host))?.deploymentId).toBe(again.statusId);
    expectError(await ask('POST', `${deploymentsPath()}/${started.statusId}/promote`), 409, 'not_completed');
    started = again;
  }, 300_000);

  test('goes with the deployment that it serves, and with it its exports', async () => {
    const exportsOf = async () =>
      (await ask<{ data: { jobId: string }[] }>('GET', '/v1/static-export/jobs?limit=100')).body.data.length;
    const before = await exportsOf();
    const blobs = await openFsBlobStore({
      folder: join(platform.dataDir, 'blobs'),
      secret: Buffer.alloc(32),
      publicUrl: () => platform.url,
      now: () => new Date(),
    });
    const adapters = { db: platform.database.db, blobs, log: pino({ level: 'silent' }) };
    const { signal } = new AbortController();
    await removePreviews(adapters, signal);
    expect(await exportsOf(), 'what the first update has left').toBe(before - 1);
    expect((await ask('DELETE', `${deploymentsPath()}/${started.statusId}`)).status).toBe(204);
    expect(await siteOf(host)).toBeUndefined();
    expectError(await ask('GET', `${deploymentsPath()}/${started.statusId}`), 404, 'not_found');
    await removePreviews(adapters, signal);
    expect(await exportsOf()).toBe(before - 2);
    expectError(await ask('GET', `/v1/project/update-status/${started.statusId}`), 404, 'not_found');
    expect((await preview('Feature/New_Docs')).previewUrl).not.toBe(started.previewUrl);
  });
});

/** Completes a queued export as a worker would, with the artifact of the live deployment. */
async function complete(jobId: string | null, isSettled = true): Promise<void> {
  const { db } = platform.database;
  const { jobId: liveJob } = (await live()) ?? {};
  const made = await db
    .selectFrom('exports')
    .selectAll()
    .where('id', '=', liveJob ?? '')
    .executeTakeFirstOrThrow();
  await db
    .updateTable('exports')
    .set({ status: 'running', attempt: 1 })
    .where('id', '=', jobId ?? '')
    .execute();
  const result = {
    version: made.version ?? '',
    commit: made.commit,
    commitInfo: made.commit_info,
    pageCount: made.page_count,
    access: { groups: [], excluding: [], hasPublic: false },
    warnings: [],
    warningCount: 0,
    artifact: {
      sha256: made.artifact_sha256 ?? '',
      files: made.artifact_files ?? 0,
      bytes: made.artifact_bytes ?? 0,
    },
    bundle: { sha256: made.bundle_sha256 ?? '', bytes: made.bundle_bytes ?? 0 },
  };
  const fence = { id: jobId ?? '', attempt: 1, organizationId: tenant.organizationId };
  const settle = isSettled ? settleExport : undefined;
  expect(await completeExport(db, fence, result, async () => true, settle)).toBe('completed');
  await db
    .deleteFrom('jobs')
    .where('id', '=', jobId ?? '')
    .execute();
}

/** An update whose export a worker has started. */
async function startedUpdate(): Promise<{ id: string; jobId: string | null }> {
  const id = await update();
  const { jobId } = await read(id);
  await platform.database.db
    .updateTable('exports')
    .set({ status: 'running', attempt: 1 })
    .where('id', '=', jobId ?? '')
    .execute();
  return { id, jobId };
}

describe('the order of requests', () => {
  beforeAll(async () => {
    await kill(worker, 'SIGTERM');
  });

  test('decides, not the order in which exports complete', async () => {
    const older = await startedUpdate();
    const newer = await startedUpdate();
    expect(older.id).not.toBe(newer.id);
    await complete(newer.jobId);
    expect((await live())?.id).toBe(newer.id);
    await complete(older.jobId);
    expect((await live())?.id).toBe(newer.id);
    expect(await status(older.id)).toMatchObject({ status: 'success', isLive: false });
  });

  test('includes rollbacks: an update requested before does not undo it, one requested later does', async () => {
    const before = (await live())?.id ?? '';
    const running = await startedUpdate();
    const { data } = (await ask<DeploymentList>('GET', deploymentsPath())).body;
    const target = data.find(({ canPromote }) => canPromote)?.id ?? '';
    expect(target).not.toBe(before);
    expect((await ask('POST', `${deploymentsPath()}/${target}/promote`)).status).toBe(200);
    await complete(running.jobId);
    expect((await live())?.id).toBe(target);
    const waiting = await update();
    expect((await ask('POST', `${deploymentsPath()}/${before}/promote`)).status).toBe(200);
    expect(await update(), 'the one that waits is requested again').toBe(waiting);
    await complete((await read(waiting)).jobId);
    expect((await live())?.id).toBe(waiting);
  });

  test('holds for promotions at the same time: one of them is live, and the site agrees', async () => {
    const { data } = (await ask<DeploymentList>('GET', deploymentsPath())).body;
    const targets = data.filter(({ canPromote }) => canPromote).map(({ id }) => id);
    expect(targets.length).toBeGreaterThan(1);
    const replies = await Promise.all(
      [...targets, ...targets].map((id) => ask('POST', `${deploymentsPath()}/${id}/promote`)),
    );
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]));
    const now = await live();
    expect(targets).toContain(now?.id);
    expect(await siteOf()).toMatchObject({ deploymentId: now?.id, sha256: now?.sha256 });
  });
});

describe('a worker that dies', () => {
  test('between the export and the switch, such as one of an earlier version, loses no update', async () => {
    const { id, jobId } = await startedUpdate();
    await complete(jobId, false);
    expect(await status(id)).toMatchObject({ status: 'in_progress', isLive: false });
    worker = platform.start(['worker']);
    expect(await ended(id)).toMatchObject({ status: 'success', isLive: true });
    await kill(worker, 'SIGTERM');
  }, 300_000);

  test('of a cancelled export ends the update as failed, and what was live stays', async () => {
    const before = (await live())?.id;
    const id = await update();
    const { jobId } = await read(id);
    expect((await ask('POST', `/v1/static-export/jobs/${jobId}/cancel`)).status).toBe(200);
    expect(await status(id)).toMatchObject({ status: 'failure', errorCode: 'cancelled' });
    expect((await live())?.id).toBe(before);
  });

  test('at any moment: every update ends, and the one requested last is live', async () => {
    const ids: string[] = [];
    const claims = async () =>
      (
        await platform.database.db
          .selectFrom('export_events')
          .select('id')
          .where('event', '=', 'claimed')
          .execute()
      ).length;
    for (let round = 0; round < 4; round++) {
      head = await commit(siteFiles(3 + round));
      ids.push(await update());
      const before = await claims();
      const child = platform.start(['worker']);
      while ((await claims()) === before) await sleep(20);
      await sleep(Math.random() * 3_000);
      await kill(child, 'SIGKILL');
    }
    worker = platform.start(['worker']);
    for (const id of ids) {
      const done = await ended(id);
      expect(done.status, done.error ?? '').toBe('success');
    }
    expect(await live()).toMatchObject({ id: ids.at(-1), commit: head });
    expect((await siteOf())?.deploymentId).toBe(ids.at(-1));
  }, 600_000);
});

test('a project that is deleted is no longer served, and leaves exports like any others', async () => {
  const { jobId } = (await live()) ?? {};
  expect((await ask('DELETE', `/v1/projects/${projectId}`)).status).toBe(204);
  expect(await sites()).toEqual([]);
  expect((await ask('DELETE', `/v1/static-export/jobs/${jobId}`)).status).toBe(204);
});
