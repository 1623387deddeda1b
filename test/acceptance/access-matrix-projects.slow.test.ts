/**
 * Keys that are limited to projects: every operation with every scope, for an object of one of these projects, of another
 * project of the organization, of another organization, and for a missing one. The expected status follows from the
 * scope and from `x-limited-keys` in the document that the platform serves. Another project is indistinguishable from
 * a missing one in statuses, lists, cursors, comparisons, repeated requests and error messages.
 */
import { type Scope, scopes } from '@offprint/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../apps/server/src/platform/ids.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { createGitProject, createJob, MODEL_ENV } from './agent.ts';
import {
  type CallOptions,
  call,
  createProject,
  deploy,
  expectError,
  makeFolder,
  type Reply,
  runExport,
  siteFiles,
} from './api.ts';
import {
  anonymous,
  everything,
  insertDomain,
  insertFeedback,
  insertThread,
  type Operation,
  readDocument,
  target,
} from './matrix.ts';

/** The objects of one project, by the name of the parameter, and those of a project with agent jobs. */
interface Things {
  ids: Record<string, string>;
  agentIds: Record<string, string>;
}

/** Operations that concern the whole organization, written down apart from the contract. */
const REFUSED = [
  'createInvitation',
  'createProject',
  'getOrganization',
  'getUsage',
  'listInvitations',
  'listMembers',
  'removeMember',
  'revokeInvitation',
  'updateMember',
  'updateOrganization',
];
/** Operations that serve what belongs to the projects of the key. */
const FILTERED = [
  'createApiKey',
  'createAssistantMessage',
  'exportAuditEvents',
  'getLatestBundle',
  'getSitePage',
  'getUpdateStatus',
  'listApiKeys',
  'listAuditEvents',
  'listExports',
  'listProjects',
  'listSiteRecords',
  'revokeApiKey',
  'searchSite',
  'startExport',
  'testConnection',
];

let platform: TestPlatform;
let tenant: Tenant;
let operations: Operation[];
let own: Things;
let other: Things;
let foreign: Things;
let missing: Things;
let keyOf: Record<Scope, string>;
/** Limited to the own projects, with every scope. */
let limited: string;
let projects: string[];

beforeAll(async () => {
  platform = await startTestPlatform({ env: MODEL_ENV });
  const [mine, stranger] = await Promise.all([platform.createTenant(), platform.createTenant()]);
  tenant = mine;
  operations = readDocument((await call(platform.url, 'GET', '/openapi.json')).body).filter(
    ({ scope }) => scope !== undefined,
  );
  own = await makeThings(tenant);
  other = await makeThings(tenant);
  foreign = await makeThings(stranger);
  const lost = (known: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(known).map(([name, id]) => [
        name,
        name === 'domain' ? 'gone.example.com' : newId(id.split('_')[0]!),
      ]),
    );
  missing = { ids: lost(own.ids), agentIds: lost(own.agentIds) };
  projects = [own.ids.projectId!, own.agentIds.projectId!];
  const create = (body: object) => platform.createKey(tenant.organizationId, { projects, ...body });
  limited = await create({});
  keyOf = Object.fromEntries(
    await Promise.all(scopes.map(async (scope) => [scope, await create({ scopes: [scope] })])),
  );
});
afterAll(() => platform?.stop());

async function makeThings({ organizationId, key }: Tenant): Promise<Things> {
  const path = await makeFolder(siteFiles(1));
  const { projectId, domain } = await createProject(platform.url, key, { kind: 'folder', path });
  const deploymentId = await deploy(platform.url, key, projectId);
  const { jobId } = await runExport(platform.url, key, { domain });
  const gitProject = await createGitProject(platform.url, key);
  const job = await createJob(platform.url, key, gitProject);
  const cancel = `/v2/agent/${gitProject}/job/${job.id}/cancel`;
  expect((await call(platform.url, 'POST', cancel, { key })).status).toBe(200);
  await platform.createKey(organizationId, { name: `key of ${projectId}`, projects: [projectId] });
  const { id: keyId } = await platform.database.db
    .selectFrom('api_keys')
    .select('id')
    .where('name', '=', `key of ${projectId}`)
    .executeTakeFirstOrThrow();
  const endpoints = `/v1/projects/${projectId}/webhook-endpoints`;
  const body = { url: 'https://127.0.0.1:9/', events: ['deployment.failed'] };
  const { id: endpointId } = (await call<{ id: string }>(platform.url, 'POST', endpoints, { key, body }))
    .body;
  const tested = await call<{ id: string }>(platform.url, 'POST', `${endpoints}/${endpointId}/test`, {
    key,
    body: {},
  });
  return {
    ids: {
      projectId,
      jobId,
      keyId,
      domain,
      deploymentId,
      statusId: deploymentId,
      endpointId,
      notificationId: tested.body.id,
      domainId: await insertDomain(platform, organizationId, projectId),
      feedbackId: await insertFeedback(platform, organizationId, projectId),
      threadId: await insertThread(platform, organizationId, projectId),
      userId: newId('usr'),
      invitationId: newId('inv'),
    },
    agentIds: { projectId: gitProject, id: job.id },
  };
}

const idsOf = (operation: Operation, { ids, agentIds }: Things) =>
  operation.path.startsWith('/v2/agent/') ? { ...ids, ...agentIds } : ids;

const send = (operation: Operation, things: Things, options: CallOptions): Promise<Reply> =>
  call(platform.url, operation.method, target(operation, idsOf(operation, things)), options);

/** A request that is refused for its body where the key may send it at all, so that it changes nothing. */
const harmless = ({ method }: Operation): CallOptions =>
  method === 'GET' ? {} : { body: { nobodyKnows: true } };

const textsOf = ({ ids, agentIds }: Things): string[] => [...Object.values(ids), ...Object.values(agentIds)];

test('the document says how each operation treats keys that are limited to projects', () => {
  const named = (kind: Operation['limitedKeys']) =>
    operations.filter(({ limitedKeys }) => limitedKeys === kind).map(({ id }) => id);
  expect(named('refused').sort()).toEqual(REFUSED);
  expect(named('filtered').sort()).toEqual(FILTERED);
  for (const { id, path, limitedKeys } of operations) {
    expect(limitedKeys === 'path', id).toBe(/\{(?:projectId|jobId)\}/.test(path));
  }
});

test('every scope and operation: own objects are served, all others are missing, the organization is refused', async () => {
  let calls = 0;
  for (const operation of operations) {
    const before = await everything(platform);
    for (const held of scopes) {
      const named = `${operation.id} with ${held}`;
      const options = { ...harmless(operation), key: keyOf[held] };
      const codeFor = async (things: Things) => {
        const reply = await send(operation, things, options);
        calls += 1;
        for (const text of [...textsOf(other), ...textsOf(foreign)])
          expect(reply.text, named).not.toContain(text);
        return { reply, status: reply.status, code: reply.body.code };
      };
      const needed = operation.scope ?? '';
      if (held !== needed && held !== needed.replace(':read', ':write')) {
        for (const things of [own, other]) {
          expect(await codeFor(things), named).toMatchObject({ status: 403, code: 'scope_missing' });
        }
        continue;
      }
      if (REFUSED.includes(operation.id)) {
        expect(await codeFor(own), named).toMatchObject({ status: 403, code: 'project_limited' });
        continue;
      }
      const { status } = await codeFor(own);
      expect([401, 403, 404], `${named}: ${status}`).not.toContain(status);
      if (operation.limitedKeys !== 'path') continue;
      const gone = await codeFor(missing);
      expect(gone, named).toMatchObject({ status: 404, code: 'not_found' });
      for (const things of [other, foreign]) {
        expect(anonymous((await codeFor(things)).reply), named).toEqual(anonymous(gone.reply));
      }
    }
    expect(await everything(platform), operation.id).toEqual(before);
  }
  process.stdout.write(`${calls} calls of limited keys\n`);
}, 240_000);

describe('what belongs to another project', () => {
  const get = (path: string) =>
    call<{ data: Record<string, unknown>[]; nextCursor: string | null }>(platform.url, 'GET', path, {
      key: limited,
    });

  test('is in no list, whatever the filter, and changes no cursor', async () => {
    const lists = ['/v1/static-export/jobs', '/v1/projects', '/v1/api-keys', '/v1/audit-events'];
    for (const path of lists) {
      const all = await get(`${path}?limit=100`);
      expect(all.status, path).toBe(200);
      for (const text of [...textsOf(other), ...textsOf(foreign)]) expect(all.text, path).not.toContain(text);
      const paged: unknown[] = [];
      let cursor = '';
      do {
        const page = await get(`${path}?limit=3${cursor}`);
        paged.push(...page.body.data);
        cursor = page.body.nextCursor === null ? '' : `&cursor=${page.body.nextCursor}`;
      } while (cursor !== '');
      expect(paged.slice(0, 100), path).toEqual(all.body.data);
      expect(paged.length, path).toBeGreaterThan(0);
    }
    const jobs = '/v1/static-export/jobs';
    for (const filter of [
      `domain=${other.ids.domain}`,
      `projectId=${other.ids.projectId}`,
      'status=failed',
    ]) {
      expect((await get(`${jobs}?${filter}`)).body, filter).toEqual({ data: [], nextCursor: null });
    }
    const file = await call(platform.url, 'GET', '/v1/audit-events/export?format=jsonl', { key: limited });
    expect(file.text).toContain(own.ids.projectId);
    for (const text of [...textsOf(other), ...textsOf(foreign)]) expect(file.text).not.toContain(text);
  });

  test('is missing for requests that name it in the body or the query', async () => {
    const before = await everything(platform);
    const post = (path: string, body: unknown) => call(platform.url, 'POST', path, { key: limited, body });
    const requests: ((things: Things) => Promise<Reply>)[] = [
      ({ ids }) => post('/v1/static-export/jobs', { domain: ids.domain }),
      ({ ids }) => post('/v1/static-export/jobs', { domain: ids.domain, paths: ['index'] }),
      ({ ids }) =>
        post('/v1/connection-tests', {
          source: { kind: 'git', repository: 'https://127.0.0.1:9/docs.git' },
          projectId: ids.projectId,
        }),
      ({ ids }) =>
        call(platform.url, 'GET', `/v1/static-export/bundle?domain=${ids.domain}`, { key: limited }),
      ({ ids }) => post(`/discovery/v1/search/${ids.domain}`, { query: 'page' }),
      ({ ids }) => post(`/discovery/v1/page/${ids.domain}`, { path: 'index' }),
      ({ ids }) => call(platform.url, 'GET', `/discovery/v1/records/${ids.domain}`, { key: limited }),
      ({ ids }) => call(platform.url, 'DELETE', `/v1/api-keys/${ids.keyId}`, { key: limited }),
      ({ ids }) => call(platform.url, 'GET', `/v1/project/update-status/${ids.statusId}`, { key: limited }),
      ...['changes?', 'changes/page?path=index&'].map(
        (path) =>
          ({ ids }: Things) =>
            call(platform.url, 'GET', `/v1/static-export/jobs/${own.ids.jobId}/${path}since=${ids.jobId}`, {
              key: limited,
            }),
      ),
    ];
    for (const [index, ask] of requests.entries()) {
      const answers = await Promise.all(
        [missing, other, foreign].map(async (things) => {
          const reply = await ask(things);
          expectError(reply, 404, 'not_found');
          const text = reply.text
            .replaceAll(things.ids.domain!, 'DOMAIN')
            .replaceAll(String(reply.body.requestId), '');
          return text;
        }),
      );
      expect(new Set(answers).size, `request ${index}`).toBe(1);
    }
    expect(await everything(platform)).toEqual(before);
  });

  test('stays out of a comparison with the export before, when a domain has moved between projects', async () => {
    const { db } = platform.database;
    const { jobId } = await runExport(platform.url, tenant.key, { domain: own.ids.domain });
    const previousFor = async (key: string) =>
      (await call(platform.url, 'GET', `/v1/static-export/jobs/${jobId}/changes`, { key })).body.since;
    expect(await previousFor(limited)).toBe(own.ids.jobId);
    const move = (projectId: string | undefined) =>
      db
        .updateTable('exports')
        .set({ project_id: projectId! })
        .where('domain', '=', own.ids.domain!)
        .where('id', '!=', jobId)
        .execute();
    await move(other.ids.projectId);
    expect(await previousFor(tenant.key)).toBe(own.ids.jobId);
    expect(await previousFor(limited)).toBeNull();
    const latest = `/v1/static-export/bundle?domain=${own.ids.domain}`;
    expect((await call(platform.url, 'GET', latest, { key: limited })).body.jobId).toBe(jobId);
    await move(own.ids.projectId);
  });

  test('is not returned for the Idempotency-Key of another key, nor is anything else', async () => {
    const start = (key: string, domain: string | undefined) =>
      call(platform.url, 'POST', '/v1/static-export/jobs', {
        key,
        body: { domain },
        headers: { 'idempotency-key': 'shared by the organization' },
      });
    const first = await start(tenant.key, other.ids.domain);
    expect(first.status, first.text).toBe(202);
    expectError(await start(limited, other.ids.domain), 404, 'not_found');
    const mine = await start(limited, own.ids.domain);
    expect(mine.status, mine.text).toBe(202);
    expect(mine.headers.get('idempotent-replay')).toBeNull();
    const again = await start(limited, own.ids.domain);
    expect([again.body.jobId, again.headers.get('idempotent-replay')]).toEqual([mine.body.jobId, 'true']);
    const theirs = await start(tenant.key, other.ids.domain);
    expect([theirs.body.jobId, theirs.headers.get('idempotent-replay')]).toEqual([first.body.jobId, 'true']);
  });

  test('stays out of reach after the projects of the key are deleted', async () => {
    const { projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const key = await platform.createKey(tenant.organizationId, { projects: [projectId] });
    expect((await call(platform.url, 'DELETE', `/v1/projects/${projectId}`, { key })).status).toBe(204);
    for (const list of ['/v1/projects', '/v1/static-export/jobs']) {
      expect((await call(platform.url, 'GET', list, { key })).body, list).toEqual({
        data: [],
        nextCursor: null,
      });
    }
    expectError(
      await call(platform.url, 'GET', `/v1/projects/${other.ids.projectId}`, { key }),
      404,
      'not_found',
    );
    expectError(await call(platform.url, 'POST', '/v1/projects', { key, body: {} }), 403, 'project_limited');
  });
});
