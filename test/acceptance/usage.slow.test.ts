/** Usage over HTTP: what counts, when, and how months are reported. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { createGitProject, MODEL_ENV } from './agent.ts';
import { call, createProject, expectError, makeFolder, runExport, siteFiles } from './api.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ env: MODEL_ENV });
});
afterAll(() => platform.stop());

describe('GET /v1/usage', () => {
  interface Month {
    month: string;
    exports: number;
    pages: number;
    agentJobs: number;
    [name: string]: unknown;
  }
  const usageOf = async (key: string, query = '') =>
    (await call<{ data: Month[] }>(platform.url, 'GET', `/v1/usage${query}`, { key })).body.data;

  test('200: completed exports and their pages count, failed ones do not; agent jobs count when created', async () => {
    const { key } = await platform.createTenant();
    expect((await usageOf(key, '?months=1'))[0]).toMatchObject({ exports: 0, agentJobs: 0, costUsd: null });
    const { domain } = await createProject(platform.url, key, {
      kind: 'folder',
      path: await makeFolder(siteFiles(2)),
    });
    const empty = await createProject(platform.url, key, { kind: 'upload' });
    const first = await runExport(platform.url, key, { domain });
    const second = await runExport(platform.url, key, { domain, paths: ['index'] });
    const failed = await runExport(platform.url, key, { domain: empty.domain });
    expect([first.status, second.status, failed.status]).toEqual(['completed', 'completed', 'failed']);
    const projectId = await createGitProject(platform.url, key);
    const create = () =>
      call(platform.url, 'POST', `/v2/agent/${projectId}/job`, {
        key,
        body: { prompt: 'Fix it.' },
        headers: { 'idempotency-key': 'once' },
      });
    expect([(await create()).status, (await create()).status]).toEqual([201, 201]);
    const [month] = await usageOf(key, '?months=1');
    expect(month).toEqual({
      month: new Date().toISOString().slice(0, 7),
      exports: 2,
      pages: first.pageCount + second.pageCount,
      agentJobs: 1,
      agentCalls: 0,
      inputTokens: 0,
      outputTokens: 0,
      costUsd: null,
    });
    // What is deleted was used all the same.
    await call(platform.url, 'DELETE', `/v1/static-export/jobs/${first.jobId}`, { key });
    expect((await usageOf(key, '?months=1'))[0]?.exports).toBe(2);
  });

  test('limits of the plan are reported with what is used, and a start above one names it and the way out', async () => {
    const { organizationId, key } = await platform.createTenant();
    const url = await platform.startApi({
      OFFPRINT_QUOTA_DAILY_EXPORTS: 'pro=5,enterprise=2',
      OFFPRINT_QUOTA_STORAGE_MB: '1',
    });
    const { domain } = await createProject(url, key, {
      kind: 'folder',
      path: await makeFolder(siteFiles(1)),
    });
    const limits = async () =>
      (
        await call<{ limits: Record<string, { used: number; limit: number | null }> }>(
          url,
          'GET',
          '/v1/usage',
          { key },
        )
      ).body.limits;
    const start = () => call(url, 'POST', '/v1/static-export/jobs', { key, body: { domain } });
    expect(await limits()).toMatchObject({
      exportsToday: { used: 0, limit: 2 },
      agentJobsToday: { used: 0, limit: null },
      storageBytes: { used: 0, limit: 1_000_000 },
    });
    expect((await start()).status).toBe(202);
    expect((await start()).status).toBe(202);
    const refused = await start();
    expectError(refused, 429, 'daily_quota_exceeded');
    expect(refused.text).toContain('2 exports were started');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await limits()).exportsToday).toEqual({ used: 2, limit: 2 });

    await platform.database.db
      .insertInto('exports')
      .values({
        id: `se_${'0'.repeat(32)}`,
        organization_id: organizationId,
        domain,
        status: 'completed',
        created_by: 'test',
        trigger: 'call',
        bundle_sha256: 'f'.repeat(64),
        bundle_bytes: 3_000_000,
      })
      .execute();
    const full = await start();
    expectError(full, 403, 'storage_quota_exceeded');
    expect(full.text).toContain('Delete exports');
  });

  test('200: every month, this one first, empty ones between; 400 outside 1 to 36', async () => {
    const { organizationId, key } = await platform.createTenant();
    const now = new Date();
    const month = (ago: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString().slice(0, 7);
    await platform.database.db
      .insertInto('usage_months')
      .values([2, 40].map((ago) => ({ organization_id: organizationId, month: month(ago), exports: ago })))
      .execute();
    const data = await usageOf(key, '?months=36');
    expect(data.map((row) => row.month)).toEqual(Array.from({ length: 36 }, (_, ago) => month(ago)));
    expect(data.map(({ exports }) => exports)).toEqual([0, 0, 2, ...Array.from({ length: 33 }, () => 0)]);
    expect(await usageOf(key)).toHaveLength(12);
    for (const months of ['0', '37', 'x']) {
      const reply = await call(platform.url, 'GET', `/v1/usage?months=${months}`, { key });
      expectError(reply, 400, 'invalid_request', 'months');
    }
  });
});
