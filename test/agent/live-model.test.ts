/**
 * The adapter against a real model, when somebody names one: docs/agent/models.mdx, "Try it". Three short calls.
 */
import { describe, expect, test } from 'vitest';
import { createModel } from '../../apps/server/src/platform/model/ai-sdk.ts';
import type { ModelSettings, StepRequest } from '../../apps/server/src/platform/model/port.ts';
import { createGuardedFetch } from '../../apps/server/src/platform/net/guarded-fetch.ts';

const { env } = process;
const provider = env.OFFPRINT_LIVE_PROVIDER;
const name = env.OFFPRINT_LIVE_MODEL;
const isNamed = provider !== undefined && name !== undefined;
const why = isNamed ? '' : ' (skipped: OFFPRINT_LIVE_PROVIDER and OFFPRINT_LIVE_MODEL name no model)';

if (!isNamed) console.info(`The live suite of models is not run${why}.`);

const settings: ModelSettings = {
  provider: provider as ModelSettings['provider'],
  model: name ?? '',
  baseUrl: env.OFFPRINT_LIVE_BASE_URL ?? null,
  apiKey: env.OFFPRINT_LIVE_API_KEY ?? null,
  contextWindow: 32_000,
  maxOutput: 2_000,
  toolMode: env.OFFPRINT_LIVE_TOOL_MODE === 'prompted' ? 'prompted' : 'native',
  effort: null,
  price: null,
};
const fetch = createGuardedFetch({ policy: { allowPrivate: true, allowedHosts: [], allowHttp: true } });
const ask: StepRequest = {
  system: 'You answer questions about files. You know them only by reading them.',
  messages: [{ role: 'user', text: 'Which word is in word.txt? Read it, then say the word.' }],
  tools: [
    {
      name: 'read_file',
      description: 'Reads a file.',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ],
  maxOutputTokens: 2_000,
  signal: AbortSignal.timeout(300_000),
};

describe.skipIf(!isNamed)(`a real model${why}`, () => {
  test('calls a tool, and takes its result back in a conversation that was stored', async () => {
    const first = await createModel(settings, { fetch }).step(ask);
    const call = first.parts.find((part) => part.type === 'tool-call');
    expect(first.finish).toBe('tool-calls');
    expect(call).toMatchObject({ name: 'read_file', input: { path: expect.stringContaining('word.txt') } });
    expect(first.usage.input).toBeGreaterThan(0);
    const messages = JSON.parse(
      JSON.stringify([
        ...ask.messages,
        { role: 'assistant', parts: first.parts },
        {
          role: 'tool',
          results: [{ id: call?.id, name: 'read_file', output: 'quokka-417', isError: false }],
        },
      ]),
    ) as StepRequest['messages'];
    const second = await createModel(settings, { fetch }).step({ ...ask, messages });
    const said = second.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    expect(said).toContain('quokka-417');
    expect(second.finish).toBe('stop');
  }, 600_000);

  test.skipIf(settings.apiKey === null)(
    settings.apiKey === null
      ? 'a wrong key (skipped: OFFPRINT_LIVE_API_KEY is not set)'
      : 'refuses a wrong key',
    async () => {
      const wrong = createModel({ ...settings, apiKey: 'sk-wrong-0123456789' }, { fetch });
      await expect(wrong.step(ask)).rejects.toMatchObject({ fault: 'auth' });
    },
  );
});
