import { EventEmitter, getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { formatCursor, parseCursor } from './cursor.ts';
import { AppError, answerError } from './error.ts';
import { etagOf, matchesEtag } from './etag.ts';
import { endWhenRefused, eventStream } from './event-stream.ts';
import { fingerprint } from './fingerprint.ts';
import { callerOf, createRateLimiter } from './rate-limit.ts';
import { continueTrace } from './trace-context.ts';

describe('createRateLimiter', () => {
  test('lets the whole allowance pass at once, then one each interval', () => {
    let time = 1_000;
    const limiter = createRateLimiter(60, () => time);
    for (let i = 0; i < 60; i++) expect(limiter.take('a')).toBe(0);
    expect(limiter.take('a')).toBe(1);
    expect(limiter.take('b')).toBe(0);
    time += 1_000;
    expect(limiter.take('a')).toBe(0);
    expect(limiter.take('a')).toBe(1);
  });

  test('never lets more than the allowance and the refill pass, whatever the times', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 5_000 })),
        (limit, gaps) => {
          let time = 0;
          const limiter = createRateLimiter(limit, () => time);
          let passed = 0;
          for (const gap of gaps) {
            time += gap;
            if (limiter.take('x') === 0) passed += 1;
          }
          return passed <= limit + (time * limit) / 60_000 + 1e-6;
        },
      ),
    );
  });

  test('counts down what is left, and up again', () => {
    let time = 0;
    const limiter = createRateLimiter(60, () => time);
    expect(limiter.standing('a')).toEqual({ limit: 60, remaining: 60, resetSeconds: 0 });
    for (let left = 59; left >= 0; left--) {
      limiter.take('a');
      expect(limiter.standing('a')).toEqual({ limit: 60, remaining: left, resetSeconds: 60 - left });
    }
    limiter.take('a');
    expect(limiter.standing('a').remaining).toBe(0);
    time += 1_500;
    expect(limiter.standing('a')).toEqual({ limit: 60, remaining: 1, resetSeconds: 59 });
  });

  test('returns a time after which it lets the caller pass', () => {
    let time = 0;
    const limiter = createRateLimiter(7, () => time);
    while (limiter.take('x') === 0);
    const wait = limiter.take('x');
    time += wait * 1_000;
    expect(limiter.take('x')).toBe(0);
  });
});

test('a valid traceparent is continued with the same trace and another parent', () => {
  const trace = 'a'.repeat(32);
  const parent = 'b'.repeat(16);
  const continued = continueTrace(`00-${trace}-${parent}-01`);
  expect(continued?.traceId).toBe(trace);
  expect(continued?.traceParent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
  expect(continued?.traceParent).not.toContain(parent);
  // A later version may append fields.
  expect(continueTrace(`01-${trace}-${parent}-ff-x`)?.traceParent).toMatch(/^00-.*-03$/);
  for (const header of [
    undefined,
    '',
    [`00-${trace}-${parent}-01`],
    `ff-${trace}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${trace}-${parent}-01\r\nX: y`,
  ])
    expect(continueTrace(header)).toBeUndefined();
});

test('callers are addresses, and /64 networks of IPv6', () => {
  expect(['203.0.113.7', '::ffff:203.0.113.7'].map(callerOf)).toEqual(['203.0.113.7', '::ffff:203.0.113.7']);
  expect(callerOf('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(callerOf('2001:0db8:0:0:ffff::2')).toBe(callerOf('2001:db8::1'));
  expect(callerOf('2001:db8:0:1::1')).not.toBe(callerOf('2001:db8::1'));
  expect(callerOf('::1')).toBe('0:0:0:0::/64');
  expect(callerOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
});

test('a fingerprint does not depend on the order of keys, and on nothing else less', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const reversed = Object.fromEntries(Object.entries(object).reverse());
      return fingerprint(object).equals(fingerprint(reversed));
    }),
  );
  const distinct = [
    null,
    {},
    [],
    '',
    0,
    false,
    { a: 1 },
    { a: '1' },
    { a: [1] },
    { a: [1, 2] },
    { a: [2, 1] },
    { a: { b: 1 } },
  ];
  expect(new Set(distinct.map((value) => fingerprint(value).toString('hex'))).size).toBe(distinct.length);
});

test('If-None-Match is compared weakly, in lists, and by *', () => {
  const etag = etagOf('x');
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  for (const header of [etag, `W/${etag}`, `"a", ${etag}`, '*']) expect(matchesEtag(header, etag)).toBe(true);
  for (const header of [undefined, '', '"a"', etag.slice(1, -1)])
    expect(matchesEtag(header, etag)).toBe(false);
});

test('a cursor leads back to its row; any other text is a 400', () => {
  const row = { created_at: new Date('2026-01-02T03:04:05.678Z'), id: 'se_1' };
  expect(parseCursor(formatCursor(row))).toEqual({ createdAt: row.created_at, id: 'se_1' });
  expect(parseCursor(undefined)).toBeUndefined();
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        const cursor = parseCursor(text);
        return cursor !== undefined && !Number.isNaN(cursor.createdAt.getTime());
      } catch (error) {
        return error instanceof AppError && error.status === 400;
      }
    }),
  );
});

describe('answerError', () => {
  test('returns the message of an AppError and no cause', () => {
    const error = new AppError('not_found', 'There is no such export.', {
      cause: new Error('SELECT secret'),
    });
    expect(answerError(error, 'req_1')).toEqual({
      status: 404,
      headers: {},
      body: { error: 'There is no such export.', code: 'not_found', requestId: 'req_1' },
    });
  });

  test.each([new Error('SELECT * FROM api_keys'), 'text', null, { message: '/etc/passwd' }])(
    'reveals nothing of %s',
    (error) => {
      const { status, body } = answerError(error, 'req_1');
      expect([status, body.code]).toEqual([500, 'internal']);
      expect(JSON.stringify(body)).not.toMatch(/SELECT|passwd|text"/);
    },
  );

  test('an unavailable database is a 503 with a time to retry', () => {
    for (const code of ['ECONNREFUSED', '57P01', '08006', '53300', '57014']) {
      const { status, headers } = answerError(Object.assign(new Error('x'), { code }), 'req_1');
      expect([status, headers]).toEqual([503, { 'Retry-After': '5' }]);
    }
    expect(answerError(new Error('Connection terminated unexpectedly'), 'req_1').status).toBe(503);
    const noSocket = Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'connect' });
    expect(answerError(noSocket, 'req_1').status).toBe(503);
    expect(
      answerError(Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' }), 'req_1').status,
    ).toBe(500);
  });
});

describe('eventStream', () => {
  test('writes events, their ids where they have one, and ends with them', async () => {
    const stream = eventStream(
      (async function* () {
        yield { event: 'progress', data: { text: 'a\nb' } };
        yield { id: '7', event: 'done', data: null };
      })(),
      new AbortController().signal,
    );
    let text = '';
    for await (const piece of stream) text += String(piece);
    expect(text).toBe(
      ': connected\n\nevent: progress\ndata: {"text":"a\\nb"}\n\nid: 7\nevent: done\ndata: null\n\n',
    );
  });

  test('keeps no timer and no listener of an event behind', async () => {
    vi.useFakeTimers();
    const control = new AbortController();
    const stream = eventStream(
      (async function* () {
        for (let index = 0; index < 100; index++) yield { event: 'progress', data: index };
      })(),
      control.signal,
    );
    for await (const _ of stream);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
    vi.useRealTimers();
  });

  test('ends when the signal aborts, and lets go of what it waits for', async () => {
    const control = new AbortController();
    let released = false;
    async function* waiting() {
      try {
        yield { event: 'progress', data: 1 };
        await new Promise((resolve) => control.signal.addEventListener('abort', resolve, { once: true }));
      } finally {
        released = true;
      }
    }
    const stream = eventStream(waiting(), control.signal);
    const reading = (async () => {
      for await (const _ of stream);
    })();
    setTimeout(() => control.abort(), 20);
    await reading;
    expect(released).toBe(true);
  });
});

test('an open response ends when its reader is refused, not when the check fails, and leaves no timer', async () => {
  vi.useFakeTimers();
  const answers = [
    undefined,
    new Error('the database is away'),
    new AppError('unauthorized', 'The key was revoked.'),
  ];
  let ended = false;
  const emitter = new EventEmitter();
  const response = Object.assign(emitter, {
    destroy() {
      ended = true;
      emitter.emit('close');
    },
  });
  endWhenRefused(
    response,
    async () => {
      const error = answers.shift();
      if (error !== undefined) throw error;
    },
    1_000,
  );
  await vi.advanceTimersByTimeAsync(2_500);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ended).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
