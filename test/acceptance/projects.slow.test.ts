/** Projects, uploads, features, keys, the organization and health, by endpoint and status. */
import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { scopeAliases } from '@offprint/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { featureCells } from '../support/feature-table.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectAhead, expectError, makeFolder, runExport, siteFiles } from './api.ts';

const UNKNOWN = `prj_${'0'.repeat(32)}`;

interface Project {
  id: string;
  name: string;
  source: Record<string, unknown>;
  domains: string[];
  basePath: string;
  deploymentType: string;
}

let platform: TestPlatform;
let tenant: Tenant;
let stranger: Tenant;

const ask = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  options: Parameters<typeof call>[3] = {},
) => call<Body>(platform.url, method, path, { key: tenant.key, ...options });
const git = { kind: 'git', repository: 'https://github.com/acme/docs.git' };

beforeAll(async () => {
  platform = await startTestPlatform();
  [tenant, stranger] = await Promise.all([platform.createTenant(), platform.createTenant()]);
});
afterAll(() => platform.stop());

describe('POST /v1/projects', () => {
  test('201: a Git project; its credential is stored encrypted and never returned', async () => {
    const token = 'ghp_verysecrettoken';
    const body = {
      name: 'Docs',
      source: { ...git, branch: 'main', folder: 'docs', credential: { kind: 'token', token } },
      domains: ['Docs.Example.com', 'bücher.example'],
      basePath: 'help/',
      deploymentType: 'air-gapped',
    };
    const reply = await ask<Project>('POST', '/v1/projects', { body });
    expect(reply.status, reply.text).toBe(201);
    expect(reply.headers.get('location')).toBe(`/v1/projects/${reply.body.id}`);
    expect(reply.body).toMatchObject({
      name: 'Docs',
      source: {
        kind: 'git',
        repository: git.repository,
        branch: 'main',
        folder: 'docs',
        hasCredential: true,
      },
      domains: ['docs.example.com', 'xn--bcher-kva.example'],
      basePath: '/help',
      deploymentType: 'air-gapped',
    });
    expect(reply.text).not.toContain(token);
    const row = await platform.database.db
      .selectFrom('projects')
      .select('credential_sealed')
      .where('id', '=', reply.body.id)
      .executeTakeFirstOrThrow();
    expect(row.credential_sealed?.includes(token)).toBe(false);
    expect(platform.log()).not.toContain(token);
  });

  test('201: an Idempotency-Key creates one project', async () => {
    const send = () =>
      ask('POST', '/v1/projects', {
        body: { name: 'once', source: git },
        headers: { 'idempotency-key': 'p1' },
      });
    const first = await send();
    expect((await send()).body).toEqual(first.body);
  });

  test.each([
    [
      'a password in the URL',
      { source: { kind: 'git', repository: 'https://u:p@example.com/x.git' } },
      '/source/repository',
    ],
    ['a file URL', { source: { kind: 'git', repository: 'file:///etc' } }, '/source/repository'],
    ['a helper', { source: { kind: 'git', repository: 'ext::sh -c id' } }, '/source/repository'],
    ['a folder that leaves', { source: { ...git, folder: '../x' } }, '/source/folder'],
    ['a branch like an option', { source: { ...git, branch: '-u' } }, '/source/branch'],
    ['a relative folder source', { source: { kind: 'folder', path: 'docs' } }, '/source/path'],
    ['a folder that is not there', { source: { kind: 'folder', path: '/nowhere/at/all' } }, '/source/path'],
    ['no source', {}, '/source'],
    ['an empty name', { name: ' ', source: git }, '/name'],
    ['an unknown deployment type', { source: git, deploymentType: 'moon' }, '/deploymentType'],
    ['a base path that leaves', { source: git, basePath: '/../x' }, '/basePath'],
  ])('400 invalid_request: %s', async (_name, body, param) => {
    expectError(
      await ask('POST', '/v1/projects', { body: { name: 'x', ...body } }),
      400,
      'invalid_request',
      param,
    );
  });

  test('400 invalid_request: folder sources when they are off', async () => {
    const url = await platform.startApi({ OFFPRINT_ALLOW_FOLDER_SOURCES: 'false' });
    const body = { name: 'x', source: { kind: 'folder', path: platform.dataDir } };
    expectError(
      await call(url, 'POST', '/v1/projects', { key: tenant.key, body }),
      400,
      'invalid_request',
      '/source/kind',
    );
  });

  test('400 invalid_request: a folder outside the one that the operator allows; 201 below it', async () => {
    const url = await platform.startApi({ OFFPRINT_ALLOW_FOLDER_SOURCES: platform.dataDir });
    const create = (path: string) =>
      call(url, 'POST', '/v1/projects', {
        key: tenant.key,
        body: { name: 'x', source: { kind: 'folder', path } },
      });
    for (const path of ['/etc', dirname(platform.dataDir), `${platform.dataDir}/..`]) {
      const refused = await create(path);
      expectError(refused, 400, 'invalid_request', '/source/path');
      expect(refused.text).toContain(platform.dataDir);
    }
    expect((await create(platform.dataDir)).status).toBe(201);
  });

  test('409 domain_taken: by another project of the organization; free for another organization', async () => {
    const { domain } = await createProject(platform.url, tenant.key, git);
    const body = { name: 'x', source: git, domains: [domain] };
    expectError(await ask('POST', '/v1/projects', { body }), 409, 'domain_taken', '/domains');
    expect((await ask('POST', '/v1/projects', { body, key: stranger.key })).status).toBe(201);
  });
});

describe('/v1/projects/{projectId}', () => {
  test('200: read, update, list; 204: delete frees the domain and leaves exports', async () => {
    const { projectId, domain } = await createProject(platform.url, tenant.key, {
      ...git,
      credential: { kind: 'token', token: 't' },
    });
    const path = `/v1/projects/${projectId}`;
    const renamed = await ask<Project>('PATCH', path, {
      body: { name: 'New name', domains: [domain, `x.${domain}`] },
    });
    expect(renamed.body).toMatchObject({
      name: 'New name',
      domains: [domain, `x.${domain}`],
      source: { hasCredential: true },
    });
    expect((await ask('GET', path)).body).toEqual(renamed.body);
    const moved = await ask<Project>('PATCH', path, { body: { source: { ...git, folder: 'site' } } });
    expect(moved.body.source).toMatchObject({ folder: 'site', hasCredential: true });
    const other = await ask<Project>('PATCH', path, {
      body: { source: { kind: 'git', repository: 'git@example.com:a/b.git' } },
    });
    expect(other.body.source).toMatchObject({ hasCredential: false });
    const list = await ask<{ data: Project[] }>('GET', '/v1/projects?limit=1');
    expect(list.body.data[0]?.id).toBe(projectId);
    expect((await ask('DELETE', path)).status).toBe(204);
    expectError(await ask('GET', path), 404, 'not_found');
    const again = { name: 'x', source: git, domains: [domain] };
    expect((await ask('POST', '/v1/projects', { body: again })).status).toBe(201);
  });

  test.each([
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/features'],
    ['PUT', '/source'],
  ])('404 not_found: %s …%s of another organization', async (method, suffix) => {
    const { projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const options =
      method === 'PUT'
        ? { body: new Uint8Array(3), headers: { 'content-type': 'application/gzip' } }
        : method === 'PATCH'
          ? { body: { name: 'mine now' } }
          : {};
    for (const id of [projectId, UNKNOWN]) {
      expectError(
        await ask(method, `/v1/projects/${id}${suffix}`, { ...options, key: stranger.key }),
        404,
        'not_found',
      );
    }
    expect((await ask('GET', `/v1/projects/${projectId}`)).status).toBe(200);
  });
});

describe('POST /v1/projects/{projectId}/deploy-key', () => {
  test('201: a key whose private half stays here, sealed; another call makes another; 409 without ssh', async () => {
    const ssh = { kind: 'git', repository: 'git@github.com:acme/docs.git' };
    const { projectId } = await createProject(platform.url, tenant.key, ssh);
    const make = () => ask<{ publicKey: string }>('POST', `/v1/projects/${projectId}/deploy-key`);
    const first = await make();
    expect(first.status, first.text).toBe(201);
    expect(first.body).toEqual({
      publicKey: expect.stringMatching(/^ssh-ed25519 AAAA[A-Za-z0-9+/=]+ offprint-prj_/),
    });
    expect((await make()).body.publicKey).not.toBe(first.body.publicKey);
    const project = await ask<Project>('GET', `/v1/projects/${projectId}`);
    expect(project.body.source).toMatchObject({ hasCredential: true });
    const row = await platform.database.db
      .selectFrom('projects')
      .select('credential_sealed')
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    expect(row.credential_sealed?.includes('OPENSSH')).toBe(false);
    for (const source of [git, { kind: 'upload' }]) {
      const other = await createProject(platform.url, tenant.key, source);
      const path = `/v1/projects/${other.projectId}/deploy-key`;
      expectError(await ask('POST', path), 409, 'source_kind_mismatch');
      expectError(await ask('POST', path, { key: stranger.key }), 404, 'not_found');
    }
  });
});

describe('GET /v1/projects/{projectId}/features', () => {
  test('200: each of the 15 cells with a reason; nothing works that needs a service which is not there', async () => {
    const { projectId } = await createProject(platform.url, tenant.key, git);
    const works: string[] = [];
    for (const type of ['cloud', 'client-hosted', 'air-gapped']) {
      await ask('PATCH', `/v1/projects/${projectId}`, { body: { deploymentType: type } });
      const reply = await ask<{ features: Record<string, string | boolean>[] }>(
        'GET',
        `/v1/projects/${projectId}/features`,
      );
      const cells = featureCells.filter((cell) => cell.type === type);
      expect(reply.body.features).toMatchObject(
        cells.map(({ name, availability }) => ({ name, availability })),
      );
      for (const { name, status, reason, enabled, availability, inExport } of reply.body.features) {
        expect(inExport, `${name}, ${type}`).toBe(
          ['search', 'playground', 'static-export'].includes(String(name)),
        );
        expect(reason).toMatch(/^[A-Z].*\.$/);
        expect(enabled).toBe(status === 'enabled');
        expect(status === 'unavailable', `${name}, ${type}`).toBe(availability === 'unavailable');
        if (enabled) works.push(`${name}, ${type}`);
        else
          expect(reason, `${name}, ${type}`).toMatch(
            /^Planned: |OFFPRINT_(?:FEATURES|HOSTING_TOKEN)|air-gapped/,
          );
      }
    }
    expect(works).toEqual([
      'playground, cloud',
      'static-export, cloud',
      'playground, client-hosted',
      'static-export, client-hosted',
      'playground, air-gapped',
      'static-export, air-gapped',
    ]);
  });
});

describe('PUT /v1/projects/{projectId}/source', () => {
  const put = (projectId: string, body: Uint8Array, type = 'application/gzip') =>
    ask('PUT', `/v1/projects/${projectId}/source`, { body, headers: { 'content-type': type } });
  const pack = (folder: string, ...names: string[]) =>
    execFileSync('tar', ['czf', '-', '-C', folder, ...(names.length === 0 ? ['.'] : names)], {
      maxBuffer: 1e8,
    });

  test('200: an archive that is then exported; 409 for another kind of source', async () => {
    const { projectId, domain } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const before = await runExport(platform.url, tenant.key, { domain });
    expect(before).toMatchObject({ status: 'failed', errorCode: 'source_missing' });
    const archive = pack(await makeFolder(siteFiles(3)));
    const reply = await put(projectId, archive);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({ sizeBytes: archive.length, files: 5 });
    expect((await ask<Project>('GET', `/v1/projects/${projectId}`)).body.source.sha256).toBe(
      reply.body.sha256,
    );
    const job = await runExport(platform.url, tenant.key, { domain });
    expect(job, job.error).toMatchObject({ status: 'completed', pageCount: 4, commit: null });
    expect(job.version).toMatch(/^[0-9a-f]{12}$/);
    const other = await createProject(platform.url, tenant.key, git);
    expectError(await put(other.projectId, archive), 409, 'source_kind_mismatch');
  });

  test.each([
    ['no gzip', () => Buffer.from('not an archive')],
    ['an empty body', () => Buffer.alloc(0)],
    ['gzip of no tar', () => gzipSync(Buffer.alloc(1024, 'x'))],
    ['an archive without docs.json', async () => pack(await makeFolder({ 'index.mdx': 'x' }))],
    ['a cut archive', async () => pack(await makeFolder(siteFiles(30))).subarray(0, 900)],
    [
      'a link',
      async () => {
        const folder = await makeFolder(siteFiles(1));
        await symlink('/etc/passwd', join(folder, 'passwd.mdx'));
        return pack(folder);
      },
    ],
  ])('400 invalid_archive: %s', async (_name, make) => {
    const { projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    expectError(await put(projectId, await make()), 400, 'invalid_archive');
    expect((await ask<Project>('GET', `/v1/projects/${projectId}`)).body.source.sha256).toBeNull();
  });

  test('413 body_too_large: over the limit of the operator', async () => {
    const url = await platform.startApi({ OFFPRINT_MAX_UPLOAD_MB: '1' });
    const { projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const reply = await call(url, 'PUT', `/v1/projects/${projectId}/source`, {
      key: tenant.key,
      body: Buffer.alloc(1_000_001, 1),
      headers: { 'content-type': 'application/gzip' },
    });
    expectError(reply, 413, 'body_too_large');
    const streamed = await fetch(new URL(`/v1/projects/${projectId}/source`, url), {
      method: 'PUT',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/gzip' },
      body: new Blob([Buffer.alloc(8_000_000, 1)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
  });

  test('415 unsupported_media_type', async () => {
    const { projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    expectError(await put(projectId, Buffer.from('{}'), 'application/json'), 415, 'unsupported_media_type');
  });
});

describe('/v1/api-keys', () => {
  test('201: a key that works, shown once; 204: revoked, it stops at once', async () => {
    const body = { name: 'pipeline', scopes: ['read'], expiresInDays: 7 };
    const since = Date.now();
    const made = await ask<{ id: string; key: string; expiresAt: string; last4: string }>(
      'POST',
      '/v1/api-keys',
      { body },
    );
    expect(made.status, made.text).toBe(201);
    const { id, key } = made.body;
    expect(key).toMatch(/^offprint_[0-9A-Za-z]{38}$/);
    expectAhead(made.body.expiresAt, 7 * 86_400_000, since);
    expect((await ask('GET', '/v1/organization', { key })).status).toBe(200);
    const list = await ask<{ data: { id: string; last4: string; lastUsedAt: string | null }[] }>(
      'GET',
      '/v1/api-keys',
    );
    expect(list.text).not.toContain(key);
    expect(list.body.data.find((one) => one.id === id)).toMatchObject({
      last4: key.slice(-4),
      scopes: [...scopeAliases.read],
    });
    expect(list.body.data.find((one) => one.id === id)?.lastUsedAt).not.toBeNull();
    expect((await ask('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
    expectError(await ask('GET', '/v1/organization', { key }), 401, 'unauthorized');
    expect((await ask('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
  });

  test('201: 90 days by default, without expiry on request', async () => {
    const made = async (body: object) =>
      (
        await ask<{ expiresAt: string | null; scopes: string[] }>('POST', '/v1/api-keys', {
          body: { name: 'x', ...body },
        })
      ).body;
    const since = Date.now();
    const usual = await made({});
    expectAhead(usual.expiresAt!, 90 * 86_400_000, since);
    expect(usual.scopes).toEqual(['exports:write']);
    expect((await made({ expiresInDays: null })).expiresAt).toBeNull();
  });

  test.each([
    ['a catch-all', { allowedCidrs: ['0.0.0.0/0'] }, '/allowedCidrs/0'],
    ['a catch-all of IPv6', { allowedCidrs: ['::/0'] }, '/allowedCidrs/0'],
    ['no range', { allowedCidrs: ['example.com'] }, '/allowedCidrs/0'],
    ['an odd life', { expiresInDays: 8 }, '/expiresInDays'],
    ['an unknown scope', { scopes: ['admin'] }, '/scopes/0'],
    ['no name', { name: '' }, '/name'],
  ])('400 invalid_request: %s', async (_name, body, param) => {
    expectError(
      await ask('POST', '/v1/api-keys', { body: { name: 'x', ...body } }),
      400,
      'invalid_request',
      param,
    );
  });

  test('404 not_found: a key of another organization', async () => {
    const { data } = (await ask<{ data: { id: string }[] }>('GET', '/v1/api-keys')).body;
    expectError(await ask('DELETE', `/v1/api-keys/${data[0]!.id}`, { key: stranger.key }), 404, 'not_found');
  });

  test('429 too_many_keys: the eleventh in an hour, also when asked for at once', async () => {
    const fresh = await platform.createTenant();
    const make = () => ask('POST', '/v1/api-keys', { key: fresh.key, body: { name: 'x' } });
    const replies = await Promise.all(Array.from({ length: 14 }, make));
    // The tenant's own key counts as well.
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(9);
    const refused = replies.find(({ status }) => status !== 201)!;
    expectError(refused, 429, 'too_many_keys');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
  });
});

describe('GET /v1/organization, /healthz, /readyz, /openapi.json', () => {
  test('200: the organization of the key', async () => {
    expect((await ask('GET', '/v1/organization')).body).toMatchObject({
      id: tenant.organizationId,
      plan: 'enterprise',
    });
  });

  test('200: health and readiness for anybody, with security headers', async () => {
    const health = await ask('GET', '/healthz', { key: undefined });
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }]);
    const ready = await ask('GET', '/readyz', { key: undefined });
    const sentences = expect.arrayContaining([]);
    const mechanisms = expect.arrayContaining([]);
    expect(ready.body).toEqual({
      status: 'ready',
      checks: { database: 'ok', queue: 'ok', blobs: 'ok', shutdown: 'ok' },
      warnings: sentences,
      sandbox: { files: mechanisms, network: mechanisms, processes: mechanisms, systemCalls: mechanisms },
    });
    expect(health.headers.get('x-content-type-options')).toBe('nosniff');
    expect(health.headers.get('cache-control')).toBe('no-store');
    expect(health.headers.get('server')).toBeNull();
  });

  test('200: the description lists every available operation, and no other', async () => {
    const { body } = await ask<{ openapi: string; info: { version: string }; paths: Record<string, object> }>(
      'GET',
      '/openapi.json',
      { key: undefined },
    );
    expect([body.openapi.slice(0, 3), body.info.version]).toEqual(['3.1', '2.0.0']);
    for (const [path, operations] of Object.entries(body.paths)) {
      for (const method of Object.keys(operations)) {
        if (!['get', 'post', 'put', 'patch', 'delete'].includes(method)) continue;
        const reply = await ask(method.toUpperCase(), path.replace(/\{\w+\}/g, 'none'), { key: undefined });
        const isThere = reply.status !== 405 && reply.body.error !== 'Route not found.';
        expect([method, path, isThere]).toEqual([method, path, true]);
        expect([path, reply.status < 500]).toEqual([path, true]);
      }
    }
  });

  test('200: metrics on a port of their own', async () => {
    expectError(await ask('GET', '/metrics'), 404, 'not_found');
    const port = 20_000 + (process.pid % 20_000);
    await platform.startApi({ OFFPRINT_METRICS_PORT: String(port) });
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).toMatch(/offprint_http_request_seconds_count\{.*route="\/readyz".*\} \d/);
  });
});
