/**
 * From a platform to live sites and beyond it: two site servers in processes of their own follow the exports of a
 * platform, one by a link, one by asking; then the link expires, the key is revoked and the platform is gone permanently.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signLink } from '../../apps/server/src/platform/blob/link.ts';
import { deriveKey } from '../../apps/server/src/platform/secret.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { LINKED } from '../support/processes.ts';
import { call, createProject, type Job, makeFolder, runExport, siteFiles } from './api.ts';

const BIN = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));
/** Nothing here takes as long; what does hangs. */
const PATIENCE_MS = 120_000;
vi.setConfig({ testTimeout: 4 * PATIENCE_MS });
const TOKEN = randomBytes(16).toString('hex');

interface Ready {
  ready: boolean;
  release?: { version: string; sha256: string };
  reason?: string;
  fault: { code: string; message: string } | null;
}

/** A site server in a process of its own, on a volume that outlives it. */
interface SiteProcess {
  child: ChildProcess;
  /** The home page as a reader gets it; null while no server responds. */
  home(): Promise<string | null>;
  ready(): Promise<{ status: number; body: Ready }>;
  status(): Promise<Record<string, unknown>>;
  manage(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Everything that was logged and returned by the management port. */
  told(): string;
  stop(): Promise<void>;
}

const running = new Set<SiteProcess>();

async function startSite(volume: string, env: Record<string, string>): Promise<SiteProcess> {
  const child = spawn(process.execPath, [...LINKED, BIN], {
    env: {
      PATH: process.env.PATH ?? '',
      OFFPRINT_SITE_DIR: volume,
      OFFPRINT_SITE_PORT: '0',
      OFFPRINT_SITE_MANAGEMENT_PORT: '0',
      OFFPRINT_SITE_TOKEN: TOKEN,
      OFFPRINT_SITE_INTERVAL: '1',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  const listening = await until(`${volume} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`the site ended with ${child.exitCode}:\n${told}`);
    const line = told.split('\n').find((one) => one.includes('"listening"'));
    return line === undefined ? null : (JSON.parse(line) as { address: string; managementPort: number });
  });
  const ask = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(`http://127.0.0.1:${listening.managementPort}${path}`, init);
    const text = await reply.text();
    told += text;
    return { status: reply.status, body: JSON.parse(text) as Record<string, unknown> };
  };
  const site: SiteProcess = {
    child,
    home: async () => {
      const reply = await fetch(listening.address).catch(() => null);
      return reply?.status === 200 ? reply.text() : null;
    },
    ready: async () => (await ask('/readyz')) as unknown as { status: number; body: Ready },
    status: async () => (await ask('/release')).body,
    manage: (path, body) =>
      ask(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    told: () => told,
    async stop() {
      running.delete(site);
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    },
  };
  running.add(site);
  return site;
}

async function until<Value>(
  what: string,
  look: () => Promise<Value | null | undefined | false>,
): Promise<Value> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await look();
    if (value !== null && value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
    await sleep(50);
  }
}

/** Waits until the site serves the version to readers, and gives what it says of itself. */
const serves = (site: SiteProcess, version: string): Promise<Ready> =>
  until(`version ${version} is served:\n${site.told()}`, async () => {
    const { status, body } = await site.ready();
    const isServed = status === 200 && body.release?.version === version;
    return isServed && (await site.home())?.includes(`Text of ${version}.`) === true ? body : null;
  });

/** Waits until the site reports this error while it serves the version. */
const faultOf = (site: SiteProcess, version: string, code: string) =>
  until(`the fault ${code} is told:\n${site.told()}`, async () => {
    const { fault } = await serves(site, version);
    return fault?.code === code ? fault : null;
  });

/** Waits until the site has asked its source two more times. */
async function looksTwice(site: SiteProcess): Promise<void> {
  for (let times = 0; times < 2; times++) {
    const { checkedAt } = await site.status();
    await until('the source is asked', async () => (await site.status()).checkedAt !== checkedAt);
  }
}

let platform: TestPlatform;
let isPlatformGone = false;
let tenant: Tenant;
let root: string;
let docs: string;
let domain: string;
let readKey: string;
const exported: Record<string, Job> = {};
let linked: SiteProcess;
let pulling: SiteProcess;
let link: { url: string; expiresAt: number };

const volume = (name: string) => join(root, name);
const linkEnv = () => ({ OFFPRINT_SITE_BUNDLE_URL_FILE: join(root, 'link.txt') });
const pullEnv = () => ({
  OFFPRINT_URL: platform.url,
  OFFPRINT_API_KEY: readKey,
  OFFPRINT_SITE_DOMAIN: domain,
});

async function publish(version: string): Promise<void> {
  await writeFile(join(docs, 'index.mdx'), `---\ntitle: Home\n---\n\nText of ${version}.\n`);
  const job = await runExport(platform.url, tenant.key, { domain, version });
  expect(job.status, job.error).toBe('completed');
  exported[version] = job;
}

async function bundleOf(version: string): Promise<string> {
  const path = `/v1/static-export/jobs/${exported[version]?.jobId}/bundle`;
  const reply = await call<{ bundleUrl: string }>(platform.url, 'POST', path, { key: tenant.key });
  expect(reply.status, reply.text).toBe(200);
  return reply.body.bundleUrl;
}

/** A link as the platform makes them, that works for a shorter time than one can be asked for. */
async function shortLink(version: string, seconds: number): Promise<{ url: string; expiresAt: number }> {
  const whole = new URL(await bundleOf(version));
  const key = whole.pathname.slice('/blobs/'.length);
  const expiresAt = new Date(Date.now() + seconds * 1000);
  const url = signLink(deriveKey(platform.secret, 'links'), platform.url, {
    key,
    fileName: 'a.tar.gz',
    expiresAt,
  });
  return { url, expiresAt: expiresAt.getTime() };
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'offprint-deployment-'));
  platform = await startTestPlatform();
  tenant = await platform.createTenant();
  readKey = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
  docs = await makeFolder(siteFiles(1));
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path: docs }));
});
afterAll(async () => {
  for (const site of running) await site.stop();
  if (!isPlatformGone) await platform?.stop();
  await rm(root, { recursive: true, force: true });
});

test('without an export the site has nothing to serve, and reports it until the first one', async () => {
  pulling = await startSite(volume('pull'), pullEnv());
  const { fault, reason } = await until('no export is told', async () => {
    const { status, body } = await pulling.ready();
    expect(status).toBe(503);
    return body.fault === null ? null : body;
  });
  expect(fault?.code).toBe('no_export');
  expect(reason).toContain(domain);
  await publish('one');
  expect((await serves(pulling, 'one')).fault).toBeNull();
});

test('a link is served; longer than it works', async () => {
  // A slow machine may need more time to come to the download than the link has.
  for (const seconds of [10, 40, 160]) {
    link = await shortLink('one', seconds);
    await writeFile(join(root, 'link.txt'), link.url);
    linked = await startSite(volume('link'), linkEnv());
    const first = await until('the link is dealt with', async () => {
      const { status, body } = await linked.ready();
      return status === 200 || body.fault !== null ? body : null;
    });
    if (first.ready) break;
    expect(first.fault?.code).toBe('link_expired');
    await linked.stop();
  }
  await serves(linked, 'one');
});

test('a new export is followed without a call by the site that asks, and by a call by the other', async () => {
  await publish('two');
  await serves(pulling, 'two');
  await serves(linked, 'one');
  const bundleUrl = await bundleOf('two');
  // Another version than asked for is refused by name.
  const refused = await linked.manage('/release', { bundleUrl, version: 'one' });
  expect(refused.body).toMatchObject({
    code: 'version_mismatch',
    error: expect.stringMatching(/two.*one|one.*two/),
  });
  await serves(linked, 'one');
  expect(await linked.manage('/release', { bundleUrl, version: 'two' })).toMatchObject({
    status: 200,
    body: { version: 'two' },
  });
  await serves(linked, 'two');
  expect(linked.told()).not.toContain(new URL(bundleUrl).searchParams.get('signature'));
});

test('a version that is pinned is served, though a newer one is there', async () => {
  const pinned = await startSite(volume('pin'), { ...pullEnv(), OFFPRINT_SITE_VERSION: 'one' });
  await serves(pinned, 'one');
  await pinned.stop();
});

test('a rollback holds while the export rolled back from is the newest, also over a restart', async () => {
  expect(await pulling.manage('/rollback', {})).toMatchObject({ status: 200, body: { version: 'one' } });
  await looksTwice(pulling);
  await serves(pulling, 'one');
  await pulling.stop();
  pulling = await startSite(volume('pull'), pullEnv());
  await looksTwice(pulling);
  await serves(pulling, 'one');
  // A request for the newest release returns it.
  expect(await pulling.manage('/release', {})).toMatchObject({ status: 200, body: { version: 'two' } });
  await serves(pulling, 'two');
});

test('an expired link and a revoked key do not affect the release, and are reported', async () => {
  await sleep(Math.max(0, link.expiresAt + 1_000 - Date.now()));
  expect((await fetch(link.url)).status).toBe(403);
  await linked.stop();
  linked = await startSite(volume('link'), linkEnv());
  await serves(linked, 'two');
  linked.child.kill('SIGHUP');
  expect((await faultOf(linked, 'two', 'link_expired')).message).toMatch(/expired/);

  const { db } = platform.database;
  const last4 = readKey.slice(-4);
  await db.updateTable('api_keys').set({ revoked_at: new Date() }).where('last4', '=', last4).execute();
  expect((await faultOf(pulling, 'two', 'key_refused')).message).toContain(new URL(platform.url).host);
});

test('with the platform permanently gone, both sites start again and serve; a new one says what it lacks', async () => {
  for (const site of [linked, pulling]) await site.stop();
  await platform.stop();
  isPlatformGone = true;
  linked = await startSite(volume('link'), linkEnv());
  pulling = await startSite(volume('pull'), pullEnv());
  for (const site of [linked, pulling]) {
    expect((await faultOf(site, 'two', 'source_unreachable')).message).toContain(new URL(platform.url).host);
    expect((await site.manage('/rollback', {})).status).toBe(200);
    await serves(site, 'one');
  }
  const fresh = await startSite(volume('fresh'), pullEnv());
  const { reason } = await until('it says why', async () => {
    const { status, body } = await fresh.ready();
    expect(status).toBe(503);
    return body.fault?.code === 'source_unreachable' ? body : null;
  });
  expect(reason).toContain(new URL(platform.url).host);
  for (const site of [linked, pulling, fresh]) {
    const secrets = [readKey, TOKEN, new URL(link.url).searchParams.get('signature') ?? ''];
    for (const secret of secrets) expect(site.told()).not.toContain(secret);
  }
});
