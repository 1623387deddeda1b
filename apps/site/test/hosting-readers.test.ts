/** Many sites in one process, some of them restricted: who gets what, and the sign-in of the platform. */
import { createHash } from 'node:crypto';
import { type Reader, readerCookieName, signReader } from '@offprint/bundle';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseProxies } from '../src/hosting/client-address.ts';
import type { HostedSite } from '../src/hosting/protocol.ts';
import type { SecureHosting, SecureHostingOptions } from '../src/hosting/secure.ts';
import { makeBundle } from './support/bundle.ts';
import { createHostingLab, type HostingLab, servesDeployment, untilHost } from './support/hosting-lab.ts';
import { siteOf } from './support/hosting-platform.ts';
import { ask, talk } from './support/reader.ts';

const CANARY = 'zanzibar-canary';
const HOST = 'a.example.com';
const cookieKey = Buffer.alloc(32, 1).toString('base64url');
const form = { 'content-type': 'application/x-www-form-urlencoded' };

let lab: HostingLab;
beforeEach(async () => {
  lab = await createHostingLab();
});
afterEach(() => lab.close());

function cookieOf(changes: Partial<Reader> = {}, key = cookieKey, isSecure = false): string {
  const reader: Reader = {
    subject: 'ada',
    host: HOST,
    groups: [],
    expiresAt: Math.floor(Date.now() / 1000) + 600,
    content: {},
    apiPlaygroundInputs: {},
    ...changes,
  };
  return `${readerCookieName(isSecure)}=${signReader(reader, key)}`;
}

/** A process that serves a restricted site whose files contain the word, beside a public one. */
async function startRestricted(
  site: Partial<HostedSite> = {},
  options: Partial<SecureHostingOptions> = {},
): Promise<{ hosting: SecureHosting; style: string; digest: string }> {
  const style = `/* ${CANARY} */`;
  const name = `_offprint/site-${createHash('sha256').update(style).digest('hex').slice(0, 10)}.css`;
  const others = Object.fromEntries(
    [
      name,
      'guide.html',
      'guide.md',
      '404.html',
      'llms.txt',
      'sitemap.xml',
      'rss.xml',
      'search/index.json',
    ].map((path) => [path, Buffer.from(path === name ? style : `${CANARY} ${path}`)]),
  );
  const redirects = [{ source: '/old', destination: `/${CANARY}`, permanent: true }];
  const bundle = await makeBundle(CANARY, { others, head: { redirects } });
  lab.platform.addDeployment('d1', bundle);
  lab.platform.setSites([
    siteOf(HOST, 'd1', bundle, { access: { kind: 'password', cookieKey }, ...site }),
    siteOf('open.example.com', 'd1', bundle),
  ]);
  const hosting = await lab.start(options);
  await untilHost(hosting, HOST, servesDeployment('d1'));
  await untilHost(hosting, 'open.example.com', servesDeployment('d1'));
  return { hosting, style: name, digest: bundle.sha256 };
}

describe.each(['', '/docs'])('a restricted site below %j', (basePath) => {
  it('sends nothing of its release to a stranger, whatever the request is', async () => {
    const { hosting, style, digest } = await startRestricted({ basePath });
    const paths = ['/', '/guide', '/guide.md', '/guide.html', `/${style}`, '/llms.txt', '/sitemap.xml'];
    paths.push('/rss.xml', '/search/index.json', '/old', '/nothing', '/%zz', '/robots.txt', '/../guide');
    const variants: Record<string, string>[] = [
      {},
      { accept: 'text/html' },
      { accept: 'text/markdown' },
      { range: 'bytes=0-3' },
      { 'if-none-match': '*' },
      { 'if-match': '"x"' },
      { cookie: cookieOf({}, Buffer.alloc(32, 2).toString('base64url')) },
      { cookie: cookieOf({ host: 'open.example.com' }) },
      { cookie: cookieOf({ expiresAt: 1 }) },
    ];
    for (const path of paths)
      for (const headers of variants)
        for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
          const url = basePath + path;
          const answer = await ask(hosting.port, url, { method, headers: { host: HOST, ...headers } });
          const isNavigation = headers.accept === 'text/html' && (method === 'GET' || method === 'HEAD');
          const label = `${method} ${url} ${JSON.stringify(headers)}`;
          expect(answer.status, label).toBe(isNavigation ? 302 : 401);
          const all = `${answer.content} ${JSON.stringify(answer.headers)}`.replace(
            encodeURIComponent(url),
            '',
          );
          expect(all, label).not.toMatch(new RegExp(`${CANARY}|llms|${digest.slice(0, 16)}`));
          expect(answer.headers['cache-control'], label).toBe('private, no-store');
        }
  });

  it('serves readers with a session, and no cache keeps a response', async () => {
    const { hosting, style } = await startRestricted({ basePath });
    const cookie = cookieOf({ groups: ['sales'], content: { name: 'Ada' } });
    for (const [path, status] of [
      ['/guide', 200],
      [`/${style}`, 200],
      ['/nothing', 404],
      ['/old', 308],
    ] as const) {
      const { headers, content, ...answer } = await lab.get(hosting, HOST, basePath + path, { cookie });
      expect([path, answer.status]).toEqual([path, status]);
      expect(`${content}${headers.location}`).toContain(CANARY);
      expect(headers['cache-control']).toBe('private, no-store');
      expect(headers.vary).toContain('Cookie');
    }
    const known = await lab.get(hosting, HOST, `${basePath}/_offprint/reader.json`, { cookie });
    expect(JSON.parse(known.content.toString())).toMatchObject({
      signedIn: true,
      groups: ['sales'],
      content: { name: 'Ada' },
    });
  });

  it('passes the sign-in below its base path to the platform, and only that', async () => {
    const { hosting } = await startRestricted({ basePath });
    lab.platform.signIn = () => ({
      status: 303,
      headers: { Location: `${basePath}/`, 'Set-Cookie': ['a=1; HttpOnly', 'b=2'] },
      body: '',
    });
    const answer = await ask(hosting.port, `${basePath}/login?next=%2Fguide`, {
      method: 'POST',
      headers: { host: `${HOST}:8080`, origin: `http://${HOST}`, 'x-forwarded-for': '198.51.100.9', ...form },
      body: 'password=four+words',
    });
    expect([answer.status, answer.headers.location, answer.headers['set-cookie']]).toEqual([
      303,
      `${basePath}/`,
      ['a=1; HttpOnly', 'b=2'],
    ]);
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(lab.platform.signIns).toEqual([
      {
        host: HOST,
        method: 'POST',
        path: `${basePath}/login`,
        query: 'next=%2Fguide',
        body: 'password=four+words',
        headers: {
          host: `${HOST}:8080`,
          origin: `http://${HOST}`,
          'content-type': form['content-type'],
          // what the reader claims does not count
          'x-forwarded-for': '127.0.0.1',
          'x-forwarded-proto': 'http',
        },
      },
    ]);
    for (const path of [`${basePath}/login/callback?code=1`, `${basePath}/logout`])
      expect((await lab.get(hosting, HOST, path)).status).toBe(303);
    expect((await lab.get(hosting, HOST, `${basePath}/loginpage`)).status).toBe(401);
    if (basePath !== '') expect((await lab.get(hosting, HOST, '/login')).status).toBe(401);
    expect(lab.platform.signIns).toHaveLength(3);
  });
});

it('a public site has no sign-in and no session', async () => {
  const { hosting } = await startRestricted();
  const get = (path: string) => lab.get(hosting, 'open.example.com', path, { cookie: cookieOf() });
  expect((await get('/login')).status).toBe(404);
  expect((await get('/guide')).headers['cache-control']).toBe('no-cache');
  expect((await get('/_offprint/reader.json')).content.toString()).toContain('"signedIn":false');
  expect(lab.platform.signIns).toEqual([]);
});

it('behind trusted proxies, the address of the reader is the last one that no trusted proxy has', async () => {
  const isProxy = parseProxies('127.0.0.0/8, 10.1.0.0/16, 2001:db8::/32');
  if (isProxy === null) throw new Error('not valid');
  const { hosting } = await startRestricted({}, { isProxy });
  const cases: [string, string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['198.51.100.1, ::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db9::1, 2001:db8::5', '2001:db9::1'],
    ['nonsense', '127.0.0.1'],
    ['203.0.113.7, nonsense', '127.0.0.1'],
    ['10.1.0.1', '10.1.0.1'],
  ];
  for (const [given] of cases) await lab.get(hosting, HOST, '/login', { 'x-forwarded-for': given });
  expect(lab.platform.signIns.map(({ headers }) => headers['x-forwarded-for'])).toEqual(
    cases.map(([, wanted]) => wanted),
  );
  for (const text of ['10.0.0.0/33', 'proxy.example', '10.0.0.1/', '::/129'])
    expect(parseProxies(text)).toBeNull();
});

it('a sign-in that fails is unavailable and logged, without its secrets, and the release stays closed', async () => {
  const lines: string[] = [];
  const { hosting } = await startRestricted({}, { accessLog: (text) => lines.push(text) });
  const post = () =>
    ask(hosting.port, '/login/jwt-callback?token=t0ken', {
      method: 'POST',
      headers: { host: HOST, ...form },
      body: 'password=pa55word',
    });
  lab.platform.signIn = null;
  expect((await post()).status).toBe(503);
  for (const broken of [
    {},
    { status: 20, headers: {}, body: '' },
    { status: 200, headers: { a: 1 }, body: '' },
  ]) {
    lab.platform.signIn = () => broken;
    expect((await post()).status).toBe(503);
  }
  // a header that cannot be sent
  lab.platform.signIn = () => ({ status: 200, headers: { 'a b': 'c' }, body: '' });
  expect((await post()).status).toBe(500);
  expect((await lab.get(hosting, HOST, '/guide')).status).toBe(401);
  await hosting.stop({ limitMs: 0 });
  expect(lab.log()).toContain('cannot respond to a request');
  expect(lines.join('')).toContain('"path":"/login/jwt-callback","status":503,"kind":"sign-in"');
  expect(lines.join('') + lab.log()).not.toMatch(/t0ken|pa55word/);
});

it('a connection ends after a form, so that nothing follows its body', async () => {
  const { hosting } = await startRestricted();
  const head = `POST /login HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: ${form['content-type']}\r\nContent-Length: 3\r\n\r\n`;
  const text = await talk(hosting.port, `${head}a=bGET /guide HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  expect(text).toContain('Connection: close');
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
});

it('a sign-in takes forms of some kilobytes only', async () => {
  const { hosting } = await startRestricted();
  const send = (method: string, headers: Record<string, string>, body?: string) =>
    ask(hosting.port, '/login', {
      method,
      headers: { host: HOST, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  expect((await send('POST', form, 'a'.repeat(40_000))).status).toBe(413);
  expect((await send('POST', {}, '{}')).status).toBe(413);
  expect((await send('PUT', form)).status).toBe(405);
  expect(lab.platform.signIns).toEqual([]);
});

it('over TLS only the cookie with the prefix of the host is valid', async () => {
  const { hosting } = await startRestricted({}, { https: true });
  expect((await lab.get(hosting, HOST, '/guide', { cookie: cookieOf() })).status).toBe(401);
  const cookie = cookieOf({}, cookieKey, true);
  expect((await lab.get(hosting, HOST, '/guide', { cookie })).status).toBe(200);
});

describe('releases for groups', () => {
  const admins = { groups: ['admin'], unless: [] };
  const as = (groups: string[]) => ({ cookie: cookieOf({ groups }) });
  const versionOf = async (hosting: SecureHosting, headers: Record<string, string>) =>
    /version ([\w-]+)/.exec((await lab.get(hosting, HOST, '/', headers)).content.toString())?.[1];

  /** Offers the release `base`, and the one for admins if it is named. */
  const offer = async (base: string, variant: string | null) => {
    const own = await makeBundle(base);
    lab.platform.addDeployment(base, own);
    const variants = [];
    if (variant !== null) {
      const bundle = await makeBundle(variant, {
        others: { [`_offprint/search/${variant}-0123456789.json`]: Buffer.from(CANARY) },
      });
      lab.platform.addDeployment(variant, bundle);
      variants.push({ ...admins, deploymentId: variant, sha256: bundle.sha256 });
    }
    const access = { kind: 'token' as const, cookieKey };
    lab.platform.setSites([siteOf(HOST, base, own, { access, variants })]);
  };
  const untilVersion = async (hosting: SecureHosting, version: string, headers: Record<string, string>) => {
    await expect.poll(() => versionOf(hosting, headers), { timeout: 30_000, interval: 10 }).toBe(version);
  };

  it('are switched one by one, survive a restart, and end at once when they are not listed', async () => {
    await offer('base-1', 'admin-1');
    const first = await lab.start();
    await untilVersion(first, 'admin-1', as(['admin']));
    expect(await versionOf(first, as(['sales']))).toBe('base-1');

    // until the new one is installed, the earlier one for the same readers stays
    await offer('base-2', 'admin-2');
    await untilVersion(first, 'base-2', as([]));
    await untilVersion(first, 'admin-2', as(['admin']));
    const old = '/_offprint/search/admin-1-0123456789.json';
    expect((await lab.get(first, HOST, old, as(['admin']))).content.toString()).toBe(CANARY);
    expect((await lab.get(first, HOST, old, as(['sales']))).status).toBe(404);
    expect((await lab.get(first, HOST, old)).status).toBe(401);
    await first.stop({ limitMs: 0 });

    // without the platform
    lab.platform.server.answer = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    const second = await lab.start();
    expect(await versionOf(second, as(['admin']))).toBe('admin-2');
    expect(await versionOf(second, as(['sales']))).toBe('base-2');

    lab.platform.server.answer = null;
    await offer('base-3', null);
    second.refresh();
    await untilVersion(second, 'base-3', as(['admin']));
    expect((await lab.get(second, HOST, old, as(['admin']))).status).toBe(404);
  });

  it('of an entry that is not valid are left out, and the site is served', async () => {
    const own = await makeBundle('base');
    lab.platform.addDeployment('base', own);
    const { sha256 } = own;
    const variants = [
      { groups: [], unless: [], deploymentId: 'x', sha256 },
      { groups: 'admin', unless: [], deploymentId: 'x', sha256 },
      { groups: ['admin'], deploymentId: 'x', sha256 },
      { groups: ['admin', 1], unless: [], deploymentId: 'x', sha256 },
      { unless: [], deploymentId: 'x', sha256 },
      { groups: ['admin'], unless: [], deploymentId: '../x', sha256 },
      null,
    ];
    lab.platform.setSites([{ ...siteOf(HOST, 'base', own), access: { kind: 'token', cookieKey }, variants }]);
    const hosting = await lab.start();
    await untilVersion(hosting, 'base', as(['admin']));
    expect((await lab.get(hosting, HOST, '/')).status).toBe(401);
  });
});
