/**
 * Readers whose groups an OpenID Connect provider names, at the production site and at the preview of a branch: a platform,
 * a provider, a Git server and a site server as processes or servers of their own. Every resource of a release is found by
 * reading it as those who may, and requested as those who may not.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask } from '../../apps/site/test/support/reader.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { type IdentityProvider, startIdentityProvider, Visitor } from '../support/identity-provider.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { noteSecrets } from '../support/secrets.ts';
import { type SiteProcess, startSiteProcess } from '../support/site-process.ts';
import { createCaller } from './api.ts';

const TOKEN = 'hosting-token-of-this-test-0123456789abcdef';
const HOST = 'docs.example.com';
const PREVIEWS = 'previews.example.net';
const HANG_MS = 120_000;
/** Characters of the digests in the names of the search index. */
const DIGEST = 12;

/** Words that are only in pages of these readers, by site. */
const WORDS = {
  admin: { production: 'madagascar', preview: 'mauritius' },
  payroll: { production: 'zanzibar', preview: 'seychelles' },
  staff: { production: 'comoros', preview: 'reunion' },
};
type Stage = 'production' | 'preview';
type Audience = keyof typeof WORDS;
const audiences: Audience[] = ['admin', 'payroll', 'staff'];

/** The groups of each reader; without the claim: null. */
const READERS: Record<string, readonly string[] | null> = {
  ada: ['admin', 'elsewhere'],
  carl: ['contractors', 'admin'],
  sam: ['staff'],
  empty: [],
  none: null,
};

/** Which words each reader may read. */
const MAY_READ: Record<string, Audience[]> = {
  ada: ['admin', 'payroll'],
  carl: ['admin'],
  sam: ['staff'],
  empty: [],
  none: [],
};

let provider: IdentityProvider;
let git: GitServer;
let platform: TestPlatform;
let tenant: Tenant;
let site: SiteProcess;
let dir: string;
let projectId: string;
const hosts: Record<Stage, string> = { production: HOST, preview: '' };

const api = createCaller(() => ({ url: platform.url, key: tenant.key }));

const restricted = (title: string, groups: string, word: string): string =>
  `---\ntitle: ${title} ${word}\ndescription: About ${word}\nrss: true\ngroups: ${groups}\n---\n\n<Update label="May">\n${word} ![Own](/images/${word}.svg)\n</Update>\n`;

function filesOf(stage: Stage): { path: string; content: string }[] {
  const [admin, payroll, staff] = audiences.map((audience) => WORDS[audience][stage]);
  const picture = (word = '') => `<svg xmlns="http://www.w3.org/2000/svg"><title>${word}</title></svg>`;
  const files: Record<string, string> = {
    'docs.json': JSON.stringify({
      theme: 'mint',
      name: 'Docs',
      colors: { primary: '#3050a0' },
      // each page has a preview image of its own
      thumbnails: { appearance: 'light' },
      navigation: {
        groups: [
          { group: 'Start', pages: ['index', 'admin', 'payroll', 'staff', 'last'] },
          { group: 'API', openapi: 'api.json' },
        ],
      },
      redirects: [
        { source: '/old-admin', destination: `/admin#${admin}` },
        { source: `/moved-${payroll}`, destination: '/payroll' },
      ],
    }),
    'index.mdx': '---\ntitle: Home\nrss: true\n---\n\nHello.\n\n<Update label="May">\nNews\n</Update>\n',
    'last.mdx': '---\ntitle: Last\n---\n\nThe end.\n',
    'admin.mdx': restricted('Admin', '["admin"]', admin ?? ''),
    'payroll.mdx': restricted(
      'Payroll',
      '[{ includes: ["admin"], excludes: ["contractors"] }]',
      payroll ?? '',
    ),
    'staff.mdx': restricted('Staff', '["staff"]', staff ?? ''),
    ...Object.fromEntries([admin, payroll, staff].map((word) => [`images/${word}.svg`, picture(word)])),
    '.mintlify/skills/rights/SKILL.md': `---\nname: rights\ndescription: About ${admin}\ngroups: ["admin"]\n---\n\n${admin}\n`,
    'api.json': JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'API', version: '1' },
      servers: [{ url: 'https://api.example.com' }],
      paths: {
        '/pets': { get: { summary: 'List pets', responses: {} } },
        [`/${admin}`]: { get: { summary: `Read ${admin}`, 'x-mint': { groups: ['admin'] }, responses: {} } },
      },
    }),
  };
  return Object.entries(files).map(([path, content]) => ({ path, content }));
}

async function until<Result>(
  read: () => Promise<Result>,
  isWanted: (result: Result) => boolean,
): Promise<Result> {
  const deadline = performance.now() + HANG_MS;
  for (;;) {
    const result = await read();
    if (isWanted(result)) return result;
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(result).slice(0, 2_000)}`);
    await sleep(50);
  }
}

const get = (host: string, path: string, cookie?: string, headers: Record<string, string> = {}) =>
  ask(site.port, path, { headers: { host, ...headers, ...(cookie === undefined ? {} : { cookie }) } });

/** Signs in at a site by the provider, as a browser does, and returns the cookies of the site. */
async function signIn(host: string, login: string): Promise<string> {
  const jar = new Map<string, string>();
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const open = async (path: string) => {
    const answer = await get(host, path, cookies());
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
      noteSecrets(value.length > 20 ? value : '');
    }
    return answer;
  };
  const { headers } = await open('/docs/login?next=%2Fdocs%2Flast');
  const back = new URL(await new Visitor().passProvider(headers.location ?? '', login));
  expect(back.origin + back.pathname).toBe(`http://${host}/docs/login/callback`);
  const done = await open(back.pathname + back.search);
  expect([done.status, done.headers.location], done.content.toString()).toEqual([303, '/docs/last']);
  return cookies();
}

const known = [
  ...['', 'index.md', 'last', 'admin', 'admin.md', 'payroll', 'payroll.md', 'staff', 'staff.md', 'nothing'],
  ...[
    'llms.txt',
    'llms-full.txt',
    '.well-known/llms.txt',
    'sitemap.xml',
    'robots.txt',
    '404.html',
    'api.json',
  ],
  ...['rss.xml', 'admin/rss.xml', 'old-admin', '_redirects', '_headers', '_offprint/search.js'],
  ...['.well-known/mcp', '.well-known/mcp/server-card.json', '.well-known/agent-skills/index.json'],
  ...['.well-known/skills/index.json', 'skill.md', '_offprint/reader.json', 'offprint.json'],
];

const textOf = ({ content, headers }: Answer): string =>
  `${content.toString().toLowerCase()} ${JSON.stringify(headers).toLowerCase()}`;

/** Files that a file of the search index names: the directory by kind, and a list the texts. */
function searchFiles(text: string): string[] {
  const digests = [...text.matchAll(/"([tvnl])":"([0-9a-f]+)"/g)].map(([, kind, all]) => [kind, all]);
  const [, texts = ''] = /^offprintSearch\("l","([0-9a-f]+)"\)/.exec(text) ?? [];
  return [...digests, ['c', texts]].flatMap(([kind, all = '']) =>
    (all.match(new RegExp(`.{${DIGEST}}`, 'g')) ?? []).map(
      (digest) => `/docs/_offprint/search/${kind}-${digest}.js`,
    ),
  );
}

/** Everything that a reader finds: what is known, and what that names, with the text of each response. */
async function crawl(
  stage: Stage,
  cookie: string,
  paths: Iterable<string> = [],
): Promise<Map<string, string>> {
  const host = hosts[stage];
  const found = new Map<string, string>();
  const seen = new Set<string>();
  const waiting = [...known.map((path) => `/docs/${path}`), ...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const answer = await get(host, path, cookie);
    if (answer.status !== 404) found.set(path, textOf(answer));
    const text = `${answer.content} ${answer.headers.location ?? ''}`;
    const attributes = text.matchAll(/(?:href|src|content)="([^"]*)"/g);
    const others = text.matchAll(/["'(<> ]((?:https?:\/\/[a-z0-9.:-]+)?\/[^"'()<>\s\\]*)/g);
    for (const [, named = ''] of [...attributes, ...others]) {
      const url = URL.parse(named, `http://${host}${path}`);
      // pages of a preview name those of the production, too
      if (url !== null && Object.values(hosts).includes(url.hostname) && url.pathname.startsWith('/docs/'))
        waiting.push(url.pathname);
    }
    for (const [, name = ''] of text.matchAll(/"(\w[\w./-]*\.(?:json|md|svg|png|js|css|txt|xml|bin))"/g)) {
      const folder = path.slice(0, path.lastIndexOf('/') + 1);
      waiting.push(folder + name);
    }
    if (path.startsWith('/docs/_offprint/search')) waiting.push(...searchFiles(`${answer.content}`));
  }
  return found;
}

/** What search and tools of the site return for a page: the words of it are not in the requests. */
async function askServices(stage: Stage, cookie: string, audience: Audience): Promise<string[]> {
  const host = hosts[stage];
  const message = (params: Record<string, unknown>) =>
    ask(site.port, '/docs/mcp', {
      method: 'POST',
      headers: {
        host,
        cookie,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
  const answers = [
    await get(host, `/docs/_offprint/search?q=${audience}`, cookie),
    await message({ name: 'search', arguments: { query: audience } }),
    await message({ name: 'read', arguments: { path: `/docs/${audience}` } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  return answers.map(textOf);
}

/** What shows up in a release only for its readers, once it is served to this session. */
async function expectOwn(stage: Stage, login: string, cookie: string): Promise<Map<string, string>> {
  const mine = MAY_READ[login] ?? [];
  for (const audience of mine)
    await until(
      () => get(hosts[stage], `/docs/${audience}`, cookie),
      ({ status }) => status === 200,
    );
  const found = await crawl(stage, cookie);
  for (const audience of mine) {
    const carriers = [...found].filter(([, text]) => text.includes(WORDS[audience][stage]));
    const paths = carriers.map(([path]) => path.slice('/docs'.length));
    expect(paths, `${login} reads ${audience}`).toEqual(
      expect.arrayContaining([
        ...['/', `/${audience}`, `/${audience}.md`, `/${audience}/rss.xml`],
        ...['/llms.txt', '/llms-full.txt', `/images/${WORDS[audience][stage]}.svg`],
      ]),
    );
  }
  return found;
}

/** No response to these paths, with any way to request them, contains a word that the reader may not read. */
async function expectNothingElse(
  stage: Stage,
  login: string,
  cookie: string,
  { paths, own, ofAll }: { paths: Iterable<string>; own: Set<string>; ofAll: Set<string> },
): Promise<void> {
  const mine = MAY_READ[login] ?? [];
  const closed = audiences.flatMap((audience) =>
    mine.includes(audience)
      ? [WORDS[audience][stage === 'preview' ? 'production' : 'preview']]
      : Object.values(WORDS[audience]),
  );
  const found = await crawl(stage, cookie, paths);
  // to know a path of others opens nothing, but hashed files of the release for all
  const more = [...found.keys()].filter((path) => !own.has(path) && !ofAll.has(path));
  expect(more, `${login} ${stage}`).toEqual([]);
  for (const [path, text] of found)
    for (const word of closed) expect(text.includes(word), `${login} ${stage} ${path}: ${word}`).toBe(false);
  for (const path of paths) {
    const ways = [{ accept: 'text/markdown' }, { range: 'bytes=0-99' }, { 'if-none-match': '*' }];
    for (const headers of ways) {
      const text = textOf(await get(hosts[stage], path, cookie, headers));
      for (const word of closed)
        expect(text.includes(word), `${login} ${stage} ${path}: ${word}`).toBe(false);
    }
  }
  for (const audience of audiences)
    for (const [service, text] of (await askServices(stage, cookie, audience)).entries()) {
      const isMine = mine.includes(audience);
      const about = `${login} ${stage} ${audience}: service ${service}`;
      expect(text.includes(WORDS[audience][stage]), about).toBe(isMine);
      for (const word of closed) expect(text.includes(word), `${about}: ${word}`).toBe(false);
    }
  for (const audience of audiences)
    if (!mine.includes(audience))
      expect((await get(hosts[stage], `/docs/${audience}`, cookie)).status).toBe(404);
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'offprint-groups-oidc-'));
  provider = await startIdentityProvider();
  for (const [login, groups] of Object.entries(READERS))
    provider.accounts.set(login, {
      email: `${login}@acme.example`,
      email_verified: true,
      name: login,
      ...(groups === null ? {} : { groups }),
    });
  git = await startGitServer();
  platform = await startTestPlatform({
    env: {
      OFFPRINT_HOSTING_TOKEN: TOKEN,
      OFFPRINT_PREVIEW_DOMAIN: PREVIEWS,
      OFFPRINT_DOMAIN_VERIFICATION: 'off',
      OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      OFFPRINT_ALLOW_HTTP_GIT_HOSTS: '127.0.0.1',
    },
  });
  tenant = await platform.createTenant();
  site = await startSiteProcess({ url: platform.url, token: TOKEN, dir });
  const parent = await git.commit('docs.git', filesOf('production'));
  await git.commit('docs.git', filesOf('preview'), { ref: 'refs/heads/next', parent });
  const source = { kind: 'git', repository: `${git.url}/docs.git` };
  const made = await api<{ id: string }>(201, 'POST', '/v1/projects', {
    body: { name: 'Docs', domains: [HOST], basePath: '/docs', source },
  });
  projectId = made.id;
  await api(201, 'POST', `/v1/projects/${projectId}/domains`, { body: { domain: HOST } });
  const { issuer, clientId, clientSecret } = provider;
  const access = { kind: 'oidc', oidc: { issuer, clientId, clientSecret } };
  await api(200, 'PUT', `/v1/projects/${projectId}/access`, {
    body: { production: access, preview: access },
  });
  await api(202, 'POST', `/v1/project/update/${projectId}`);
  const { previewUrl } = await api<{ previewUrl: string }>(202, 'POST', `/v1/project/preview/${projectId}`, {
    body: { branch: 'next' },
  });
  hosts.preview = new URL(previewUrl).host;
  provider.open(Object.values(hosts).map((host) => `http://${host}/docs/login/callback`));
  for (const host of Object.values(hosts))
    await until(
      () => get(host, '/docs/last'),
      ({ status }) => status === 401,
    );
}, 300_000);

afterAll(async () => {
  await site?.stop();
  await platform?.stop();
  await git?.close();
  await provider?.close();
  await rm(dir, { recursive: true, force: true });
});

describe.each<Stage>(['production', 'preview'])('%s', (stage) => {
  const cookies: Record<string, string> = {};
  const everything = new Set<string>();

  test('readers get exactly the pages of the groups in their ID token', async () => {
    for (const login of Object.keys(READERS)) {
      cookies[login] = await signIn(hosts[stage], login);
      await until(
        () => get(hosts[stage], '/docs/last', cookies[login]),
        ({ status }) => status === 200,
      );
    }
    const own = new Map<string, Set<string>>();
    for (const login of Object.keys(READERS)) {
      own.set(login, new Set((await expectOwn(stage, login, cookies[login] ?? '')).keys()));
      for (const path of own.get(login) ?? []) everything.add(path);
    }
    const ofAll = own.get('none') ?? new Set();
    const word = WORDS.admin[stage];
    const kinds = [
      ...[
        /\/admin$/,
        /\/admin\.md$/,
        /\/admin\/rss\.xml$/,
        /\/old-admin$/,
        /\/llms-full\.txt$/,
        /\/sitemap\.xml$/,
      ],
      ...[
        /\/og\/\w+\.png$/,
        /\/search\/t-\w+\.js$/,
        /\/search\/c-\w+\.js$/,
        /\/nav-\w+\.js$/,
        /\/api\.json$/,
      ],
      ...[
        /agent-skills\/rights\/SKILL\.md$/,
        new RegExp(`/images/${word}.svg`),
        new RegExp(`/read-${word}$`),
      ],
    ];
    const without = kinds.filter((kind) => ![...everything].some((path) => kind.test(path)));
    expect(without, 'kinds of resources that the test does not find').toEqual([]);
    for (const login of Object.keys(READERS))
      await expectNothingElse(stage, login, cookies[login] ?? '', {
        paths: everything,
        own: own.get(login) ?? new Set(),
        ofAll,
      });
    console.info(`${stage}: ${everything.size} resources, ${Object.keys(READERS).length} readers`);
  });

  test('those who have not signed in, or at another site only, get nothing', async () => {
    const other = stage === 'preview' ? 'production' : 'preview';
    const foreign = await signIn(hosts[other], 'ada');
    for (const cookie of [undefined, foreign])
      for (const path of everything) {
        const answer = await get(hosts[stage], path, cookie);
        for (const audience of audiences)
          for (const word of Object.values(WORDS[audience]))
            expect(textOf(answer).replaceAll(path, '').includes(word), `${path}: ${word}`).toBe(false);
      }
  });
});
