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

/** The URL of a management port with these responses. */
async function listen(respond: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    respond(request, response);
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
  ['an error without a text', 60, { ...idle, fault: { at: '2', message: { a: 1 } } }],
  ['an error that is a number', 1, { release: 5, step: null, fault: 5 }],
  ['secrets', 60, { ...idle, fault: { at: '2', message: `${bundle.bundleUrl} ${token}` } }],
])(
  'the message for a site that returns %s names the site and contains no secrets',
  async (_, timeout, later) => {
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
  },
);

const check = (...sites: string[]) =>
  targetOf(sites)
    .check(context)
    .then(
      () => null,
      (error: unknown) => error as CliError,
    );

test('before the export, the check only reads the status of a site, with the token', async () => {
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
    /is not the one\. Use the OFFPRINT_SITE_TOKEN of the site/,
  ],
  [
    'has no token',
    403,
    { code: 'token_unset', error: 'Set OFFPRINT_SITE_TOKEN.' },
    /Set OFFPRINT_SITE_TOKEN/,
  ],
  [
    'is not a site server',
    404,
    '<html>',
    /GET \/release returned 404\. Check that this is the management port/,
  ],
  ['is another program', 401, {}, /GET \/release returned 401\. Check that this is the management port/],
])('a site that %s fails the check with exit code 2', async (_, status, body, message) => {
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
  expect(error?.message).toMatch(/Nothing was exported$/);
  expect(error?.message).toContain(site);
  expect(error?.message).not.toContain(good);
  expect(error?.message).not.toMatch(secrets);
  expect(asked).toBe(1);
});

test('retries a site that is starting, and fails with exit code 2 if it never responds', async () => {
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

test('ignoreUnreachable skips unreachable sites, but not all sites and no site that rejects the token', async () => {
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
  expect(said).toEqual([gone, behindProxy].map((site) => `${site}: cannot be reached, skipped`));
  expect(applied).toEqual([
    { place: gone, changed: false, missing: true },
    { place: there, changed: true },
    { place: behindProxy, changed: false, missing: true },
  ]);
  expect(errors).toEqual([
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(`${gone}: cannot be reached`) }),
    expect.objectContaining({
      exitCode: 2,
      message: expect.stringContaining(`${wrong}: the management port returned 401`),
    }),
  ]);
}, 60_000);

test('an interruption during the check rejects with the reason of the signal', async () => {
  const interrupt = new AbortController();
  const site = await listen(() => interrupt.abort());
  const error: unknown = await targetOf([site])
    .check({ talk, signal: interrupt.signal })
    .catch((caught: unknown) => caught);
  expect(error).toBe(interrupt.signal.reason);
});
