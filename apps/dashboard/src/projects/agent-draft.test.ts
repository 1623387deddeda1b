import { type AgentSettings, updateAgentSettingsBody } from '@offprint/contract';
import { expect, test } from 'vitest';
import { agentBody, agentDraftOf } from './agent-draft.ts';

const settings: AgentSettings = {
  isReady: true,
  reason: null,
  usesModel: 'claude-sonnet-4-5',
  usesPrice: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  model: {
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    baseUrl: null,
    contextWindow: 180_000,
    maxOutput: 8_000,
    toolMode: 'native',
    effort: 'high',
    price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    hasApiKey: true,
  },
  forge: {
    kind: 'github',
    apiUrl: null,
    appId: '123',
    installationId: '456',
    username: null,
    hasSecret: true,
  },
  instructions: 'Write in British English.',
  writeAllow: ['snippets/**', 'assets/*.svg'],
  docsAtRepositoryRoot: false,
  branchPrefix: 'offprint/',
  updatedAt: '2026-06-01T12:00:00.000Z',
};

test('saving an untouched form changes nothing and keeps the secrets', () => {
  const body = agentBody(agentDraftOf(settings), settings);
  expect(updateAgentSettingsBody.safeParse(body).success).toBe(true);
  expect(body).toEqual({
    model: {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      baseUrl: null,
      contextWindow: 180_000,
      maxOutput: 8_000,
      toolMode: 'native',
      effort: 'high',
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    },
    forge: { kind: 'github', apiUrl: null, appId: '123', installationId: '456' },
    instructions: 'Write in British English.',
    writeAllow: ['snippets/**', 'assets/*.svg'],
    branchPrefix: 'offprint/',
  });
});

test('a secret is sent when one was typed, and removed when that was asked for', () => {
  const draft = { ...agentDraftOf(settings), forge: 'gitlab' as const };
  expect(agentBody({ ...draft, apiKey: ' sk-1 ', dropsToken: true }, settings)).toMatchObject({
    model: { apiKey: 'sk-1' },
    forge: { kind: 'gitlab', token: null },
  });
});

test('settings of the installation are null', () => {
  const body = agentBody({ ...agentDraftOf(settings), provider: '', forge: '' }, settings);
  expect(body).toMatchObject({ model: null, forge: null });
});
