/** What sites respond to besides their files: search, and the Model Context Protocol. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Reader, readerCookieName, signReader } from '@offprint/bundle';
import { createGate } from '@offprint/search';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { config, exportSite, page } from '../../../packages/search/test/site.ts';
import type { SecureHosting } from '../src/hosting/secure.ts';
import { openStore } from '../src/releases/store.ts';
import { startSiteServer } from '../src/serving/server.ts';
import { makeBundle, type TestBundle } from './support/bundle.ts';
import { createHostingLab, type HostingLab, servesDeployment, untilHost } from './support/hosting-lab.ts';
import { siteOf } from './support/hosting-platform.ts';
import { ask } from './support/reader.ts';

const OPEN = 'open.example.com';
const CLOSED = 'closed.example.com';
const CANARY = 'quokkas';
const cookieKey = Buffer.alloc(32, 1).toString('base64url');

let bundle: TestBundle;
let small: TestBundle;
let lab: HostingLab;

async function bundleOf(version: string, pages: Record<string, string>): Promise<TestBundle> {
  const { files } = await exportSite(pages);
  const others = Object.fromEntries(
    [...files].flatMap(([path, content]) => (path === 'index.html' ? [] : [[path, Buffer.from(content)]])),
  );
  return makeBundle(version, { others, files: 0, head: { site: { domain: OPEN, name: 'Acme', url: '' } } });
}

beforeAll(async () => {
  const navigation = { pages: ['guides/start', 'guides/tokens', 'mcp'] };
  bundle = await bundleOf('v1', {
    'docs.json': config(navigation),
    'guides/start.mdx': page('Start', `Here are ${CANARY}.\n\n## Access tokens\n\nA token is sent.`),
    'guides/tokens.mdx': page('Tokens', 'How to rotate them.'),
    'mcp.mdx': page('Protocol', 'A page about it.'),
  });
  small = await bundleOf('v2', {
    'docs.json': config({ pages: ['guides/start'] }),
    'guides/start.mdx': page('Start', 'A token is sent.'),
  });
});
beforeEach(async () => {
  lab = await createHostingLab();
});
afterEach(() => lab.close());

async function start(basePath = ''): Promise<SecureHosting> {
  lab.platform.addDeployment('d1', bundle);
  lab.platform.setSites([
    siteOf(OPEN, 'd1', bundle, { basePath }),
    siteOf(CLOSED, 'd1', bundle, { basePath, access: { kind: 'password', cookieKey } }),
  ]);
  const hosting = await lab.start();
  for (const host of [OPEN, CLOSED]) await untilHost(hosting, host, servesDeployment('d1'));
  return hosting;
}

function cookie(changes: Partial<Reader> = {}): string {
  const expiresAt = Math.floor(Date.now() / 1000) + 600;
  const reader = { subject: 'ada', host: CLOSED, groups: [], content: {}, apiPlaygroundInputs: {} };
  return `${readerCookieName(false)}=${signReader({ ...reader, expiresAt, ...changes }, cookieKey)}`;
}

const json = ({ content }: { content: Buffer }) => JSON.parse(content.toString());

describe.each(['', '/docs'])('a site below %j', (basePath) => {
  it('is searched by its readers without a key', async () => {
    const hosting = await start(basePath);
    const answer = await lab.get(hosting, OPEN, `${basePath}/_offprint/search?q=access+token&limit=2`);
    expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    const { results, total } = json(answer);
    expect(total).toBe(2);
    expect(results[0]).toMatchObject({
      path: 'guides/start',
      url: `${basePath}/guides/start`,
      title: 'Start',
      score: 1,
      sections: [
        { anchor: 'access-tokens', url: `${basePath}/guides/start#access-tokens`, heading: 'Access tokens' },
      ],
    });
    expect((await lab.get(hosting, OPEN, results[0].url)).status).toBe(200);
  });

  it('speaks MCP with the official client', async () => {
    const hosting = await start(basePath);
    const url = new URL(`http://127.0.0.1:${hosting.port}${basePath}/mcp`);
    const fetchAt: typeof fetch = async (_, init) => {
      const headers = { ...Object.fromEntries(new Headers(init?.headers)), host: OPEN };
      const body = init?.body == null ? undefined : String(init.body);
      const answer = await ask(hosting.port, url.pathname, {
        method: init?.method ?? 'GET',
        headers,
        ...(body === undefined ? {} : { body }),
      });
      const sent = Object.entries(answer.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const content = answer.content.length === 0 ? null : answer.content.toString();
      return new Response(content, { status: answer.status, headers: sent });
    };
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetchAt }));
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search', 'read']);
      const { content } = await client.callTool({ name: 'search', arguments: { query: 'access token' } });
      expect(content).toMatchObject([
        { text: expect.stringContaining(`http://${OPEN}${basePath}/guides/start#access-tokens`) },
      ]);
      const read = await client.callTool({
        name: 'read',
        arguments: { path: `http://${OPEN}${basePath}/guides/start` },
      });
      expect(read.content).toMatchObject([{ text: expect.stringContaining(CANARY) }]);
      await client.close();
    }
    const about = json(await lab.get(hosting, OPEN, `${basePath}/.well-known/mcp`));
    expect(about).toMatchObject({
      url: `http://${OPEN}${basePath}/mcp`,
      servers: [{ authentication: 'none' }],
    });
    const card = json(await lab.get(hosting, OPEN, `${basePath}/.well-known/mcp/server-card.json`));
    expect(card).toMatchObject({ name: 'acme', tools: [{ name: 'search' }, { name: 'read' }] });
  });
});

it('a restricted site returns no word to those who have not signed in', async () => {
  const hosting = await start();
  const message = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'read', arguments: { path: 'guides/start' } },
  });
  const requests = [
    ['GET', '/_offprint/search?q=quokkas'],
    ['HEAD', '/_offprint/search?q=quokkas'],
    ['POST', '/_offprint/search?q=quokkas'],
    ['POST', '/mcp'],
    ['GET', '/mcp'],
    ['GET', '/.well-known/mcp/server-card.json'],
  ] as const;
  const cookies = [undefined, 'x=1', cookie({ host: OPEN }), cookie({ expiresAt: 1 })];
  for (const [method, path] of requests)
    for (const sent of cookies) {
      const headers = { host: CLOSED, 'content-type': 'application/json', ...(sent ? { cookie: sent } : {}) };
      const answer = await ask(hosting.port, path, {
        method,
        headers,
        ...(method === 'POST' ? { body: message } : {}),
      });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
      expect(answer.content.toString().toLowerCase()).not.toContain(CANARY);
    }
  const read = await lab.get(hosting, CLOSED, '/_offprint/search?q=quokkas', { cookie: cookie() });
  expect(json(read).results[0].sections[0].text).toContain(CANARY);
  expect(read.headers['cache-control']).toBe('private, no-store');
});

it('searches the release that is served, after a switch too', async () => {
  const hosting = await start();
  const total = async () => json(await lab.get(hosting, OPEN, '/_offprint/search?q=tokens')).total;
  expect(await total()).toBe(2);
  lab.platform.addDeployment('d2', small);
  lab.platform.setSites([siteOf(OPEN, 'd2', small)]);
  await untilHost(hosting, OPEN, servesDeployment('d2'));
  expect(await total()).toBe(1);
});

it.each([
  ['q=', 'q'],
  ['', 'q'],
  [`q=${'x'.repeat(2_500)}`, 'q'],
  ['q=a&limit=0', 'limit'],
  ['q=a&limit=51', 'limit'],
  ['q=a&limit=x', 'limit'],
  [`q=a&version=${'x'.repeat(300)}`, 'version'],
])('a search with %s is refused', async (query, param) => {
  const hosting = await start();
  const answer = await lab.get(hosting, OPEN, `/_offprint/search?${query}`);
  expect(answer.status).toBe(400);
  expect(json(answer)).toMatchObject({ code: 'invalid_request', param });
});

it('queries of any bytes are queries', async () => {
  const hosting = await start();
  for (const query of ['%00', '%ff%fe', '%F0%9F%91%8D', '%E8%AA%8D', '%22%7B%7D', 'a%0d%0ab', '%zz'])
    expect((await lab.get(hosting, OPEN, `/_offprint/search?q=${query}`)).status).toBe(200);
});

it('many searches at the same time on a site that was not read yet all get a result', async () => {
  const hosting = await start();
  const statuses = await Promise.all(
    Array.from(
      { length: 60 },
      async (_, at) => (await lab.get(hosting, OPEN, `/_offprint/search?q=token+${at}`)).status,
    ),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

it('a damaged file of the index is an error that shows no path', async () => {
  const hosting = await start();
  const files = readdirSync(lab.volume, { recursive: true, encoding: 'utf8' })
    .map((path) => join(lab.volume, path))
    .filter((path) => statSync(path).isFile() && /[0-9a-f]{64}$/.test(path));
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) writeFileSync(file, Buffer.alloc(statSync(file).size, 'x'));
  const answer = await lab.get(hosting, OPEN, '/_offprint/search?q=token');
  expect(answer.status).toBe(500);
  expect(answer.content.toString()).not.toContain(lab.volume);
});

it('MCP refuses requests that pages of other sites send', async () => {
  const hosting = await start();
  const post = (headers: Record<string, string>) =>
    ask(hosting.port, '/mcp', {
      method: 'POST',
      headers: { host: OPEN, 'content-type': 'application/json', ...headers },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
  expect((await post({})).status).toBe(200);
  expect((await post({ origin: `http://${OPEN}` })).status).toBe(200);
  for (const origin of [
    'http://evil.example',
    'null',
    `http://${OPEN}.evil.example`,
    `http://${OPEN}:99`,
    'x',
  ])
    expect((await post({ origin })).status).toBe(403);
  expect((await post({ host: 'evil.example', origin: 'http://evil.example' })).status).toBe(404);
});

it('a page with the path of the endpoint can be read, and streams are refused', async () => {
  const hosting = await start();
  expect((await lab.get(hosting, OPEN, '/mcp', { accept: 'text/html' })).content.toString()).toContain(
    'Protocol',
  );
  const stream = await lab.get(hosting, OPEN, '/mcp', { accept: 'text/event-stream' });
  expect([stream.status, stream.headers.allow]).toEqual([405, 'POST']);
  const large = await ask(hosting.port, '/mcp', {
    method: 'POST',
    headers: { host: OPEN, 'content-type': 'application/json' },
    body: 'x'.repeat(100_000),
  });
  expect(large.status).toBe(413);
});

it('a process that serves one site under any host has the same services', async () => {
  const store = await openStore(join(lab.root, 'store'), { durable: false, isInUse: () => true });
  const server = await startSiteServer({ host: '127.0.0.1', port: 0, basePath: '/docs', https: false });
  try {
    await server.onRelease(await store.install(bundle.write(lab.root)));
    const found = await ask(server.port, '/docs/_offprint/search?q=access+token');
    expect(json(found).results[0].url).toBe('/docs/guides/start');
    const post = (host: string, origin?: string) =>
      ask(server.port, '/docs/mcp', {
        method: 'POST',
        headers: { host, 'content-type': 'application/json', ...(origin === undefined ? {} : { origin }) },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
    expect((await post('docs.internal')).status).toBe(200);
    expect((await post('localhost:80', 'http://localhost:80')).status).toBe(200);
    // a name that the attacker's DNS points to this address
    expect((await post('evil.example', 'http://evil.example')).status).toBe(403);
    expect((await ask(server.port, '/docs/guides/start')).status).toBe(200);
  } finally {
    await server.stop({ limitMs: 0 });
  }
});

it('a gate runs a limited number of tasks, and refuses those that cannot wait', async () => {
  const gate = createGate(2, 3);
  const ends: (() => void)[] = [];
  let running = 0;
  const work = async (): Promise<string> => {
    running += 1;
    await new Promise<void>((resolve) => ends.push(resolve));
    running -= 1;
    return 'done';
  };
  const results = Array.from({ length: 7 }, () => gate.run(work));
  expect(await Promise.all(results.slice(5))).toEqual([null, null]);
  for (let ended = 0; ended < 5; ended++) {
    expect(running).toBeLessThanOrEqual(2);
    while (ends.length === 0) await Promise.resolve();
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(results)).toEqual([...Array(5).fill('done'), null, null]);
  await expect(gate.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await gate.run(async () => 1)).toBe(1);
});
