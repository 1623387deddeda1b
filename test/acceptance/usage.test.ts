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
