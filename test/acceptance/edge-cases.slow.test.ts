/** Calls that clients make rarely and attackers often. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError, type Job, makeFolder, runExport, siteFiles } from './api.ts';

let platform: TestPlatform;
let tenant: Tenant;
let docs: string;
let domain: string;
let projectId: string;

beforeAll(async () => {
  platform = await startTestPlatform({ env: { OFFPRINT_DATABASE_CONNECTIONS: '4' } });
  tenant = await platform.createTenant();
  docs = await makeFolder(siteFiles(1));
  ({ domain, projectId } = await createProject(platform.url, tenant.key, { kind: 'folder', path: docs }));
});
afterAll(() => platform.stop());

const api = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
) => call<Body>(platform.url, method, path, { key: tenant.key, ...options });

/** Stored files of a bundle and its artifact. */
const filesNamed = async (sha256: string) =>
  (await readdir(join(platform.dataDir, 'blobs'), { recursive: true })).filter((path) =>
    path.includes(sha256),
  );

const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('what the database cannot hold', () => {
  test.each([
    ['GET', '/v1/static-export/jobs/se_%00'],
    ['DELETE', '/v1/static-export/jobs/se_%00'],
    ['POST', '/v1/static-export/jobs/a%00b/bundle'],
    ['POST', '/v1/static-export/jobs/a%00b/cancel'],
    ['GET', '/v1/static-export/jobs/a%00b/warnings'],
    ['GET', '/v1/static-export/jobs/a%00b/events'],
    ['GET', '/v1/projects/a%00b'],
    ['GET', '/v1/projects/a%00b/features'],
    ['DELETE', '/v1/projects/a%00b'],
    ['DELETE', '/v1/api-keys/a%00b'],
  ])('%s %s is not found', async (method, path) => {
    expectError(await api(method, path), 404, 'not_found');
  });

  test.each([
    ['with a NUL', [0, 'se_\0']],
    ['before the first year there is', [-8.64e15, `se_${'0'.repeat(32)}`]],
    ['with a time that is no whole number', [0.5, `se_${'0'.repeat(32)}`]],
    ['with an id that is none', [0, 'x']],
  ])('a cursor %s is refused', async (_name, value) => {
    for (const list of ['/v1/static-export/jobs', '/v1/projects', '/v1/api-keys']) {
      expectError(await api('GET', `${list}?cursor=${cursor(value)}`), 400, 'invalid_request', 'cursor');
    }
  });
});

describe('an Idempotency-Key', () => {
  test('on more bundle calls at once than there are database connections keeps none of them waiting for another', async () => {
    const { jobId } = await runExport(platform.url, tenant.key, { domain });
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        api('POST', `/v1/static-export/jobs/${jobId}/bundle`, {
          headers: { 'idempotency-key': `bundle-${index}` },
        }),
      ),
    );
    // A request that waits too long for a database connection of another one is refused.
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  });

  test('returns the first response even after the domain was removed from the project', async () => {
    const made = await createProject(platform.url, tenant.key, { kind: 'folder', path: docs });
    const request = { body: { domain: made.domain }, headers: { 'idempotency-key': 'moved-1' } };
    const first = await api<Job>('POST', '/v1/static-export/jobs', request);
    expect(first.status, first.text).toBe(202);
    await api('PATCH', `/v1/projects/${made.projectId}`, { body: { domains: [] } });
    const again = await api<Job>('POST', '/v1/static-export/jobs', request);
    expect(again.status, again.text).toBe(202);
    expect(again.headers.get('idempotent-replay')).toBe('true');
    expect(again.body).toEqual(first.body);
  });
});

test('of several deletes of one export at once, one deletes and the others find nothing', async () => {
  const { jobId } = await runExport(platform.url, tenant.key, { domain });
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => api('DELETE', `/v1/static-export/jobs/${jobId}`)),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(404)]);
});

test('a bundle call beside a delete gives a link or finds nothing, and leaves no file behind', async () => {
  for (let round = 0; round < 5; round++) {
    const name = `Round ${round}`;
    const source = { kind: 'folder', path: await makeFolder(siteFiles(1, name)) };
    await api('PATCH', `/v1/projects/${projectId}`, { body: { source } });
    const { jobId } = await runExport(platform.url, tenant.key, { domain });
    const { sha256 } = (await api<{ sha256: string }>('POST', `/v1/static-export/jobs/${jobId}/bundle`)).body;
    const [deleted, ...links] = await Promise.all([
      api('DELETE', `/v1/static-export/jobs/${jobId}`),
      ...Array.from({ length: 12 }, () => api('POST', `/v1/static-export/jobs/${jobId}/bundle`)),
    ]);
    expect(deleted?.status).toBe(204);
    for (const { status, text } of links) expect([200, 404], text).toContain(status);
    expect(await filesNamed(sha256)).toEqual([]);
  }
});

test('a link accepts GET and HEAD only, and lists them', async () => {
  const { jobId } = await runExport(platform.url, tenant.key, { domain });
  const { bundleUrl } = (await api<{ bundleUrl: string }>('POST', `/v1/static-export/jobs/${jobId}/bundle`))
    .body;
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const reply = await call(platform.url, method, new URL(bundleUrl).pathname + new URL(bundleUrl).search);
    expectError(reply, 405, 'method_not_allowed');
    expect(reply.headers.get('allow')).toBe('GET, HEAD');
  }
});

test.each([
  ['without a Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 200],
  [
    'with an expectation that nobody knows',
    'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: 200-maybe\r\nConnection: close\r\n\r\n',
    200,
  ],
])('a request %s gets the same response as any other', async (_name, request, status) => {
  const { hostname, port } = new URL(platform.url);
  const socket = connect(Number(port), hostname);
  socket.end(request);
  const answer = await text(socket);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toMatch(/^x-request-id: req_[0-9a-f]{32}\r$/im);
});

test('a range outside the bundle is an error that no cache keeps', async () => {
  const { jobId } = await runExport(platform.url, tenant.key, { domain });
  const { bundleUrl } = (await api<{ bundleUrl: string }>('POST', `/v1/static-export/jobs/${jobId}/bundle`))
    .body;
  const { pathname, search } = new URL(bundleUrl);
  const reply = await call(platform.url, 'GET', pathname + search, {
    headers: { range: 'bytes=999999999-' },
  });
  expectError(reply, 416, 'range_not_satisfiable', 'Range');
  expect(reply.headers.get('cache-control')).toBe('no-store');
  for (const name of ['etag', 'content-disposition']) expect(reply.headers.get(name)).toBeNull();
});

describe('an uploaded archive', () => {
  const put = (id: string, archive: Uint8Array) =>
    api<{ sha256: string }>('PUT', `/v1/projects/${id}/source`, {
      body: archive,
      headers: { 'content-type': 'application/gzip' },
    });
  const stored = async () =>
    (await readdir(join(platform.dataDir, 'blobs'), { recursive: true }))
      .filter((path) => path.includes('sources') && path.endsWith('.gz'))
      .map((path) => basename(path, '.tar.gz'));
  const named = async (id: string) =>
    (await api<{ source: { sha256: string | null } }>('GET', `/v1/projects/${id}`)).body.source.sha256;

  test('goes when the project takes another kind of source', async () => {
    const { projectId: id } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const { sha256 } = (await put(id, await archiveOf('kind'))).body;
    expect(await stored()).toContain(sha256);
    const source = { kind: 'git', repository: 'https://example.com/acme/docs.git' };
    expect((await api('PATCH', `/v1/projects/${id}`, { body: { source } })).status).toBe(200);
    expect(await stored()).not.toContain(sha256);
  });

  test('is the one that the project names after many at once, and the only one', async () => {
    const { projectId: id } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const archives = await Promise.all(['a', 'b', 'c'].map((name) => archiveOf(name)));
    const before = await stored();
    for (let round = 0; round < 4; round++) {
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, index) => put(id, archives[index % archives.length]!)),
      );
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      expect((await stored()).filter((sha256) => !before.includes(sha256))).toEqual([await named(id)]);
    }
  });

  test('that breaks off leaves no file and is not a server error', async () => {
    const { projectId: id } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const abort = new AbortController();
    const { request } = slowPut(
      `${platform.url}/v1/projects/${id}/source`,
      tenant.key,
      await archiveOf('cut'),
      abort.signal,
    );
    const received = async () =>
      (await readdir(join(platform.dataDir, 'work'))).filter((name) => name.startsWith('upload-'));
    await expect.poll(received).toHaveLength(1);
    abort.abort();
    await expect(request).rejects.toThrow();
    await expect.poll(received).toEqual([]);
    await expect.poll(() => platform.log()).toContain('the client disconnected');
    expect(platform.log()).not.toContain('request failed');
  });

  test('for a project that is deleted meanwhile is refused and not kept', async () => {
    const { projectId: id } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const archive = await archiveOf('late');
    const { request, finish } = slowPut(`${platform.url}/v1/projects/${id}/source`, tenant.key, archive);
    expect((await api('DELETE', `/v1/projects/${id}`)).status).toBe(204);
    finish();
    expect((await request).status).toBe(404);
    expect(await stored()).not.toContain(createHash('sha256').update(archive).digest('hex'));
  });
});

/** A docs folder as tar.gz. */
async function archiveOf(title: string): Promise<Buffer> {
  const folder = await makeFolder(siteFiles(0, title));
  return promisify(execFile)('tar', ['czf', '-', '-C', folder, '.'], { encoding: 'buffer' }).then(
    ({ stdout }) => stdout,
  );
}

/** A PUT whose last bytes wait for `finish`. */
function slowPut(url: string, key: string, archive: Uint8Array, signal?: AbortSignal) {
  const { promise: held, resolve: finish } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(archive.subarray(0, 100));
      await held;
      controller.enqueue(archive.subarray(100));
      controller.close();
    },
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/gzip' };
  const init: RequestInit & { duplex: 'half' } = { method: 'PUT', headers, body, duplex: 'half' };
  if (signal !== undefined) init.signal = signal;
  return { request: fetch(url, init), finish };
}
