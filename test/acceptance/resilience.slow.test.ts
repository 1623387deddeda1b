/** The API under odd input, behind a proxy, cut off from its database, and while it stops. */
import { once } from 'node:events';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError, follow, type Job, makeFolder, siteFiles } from './api.ts';

const JOBS = '/v1/static-export/jobs';
const PAGES = 1_000;

let platform: TestPlatform;
let tenant: Tenant;
let domain: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  tenant = await platform.createTenant();
  const path = await makeFolder(siteFiles(PAGES));
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
});
afterAll(() => platform.stop());

test('no JSON body and no query causes a server error', async () => {
  const field = fc.constantFrom(
    'domain',
    'version',
    'paths',
    'source',
    'options',
    'name',
    'expiresIn',
    'ref',
    'x',
  );
  const body = fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.jsonValue({ maxDepth: 3 })));
  const target = fc.constantFrom(
    ['POST', JOBS],
    ['POST', '/v1/projects'],
    ['POST', '/v1/api-keys'],
    ['PATCH', '/v1/projects/prj_x'],
    ['POST', `${JOBS}/se_x/bundle`],
    ['GET', JOBS],
  );
  await fc.assert(
    fc.asyncProperty(
      target,
      body,
      fc.webQueryParameters(),
      async ([method = '', path = ''], value, query) => {
        const options = method === 'GET' ? {} : { body: JSON.stringify(value) };
        const reply = await call(platform.url, method, `${path}?${query}`, {
          key: tenant.key,
          headers: { 'content-type': 'application/json' },
          ...options,
        });
        expect(
          reply.status,
          `${method} ${path}?${query} ${JSON.stringify(value)}\n${reply.text}`,
        ).toBeLessThan(500);
        if (reply.status >= 400) expect(reply.body.error).toEqual(expect.any(String));
      },
    ),
    { numRuns: 300 },
  );
});

test('text with NUL and lone surrogates is accepted or refused, never a server error', async () => {
  for (const name of ['a\u0000b', 'a\ud800b', '\u202e', 'é'.repeat(200)]) {
    const body = { name, source: { kind: 'upload' } };
    const reply = await call(platform.url, 'POST', '/v1/projects', { key: tenant.key, body });
    expect([JSON.stringify(name), [201, 400].includes(reply.status)]).toEqual([JSON.stringify(name), true]);
  }
  const groups = { domain, options: { groups: ['a\u0000b', '\ud800'] } };
  const reply = await call<Job>(platform.url, 'POST', JOBS, { key: tenant.key, body: groups });
  expect([202, 400]).toContain(reply.status);
  if (reply.status === 202)
    await call(platform.url, 'POST', `${JOBS}/${reply.body.jobId}/cancel`, { key: tenant.key });
  for (const header of ['x'.repeat(300), 'é']) {
    const headers = { 'idempotency-key': header };
    expectError(
      await call(platform.url, 'POST', JOBS, { key: tenant.key, body: { domain }, headers }),
      400,
      'invalid_request',
    );
  }
});

test('X-Forwarded-For is believed when it comes from a trusted proxy', async () => {
  const url = await platform.startApi({ OFFPRINT_TRUSTED_PROXIES: '127.0.0.0/8' });
  const key = await platform.createKey(tenant.organizationId, { allowedCidrs: ['203.0.113.0/24'] });
  const from = (address: string) => call(url, 'GET', JOBS, { key, headers: { 'x-forwarded-for': address } });
  expect((await from('203.0.113.9')).status).toBe(200);
  expect((await from('203.0.113.9, 127.0.0.5')).status).toBe(200);
  expectError(await from('198.51.100.1'), 403, 'address_not_allowed');
  expectError(await from('203.0.113.9, 198.51.100.1'), 403, 'address_not_allowed');
});

test('an export that loses every database connection is still completed once, and the API responds again', async () => {
  const started = await call<Job>(platform.url, 'POST', JOBS, { key: tenant.key, body: { domain } });
  for (;;) {
    const { body } = await call<Job>(platform.url, 'GET', `${JOBS}/${started.body.jobId}`, {
      key: tenant.key,
    });
    if (body.pageCount > 0 || body.status === 'completed') break;
  }
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'offprint-%' AND application_name <> 'offprint-test'`.execute(
    platform.database.db,
  );
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => call(platform.url, 'GET', JOBS, { key: tenant.key })),
  );
  expect(replies.every(({ status }) => status === 200 || status === 503)).toBe(true);
  const seen = await follow(platform.url, tenant.key, started.body.jobId, 100);
  expect(seen.at(-1)).toMatchObject({ status: 'completed', pageCount: PAGES + 1 });
  const ends = await platform.database.db
    .selectFrom('export_events')
    .select('event')
    .where('export_id', '=', started.body.jobId)
    .where('event', 'in', ['completed', 'failed'])
    .execute();
  expect(ends).toEqual([{ event: 'completed' }]);
  expect((await call(platform.url, 'GET', '/readyz')).status).toBe(200);
});

test('an API that receives SIGTERM ends long polls and streams early and exits with 0', async () => {
  const url = await platform.startApi({});
  const api = platform.processes().at(-1)!;
  const { jobId } = (await call<Job>(platform.url, 'POST', JOBS, { key: tenant.key, body: { domain } })).body;
  await call(platform.url, 'POST', `${JOBS}/${jobId}/cancel`, { key: tenant.key });
  await platform.database.db
    .updateTable('exports')
    .set({ status: 'running' })
    .where('id', '=', jobId)
    .execute();
  const began = performance.now();
  const polling = call<Job>(url, 'GET', `${JOBS}/${jobId}?wait=60`, { key: tenant.key });
  const stream = await fetch(new URL(`${JOBS}/${jobId}/events`, url), {
    headers: { authorization: `Bearer ${tenant.key}` },
  });
  const reading = stream.text();
  // Earlier requests have arrived when later ones get a response.
  for (let later = 0; later < 5; later++) await call(url, 'GET', '/healthz');
  api.kill('SIGTERM');
  const [code] = (await once(api, 'exit')) as [number | null];
  expect(code).toBe(0);
  expect(performance.now() - began).toBeLessThan(60_000);
  expect((await polling).body.status).toBe('running');
  expect(await reading).toContain('event: progress');
});
