/** `POST /v1/projects/{projectId}/agent/model-test`, against a model server that speaks the three wire formats. */
import type { AgentModelTest } from '@offprint/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Answer, type ModelServer, startModelServer } from '../support/agent/model-server.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { createGitProject } from './agent.ts';
import { call, createProject, expectError } from './api.ts';

const KEY = 'sk-model-test-0123456789';
const CALLS: Answer = { calls: [{ name: 'report_color', input: { color: 'blue' } }] };

let platform: TestPlatform;
let model: ModelServer;
let tenant: Tenant;
let projectId: string;
let answer: Answer;

beforeAll(async () => {
  model = await startModelServer({ script: () => answer, apiKey: KEY });
  platform = await startTestPlatform({
    roles: ['api'],
    env: { OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
  });
});
beforeEach(async () => {
  // One for each test: tests of an organization are limited.
  tenant = await platform.createTenant('pro');
  answer = CALLS;
  projectId = await createGitProject(platform.url, tenant.key);
});
afterEach(() => expect(platform.log()).not.toContain(KEY));
afterAll(async () => {
  await platform.stop();
  await model.close();
});

const settings = (changes: object) => ({
  model: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url, apiKey: KEY, ...changes },
});
async function testModel(changes: object = {}): Promise<AgentModelTest> {
  const stored = await call(platform.url, 'PUT', `/v1/projects/${projectId}/agent`, {
    key: tenant.key,
    body: settings(changes),
  });
  expect(stored.status, stored.text).toBe(200);
  const reply = await post();
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}
const post = () =>
  call<AgentModelTest & Record<string, unknown>>(
    platform.url,
    'POST',
    `/v1/projects/${projectId}/agent/model-test`,
    { key: tenant.key },
  );

test.each(['openai-compatible', 'openai', 'anthropic'])(
  'a model of %s that calls the tool passes',
  async (provider) => {
    const before = model.requests.length;
    const result = await testModel({ provider });
    expect(result).toEqual({
      outcome: 'passed',
      message: expect.stringMatching(/^The model responded in \d+\.\d s and called a tool\.$/),
      model: 'scripted',
      host: '127.0.0.1',
      milliseconds: expect.any(Number),
      inputTokens: expect.any(Number),
      outputTokens: expect.any(Number),
    });
    expect(model.requests.length - before, 'one request').toBe(1);
  },
);

test('a model that only writes text fails with advice, and so does an unknown tool', async () => {
  answer = { text: 'Blue.' };
  expect(await testModel()).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('did not call the tool. Agent jobs need this. If the server'),
  });
  answer = { calls: [{ name: 'other', input: {} }] };
  expect((await testModel()).message).toContain('called an unknown tool (other)');
});

test('tools in text are tested as text', async () => {
  answer = { text: '```tool\n{"name": "report_color", "input": {"color": "blue"}}\n```' };
  expect(await testModel({ toolMode: 'prompted' })).toMatchObject({ outcome: 'passed' });
  answer = { text: 'Blue.' };
  expect((await testModel({ toolMode: 'prompted' })).message).toContain('Use a model that follows');
});

test('a server without token usage is reported, and passes', async () => {
  answer = { ...CALLS, usage: null };
  expect(await testModel()).toMatchObject({ outcome: 'passed', inputTokens: null, outputTokens: null });
});

test('a wrong key and an unreachable host are results with the reason, and never show the key', async () => {
  const wrong = await testModel({ apiKey: 'sk-wrong-key-000000000' });
  expect(wrong).toMatchObject({ outcome: 'failed', inputTokens: null, outputTokens: null });
  expect(wrong.message).toMatch(/key/i);
  expect(JSON.stringify(wrong)).not.toContain('sk-wrong-key');
  const nobody = await testModel({ baseUrl: 'http://127.0.0.1:9/v1' });
  expect(nobody).toMatchObject({ outcome: 'failed', message: expect.stringContaining('127.0.0.1') });
});

test('a project with uploaded docs can test its model before it gets one', async () => {
  projectId = (await createProject(platform.url, tenant.key, { kind: 'upload' })).projectId;
  expect(await testModel()).toMatchObject({ outcome: 'passed' });
});

test('a project without a model, gets the reason of createAgentJob', async () => {
  expectError(await post(), 409, 'model_missing');
});
