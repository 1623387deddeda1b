/**
 * Every operation of the API with every kind of caller. The operations, and their callers, are read from the document that the
 * platform serves at /openapi.json; a new operation is tested here, or fails here without an id or a
 * body. The guarantees: the right status and code; a refused request changes nothing; the response for a resource of
 * another organization equals that for a missing one, except for the request id.
 */

import { randomBytes } from 'node:crypto';
import { formatKey, plans, roles, type Scope, scopes } from '@offprint/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUlid } from '../../apps/server/src/assistant/ulid.ts';
import { newId } from '../../apps/server/src/platform/ids.ts';
import { asPerson, createPerson, createSession, type Person } from '../support/accounts.ts';
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
  hasIds,
  insertDomain,
  insertFeedback,
  insertForkDeployment,
  insertThread,
  needsQuery,
  type Operation,
  readDocument,
  request,
  target,
} from './matrix.ts';

/** Whom a call comes from: headers or a key. */
interface Caller {
  name: string;
  options: CallOptions;
}

interface Refusal {
  status: number;
  code: string;
}

/** Operations that this installation refuses because they are not configured. */
const NOT_SET_UP = new Set(['startSingleSignOn', 'finishSingleSignOn']);

let platform: TestPlatform;
let operations: Operation[];
let owner: Tenant;
let stranger: Tenant;
let domain: string;
/** Ids of the owner's things by the name of the parameter; those of agent jobs apart. */
let ids: Record<string, string>;
let agentIds: Record<string, string>;
let missing: Record<string, string>;
let missingOrganization: string;
const people: Record<string, Person> = {};
const keys: Record<string, string> = {};

beforeAll(async () => {
  platform = await startTestPlatform({
    env: { ...MODEL_ENV, OFFPRINT_PREVIEW_DOMAIN: 'previews.example.net' },
  });
  [owner, stranger] = await Promise.all([platform.createTenant(), platform.createTenant()]);
  const document = (await call(platform.url, 'GET', '/openapi.json')).body;
  operations = readDocument(document);

  const path = await makeFolder(siteFiles(1));
  const project = await createProject(platform.url, owner.key, { kind: 'folder', path });
  domain = project.domain;
  const job = await runExport(platform.url, owner.key, { domain });
  const deploymentId = await deploy(platform.url, owner.key, project.projectId);
  const gitProject = await createGitProject(platform.url, owner.key);
  const agentJob = await createJob(platform.url, owner.key, gitProject);
  // No worker touches it from now on.
  const cancel = `/v2/agent/${gitProject}/job/${agentJob.id}/cancel`;
  expect((await call(platform.url, 'POST', cancel, { key: owner.key })).status).toBe(200);

  const member = (role: (typeof roles)[number]) =>
    createPerson(platform, { organizationId: owner.organizationId, role });
  for (const role of roles) people[role] = await member(role);
  people.victim = await member('viewer');
  people.strangeAdmin = await createPerson(platform, { organizationId: stranger.organizationId });
  people.nobody = await createPerson(platform);
  people.operator = await createPerson(platform, { isOperator: true });
  people.expired = await member('admin');
  people.disabled = await member('admin');
  const { db } = platform.database;
  const past = new Date(Date.now() - 1_000);
  await db
    .updateTable('sessions')
    .set({ expires_at: past })
    .where('user_id', '=', people.expired.id)
    .execute();
  await db.updateTable('users').set({ disabled_at: past }).where('id', '=', people.disabled.id).execute();

  keys.malformed = `offprint_${'x'.repeat(38)}`;
  keys.unknown = formatKey(randomBytes(32));
  const idOf = async (key: string) =>
    (
      await db
        .selectFrom('api_keys')
        .select('id')
        .where('organization_id', '=', owner.organizationId)
        .where('last4', '=', key.slice(-4))
        .executeTakeFirstOrThrow()
    ).id;
  keys.expired = await platform.createKey(owner.organizationId, {});
  await db
    .updateTable('api_keys')
    .set({ expires_at: past })
    .where('id', '=', await idOf(keys.expired))
    .execute();
  keys.revoked = await platform.createKey(owner.organizationId, {});
  await db
    .updateTable('api_keys')
    .set({ revoked_at: past })
    .where('id', '=', await idOf(keys.revoked))
    .execute();
  for (const scope of scopes)
    keys[scope] = await platform.createKey(owner.organizationId, { scopes: [scope] });
  keys.elsewhere = await platform.createKey(owner.organizationId, { allowedCidrs: ['203.0.113.0/24'] });

  const endpoint = await call<{ id: string }>(
    platform.url,
    'POST',
    `/v1/projects/${project.projectId}/webhook-endpoints`,
    { key: owner.key, body: { url: 'https://127.0.0.1:9/', events: ['deployment.failed'] } },
  );
  expect(endpoint.status, endpoint.text).toBe(201);
  const notification = await call<{ id: string }>(
    platform.url,
    'POST',
    `/v1/projects/${project.projectId}/webhook-endpoints/${endpoint.body.id}/test`,
    { key: owner.key, body: {} },
  );
  expect(notification.status, notification.text).toBe(202);
  const invited = await call<{ id: string }>(platform.url, 'POST', '/v1/invitations', {
    key: owner.key,
    body: { email: 'grace@example.com', role: 'editor' },
  });
  expect(invited.status, invited.text).toBe(201);
  await createSession(platform, people.victim.id);
  const session = await db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', people.victim.id)
    .limit(1)
    .executeTakeFirstOrThrow();
  ids = {
    jobId: job.jobId,
    deploymentId,
    statusId: deploymentId,
    projectId: project.projectId,
    endpointId: endpoint.body.id,
    notificationId: notification.body.id,
    domainId: await insertDomain(platform, owner.organizationId, project.projectId),
    feedbackId: await insertFeedback(platform, owner.organizationId, project.projectId),
    threadId: await insertThread(platform, owner.organizationId, project.projectId),
    keyId: await idOf(owner.key),
    userId: people.victim.id,
    invitationId: invited.body.id,
    sessionId: session.id,
    organizationId: owner.organizationId,
  };
  const forkId = await insertForkDeployment(platform.url, owner.key, gitProject);
  agentIds = { projectId: gitProject, id: agentJob.id, deploymentId: forkId };
  missing = Object.fromEntries(
    Object.entries({ ...ids, ...agentIds }).map(([name, id]) => [
      name,
      name === 'threadId' ? newUlid() : (newId(id.slice(0, id.indexOf('_'))) as string),
    ]),
  );
  missingOrganization = newId('org');
});
afterAll(() => platform?.stop());

const ownersIds = ({ path }: Operation) => ({
  ...ids,
  // Only repositories have branches to preview, and pull requests of forks.
  ...(/^\/v2\/agent\/|^\/v1\/project\/preview\/|\/approve$/.test(path) ? agentIds : {}),
  domain,
});
/** Ids of things that do not exist; a domain in the query stays. */
const missingIds = ({ path }: Operation) => ({
  ...missing,
  domain: path.includes('{domain}') ? 'gone.example.com' : domain,
});
function ask(
  operation: Operation,
  address: string,
  caller: Caller,
  own = request(operation, domain),
): Promise<Reply> {
  const headers = { ...own.headers, ...caller.options.headers };
  return call(platform.url, operation.method, address, { ...own, ...caller.options, headers });
}

const byKey = (name: string, key: string): Caller => ({ name, options: { key } });
const byPerson = (name: string, session: string, organizationId?: string): Caller => ({
  name,
  options: { headers: asPerson(platform, session, organizationId) },
});

/** Whether a key with one scope has the other. */
const isEnough = (held: Scope, needed: Scope): boolean =>
  held === needed || held === needed.replace(':read', ':write');

const unauthorized: Refusal = { status: 401, code: 'unauthorized' };

/** Every caller with what the document says that it is refused with; null: it is let through. */
function callersOf(operation: Operation): [Caller, Refusal | null][] {
  const { scope, role, access } = operation;
  const here = owner.organizationId;
  const session = (name: string) => people[name]?.session ?? '';
  const callers: [Caller, Refusal | null][] = [[{ name: 'nobody', options: {} }, unauthorized]];
  const badKeys = ['malformed', 'unknown', 'expired', 'revoked'];
  for (const name of badKeys) callers.push([byKey(`${name} key`, keys[name] ?? ''), unauthorized]);
  const badSessions: [string, string][] = [
    ['made up', randomBytes(32).toString('base64url')],
    ['expired', session('expired')],
    ["disabled user's", session('disabled')],
  ];
  for (const [name, token] of badSessions)
    callers.push([byPerson(`${name} session`, token, here), unauthorized]);
  if (scope !== undefined) {
    callers.push([
      byKey('key for other addresses', keys.elsewhere ?? ''),
      { status: 403, code: 'address_not_allowed' },
    ]);
    for (const held of scopes) {
      const lacks = isEnough(held, scope) ? null : { status: 403, code: 'scope_missing' };
      callers.push([byKey(`key for ${held}`, keys[held] ?? ''), lacks]);
    }
    callers.push([byKey('key for everything', owner.key), null]);
    for (const held of roles) {
      const isHigh = roles.indexOf(held) >= roles.indexOf(role ?? 'admin');
      callers.push([
        byPerson(held, session(held), here),
        isHigh ? null : { status: 403, code: 'role_required' },
      ]);
    }
    for (const name of ['strangeAdmin', 'nobody', 'operator'])
      callers.push([byPerson(`${name}, no member`, session(name), here), { status: 404, code: 'not_found' }]);
  } else {
    callers.push([byKey('key for everything', owner.key), unauthorized]);
    const lacks = access === 'operator' ? { status: 403, code: 'operator_required' } : null;
    callers.push(
      [byPerson('signed in', session('nobody')), lacks],
      [byPerson('admin', session('admin')), lacks],
    );
    callers.push([byPerson('operator', session('operator')), null]);
  }
  return callers;
}

const limited = (operation: Operation) => !operation.isPublic;

test('the document says of every call who may make it', () => {
  expect(operations.length).toBeGreaterThan(60);
  for (const operation of operations) {
    const { id, scope, role, access, isPublic } = operation;
    const kinds = [scope !== undefined, access !== undefined, isPublic].filter(Boolean);
    expect(kinds, id).toHaveLength(1);
    expect(role !== undefined, id).toBe(scope !== undefined);
    target(operation, ownersIds(operation));
    request(operation, domain);
  }
});

test('the scopes of the operations that decide about others are what this table says', () => {
  const sensitive: Record<string, Scope> = {
    listApiKeys: 'organization:read',
    createApiKey: 'organization:write',
    revokeApiKey: 'organization:write',
    createWebhookSecret: 'organization:write',
    createWebhookEndpoint: 'projects:write',
    updateWebhookEndpoint: 'projects:write',
    deleteWebhookEndpoint: 'projects:write',
    getOrganization: 'organization:read',
    updateOrganization: 'organization:write',
    listMembers: 'organization:read',
    updateMember: 'organization:write',
    removeMember: 'organization:write',
    listInvitations: 'organization:read',
    createInvitation: 'organization:write',
    revokeInvitation: 'organization:write',
    listAuditEvents: 'organization:read',
    exportAuditEvents: 'organization:read',
    getUsage: 'organization:read',
    updateAgentSettings: 'projects:write',
    updateAssistantSettings: 'projects:write',
    createAssistantMessage: 'assistant:use',
    getAssistantThread: 'analytics:read',
    createDeployKey: 'projects:write',
    putProjectSource: 'projects:write',
    deleteProject: 'projects:write',
    updateAutomation: 'projects:write',
    updateReaderAccess: 'projects:write',
    createReaderTokenKey: 'projects:write',
    signReadersOut: 'projects:write',
    addDomain: 'projects:write',
    releaseDomain: 'projects:write',
    createAgentJob: 'agent:write',
    sendAgentMessage: 'agent:write',
    startExport: 'exports:write',
    deleteExport: 'exports:write',
    triggerUpdate: 'exports:write',
    promoteDeployment: 'exports:write',
    approveDeployment: 'exports:write',
    deleteDeployment: 'exports:write',
    updateHosting: 'projects:write',
    createBundle: 'exports:read',
    getLatestBundle: 'exports:read',
  };
  const found = Object.fromEntries(operations.map(({ id, scope }) => [id, scope]));
  expect(found).toMatchObject(sensitive);
  const areas: [RegExp, string][] = [
    [/^\/v1\/static-export\//, 'exports'],
    [/^\/v1\/project\/|^\/v1\/projects\/[^/]+\/deployments\b/, 'exports'],
    [/^\/v2\/agent\//, 'agent'],
    [/^\/discovery\/v1\//, 'discovery'],
    [/^\/discovery\/v2\/assistant\//, 'assistant'],
    [/^\/v1\/analytics\//, 'analytics'],
    [/^\/v1\/(?:api-keys|members|invitations|organization|audit-events|usage)\b/, 'organization'],
    [/^\/v1\/projects\/.*\/automation\/secret$/, 'organization'],
    [/^\/v1\/(?:projects|connection-tests)\b/, 'projects'],
  ];
  for (const { id, path, scope } of operations.filter((one) => one.scope !== undefined)) {
    const area = areas.find(([pattern]) => pattern.test(path))?.[1];
    expect(scope?.split(':')[0], id).toBe(area);
  }
});

test('who may not make a call is refused with the right code, learns nothing and changes nothing', async () => {
  let calls = 0;
  const before = await everything(platform);
  for (const operation of operations.filter(limited)) {
    const refused = callersOf(operation).flatMap(([caller, refusal]) =>
      refusal === null ? [] : [{ caller, refusal }],
    );
    await Promise.all(refused.map(({ caller, refusal }) => expectRefusal(operation, caller, refusal)));
    calls += refused.length;
    expect(await everything(platform), operation.id).toEqual(before);
  }
  process.stdout.write(`${calls} refused calls\n`);
});

async function expectRefusal(operation: Operation, caller: Caller, refusal: Refusal): Promise<void> {
  const address = target(operation, ownersIds(operation));
  const reply = await ask(operation, address, caller);
  expect({ status: reply.status, code: reply.body.code }, `${operation.id} by ${caller.name}`).toEqual(
    refusal,
  );
  expectError(reply, refusal.status, refusal.code);
  expect(reply.headers.get('cache-control'), operation.id).toBe('no-store');
  if (refusal.status === 401) expect(reply.headers.get('www-authenticate'), operation.id).toBe('Bearer');
  for (const id of Object.values({ ...ids, ...agentIds })) expect(reply.text).not.toContain(id);
  if (operation.method === 'GET') {
    const head = await call(platform.url, 'HEAD', address, caller.options);
    expect(head.status, `HEAD of ${operation.id} by ${caller.name}`).toBe(refusal.status);
  }
}

/** Callers that are let through. */
const admitted = (operation: Operation): Caller[] =>
  callersOf(operation).flatMap(([caller, refusal]) => (refusal === null ? [caller] : []));

test('who may make a call is let through to what it says of things that are not there', async () => {
  const before = await everything(platform);
  for (const operation of operations.filter(limited)) {
    await Promise.all(admitted(operation).map((caller) => expectAdmission(operation, caller)));
  }
  expect(await everything(platform)).toEqual(before);
});

async function expectAdmission(operation: Operation, caller: Caller): Promise<void> {
  const named = `${operation.id} by ${caller.name}`;
  if (hasIds(operation)) {
    const reply = await ask(operation, target(operation, missingIds(operation)), caller);
    expect({ status: reply.status, code: reply.body.code }, named).toEqual({
      status: 404,
      code: 'not_found',
    });
    return;
  }
  const address = target(operation, { ...ids, domain });
  if (operation.method === 'GET') {
    const reply = await ask(operation, address, caller);
    expect(reply.status, `${named}: ${reply.text}`).toBe(200);
    return;
  }
  // Rights come before the body, so a body of nothing known shows that they were enough and changes nothing.
  const reply = await ask(operation, address, caller, { body: { nobodyKnows: true } });
  expect({ status: reply.status, code: reply.body.code }, named).toEqual({
    status: 400,
    code: 'invalid_request',
  });
}

test('each role reads what it may of the things that are there', async () => {
  for (const operation of operations.filter((one) => one.method === 'GET' && one.scope !== undefined)) {
    const address = target(operation, ownersIds(operation));
    await Promise.all(
      admitted(operation).map(async (caller) => {
        const reply = await ask(operation, address, caller);
        expect(reply.status, `${operation.id} by ${caller.name}: ${reply.text.slice(0, 200)}`).toBe(200);
      }),
    );
  }
});

describe('a resource of another organization', () => {
  const pairs = (): [string, Caller, Caller | null][] => [
    ['a key', byKey('a key', stranger.key), null],
    [
      'an admin elsewhere',
      byPerson('an admin elsewhere', people.strangeAdmin?.session ?? '', stranger.organizationId),
      null,
    ],
    ...['strangeAdmin', 'nobody', 'operator'].map((name): [string, Caller, Caller] => [
      `${name}, naming the organization`,
      byPerson(name, people[name]?.session ?? '', owner.organizationId),
      byPerson(name, people[name]?.session ?? '', missingOrganization),
    ]),
  ];

  test('gets the same response as a missing one, byte for byte, and nothing changes', async () => {
    let calls = 0;
    const before = await everything(platform);
    for (const operation of operations.filter((one) => one.scope !== undefined)) {
      const asked = pairs().filter(([, , elsewhere]) => elsewhere !== null || hasIds(operation));
      await Promise.all(
        asked.map(async ([name, caller, elsewhere]) => {
          const there = await ask(operation, target(operation, ownersIds(operation)), caller);
          const gone =
            elsewhere === null
              ? await ask(operation, target(operation, missingIds(operation)), caller)
              : await ask(operation, target(operation, ownersIds(operation)), elsewhere);
          expectError(there, 404, 'not_found');
          expect(anonymous(there), `${operation.id} by ${name}`).toEqual(anonymous(gone));
        }),
      );
      calls += asked.length;
      expect(await everything(platform), operation.id).toEqual(before);
    }
    process.stdout.write(`${calls} pairs of answers\n`);
  });

  test('of a user gets the same response as a missing one: sessions, organizations', async () => {
    const before = await everything(platform);
    const caller = byPerson('nobody', people.nobody?.session ?? '');
    for (const operation of operations.filter((one) => one.access === 'user' && hasIds(one))) {
      const there = await ask(operation, target(operation, { ...ids, domain }), caller);
      expectError(there, 404, 'not_found');
      expect(anonymous(there), operation.id).toEqual(
        anonymous(await ask(operation, target(operation, missingIds(operation)), caller)),
      );
    }
    expect(await everything(platform)).toEqual(before);
  });

  test('is not returned to requests without credentials either', async () => {
    const before = await everything(platform);
    const caller: Caller = { name: 'nobody', options: {} };
    for (const operation of operations.filter((one) => one.isPublic && hasIds(one))) {
      const there = await ask(operation, target(operation, { ...ids, domain }), caller);
      expect(there.status, operation.id).toBeGreaterThanOrEqual(400);
      expect(anonymous(there), operation.id).toEqual(
        anonymous(await ask(operation, target(operation, missingIds(operation)), caller)),
      );
    }
    expect(await everything(platform)).toEqual(before);
  });

  test('is in no list, and cannot be reached by its domain or by the key of a repeated call', async () => {
    const lists = operations.filter(
      (one) => one.method === 'GET' && one.scope !== undefined && !hasIds(one) && !needsQuery(one),
    );
    expect(lists.length).toBeGreaterThan(5);
    // One that has never named a thing of the owner: the audit log keeps what was asked for.
    const { key } = await platform.createTenant();
    for (const operation of lists) {
      const reply = await ask(operation, target(operation, { ...ids, domain }), byKey('a key', key));
      expect(reply.status, operation.id).toBe(200);
      for (const id of Object.values({ ...ids, ...agentIds }))
        expect(reply.text, operation.id).not.toContain(id);
      expect(reply.text, operation.id).not.toContain('grace@example.com');
    }
    const start = (at: string) =>
      call(platform.url, 'POST', '/v1/static-export/jobs', { key: stranger.key, body: { domain: at } });
    const latest = (at: string) =>
      call(platform.url, 'GET', `/v1/static-export/bundle?domain=${at}`, { key: stranger.key });
    const other = `${'x'.repeat(domain.length - 12)}.example.com`;
    for (const byDomain of [start, latest]) {
      const there = await byDomain(domain);
      expectError(there, 404, 'not_found');
      const gone = await byDomain(other);
      expect(JSON.stringify(anonymous(there))).toBe(
        JSON.stringify(anonymous(gone)).replaceAll(other, domain),
      );
    }
    const headers = { 'idempotency-key': 'shared' };
    const bundle = `/v1/static-export/jobs/${ids.jobId}/bundle`;
    expect((await call(platform.url, 'POST', bundle, { key: owner.key, headers })).status).toBe(200);
    expectError(await call(platform.url, 'POST', bundle, { key: stranger.key, headers }), 404, 'not_found');
  });
});

test('calls that everybody may make ask for nothing', async () => {
  for (const operation of operations.filter((one) => one.isPublic)) {
    const isRead = operation.method === 'GET';
    const own = isRead || hasIds(operation) ? request(operation, domain) : { body: { nobodyKnows: true } };
    const reply = await ask(
      operation,
      target(operation, missingIds(operation)),
      { name: 'nobody', options: {} },
      own,
    );
    if (hasIds(operation)) expectError(reply, 401, 'signature_invalid');
    else if (!isRead) expectError(reply, 400, 'invalid_request');
    else if (!NOT_SET_UP.has(operation.id)) expect(reply.status, operation.id).toBe(200);
  }
});

test('a call above the plan is refused with the name of the plan and changes nothing; one within it is not', async () => {
  const priced = operations.filter((one) => one.plan !== undefined);
  expect(priced.length).toBeGreaterThanOrEqual(4);
  const callers = [
    byKey('key for everything', owner.key),
    byPerson('admin', people.admin?.session ?? '', owner.organizationId),
  ];
  const { db } = platform.database;
  for (const plan of plans) {
    await db.updateTable('organizations').set({ plan }).where('id', '=', owner.organizationId).execute();
    for (const operation of priced) {
      const needed = operation.plan ?? 'enterprise';
      const isEnough = plans.indexOf(plan) >= plans.indexOf(needed);
      const before = await everything(platform);
      for (const caller of callers) {
        const reply = await ask(operation, target(operation, ownersIds(operation)), caller);
        if (isEnough) {
          expect(reply.status, `${operation.id} on ${plan}: ${reply.text}`).toBeLessThan(300);
          continue;
        }
        expectError(reply, 403, 'plan_required');
        expect(reply.body.error, operation.id).toContain(needed);
      }
      if (!isEnough) expect(await everything(platform), `${operation.id} on ${plan}`).toEqual(before);
    }
  }
  const approved = await call(
    platform.url,
    'GET',
    `/v1/projects/${agentIds.projectId}/deployments/${agentIds.deploymentId}`,
    { key: owner.key },
  );
  expect(approved.body).toMatchObject({ fork: 'mallory/docs', approvedBy: expect.stringMatching(/./) });
  expect(approved.body.jobId, 'the approval has started an export').toMatch(/^se_/);
});
