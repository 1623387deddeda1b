/** Requests with a session: which ones the API refuses, and what it says about the reason. */
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { requireSameSite } from './session-cookie.ts';

const OWN = 'https://offprint.example.com';

async function send(headers: Record<string, string>, ownOrigin: string | undefined = OWN): Promise<string> {
  const app = fastify();
  app.put('/', (request) => {
    requireSameSite(request, ownOrigin);
    return { message: 'ok' };
  });
  const { message } = (await app.inject({ method: 'PUT', url: '/', headers })).json<{ message: string }>();
  return message;
}

test('accepts a change of the own origin', async () => {
  expect(await send({ origin: OWN, 'sec-fetch-site': 'same-origin' })).toBe('ok');
  expect(await send({ origin: OWN })).toBe('ok');
});

test('reports a missing header Origin to a program', async () => {
  expect(await send({})).toContain('needs the header Origin');
});

test('names OFFPRINT_PUBLIC_URL if the dashboard was opened at another URL of the same server', async () => {
  const message = await send({ origin: 'http://127.0.0.1:4100', 'sec-fetch-site': 'same-origin' });
  expect(message).toContain(`another URL than ${OWN}, which OFFPRINT_PUBLIC_URL names`);
});

test('reports a page of another site, without the URL of the dashboard', async () => {
  for (const site of ['cross-site', 'same-site', 'none']) {
    const message = await send({ origin: 'https://evil.example', 'sec-fetch-site': site });
    expect(message).toContain('A page of another site');
    expect(message).not.toContain(OWN);
  }
  expect(await send({ origin: 'https://evil.example' })).toContain('A page of another site');
});
