import { expect, test } from 'vitest';
import { z } from 'zod';
import { NetworkError } from '../net/error.ts';
import { ForgeError } from './port.ts';
import { type Api, type Call, createSend, listAll, read, textOf } from './request.ts';

const call: Call = { method: 'GET', path: '/x', needs: 'a right' };
const signal = new AbortController().signal;
const NOW = new Date('2026-01-01T00:00:00Z');

/** A forge that returns responses from a list, and the waits that were requested. */
function forge(...answers: (Response | Error)[]) {
  const asked: { url: string; init: RequestInit }[] = [];
  const waits: number[] = [];
  const api: Api = {
    name: 'Forge',
    url: 'https://forge.example.com/api',
    headers: async () => ({ authorization: 'Bearer s3cret-token' }),
    explain: ({ status, body }) => new ForgeError('rejected', `${status}: ${textOf(body)} s3cret-token`),
    secrets: () => ['s3cret-token'],
  };
  const send = createSend(api, {
    fetch: async (input, init = {}) => {
      asked.push({ url: String(input), init });
      const answer = answers.shift() ?? new Error('asked too often');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    now: () => NOW,
    wait: async (milliseconds) => void waits.push(milliseconds),
  });
  return { send, asked, waits };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });
const fault = (promise: Promise<unknown>): Promise<ForgeError> =>
  promise.then(
    () => {
      throw new Error('It was answered.');
    },
    (error) => error as ForgeError,
  );

test('a response is returned as the forge sent it', async () => {
  const { send, asked } = forge(json({ a: 1 }));
  expect((await send({ ...call, query: { q: 'a b&c' } }, signal)).body).toEqual({ a: 1 });
  expect(asked[0]).toMatchObject({
    url: 'https://forge.example.com/api/x?q=a+b%26c',
    init: { method: 'GET', body: null, redirect: 'manual' },
  });
});

test('a forge that is away is asked three times, with growing waits', async () => {
  const { send, asked, waits } = forge(new Error('reset'), json({}, 502), json({}, 504));
  expect(await fault(send(call, signal))).toMatchObject({ fault: 'unavailable', retryable: true });
  expect([asked.length, waits]).toEqual([3, [200, 1000]]);
});

test.each([
  ['seconds', { 'retry-after': '30' }, 30_000],
  ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
  ['a date that has passed', { 'retry-after': 'Wed, 31 Dec 2025 00:00:10 GMT' }, 200],
  [
    'the end of an allowance',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW.getTime() / 1000 + 5}` },
    5000,
  ],
])('a limit with %s is waited for', async (_name, headers, milliseconds) => {
  const { send, waits } = forge(json({}, 429, headers), json({ ok: true }));
  expect((await send(call, signal)).body).toEqual({ ok: true });
  expect(waits).toEqual([milliseconds]);
});

test.each([
  [403, { 'retry-after': '31' }, {}, 31_000],
  [403, {}, { message: 'You have exceeded a secondary rate limit.' }, 60_000],
  [
    403,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW.getTime() / 1000 + 3600}` },
    {},
    3_600_000,
  ],
  [429, { 'retry-after': 'soon' }, {}, 60_000],
])('a long limit is reported at once: %i %j', async (status, headers, body, retryAfterMs) => {
  const { send, waits } = forge(json(body, status, headers as Record<string, string>));
  expect(await fault(send(call, signal))).toMatchObject({ fault: 'rate-limited', retryAfterMs });
  expect(waits).toEqual([]);
});

test('a refusal other than a rate limit is not retried, and its message contains no token', async () => {
  const { send, asked } = forge(json({ message: 'No.' }, 403, { 'x-ratelimit-remaining': '10' }));
  const error = await fault(send(call, signal));
  expect(error).toMatchObject({ fault: 'rejected', message: '403: No. ***' });
  expect(asked).toHaveLength(1);
});

test('a response of more than 2 MiB is not read to its end', async () => {
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(2 ** 16).fill(32));
    },
  });
  const { send } = forge(new Response(endless));
  expect(await fault(send(call, signal))).toMatchObject({ fault: 'rejected' });
  expect(pulled).toBeLessThan(40);
});

test('a response of any depth is read', async () => {
  const deep = (open: string, close: string): string => open.repeat(100_000) + close.repeat(100_000);
  for (const body of [`{"message":${deep('[', ']')}}`, `${deep('{"message":', '}').replace(':}', ':1}')}`]) {
    const { send } = forge(new Response(body, { status: 400 }));
    expect(await fault(send(call, signal))).toMatchObject({ fault: 'rejected', message: '400:  ***' });
  }
});

test('what the platform says of a request is not passed on: it quotes headers', async () => {
  const { send } = forge(
    ...Array.from({ length: 3 }, () => new TypeError('bad header: Bearer s3cret-token')),
  );
  const error = await fault(send(call, signal));
  expect(JSON.stringify([error.message, error.cause, error.stack])).not.toContain('s3cret');
});

test('an HTML page is not accepted as a response of an API', async () => {
  const { send } = forge(new Response('<html>Sign in</html>'));
  expect((await fault(send(call, signal))).message).toMatch(/JSON.*API URL/);
});

test('a redirect is not followed, since the token would go with it', async () => {
  const { send, asked } = forge(
    new Response(null, { status: 301, headers: { location: 'https://evil.example' } }),
  );
  expect((await fault(send(call, signal))).message).toMatch(/redirects/);
  expect(asked).toHaveLength(1);
});

test.each([
  ['host-refused', 'rejected', 1],
  ['unreachable', 'unavailable', 3],
] as const)('a network error %s is reported as %s', async (code, kind, tries) => {
  const errors = Array.from(
    { length: 3 },
    () => new NetworkError(code, 'forge.example.com is not to be had.'),
  );
  const { send, asked } = forge(...errors);
  expect(await fault(send(call, signal))).toMatchObject({
    fault: kind,
    message: 'forge.example.com is not to be had.',
  });
  expect(asked).toHaveLength(tries);
});

test('pages are counted here: the address that a forge names next is not asked', async () => {
  const link = { link: '<https://evil.example/steal>; rel="next"' };
  const { send, asked } = forge(json([1], 200, link), json([2], 200, link), json([3]));
  expect(await listAll(send, { ...call, query: { n: '1' } }, z.number(), { maxPages: 9 }, signal)).toEqual([
    1, 2, 3,
  ]);
  expect(asked.map(({ url }) => url)).toEqual([
    'https://forge.example.com/api/x?n=1&page=1',
    'https://forge.example.com/api/x?n=1&page=2',
    'https://forge.example.com/api/x?n=1&page=3',
  ]);
});

test('a list that never ends is read so far', async () => {
  const link = { link: '<x>; rel="next"' };
  const { send, asked } = forge(...Array.from({ length: 9 }, () => json([1], 200, link)));
  expect(await listAll(send, call, z.number(), { maxPages: 4 }, signal)).toHaveLength(4);
  expect(asked).toHaveLength(4);
});

test('the error for an unexpected response names the place', () => {
  const answer = { status: 200, headers: new Headers(), body: { a: [{ b: 'x' }] } };
  expect(() => read(z.object({ a: z.array(z.object({ b: z.number() })) }), answer, call)).toThrow(
    /at "a.0.b"/,
  );
});

test.each([
  [{ message: 'Plain' }, 'Plain'],
  [
    { message: 'Validation Failed', errors: [{ code: 'custom', message: 'Why' }, 'Also'] },
    'Validation Failed; Why; Also',
  ],
  [{ message: { title: ['is too long'] } }, 'title is too long'],
  [{ message: ['One', 'Two'] }, 'One; Two'],
  [{ error: 'insufficient_scope', error_description: 'More.' }, 'insufficient_scope; More.'],
  [{ message: 'a\nb\u202e https://user:pw@host/x' }, 'a b https://host/x'],
  [{ message: 'x'.repeat(5000) }, 'x'.repeat(400)],
  ['text', ''],
  [null, ''],
])('what a forge says is short and on one line: %#', (body, text) => {
  expect(textOf(body)).toBe(text);
});
