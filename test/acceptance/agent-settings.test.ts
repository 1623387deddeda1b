/** `GET` and `PUT /v1/projects/{projectId}/agent`, by status; what is secret never comes out again. */
import type { AgentSettings } from '@offprint/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { createGitProject, MODEL_ENV, REPOSITORY } from './agent.ts';
import { call, createProject, expectError } from './api.ts';

const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----\n${'M'.repeat(64)}\n-----END PRIVATE KEY-----\n`;
const MODEL = { provider: 'openai', model: 'gpt-x' } as const;

let platform: TestPlatform;
let tenant: Tenant;
let projectId: string;

const ask = (method: string, path: string, options: Parameters<typeof call>[3] = {}) =>
  call<AgentSettings & Record<string, unknown>>(platform.url, method, path, { key: tenant.key, ...options });
const get = () => ask('GET', `/v1/projects/${projectId}/agent`);
const put = (body: unknown) => ask('PUT', `/v1/projects/${projectId}/agent`, { body });
const moveTo = (repository: string) =>
  ask('PATCH', `/v1/projects/${projectId}`, { body: { source: { kind: 'git', repository } } });

beforeAll(async () => {
  platform = await startTestPlatform({
    roles: ['api'],
    env: { ...MODEL_ENV, OFFPRINT_ALLOW_PRIVATE_HOSTS: 'models.internal,forge.internal' },
  });
  tenant = await platform.createTenant();
});
beforeEach(async () => {
  projectId = await createGitProject(platform.url, tenant.key);
});
afterAll(() => platform.stop());

describe('200', () => {
  test('a project that has set nothing uses the model of the installation', async () => {
    const reply = await get();
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toEqual({
      isReady: true,
      reason: null,
      usesModel: 'test-model',
      usesPrice: null,
      model: null,
      forge: null,
      instructions: '',
      writeAllow: [],
      docsAtRepositoryRoot: true,
      branchPrefix: 'offprint/',
      updatedAt: null,
    });
    expect(reply.text).not.toContain('sk-installation');
  });

  test('PUT and GET return the same settings, without secrets', async () => {
    const body = {
      model: {
        ...MODEL,
        baseUrl: 'https://models.example.com/v1/',
        apiKey: 'sk-model-secret',
        contextWindow: 32_000,
        maxOutput: 4_000,
        toolMode: 'prompted',
        effort: 'low',
        price: { input: 3, output: 15 },
      },
      forge: { kind: 'github', appId: '12', installationId: '34', privateKey: PRIVATE_KEY },
      instructions: 'Write in British English.',
      writeAllow: ['assets/**/*.js', 'assets/**/*.js'],
      branchPrefix: 'docs/',
    };
    const reply = await put(body);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({
      isReady: true,
      usesModel: 'gpt-x',
      usesPrice: { input: 3, output: 15, cacheRead: 3, cacheWrite: 3 },
      model: {
        ...MODEL,
        baseUrl: 'https://models.example.com/v1',
        contextWindow: 32_000,
        maxOutput: 4_000,
        toolMode: 'prompted',
        effort: 'low',
        price: { input: 3, output: 15, cacheRead: 3, cacheWrite: 3 },
        hasApiKey: true,
      },
      forge: {
        kind: 'github',
        apiUrl: null,
        appId: '12',
        installationId: '34',
        username: null,
        hasSecret: true,
      },
      instructions: 'Write in British English.',
      writeAllow: ['assets/**/*.js'],
      branchPrefix: 'docs/',
    });
    expect((await get()).body).toEqual(reply.body);
    const { rows } = await sql<{
      row: string;
    }>`SELECT to_jsonb(s)::text AS row FROM agent_settings s`.execute(platform.database.db);
    const stored = `${rows.map(({ row }) => row).join()}${reply.text}${platform.log()}`;
    for (const secret of ['sk-model-secret', 'MMMMMMMM', 'sk-installation']) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  test('what is left out goes back to its default', async () => {
    await put({
      model: { ...MODEL, apiKey: 'sk' },
      instructions: 'x',
      branchPrefix: 'docs/',
      writeAllow: ['a'],
    });
    const { body } = await put({});
    expect(body).toMatchObject({
      model: null,
      usesModel: 'test-model',
      instructions: '',
      branchPrefix: 'offprint/',
      writeAllow: [],
    });
  });

  test('a key of a model is kept while it goes to the same place, and null removes it', async () => {
    const hasKey = async (model: object) =>
      (await put({ model: { ...MODEL, ...model } })).body.model?.hasApiKey;
    const baseUrl = 'https://models.example.com/v1';
    expect(await hasKey({ baseUrl, apiKey: 'sk-secret' })).toBe(true);
    expect(await hasKey({ baseUrl: `${baseUrl}/`, model: 'gpt-y' })).toBe(true);
    expect(await hasKey({ baseUrl: 'https://evil.example.com/v1' })).toBe(false);
    expect(await hasKey({ baseUrl })).toBe(false);
    expect(await hasKey({ apiKey: 'sk-secret' })).toBe(true);
    expect(await hasKey({ apiKey: null })).toBe(false);
    expect(await hasKey({ apiKey: 'sk-secret' })).toBe(true);
    expect(await hasKey({ provider: 'anthropic' })).toBe(false);
  });

  test('a secret of a forge is kept while it goes to the same place, also when the repository moves', async () => {
    const hasSecret = async (forge: object) => (await put({ forge })).body.forge?.hasSecret;
    const gitea = { kind: 'gitea', username: 'bot' };
    expect(await hasSecret({ ...gitea, token: 'tok' })).toBe(true);
    expect(await hasSecret(gitea)).toBe(true);
    expect(await hasSecret({ ...gitea, username: 'other' })).toBe(false);
    expect(await hasSecret({ kind: 'gitlab', token: 'tok' })).toBe(true);
    expect(await hasSecret({ kind: 'github' })).toBe(false);
    expect(await hasSecret({ kind: 'github', token: 'tok' })).toBe(true);
    await moveTo('https://git.example.com/acme/other.git');
    expect((await get()).body.forge?.hasSecret).toBe(true);
    await moveTo('https://evil.example.com/acme/docs.git');
    expect((await get()).body.forge?.hasSecret).toBe(false);
    expect(await hasSecret({ kind: 'github' })).toBe(false);
    await moveTo(REPOSITORY);
    expect((await get()).body.forge?.hasSecret).toBe(false);
  });

  test('http to a host that the operator has named', async () => {
    const model = {
      provider: 'openai-compatible',
      model: 'qwen',
      baseUrl: 'http://models.internal:11434/v1',
    };
    const forge = { kind: 'gitlab', apiUrl: 'http://forge.internal/api/v4', token: 'tok' };
    const reply = await put({ model, forge });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body.model?.baseUrl).toBe('http://models.internal:11434/v1');
  });

  test('an address of the API of the own forge needs no secret of its own', async () => {
    for (const apiUrl of ['https://git.example.com/api/v3', 'https://api.git.example.com']) {
      expect((await put({ forge: { kind: 'github', apiUrl } })).status).toBe(200);
    }
  });

  test('puts at the same time leave one of them whole', async () => {
    const bodies = Array.from({ length: 10 }, (_, index) => ({
      model: { ...MODEL, model: `m${index}`, apiKey: `sk${index}` },
      instructions: `m${index}`,
    }));
    const replies = await Promise.all(bodies.map(put));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const { body } = await get();
    expect(body.instructions).toBe(body.model?.model);
  });
});

describe('isReady predicts the response to creating a job', () => {
  const readiness = async (url: string, key: string, project: string) => {
    const settings = await call<AgentSettings>(url, 'GET', `/v1/projects/${project}/agent`, { key });
    const created = await call<{ error: string; code: string }>(url, 'POST', `/v2/agent/${project}/job`, {
      key,
      body: { prompt: 'x' },
    });
    expect(settings.body.isReady).toBe(created.status === 201);
    if (created.status !== 201) expect(settings.body.reason).toBe(created.body.error);
    return created.body.code;
  };

  test('ready, free plan, no Git, air-gapped, no model', async () => {
    expect(await readiness(platform.url, tenant.key, projectId)).toBeUndefined();
    const free = await platform.createTenant('free');
    const poor = await createGitProject(platform.url, free.key);
    expect(await readiness(platform.url, free.key, poor)).toBe('plan_required');
    const upload = await createProject(platform.url, tenant.key, { kind: 'upload' });
    expect(await readiness(platform.url, tenant.key, upload.projectId)).toBe('source_kind_mismatch');
    // Nothing of an air-gapped project leaves the network, unless the operator names the host.
    const sealed = await createGitProject(platform.url, tenant.key);
    await ask('PATCH', `/v1/projects/${sealed}`, { body: { deploymentType: 'air-gapped' } });
    expect(await readiness(platform.url, tenant.key, sealed)).toBeUndefined();
    const settings = `/v1/projects/${sealed}/agent`;
    await ask('PUT', settings, { body: { model: MODEL } });
    expect(await readiness(platform.url, tenant.key, sealed)).toBe('model_missing');
    const inside = { ...MODEL, baseUrl: 'https://models.internal/v1' };
    await ask('PUT', settings, { body: { model: inside } });
    expect(await readiness(platform.url, tenant.key, sealed)).toBeUndefined();
    // openai-compatible without a URL is not a configured model.
    const bare = await platform.startApi({ OFFPRINT_AGENT_BASE_URL: '' });
    expect(await readiness(bare, tenant.key, projectId)).toBe('model_missing');
  });
});

describe('400 invalid_request', () => {
  test.each([
    [{ surprise: 1 }, '/surprise'],
    [{ model: { provider: 'openai-compatible', model: 'm' } }, '/model/baseUrl'],
    [{ model: { ...MODEL, baseUrl: 'http://models.example.com/v1' } }, '/model/baseUrl'],
    [{ model: { ...MODEL, baseUrl: 'http://127.0.0.1:11434/v1' } }, '/model/baseUrl'],
    [{ model: { ...MODEL, baseUrl: 'https://u:p@models.example.com' } }, '/model/baseUrl'],
    [{ model: { ...MODEL, surprise: 1 } }, '/model/surprise'],
    [{ forge: { kind: 'bitbucket' } }, '/forge/kind'],
    [{ forge: { kind: 'gitlab', apiUrl: 'http://git.example.com/api/v4', token: 'x' } }, '/forge/apiUrl'],
    // The credential of the repository would go there.
    [{ forge: { kind: 'gitlab', apiUrl: 'https://evil.example.com/api/v4' } }, '/forge/apiUrl'],
    [{ forge: { kind: 'github', appId: '1', installationId: '2', token: 'x' } }, '/forge/token'],
    [{ writeAllow: ['../../etc/*'] }, '/writeAllow/0'],
    [{ branchPrefix: 'a b' }, '/branchPrefix'],
  ])('%j', async (body, param) => {
    expectError(await put(body), 400, 'invalid_request', param);
    expect((await get()).body.updatedAt).toBeNull();
  });

  test('a secret in a wrong body is not repeated in the response or the log', async () => {
    const reply = await put({ model: { ...MODEL, apiKey: 'sk-very secret' } });
    expectError(reply, 400, 'invalid_request', '/model/apiKey');
    expect(reply.text + platform.log()).not.toContain('sk-very');
  });
});

test('401 unauthorized, 403 scope_missing and 404 not_found', async () => {
  const path = `/v1/projects/${projectId}/agent`;
  const stranger = await platform.createTenant();
  const readOnly = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
  for (const method of ['GET', 'PUT']) {
    const options = method === 'PUT' ? { body: { instructions: 'mine now' } } : {};
    expectError(await ask(method, path, { ...options, key: undefined }), 401, 'unauthorized');
    const foreign = await ask(method, path, { ...options, key: stranger.key });
    const unknown = await ask(method, `/v1/projects/prj_${'0'.repeat(32)}/agent`, options);
    for (const reply of [foreign, unknown]) expectError(reply, 404, 'not_found');
    expect(foreign.body.error).toBe(unknown.body.error);
  }
  expectError(await ask('PUT', path, { body: {}, key: readOnly }), 403, 'scope_missing');
  expect((await ask('GET', path, { key: readOnly })).body.instructions).toBe('');
});
