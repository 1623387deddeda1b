/** `paths` of POST /v1/static-export/jobs: paths without a page are refused at the start, by name. */
import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError, follow, makeFolder, siteFiles } from './api.ts';

const JOBS = '/v1/static-export/jobs';

let platform: TestPlatform;
let tenant: Tenant;
let folder: string;
let domain: string;

const post = (body: Record<string, unknown>, headers: Record<string, string> = {}, key = tenant.key) =>
  call(platform.url, 'POST', JOBS, { key, body: { domain, ...body }, headers });
const count = async () =>
  Number(
    (
      await platform.database.db
        .selectFrom('exports')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('status', '=', 'queued')
        .executeTakeFirstOrThrow()
    ).count,
  );

beforeAll(async () => {
  platform = await startTestPlatform({ roles: ['api'] });
  tenant = await platform.createTenant();
  folder = await makeFolder({
    ...siteFiles(3),
    'unlisted.md': '# Unlisted\n',
    'staff.mdx': '---\ngroups: [staff]\n---\n\nSecret.\n',
    'notes.txt': 'No page.\n',
  });
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path: folder }));
});
afterEach(async () => {
  await platform.database.db.updateTable('exports').set({ status: 'failed', error: 'over' }).execute();
  const left = await readdir(join(platform.dataDir, 'work')).catch(() => []);
  expect(left.filter((name) => name.startsWith('paths-'))).toEqual([]);
});
afterAll(() => platform.stop());

test.each([
  ['the second of three', ['index', 'guide/none', 'guide/nothing'], '/paths/1', 'guide/none'],
  ['a file that is no page', ['notes.txt'], '/paths/0', 'notes.txt'],
  ['a folder', ['/', '/guide'], '/paths/1', 'guide'],
  ['a page for others', ['staff'], '/paths/0', 'staff'],
])('400 unknown_page: %s, and nothing is queued', async (_name, paths, param, name) => {
  const reply = await post({ paths });
  expectError(reply, 400, 'unknown_page', param);
  expect(reply.body.error).toContain(JSON.stringify(name));
  expect(await count()).toBe(0);
});

test.each([
  ['every page', ['index', 'guide/page-0', 'guide/page-1', 'guide/page-2']],
  ['slashes and extensions', ['/', '/guide/page-0', 'guide/page-1.mdx', '/guide/page-2.html']],
  ['one that no navigation lists', ['unlisted']],
])('202: %s', async (_name, paths) => {
  const reply = await post({ paths });
  expect(reply.status, reply.text).toBe(202);
});

test('202: a page for a group that the request names', async () => {
  expect((await post({ paths: ['staff'], options: { groups: ['staff'] } })).status).toBe(202);
});

describe('what comes first', () => {
  test('404 not_found and 403 plan_required, before anything is read', async () => {
    expectError(await post({ domain: 'nobody.example.com', paths: ['none'] }), 404, 'not_found', '/domain');
    const poor = await platform.createTenant('free');
    expectError(await post({ paths: ['none'] }, {}, poor.key), 403, 'plan_required');
  });
});

describe('Idempotency-Key', () => {
  test('the 400 is not remembered, and a replay does not look again', async () => {
    const headers = { 'idempotency-key': 'paths-1' };
    const body = { paths: ['index', 'late'] };
    expectError(await post(body, headers), 400, 'unknown_page', '/paths/1');
    await writeFile(join(folder, 'late.mdx'), '# Late\n');
    const first = await post(body, headers);
    expect(first.status, first.text).toBe(202);
    await rm(join(folder, 'late.mdx'));
    const again = await post(body, headers);
    expect([again.status, again.headers.get('idempotent-replay')]).toEqual([202, 'true']);
    expect(again.text).toBe(first.text);
    expectError(await post({ paths: ['late'] }, headers), 422, 'idempotency_mismatch', 'Idempotency-Key');
  });
});

describe('an upload', () => {
  test('is read: 400 for a missing page, 202 for an existing one', async () => {
    const { projectId, domain } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const archive = execFileSync('tar', ['czf', '-', '-C', await makeFolder(siteFiles(1)), '.']);
    const sent = await call(platform.url, 'PUT', `/v1/projects/${projectId}/source`, {
      key: tenant.key,
      body: new Uint8Array(archive),
      headers: { 'content-type': 'application/gzip' },
    });
    expect(sent.status, sent.text).toBe(200);
    expectError(await post({ domain, paths: ['guide/page-1'] }), 400, 'unknown_page', '/paths/0');
    expect((await post({ domain, paths: ['guide/page-0'] })).status).toBe(202);
  });
});

describe('202 if the pages are not known yet: the job reports the error', () => {
  test.each([
    ['a Git host that does not exist', { kind: 'git', repository: 'https://git.example.com/acme/docs.git' }],
    ['a Git host inside the network', { kind: 'git', repository: 'https://127.0.0.1/acme/docs.git' }],
    ['an upload that never came', { kind: 'upload' }],
  ])('%s', async (_name, source) => {
    const { domain } = await createProject(platform.url, tenant.key, source);
    const reply = await post({ domain, paths: ['none'] });
    expect(reply.status, reply.text).toBe(202);
  });

  test.each([
    ['broken JSON', { 'docs.json': '{' }],
    ['no docs.json', { 'index.mdx': '# Home' }],
  ])('%s', async (_name, files) => {
    const path = await makeFolder(files);
    const { domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path });
    expect((await post({ domain, paths: ['none'] })).status).toBe(202);
  });

  test('two checks are already running', async () => {
    const replies = await Promise.all(Array.from({ length: 6 }, () => post({ paths: ['none'] })));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([202, 202, 202, 202, 400, 400]);
  });
});

test('a page that is gone when its export runs fails that export, by name', async () => {
  await writeFile(join(folder, 'late.mdx'), '# Late\n');
  const started = await post({ paths: ['index', 'late'] });
  expect(started.status, started.text).toBe(202);
  await rm(join(folder, 'late.mdx'));
  platform.start(['worker']);
  const job = (await follow(platform.url, tenant.key, String(started.body.jobId))).at(-1);
  expect(job).toMatchObject({ status: 'failed', errorCode: 'unknown_page' });
  expect(job?.error).toContain('"late" is not a page');
});
