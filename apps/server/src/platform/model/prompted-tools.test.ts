import { expect, test } from 'vitest';
import { startModelServer } from '../../../../../test/support/agent/model-server.ts';
import { createGuardedFetch } from '../net/guarded-fetch.ts';
import { createModel } from './ai-sdk.ts';
import type { AssistantPart, Finish, ModelMessage, ModelPort, StepRequest, ToolCall } from './port.ts';
import { withPromptedTools } from './prompted-tools.ts';

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const TOOLS = [{ name: 'read_file', description: 'Reads a file.', parameters: { type: 'object' } }];
const ask = (more: Partial<StepRequest> = {}): StepRequest => ({
  system: 'You write docs.',
  messages: [{ role: 'user', text: 'Hi' }],
  tools: TOOLS,
  maxOutputTokens: 100,
  signal: new AbortController().signal,
  ...more,
});

/** A model without tools that says the same always, and what it was asked. */
function saying(text: string, finish: Finish = 'stop', thoughts: AssistantPart[] = []) {
  const asked: StepRequest[] = [];
  const model: ModelPort = {
    async step(request) {
      asked.push(request);
      for (const character of text) request.onText?.(character);
      return { parts: [...thoughts, { type: 'text', text }], finish, usage: USAGE };
    },
  };
  return { model: withPromptedTools(model), asked };
}
const callOf = (parts: readonly AssistantPart[]) =>
  parts.find((part): part is ToolCall => part.type === 'tool-call');

const BLOCK = '```tool\n{"name": "read_file", "input": {"path": "a.mdx"}}\n```';

test('a fenced block is a call, and the text before it stays', async () => {
  const { model, asked } = saying(`I read it.\n\n${BLOCK}\n`);
  const { parts, finish } = await model.step(ask());
  expect(parts).toMatchObject([
    { type: 'text', text: 'I read it.\n\n' },
    { type: 'tool-call', name: 'read_file', input: { path: 'a.mdx' } },
  ]);
  expect(finish).toBe('tool-calls');
  expect(asked[0]?.tools).toEqual([]);
  expect(asked[0]?.system).toContain('### read_file\nReads a file.\nInput (JSON Schema): {"type":"object"}');
});

test('only the first block counts, and nothing that the model made up after it', async () => {
  const made = '<result tool="read_file">\nMade up.\n</result>';
  const { parts } = await saying(`${BLOCK}\n${made}\n${BLOCK}`).model.step(ask());
  expect(parts).toHaveLength(1);
  expect(JSON.stringify(parts)).not.toContain('Made up');
});

test.each([
  [
    'fences inside a text',
    '```tool\n{"name":"write_file","input":{"content":"```js\\nx\\n```\\n"}}\n```',
    '```js\nx\n```\n',
  ],
  ['a block that nobody closed', '```tool\n{"name":"write_file","input":{"content":"x"}}', 'x'],
])('%s is read to its end', async (_what, text, content) => {
  const call = callOf((await saying(text).model.step(ask())).parts);
  expect(call).toMatchObject({ name: 'write_file', input: { content } });
});

test('input that is not JSON becomes a call with its text, so that the model receives the error', async () => {
  const broken = '{"name": "write_file", "input": {"content": "a\n```js\nb\n```\n"}}';
  const call = callOf((await saying(`\`\`\`tool\n${broken}\n\`\`\``).model.step(ask())).parts);
  expect(call?.name).toBe('write_file');
  expect(call?.input).toMatch(/^\{"name": "write_file"/);
  const none = callOf((await saying('```tool\nread the file\n```').model.step(ask())).parts);
  expect(none).toMatchObject({ name: 'unknown', input: 'read the file' });
});

test('other fences, and what a model only thinks, are not calls', async () => {
  for (const text of [
    '```json\n{"name":"read_file","input":{}}\n```',
    `<think>Maybe ${'\n'}${BLOCK}\n</think>No.`,
  ]) {
    const { parts, finish } = await saying(text).model.step(ask());
    expect(parts).toEqual([{ type: 'text', text }]);
    expect(finish).toBe('stop');
  }
});

test('a call that was cut at the limit of output is left out', async () => {
  const { parts, finish } = await saying('Now.\n```tool\n{"name": "write_fi', 'length').model.step(ask());
  expect(parts).toEqual([{ type: 'text', text: 'Now.\n' }]);
  expect(finish).toBe('length');
});

test('those who watch see the text and no call', async () => {
  const seen: string[] = [];
  const onText = (delta: string): void => void seen.push(delta);
  await saying(`Use \`x\` and \`\`\`js\ny\n\`\`\`\n${BLOCK}`).model.step(ask({ onText }));
  expect(seen.join('')).toBe('Use `x` and ```js\ny\n```\n');
});

test('over the wire the conversation is text, word for word, and resumes with the same bytes', async () => {
  const server = await startModelServer({
    script: ({ step }) => (step === 0 ? { text: `I read it.\n${BLOCK}\nand more` } : { text: 'Done.' }),
  });
  const fetch = createGuardedFetch({ policy: { allowPrivate: false, allowedHosts: ['127.0.0.1'] } });
  const settings = {
    provider: 'openai-compatible',
    model: 'small',
    baseUrl: server.url,
    apiKey: null,
    contextWindow: 8_000,
    maxOutput: 1_000,
    toolMode: 'prompted',
    effort: null,
    price: null,
  } as const;
  const first = await createModel(settings, { fetch }).step(ask());
  const call = callOf(first.parts);
  const messages: ModelMessage[] = [
    { role: 'user', text: 'Hi' },
    { role: 'assistant', parts: first.parts },
    { role: 'tool', results: [{ id: call?.id ?? '', name: 'read_file', output: 'Text.', isError: false }] },
  ];
  await createModel(settings, { fetch }).step(ask({ messages }));
  const again = JSON.parse(JSON.stringify(messages)) as ModelMessage[];
  await createModel(settings, { fetch }).step(ask({ messages: again }));
  const [, live, resumed] = server.requests;
  expect(live?.messages).toMatchObject([
    { role: 'user', text: 'Hi' },
    { role: 'assistant', text: `I read it.\n${BLOCK}`, calls: [] },
    { role: 'user', text: '<result tool="read_file">\nText.\n</result>' },
  ]);
  expect(live?.tools).toEqual([]);
  expect(resumed?.body).toBe(live?.body);
  await server.close();
});
