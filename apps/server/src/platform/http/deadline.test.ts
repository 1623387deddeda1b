import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limitDuration } from './deadline.ts';
import { answerError } from './error.ts';

let app: FastifyInstance;
let release: () => void;
let released: Promise<void>;

beforeEach(() => {
  app = fastify();
  ({ promise: released, resolve: release } = Promise.withResolvers<void>());
  limitDuration(app);
  app.setErrorHandler((error, _request, reply) => {
    const { status, headers, body } = answerError(error, 'req_1');
    return reply.code(status).headers(headers).send(body);
  });
});
afterEach(() => app.close());

const config = { responseMs: 50 };

test('a handler that waits for something that never comes is a 503 with a time to retry', async () => {
  app.get('/hangs', { config }, async () => {
    await released;
    return { late: true };
  });
  const response = await app.inject('/hangs');
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
  expect(response.json()).toMatchObject({ code: 'unavailable' });
  release();
});

test('the time covers hooks before the handler, such as the check of a key', async () => {
  app.get('/hangs', { config, onRequest: () => released }, async () => ({ late: true }));
  expect((await app.inject('/hangs')).statusCode).toBe(503);
  release();
});

test('a response that is made in time is sent, however long its body takes', async () => {
  app.get('/quick', { config }, async () => ({ ok: true }));
  expect((await app.inject('/quick')).json()).toEqual({ ok: true });
});

test('the time is that of the route', async () => {
  app.get('/patient', { config: { responseMs: 60_000 } }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { ok: true };
  });
  expect((await app.inject('/patient')).json()).toEqual({ ok: true });
});
