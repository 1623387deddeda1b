import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type Answer,
  type Fault,
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from '../../../../../test/support/agent/model-server.ts';
import { createGuardedFetch } from '../net/guarded-fetch.ts';
import { createModel } from './ai-sdk.ts';
import type { ModelTimeouts } from './endpoint.ts';
import type { AssistantPart, ModelMessage, ModelSettings, StepRequest, ToolDefinition } from './port.ts';

const KEY = 'sk-test-Zm9vYmFyYmF6-0123456789';
const PROVIDERS = ['anthropic', 'openai', 'openai-compatible'] as const;
const MODELS = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5', 'openai-compatible': 'qwen3' };
const TOOLS: ToolDefinition[] = ['read_file', 'search'].map((name) => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}));
const CALLS: Answer = {
  reasoning: 'The page first.',
  text: 'I look – at it.',
  calls: [
    { name: 'read_file', input: { path: 'index.mdx', zoo: { b: 1, aa: [2, { c: 3 }] } } },
    { name: 'search', input: { path: 'docs' } },
  ],
  usage: { input: 1000, output: 200, cacheRead: 600, cacheWrite: 300, reasoning: 50 },
};

let server: ModelServer | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  const closing = server;
  server = undefined;
  await closing?.close();
});

async function start(options: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
  server = await startModelServer({
    script: ({ step }) => (step === 0 ? CALLS : { text: 'Done.' }),
    ...options,
  });
  return server;
}

const local = createGuardedFetch({ policy: { allowPrivate: false, allowedHosts: ['127.0.0.1'] } });

function modelOf(
  provider: ModelSettings['provider'],
  settings: Partial<ModelSettings> = {},
  timeouts?: ModelTimeouts,
) {
  const model: ModelSettings = {
    provider,
    model: MODELS[provider],
    baseUrl: server?.url ?? null,
    apiKey: KEY,
    contextWindow: 200_000,
    maxOutput: 4_000,
    toolMode: 'native',
    effort: null,
    price: null,
    ...settings,
  };
  return createModel(model, { fetch: local, ...(timeouts === undefined ? {} : { timeouts }) });
}

const ask = (messages: readonly ModelMessage[] = [], more: Partial<StepRequest> = {}): StepRequest => ({
  system: 'You write docs.',
  messages: [{ role: 'user', text: 'Mend the page.' }, ...messages],
  tools: TOOLS,
  maxOutputTokens: 4_000,
  signal: new AbortController().signal,
  ...more,
});

/** A response and the results of its calls, as a conversation continues with them. */
const after = (parts: readonly AssistantPart[]): ModelMessage[] => [
  { role: 'assistant', parts: [...parts] },
  {
    role: 'tool',
    results: parts.flatMap((part) =>
      part.type === 'tool-call' ? [{ id: part.id, name: part.name, output: 'Found.', isError: false }] : [],
    ),
  },
];

/** As a database of JSON gives it back: the keys of objects in another order. */
function stored<T>(value: T): T {
  const shuffle = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(shuffle);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one)
        .reverse()
        .map(([key, member]) => [key, shuffle(member)]),
    );
  };
  return shuffle(JSON.parse(JSON.stringify(value))) as T;
}

describe.each(PROVIDERS)('%s', (provider) => {
  test('a response arrives whole: thoughts, text, parallel calls and every kind of token', async () => {
    await start();
    const deltas: string[] = [];
    const result = await modelOf(provider).step(ask([], { onText: (delta) => void deltas.push(delta) }));
    expect(result.parts.map(({ meta, ...part }) => part)).toEqual([
      { type: 'reasoning', text: 'The page first.' },
      { type: 'text', text: 'I look – at it.' },
      { type: 'tool-call', id: 'call_0_0', name: 'read_file', input: CALLS.calls?.[0]?.input },
      { type: 'tool-call', id: 'call_0_1', name: 'search', input: { path: 'docs' } },
    ]);
    expect(result.finish).toBe('tool-calls');
    // Chat completions tell nothing of what a cache took.
    const cacheWrite = provider === 'openai-compatible' ? 0 : 300;
    expect(result.usage).toEqual({ input: 1000, output: 200, cacheRead: 600, cacheWrite, reasoning: 50 });
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe('I look – at it.');
    expect(server?.requests[0]).toMatchObject({
      model: MODELS[provider],
      system: 'You write docs.',
      messages: [{ role: 'user', text: 'Mend the page.' }],
      tools: TOOLS,
    });
  });

  test('the results of calls go back by their ids', async () => {
    await start();
    const first = await modelOf(provider).step(ask());
    const second = await modelOf(provider).step(ask(after(first.parts)));
    expect(second).toMatchObject({ parts: [{ type: 'text', text: 'Done.' }], finish: 'stop' });
    expect(server?.requests[1]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', text: 'I look – at it.', calls: [{ id: 'call_0_0' }, { id: 'call_0_1' }] },
      {
        role: 'tool',
        results: [
          { id: 'call_0_0', text: 'Found.' },
          { id: 'call_0_1', text: 'Found.' },
        ],
      },
    ]);
  });

  test('a conversation that was stored and read again makes the same bytes', async () => {
    await start();
    const first = await modelOf(provider).step(ask());
    const messages = after(first.parts);
    await modelOf(provider).step(ask(messages));
    await modelOf(provider).step(ask(stored(messages)));
    const [, live, resumed] = server?.requests ?? [];
    expect(resumed?.body).toBe(live?.body);
    // What the provider signed or encrypted is in them.
    const seal = provider === 'openai-compatible' ? '"reasoning_content":"The page first."' : 'c2lnbmF0dXJl';
    expect(live?.body).toContain(seal);
  });

  test('the key is sent in the header of its API and nowhere else', async () => {
    await start({ apiKey: KEY });
    await modelOf(provider).step(ask());
    const { headers, body, path } = server?.requests[0] ?? { headers: {}, body: '', path: '' };
    const holders = Object.entries(headers).filter(([, value]) => String(value).includes(KEY));
    const expected = provider === 'anthropic' ? [['x-api-key', KEY]] : [['authorization', `Bearer ${KEY}`]];
    expect(holders).toEqual(expected);
    expect(body + path).not.toContain(KEY);
    expect(headers['user-agent']).toBe('Offprint');
    expect(headers).not.toHaveProperty('anthropic-beta');
  });

  test('without a key none is sent, and nothing is taken from the environment', async () => {
    for (const name of ['ANTHROPIC', 'OPENAI']) {
      vi.stubEnv(`${name}_API_KEY`, KEY);
      vi.stubEnv(`${name}_BASE_URL`, 'http://127.0.0.1:1/v1');
    }
    await start();
    await modelOf(provider, { apiKey: null }).step(ask());
    expect(server?.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server?.requests[0]?.headers).not.toHaveProperty('x-api-key');
  });

  const FAULTS: [Fault, object][] = [
    [{ kind: 'status', status: 401 }, { fault: 'auth' }],
    [{ kind: 'status', status: 402 }, { fault: 'auth' }],
    [{ kind: 'status', status: 403 }, { fault: 'auth' }],
    [
      { kind: 'status', status: 429, retryAfter: '2' },
      { fault: 'rate-limited', retryAfterMs: 2_000 },
    ],
    [
      { kind: 'status', status: 429, retryAfter: '3600' },
      { fault: 'rate-limited', retryAfterMs: 3_600_000 },
    ],
    [
      { kind: 'status', status: 429 },
      { fault: 'rate-limited', retryAfterMs: null },
    ],
    [
      { kind: 'status', status: 529, retryAfter: '7' },
      { fault: 'overloaded', retryAfterMs: 7_000 },
    ],
    [{ kind: 'status', status: 503 }, { fault: 'overloaded' }],
    [
      { kind: 'status', status: 500 },
      { fault: 'unavailable', retryAfterMs: null },
    ],
    [{ kind: 'status', status: 502 }, { fault: 'unavailable' }],
    [
      { kind: 'status', status: 400, message: 'Bad tools.' },
      { fault: 'invalid', message: /400\): Bad tools\.$/ },
    ],
    [
      { kind: 'status', status: 404, message: 'No such model.' },
      { fault: 'invalid', message: /No such model/ },
    ],
    [{ kind: 'context-length' }, { fault: 'context-overflow' }],
    [{ kind: 'error-event', code: 'overloaded_error' }, { fault: 'overloaded' }],
    [{ kind: 'error-event', code: 'rate_limit_exceeded' }, { fault: 'rate-limited' }],
    [{ kind: 'error-event', code: 'server_error' }, { fault: 'unavailable' }],
    [{ kind: 'reset' }, { fault: 'cut' }],
    [{ kind: 'cut' }, { fault: 'cut' }],
    [{ kind: 'page' }, { fault: 'invalid', message: /text\/html .* Check the base URL/ }],
  ];
  test('every error of a server is distinguished, without a retry, and the next call succeeds', async () => {
    await start();
    for (const [fault, { message, ...expected }] of FAULTS as [Fault, { message?: RegExp }][]) {
      // Anthropic has names of its own for the same events.
      const own =
        fault.kind === 'error-event' && provider === 'anthropic' ? anthropicEvent(fault.code) : fault;
      server?.faults.push({ step: 0, fault: own });
      const before = server?.requests.length ?? 0;
      const error = await modelOf(provider)
        .step(ask())
        .then(
          () => null,
          (thrown: unknown) => thrown,
        );
      expect(error, JSON.stringify(fault)).toMatchObject({ name: 'ModelError', ...expected });
      if (message !== undefined) expect((error as Error).message).toMatch(message);
      expect(server?.requests.length, 'calls of one step').toBe(before + 1);
    }
    await expect(modelOf(provider).step(ask())).resolves.toMatchObject({ finish: 'tool-calls' });
  });

  test('silence is a timeout: before the first byte, in the middle, and in all', async () => {
    const long = 60_000;
    const cases: [Fault, ModelTimeouts, RegExp][] = [
      [{ kind: 'hang' }, { firstByteMs: 60, idleMs: long, callMs: long }, /sent no response/],
      [{ kind: 'stall' }, { firstByteMs: long, idleMs: 60, callMs: long }, /stopped sending/],
      [{ kind: 'stall' }, { firstByteMs: long, idleMs: long, callMs: 60 }, /did not finish/],
    ];
    for (const [fault, timeouts, message] of cases) {
      await server?.close();
      await start({ faults: [{ step: 0, fault }] });
      const error = await modelOf(provider, {}, timeouts)
        .step(ask())
        .catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ name: 'ModelError', fault: 'timeout' });
      expect((error as Error).message).toMatch(message);
    }
  });

  test('an abort ends a call with its own reason', async () => {
    await start();
    const reason = new Error('cancelled');
    const model = modelOf(provider);
    await expect(model.step(ask([], { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(server?.requests).toHaveLength(0);

    server?.faults.push({ step: 0, fault: { kind: 'hang' } }, { step: 0, fault: { kind: 'stall' } });
    const hanging = new AbortController();
    const waiting = model.step(ask([], { signal: hanging.signal }));
    await expect.poll(() => server?.requests.length).toBe(1);
    hanging.abort(reason);
    await expect(waiting).rejects.toBe(reason);

    const streaming = new AbortController();
    const onText = (): void => streaming.abort(reason);
    await expect(model.step(ask([], { signal: streaming.signal, onText }))).rejects.toBe(reason);
  });

  test('mistakes of a model are passed on unchanged, and the conversation can continue with them', async () => {
    await start();
    server?.faults.push(
      { step: 0, fault: { kind: 'bad-json' } },
      { step: 0, fault: { kind: 'unknown-tool' } },
      { step: 0, fault: { kind: 'duplicate-ids' } },
    );
    const model = modelOf(provider);
    const calls = async () => {
      const { parts } = await model.step(ask());
      await model.step(ask(after(parts)));
      return parts.filter((part) => part.type === 'tool-call');
    };
    expect(await calls()).toMatchObject([{ input: '{"path": "index.mdx' }, { name: 'search' }]);
    expect(server?.requests.at(-1)?.messages[1]?.calls[0]?.input).toEqual({
      unreadable: '{"path": "index.mdx',
    });
    expect(await calls()).toMatchObject([
      { name: 'run_shell', input: { command: 'ls' } },
      { name: 'search' },
    ]);
    const same = await calls();
    expect(same.map(({ name }) => name)).toEqual(['read_file', 'search']);
  });

  test('a response at its limit, a withheld one, an empty one and one without usage are reported as such', async () => {
    await start();
    for (const kind of ['length', 'filtered', 'empty', 'no-usage'] as const) {
      server?.faults.push({ step: 0, fault: { kind } });
    }
    const model = modelOf(provider);
    const cut = await model.step(ask());
    // The last call may be damaged.
    expect(cut.finish).toBe('length');
    expect(cut.parts.filter(({ type }) => type === 'tool-call')).toMatchObject([{ name: 'read_file' }]);
    expect(await model.step(ask())).toMatchObject({ finish: 'content-filter', parts: [] });
    expect(await model.step(ask())).toMatchObject({ finish: 'stop', parts: [] });
    const { usage, parts } = await model.step(ask());
    expect(usage).toEqual({
      input: 0,
      output: provider === 'anthropic' ? expect.any(Number) : 0,
      cacheRead: 0,
      cacheWrite: 0,
      reasoning: 0,
    });
    expect(parts).toHaveLength(4);
  });

  test('no message quotes the key, whatever the server says', async () => {
    await start();
    const message = `Incorrect API key provided: ${KEY} (${KEY.slice(0, 9)}*****6789).\n\u202eBearer ${KEY}`;
    server?.faults.push({ step: 0, fault: { kind: 'status', status: 401, message } });
    const error = (await modelOf(provider)
      .step(ask())
      .catch((thrown: Error) => thrown)) as Error;
    expect(error.message).toMatch(/Incorrect API key provided: \[key\]/);
    expect(error.message).not.toMatch(/Zm9v|6789|[\n\u202e]/);
    const broken = modelOf(provider, { apiKey: `${KEY}\n` });
    const refused = (await broken.step(ask()).catch((thrown: Error) => thrown)) as Error;
    expect(refused).toMatchObject({ fault: 'auth', message: expect.not.stringContaining('Zm9v') });
  });

  test('ids that come again and names that nobody takes back are sent as ones of our own', async () => {
    await start();
    const call = (id: string, name: string): AssistantPart => ({ type: 'tool-call', id, name, input: {} });
    const messages = [
      ...after([call('call_1', 'read_file'), call('functions.read:0', 'read file!')]),
      ...after([call('call_1', '')]),
    ];
    await modelOf(provider).step(ask(messages));
    const [, first, results, second, again] = server?.requests[0]?.messages ?? [];
    const ids = [first, second].flatMap((message) => message?.calls.map(({ id }) => id) ?? []);
    expect(new Set(ids).size).toBe(3);
    expect([results, again].flatMap((message) => message?.results.map(({ id }) => id) ?? [])).toEqual(ids);
    expect(first?.calls[1]?.name).toBe('read_file_');
  });
});

function anthropicEvent(code: string): Fault {
  const codes: Record<string, string> = {
    rate_limit_exceeded: 'rate_limit_error',
    server_error: 'api_error',
  };
  return { kind: 'error-event', code: codes[code] ?? code };
}

test('Anthropic is asked to cache the system text and all up to the last message of this step and the one before', async () => {
  await start();
  const { parts } = await modelOf('anthropic').step(ask());
  await modelOf('anthropic').step(ask(after(parts)));
  const body = JSON.parse(server?.requests[1]?.body ?? '{}') as {
    system: object[];
    messages: { content: object[] }[];
  };
  const marked = [...body.system, ...body.messages.flatMap(({ content }) => content)].map(
    (block) => 'cache_control' in block,
  );
  // System, prompt, thought, text, two calls, two results.
  expect(marked).toEqual([true, true, false, false, false, false, false, true]);
});

test('Anthropic finds what it cached after a step with more blocks than it looks back', async () => {
  await start();
  const { parts } = await modelOf('anthropic').step(ask());
  const calls = Array.from({ length: 14 }, (_, index): AssistantPart => {
    return { type: 'tool-call', id: `many_${index}`, name: 'read_file', input: {} };
  });
  const marks = (body = '{}') => {
    const { system, messages } = JSON.parse(body) as {
      system: object[];
      messages: { content: object[] }[];
    };
    const blocks = [...system, ...messages.flatMap(({ content }) => content)];
    return blocks.flatMap((block, index) => ('cache_control' in block ? [index] : []));
  };
  const first = ask(after(parts));
  await modelOf('anthropic').step(first);
  await modelOf('anthropic').step({ ...first, messages: [...first.messages, ...after(calls)] });
  const before = marks(server?.requests[1]?.body);
  const now = marks(server?.requests[2]?.body);
  expect(now.length).toBeLessThanOrEqual(4);
  expect(now.at(-1)).toBeGreaterThan((before.at(-1) ?? 0) + 20);
  // The end of the request before is marked again, so it is found whatever came since.
  expect(now).toContain(before.at(-1));
});

test('Anthropic checks inputs of calls before it streams them', async () => {
  await start();
  await modelOf('anthropic').step(ask());
  expect(server?.requests[0]?.body).not.toContain('eager_input_streaming');
});

test('OpenAI keeps nothing of a conversation and does not rewrite schemas', async () => {
  await start();
  await modelOf('openai').step(ask());
  expect(JSON.parse(server?.requests[0]?.body ?? '{}')).toMatchObject({
    store: false,
    include: ['reasoning.encrypted_content'],
    tools: [{ strict: false }, { strict: false }],
  });
});

test('OpenAI receives one cache key for all steps of a conversation, and another one for another conversation', async () => {
  await start();
  const first = await modelOf('openai').step(ask());
  await modelOf('openai').step(ask(after(first.parts)));
  await modelOf('openai').step(ask([], { messages: [{ role: 'user', text: 'Another job.' }] }));
  const keys = server?.requests.map(({ body }) => JSON.parse(body).prompt_cache_key) ?? [];
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

test.each([
  ['anthropic', { output_config: { effort: 'high' } }],
  ['openai', { reasoning: { effort: 'high' }, include: ['reasoning.encrypted_content'] }],
  ['openai-compatible', { reasoning_effort: 'high' }],
] as const)(
  '%s receives the configured effort under its own name, and none without one',
  async (provider, expected) => {
    await start({ script: () => ({ text: 'Done.' }) });
    // A name that a gateway made up: no library knows whether its model reasons.
    await modelOf(provider, { model: 'team-writer', effort: 'high' }).step(ask());
    await modelOf(provider, { model: 'team-writer' }).step(ask());
    const [set, unset] = server?.requests.map(({ body }) => JSON.parse(body)) ?? [];
    expect(set).toMatchObject(expected);
    for (const name of ['output_config', 'reasoning', 'reasoning_effort'])
      expect(unset).not.toHaveProperty(name);
  },
);

test('a missing endpoint is distinguished from a forbidden one', async () => {
  const at = (baseUrl: string) => modelOf('openai-compatible', { baseUrl }).step(ask());
  await expect(at('http://127.0.0.1:1/v1')).rejects.toMatchObject({
    fault: 'unavailable',
    message: /ECONNREFUSED/,
  });
  await expect(at('http://169.254.169.254/v1')).rejects.toMatchObject({ fault: 'invalid' });
  await expect(at('https://10.0.0.1/v1')).rejects.toMatchObject({
    fault: 'invalid',
    message: /allowed hosts/,
  });
  expect(() => modelOf('openai-compatible', { baseUrl: null })).toThrow('needs a base URL');
});

test('tools that a server announces and does not send do not end a turn', async () => {
  await start({ script: () => ({ text: 'I read the page:', finish: 'tool-calls' }) });
  await expect(modelOf('openai-compatible').step(ask())).rejects.toMatchObject({ fault: 'cut' });
});

test('a server that stops for want of room says that its window is full, and one that wrote all it may does not', async () => {
  const used = (output: number) => ({ usage: { input: 4_095, output }, finish: 'length' }) as const;
  await start({ script: () => used(1) });
  await expect(modelOf('openai-compatible').step(ask())).rejects.toMatchObject({
    fault: 'context-overflow',
    message: /full at 4096 tokens/,
  });
  await server?.close();
  await start({ script: () => used(4_000) });
  await expect(modelOf('openai-compatible').step(ask())).resolves.toMatchObject({ finish: 'length' });
});

describe('the checks of the double', () => {
  test('an event that does not fit its description fails the test', async () => {
    for (const provider of PROVIDERS) {
      const mutated = await startModelServer({
        script: () => ({ text: 'Hello.' }),
        mutate(frame) {
          const { type, object, ...rest } = frame.data as Record<string, unknown>;
          if (object !== undefined)
            return { ...frame, data: { object, ...rest, choices: [{ index: 'first' }] } };
          if (!/delta$/.test(String(type))) return frame;
          return { ...frame, data: { type, ...rest, delta: 5 } };
        },
      });
      await modelOf(provider, { baseUrl: mutated.url })
        .step(ask())
        .catch(() => {});
      await expect(mutated.close(), provider).rejects.toThrow(/event of \w+: \/(?:choices|delta)/);
    }
  });

  test('a request that does not fit its description fails the test', async () => {
    const strict = await startModelServer({ script: () => ({ text: 'Hello.' }) });
    const bodies = {
      '/chat/completions': {
        model: 'm',
        messages: [{ role: 'user', content: 'Hi' }],
        stream: true,
        tempratur: 1,
      },
      '/responses': { model: 'm', input: [{ role: 'user', content: 5 }], stream: true },
      '/messages': { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: '' }], stream: true },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const response = await fetch(`${strict.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
      expect([path, response.status]).toEqual([path, 400]);
    }
    expect(strict.violations).toHaveLength(3);
    await expect(strict.close()).rejects.toThrow('tempratur');
  });
});
