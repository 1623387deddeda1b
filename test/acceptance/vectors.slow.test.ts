/**
 * Vectors of pages from an endpoint of the team, over HTTP: made by the worker, merged into the search of programs and of
 * the assistant, and never in the way of the search by words.
 */
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelEnv, question, readChunks } from '../assistant/site.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../support/agent/embedding-server.ts';
import { type ModelServer, startModelServer } from '../support/agent/model-server.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, deploy, makeFolder } from './api.ts';
import { verifyHost } from './served-site.ts';

const KEY = 'sk-vectors-Zm9vYmFyYmF6-0123456789';
const STAFF = 'madagascarcanary';
/** Texts with one of the words of a line have the same meaning. */
const MEANINGS = [
  ['cancel', 'terminate', 'quit', 'unsubscribe'],
  ['invoice', 'invoices', 'receipt', 'billing'],
  ['password', 'passphrase', 'secret'],
];

const page = (title: string, body: string, more = ''): string =>
  `---\ntitle: ${title}\n${more}---\n\n${body}\n`;

function docs(pages: Readonly<Record<string, string>>, more: object = {}): Record<string, string> {
  return {
    'docs.json': JSON.stringify({
      theme: 'mint',
      name: 'Acme',
      colors: { primary: '#166e3f' },
      navigation: {
        groups: [{ group: 'Guides', pages: Object.keys(pages).map((path) => path.replace('.mdx', '')) }],
        ...more,
      },
    }),
    ...pages,
  };
}

const PAGES = {
  'index.mdx': page('Home', 'Welcome to the docs.'),
  'leave.mdx': page('Leave us', 'We are sad.\n\n## Terminate a contract\n\nWrite a letter.'),
  'billing.mdx': page('Billing', 'An invoice arrives each month.'),
  'install.mdx': page('Install', 'Run the installer on each machine.'),
};

let platform: TestPlatform;
let worker: ChildProcess;
let endpoint: EmbeddingServer;
let model: ModelServer;
let tenant: Tenant;

beforeAll(async () => {
  endpoint = await startEmbeddingServer({ meanings: MEANINGS, apiKey: KEY });
  model = await startModelServer({ script: () => ({ text: 'Read the page.' }) });
  platform = await startTestPlatform({
    roles: ['api'],
    env: { ...modelEnv(model.url), OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
  });
  worker = platform.start(['worker']);
  tenant = await platform.createTenant();
});
afterAll(async () => {
  await platform?.stop();
  await model?.close();
  await endpoint?.close();
});

interface Site {
  projectId: string;
  path: string;
  host: string;
}

let sites = 0;

async function makeSite(files: Record<string, string>): Promise<Site> {
  const path = await makeFolder(files);
  const { projectId } = await createProject(platform.url, tenant.key, { kind: 'folder', path });
  const host = `docs-${++sites}.example.com`;
  await verifyHost(platform, { organizationId: tenant.organizationId, projectId, host });
  return { projectId, path, host };
}

const embeddings = () => ({
  provider: 'openai-compatible',
  model: 'test-embeddings',
  baseUrl: endpoint.url,
  apiKey: KEY,
});

interface Settings {
  embeddings: { state: string; reason: string | null; sections: number | null; hasApiKey: boolean } | null;
}

async function set({ projectId }: Site, value: object | null): Promise<Settings> {
  const reply = await call<Settings>(platform.url, 'PUT', `/v1/projects/${projectId}/assistant`, {
    key: tenant.key,
    body: { embeddings: value },
  });
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}

const stateOf = async ({ projectId }: Site) =>
  (await call<Settings>(platform.url, 'GET', `/v1/projects/${projectId}/assistant`, { key: tenant.key })).body
    .embeddings;

/** Resolves when the live deployment has vectors. */
async function ready(site: Site): Promise<void> {
  for (;;) {
    const state = await stateOf(site);
    if (state?.state === 'ready') return;
    expect(state?.state, state?.reason ?? '').toBe('pending');
    await sleep(50);
  }
}

interface Hit {
  path: string;
  content: string;
  metadata: { anchor: string; score: number };
}

async function search({ host }: Site, query: string, filter?: object): Promise<Hit[]> {
  const reply = await call<Hit[]>(platform.url, 'POST', `/discovery/v1/search/${host}`, {
    key: tenant.key,
    body: { query, ...(filter === undefined ? {} : { filter }) },
  });
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}

const pathsOf = async (...request: Parameters<typeof search>) =>
  (await search(...request)).map(({ path }) => path);
const asked = (): number => endpoint.requests.length;
const texts = (since: number): string[] => endpoint.requests.slice(since).flat();

describe('a project', () => {
  let site: Site;

  beforeAll(async () => {
    site = await makeSite(docs(PAGES));
    await deploy(platform.url, tenant.key, site.projectId);
  });

  test('has no vectors before it names an endpoint, and sends nothing anywhere', async () => {
    expect(await stateOf(site)).toBeNull();
    expect(await pathsOf(site, 'quit')).toEqual([]);
    expect(await pathsOf(site, 'installer')).toEqual(['install']);
    expect(asked()).toBe(0);
    expect(await platform.database.db.selectFrom('bundle_vectors').selectAll().execute()).toEqual([]);
  });

  test('with an endpoint finds the section with the meaning of the query, although it has none of its words', async () => {
    expect((await set(site, embeddings())).embeddings).toMatchObject({ state: 'pending', hasApiKey: true });
    await ready(site);
    expect(await stateOf(site)).toMatchObject({ state: 'ready', reason: null, sections: 5 });
    const sent = texts(0);
    expect(sent).toHaveLength(5);
    expect(sent).toContain('Guides > Leave us > Terminate a contract\nWrite a letter.');
    const [first] = await search(site, 'quit');
    expect(first).toMatchObject({
      path: 'leave',
      content: 'Write a letter.',
      metadata: { anchor: 'terminate-a-contract', score: 1 },
    });
    expect((await pathsOf(site, 'receipt'))[0]).toBe('billing');
    // By words as well.
    expect((await pathsOf(site, 'installer'))[0]).toBe('install');
  });

  test('asks for the vector of a query once', async () => {
    await search(site, 'unsubscribe');
    const before = asked();
    await search(site, 'unsubscribe');
    expect(asked()).toBe(before);
  });

  test('sends at the next deployment only the sections that have changed', async () => {
    const before = asked();
    await writeFile(join(site.path, 'install.mdx'), page('Install', 'A passphrase is asked for.'));
    await deploy(platform.url, tenant.key, site.projectId);
    // By words until the vectors are there.
    expect((await pathsOf(site, 'passphrase'))[0]).toBe('install');
    await ready(site);
    expect(texts(before).filter((text) => text !== 'passphrase')).toEqual([
      'Guides > Install\nA passphrase is asked for.',
    ]);
    expect((await pathsOf(site, 'secret'))[0]).toBe('install');
    expect((await pathsOf(site, 'quit'))[0]).toBe('leave');
  });

  test('is searched by words while the endpoint fails, and does not wait for it each time', async () => {
    for (const fault of [{ kind: 'hang' }, { kind: 'status', status: 500 }] as const) {
      endpoint.fault = fault;
      const began = performance.now();
      for (let at = 0; at < 5; at++)
        expect(await pathsOf(site, `invoice ${fault.kind} ${at}`)).toEqual(['billing']);
      expect(performance.now() - began).toBeLessThan(4_000);
    }
    expect(await stateOf(site)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/^The last query has no vector: .*(?:failed|sent no vectors)/),
    });
    endpoint.fault = null;
    expect(platform.log()).toMatch(/is searched by words/);
    // Another process, which does not wait until this one asks again.
    const url = await platform.startApi({});
    await call(url, 'POST', `/discovery/v1/search/${site.host}`, {
      key: tenant.key,
      body: { query: 'quit again' },
    });
    expect(await stateOf(site)).toMatchObject({ state: 'ready', reason: null });
  });

  test('without the endpoint again is searched by words, and its vectors are deleted', async () => {
    expect((await set(site, null)).embeddings).toBeNull();
    const before = asked();
    expect(await pathsOf(site, 'terminated quitter')).toEqual(['leave']);
    expect(asked()).toBe(before);
  });
});

test('wrong keys, hosts and models are shown with their reason, and the search is by words', async () => {
  const site = await makeSite(docs(PAGES));
  await deploy(platform.url, tenant.key, site.projectId);
  await set(site, { ...embeddings(), apiKey: 'sk-wrong-0123456789abcdef' });
  await expect
    .poll(() => stateOf(site), { timeout: 20_000 })
    .toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/rejected the API key/),
    });
  expect((await stateOf(site))?.reason).not.toContain('sk-wrong');
  expect(await pathsOf(site, 'invoice')).toEqual(['billing']);
  // The key goes nowhere else: another address does not get it.
  const moved = await set(site, { ...embeddings(), apiKey: undefined, baseUrl: `${endpoint.url}/other` });
  expect(moved.embeddings).toMatchObject({ hasApiKey: false });
  const reply = await call(platform.url, 'PUT', `/v1/projects/${site.projectId}/assistant`, {
    key: tenant.key,
    body: { embeddings: { ...embeddings(), baseUrl: 'http://models.example.com/v1' } },
  });
  expect([reply.status, reply.body.param]).toEqual([400, '/embeddings/baseUrl']);
  // Saving the settings again starts the next attempt.
  for (const [fault, reason] of [
    [{ kind: 'redirect', to: 'http://169.254.169.254/' }, /redirects to 169\.254\.169\.254/],
    [{ kind: 'body', body: '{"data":[{"index":0,"embedding":[1e999]}]}' }, /contains no vectors|not finite/],
    [{ kind: 'status', status: 404, message: 'No such model.' }, /No such model\./],
  ] as const) {
    endpoint.fault = fault;
    await set(site, embeddings());
    await expect
      .poll(() => stateOf(site), { timeout: 20_000 })
      .toMatchObject({ state: 'failed', reason: expect.stringMatching(reason) });
  }
  endpoint.fault = null;
  await set(site, embeddings());
  await ready(site);
  await set(site, null);
  endpoint.violations.length = 0;
});

test('a worker that is killed loses nothing: the next one continues with what was stored', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`page-${at}.mdx`, page(`Page ${at}`, `Number ${at} of many.`)]),
  );
  const site = await makeSite(docs({ ...many, 'leave.mdx': PAGES['leave.mdx'] }));
  await deploy(platform.url, tenant.key, site.projectId);
  const before = asked();
  endpoint.delayMs = 400;
  await set(site, embeddings());
  while (asked() < before + 3) await sleep(20);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  endpoint.delayMs = 0;
  worker = platform.start(['worker']);
  await ready(site);
  const sent = texts(before);
  const repeated = sent.length - new Set(sent).size;
  // Each request has 32 texts; the first was stored before the next was sent.
  expect(repeated).toBeLessThanOrEqual(3 * 32);
  expect(sent.filter((text) => text.startsWith('Guides > Page 0\n'))).toHaveLength(1);
  expect((await pathsOf(site, 'quit'))[0]).toBe('leave');
});

test('on a restricted site, vectors are those of the release that the reader gets', async () => {
  const site = await makeSite(
    docs({
      'index.mdx': page('Home', 'The password of members is short.'),
      'staff.mdx': page('Staff', `The password of staff is ${STAFF}.`, 'groups: ["staff"]\n'),
      'open.mdx': page('Open', 'A password is asked for.', 'public: true\n'),
    }),
  );
  const { db } = platform.database;
  const access = await call(platform.url, 'PUT', `/v1/projects/${site.projectId}/access`, {
    key: tenant.key,
    body: { production: { kind: 'token', token: { loginUrls: [], issuer: null, audience: null } } },
  });
  expect(access.status, access.text).toBe(200);
  // As a sign-in of a reader with this group stores it.
  await db
    .insertInto('reader_groups')
    .values({
      organization_id: tenant.organizationId,
      project_id: site.projectId,
      site: 'production',
      digest: createHash('sha256').update('["staff"]').digest(),
      groups: ['staff'],
    })
    .execute();
  await deploy(platform.url, tenant.key, site.projectId);
  await set(site, embeddings());
  const stored = async () =>
    (
      await db
        .selectFrom('bundle_vectors')
        .select(['bundle_sha256', 'state'])
        .where('project_id', '=', site.projectId)
        .execute()
    ).filter(({ state }) => state === 'stored').length;
  // Of all readers, of those who have not signed in, and of the group.
  await expect.poll(stored, { timeout: 60_000 }).toBe(3);
  const found = async (groups?: string[]) => (await pathsOf(site, 'passphrase', { groups })).sort();
  const texts = async (groups?: string[]) => JSON.stringify(await search(site, 'passphrase', { groups }));
  expect(await found()).toEqual(['open']);
  expect(await found([])).toEqual(['open']);
  expect(await found(['sales'])).toEqual(['index', 'open']);
  expect(await found(['staff'])).toEqual(['index', 'open', 'staff']);
  for (const groups of [undefined, [], ['sales']]) expect(await texts(groups)).not.toContain(STAFF);
  expect(await texts(['staff'])).toContain(STAFF);
});

test('the assistant finds sections by their meaning, too', async () => {
  const site = await makeSite(docs(PAGES));
  await deploy(platform.url, tenant.key, site.projectId);
  const sentFor = async (text: string): Promise<string> => {
    const before = model.requests.length;
    const response = await fetch(`${platform.url}/discovery/v2/assistant/${site.host}/message`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(question(text, { fp: 'anonymous' })),
    });
    await readChunks(response);
    return model.requests
      .slice(before)
      .map((request) => request.body)
      .join('\n');
  };
  expect(await sentFor('quit?')).not.toContain('Write a letter.');
  await set(site, embeddings());
  await ready(site);
  expect(await sentFor('quit?')).toContain('Write a letter.');
});

test('a model that returns other dimensions than before is reported, and the search is by words', async () => {
  const site = await makeSite(docs(PAGES));
  await deploy(platform.url, tenant.key, site.projectId);
  await set(site, embeddings());
  await ready(site);
  endpoint.dimensions = 32;
  try {
    expect(await pathsOf(site, 'installer')).toEqual(['install']);
    expect(await stateOf(site)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/returns vectors with 32 dimensions, but those of the site have 64/),
    });
    // At the next deployment, all are made again.
    const before = asked();
    await writeFile(join(site.path, 'index.mdx'), page('Home', 'Changed.'));
    await deploy(platform.url, tenant.key, site.projectId);
    const stored = () =>
      platform.database.db
        .selectFrom('bundle_vectors')
        .select('dimensions')
        .where('project_id', '=', site.projectId)
        .where('state', '=', 'stored')
        .orderBy('dimensions')
        .execute();
    await expect.poll(stored, { timeout: 20_000 }).toEqual([{ dimensions: 32 }, { dimensions: 64 }]);
    expect(new Set(texts(before)).size).toBe(5);
  } finally {
    endpoint.dimensions = 64;
  }
});

test('vectors that are lost from the store are made again', async () => {
  const site = await makeSite(docs(PAGES));
  await deploy(platform.url, tenant.key, site.projectId);
  await set(site, embeddings());
  await ready(site);
  const folder = join(platform.dataDir, 'blobs', 'artifacts', tenant.organizationId);
  const files = (await readdir(folder, { recursive: true })).filter((name) =>
    /vectors-[0-9a-f]{64}$/.test(name),
  );
  const before = asked();
  for (const file of files) await writeFile(join(folder, file), 'damaged');
  // Another process of the API, which has none of them in memory.
  const url = await platform.startApi({});
  const reply = await call<Hit[]>(url, 'POST', `/discovery/v1/search/${site.host}`, {
    key: tenant.key,
    body: { query: 'installer' },
  });
  expect(reply.body.map(({ path }) => path)).toEqual(['install']);
  await expect.poll(async () => texts(before).filter((text) => text.startsWith('Guides >')).length).toBe(5);
  await ready(site);
  expect((await pathsOf(site, 'quit'))[0]).toBe('leave');
});
