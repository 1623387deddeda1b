/** Access to sites: 5 kinds of access and groups, 12 kinds of resource, 4 kinds of reader, at the root and below a base path. */
import { type Reader, readerCookieName, signReader } from '@offprint/bundle';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Access, Requirement } from '../src/access/may-read.ts';
import type { SignInRequest } from '../src/access/sign-in.ts';
import { ask } from './support/reader.ts';
import { type RestrictedSite, startRestrictedSite } from './support/restricted-site.ts';

const CANARY = 'zanzibar-canary';
const SECRET = 'madagascar-secret';
const HOST = 'docs.example.com';
const cookieKey = Buffer.alloc(32, 1).toString('base64url');
const earlierKey = Buffer.alloc(32, 2).toString('base64url');

/** One of each kind of resource; the values contain a word that only readers may see. */
const RESOURCES: Readonly<Record<string, [url: string, file: string]>> = {
  page: ['/guide', 'guide.html'],
  start: ['/', 'index.html'],
  markdown: ['/guide.md', 'guide.md'],
  asset: ['/images/plan.svg', 'images/plan.svg'],
  'hashed asset': ['/_offprint/site-0123456789.js', '_offprint/site-0123456789.js'],
  'search index': ['/_offprint/search/index.json', '_offprint/search/index.json'],
  'llms.txt': ['/llms.txt', 'llms.txt'],
  sitemap: ['/sitemap.xml', 'sitemap.xml'],
  feed: ['/changelog/rss.xml', 'changelog/rss.xml'],
  redirect: ['/old', ''],
  'missing page': ['/nothing', '404.html'],
  'preview image': ['/_offprint/og/guide.png', '_offprint/og/guide.png'],
};

const files: Record<string, string> = {
  ...Object.fromEntries(
    Object.values(RESOURCES)
      .filter(([, file]) => file !== '')
      .map(([, file]) => [file, `${CANARY} of ${file}`]),
  ),
  '404.html': `<!doctype html><html><head><title>${CANARY}</title></head>Nothing here</html>`,
  'admin.html': `<!doctype html><title>Admin</title>${SECRET}`,
  'admin.md': SECRET,
  'open.html': '<!doctype html><title>Open</title>open to everyone',
};
const head = {
  redirects: [
    { source: '/old', destination: `/${CANARY}`, permanent: true },
    { source: '/old-admin', destination: '/admin', permanent: true },
  ],
};
const admins: Requirement = { isPublic: false, groups: ['admin', 'owner'] };
const rules = {
  'admin.html': admins,
  'admin.md': admins,
  'open.html': { isPublic: true, groups: null },
};

const kinds: readonly Access['kind'][] = ['public', 'password', 'members', 'oidc', 'token'];
const accessOf = (kind: Access['kind']): Access => (kind === 'public' ? { kind } : { kind, cookieKey });

function cookieOf(changes: Partial<Reader> = {}, key = cookieKey): string {
  const reader: Reader = {
    subject: 'ada',
    host: HOST,
    groups: [],
    expiresAt: Math.floor(Date.now() / 1000) + 600,
    content: {},
    apiPlaygroundInputs: {},
    ...changes,
  };
  return `${readerCookieName(false)}=${signReader(reader, key)}`;
}

const READERS: Readonly<Record<string, { cookie: string | null; may: boolean; isAdmin: boolean }>> = {
  anonymous: { cookie: null, may: false, isAdmin: false },
  'signed in': { cookie: cookieOf({ groups: ['sales'] }), may: true, isAdmin: false },
  admin: { cookie: cookieOf({ groups: ['sales', 'admin'] }), may: true, isAdmin: true },
  expired: {
    cookie: cookieOf({ groups: ['admin'], expiresAt: Math.floor(Date.now() / 1000) - 1 }),
    may: false,
    isAdmin: false,
  },
};
const navigation = { accept: 'text/html,*/*', 'sec-fetch-mode': 'navigate' };
const headersOf = (cookie: string | null, more: Record<string, string> = {}): Record<string, string> => ({
  ...more,
  ...(cookie === null ? {} : { cookie }),
});

async function expectResponse(
  port: number,
  cell: { basePath: string; kind: string; resource: string; name: string; method: string },
): Promise<void> {
  const { basePath, kind, resource, name, method } = cell;
  const url = basePath + (RESOURCES[resource]?.[0] ?? '');
  const { cookie = null, may = false } = READERS[name] ?? {};
  const isOpen = kind === 'public' || may;
  const { status, headers, content } = await ask(port, url, {
    method,
    headers: headersOf(cookie, navigation),
  });
  const label = `${method} by ${name}`;
  const found = resource === 'redirect' ? 308 : resource === 'missing page' ? 404 : 200;
  expect(status, label).toBe(isOpen ? found : 302);
  // the head of a redirect contains its target
  const hasCanary = isOpen && (method === 'GET' || resource === 'redirect');
  expect(`${content} ${JSON.stringify(headers)}`.includes(CANARY), label).toBe(hasCanary);
  if (!isOpen) expect(headers.location, label).toBe(`${basePath}/login?next=${encodeURIComponent(url)}`);
  if (kind === 'public') return;
  expect(headers['cache-control'], label).toBe('private, no-store');
  expect(headers.vary, label).toContain('Cookie');
}

function combinations(a: string[], b: string[], c: string[]): [string, string, string][] {
  return a.flatMap((x) => b.flatMap((y) => c.map((z): [string, string, string] => [x, y, z])));
}

describe.each(['', '/docs'])('below the base path %j', (basePath) => {
  const sites = new Map<string, RestrictedSite>();
  beforeAll(async () => {
    for (const kind of kinds) {
      const access = accessOf(kind);
      sites.set(kind, await startRestrictedSite({ host: HOST, basePath, access, files, head, rules }));
    }
  });
  afterAll(async () => {
    for (const site of sites.values()) await site.close();
  });
  const siteOf = (kind: string): RestrictedSite => {
    const site = sites.get(kind);
    if (site === undefined) throw new Error(`no site of kind ${kind}`);
    return site;
  };

  describe.each(kinds)('%s', (kind) => {
    test.each(Object.keys(RESOURCES))('%s: the right response to each reader', async (resource) => {
      for (const [name, method] of combinations(Object.keys(READERS), ['GET', 'HEAD'], [''])) {
        await expectResponse(siteOf(kind).port, { basePath, kind, resource, name, method });
      }
    });

    test('pages with groups are served to readers in one of them; to others they are missing', async () => {
      const { port } = siteOf(kind);
      const missing = await ask(port, `${basePath}/nothing`, {
        headers: headersOf(READERS.admin?.cookie ?? null, navigation),
      });
      const urls = [
        '/admin',
        '/admin/',
        '/old-admin',
        '/admin.html',
        '/admin.md',
        '/%61dmin',
        '/admin?x=/open',
      ];
      for (const [url, accept, name] of combinations(
        urls,
        ['text/html', 'text/markdown'],
        Object.keys(READERS),
      )) {
        const { cookie = null, may, isAdmin } = READERS[name] ?? {};
        const headers = headersOf(cookie, { accept, 'sec-fetch-mode': 'navigate' });
        const { status, content } = await ask(port, basePath + url, { headers });
        const label = `${url} as ${accept} to ${name}`;
        const served = url === '/admin/' || url === '/old-admin' ? 308 : 200;
        const refused = kind === 'public' || may ? 404 : 302;
        expect(status, label).toBe(kind !== 'public' && isAdmin ? served : refused);
        expect(content.includes(SECRET), label).toBe(status === 200);
        expect(status !== 404 || content.equals(missing.content), label).toBe(true);
      }
    });

    test('pages with `public` are open to everyone', async () => {
      const { port } = siteOf(kind);
      for (const { cookie } of Object.values(READERS)) {
        const reply = await ask(port, `${basePath}/open`, { headers: headersOf(cookie, navigation) });
        expect([reply.status, reply.content.toString()]).toEqual([200, files['open.html']]);
      }
    });
  });

  test('a conditional, ranged or unusual request of a stranger returns nothing of the release', async () => {
    const site = siteOf('token');
    const known = await ask(site.port, `${basePath}/guide`, {
      headers: headersOf(READERS['signed in']?.cookie ?? null),
    });
    const opened = site.opened();
    const etag = known.headers.etag ?? '';
    expect(etag).not.toBe('');
    const requests: [string, string, Record<string, string>][] = [
      ['GET', '/guide', { 'if-none-match': etag }],
      ['GET', '/guide', { 'if-none-match': '*' }],
      ['GET', '/guide', { 'if-match': '"nothing"' }],
      ['GET', '/guide', { range: 'bytes=0-3' }],
      ['GET', '/guide', { range: 'bytes=900000-' }],
      ['GET', '/guide', { 'accept-encoding': 'identity;q=0' }],
      ['GET', '/guide', { accept: 'text/markdown' }],
      ['POST', '/guide', {}],
      ['OPTIONS', '/guide', { origin: 'https://evil.example' }],
      ['DELETE', '/guide', {}],
      ['GET', '/%zz', {}],
      ['GET', `/${'a'.repeat(5_000)}`, {}],
      ['GET', '/guide/../guide', {}],
      ['GET', '//guide', {}],
    ];
    for (const [method, path, headers] of requests) {
      const reply = await ask(site.port, basePath + path, { method, headers });
      const label = `${method} ${path.slice(0, 40)} ${JSON.stringify(headers)}`;
      expect(reply.status, label).toBe(401);
      expect(`${reply.content} ${JSON.stringify(reply.headers)}`, label).not.toContain(CANARY);
      expect(reply.headers.etag, label).toBeUndefined();
      expect(reply.headers['content-range'], label).toBeUndefined();
      expect(reply.headers['offprint-release'], label).toBeUndefined();
    }
    // the release was not even asked: no time depends on what it contains
    expect(site.opened()).toBe(opened);
  });

  test('a page that exists and one that does not get the same response, but for the path', async () => {
    const { port } = siteOf('members');
    const replies = [];
    for (const path of ['/guide', '/gxxde', '/admin', '/a.txt', '/old']) {
      const reply = await ask(port, basePath + path, { headers: navigation });
      const { date: _, location = '', ...headers } = reply.headers;
      replies.push(
        JSON.stringify([
          reply.status,
          headers,
          location.replace(encodeURIComponent(basePath + path), ''),
          `${reply.body}`,
        ]),
      );
    }
    expect(new Set(replies).size).toBe(1);
  });

  test('rejects cookies that were changed, stolen from another host, or made before the key changed', async () => {
    const { port } = siteOf('token');
    const valid = cookieOf({ groups: ['admin'] });
    const [name = '', value = ''] = valid.split(/=(.*)/s);
    const unsecured = `v1.${Buffer.from(JSON.stringify({ s: 'a', g: ['admin'], e: 9e9, h: HOST })).toString('base64url')}.`;
    const bad = [
      cookieOf({ host: 'other.example.com', groups: ['admin'] }),
      cookieOf({ groups: ['admin'] }, earlierKey),
      `${name}=${value.slice(0, -2)}`,
      `${name}=${unsecured}`,
      `${name}=${unsecured}${'A'.repeat(43)}`,
      `__Host-${name}=${value}`,
      `${name}x=${value}`,
      `${name}=${'a'.repeat(9_000)}`,
      `${Array.from({ length: 60 }, (_, at) => `c${at}=1`).join('; ')}; ${valid}`,
    ];
    for (const cookie of bad) {
      const reply = await ask(port, `${basePath}/guide`, { headers: { cookie } });
      expect([reply.status, reply.content.includes(CANARY)], cookie.slice(0, 80)).toEqual([401, false]);
    }
    const second = await ask(port, `${basePath}/guide`, {
      headers: { cookie: `${name}=old.value; ${valid}` },
    });
    expect(second.status).toBe(200);
  });

  test('scripts learn who reads, and nobody else does', async () => {
    const { port } = siteOf('oidc');
    const content = { firstName: 'Ada' };
    const apiPlaygroundInputs = { header: { 'X-Key': 'k' } };
    const url = `${basePath}/_offprint/reader.json`;
    const cookie = cookieOf({ groups: ['admin'], content, apiPlaygroundInputs });
    const known = await ask(port, url, { headers: { cookie } });
    expect(JSON.parse(known.content.toString())).toMatchObject({
      signedIn: true,
      groups: ['admin'],
      content,
      apiPlaygroundInputs,
    });
    expect(known.headers['cache-control']).toBe('private, no-store');
    expect(JSON.parse((await ask(port, url)).content.toString())).toEqual({
      signedIn: false,
      groups: [],
      content: {},
      apiPlaygroundInputs: {},
    });
  });
});

test('scripts and agents get a 401 as text or JSON, which names the sign-in', async () => {
  const site = await startRestrictedSite({
    host: HOST,
    basePath: '/docs',
    access: accessOf('password'),
    files,
  });
  const json = await ask(site.port, '/docs/guide', { headers: { accept: 'application/json' } });
  expect(JSON.parse(json.content.toString())).toMatchObject({
    code: 'sign_in_required',
    signIn: '/docs/login',
  });
  const text = await ask(site.port, '/docs/guide', {
    headers: { accept: 'text/html', 'sec-fetch-mode': 'cors' },
  });
  expect([text.status, text.headers['content-type']]).toEqual([401, 'text/plain; charset=utf-8']);
  await site.close();
});

test('over TLS only the cookie with the prefix of the host is valid', async () => {
  const site = await startRestrictedSite({
    host: HOST,
    basePath: '',
    access: accessOf('token'),
    files,
    isSecure: true,
  });
  const plain = await ask(site.port, '/guide', { headers: { cookie: cookieOf() } });
  expect(plain.status).toBe(401);
  const prefixed = await ask(site.port, '/guide', { headers: { cookie: `__Host-${cookieOf()}` } });
  expect(prefixed.status).toBe(200);
  await site.close();
});

describe('the sign-in', () => {
  test('is passed to the platform with what it needs, and the headers of proxies are set by the site', async () => {
    const seen: SignInRequest[] = [];
    const site = await startRestrictedSite({
      host: HOST,
      basePath: '/docs',
      access: accessOf('password'),
      files,
      async post(request) {
        seen.push(request);
        return { status: 303, headers: { Location: '/docs/', 'Set-Cookie': ['a=1', 'b=2'] }, body: '' };
      },
    });
    const reply = await ask(site.port, '/docs/login?next=%2Fdocs', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': '198.51.100.1',
        authorization: 'Bearer secret',
        cookie: 'a=b',
      },
      body: 'password=x',
    });
    expect([reply.status, reply.headers.location, reply.headers['set-cookie']]).toEqual([
      303,
      '/docs/',
      ['a=1', 'b=2'],
    ]);
    expect(reply.headers['cache-control']).toBe('private, no-store');
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      host: HOST,
      method: 'POST',
      path: '/docs/login',
      query: 'next=%2Fdocs',
      body: 'password=x',
    });
    expect(seen[0]?.headers).toMatchObject({
      cookie: 'a=b',
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-proto': 'http',
    });
    expect(JSON.stringify(seen)).not.toContain('Bearer');
    await site.close();
  });

  test('fails closed: nothing is served while the platform is unavailable or the form is not one', async () => {
    const site = await startRestrictedSite({
      host: HOST,
      basePath: '',
      access: accessOf('password'),
      files,
      post: () => Promise.reject(new Error('unreachable')),
    });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const away = await ask(site.port, '/login');
    expect([away.status, away.headers['retry-after']]).toEqual([503, '60']);
    const large = await ask(site.port, '/login', { method: 'POST', headers: form, body: 'a'.repeat(40_000) });
    expect(large.status).toBe(413);
    expect((await ask(site.port, '/login', { method: 'POST', body: '{}' })).status).toBe(413);
    expect((await ask(site.port, '/login', { method: 'PUT', headers: form })).status).toBe(405);
    await site.close();
  });

  test('of a public site is a path like any other', async () => {
    const site = await startRestrictedSite({ host: HOST, basePath: '', access: { kind: 'public' }, files });
    expect((await ask(site.port, '/login')).status).toBe(404);
    await site.close();
  });
});
