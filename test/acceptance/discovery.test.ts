/** Searches and pages of sites over HTTP, for keys of their organization. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, deploy, expectError, makeFolder, type Reply } from './api.ts';
import { verifyHost } from './served-site.ts';

const HOST = 'docs.acme.example';
const CANARY = 'quokkas';

let platform: TestPlatform;
let tenant: Tenant;
let key: string;
let projectId: string;
let domain: string;

const page = (title: string, body: string): string => `---\ntitle: ${title}\n---\n\n${body}\n`;

beforeAll(async () => {
  platform = await startTestPlatform();
  tenant = await platform.createTenant();
  key = await platform.createKey(tenant.organizationId, { scopes: ['discovery:read'] });
  const path = await makeFolder({
    'docs.json': JSON.stringify({
      theme: 'mint',
      name: 'Acme',
      colors: { primary: '#166e3f' },
      navigation: {
        versions: ['v2', 'v1'].map((version) => ({
          version,
          groups: [{ group: 'Guides', pages: [`${version}/start`, `${version}/tokens`] }],
        })),
      },
    }),
    ...Object.fromEntries(
      ['v2', 'v1'].flatMap((version) => [
        [
          `${version}/start.mdx`,
          page('Start', `Here are ${CANARY}.\n\n## Access tokens\n\nA token is sent.`),
        ],
        [`${version}/tokens.mdx`, page('Tokens', 'Rotate them by month.')],
      ]),
    ),
  });
  ({ projectId, domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
  await deploy(platform.url, tenant.key, projectId);
  await verifyHost(platform, { organizationId: tenant.organizationId, projectId, host: HOST });
});
afterAll(() => platform?.stop());

type Found = { content: string; path: string; metadata: Record<string, unknown> }[];

const post = <Body = Record<string, unknown>>(path: string, body: unknown, by = key): Promise<Reply<Body>> =>
  call<Body>(platform.url, 'POST', `/discovery/v1/${path}`, { key: by, body });
const search = (body: object, at = HOST) => post<Found>(`search/${at}`, body);
const paths = async (body: object) => (await search(body)).body.map(({ path }) => path);

describe('a search', () => {
  test('200: an array of content, path and metadata, the best first', async () => {
    const { status, body, text } = await search({ query: 'access tokens', pageSize: 2 });
    expect(status, text).toBe(200);
    expect(body).toHaveLength(2);
    expect(body[0]).toEqual({
      content: 'A token is sent.',
      path: 'v2/start',
      metadata: {
        title: 'Start',
        heading: 'Access tokens',
        anchor: 'access-tokens',
        url: expect.stringMatching(/\/v2\/start#access-tokens$/),
        breadcrumbs: ['Guides'],
        method: '',
        score: 1,
        language: null,
        version: 'v2',
        product: null,
        tab: null,
      },
    });
  });

  test('200: by the domain of the project too, in any case', async () => {
    expect((await search({ query: CANARY }, domain)).body).toHaveLength(2);
    expect((await search({ query: CANARY }, HOST.toUpperCase())).body).toHaveLength(2);
  });

  test('200: with filters, and with a threshold', async () => {
    expect(await paths({ query: CANARY, filter: { version: 'v1' } })).toEqual(['v1/start']);
    expect(await paths({ query: CANARY, filter: { version: 'v9' } })).toEqual([]);
    expect(await paths({ query: CANARY, filter: { tag: 'guides', language: 'en' } })).toHaveLength(2);
    expect(await paths({ query: 'tokens', scoreThreshold: 1 })).toEqual(['v2/tokens']);
    expect(await paths({ query: 'zzzzqqqq' })).toEqual([]);
  });

  test('400: names what is not valid', async () => {
    const fault = async (body: unknown) => {
      const reply = await post(`search/${HOST}`, body);
      return [reply.status, reply.body.param];
    };
    expect(await fault({})).toEqual([400, '/query']);
    expect(await fault({ query: '  ' })).toEqual([400, '/query']);
    expect(await fault({ query: 'x'.repeat(2_001) })).toEqual([400, '/query']);
    expect(await fault({ query: 'a', pageSize: 51 })).toEqual([400, '/pageSize']);
    expect(await fault({ query: 'a', scoreThreshold: 2 })).toEqual([400, '/scoreThreshold']);
    expect(await fault({ query: 'a', filter: { groups: 'x' } })).toEqual([400, '/filter/groups']);
    expect(await fault({ query: 'a', more: 1 })).toEqual([400, '/more']);
  });

  test('401, 403: needs a key with its own scope', async () => {
    const lacks = await platform.createKey(tenant.organizationId, { scopes: ['exports:write'] });
    expectError(await post(`search/${HOST}`, { query: 'a' }, lacks), 403, 'scope_missing');
    expectError(
      await call(platform.url, 'POST', `/discovery/v1/search/${HOST}`, { body: { query: 'a' } }),
      401,
      'unauthorized',
    );
    expectError(await call(platform.url, 'GET', '/v1/projects', { key }), 403, 'scope_missing');
  });

  test('404: for an unknown domain, and for one of another organization', async () => {
    const stranger = await platform.createTenant();
    for (const at of ['nothing.example', '..%2f..', '%00', 'x'.repeat(300)])
      expectError(await post(`search/${at}`, { query: 'a' }), 404, 'not_found');
    expectError(await post(`search/${HOST}`, { query: CANARY }, stranger.key), 404, 'not_found');
    expect((await post('search/nothing.example', { query: 'a' })).body).toMatchObject({
      error: 'Site not found. Use the domain of a project that has a deployment, or a host that serves it.',
    });
  });

  test('many at the same time get a result, and leave no event', async () => {
    const events = () =>
      platform.database.db
        .selectFrom('audit_events')
        .select('action')
        .where('action', 'in', ['searchSite', 'getSitePage'])
        .execute();
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, at) => search({ query: `token ${at}` })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await events()).toEqual([]);
  });
});

describe('a page', () => {
  test('200: as Markdown, by its path or URL', async () => {
    for (const path of ['v2/start', '/v2/start.html#access-tokens', `https://${HOST}/v2/start?x=1`]) {
      const { status, body } = await post(`page/${HOST}`, { path });
      expect([status, body.path]).toEqual([200, 'v2/start']);
      expect(body.content).toContain('## Access tokens');
    }
  });

  test('404: for anything but a page of the site', async () => {
    for (const path of ['v3/start', '../offprint.json', 'offprint.json', '_offprint/search', '\0', '%'])
      expectError(await post(`page/${HOST}`, { path }), 404, 'not_found');
  });
});

test('records are every section as a line of JSON', async () => {
  const reply = await call(platform.url, 'GET', `/discovery/v1/records/${HOST}`, { key });
  expect(reply.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const records = reply.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.map(({ id }) => id)).toEqual([
    'v1/start',
    'v1/start#access-tokens',
    'v1/tokens',
    'v2/start',
    'v2/start#access-tokens',
    'v2/tokens',
  ]);
  expect(records[1]).toMatchObject({ content: 'A token is sent.', version: 'v1', breadcrumbs: ['Guides'] });
});

describe('a restricted site', () => {
  const restrict = (kind: object) =>
    call(platform.url, 'PUT', `/v1/projects/${projectId}/access`, {
      key: tenant.key,
      body: { production: kind },
    });
  beforeAll(async () => {
    expect((await restrict({ kind: 'password', password: 'four words of docs' })).status).toBe(200);
  });
  afterAll(() => restrict({ kind: 'public' }));

  test('shows no word without groups, and what such readers can read with them', async () => {
    for (const filter of [undefined, {}, { groups: [] }, { version: 'v2' }]) {
      const reply = await search({ query: CANARY, ...(filter === undefined ? {} : { filter }) });
      expect([reply.status, reply.body]).toEqual([200, []]);
    }
    expectError(await post(`page/${HOST}`, { path: 'v2/start' }), 404, 'not_found');
    expectError(await post(`page/${HOST}`, { path: 'v2/start', groups: [] }), 404, 'not_found');
    const none = await call(platform.url, 'GET', `/discovery/v1/records/${HOST}`, { key });
    expect(none.text).toBe('');
    const found = await search({ query: CANARY, filter: { groups: ['staff'] } });
    expect(found.body.map(({ path }) => path)).toEqual(['v2/start', 'v1/start']);
    expect((await post(`page/${HOST}`, { path: 'v2/start', groups: ['staff'] })).text).toContain(CANARY);
    const some = await call(platform.url, 'GET', `/discovery/v1/records/${HOST}?groups=staff`, { key });
    expect(some.text).toContain(CANARY);
  });
});

test('409: where the deployment type excludes the search', async () => {
  const change = (deploymentType: string) =>
    call(platform.url, 'PATCH', `/v1/projects/${projectId}`, { key: tenant.key, body: { deploymentType } });
  expect((await change('air-gapped')).status).toBe(200);
  expectError(await search({ query: CANARY }), 409, 'search_unavailable');
  expect((await change('cloud')).status).toBe(200);
  expect((await search({ query: CANARY })).status).toBe(200);
});

test('410: a site whose stored files are lost responds with the code of a lost artifact', async () => {
  const path = await makeFolder({
    'docs.json': JSON.stringify({
      theme: 'mint',
      name: 'Lost',
      colors: { primary: '#166e3f' },
      navigation: { pages: ['one'] },
    }),
    'one.mdx': page('One', 'These are wombats.'),
  });
  const lost = await createProject(platform.url, tenant.key, { kind: 'folder', path });
  await deploy(platform.url, tenant.key, lost.projectId);
  const ask = () => search({ query: 'wombats' }, lost.domain);
  // The manifest is in memory from here on, the chunks are not.
  expect((await post(`page/${lost.domain}`, { path: 'one' })).status).toBe(200);
  const artifacts = join(platform.dataDir, 'blobs', 'artifacts', tenant.organizationId);
  const files = (await readdir(artifacts, { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name),
  );
  expect(files.length).toBeGreaterThan(0);
  for (const { parentPath, name } of files) await rm(join(parentPath, name));
  expectError(await ask(), 410, 'artifact_lost');
});
