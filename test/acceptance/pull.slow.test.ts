/**
 * The pull protocol between a site server and a platform, both in processes of their own, when something happens to
 * the platform, the key, the export, the domain or the clock.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { LINKED } from '../support/processes.ts';
import { type Bundle, call, createProject, type Job, makeFolder, runExport, siteFiles } from './api.ts';

const BIN = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));
const SHIFTED_CLOCK = new URL('../support/shifted-clock.ts', import.meta.url).href;
/** What takes as long hangs. */
const PATIENCE_MS = 120_000;

interface Status {
  release: { version: string } | null;
  fault: { code: string; message: string } | null;
  checkedAt: string | null;
}

interface Site {
  status(): Promise<Status>;
  log(): string;
  stop(): Promise<void>;
}

let platform: TestPlatform;
let tenant: Tenant;
let root: string;
let readKey: string;
const sites = new Set<Site>();

/** Starts a site that follows the domain, with an empty folder. */
async function startSite(
  domain: string,
  env: Record<string, string> = {},
  options: readonly string[] = [],
): Promise<Site> {
  const folder = await mkdtemp(join(root, 'site-'));
  const child: ChildProcess = spawn(process.execPath, [...LINKED, ...options, BIN], {
    env: {
      PATH: process.env.PATH ?? '',
      OFFPRINT_SITE_DIR: folder,
      OFFPRINT_SITE_PORT: '0',
      OFFPRINT_SITE_MANAGEMENT_PORT: '0',
      OFFPRINT_SITE_INTERVAL: '1',
      OFFPRINT_URL: platform.url,
      OFFPRINT_SITE_DOMAIN: domain,
      ...(env.OFFPRINT_API_KEY_FILE === undefined ? { OFFPRINT_API_KEY: readKey } : {}),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const port = await until(
    () => `the site listens:\n${log}`,
    async () => {
      if (child.exitCode !== null) throw new Error(`the site ended with ${child.exitCode}:\n${log}`);
      const line = log.split('\n').find((one) => one.includes('"listening"') && one.endsWith('}'));
      return line === undefined ? null : (JSON.parse(line) as { managementPort: number }).managementPort;
    },
  );
  const site: Site = {
    status: async () => (await (await fetch(`http://127.0.0.1:${port}/release`)).json()) as Status,
    log: () => log,
    async stop() {
      sites.delete(site);
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
  sites.add(site);
  return site;
}

async function until<Value>(what: () => string, look: () => Promise<Value | null>): Promise<Value> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await look();
    if (value !== null) return value;
    if (Date.now() > deadline) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what()}`);
    await sleep(50);
  }
}

/** Waits until the site serves the version and reports this error, or none. */
const state = (site: Site, version: string | null, fault: string | null): Promise<Status> =>
  until(
    () => `version ${version}, fault ${fault}:\n${site.log()}`,
    async () => {
      const status = await site.status();
      const isIt = (status.release?.version ?? null) === version && (status.fault?.code ?? null) === fault;
      return isIt ? status : null;
    },
  );

/** Waits for the end of a poll of the platform that started after this call. */
async function isAsked(site: Site): Promise<void> {
  for (let looks = 0; looks < 2; looks++) {
    const { checkedAt } = await site.status();
    await until(
      () => 'the platform is asked',
      async () => ((await site.status()).checkedAt !== checkedAt ? true : null),
    );
  }
}

interface Docs {
  projectId: string;
  domain: string;
  /** Changes files, and exports them all under this label. */
  publish(version: string, changes?: Record<string, string | Buffer>): Promise<Job>;
  /** The bundle that sites are given. */
  newest(): Promise<Bundle>;
  /** Removes a file; the next export is without it. */
  drop(path: string): Promise<void>;
}

/** A project of its own on a domain of its own, with a first export of this label. */
async function published(version: string): Promise<Docs> {
  const folder = await makeFolder(siteFiles(1));
  const { projectId, domain } = await createProject(platform.url, tenant.key, {
    kind: 'folder',
    path: folder,
  });
  const publish: Docs['publish'] = async (label, changes = {}) => {
    const files = { 'index.mdx': `---\ntitle: Home\n---\n\nText of ${label}.\n`, ...changes };
    for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
    const job = await runExport(platform.url, tenant.key, { domain, version: label });
    expect(job.status, job.error).toBe('completed');
    return job;
  };
  await publish(version);
  return {
    projectId,
    domain,
    publish,
    drop: (path) => rm(join(folder, path)),
    async newest() {
      const path = `/v1/static-export/bundle?domain=${domain}`;
      const reply = await call<Bundle>(platform.url, 'GET', path, { key: readKey });
      expect(reply.status, reply.text).toBe(200);
      return reply.body;
    },
  };
}

const remove = async ({ jobId }: Job) => {
  const path = `/v1/static-export/jobs/${jobId}`;
  expect((await call(platform.url, 'DELETE', path, { key: tenant.key })).status).toBe(204);
};

const revoke = (key: string) =>
  platform.database.db
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('last4', '=', key.slice(-4))
    .execute();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'offprint-pull-'));
  platform = await startTestPlatform();
  tenant = await platform.createTenant();
  readKey = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
});
afterAll(async () => {
  for (const site of sites) await site.stop();
  await platform?.stop();
  await rm(root, { recursive: true, force: true });
});

test('a platform that restarts is reported while it is unavailable, and followed again', async () => {
  const docs = await published('one');
  const site = await startSite(docs.domain);
  await state(site, 'one', null);
  const process = platform.processes()[0]!;
  process.kill('SIGTERM');
  await once(process, 'exit');
  try {
    await state(site, 'one', 'source_unreachable');
  } finally {
    platform.start(['api', 'worker']);
  }
  await state(site, 'one', null);
  await docs.publish('two');
  await state(site, 'two', null);
  await site.stop();
});

test('a key that is rotated in its file is used at the next look, whichever comes first: file or revocation', async () => {
  const { domain } = await published('one');
  const file = join(root, 'key');
  const first = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
  const second = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
  await writeFile(file, `${first}\n`);
  const site = await startSite(domain, { OFFPRINT_API_KEY_FILE: file });
  await state(site, 'one', null);
  await revoke(first);
  await state(site, 'one', 'key_refused');
  await writeFile(file, `${second}\n`);
  await state(site, 'one', null);
  const refusals = () => site.log().match(/key_refused/g)?.length;
  const before = refusals();
  const third = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
  await writeFile(file, `${third}\n`);
  await isAsked(site);
  await revoke(second);
  await isAsked(site);
  await state(site, 'one', null);
  expect(refusals()).toBe(before);
  for (const key of [first, second, third]) expect(site.log()).not.toContain(key);
  await site.stop();
});

test('a site downloads only the chunks of an export that its last bundle lacks', async () => {
  const docs = await published('one');
  const pictures = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`picture-${at}.png`, randomBytes(30_000)]),
  );
  await docs.publish('two', pictures);
  const site = await startSite(docs.domain);
  await state(site, 'two', null);
  await docs.publish('three', { 'picture-20.png': randomBytes(30_000) });
  await state(site, 'three', null);
  const { sizeBytes } = await docs.newest();
  const line = site
    .log()
    .split('\n')
    .find((each) => each.includes('downloaded what has changed'));
  const { bytes, of }: { bytes: number; of: number } = JSON.parse(line ?? '{}');
  expect(of, site.log()).toBe(sizeBytes);
  expect(bytes).toBeGreaterThan(30_000);
  expect(bytes).toBeLessThan(0.5 * sizeBytes);
  await site.stop();
});

test('a download in progress completes although its export is deleted; an interrupted one switches to the newest export', async () => {
  const docs = await published('one');
  // More than the sockets of both ends hold.
  const large = await docs.publish('large', { 'noise.png': randomBytes(24_000_000) });
  const { bundleUrl, sha256, sizeBytes } = await docs.newest();
  const reply = await fetch(bundleUrl);
  const reader = reply.body!.getReader();
  const digest = createHash('sha256');
  const begin = await reader.read();
  digest.update(begin.value!);
  await remove(large);
  let bytes = begin.value!.length;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    digest.update(value);
    bytes += value.length;
  }
  expect([bytes, digest.digest('hex')]).toEqual([sizeBytes, sha256]);
  expect((await fetch(bundleUrl)).status).toBe(404);

  // One that breaks: a proxy cuts the first download in its middle, when the export is already gone.
  await docs.drop('noise.png');
  const again = await docs.publish('again');
  let isCut = false;
  const proxy = await startProxy(async (path, body) => {
    if (!path.startsWith('/blobs/') || isCut) return body;
    isCut = true;
    await remove(again);
    return body.subarray(0, body.length / 2);
  });
  const site = await startSite(docs.domain, { OFFPRINT_URL: proxy.url });
  await state(site, 'one', null);
  expect(isCut).toBe(true);
  await site.stop();
  proxy.close();
});

test('a domain that is moved to another project keeps its site until that project is exported', async () => {
  const { projectId, domain } = await published('one');
  const site = await startSite(domain);
  await state(site, 'one', null);
  const patch = (project: string, domains: string[]) =>
    call(platform.url, 'PATCH', `/v1/projects/${project}`, { key: tenant.key, body: { domains } });
  const path = await makeFolder(siteFiles(1, 'Other'));
  const other = await createProject(platform.url, tenant.key, { kind: 'folder', path });
  expect((await patch(projectId, [])).status).toBe(200);
  expect((await patch(other.projectId, [domain])).status).toBe(200);
  await isAsked(site);
  await state(site, 'one', null);
  const moved = await runExport(platform.url, tenant.key, { domain, version: 'moved' });
  expect(moved.projectId).toBe(other.projectId);
  await state(site, 'moved', null);
  await site.stop();
});

test('a platform that limits requests says for how long, and is asked no sooner', async () => {
  const { domain } = await published('one');
  const url = await platform.startApi({ OFFPRINT_RATE_LIMIT: '30' });
  const path = `/v1/static-export/bundle?domain=${domain}`;
  for (let calls = 0; calls < 30; calls++) await call(url, 'GET', path, { key: readKey });
  const asked: { at: number; status: number; retryAfter: number }[] = [];
  const proxy = await startProxy(
    async (_path, body) => body,
    url,
    (status, headers) => {
      asked.push({ at: performance.now(), status, retryAfter: Number(headers['retry-after']) });
    },
  );
  const site = await startSite(domain, { OFFPRINT_URL: proxy.url });
  await until(
    () => `a limit is met:\n${site.log()}`,
    async () => (asked.some(({ status }) => status === 429) ? true : null),
  );
  await state(site, 'one', null);
  expect(site.log()).toContain('429');
  for (const [at, { status, retryAfter, at: when }] of asked.entries()) {
    if (status !== 429 || at + 1 === asked.length) continue;
    expect(retryAfter).toBeGreaterThan(0);
    expect(asked[at + 1]!.at - when).toBeGreaterThanOrEqual(retryAfter * 1000 - 100);
  }
  await site.stop();
  proxy.close();
});

test.each([
  ['behind', -1],
  ['ahead', 1],
])('a site server whose clock is a day %s follows as ever', async (_where, days) => {
  const { domain } = await published('one');
  const site = await startSite(domain, { SHIFTED_CLOCK_MS: String(days * 86_400_000) }, [
    '--import',
    SHIFTED_CLOCK,
  ]);
  const { checkedAt } = await state(site, 'one', null);
  // The clock is what it is meant to be.
  expect(Math.round((Date.parse(checkedAt!) - Date.now()) / 86_400_000)).toBe(days);
  await site.stop();
});

/** A proxy before the platform that may shorten a body, whose connection it then cuts. */
async function startProxy(
  change: (path: string, body: Buffer) => Promise<Buffer>,
  target = platform.url,
  tell: (status: number, headers: Record<string, string>) => void = () => undefined,
): Promise<{ url: string; close(): void }> {
  const server: Server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name, value]) => typeof value === 'string' && !['host', 'connection'].includes(name),
      ),
    ) as Record<string, string>;
    const reply = await fetch(new URL(path, target), { headers });
    const whole = Buffer.from(await reply.arrayBuffer());
    const answered = Object.fromEntries(reply.headers);
    tell(reply.status, answered);
    // Links lead here too.
    const text = whole.toString('utf8').replaceAll(target, address);
    const body = answered['content-type']?.includes('json') ? Buffer.from(text) : await change(path, whole);
    const { connection: _connection, 'transfer-encoding': _encoding, ...rest } = answered;
    if (reply.status === 304) return void response.writeHead(304, rest).end();
    const length = String(body.length < whole.length && body !== whole ? whole.length : body.length);
    response.writeHead(reply.status, { ...rest, 'content-length': length });
    if (body.length === Number(length)) response.end(body);
    else response.write(body, () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: address,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
