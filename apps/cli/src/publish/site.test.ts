import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { CliError } from '../errors.ts';
import { siteTarget } from './site.ts';
import { ApplyError } from './target.ts';

const bundle = {
  bundleUrl: 'https://files.example.com/docs.tar.gz?signature=0123456789abcdef',
  sha256: 'a'.repeat(64),
  version: '1',
};
const token = 'a token of a site';
const secrets = /0123456789abcdef|a token/;
const idle = { release: null, step: null, fault: null };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** The address of a management port that answers so. */
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    answer(request, response);
    request.resume();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const targetOf = (sites: string[], timeout = 60, ignoreUnreachable = false) =>
  siteTarget({ sites, token, timeout, ignoreUnreachable }, { pin: false, reapply: false });
const talk = { say() {}, progress() {}, done() {} };
const context = { talk, signal: new AbortController().signal };

test.each([
  ['a fault without a text', 60, { ...idle, fault: { at: '2', message: { a: 1 } } }],
  ['a fault that is a number', 1, { release: 5, step: null, fault: 5 }],
  ['secrets', 60, { ...idle, fault: { at: '2', message: `${bundle.bundleUrl} ${token}` } }],
])('a site that answers %s is told in words, without secrets', async (_, timeout, later) => {
  let asked = 0;
  const site = await listen((_request, response) => {
    response.end(JSON.stringify(asked++ === 0 ? idle : later));
  });
  const error: unknown = await targetOf([site], timeout)
    .apply(bundle, context)
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ApplyError);
  expect((error as Error).message).toContain(site);
  expect((error as Error).message).not.toMatch(secrets);
});

const check = (...sites: string[]) =>
  targetOf(sites)
    .check(context)
    .then(
      () => null,
      (error: unknown) => error as CliError,
    );

test('before the export a site is asked for its status with the token, and nothing of it is changed', async () => {
  const seen: unknown[] = [];
  const site = await listen(({ method, url, headers }, response) => {
    seen.push([method, url, headers.authorization]);
    response.end(JSON.stringify(idle));
  });
  expect(await check(site)).toBeNull();
  expect(seen).toEqual([['GET', '/release', `Bearer ${token}`]]);
});

test.each<[string, number, unknown, RegExp]>([
  [
    'refuses the token',
    401,
    { code: 'token_refused', error: `The token ${token} is not the one.` },
    /is not the one\. It has to be the OFFPRINT_SITE_TOKEN of the site/,
  ],
  [
    'has no token',
    403,
    { code: 'token_unset', error: 'Set OFFPRINT_SITE_TOKEN.' },
    /Set OFFPRINT_SITE_TOKEN/,
  ],
  ['is none', 404, '<html>', /answers 404 to GET \/release; is this the management port/],
  ['is another program', 401, {}, /answers 401 to GET \/release; is this the management port/],
])('a site that %s ends it with 2 before the export', async (_, status, body, message) => {
  let asked = 0;
  const good = await listen((_request, response) => response.end(JSON.stringify(idle)));
  const site = await listen((_request, response) => {
    asked += 1;
    response.statusCode = status;
    response.end(JSON.stringify(body));
  });
  const error = await check(good, site);
  expect(error).toBeInstanceOf(CliError);
  expect(error?.exitCode).toBe(2);
  expect(error?.message).toMatch(message);
  expect(error?.message).toMatch(/nothing was exported$/);
  expect(error?.message).toContain(site);
  expect(error?.message).not.toContain(good);
  expect(error?.message).not.toMatch(secrets);
  expect(asked).toBe(1);
});

test('a site that is starting is asked again, one that never comes ends it with 2', async () => {
  let asked = 0;
  const starting = await listen((request, response) => {
    asked += 1;
    if (asked === 1) request.socket.destroy();
    else if (asked === 2) response.writeHead(503).end('no backend');
    else response.end(JSON.stringify(idle));
  });
  const gone = await listen((request) => request.socket.destroy());
  const [error, none] = await Promise.all([check(gone), check(starting)]);
  expect(none).toBeNull();
  expect(error?.exitCode).toBe(2);
  expect(error?.message).toContain(`${gone}: cannot be reached`);
}, 60_000);

test('sites that are not there are left out where that is asked for, but not all, and none that refuses', async () => {
  let served: unknown = null;
  const there = await listen((request, response) => {
    if (request.method === 'POST') served = { sha256: bundle.sha256 };
    response.end(JSON.stringify({ ...idle, release: served }));
  });
  const gone = await listen((request) => request.socket.destroy());
  const behindProxy = await listen((_request, response) => response.writeHead(502).end('no backend'));
  const wrong = await listen((_request, response) => response.writeHead(401).end('{"code":"token_refused"}'));
  const said: string[] = [];
  const [some, ...none] = [[gone, there, behindProxy], [gone], [there, wrong]].map((sites) =>
    targetOf(sites, 60, true),
  );
  const [, applied, ...errors] = await Promise.all([
    some!.check({ ...context, talk: { ...talk, say: (line) => said.push(line) } }),
    some!.apply(bundle, context),
    ...none.map((target) => target.check(context).catch((caught: unknown) => caught)),
  ]);
  expect(said).toEqual([gone, behindProxy].map((site) => `${site}: cannot be reached, left out`));
  expect(applied).toEqual([
    { place: gone, changed: false, missing: true },
    { place: there, changed: true },
    { place: behindProxy, changed: false, missing: true },
  ]);
  expect(errors).toEqual([
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(`${gone}: cannot be reached`) }),
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(`${wrong}: answers 401`) }),
  ]);
}, 60_000);

test('who stops it while a site is asked stops it', async () => {
  const interrupt = new AbortController();
  const site = await listen(() => interrupt.abort());
  const error: unknown = await targetOf([site])
    .check({ talk, signal: interrupt.signal })
    .catch((caught: unknown) => caught);
  expect(error).toBe(interrupt.signal.reason);
});
