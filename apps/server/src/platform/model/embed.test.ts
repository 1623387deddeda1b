import { afterEach, expect, test } from 'vitest';
import {
  type EmbeddingServer,
  type EmbeddingServerOptions,
  startEmbeddingServer,
} from '../../../../../test/support/agent/embedding-server.ts';
import { createGuardedFetch } from '../net/guarded-fetch.ts';
import { createEmbeddingModel, type EmbeddingSettings } from './embed.ts';
import { ModelError } from './port.ts';

const KEY = 'sk-test-Zm9vYmFyYmF6-0123456789';

let server: EmbeddingServer | undefined;
afterEach(async () => {
  const closing = server;
  server = undefined;
  await closing?.close();
});

async function start(options: EmbeddingServerOptions = {}): Promise<EmbeddingServer> {
  server = await startEmbeddingServer(options);
  return server;
}

const local = createGuardedFetch({
  policy: { allowPrivate: false, allowedHosts: ['127.0.0.1'] },
  maxBytes: 1_000_000,
});

function modelAt(settings: Partial<EmbeddingSettings> = {}, fetchWith = local) {
  return createEmbeddingModel(
    {
      provider: 'openai-compatible',
      model: 'test-embeddings',
      baseUrl: server?.url ?? null,
      apiKey: KEY,
      dimensions: null,
      ...settings,
    },
    { fetch: fetchWith },
  );
}

const embed = (model: ReturnType<typeof modelAt>, texts: readonly string[], timeoutMs = 5_000) =>
  model.embed(texts, { signal: new AbortController().signal, timeoutMs });

/** The error of a call, which must be a ModelError without the key. */
async function faultOf(call: Promise<unknown>): Promise<ModelError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError)) throw new Error(`no ModelError: ${String(error)}`, { cause: error });
  expect(error.message).not.toContain(KEY);
  expect(error.message).toMatch(/^\S.*[.…]$/s);
  return error;
}

test.each(['openai', 'openai-compatible'] as const)(
  'a model of %s returns a vector for each text, in their order, with its key and dimensions',
  async (provider) => {
    const { requests, headers } = await start({ apiKey: KEY, meanings: [['cat'], ['dog']] });
    const vectors = await embed(modelAt({ provider, dimensions: 8 }), ['a cat', 'a dog', 'a cat']);
    expect(vectors.map((vector) => vector.length)).toEqual([8, 8, 8]);
    expect(vectors[0]).toEqual(vectors[2]);
    expect(vectors[0]).not.toEqual(vectors[1]);
    expect(requests).toEqual([['a cat', 'a dog', 'a cat']]);
    expect(headers[0]).toMatchObject({ authorization: `Bearer ${KEY}`, 'user-agent': 'Offprint' });
  },
);

test('without a key, no header has one', async () => {
  const { headers } = await start();
  await embed(modelAt({ apiKey: null }), ['a']);
  expect(headers[0]).not.toHaveProperty('authorization');
});

const response = (data: unknown): string =>
  JSON.stringify({ object: 'list', model: 'm', data, usage: { prompt_tokens: 1, total_tokens: 1 } });
const entry = (index: number, embedding: unknown) => ({ object: 'embedding', index, embedding });

test('vectors are in the order of their numbers, and a list with wrong numbers is taken as it is', async () => {
  const double = await start();
  const answers = async (data: unknown) => {
    double.fault = { kind: 'body', body: response(data) };
    return embed(modelAt(), ['a', 'b']);
  };
  expect(await answers([entry(1, [2, 2]), entry(0, [1, 1])])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  for (const [first, second] of [
    [4_000_000_000, 0],
    [-1, 0],
    [0.5, 0],
    [0, 0],
  ])
    expect(await answers([entry(first!, [1]), entry(second!, [2])])).toEqual([[1], [2]]);
});

test.each([
  ['another number of vectors', response([entry(0, [1, 2])]), /returned 1 vectors for 2 texts/],
  ['vectors of different lengths', response([entry(0, [1, 2]), entry(1, [1])]), /1 dimensions instead of 2/],
  ['no vectors', '{"data":"none"}', /contains no vectors/],
  ['text as numbers', response([entry(0, ['1']), entry(1, ['2'])]), /contains no vectors/],
  [
    'numbers without an end',
    response([entry(0, [1]), entry(1, [2])]).replace('[2]', '[1e999]'),
    /no vectors|not finite/,
  ],
  ['a list of lists', response([entry(0, [[1]]), entry(1, [[2]])]), /contains no vectors/],
  ['no JSON', '{"data":[', /contains no vectors/],
  ['an empty body', '', /contains no vectors/],
])('a response with %s is an error that repeating does not end', async (_what, body, message) => {
  const double = await start();
  double.fault = { kind: 'body', body };
  const fault = await faultOf(embed(modelAt(), ['a', 'b']));
  expect(fault.message).toMatch(message);
  expect(fault.retryable).toBe(false);
});

test('a web page is an invalid response', async () => {
  const double = await start();
  double.fault = { kind: 'body', body: '<html><title>Sign in</title>', type: 'text/html' };
  expect(await faultOf(embed(modelAt(), ['a']))).toMatchObject({ fault: 'invalid' });
});

test('other dimensions than the settings name are an error', async () => {
  const double = await start();
  double.fault = { kind: 'body', body: response([entry(0, [1, 2, 3])]) };
  expect((await faultOf(embed(modelAt({ dimensions: 8 }), ['a']))).message).toMatch(
    /3 dimensions instead of 8/,
  );
});

test('a body without an end is cut at its limit', async () => {
  const double = await start();
  double.fault = { kind: 'endless' };
  expect((await faultOf(embed(modelAt(), ['a']))).message).toMatch(/larger than 1000000 bytes/);
});

test('an endpoint that does not respond is left in time', async () => {
  const double = await start();
  double.fault = { kind: 'hang' };
  const began = performance.now();
  expect(await faultOf(embed(modelAt(), ['a'], 300))).toMatchObject({ fault: 'timeout', retryable: true });
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('a stop ends the call with its reason', async () => {
  const double = await start();
  double.fault = { kind: 'hang' };
  const stop = new AbortController();
  const call = modelAt().embed(['a'], { signal: stop.signal, timeoutMs: 60_000 });
  stop.abort('stopped');
  await expect(call).rejects.toBe('stopped');
});

test('no redirect is followed', async () => {
  const double = await start();
  double.fault = { kind: 'redirect', to: 'http://169.254.169.254/latest' };
  expect((await faultOf(embed(modelAt(), ['a']))).message).toMatch(/redirects to 169\.254\.169\.254/);
});

test('a private host that the operator has not allowed is not asked', async () => {
  const { requests } = await start();
  const guarded = createGuardedFetch({ policy: { allowPrivate: false, allowedHosts: [], allowHttp: true } });
  expect((await faultOf(embed(modelAt({}, guarded), ['a']))).message).toMatch(/OFFPRINT_ALLOW_PRIVATE_HOSTS/);
  expect(requests).toEqual([]);
});

test.each([
  [401, 'auth', false],
  [400, 'invalid', false],
  [429, 'rate-limited', true],
  [500, 'unavailable', true],
  [503, 'overloaded', true],
] as const)('the status %d is reported as %s', async (status, fault, retryable) => {
  const double = await start();
  double.fault = { kind: 'status', status, message: `No, ${KEY}.` };
  expect(await faultOf(embed(modelAt(), ['a']))).toMatchObject({ fault, retryable });
});

test('a text that is too long is an overflow', async () => {
  await start({ maxText: 10 });
  expect(await faultOf(embed(modelAt(), ['a'.repeat(11)]))).toMatchObject({ fault: 'context-overflow' });
});
