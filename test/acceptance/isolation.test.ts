/** Every call of the contract with the key of one organization and the ids of another: 404, and nothing changes. */
import { fillPath, type Route, routes } from '@offprint/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { createGitProject, createJob, MODEL_ENV } from './agent.ts';
import { call, createProject, expectError, type Job, makeFolder, runExport, siteFiles } from './api.ts';

const list: Route[] = Object.values(routes);
const named = list.filter((route) => route.path.includes('{'));

let platform: TestPlatform;
let owner: Tenant;
let stranger: Tenant;
let ids: Record<string, string>;
/** Where ids of agent jobs stand in a path. */
let agentIds: Record<string, string>;
const idsOf = (path: string) => (path.startsWith('/v2/agent/') ? agentIds : ids);
let domain: string;

/** Every row that a stranger could change, without the time a key was last used. */
async function everything(): Promise<string> {
  const { rows } = await sql<{ row: string }>`
    SELECT to_jsonb(e)::text AS row FROM exports e UNION ALL SELECT to_jsonb(v)::text FROM export_events v
    UNION ALL SELECT to_jsonb(p)::text FROM projects p UNION ALL SELECT to_jsonb(d)::text FROM domains d
    UNION ALL SELECT (to_jsonb(k) - 'last_used_at')::text FROM api_keys k
    UNION ALL SELECT to_jsonb(j)::text FROM agent_jobs j UNION ALL SELECT to_jsonb(m)::text FROM agent_messages m
    UNION ALL SELECT to_jsonb(t)::text FROM agent_events t UNION ALL SELECT to_jsonb(s)::text FROM agent_settings s
    UNION ALL SELECT to_jsonb(i)::text FROM idempotency_keys i ORDER BY 1`.execute(platform.database.db);
  return rows.map(({ row }) => row).join('\n');
}

beforeAll(async () => {
  platform = await startTestPlatform({ env: MODEL_ENV });
  [owner, stranger] = await Promise.all([platform.createTenant(), platform.createTenant()]);
  const path = await makeFolder(siteFiles(1));
  const project = await createProject(platform.url, owner.key, { kind: 'folder', path });
  domain = project.domain;
  const job = await runExport(platform.url, owner.key, { domain });
  const keys = await call<{ data: { id: string }[] }>(platform.url, 'GET', '/v1/api-keys', {
    key: owner.key,
  });
  ids = { jobId: job.jobId, projectId: project.projectId, keyId: keys.body.data[0]!.id };
  const projectId = await createGitProject(platform.url, owner.key);
  const agentJob = await createJob(platform.url, owner.key, projectId);
  // No worker touches it from now on.
  const cancel = `/v2/agent/${projectId}/job/${agentJob.id}/cancel`;
  expect((await call(platform.url, 'POST', cancel, { key: owner.key })).status).toBe(200);
  agentIds = { projectId, id: agentJob.id };
});
afterAll(() => platform.stop());

function request(route: Route): Parameters<typeof call>[3] {
  if (route.bytes !== undefined) {
    return { body: new Uint8Array(10), headers: { 'content-type': route.bytes[0]! } };
  }
  if (route.body === undefined || route.bodyOptional === true) return {};
  const body = (z.globalRegistry.get(route.body)?.examples as unknown[] | undefined)?.[0];
  if (body === undefined) throw new Error(`${route.operationId} has no example of its body`);
  return { body };
}

describe('the key of a stranger', () => {
  test.each(named.map((route) => [route.method, route.path, route] as const))(
    '%s %s: 404',
    async (method, path, route) => {
      const before = await everything();
      const target = fillPath(path, idsOf(path));
      const options = { ...request(route), key: stranger.key };
      expectError(await call(platform.url, method, target, options), 404, 'not_found');
      if (method === 'GET') expect((await call(platform.url, 'HEAD', target, options)).status).toBe(404);
      expect(await everything()).toBe(before);
    },
  );

  test('sees nothing of it in any list, and starts nothing on its domain', async () => {
    for (const route of list.filter(
      ({ operationId }) =>
        operationId.startsWith('list') && !named.some((one) => one.operationId === operationId),
    )) {
      const reply = await call<{ data: { id: string }[] }>(platform.url, 'GET', route.path, {
        key: stranger.key,
      });
      expect(reply.status).toBe(200);
      for (const id of Object.values(ids)) expect(reply.text).not.toContain(id);
    }
    const reply = await call<Job>(platform.url, 'POST', '/v1/static-export/jobs', {
      key: stranger.key,
      body: { domain },
    });
    expectError(reply, 404, 'not_found');
    expect((await call(platform.url, 'GET', '/v1/organization', { key: stranger.key })).text).not.toContain(
      owner.organizationId,
    );
  });

  test('cannot learn an answer to an Idempotency-Key of another', async () => {
    const send = (key: string) =>
      call(platform.url, 'POST', `/v1/static-export/jobs/${ids.jobId}/bundle`, {
        key,
        headers: { 'idempotency-key': 'shared' },
      });
    expect((await send(owner.key)).status).toBe(200);
    expectError(await send(stranger.key), 404, 'not_found');
  });
});

test('every call that takes a key refuses none with 401, before anything else', async () => {
  for (const route of list.filter(({ scope }) => scope !== null)) {
    const reply = await call(
      platform.url,
      route.method,
      fillPath(route.path, idsOf(route.path)),
      request(route),
    );
    expectError(reply, 401, 'unauthorized');
  }
});

test('every call that needs write refuses a read key with 403', async () => {
  const key = await platform.createKey(owner.organizationId, { scopes: ['read'] });
  const before = await everything();
  for (const route of list.filter(({ scope }) => scope === 'write')) {
    const reply = await call(platform.url, route.method, fillPath(route.path, idsOf(route.path)), {
      ...request(route),
      key,
    });
    expectError(reply, 403, 'scope_missing');
  }
  expect(await everything()).toBe(before);
});
