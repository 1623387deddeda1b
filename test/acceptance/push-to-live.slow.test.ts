/** Pushes and schedules that update sites and previews, as the hosting of a project says. */
import { createHmac } from 'node:crypto';
import type { Deployment, DeploymentList, Hosting } from '@offprint/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runDue } from '../../apps/server/src/automation/scheduler.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError } from './api.ts';
import { verifyHost } from './served-site.ts';

const COMMIT = 'c0ffee'.padEnd(40, '0');
const REPOSITORY = 'https://github.com/acme/docs.git';
const PREVIEWS = 'previews.example.net';

let platform: TestPlatform;
let tenant: Tenant;
let projectId: string;
let domain: string;
let secret: string;
let deliveries = 0;

const ask = <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
  call<Body>(platform.url, method, path, { key: tenant.key, body });

async function push(branch: string, after = COMMIT) {
  const body = JSON.stringify({
    ref: `refs/heads/${branch}`,
    after,
    repository: { full_name: 'acme/docs', clone_url: REPOSITORY, default_branch: 'main' },
    pusher: { name: 'alice' },
  });
  deliveries += 1;
  const reply = await call<{ outcome: string; message: string; exportId: string | null }>(
    platform.url,
    'POST',
    `/v1/webhooks/${projectId}`,
    {
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': `delivery-${deliveries}`,
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
    },
  );
  expect(reply.status, reply.text).toBe(202);
  return reply.body;
}

const host = async (body: Record<string, unknown>) => {
  const reply = await ask<Hosting>('PUT', `/v1/projects/${projectId}/hosting`, body);
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
};
const deployments = async (): Promise<Deployment[]> =>
  (await ask<DeploymentList>('GET', `/v1/projects/${projectId}/deployments`)).body.data;
const previews = () =>
  platform.database.db
    .selectFrom('sites')
    .select(['branch', 'expires_at'])
    .where('project_id', '=', projectId)
    .where('branch', 'is not', null)
    .execute();

beforeAll(async () => {
  // Without a worker, so that what is queued stays queued.
  platform = await startTestPlatform({ roles: ['api'], env: { OFFPRINT_PREVIEW_DOMAIN: PREVIEWS } });
});
afterAll(() => platform.stop());

beforeEach(async () => {
  tenant = await platform.createTenant();
  ({ projectId, domain } = await createProject(platform.url, tenant.key, {
    kind: 'git',
    repository: REPOSITORY,
    branch: 'main',
  }));
  await verifyHost(platform, { organizationId: tenant.organizationId, projectId, host: domain });
  const path = `/v1/projects/${projectId}/automation`;
  expect((await ask('PUT', path, { webhook: { enabled: true } })).status).toBe(200);
  secret = (await ask<{ secret: string }>('POST', `${path}/secret`, {})).body.secret;
});

test('hosting is off by default, and changes of it are in the audit log', async () => {
  const path = `/v1/projects/${projectId}/hosting`;
  expect((await ask('GET', path)).body).toEqual({
    enabled: false,
    previews: { enabled: false, days: 14, domain: PREVIEWS },
    hosts: [{ host: domain, redirectTo: null }],
    live: null,
    groups: [],
    variants: [],
  });
  const set = await host({ enabled: true, previews: { enabled: true, days: 3 } });
  expect(set).toMatchObject({ enabled: true, previews: { enabled: true, days: 3 } });
  expect((await ask('GET', path)).body).toEqual(set);
  const events = await ask<{ data: { action: string; changes: unknown[] }[] }>('GET', '/v1/audit-events');
  expect(events.body.data[0]).toMatchObject({
    action: 'updateHosting',
    target: projectId,
    changes: [
      { field: 'enabled', from: 'false', to: 'true' },
      { field: 'previews.days', from: '14', to: '3' },
      { field: 'previews.enabled', from: 'false', to: 'true' },
    ],
  });
});

test('a push exports the site, and with hosting updates it', async () => {
  const exported = await push('main');
  expect(exported).toMatchObject({ outcome: 'started', message: `Started an export of ${domain}.` });
  expect(await deployments()).toEqual([]);
  await host({ enabled: true });
  const updated = await push('main');
  expect(updated).toMatchObject({ outcome: 'started', message: `Started an update of ${domain}.` });
  const [deployment] = await deployments();
  expect(deployment).toMatchObject({
    kind: 'production',
    status: 'queued',
    branch: null,
    jobId: updated.exportId,
    source: 'github',
    createdBy: 'GitHub: alice',
  });
  expect(await push('main'), 'the queued update will contain it').toMatchObject({
    outcome: 'skipped',
    exportId: updated.exportId,
  });
  expect(await deployments()).toHaveLength(1);
  const events = await ask<{ data: unknown[] }>('GET', '/v1/audit-events');
  expect(events.body.data[0]).toMatchObject({
    actor: { kind: 'webhook', name: 'GitHub: alice' },
    action: 'triggerUpdate',
    target: deployment?.id,
    projectId,
  });
});

test('a push to another branch updates its preview if the project has previews', async () => {
  await host({ enabled: true });
  expect(await push('topic')).toMatchObject({
    outcome: 'skipped',
    message: expect.stringMatching(/pushes to main/),
  });
  await host({ enabled: false, previews: { enabled: true } });
  const before = Date.now();
  expect(await push('topic')).toMatchObject({
    outcome: 'started',
    message: expect.stringMatching(/preview of topic-/),
  });
  expect(await push('main'), 'production is not hosted').toMatchObject({
    message: expect.stringMatching(/an export/),
  });
  const [preview] = await deployments();
  expect(preview).toMatchObject({ kind: 'preview', branch: 'topic', source: 'github' });
  expect(preview?.url).toMatch(/^https:\/\/topic-[a-z2-9]{12}\.previews\.example\.net$/);
  const [site] = await previews();
  const days = ((site?.expires_at?.getTime() ?? 0) - before) / 86_400_000;
  expect(Math.round(days)).toBe(14);
});

test('a deleted branch ends its preview, and a new push makes another one', async () => {
  await host({ enabled: false, previews: { enabled: true } });
  await push('topic');
  await push('other');
  const gone = '0'.repeat(40);
  expect(await push('topic', gone)).toMatchObject({
    outcome: 'skipped',
    message: expect.stringMatching(/Its preview was deleted/),
  });
  expect(await push('unknown', gone)).toMatchObject({ message: 'The branch unknown was deleted.' });
  const live = (await previews()).filter(({ expires_at: at }) => at !== null && at.getTime() > Date.now());
  expect(live.map(({ branch }) => branch)).toEqual(['other']);
  await push('topic');
  expect((await previews()).every(({ expires_at: at }) => at !== null && at.getTime() > Date.now())).toBe(
    true,
  );
});

test('a branch with a name that no repository has is not deployed', async () => {
  await host({ enabled: false, previews: { enabled: true } });
  for (const branch of ['-x', 'a..b', 'a b', 'a~1'])
    expect((await push(branch)).outcome, branch).toBe('skipped');
  expect(await previews()).toEqual([]);
});

test('a schedule updates a site that is hosted', async () => {
  await host({ enabled: true });
  const { db } = platform.database;
  const schedule = { cron: '0 6 * * *' };
  expect((await ask('PUT', `/v1/projects/${projectId}/automation`, { schedule })).status).toBe(200);
  await db
    .updateTable('automations')
    .set({ next_at: new Date(Date.now() - 1_000) })
    .where('project_id', '=', projectId)
    .execute();
  const none = { free: 0, pro: 0, enterprise: 0 };
  const quotas = { dailyExports: none, dailyAgentJobs: none, storageMb: none };
  const adapters = {
    db,
    log: pino({ level: 'silent' }),
    maxActiveExports: 10,
    quotas,
    previewDomain: null,
    services: {},
    hasModel: false,
  };
  await runDue(adapters, new AbortController().signal);
  expect(await deployments()).toMatchObject([
    { kind: 'production', source: 'schedule', createdBy: 'schedule 0 6 * * *' },
  ]);
});

test('409: previews without branches, without a domain, and a site without a domain', async () => {
  const upload = await createProject(platform.url, tenant.key, { kind: 'upload' });
  const body = { enabled: true, previews: { enabled: true } };
  const path = `/v1/projects/${upload.projectId}/hosting`;
  expectError(await ask('PUT', path, body), 409, 'source_kind_mismatch');
  const other = await platform.startApi({ OFFPRINT_PREVIEW_DOMAIN: '' });
  const own = `/v1/projects/${projectId}/hosting`;
  expectError(await call(other, 'PUT', own, { key: tenant.key, body }), 409, 'preview_domain_missing');
  const preview = { key: tenant.key, body: { branch: 'topic' } };
  expectError(
    await call(other, 'POST', `/v1/project/preview/${projectId}`, preview),
    409,
    'preview_domain_missing',
  );
  const { projectId: unnamed } = await createProject(platform.url, tenant.key, {
    kind: 'git',
    repository: REPOSITORY,
  });
  expect((await ask('PATCH', `/v1/projects/${unnamed}`, { domains: [] })).status).toBe(200);
  expectError(await ask('POST', `/v1/project/update/${unnamed}`), 409, 'domain_missing');
});

test('a verified domain is enough to update the site, and becomes a domain of the project', async () => {
  expect((await ask('PATCH', `/v1/projects/${projectId}`, { domains: [] })).status).toBe(200);
  expect((await ask('POST', `/v1/project/update/${projectId}`)).status).toBe(202);
  expect((await ask('GET', `/v1/projects/${projectId}`)).body).toMatchObject({ domains: [domain] });
  const [{ jobId } = { jobId: '' }] = await deployments();
  expect((await ask('GET', `/v1/static-export/jobs/${jobId}`)).body).toMatchObject({ domain });
});

test('previews of a project with a verified wildcard have hosts below it, without a domain of the installation', async () => {
  const other = await platform.startApi({ OFFPRINT_PREVIEW_DOMAIN: '' });
  const base = `p-${projectId.slice(-8)}.example.com`;
  await verifyHost(platform, { organizationId: tenant.organizationId, projectId, host: `*.${base}` });
  const preview = { key: tenant.key, body: { branch: 'topic' } };
  const reply = await call<{ previewUrl: string }>(
    other,
    'POST',
    `/v1/project/preview/${projectId}`,
    preview,
  );
  expect(reply.status, reply.text).toBe(202);
  expect(reply.body.previewUrl).toMatch(
    new RegExp(`^https://topic-[a-z2-9]{12}\\.${base.replaceAll('.', '\\.')}$`),
  );
});

test('429 too_many_previews: a project has at most 200', async () => {
  const { db } = platform.database;
  await db
    .insertInto('sites')
    .values(
      Array.from({ length: 200 }, (_, index) => ({
        id: `site_${projectId}_${index}`,
        organization_id: tenant.organizationId,
        project_id: projectId,
        branch: `b${index}`,
        label: `b${index}-${projectId}`,
        expires_at: new Date(Date.now() + 60_000),
      })),
    )
    .execute();
  const path = `/v1/project/preview/${projectId}`;
  expectError(await ask('POST', path, { branch: 'one-more' }), 429, 'too_many_previews');
  expect((await ask('POST', path, { branch: 'b7' })).status).toBe(202);
});
