/** The audit log over HTTP: every change leaves one event, which can be read, filtered and taken away. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillPath, type Route, routes } from '@offprint/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deriveKey } from '../../apps/server/src/platform/secret.ts';
import { memberSignIn } from '../../apps/server/src/readers/members.ts';
import { startTestPlatform, type Tenant, type TestPlatform, type TestUser } from '../support/platform.ts';
import { noteSecrets } from '../support/secrets.ts';
import { createGitProject, MODEL_ENV } from './agent.ts';
import { call, createProject, expectError, makeFolder, type Reply, runExport, siteFiles } from './api.ts';
import { insertFeedback } from './matrix.ts';
import { insertDeployment, serveSite } from './served-site.ts';

/** Changes nothing: looks by a token, searches, asks, or is believed by its signature and writes down what it starts. */
const SILENT = new Set([
  ...['previewInvitation', 'receiveWebhook', 'searchSite', 'getSitePage', 'createAssistantMessage'],
]);

const recorded: Route[] = Object.values(routes).filter(
  ({ method, operationId }: Route) =>
    operationId === 'exportAuditEvents' || (method !== 'GET' && !SILENT.has(operationId)),
);

const PASSWORD = 'gravel lantern otter nine';
const MODEL_KEY = 'sk-of-the-audited-model';

let platform: TestPlatform;
let tenant: Tenant;
let admin: TestUser;
let operator: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform({
    roles: ['api'],
    env: {
      ...MODEL_ENV,
      OFFPRINT_SIGN_UP: 'open',
      OFFPRINT_SMTP_URL: 'smtp://127.0.0.1:9',
      OFFPRINT_PREVIEW_DOMAIN: 'previews.example.net',
    },
  });
  noteSecrets(MODEL_KEY);
  tenant = await platform.createTenant();
  admin = await platform.createUser({ organizationId: tenant.organizationId });
  operator = await platform.createUser({ isOperator: true });
});
afterAll(() => platform.stop());

interface Event {
  id: string;
  at: string;
  actor: { kind: string; id: string | null; name: string };
  action: string;
  target: string | null;
  outcome: string;
  code: string | null;
  address: string | null;
  requestId: string | null;
}

/** Events of one request, as they are stored. */
const eventsOf = (requestId: string) =>
  platform.database.db.selectFrom('audit_events').selectAll().where('request_id', '=', requestId).execute();

let requests = 0;

/** A call with an id of its own, which its event has to have. */
async function send(
  route: Route,
  given: { params?: Record<string, string>; body?: unknown; headers?: Record<string, string>; key?: string },
): Promise<{ reply: Reply; requestId: string }> {
  requests += 1;
  const requestId = `audit-${requests}`;
  const reply = await call(platform.url, route.method, fillPath(route.path, given.params ?? {}), {
    ...(given.body === undefined ? {} : { body: given.body }),
    ...(given.key === undefined ? {} : { key: given.key }),
    headers: { 'x-request-id': requestId, ...given.headers },
  });
  return { reply, requestId };
}

/** A body that the contract takes. */
function exampleOf(route: Route): unknown {
  if (route.bytes !== undefined) return new Uint8Array(3);
  const special: Record<string, unknown> = {
    createProject: { name: 'Docs', source: { kind: 'upload' } },
    updateProject: { name: 'Docs' },
    changePassword: { currentPassword: PASSWORD, newPassword: PASSWORD },
    acceptInvitation: { token: 'none' },
    resetPassword: { token: 'none', password: PASSWORD },
  };
  const meta = route.body?.meta() as { examples?: unknown[] } | undefined;
  return special[route.operationId] ?? meta?.examples?.[0];
}

const typeOf = (route: Route): Record<string, string> =>
  route.bytes === undefined ? {} : { 'content-type': route.bytes[0] ?? '' };

/** Ids of nothing for every parameter of a path. */
const nothing = (route: Route): Record<string, string> =>
  Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, `none-${name}`]));

/** The input of an operation, and the content of its event. */
interface Done {
  params?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Who calls; default: a key and a member in turns, or a user. */
  by?: TestUser;
  actor?: { kind: string; id: string | null; name: string };
  /** Default: the last parameter of the path, or the id in the response. */
  target?: string | null;
  /** Default: that of the test; null: outside any. */
  organizationId?: string | null;
  /** Default: any name for a target that has one. */
  name?: unknown;
  /** Default: the target, if that is a project. */
  project?: string;
  changes?: { field: string; from: string | null; to: string | null }[];
}

/** Responses so far by operation id. */
type Made = Record<string, Reply>;

/** How every call is done, in this order: later ones use what earlier ones made. */
async function makeCases(made: Made): Promise<Record<string, () => Done | Promise<Done>>> {
  const { organizationId } = tenant;
  const user = await platform.createUser({ password: PASSWORD });
  const member = await platform.createUser({ organizationId, role: 'viewer' });
  const own = { kind: 'user', id: user.userId, name: user.email };
  const path = await makeFolder(siteFiles(1));
  const exported = await createProject(platform.url, tenant.key, { kind: 'folder', path });
  const uploaded = await createProject(platform.url, tenant.key, { kind: 'upload' });
  const gitProject = await createGitProject(platform.url, tenant.key);
  const project = { projectId: gitProject };
  const served = await createProject(platform.url, tenant.key, { kind: 'folder', path });
  const worker = platform.start(['worker']);
  const { jobId } = await runExport(platform.url, tenant.key, { domain: exported.domain });
  const { jobId: servedExport } = await runExport(platform.url, tenant.key, { domain: served.domain });
  const servedSite = { organizationId, projectId: served.projectId };
  const live = await serveSite(platform, { ...servedSite, host: served.domain, exportId: servedExport });
  const { site_id } = await platform.database.db
    .selectFrom('deployments')
    .select('site_id')
    .where('id', '=', live)
    .executeTakeFirstOrThrow();
  const feedbackId = await insertFeedback(platform, organizationId, served.projectId);
  const ofSite = { organization_id: organizationId, project_id: served.projectId, site_id, base_path: '' };
  const idle = await insertDeployment(platform, { ...ofSite, position: 0, export_id: servedExport });
  const waiting = await insertDeployment(platform, {
    ...ofSite,
    position: 2,
    export_id: null,
    status: 'waiting',
    fork: 'mallory/docs',
  });
  await platform.database.db
    .insertInto('reader_access')
    .values({
      organization_id: organizationId,
      project_id: served.projectId,
      site: 'production',
      kind: 'members',
      session_hours: 1,
    })
    .execute();
  const readerRequest =
    new URL(
      memberSignIn(
        { key: deriveKey(platform.secret, 'readers'), publicUrl: platform.url },
        { host: served.domain, origin: `https://${served.domain}` },
      ).url,
    ).searchParams.get('request') ?? '';
  // From now on what is queued stays queued.
  worker.kill('SIGTERM');
  await once(worker, 'exit');
  const idOf = (operation: string) => String(made[operation]?.body.id ?? made[operation]?.body.jobId);
  const tokenOf = (operation: string) =>
    new URLSearchParams(new URL(String(made[operation]?.body.url)).hash.slice(1)).get('token') ?? '';
  const agentJob = () => ({ ...project, id: idOf('createAgentJob') });
  const ofExport = {
    name: expect.stringMatching(new RegExp(`^${exported.domain} .`)),
    project: exported.projectId,
  };
  const ofServed = { name: expect.any(String), project: served.projectId };
  const ofDomain = { name: 'audit.example.com', project: gitProject };
  const ofJob = { name: 'Fix it.', project: gitProject };

  return {
    startExport: () => ({
      body: { domain: exported.domain },
      name: exported.domain,
      project: exported.projectId,
    }),
    createBundle: () => ({ params: { jobId }, ...ofExport }),
    createPreview: () => ({ params: { jobId }, ...ofExport }),
    cancelExport: () => ({
      params: { jobId: idOf('startExport') },
      name: exported.domain,
      project: exported.projectId,
    }),
    deleteExport: () => ({ params: { jobId }, ...ofExport }),
    createAgentJob: () => ({ params: project, body: { prompt: 'Fix it.' }, ...ofJob }),
    sendAgentMessage: () => ({ params: agentJob(), body: { prompt: 'And that.' }, ...ofJob }),
    cancelAgentJob: () => ({ params: agentJob(), ...ofJob }),
    archiveAgentJob: () => ({ params: agentJob(), ...ofJob }),
    updateAgentSettings: () => ({
      params: project,
      body: {
        model: { provider: 'openai', model: 'gpt-5', apiKey: MODEL_KEY },
        instructions: 'Write in British English.',
      },
      changes: [
        { field: 'instructions', from: null, to: null },
        { field: 'model.apiKey', from: null, to: null },
        { field: 'model.contextWindow', from: null, to: '200000' },
        { field: 'model.maxOutput', from: null, to: '16000' },
        { field: 'model.model', from: null, to: 'gpt-5' },
        { field: 'model.provider', from: null, to: 'openai' },
        { field: 'model.toolMode', from: null, to: 'native' },
      ],
    }),
    createProject: () => ({ body: { name: 'New', source: { kind: 'upload' } }, name: 'New' }),
    updateProject: () => ({
      params: { projectId: idOf('createProject') },
      body: { name: 'Newer' },
      name: 'Newer',
      changes: [{ field: 'name', from: 'New', to: 'Newer' }],
    }),
    putProjectSource: () => ({
      params: { projectId: uploaded.projectId },
      body: execFileSync('tar', ['czf', '-', '-C', path, '.']),
      headers: { 'content-type': 'application/gzip' },
    }),
    createDeployKey: async () => {
      const ssh = { kind: 'git', repository: 'git@github.com:acme/docs.git' };
      const { projectId } = await createProject(platform.url, tenant.key, ssh);
      return { params: { projectId } };
    },
    updateProjectFeatures: () => ({ params: project, body: {} }),
    testAgentModel: () => ({ params: project }),
    testConnection: () => ({ body: { source: { kind: 'git', repository: 'https://127.0.0.1:9/x.git' } } }),
    updateAutomation: () => ({
      params: project,
      body: { webhook: { enabled: true } },
      changes: [{ field: 'webhook.enabled', from: 'false', to: 'true' }],
    }),
    createWebhookSecret: () => ({ params: project }),
    triggerUpdate: () => ({ params: { projectId: exported.projectId }, project: exported.projectId }),
    triggerPreview: () => ({ params: project, body: { branch: 'new-quickstart' }, project: gitProject }),
    updateHosting: () => ({
      params: project,
      body: { enabled: true },
      changes: [{ field: 'enabled', from: 'false', to: 'true' }],
    }),
    updateAnalyticsFeedback: () => ({
      params: { projectId: served.projectId, feedbackId },
      body: { status: 'resolved', note: 'Done.' },
      name: '/quickstart',
      project: served.projectId,
      changes: [
        { field: 'note', from: null, to: null },
        { field: 'status', from: 'pending', to: 'resolved' },
      ],
    }),
    promoteDeployment: () => ({ params: { projectId: served.projectId, deploymentId: idle }, ...ofServed }),
    approveDeployment: () => ({
      params: { projectId: served.projectId, deploymentId: waiting },
      ...ofServed,
    }),
    deleteDeployment: () => ({ params: { projectId: served.projectId, deploymentId: live }, ...ofServed }),
    addDomain: () => ({
      params: project,
      body: { domain: 'audit.example.com' },
      name: 'audit.example.com',
      project: gitProject,
      changes: [{ field: 'domain', from: null, to: 'audit.example.com' }],
    }),
    updateDomain: () => ({
      params: { ...project, domainId: idOf('addDomain') },
      body: { redirectTo: null },
      ...ofDomain,
    }),
    checkDomain: () => ({ params: { ...project, domainId: idOf('addDomain') }, ...ofDomain }),
    releaseDomain: () => ({ params: { ...project, domainId: idOf('addDomain') }, ...ofDomain }),
    updateAssistantSettings: () => ({
      params: project,
      body: { starterQuestions: ['Why?'] },
      changes: [{ field: 'starterQuestions', from: '', to: 'Why?' }],
    }),
    updateReaderAccess: () => ({
      params: project,
      body: { production: { kind: 'members' } },
      changes: [{ field: 'production.kind', from: 'public', to: 'members' }],
    }),
    createReaderTokenKey: () => ({ params: project, body: { site: 'production' } }),
    signReadersOut: () => ({ params: project, body: { site: 'production' } }),
    createReaderCode: () => ({
      by: member,
      body: { request: readerRequest },
      actor: { kind: 'user', id: member.userId, name: member.email },
      organizationId: null,
    }),
    createWebhookEndpoint: () => ({
      params: project,
      body: { url: 'https://hooks.example.com/secret', events: ['export.failed'] },
      name: 'https://hooks.example.com',
      project: gitProject,
    }),
    updateWebhookEndpoint: () => ({
      params: { ...project, endpointId: idOf('createWebhookEndpoint') },
      body: { enabled: false },
      name: 'https://hooks.example.com',
      project: gitProject,
      changes: [{ field: 'enabled', from: 'true', to: 'false' }],
    }),
    testWebhookEndpoint: () => ({
      params: { ...project, endpointId: idOf('createWebhookEndpoint') },
      name: expect.stringContaining('Test of'),
      project: gitProject,
    }),
    redeliverNotification: () => ({
      params: { ...project, notificationId: idOf('testWebhookEndpoint') },
      name: expect.stringContaining('Test of'),
      project: gitProject,
    }),
    deleteWebhookEndpoint: () => ({
      params: { ...project, endpointId: idOf('createWebhookEndpoint') },
      name: 'https://hooks.example.com',
      project: gitProject,
    }),
    updateEmailNotifications: () => ({
      by: member,
      params: project,
      body: { events: ['export.failed'] },
      actor: { kind: 'user', id: member.userId, name: member.email },
      organizationId: null,
      changes: [{ field: 'events', from: '', to: 'export.failed' }],
    }),
    deleteProject: () => ({ params: { projectId: idOf('createProject') }, name: 'Newer' }),
    updateOrganization: () => ({
      body: { name: 'Renamed' },
      name: 'Renamed',
      changes: [{ field: 'name', from: expect.any(String), to: 'Renamed' }],
    }),
    createApiKey: () => ({
      body: { name: 'short-lived', expiresInDays: null },
      name: 'short-lived',
      changes: [{ field: 'scopes', from: null, to: 'exports:write' }],
    }),
    revokeApiKey: () => ({ params: { keyId: idOf('createApiKey') }, name: 'short-lived' }),
    exportAuditEvents: () => ({}),
    updateMember: () => ({
      params: { userId: member.userId },
      body: { role: 'editor' },
      name: member.email,
      target: member.userId,
      changes: [{ field: 'role', from: 'viewer', to: 'editor' }],
    }),
    removeMember: () => ({ params: { userId: member.userId }, name: member.email }),
    createInvitation: () => ({ body: { email: user.email, role: 'viewer' }, name: user.email }),
    acceptInvitation: () => ({
      by: user,
      body: { token: tokenOf('createInvitation') },
      actor: { ...own, kind: 'member' },
      organizationId,
    }),
    leaveOrganization: () => ({
      by: user,
      params: { organizationId },
      actor: { ...own, kind: 'member' },
      organizationId,
    }),
    revokeInvitation: async () => {
      const body = { email: 'later@example.com', role: 'viewer' };
      const { reply } = await send(routes.createInvitation, { key: tenant.key, body });
      return { params: { invitationId: String(reply.body.id) }, name: body.email };
    },
    createOrganization: () => ({ by: user, body: { name: 'Own' } }),
    updateUser: () => ({
      by: user,
      body: { name: 'Renamed' },
      changes: [{ field: 'name', from: expect.any(String), to: 'Renamed' }],
    }),
    endUserSession: async () => {
      const signIn = { body: { email: user.email, password: PASSWORD } };
      await send(routes.signIn, signIn);
      const list = await call<{ data: { id: string; current: boolean }[] }>(
        platform.url,
        'GET',
        '/v1/user/sessions',
        { headers: user.headers() },
      );
      const sessionId = list.body.data.find(({ current }) => !current)?.id ?? '';
      return { by: user, params: { sessionId } };
    },
    changePassword: () => ({
      by: user,
      body: { currentPassword: PASSWORD, newPassword: `${PASSWORD} new` },
      target: null,
    }),
    signOut: () => ({ by: user, target: null }),
    updateOperatedOrganization: () => ({
      params: { organizationId },
      body: { plan: 'pro' },
      organizationId,
      changes: [{ field: 'plan', from: 'enterprise', to: 'pro' }],
    }),
    updateOperatedUser: () => ({ params: { userId: member.userId }, body: { isOperator: false } }),
    createPasswordResetLink: () => ({ params: { userId: user.userId } }),
    resetPassword: () => ({
      body: { token: tokenOf('createPasswordResetLink'), password: PASSWORD },
      actor: own,
      target: user.userId,
    }),
    requestPasswordReset: () => ({
      body: { email: 'nobody@example.com' },
      actor: { kind: 'stranger', id: null, name: 'nobody@example.com' },
      target: null,
    }),
    signIn: () => ({
      body: { email: user.email, password: PASSWORD },
      actor: own,
      target: user.userId,
    }),
    signUp: () => ({
      body: { email: 'fresh@example.com', name: 'Fresh', password: PASSWORD },
      actor: { kind: 'user', id: expect.stringMatching(/^usr_/), name: 'fresh@example.com' },
      target: expect.stringMatching(/^usr_/),
    }),
  };
}

/** Headers or key of a case, and the actor that its event names. */
function callerOf(route: Route, done: Done, isKey: boolean) {
  if (isKey)
    return { key: tenant.key, actor: { kind: 'key', id: expect.stringMatching(/^key_/), name: 'test' } };
  const person = done.by ?? (route.access === 'operator' ? operator : admin);
  const kind = route.scope !== null ? 'member' : route.access === 'operator' ? 'operator' : 'user';
  const isStranger = route.scope === null && route.access === undefined;
  return {
    headers: isStranger ? {} : person.headers(route.scope === null ? undefined : tenant.organizationId),
    actor: { kind, id: person.userId, name: person.email },
  };
}

/** The organization in whose log the event stands; null: in none. */
function logOf(route: Route, done: Done, reply: Reply): unknown {
  if (route.operationId === 'createOrganization') return reply.body.id;
  if (done.organizationId !== undefined) return done.organizationId;
  return route.scope === null ? null : tenant.organizationId;
}

function targetOf(done: Done, reply: Reply): unknown {
  if (done.target !== undefined) return done.target;
  const { id, jobId, statusId } = reply.body;
  return id ?? jobId ?? statusId ?? Object.values(done.params ?? {}).at(-1) ?? null;
}

/** The name of a target: sessions have none. */
function nameOf(target: unknown): unknown {
  return target === null || String(target).startsWith('ses_') ? null : expect.stringMatching(/./);
}

function projectOf(target: unknown): unknown {
  const id = target === null ? '' : String(target instanceof Object ? '' : target);
  return id.startsWith('prj_') ? id : null;
}

describe('every call that changes something', () => {
  test('that succeeds leaves one event with actor, action, target, origin and request', async () => {
    const made: Made = {};
    const cases = await makeCases(made);
    // A call that is new in the contract needs a case.
    expect(Object.keys(cases).sort()).toEqual(recorded.map(({ operationId }) => operationId).sort());
    for (const [turn, [operation, prepare]] of Object.entries(cases).entries()) {
      const route = routes[operation as keyof typeof routes] as Route;
      const done = await prepare();
      const { actor: caller, ...how } = callerOf(route, done, route.scope !== null && turn % 2 === 0);
      const { params, body } = done;
      const { reply, requestId } = await send(route, {
        ...(params === undefined ? {} : { params }),
        ...(body === undefined ? {} : { body }),
        ...how,
        headers: { ...how.headers, ...done.headers },
      });
      made[operation] = reply;
      expect([operation, reply.status < 300, reply.status < 300 || reply.text]).toEqual([
        operation,
        true,
        true,
      ]);
      const actor = done.actor ?? caller;
      expect([operation, await eventsOf(requestId)]).toEqual([
        operation,
        [
          {
            id: expect.any(Number),
            at: expect.any(Date),
            organization_id: logOf(route, done, reply),
            actor_kind: actor.kind,
            actor_id: actor.id,
            actor_name: actor.name,
            action: operation,
            target: targetOf(done, reply),
            target_name: done.name ?? nameOf(targetOf(done, reply)),
            project_id: done.project ?? projectOf(targetOf(done, reply)),
            changes: done.changes ?? null,
            outcome: 'done',
            code: null,
            address: '127.0.0.1',
            request_id: requestId,
          },
        ],
      ]);
    }
    await platform.database.db.updateTable('organizations').set({ plan: 'enterprise' }).execute();
  });

  test('that is refused for want of a right leaves one event', async () => {
    const { organizationId } = tenant;
    const viewer = await platform.createUser({ organizationId, role: 'viewer' });
    const nobody = await platform.createUser();
    const readKey = await platform.createKey(organizationId, { scopes: ['read'] });
    for (const route of recorded) {
      const given = { params: nothing(route), body: exampleOf(route) };
      const target = Object.values(nothing(route)).at(-1) ?? null;
      const expectRefusal = async (
        headers: { headers?: Record<string, string>; key?: string },
        code: string,
        actor: { kind: string; id: unknown },
      ) => {
        const { reply, requestId } = await send(route, {
          ...given,
          ...headers,
          headers: { ...headers.headers, ...typeOf(route) },
        });
        expect([route.operationId, reply.status, reply.body.code]).toEqual([route.operationId, 403, code]);
        expect(await eventsOf(requestId)).toEqual([
          expect.objectContaining({
            organization_id: route.scope === null ? null : organizationId,
            actor_kind: actor.kind,
            actor_id: actor.id,
            action: route.operationId,
            target,
            outcome: 'refused',
            code,
            address: '127.0.0.1',
          }),
        ]);
      };
      if (route.scope !== null && route.role !== 'viewer') {
        const by = { kind: 'member', id: viewer.userId };
        await expectRefusal({ headers: viewer.headers(organizationId) }, 'role_required', by);
      }
      if (route.scope?.endsWith(':write') === true) {
        const by = { kind: 'key', id: expect.stringMatching(/^key_/) };
        await expectRefusal({ key: readKey }, 'scope_missing', by);
      }
      if (route.access === 'operator') {
        const by = { kind: 'operator', id: nobody.userId };
        await expectRefusal({ headers: nobody.headers() }, 'operator_required', by);
      }
    }
  });

  test('that names what is not there, or cannot be now, leaves one event', async () => {
    const { organizationId } = tenant;
    const named = recorded.filter((route) => route.path.includes('{') && route.method !== 'GET');
    expect(named.length).toBeGreaterThan(15);
    for (const route of named) {
      const person = route.access === 'operator' ? operator : admin;
      const headers = person.headers(route.scope === null ? undefined : organizationId);
      const given = { params: nothing(route), body: exampleOf(route) };
      const { reply, requestId } = await send(route, { ...given, headers: { ...headers, ...typeOf(route) } });
      expect([route.operationId, reply.status, reply.text]).toEqual([
        route.operationId,
        404,
        expect.anything(),
      ]);
      expect(await eventsOf(requestId)).toEqual([
        expect.objectContaining({
          action: route.operationId,
          target: Object.values(nothing(route)).at(-1),
          outcome: 'refused',
          code: 'not_found',
        }),
      ]);
    }
    const { reply, requestId } = await send(routes.removeMember, {
      headers: admin.headers(organizationId),
      params: { userId: admin.userId },
    });
    expectError(reply, 409, 'last_admin');
    expect(await eventsOf(requestId)).toEqual([expect.objectContaining({ code: 'last_admin' })]);
  });

  test('that names a target of another organization does not reveal its name', async () => {
    const other = await platform.createTenant();
    const { projectId } = await createProject(platform.url, other.key, { kind: 'upload' });
    const stranger = await platform.createUser({ organizationId: other.organizationId });
    for (const { reply, requestId } of [
      await send(routes.deleteProject, { key: tenant.key, params: { projectId } }),
      await send(routes.removeMember, { key: tenant.key, params: { userId: stranger.userId } }),
    ]) {
      expectError(reply, 404, 'not_found');
      expect(await eventsOf(requestId)).toEqual([
        expect.objectContaining({ target_name: null, project_id: null, code: 'not_found' }),
      ]);
    }
  });

  test('that says nothing sensible, or comes from nobody, leaves none; a failed sign-in leaves one', async () => {
    const odd = [
      await send(routes.createApiKey, { key: tenant.key, body: { name: '' } }),
      await send(routes.createApiKey, { body: { name: 'x' } }),
      await send(routes.listApiKeys, { key: tenant.key }),
    ];
    expect(odd.map(({ reply }) => reply.status)).toEqual([400, 401, 200]);
    for (const { requestId } of odd) expect(await eventsOf(requestId)).toEqual([]);
    const body = { email: 'Nobody@example.com', password: 'wrong horse battery' };
    const failed = await send(routes.signIn, { body });
    expectError(failed.reply, 401, 'credentials_wrong');
    const [event] = await eventsOf(failed.requestId);
    expect(event).toMatchObject({ actor_kind: 'stranger', actor_id: null, code: 'credentials_wrong' });
    expect(JSON.stringify(event)).not.toContain(body.password);
  });
});

/** Adds events of an organization, as many as asked, a minute apart from its first. */
async function addEvents(
  organizationId: string,
  count: number,
  from = '2026-01-01T00:00:00Z',
): Promise<void> {
  await sql`
    INSERT INTO audit_events (organization_id, at, actor_kind, actor_id, actor_name, action, target, outcome, code)
    SELECT ${organizationId}, ${from}::timestamptz + make_interval(mins => n), 'member',
      'usr_' || n % 3, 'p' || n % 3 || '@example.com', 'action' || n % 2, 'target' || n,
      CASE n % 5 WHEN 0 THEN 'refused' ELSE 'done' END, CASE n % 5 WHEN 0 THEN 'not_found' END
    FROM generate_series(0, ${count}::int - 1) AS n`.execute(platform.database.db);
}

describe('GET /v1/audit-events', () => {
  const list = async (key: string, query: string) =>
    (
      await call<{ data: Event[]; nextCursor: string | null }>(
        platform.url,
        'GET',
        `/v1/audit-events${query}`,
        {
          key,
        },
      )
    ).body;
  const numbers = (events: readonly Event[]) => events.map(({ target }) => Number(target?.slice(6)));

  test('200: newest first over pages, filtered, of the own organization only', async () => {
    const [one, other] = await Promise.all([platform.createTenant(), platform.createTenant()]);
    await addEvents(one.organizationId, 30);
    await addEvents(other.organizationId, 5);
    const seen: number[] = [];
    let cursor = '';
    for (;;) {
      const page = await list(one.key, `?limit=12${cursor}`);
      seen.push(...numbers(page.data));
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => 29 - at));
    expect(numbers((await list(other.key, '')).data)).toEqual([4, 3, 2, 1, 0]);
    const [newest] = (await list(one.key, '?limit=1')).data;
    expect(newest).toEqual({
      id: expect.stringMatching(/^\d+$/),
      at: '2026-01-01T00:29:00.000Z',
      actor: { kind: 'member', id: 'usr_2', name: 'p2@example.com' },
      action: 'action1',
      target: 'target29',
      targetName: null,
      projectId: null,
      changes: [],
      outcome: 'done',
      code: null,
      address: null,
      requestId: null,
    });
    for (const [query, expected] of [
      ['actor=usr_0&outcome=refused', [15, 0]],
      ['actor=p1%40example.com&action=action0&to=2026-01-01T00:12:00Z', [10, 4]],
      ['from=2026-01-01T01:27:00%2B01:00', [29, 28, 27]],
      ['outcome=failed', []],
      ['actor=%00', []],
      ['from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&outcome=refused&limit=1', [25]],
    ] as const) {
      expect([query, numbers((await list(one.key, `?${query}`)).data)]).toEqual([query, expected]);
    }
    for (const query of ['cursor=x', 'outcome=maybe', 'from=yesterday', 'nope=1']) {
      const [param = ''] = query.split('=');
      const reply = await call(platform.url, 'GET', `/v1/audit-events?${query}`, { key: one.key });
      expectError(reply, 400, 'invalid_request', param);
    }
  });

  test('200: the whole log as CSV and as JSON lines, oldest first, with no formula in it', async () => {
    const { organizationId, key } = await platform.createTenant();
    // More than are read at a time.
    await addEvents(organizationId, 2_345);
    const names = ['=HYPERLINK("http://x")', '+1', '-1', '@SUM(A1)', '\ttab', 'quote "and", comma\r\nline'];
    await platform.database.db
      .insertInto('audit_events')
      .values(
        names.map((name) => ({
          organization_id: organizationId,
          actor_kind: 'key' as const,
          actor_name: name,
          action: 'createApiKey',
          outcome: 'done' as const,
        })),
      )
      .execute();
    const take = (query: string) => call(platform.url, 'GET', `/v1/audit-events/export${query}`, { key });
    const csv = await take('');
    expect([csv.status, csv.headers.get('content-type'), csv.headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      'attachment; filename="audit-log.csv"',
    ]);
    const [head, ...rows] = parseCsv(csv.text);
    expect(head?.join(',')).toBe(
      'id,at,actor_kind,actor_id,actor_name,action,target,outcome,code,address,request_id,target_name,project_id,changes',
    );
    expect(rows.slice(0, 2_345).map((row) => row[6])).toEqual(
      Array.from({ length: 2_345 }, (_, at) => `target${at}`),
    );
    expect(rows.slice(2_345).map((row) => row[4])).toEqual([
      ...names.slice(0, 5).map((name) => `'${name}`),
      names[5],
      // The request itself is recorded before its response.
      'test',
    ]);
    const lines = (await take('?format=jsonl')).text.trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Event);
    expect(events.slice(0, 2_352).map(({ id }) => id)).toEqual(rows.map(([id]) => id));
    expect(events.slice(2_345, 2_351).map(({ actor }) => actor.name)).toEqual(names);
    expect(events.slice(2_351).map(({ action }) => action)).toEqual([
      'exportAuditEvents',
      'exportAuditEvents',
    ]);
    const some = await take('?outcome=refused&to=2026-01-01T00:07:00Z');
    expect(parseCsv(some.text).map((row) => row[6])).toEqual(['target', 'target0', 'target5']);
  });

  test('403 role_required: for others than admins', async () => {
    const editor = await platform.createUser({ organizationId: tenant.organizationId, role: 'editor' });
    for (const path of ['/v1/audit-events', '/v1/audit-events/export']) {
      const headers = editor.headers(tenant.organizationId);
      expectError(await call(platform.url, 'GET', path, { headers }), 403, 'role_required');
    }
  });

  test('a worker deletes the events whose days are over, and no others', async () => {
    const { organizationId } = await platform.createTenant();
    const day = 86_400_000;
    await addEvents(organizationId, 1_500, new Date(Date.now() - 40 * day).toISOString());
    await addEvents(organizationId, 3, new Date(Date.now() - 20 * day).toISOString());
    // The worker of the platform has just done it.
    await platform.database.db.deleteFrom('periodic_tasks').execute();
    const worker = platform.start(['worker'], { OFFPRINT_AUDIT_RETENTION_DAYS: '30' });
    const left = () =>
      platform.database.db
        .selectFrom('audit_events')
        .select('at')
        .where('organization_id', '=', organizationId)
        .execute();
    while ((await left()).length > 3) await sleep(50);
    worker.kill('SIGTERM');
    await once(worker, 'exit');
    expect(await left()).toHaveLength(3);
  });
});

/** The fields of a file of RFC 4180. */
function parseCsv(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  const fields = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)];
  expect(fields.map(([whole]) => whole).join('')).toBe(text);
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of fields) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') rows.push([]);
  }
  rows.pop();
  return rows;
}
