/** Bundle links of completed exports: what they grant, to whom, for how long. */
import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signLink } from '../../apps/server/src/platform/blob/link.ts';
import { deriveKey } from '../../apps/server/src/platform/secret.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { noteSecrets } from '../support/secrets.ts';
import {
  type Bundle,
  call,
  createProject,
  expectAhead,
  expectError,
  type Job,
  makeFolder,
  runExport,
  siteFiles,
} from './api.ts';

const JOBS = '/v1/static-export/jobs';

let platform: TestPlatform;
let tenant: Tenant;
let stranger: Tenant;
let domain: string;
let job: Job;
let link: Bundle;
let asked: number;

async function bundleOf(jobId: string, body?: unknown, key = tenant.key): Promise<Bundle> {
  const reply = await call<Bundle>(platform.url, 'POST', `${JOBS}/${jobId}/bundle`, { key, body });
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}

const sha256 = (bytes: ArrayBuffer) => createHash('sha256').update(Buffer.from(bytes)).digest('hex');

beforeAll(async () => {
  platform = await startTestPlatform();
  [tenant, stranger] = await Promise.all([platform.createTenant(), platform.createTenant()]);
  const path = await makeFolder(siteFiles(5));
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
  job = await runExport(platform.url, tenant.key, { domain });
  expect(job.status, job.error).toBe('completed');
  asked = Date.now();
  link = await bundleOf(job.jobId);
});
afterAll(() => platform.stop());

describe('POST …/bundle', () => {
  test('200: a link with size, digest and an expiry one hour ahead', () => {
    expect(link).toMatchObject({ jobId: job.jobId, version: job.version });
    expectAhead(link.expiresAt, 3_600_000, asked);
    expect(new URL(link.bundleUrl).origin).toBe(platform.url);
  });

  test('200: expiresIn is kept, up to seven days', async () => {
    for (const expiresIn of [604_800, 60]) {
      const since = Date.now();
      const { expiresAt } = await bundleOf(job.jobId, { expiresIn });
      expectAhead(expiresAt, expiresIn * 1_000, since);
    }
  });

  test('200: the same Idempotency-Key gives the same link; 422 for another body', async () => {
    const send = (body: unknown) =>
      call<Bundle>(platform.url, 'POST', `${JOBS}/${job.jobId}/bundle`, {
        key: tenant.key,
        body,
        headers: { 'idempotency-key': 'link' },
      });
    const first = await send({});
    const again = await send({});
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replay')).toBe('true');
    expectError(await send({ expiresIn: 90 }), 422, 'idempotency_mismatch');
    // The database contains no usable link; the data of the platform is searched when it stops.
    noteSecrets(new URL(first.body.bundleUrl).searchParams.get('signature')!);
    const kept = await platform.database.db
      .selectFrom('idempotency_keys')
      .select('response_body')
      .where('key', '=', 'link')
      .execute();
    expect(kept).toEqual([{ response_body: { sealed: expect.stringMatching(/^[A-Za-z0-9+/=]{200,}$/) } }]);
  });

  test('200: a bundle object that is gone is packed again, with the same digest, also by 20 callers at once', async () => {
    await rm(join(platform.dataDir, 'blobs', 'bundles'), { recursive: true });
    const links = await Promise.all(Array.from({ length: 20 }, () => bundleOf(job.jobId)));
    expect(new Set(links.map((one) => one.sha256))).toEqual(new Set([link.sha256]));
    expect(sha256(await (await fetch(links[7]!.bundleUrl)).arrayBuffer())).toBe(link.sha256);
  });
});

describe('GET the link', () => {
  test('200: the bytes, as a download, with a strong ETag and length, without a key', async () => {
    const response = await fetch(link.bundleUrl);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/gzip');
    expect(response.headers.get('content-length')).toBe(String(link.sizeBytes));
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="${domain}-${job.version}.tar.gz"`,
    );
    expect(response.headers.get('etag')).toBe(`"${link.sha256}"`);
    expect(response.headers.get('accept-ranges')).toBe('bytes');
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(sha256(await response.arrayBuffer())).toBe(link.sha256);
  });

  test('200: HEAD has the headers and no body', async () => {
    const response = await fetch(link.bundleUrl, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(link.sizeBytes)]);
    expect((await response.arrayBuffer()).byteLength).toBe(0);
  });

  test('304: the client has it', async () => {
    const response = await fetch(link.bundleUrl, { headers: { 'if-none-match': `"${link.sha256}"` } });
    expect(response.status).toBe(304);
  });

  test('206: a range; a download in pieces gives the whole', async () => {
    const whole = Buffer.from(await (await fetch(link.bundleUrl)).arrayBuffer());
    const get = async (range: string, headers = {}) =>
      fetch(link.bundleUrl, { headers: { range, ...headers } });
    const size = link.sizeBytes;
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=100-199', 100, 200],
      [`bytes=${size - 5}-`, size - 5, size],
      ['bytes=-7', size - 7, size],
      [`bytes=10-${size + 99}`, 10, size],
    ] as const) {
      const response = await get(range);
      expect([range, response.status]).toEqual([range, 206]);
      expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${size}`);
      expect(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(start, end))).toBe(true);
    }
    expect((await get('bytes=0-9', { 'if-range': `"${link.sha256}"` })).status).toBe(206);
    expect((await get('bytes=0-9', { 'if-range': '"other"' })).status).toBe(200);
    expect((await get('bytes=0-1,3-4')).status).toBe(200);
    expect((await get('lines=0-1')).status).toBe(200);
  });

  test.each(['bytes=99999999999-', 'bytes=-0'])('416 range_not_satisfiable: %s', async (range) => {
    const reply = await call(platform.url, 'GET', link.bundleUrl, { headers: { range } });
    expectError(reply, 416, 'range_not_satisfiable');
    expect(reply.headers.get('content-range')).toBe(`bytes */${link.sizeBytes}`);
  });
});

describe('403 link_invalid', () => {
  const refused = async (url: string | URL, method = 'GET') =>
    expectError(await call(platform.url, method, String(url)), 403, 'link_invalid');

  test('an expired link', async () => {
    const key = new URL(link.bundleUrl).pathname.slice('/blobs/'.length);
    const sign = (expiresAt: Date) =>
      signLink(deriveKey(platform.secret, 'links'), platform.url, { key, fileName: 'a.tar.gz', expiresAt });
    expect((await fetch(sign(new Date(Date.now() + 600_000)))).status).toBe(200);
    await refused(sign(new Date(Date.now() - 1_000)));
  });

  test('a link with a later expiry, another name, another signature, or none', async () => {
    const change = (name: string, value: string | null) => {
      const url = new URL(link.bundleUrl);
      if (value === null) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
      return url;
    };
    const signature = new URL(link.bundleUrl).searchParams.get('signature')!;
    await refused(change('expires', String(Math.floor(Date.now() / 1000) + 999_999)));
    await refused(change('name', 'other.tar.gz'));
    await refused(change('signature', `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`));
    await refused(change('signature', null));
    await refused(change('expires', null));
    await refused(new URL(new URL(link.bundleUrl).pathname, platform.url));
  });

  test("a link with the path of another organization's bundle", async () => {
    const url = new URL(link.bundleUrl);
    url.pathname = url.pathname.replace(tenant.organizationId, stranger.organizationId);
    await refused(url);
  });

  test('a path outside the store', async () => {
    const { search } = new URL(link.bundleUrl);
    for (const path of [
      '/blobs/../secret',
      '/blobs/%2e%2e/secret',
      '/blobs/',
      '/blobs/bundles',
      '/blobs/..%2fsecret',
    ]) {
      const reply = await call(platform.url, 'GET', `${path}${search}`);
      expect([path, [403, 404].includes(reply.status)]).toEqual([path, true]);
    }
  });
});

test('405 method_not_allowed or 404: a link cannot be written to', async () => {
  for (const method of ['PUT', 'POST', 'DELETE']) {
    const reply = await call(platform.url, method, link.bundleUrl);
    expect([404, 405]).toContain(reply.status);
  }
});

describe('DELETE of an export', () => {
  test('keeps what another export of the organization uses, then removes all of it', async () => {
    const twin = await runExport(platform.url, tenant.key, { domain });
    expect(twin.artifact).toEqual(job.artifact);
    const remove = (id: string) => call(platform.url, 'DELETE', `${JOBS}/${id}`, { key: tenant.key });
    expect((await remove(job.jobId)).status).toBe(204);
    const kept = await bundleOf(twin.jobId);
    expect((await fetch(kept.bundleUrl)).status).toBe(200);
    expect((await remove(twin.jobId)).status).toBe(204);
    expectError(await call(platform.url, 'GET', kept.bundleUrl), 404, 'not_found');
    const left = await readdir(join(platform.dataDir, 'blobs'), { recursive: true });
    expect(left.filter((name) => name.includes(link.sha256))).toEqual([]);
    expect(
      await readdir(join(platform.dataDir, 'work')).then((all) =>
        all.filter((name) => name.startsWith('se_')),
      ),
    ).toEqual([]);
  });

  test('leaves the same site of another organization as it is', async () => {
    const path = await makeFolder(siteFiles(1, 'Shared'));
    const mine = await createProject(platform.url, tenant.key, { kind: 'folder', path });
    const body = { name: 'theirs', source: { kind: 'folder', path }, domains: [mine.domain] };
    expect((await call(platform.url, 'POST', '/v1/projects', { key: stranger.key, body })).status).toBe(201);
    const ours = await runExport(platform.url, tenant.key, { domain: mine.domain });
    const theirs = await runExport(platform.url, stranger.key, { domain: mine.domain });
    expect(theirs.artifact).toEqual(ours.artifact);
    await call(platform.url, 'DELETE', `${JOBS}/${ours.jobId}`, { key: tenant.key });
    const { bundleUrl } = await bundleOf(theirs.jobId, undefined, stranger.key);
    expect((await fetch(bundleUrl)).status).toBe(200);
  });
});

test('the log holds no query of a link', () => {
  const signature = new URL(link.bundleUrl).searchParams.get('signature')!;
  expect(platform.log()).toContain('/blobs/bundles/');
  expect(platform.log()).not.toContain(signature);
  expect(platform.log()).not.toContain('expires=');
});
