/**
 * Access to sites, as a process with many sites serves them: 5 kinds of access and groups, 12 kinds of resource, 4 kinds of
 * reader, at the root and below a base path.
 */
import { type Reader, readerCookieName, signReader } from '@offprint/bundle';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Access } from '../src/access/access.ts';
import type { SiteVariant } from '../src/hosting/protocol.ts';
import type { SecureHosting } from '../src/hosting/secure.ts';
import { makeBundle, type TestBundle } from './support/bundle.ts';
import { createHostingLab, type HostingLab, servesDeployment, untilHost } from './support/hosting-lab.ts';
import { siteOf } from './support/hosting-platform.ts';
import { type Answer, ask } from './support/reader.ts';

const CANARY = 'zanzibar-canary';
const SECRET = 'madagascar-secret';
const cookieKey = Buffer.alloc(32, 1).toString('base64url');
const earlierKey = Buffer.alloc(32, 2).toString('base64url');

interface Resource {
  url: string;
  /** Empty: a redirect. */
  file: string;
  /** Only releases for admins have it; otherwise they have it with other words. */
  isOfAdmins: boolean;
}
const shared = (url: string, file: string): Resource => ({ url, file, isOfAdmins: false });
const ofAdmins = (url: string, file: string): Resource => ({ url, file, isOfAdmins: true });

/** One of each kind for all readers, and one for a group. */
const RESOURCES: Readonly<Record<string, readonly [Resource, Resource]>> = {
  page: [shared('/guide', 'guide.html'), ofAdmins('/admin', 'admin.html')],
  navigation: [shared('/', 'index.html'), shared('/', 'index.html')],
  markdown: [shared('/guide.md', 'guide.md'), ofAdmins('/admin.md', 'admin.md')],
  asset: [shared('/images/plan.svg', 'images/plan.svg'), ofAdmins('/images/admin.svg', 'images/admin.svg')],
  'hashed asset': [
    shared('/_offprint/site-0123456789.js', '_offprint/site-0123456789.js'),
    ofAdmins('/_offprint/search/all-9876543210.json', '_offprint/search/all-9876543210.json'),
  ],
  'search index': [
    shared('/_offprint/search/index.json', '_offprint/search/index.json'),
    shared('/_offprint/search/index.json', '_offprint/search/index.json'),
  ],
  'llms.txt': [shared('/llms.txt', 'llms.txt'), shared('/llms.txt', 'llms.txt')],
  sitemap: [shared('/sitemap.xml', 'sitemap.xml'), shared('/sitemap.xml', 'sitemap.xml')],
  feed: [
    shared('/changelog/rss.xml', 'changelog/rss.xml'),
    ofAdmins('/internal/rss.xml', 'internal/rss.xml'),
  ],
  redirect: [shared('/old', ''), ofAdmins('/old-admin', '')],
  'missing page': [shared('/nothing', '404.html'), shared('/nothing', '404.html')],
  'preview image': [
    shared('/_offprint/og/guide.png', '_offprint/og/guide.png'),
    ofAdmins('/_offprint/og/admin.png', '_offprint/og/admin.png'),
  ],
};
const all = Object.values(RESOURCES).flat();

const page = (text: string) =>
  Buffer.from(`<!doctype html><html><head><title>${text}</title></head>${text}</html>`);

function filesFor(isAdmin: boolean): Record<string, Uint8Array> {
  const words = isAdmin ? `${CANARY} ${SECRET}` : CANARY;
  const known = all.filter(({ file, isOfAdmins }) => file !== '' && (isAdmin || !isOfAdmins));
  // what has a digest in its name is the same everywhere
  const textOf = (file: string) => (file.includes('site-') ? CANARY : `${words} of ${file}`);
  return Object.fromEntries(known.map(({ file }) => [file, page(textOf(file))]));
}

const redirects = [{ source: '/old', destination: `/${CANARY}`, permanent: true }];
const adminRedirects = [...redirects, { source: '/old-admin', destination: `/${SECRET}`, permanent: true }];

const kinds: readonly Access['kind'][] = ['public', 'password', 'members', 'oidc', 'token'];
const accessOf = (kind: Access['kind']): Access => (kind === 'public' ? { kind } : { kind, cookieKey });
const hostOf = (kind: string, basePath: string, more = '') =>
  `${kind}${more}${basePath.slice(1)}.example.com`;

function cookieOf(host: string, changes: Partial<Reader> = {}, key = cookieKey): string {
  const reader: Reader = {
    subject: 'ada',
    host,
    groups: [],
    expiresAt: Math.floor(Date.now() / 1000) + 600,
    content: {},
    apiPlaygroundInputs: {},
    ...changes,
  };
  return `${readerCookieName(false)}=${signReader(reader, key)}`;
}

/** What is known of each reader; null: no session. */
const READERS: Readonly<Record<string, Partial<Reader> | null>> = {
  anonymous: null,
  'signed in': { groups: ['sales'] },
  admin: { groups: ['sales', 'admin'] },
  expired: { groups: ['admin'], expiresAt: Math.floor(Date.now() / 1000) - 1 },
};
const navigation = { accept: 'text/html,*/*', 'sec-fetch-mode': 'navigate' };

let lab: HostingLab;
let hosting: SecureHosting;
let bundles: Record<'base' | 'admin' | 'open' | 'excluded', TestBundle>;

const variant = (id: string, groups: string[] | null, unless: string[] = []): SiteVariant => ({
  groups,
  unless,
  deploymentId: id,
  sha256: bundles[id === 'open' ? 'open' : id === 'excluded' ? 'excluded' : 'admin'].sha256,
});

beforeAll(async () => {
  lab = await createHostingLab();
  bundles = {
    base: await makeBundle('base', { files: 0, others: filesFor(false), head: { redirects } }),
    admin: await makeBundle('admin', {
      files: 0,
      others: filesFor(true),
      head: { redirects: adminRedirects },
    }),
    open: await makeBundle('open', {
      files: 0,
      others: { 'index.html': page('welcome'), 'open.html': page('open to everyone') },
    }),
    excluded: await makeBundle('excluded', { files: 0, others: { 'index.html': page('for staff') } }),
  };
  for (const [id, bundle] of Object.entries(bundles)) lab.platform.addDeployment(id, bundle);
  const sites = ['', '/docs'].flatMap((basePath) =>
    kinds.flatMap((kind) => {
      const options = { access: accessOf(kind), basePath, projectId: 'project' };
      const admins = variant('admin', ['admin']);
      return [
        siteOf(hostOf(kind, basePath), 'base', bundles.base, { ...options, variants: [admins] }),
        siteOf(hostOf(kind, basePath, '-open'), 'base', bundles.base, {
          ...options,
          variants: [variant('open', null), admins],
        }),
      ];
    }),
  );
  lab.platform.setSites(sites);
  hosting = await lab.start({ encode: false });
  for (const { host } of sites) await untilHost(hosting, host, servesDeployment('base'));
  // every release is on the volume once an admin gets the one for admins
  const [last] = sites.slice(-1);
  const host = last?.host ?? '';
  for (const path of ['/admin', '/open'])
    await until(async () => {
      const cookie = path === '/admin' ? { cookie: cookieOf(host, { groups: ['admin'] }) } : {};
      return (await lab.get(hosting, host, `/docs${path}`, cookie)).status === 200;
    });
}, 60_000);
afterAll(() => lab.close());

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

function request(
  kind: string,
  basePath: string,
  url: string,
  options: {
    reader?: Partial<Reader> | null;
    method?: string;
    headers?: Record<string, string>;
    open?: boolean;
  },
): Promise<Answer> {
  const { reader = null, method = 'GET', headers = navigation, open = false } = options;
  const host = hostOf(kind, basePath, open ? '-open' : '');
  const cookie = reader === null ? {} : { cookie: cookieOf(host, reader) };
  return ask(hosting.port, basePath + url, { method, headers: { host, ...headers, ...cookie } });
}

const textOf = ({ content, headers }: Answer) => `${content} ${JSON.stringify(headers)}`;

interface Cell {
  kind: Access['kind'];
  basePath: string;
  resource: Resource;
  who: string;
  method: string;
}

function cellsOf(kind: Access['kind'], basePath: string, resource: Resource | undefined): Cell[] {
  if (resource === undefined) throw new Error('no such resource');
  return Object.keys(READERS).flatMap((who) =>
    ['GET', 'HEAD'].map((method) => ({ kind, basePath, resource, who, method })),
  );
}

const askFor = ({ kind, basePath, resource, who, method }: Cell): Promise<Answer> =>
  request(kind, basePath, resource.url, { reader: READERS[who] ?? null, method });

const labelOf = ({ who, method }: Cell): string => `${method} by ${who}`;

const isSignedIn = (who: string): boolean => who === 'signed in' || who === 'admin';

/** Status of the resource where it is served. */
const foundStatus = ({ file }: Resource): number => (file === '' ? 308 : file === '404.html' ? 404 : 200);

/** The head of a redirect contains its target. */
const showsWords = ({ method, resource }: Cell): boolean => method === 'GET' || resource.file === '';

async function expectForAll(cell: Cell): Promise<void> {
  const { kind, basePath, resource, who } = cell;
  const answer = await askFor(cell);
  const label = labelOf(cell);
  const isOpen = kind === 'public' || isSignedIn(who);
  expect(answer.status, label).toBe(isOpen ? foundStatus(resource) : 302);
  expect(textOf(answer).includes(CANARY), label).toBe(isOpen && showsWords(cell));
  if (!isOpen) {
    const next = encodeURIComponent(basePath + resource.url);
    expect(answer.headers.location, label).toBe(`${basePath}/login?next=${next}`);
  }
  if (kind === 'public') return;
  expect(answer.headers['cache-control'], label).toBe('private, no-store');
  expect(answer.headers.vary, label).toContain('Cookie');
}

async function expectOfGroup(cell: Cell): Promise<void> {
  const { kind, resource, who } = cell;
  const answer = await askFor(cell);
  const label = labelOf(cell);
  const isMember = kind !== 'public' && who === 'admin';
  const forOthers = resource.isOfAdmins ? 404 : foundStatus(resource);
  const refused = kind === 'public' || isSignedIn(who) ? forOthers : 302;
  expect(answer.status, label).toBe(isMember ? foundStatus(resource) : refused);
  expect(textOf(answer).includes(SECRET), label).toBe(isMember && showsWords(cell));
  const isTheirs = answer.headers['offprint-release'] === bundles.admin.sha256.slice(0, 16);
  expect(isTheirs, label).toBe(isMember);
}

describe.each(['', '/docs'])('below the base path %j', (basePath) => {
  describe.each(kinds)('%s', (kind) => {
    test.each(Object.keys(RESOURCES))('%s: the right response to each reader', async (name) => {
      for (const cell of cellsOf(kind, basePath, RESOURCES[name]?.[0])) await expectForAll(cell);
    });

    test.each(Object.keys(RESOURCES))('%s of a group: for its members only', async (name) => {
      for (const cell of cellsOf(kind, basePath, RESOURCES[name]?.[1])) await expectOfGroup(cell);
    });

    test('what is public on a restricted site is open to everyone, and nothing else is', async () => {
      for (const [who, reader] of Object.entries(READERS)) {
        const isIn = kind === 'public' || who === 'signed in' || who === 'admin';
        const opened = await request(kind, basePath, '/open', { reader, open: true });
        expect([who, opened.status], who).toEqual([who, isIn ? 404 : 200]);
        const closed = [];
        for (const { url } of all.filter((one) => one.url !== '/')) {
          const answer = await request(kind, basePath, url, { reader, open: true });
          if (!isIn) expect(textOf(answer), url).not.toMatch(new RegExp(`${CANARY}|${SECRET}`));
          closed.push(answer.status);
        }
        if (!isIn) expect(new Set(closed)).toEqual(new Set([302]));
      }
    });
  });

  test('a conditional, ranged or unusual request of a stranger returns nothing of a release', async () => {
    const known = await request('token', basePath, '/guide', { reader: { groups: ['admin'] }, headers: {} });
    const etag = known.headers.etag ?? '';
    expect(etag).not.toBe('');
    const requests: [string, string, Record<string, string>][] = [
      ['GET', '/guide', { 'if-none-match': etag }],
      ['GET', '/guide', { 'if-none-match': '*' }],
      ['GET', '/guide', { 'if-match': '"nothing"' }],
      ['GET', '/guide', { 'if-modified-since': 'Wed, 21 Oct 2099 07:28:00 GMT' }],
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
      const answer = await request('token', basePath, path, { method, headers });
      const label = `${method} ${path.slice(0, 40)} ${JSON.stringify(headers)}`;
      expect(answer.status, label).toBe(401);
      expect(textOf(answer), label).not.toMatch(new RegExp(`${CANARY}|${SECRET}`));
      for (const name of ['etag', 'content-range', 'offprint-release', 'last-modified'])
        expect(answer.headers[name], label).toBeUndefined();
    }
  });

  test('with the ETag of a page of a group, others learn nothing of it', async () => {
    const known = await request('token', basePath, '/admin', { reader: { groups: ['admin'] } });
    expect(known.status).toBe(200);
    for (const headers of [{ 'if-none-match': known.headers.etag ?? '' }, { range: 'bytes=0-9' }]) {
      const given = { reader: { groups: ['sales'] }, headers: { ...navigation, ...headers } };
      const answer = await request('token', basePath, '/admin', given);
      const nothing = await request('token', basePath, '/nothing', given);
      expect([answer.status, answer.content.toString()]).toEqual([404, nothing.content.toString()]);
    }
  });

  test.each([false, true])(
    'a page that exists and one that does not get the same response, but for the path (open pages: %s)',
    async (open) => {
      const replies = [];
      for (const path of [
        '/guide',
        '/gxxde',
        '/admin',
        '/a.txt',
        '/old',
        '/old-admin',
        '/images/admin.svg',
      ]) {
        const answer = await request('members', basePath, path, { open });
        const { date: _, location = '', ...headers } = answer.headers;
        const rest = location.replace(encodeURIComponent(basePath + path), '');
        replies.push(JSON.stringify([answer.status, headers, rest, `${answer.content}`]));
      }
      expect(new Set(replies).size).toBe(1);
    },
  );

  test('rejects cookies that were changed, stolen from another host, or made before the key changed', async () => {
    const host = hostOf('token', basePath);
    const valid = cookieOf(host, { groups: ['admin'] });
    const [name = '', value = ''] = valid.split(/=(.*)/s);
    const unsecured = `v1.${Buffer.from(JSON.stringify({ s: 'a', g: ['admin'], e: 9e9, h: host })).toString('base64url')}.`;
    const bad = [
      cookieOf('other.example.com', { groups: ['admin'] }),
      cookieOf(hostOf('oidc', basePath), { groups: ['admin'] }),
      cookieOf(host, { groups: ['admin'] }, earlierKey),
      `${name}=${value.slice(0, -2)}`,
      `${name}=${unsecured}`,
      `${name}=${unsecured}${'A'.repeat(43)}`,
      `__Host-${name}=${value}`,
      `${name}x=${value}`,
      `${name}=${'a'.repeat(9_000)}`,
      `${Array.from({ length: 60 }, (_, at) => `c${at}=1`).join('; ')}; ${valid}`,
    ];
    for (const cookie of bad) {
      const answer = await request('token', basePath, '/guide', { headers: { cookie } });
      expect([answer.status, answer.content.includes(CANARY)], cookie.slice(0, 80)).toEqual([401, false]);
    }
    const second = { headers: { cookie: `${name}=old.value; ${valid}` } };
    expect((await request('token', basePath, '/guide', second)).status).toBe(200);
  });

  test('scripts learn who reads, and nobody else does', async () => {
    const content = { firstName: 'Ada' };
    const apiPlaygroundInputs = { header: { 'X-Key': 'k' } };
    const url = '/_offprint/reader.json';
    const reader = { groups: ['admin'], content, apiPlaygroundInputs };
    const known = await request('oidc', basePath, url, { reader, headers: {} });
    expect(JSON.parse(known.content.toString())).toMatchObject({
      signedIn: true,
      groups: ['admin'],
      content,
      apiPlaygroundInputs,
    });
    expect(known.headers['cache-control']).toBe('private, no-store');
    const nobody = { signedIn: false, groups: [], content: {}, apiPlaygroundInputs: {} };
    for (const open of [false, true]) {
      const unknown = await request('oidc', basePath, url, { open, headers: {} });
      expect(JSON.parse(unknown.content.toString())).toEqual(nobody);
    }
  });
});

test('scripts and agents get a 401 as text or JSON, which names the sign-in', async () => {
  const json = await request('password', '/docs', '/guide', { headers: { accept: 'application/json' } });
  expect(JSON.parse(json.content.toString())).toMatchObject({
    code: 'sign_in_required',
    signIn: '/docs/login',
  });
  const headers = { accept: 'text/html', 'sec-fetch-mode': 'cors' };
  const text = await request('password', '/docs', '/guide', { headers });
  expect([text.status, text.headers['content-type']]).toEqual([401, 'text/plain; charset=utf-8']);
});
