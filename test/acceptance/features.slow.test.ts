/** Features of projects and what they decide about exports; the site that a project may begin with. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { readArchive } from '@offprint/bundle';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError, makeFolder, runExport } from './api.ts';

// Exports run behind everything else, so five of them take long where much else runs.
vi.setConfig({ testTimeout: 300_000 });

interface Feature {
  name: string;
  enabled: boolean;
  status: string;
  inExport: boolean;
  switchable: boolean;
  reason: string;
}

let platform: TestPlatform;
let tenant: Tenant;

const ask = <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
  call<Body>(platform.url, method, path, { key: tenant.key, body });
const features = async (projectId: string) =>
  (await ask<{ features: Feature[] }>('GET', `/v1/projects/${projectId}/features`)).body.features;

/** The files of the bundle of a new export, with its warnings as `file:line code`. */
async function exported(domain: string) {
  const job = await runExport(platform.url, tenant.key, { domain });
  expect(job.status, job.error).toBe('completed');
  const bundle = await ask('POST', `/v1/static-export/jobs/${job.jobId}/bundle`);
  const bytes = Buffer.from(await (await fetch(String(bundle.body.bundleUrl))).arrayBuffer());
  const files = new Map<string, string>();
  await readArchive(Readable.from([bytes]), async ({ path, content }) => {
    files.set(path, await text(content));
  });
  const warnings = await ask<{ data: { file: string; line: number; code: string }[] }>(
    'GET',
    `/v1/static-export/jobs/${job.jobId}/warnings`,
  );
  return {
    files,
    sha256: String(bundle.body.sha256),
    all: [...files.values()].join('\n'),
    manifest: JSON.parse(files.get('offprint.json') ?? '{}') as { features: Record<string, boolean> },
    places: JSON.stringify(warnings.body),
  };
}

beforeAll(async () => {
  platform = await startTestPlatform({ env: { OFFPRINT_FEATURES: 'assistant' } });
  tenant = await platform.createTenant();
});
afterAll(() => platform.stop());

describe('PUT /v1/projects/{projectId}/features', () => {
  test('200: switches what the deployment type leaves open, search without the installation, and keeps the rest', async () => {
    const { projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    await ask('PATCH', `/v1/projects/${projectId}`, { deploymentType: 'client-hosted' });
    const path = `/v1/projects/${projectId}/features`;
    const switched = await ask<{ features: Feature[] }>('PUT', path, { search: false });
    expect(switched.status, switched.text).toBe(200);
    expect(switched.body.features.find(({ name }) => name === 'search')).toMatchObject({
      enabled: false,
      status: 'disabled',
      inExport: false,
      switchable: true,
      switchedOff: true,
    });
    await ask('PUT', path, { assistant: false });
    expect(await features(projectId)).toMatchObject([
      { name: 'search', status: 'disabled', switchable: true },
      { name: 'assistant', status: 'disabled', switchable: true },
      { name: 'analytics', status: 'disabled', switchable: false },
      { name: 'playground', status: 'enabled', switchable: false },
      { name: 'static-export', status: 'enabled', switchable: false },
    ]);
    const both = await ask<{ features: Feature[] }>('PUT', path, { search: true, assistant: true });
    expect(both.body.features.map(({ status, inExport }) => [status, inExport])).toEqual([
      // this installation serves no sites
      ['disabled', true],
      ['disabled', false],
      ['disabled', false],
      ['enabled', true],
      ['enabled', true],
    ]);
  });

  test.each([
    ['available', 'cloud', { search: true }, '/search', /available for the deployment type cloud/],
    ['unavailable', 'air-gapped', { assistant: true }, '/assistant', /unavailable .*air-gapped/],
    ['not provided', 'client-hosted', { search: true, analytics: true }, '/analytics', /OFFPRINT_FEATURES/],
    ['no switch', 'client-hosted', { 'static-export': false }, '/static-export', /static-export/],
  ])('400 invalid_request: %s', async (_name, deploymentType, body, param, reason) => {
    const { projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    await ask('PATCH', `/v1/projects/${projectId}`, { deploymentType });
    const before = await features(projectId);
    const reply = await ask('PUT', `/v1/projects/${projectId}/features`, body);
    expectError(reply, 400, 'invalid_request', param);
    expect(reply.body.error).toMatch(reason);
    expect(await features(projectId)).toEqual(before);
  });
});

test('one site as cloud, client-hosted and air-gapped: the table decides what is in the export', async () => {
  const path = await makeFolder({
    'docs.json': `{
  "name": "Site",
  "colors": { "primary": "#0f766e" },
  "navigation": { "pages": ["index"] },
  "contextual": { "options": ["copy", "chatgpt", "claude"] },
  "integrations": {
    "ga4": { "measurementId": "G-TRACE0001" }
  }
}`,
    'index.mdx': '---\ntitle: Home\n---\n\nText.\n',
  });
  const { projectId, domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path });
  const as = async (deploymentType: string, switches?: Record<string, boolean>) => {
    await ask('PATCH', `/v1/projects/${projectId}`, { deploymentType });
    if (switches !== undefined) await ask('PUT', `/v1/projects/${projectId}/features`, switches);
    return exported(domain);
  };
  const cloud = await as('cloud');
  const hosted = await as('client-hosted');
  const bare = await as('client-hosted', { search: false, assistant: false });
  const gapped = await as('air-gapped');

  const LED = /chatgpt\.com|claude\.ai/;
  expect(cloud.all).toMatch(LED);
  expect(hosted.all, 'the installation provides it').toMatch(LED);
  for (const { all } of [bare, gapped]) expect(all).not.toMatch(LED);
  for (const { all } of [cloud, hosted, bare, gapped]) expect(all).not.toContain('G-TRACE0001');
  const hasSearch = ({ files }: typeof cloud) =>
    [...files.keys()].some((name) => name.startsWith('_offprint/search'));
  expect([cloud, hosted, bare, gapped].map(hasSearch)).toEqual([true, true, false, true]);
  expect(
    [cloud, hosted, bare, gapped].map(({ manifest: { features } }) => [
      features.search,
      features['assistant-links'],
    ]),
  ).toEqual([
    [true, true],
    [true, true],
    [false, false],
    [true, false],
  ]);
  expect(gapped.places).toMatch(/"line":5,"code":"feature-excluded"/);
  expect(gapped.places).toMatch(/"line":7,"code":"feature-excluded"/);
  expect(cloud.places).not.toContain('feature-excluded');
  // Nothing that a browser would load comes from elsewhere.
  const loads =
    /(?:src|srcset|poster|data)="(?:https?:)?\/\/|<link[^>]+rel="(?:stylesheet|preload|icon|preconnect|dns-prefetch)"[^>]+href="(?:https?:)?\/\/|url\(["']?(?:https?:)?\/\/|@import\s+["'](?:https?:)?\/\//;
  for (const [name, content] of gapped.files) {
    if (/\.(?:html|css|svg)$/.test(name)) expect(content, name).not.toMatch(loads);
  }
  expect((await exported(domain)).sha256, 'the same features give the same bytes').toBe(gapped.sha256);
});

describe('the starter', () => {
  test('201: a project created from it exports at once, without a warning', async () => {
    const { projectId, domain } = await createProject(platform.url, tenant.key, {
      kind: 'upload',
      starter: true,
    });
    const one = await ask<{ source: { sha256: string } }>('GET', `/v1/projects/${projectId}`);
    expect(one.body.source).toMatchObject({
      kind: 'upload',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const job = await runExport(platform.url, tenant.key, { domain });
    expect(job, job.error).toMatchObject({ status: 'completed', pageCount: 6, warnings: 0 });
    // The archive is shared by projects, and stays while one of them has it.
    const other = await createProject(platform.url, tenant.key, { kind: 'upload', starter: true });
    await ask('DELETE', `/v1/projects/${projectId}`);
    expect(await runExport(platform.url, tenant.key, { domain: other.domain })).toMatchObject({
      status: 'completed',
    });
  });

  test('400 invalid_request: for a project that is there; a domain that is taken leaves nothing', async () => {
    const { projectId, domain } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const source = { kind: 'upload', starter: true };
    expectError(
      await ask('PATCH', `/v1/projects/${projectId}`, { source }),
      400,
      'invalid_request',
      '/source/starter',
    );
    expectError(
      await ask('POST', '/v1/projects', { name: 'x', source, domains: [domain] }),
      409,
      'domain_taken',
    );
  });
});
