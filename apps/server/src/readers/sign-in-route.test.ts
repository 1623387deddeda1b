import fastify from 'fastify';
import { expect, test } from 'vitest';
import { answerError } from '../platform/http/error.ts';
import { registerSignInRoute } from './sign-in-route.ts';
import type { SignInRequest } from './visit.ts';

const TOKEN = 'token-of-the-site-servers-0123456789';
const body = { host: 'docs.example.com', method: 'GET', path: '/login', query: '', headers: {}, body: '' };

/** An API with the endpoint alone; `seen` receives what reaches the sign-in. */
function apiOf(token: string | undefined, seen: SignInRequest[] = [], limited: string[] = []) {
  const app = fastify();
  app.setErrorHandler((error, _, reply) => {
    const { status, headers, body } = answerError(error, 'req');
    return reply.code(status).headers(headers).send(body);
  });
  const signIn = async (request: SignInRequest) => {
    seen.push(request);
    return { status: 200, headers: {}, body: 'page' };
  };
  const limitAnonymous = async ({ url }: { url: string }) => {
    limited.push(url);
  };
  registerSignInRoute(app, signIn, { token, limitAnonymous });
  return (headers: Record<string, string>, payload: object = body) =>
    app.inject({ method: 'POST', url: '/v1/hosting/sign-in', headers, payload });
}

test('does not exist without a token of site servers, whatever is sent', async () => {
  const [seen, limited]: [SignInRequest[], string[]] = [[], []];
  const send = apiOf(undefined, seen, limited);
  for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer undefined' }]) {
    expect((await send(headers)).statusCode).toBe(404);
  }
  expect([seen.length, limited.length]).toEqual([0, 3]);
});

test('rejects every token but its own, and limits those who try', async () => {
  const [seen, limited]: [SignInRequest[], string[]] = [[], []];
  const send = apiOf(TOKEN, seen, limited);
  const wrong = ['', TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(0, -1)}`, `Basic ${TOKEN}`, 'Bearer'];
  for (const authorization of wrong) expect((await send({ authorization })).statusCode).toBe(401);
  expect((await send({})).statusCode).toBe(401);
  expect([seen.length, limited.length]).toEqual([0, wrong.length + 1]);
});

test('passes requests of readers on and refuses other bodies', async () => {
  const seen: SignInRequest[] = [];
  const send = apiOf(TOKEN, seen);
  const authorization = `Bearer ${TOKEN}`;
  const reply = await send({ authorization });
  expect(reply.json()).toEqual({ status: 200, headers: {}, body: 'page' });
  expect(seen).toEqual([body]);
  for (const changes of [
    { method: 'PUT' },
    { path: 'login' },
    { host: '' },
    { headers: { a: 1 } },
    { body: null },
  ]) {
    expect((await send({ authorization }, { ...body, ...changes })).statusCode, JSON.stringify(changes)).toBe(
      400,
    );
  }
});
