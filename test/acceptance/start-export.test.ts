/** POST /v1/static-export/jobs and the cases of every call: keys, bodies, methods, limits. No worker runs here. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError, type Job, makeFolder, siteFiles } from './api.ts';

const JOBS = '/v1/static-export/jobs';

let platform: TestPlatform;
let tenant: Tenant;
let other: Tenant;
let domain: string;

const post = (options: Parameters<typeof call>[3] = {}) =>
  call(platform.url, 'POST', JOBS, { key: tenant.key, ...options });
const settle = () =>
  platform.database.db.updateTable('exports').set({ status: 'failed', error: 'over' }).execute();

beforeAll(async () => {
  platform = await startTestPlatform({ roles: ['api'] });
  [tenant, other] = await Promise.all([platform.createTenant(), platform.createTenant()]);
  const path = await makeFolder(siteFiles(2));
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
});
afterAll(() => platform.stop());

describe('POST /v1/static-export/jobs', () => {
  test('202: returns a queued job, its URL and when to poll', async () => {
    const reply = await post({ body: { domain: domain.toUpperCase(), version: 'v1.2_3-x' } });
    expect(reply.status, reply.text).toBe(202);
    expect(reply.body).toMatchObject({
      status: 'queued',
      progress: 0,
      pageCount: 0,
      totalPages: null,
      domain,
      version: 'v1.2_3-x',
      commit: null,
      warnings: 0,
      startedAt: null,
      completedAt: null,
      artifact: null,
    });
    expect(reply.body.jobId).toMatch(/^se_[0-9a-f]{32}$/);
    expect(reply.body).not.toHaveProperty('error');
    expect(reply.headers.get('location')).toBe(`${JOBS}/${reply.body.jobId}`);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(reply.body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    await settle();
  });

  test('202: takes every option of the contract', async () => {
    const git = { kind: 'git', repository: 'https://git.example.com/acme/docs.git' };
    const published = await createProject(platform.url, tenant.key, git);
    const body = {
      domain: published.domain,
      paths: ['/', '/guide/page-0.mdx', 'guide/page-0'],
      source: { ref: 'main' },
      options: { includeUnlisted: false, groups: ['staff'] },
    };
    expect((await post({ body })).status).toBe(202);
    const row = await platform.database.db
      .selectFrom('exports')
      .select(['paths', 'ref_requested', 'include_unlisted', 'groups'])
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow();
    expect(row).toEqual({
      paths: ['index', 'guide/page-0'],
      ref_requested: 'main',
      include_unlisted: false,
      groups: ['staff'],
    });
    await settle();
  });

  test.each([
    ['no domain', {}, '/domain'],
    ['a scheme', { domain: 'https://docs.example.com' }, '/domain'],
    ['a path', { domain: 'docs.example.com/docs' }, '/domain'],
    ['a port', { domain: 'docs.example.com:443' }, '/domain'],
    ['an address', { domain: '127.0.0.1' }, '/domain'],
    ['a domain of 254 characters', { domain: `${'a.'.repeat(126)}aa` }, '/domain'],
    ['a number', { domain: 7 }, '/domain'],
    ['null', { domain: null }, '/domain'],
    ['a version with a slash', { domain: 'docs.example.com', version: 'a/b' }, '/version'],
    ['a version of 65 characters', { domain: 'docs.example.com', version: 'v'.repeat(65) }, '/version'],
    ['no paths', { domain: 'docs.example.com', paths: [] }, '/paths'],
    ['a path that leaves the root', { domain: 'docs.example.com', paths: ['index', '../x'] }, '/paths/1'],
    ['10,001 paths', { domain: 'docs.example.com', paths: Array(10_001).fill('index') }, '/paths'],
    [
      'a ref like an option',
      { domain: 'docs.example.com', source: { ref: '--upload-pack=x' } },
      '/source/ref',
    ],
    ['an unknown field', { domain: 'docs.example.com', domains: [] }, '/domains'],
    ['an unknown inner field', { domain: 'docs.example.com', options: { group: 'x' } }, '/options/group'],
    ['__proto__', JSON.parse('{"domain":"docs.example.com","__proto__":{"x":1}}'), '/__proto__'],
    ['a list', [], ''],
    ['a text', 'text', ''],
  ])('400 invalid_request: %s', async (_name, body, param) => {
    const reply = await post({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    expectError(reply, 400, 'invalid_request', param);
  });

  test('400 invalid_request: a ref of a project without a repository', async () => {
    expectError(
      await post({ body: { domain, source: { ref: 'main' } } }),
      400,
      'invalid_request',
      '/source/ref',
    );
    expect((await post({ body: { domain, source: {} } })).status).toBe(202);
    await settle();
  });

  test('400 invalid_request: an unknown parameter', async () => {
    const reply = await call(platform.url, 'POST', `${JOBS}?dry=1`, { key: tenant.key, body: { domain } });
    expectError(reply, 400, 'invalid_request', 'dry');
  });

  test('400 invalid_request: no body at all', async () => {
    expectError(await post(), 400, 'invalid_request');
  });

  test.each([
    ['broken JSON', '{"domain":'],
    ['two values', '{} {}'],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['a byte order of UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
  ])('400 invalid_json: %s', async (_name, body) => {
    expectError(await post({ body, headers: { 'content-type': 'application/json' } }), 400, 'invalid_json');
  });

  test.each([
    ['{"domain":\n "docs', 'it ends early, at line 2, column 7'],
    ['{"domain":\n secret}', 'unexpected text at line 2, column 2'],
  ])('names the place of the error in %j', async (body, place) => {
    const reply = await post({ body, headers: { 'content-type': 'application/json' } });
    expect(reply.body).toMatchObject({ error: `The body is not valid JSON: ${place}.` });
  });

  test.each([
    ['no Authorization', undefined],
    ['another scheme', 'Basic b2Zm'],
    ['no key', 'Bearer '],
    ['not our form', 'Bearer sk_live_1234'],
    ['a wrong checksum', `Bearer offprint_${'a'.repeat(38)}`],
  ])('401 unauthorized: %s', async (_name, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const reply = await call(platform.url, 'POST', JOBS, { body: { domain }, headers });
    expectError(reply, 401, 'unauthorized');
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('401 unauthorized: unknown, expired and revoked keys get the same response', async () => {
    const { db } = platform.database;
    const [expired, revoked, gone] = await Promise.all(
      [0, 1, 2].map(() => platform.createKey(tenant.organizationId, {})),
    );
    const change = (key: string | undefined) =>
      db
        .updateTable('api_keys')
        .where('last4', '=', key!.slice(-4))
        .where('organization_id', '=', tenant.organizationId);
    await change(expired)
      .set({ expires_at: new Date(Date.now() - 1000) })
      .execute();
    await change(revoked).set({ revoked_at: new Date() }).execute();
    await db.deleteFrom('api_keys').where('last4', '=', gone!.slice(-4)).execute();
    const replies = await Promise.all([expired, revoked, gone].map((key) => post({ key, body: { domain } })));
    for (const reply of replies) expectError(reply, 401, 'unauthorized');
    expect(new Set(replies.map(({ body }) => body.error)).size).toBe(1);
    expect(platform.log()).toMatch(/"reason":"expired"/);
    expect(platform.log()).toMatch(/"reason":"revoked"/);
    expect(platform.log()).toMatch(/"reason":"unknown"/);
  });

  test('401 takes precedence over errors in the body', async () => {
    expectError(await post({ key: undefined, body: '{', headers: {} }), 401, 'unauthorized');
  });

  test('403 scope_missing: a read key may look but not start', async () => {
    const key = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
    expectError(await post({ key, body: { domain } }), 403, 'scope_missing');
    expect((await call(platform.url, 'GET', JOBS, { key })).status).toBe(200);
    const write = await platform.createKey(tenant.organizationId, { scopes: ['write'] });
    expect((await call(platform.url, 'GET', JOBS, { key: write })).status).toBe(200);
  });

  test('403 address_not_allowed: a key with an allow-list works from inside it only', async () => {
    const outside = await platform.createKey(tenant.organizationId, { allowedCidrs: ['203.0.113.0/24'] });
    expectError(await call(platform.url, 'GET', JOBS, { key: outside }), 403, 'address_not_allowed');
    const inside = await platform.createKey(tenant.organizationId, {
      allowedCidrs: ['2001:db8::/32', '127.0.0.0/8'],
    });
    expect((await call(platform.url, 'GET', JOBS, { key: inside })).status).toBe(200);
  });

  test('403 address_not_allowed: a forged X-Forwarded-For changes nothing', async () => {
    const key = await platform.createKey(tenant.organizationId, { allowedCidrs: ['203.0.113.0/24'] });
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    expectError(await call(platform.url, 'GET', JOBS, { key, headers }), 403, 'address_not_allowed');
  });

  test.each(['free', 'pro'] as const)('403 plan_required: the %s plan has no static export', async (plan) => {
    const poor = await platform.createTenant(plan);
    expectError(await post({ key: poor.key, body: { domain } }), 403, 'plan_required');
  });

  test('404 not_found: a domain of nobody, and one of another organization, alike', async () => {
    const nobody = await post({ body: { domain: 'nobody.example.com' } });
    expectError(nobody, 404, 'not_found', '/domain');
    expectError(await post({ key: other.key, body: { domain } }), 404, 'not_found', '/domain');
  });

  test('404 not_found: an unknown route; 405 method_not_allowed with Allow', async () => {
    expectError(await call(platform.url, 'GET', '/v1/static-exports', { key: tenant.key }), 404, 'not_found');
    const reply = await call(platform.url, 'PATCH', JOBS, { key: tenant.key, body: {} });
    expectError(reply, 405, 'method_not_allowed');
    expect(reply.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
    expectError(await call(platform.url, 'GET', '/v1/%ff', { key: tenant.key }), 400, 'invalid_request');
  });

  test('413 body_too_large: over a megabyte, with and without a length', async () => {
    const body = JSON.stringify({ domain, version: 'x'.repeat(1_000_001) });
    expectError(await post({ body, headers: { 'content-type': 'application/json' } }), 413, 'body_too_large');
    const streamed = await fetch(new URL(JOBS, platform.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
  ])('415 unsupported_media_type: %s', async (type) => {
    const reply = await post({ body: JSON.stringify({ domain }), headers: { 'content-type': type } });
    expectError(reply, 415, 'unsupported_media_type', 'Content-Type');
  });

  test('415 unsupported_media_type: a compressed body, naming the encoding that is accepted', async () => {
    const reply = await post({
      body: gzipSync(JSON.stringify({ domain })),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    expectError(reply, 415, 'unsupported_media_type', 'Content-Encoding');
    expect(reply.headers.get('accept-encoding')).toBe('identity');
  });

  test('404 not_found: ids of any length', async () => {
    for (const length of [1, 513, 900, 8_000]) {
      const path = `${JOBS}/${'x'.repeat(length)}`;
      for (const method of ['GET', 'DELETE'])
        expectError(await call(platform.url, method, path, { key: tenant.key }), 404, 'not_found');
    }
  });

  test('429 too_many_exports: the eleventh at a time is refused until one ends', async () => {
    const started = await Promise.all(Array.from({ length: 14 }, () => post({ body: { domain } })));
    const accepted = started.filter(({ status }) => status === 202);
    const refused = started.filter(({ status }) => status !== 202);
    expect(accepted).toHaveLength(10);
    for (const reply of refused) {
      expectError(reply, 429, 'too_many_exports');
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await call(platform.url, 'POST', `${JOBS}/${accepted[0]!.body.jobId}/cancel`, { key: tenant.key });
    expect((await post({ body: { domain } })).status).toBe(202);
    await settle();
  });

  test('429 rate_limited: per key, with Retry-After; other keys are not affected', async () => {
    const url = await platform.startApi({ OFFPRINT_RATE_LIMIT: '5' });
    const key = await platform.createKey(tenant.organizationId, {});
    const replies = [];
    for (let i = 0; i < 8; i++) replies.push(await call(url, 'GET', JOBS, { key }));
    expect(replies.map(({ status }) => status).slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expectError(replies.at(-1)!, 429, 'rate_limited');
    expect(Number(replies.at(-1)!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call(url, 'GET', JOBS, { key: tenant.key })).status).toBe(200);
  });

  test('429 rate_limited: per IP address for invalid keys and unknown routes; valid keys are not affected', async () => {
    const url = await platform.startApi({ OFFPRINT_ANONYMOUS_RATE_LIMIT: '3' });
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await call(url, 'GET', i % 2 ? JOBS : '/nothing')).status);
    expect(statuses).toEqual([404, 401, 404, 429, 429]);
    expect((await call(url, 'GET', JOBS, { key: tenant.key })).status).toBe(200);
    expect((await call(url, 'GET', '/healthz')).status).toBe(200);
  });
});

describe('Idempotency-Key', () => {
  const send = (key: string, body: unknown, as = tenant.key) =>
    call<Job>(platform.url, 'POST', JOBS, { key: as, body, headers: { 'idempotency-key': key } });

  test('202: the same key and body return the first response again, whatever the order of fields', async () => {
    const first = await send('one', { domain, version: 'a' });
    const again = await send('one', { version: 'a', domain });
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.text).toBe(first.text);
    expect(first.headers.get('idempotent-replay')).toBeNull();
    expect(again.headers.get('idempotent-replay')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    await settle();
  });

  test('422 idempotency_mismatch: another body', async () => {
    await send('two', { domain });
    expectError(await send('two', { domain, version: 'b' }), 422, 'idempotency_mismatch', 'Idempotency-Key');
    await settle();
  });

  test('a key belongs to its organization', async () => {
    await send('three', { domain });
    expectError(await send('three', { domain }, other.key), 404, 'not_found');
    await settle();
  });

  test('a refused request is not remembered', async () => {
    expectError(await send('four', { domain: 'later.example.com' }), 404, 'not_found');
    expectError(await send('four', { domain: '' }), 400, 'invalid_request');
    expect((await send('four', { domain })).status).toBe(202);
    await settle();
  });

  test('409 idempotency_in_flight: the first request is still in progress', async () => {
    const { both } = await platform.database.db.transaction().execute(async (tx) => {
      // Holds what the first of the two waits for.
      await tx
        .selectFrom('organizations')
        .select('id')
        .where('id', '=', tenant.organizationId)
        .forUpdate()
        .execute();
      const both = [send('five', { domain }), send('five', { domain })];
      const early = await Promise.race(both);
      expectError(early, 409, 'idempotency_in_flight', 'Idempotency-Key');
      expect(early.headers.get('retry-after')).toBe('1');
      return { both };
    });
    const replies = await Promise.all(both);
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect((await send('five', { domain })).headers.get('idempotent-replay')).toBe('true');
    await settle();
  });

  test('20 requests at once with one key make one export', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => send('six', { domain })));
    const jobs = new Set(replies.filter(({ status }) => status === 202).map(({ body }) => body.jobId));
    expect(jobs.size).toBe(1);
    expect(replies.every(({ status }) => status === 202 || status === 409)).toBe(true);
    await settle();
  });

  test.each(['x'.repeat(256), 'tab\tinside', ' '])('400 invalid_request: no such key as %j', async (key) => {
    const raw = await send(key, { domain }).catch(() => null);
    if (raw !== null && key.trim() !== '') expectError(raw, 400, 'invalid_request', 'Idempotency-Key');
    await settle();
  });
});

describe('RateLimit', () => {
  test('responses state the limit of the key and what is left of it', async () => {
    const ask = async () => {
      const { headers } = await call(platform.url, 'GET', JOBS, { key: tenant.key });
      return { policy: headers.get('ratelimit-policy'), left: headers.get('ratelimit') };
    };
    const [first, second] = [await ask(), await ask()];
    expect(first.policy).toMatch(/^"key";q=\d+;w=60$/);
    expect(second.policy).toBe(first.policy);
    for (const { left } of [first, second]) expect(left).toMatch(/^"key";r=\d+;t=\d+$/);
    const unknown = await call(platform.url, 'GET', JOBS, { key: 'offprint_none' });
    expect([unknown.status, unknown.headers.get('ratelimit-policy')]).toEqual([
      401,
      expect.stringMatching(/^"address";q=\d+;w=60$/),
    ]);
  });
});

describe('traceparent', () => {
  test('a valid one is continued, in the log too, and nothing is invented', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const ask = async (traceparent?: string) => {
      const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent };
      return (await call(platform.url, 'GET', '/healthz', { headers })).headers.get('traceparent');
    };
    expect(await ask(`00-${trace}-b7ad6b7169203331-01`)).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    await expect.poll(() => platform.log()).toContain(`"traceId":"${trace}"`);
    expect(await ask('00-x-y-01')).toBeNull();
    expect(await ask()).toBeNull();
  });
});

describe('X-Request-Id', () => {
  test('a good one is kept, a bad one replaced, none made up', async () => {
    const ask = async (id?: string) =>
      (
        await call(
          platform.url,
          'GET',
          '/healthz',
          id === undefined ? {} : { headers: { 'x-request-id': id } },
        )
      ).headers.get('x-request-id');
    expect(await ask('build-17.a_B')).toBe('build-17.a_B');
    expect(await ask('a b')).toMatch(/^req_[0-9a-f]{32}$/);
    expect(await ask(tenant.key)).toMatch(/^req_[0-9a-f]{32}$/);
    expect(await ask()).toMatch(/^req_[0-9a-f]{32}$/);
  });
});

test('the log holds no key and no body', () => {
  expect(platform.log()).not.toMatch(/offprint_[0-9A-Za-z]{38}/);
  expect(platform.log()).not.toContain(tenant.key.slice(10, 40));
});
