/**
 * The newest bundle of a domain: what counts as newest, who may ask, and what asking costs. One export is made by a
 * worker; later ones are started by calls and are given its result.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@offprint/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import {
  type Bundle,
  call,
  createProject,
  expectError,
  type Job,
  makeFolder,
  runExport,
  siteFiles,
} from './api.ts';

let platform: TestPlatform;
let tenant: Tenant;
let readKey: string;
let domain: string;
let first: Job;

const ask = (query: string, options: { key?: string; headers?: Record<string, string> } = {}) =>
  call<Bundle>(platform.url, 'GET', `/v1/static-export/bundle?${query}`, { key: readKey, ...options });

async function newest(query = `domain=${domain}`): Promise<Bundle> {
  const reply = await ask(query);
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}

/** An export that is started by a call and is then as the first one is, but for what is asked. */
async function exported(body: Record<string, unknown>, result: Record<string, unknown> = {}): Promise<Job> {
  const reply = await call<Job>(platform.url, 'POST', '/v1/static-export/jobs', {
    key: tenant.key,
    body: { domain, ...body },
  });
  expect(reply.status, reply.text).toBe(202);
  const { jobId } = reply.body;
  const { db } = platform.database;
  const made = await db
    .selectFrom('exports')
    .select(['artifact_sha256', 'artifact_files', 'artifact_bytes', 'bundle_sha256', 'bundle_bytes'])
    .where('id', '=', first.jobId)
    .executeTakeFirstOrThrow();
  await db
    .updateTable('exports')
    .set({ ...made, status: 'completed', completed_at: new Date(), ...result })
    .where('id', '=', jobId)
    .execute();
  return (await call<Job>(platform.url, 'GET', `/v1/static-export/jobs/${jobId}`, { key: tenant.key })).body;
}

const remove = ({ jobId }: Job) =>
  call(platform.url, 'DELETE', `/v1/static-export/jobs/${jobId}`, { key: tenant.key });

const bundles = () => join(platform.dataDir, 'blobs', 'bundles');

beforeAll(async () => {
  platform = await startTestPlatform({ roles: ['api'] });
  tenant = await platform.createTenant();
  readKey = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
  const path = await makeFolder(siteFiles(1));
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
}, 120_000);
afterAll(() => platform?.stop());

test('404 not_found: nothing is exported yet; the message says what is missing', async () => {
  const reply = await ask(`domain=${domain}`);
  expectError(reply, 404, 'not_found', 'domain');
  expect(reply.text).toContain(domain);
  const worker = platform.start(['worker']);
  first = await runExport(platform.url, tenant.key, { domain, version: 'one' });
  expect(first.status, first.error).toBe('completed');
  // From now on what is queued stays queued.
  worker.kill('SIGTERM');
  await once(worker, 'exit');
});

test('200: the bundle of the domain with a link that works, to a key that may only read', async () => {
  const reply = await ask(`domain=${domain}&expiresIn=600`);
  expect(reply.status, reply.text).toBe(200);
  const { bundleUrl, expiresAt, sha256, sizeBytes } = reply.body;
  expect(reply.body).toMatchObject({ jobId: first.jobId, version: 'one' });
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 600_000)).toBeLessThan(60_000);
  const bytes = Buffer.from(await (await fetch(bundleUrl)).arrayBuffer());
  expect(bytes.length).toBe(sizeBytes);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  expect(reply.headers.get('etag')).toBe(`"${sha256}"`);
  // What a cache kept would be given again with a link that is over.
  expect(reply.headers.get('cache-control')).toBe('no-store');
});

test('304: the caller has it, and nothing is packed; 200 packs again what retention took', async () => {
  const { sha256 } = await newest();
  await rm(bundles(), { recursive: true });
  const etag = `"${sha256}"`;
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const reply = await ask(`domain=${domain}`, { headers: { 'if-none-match': known } });
    expect([reply.status, reply.text, reply.headers.get('etag')]).toEqual([304, '', etag]);
  }
  expect(existsSync(bundles())).toBe(false);
  const other = await ask(`domain=${domain}`, { headers: { 'if-none-match': `"${'0'.repeat(64)}"` } });
  expect([other.status, other.body.sha256]).toEqual([200, sha256]);
  const bytes = Buffer.from(await (await fetch(other.body.bundleUrl)).arrayBuffer());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
});

test('the client gives the bundle, or null for the one at hand', async () => {
  const client = createClient({ url: platform.url, key: readKey });
  const { sha256 } = await newest();
  expect(await client.getLatestBundle({ domain })).toMatchObject({ jobId: first.jobId, sha256 });
  expect(await client.getLatestBundle({ domain }, { ifNoneMatch: sha256 })).toBeNull();
  expect(await client.getLatestBundle({ domain, version: 'one' }, { ifNoneMatch: '0' })).toMatchObject({
    sha256,
  });
  await expect(client.getLatestBundle({ domain: 'else.example.com' })).rejects.toMatchObject({
    status: 404,
    code: 'not_found',
  });
});

test('an export of a part, with other options or of another ref is followed by nobody', async () => {
  const part = await exported({ version: 'part', paths: ['index'] });
  const listed = await exported({ version: 'listed', options: { includeUnlisted: false } });
  const inside = await exported({ version: 'inside', options: { groups: ['staff'] } });
  // A folder has no refs, so that the call would refuse one.
  const other = await exported({ version: 'other' }, { ref_requested: 'draft' });
  expect(await newest()).toMatchObject({ jobId: first.jobId });
  // Unless it is named.
  for (const job of [part, listed, inside, other]) {
    expect(await newest(`domain=${domain}&version=${job.version}`)).toMatchObject({ jobId: job.jobId });
  }
});

test('a read key pulls an export with groups by the label that it was started with, and in no other way', async () => {
  const intranet = await exported({ version: 'intranet', options: { groups: ['staff'] } });
  const again = await exported({ version: 'intranet', options: { groups: ['staff'] } });
  expect(await newest(`domain=${domain}&version=intranet`)).toMatchObject({ jobId: again.jobId });
  // Requests by domain, or by the label of a commit, get public exports.
  const whole = await exported({}, { version: 'b1b2c3d4e5f6' });
  const hidden = await exported({ options: { groups: ['staff'] } }, { version: 'b1b2c3d4e5f6' });
  expect(await newest()).toMatchObject({ jobId: whole.jobId });
  expect(await newest(`domain=${domain}&version=b1b2c3d4e5f6`)).toMatchObject({ jobId: whole.jobId });
  for (const job of [intranet, again, whole, hidden]) expect((await remove(job)).status).toBe(204);
});

test('a part that only shares the label of its commit or content is not what the label pins', async () => {
  const whole = await exported({}, { version: 'a1b2c3d4e5f6' });
  await exported({}, { paths: JSON.stringify(['index']), version: 'a1b2c3d4e5f6' });
  expect(await newest(`domain=${domain}&version=a1b2c3d4e5f6`)).toMatchObject({ jobId: whole.jobId });
  await remove(whole);
});

test('newest is the one started last; one that failed, runs or is deleted does not count', async () => {
  const second = await exported({ version: 'two' });
  expect(await newest()).toMatchObject({ jobId: second.jobId, version: 'two' });
  for (const status of ['failed', 'running', 'queued']) await exported({ version: 'three' }, { status });
  expect(await newest()).toMatchObject({ jobId: second.jobId });
  // The label is given a second time: the later one has it.
  const again = await exported({ version: 'one' });
  expect(await newest(`domain=${domain}&version=one`)).toMatchObject({ jobId: again.jobId });
  for (const job of [again, second]) expect((await remove(job)).status).toBe(204);
  expect(await newest()).toMatchObject({ jobId: first.jobId });
});

test('404 not_found: another organization, another domain, another label', async () => {
  const { key } = await platform.createTenant();
  expectError(await ask(`domain=${domain}`, { key }), 404, 'not_found', 'domain');
  expectError(await ask('domain=else.example.com'), 404, 'not_found', 'domain');
  expectError(await ask(`domain=${domain}&version=nine`), 404, 'not_found', 'version');
});

test('400 invalid_request: each parameter that is wrong is named', async () => {
  const wrong: [string, string][] = [
    ['', 'domain'],
    ['domain=https://docs.example.com', 'domain'],
    [`domain=${domain}&version=a%20b`, 'version'],
    [`domain=${domain}&expiresIn=59`, 'expiresIn'],
    [`domain=${domain}&expiresIn=604801`, 'expiresIn'],
    [`domain=${domain}&latest=1`, 'latest'],
  ];
  for (const [query, param] of wrong) expectError(await ask(query), 400, 'invalid_request', param);
});

test('401 and 403: no key, a revoked key, a plan without static export', async () => {
  expectError(await ask(`domain=${domain}`, { key: '' }), 401, 'unauthorized');
  const key = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
  const { db } = platform.database;
  const last4 = key.slice(-4);
  await db.updateTable('api_keys').set({ revoked_at: new Date() }).where('last4', '=', last4).execute();
  expectError(await ask(`domain=${domain}`, { key }), 401, 'unauthorized');
  const setPlan = (plan: 'pro' | 'enterprise') =>
    db.updateTable('organizations').set({ plan }).where('id', '=', tenant.organizationId).execute();
  await setPlan('pro');
  // Also to one that has the bundle: the plan is over.
  const headers = { 'if-none-match': '*' };
  expectError(await ask(`domain=${domain}`, { headers }), 403, 'plan_required');
  await setPlan('enterprise');
});
