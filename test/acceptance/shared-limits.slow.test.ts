/** Limits that hold for all processes of an installation together. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { call } from './api.ts';

const JOBS = '/v1/static-export/jobs';
const LIMIT = 60;

let platform: TestPlatform;
let urls: string[];

beforeAll(async () => {
  const env = { OFFPRINT_RATE_LIMIT: String(LIMIT), OFFPRINT_ANONYMOUS_RATE_LIMIT: String(LIMIT) };
  platform = await startTestPlatform({ roles: ['api'], env });
  urls = [platform.url, await platform.startApi(env)];
});
afterAll(() => platform.stop());

/** Sends requests to the processes in turn; returns how many passed, and how long they took. */
async function send(count: number, request: (url: string) => Promise<number>) {
  const start = performance.now();
  let passed = 0;
  for (let i = 0; i < count; i++) {
    const status = await request(urls[i % urls.length] ?? '');
    if (status !== 429) passed += 1;
  }
  return { passed, refilled: Math.ceil(((performance.now() - start) / 60_000) * LIMIT) };
}

test('two processes let the requests of one key pass that the limit names, not twice as many', async () => {
  const { key } = await platform.createTenant();
  const { passed, refilled } = await send(2 * LIMIT, async (url) => {
    const { status } = await call(url, 'GET', JOBS, { key });
    return status;
  });
  expect(passed).toBeGreaterThanOrEqual(LIMIT);
  expect(passed).toBeLessThanOrEqual(LIMIT + 2 + refilled);
  const { status, headers } = await call(urls[1] ?? '', 'GET', JOBS, { key });
  if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(headers.get('ratelimit')).toMatch(/^"key";r=[0-2];t=\d+$/);
});

test('the same holds for an IP address without a key', async () => {
  const { passed, refilled } = await send(2 * LIMIT, async (url) => {
    const { status } = await call(url, 'GET', JOBS, { key: 'offprint_none' });
    return status;
  });
  expect(passed).toBeLessThanOrEqual(LIMIT + 2 + refilled);
});

test('a lock on the table of the limits fails no request', async () => {
  const { key } = await platform.createTenant();
  await platform.database.db.transaction().execute(async (tx) => {
    await sql`LOCK TABLE rate_limits IN ACCESS EXCLUSIVE MODE`.execute(tx);
    for (const url of [...urls, ...urls, ...urls]) {
      const { status } = await call(url, 'GET', JOBS, { key });
      expect(status).toBe(200);
    }
  });
});
