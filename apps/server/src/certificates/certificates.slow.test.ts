/** Certificates from a real ACME server (Pebble), with a real DNS server and web servers on loopback. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DnsServer, startDnsServer } from '../../../../test/support/dns-server.ts';
import { type Pebble, pebbleProgram, startPebble } from '../../../../test/support/pebble.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { missing } from '../../../../test/support/system-program.ts';
import { createOrganization } from '../organizations/service.ts';
import { readRows } from '../platform/db/copy-rows.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { openListener } from '../platform/db/listen.ts';
import { newId } from '../platform/ids.ts';
import { announce, newWorkerNumber } from '../platform/jobs/leases.ts';
import { NO_LIMITS } from '../platform/jobs/task.fixture.ts';
import { type JobWorker, startJobs } from '../platform/jobs/worker.ts';
import { createMetrics } from '../platform/metrics.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import { deriveKey, unseal } from '../platform/secret.ts';
import type { Authority } from './acme.ts';
import { createCertificateKind } from './job.ts';
import { keyContext } from './order.ts';
import { createCertificatePort } from './service.ts';
import { findChallenge, listUsed, queueOrders } from './store.ts';

const DOMAINS = Number(process.env.OFFPRINT_TEST_DOMAINS ?? 12);
const KEY = deriveKey('a secret of this test that is long enough', 'certificates');
const WAIT_MS = 240_000;

let testDatabase: TestDatabase;
let database: OpenDatabase;
let dns: DnsServer;
let workDir: string;
let organizationId: string;
let projectId: string;
let count = 0;
let logged = '';
const log = pino(
  { level: 'debug' },
  new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  }),
);

beforeAll(async () => {
  if (pebbleProgram === null) return;
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { role: 'test', max: 10 });
  dns = await startDnsServer();
  workDir = await mkdtemp(join(tmpdir(), 'offprint-certificates-'));
  organizationId = (await createOrganization(database.db, { name: 'test', plan: 'enterprise' })).id;
  projectId = newId('prj');
  await database.db
    .insertInto('projects')
    .values({ id: projectId, organization_id: organizationId, name: 'Docs', source_kind: 'upload' })
    .execute();
});

afterAll(async () => {
  if (pebbleProgram === null) return;
  await database.close();
  await testDatabase.drop();
  await dns.close();
  await rm(workDir, { recursive: true, force: true });
});

/** A web server as site servers are: it responds to challenges. */
async function startWeb(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const token = /^\/\.well-known\/acme-challenge\/([\w-]+)$/.exec(request.url ?? '')?.[1];
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    findChallenge(database.db, host, token ?? '').then(
      (text) => response.writeHead(text === undefined ? 404 : 200).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

interface World {
  pebble: Pebble;
  authority: Authority;
  /** Orders that were created, by the host. */
  orders: string[];
  stop(): Promise<void>;
}

async function startWorld(options: {
  env?: Record<string, string>;
  externalKeys?: Record<string, string>;
  externalAccount?: Authority['externalAccount'];
}): Promise<World> {
  const pebble = await startPebble({ dnsServer: dns.address, ...options });
  const web = await startWeb(pebble.httpPort);
  const orders: string[] = [];
  const guarded = createGuardedFetch({
    policy: { allowPrivate: false, allowedHosts: ['localhost'] },
    caFile: pebble.caFile,
  });
  return {
    pebble,
    orders,
    authority: {
      directory: pebble.directory,
      email: null,
      externalAccount: options.externalAccount ?? null,
      fetch: async (input, init) => {
        const response = await guarded(input, init);
        if (response.status === 201 && String(input).includes('order')) {
          const { payload } = JSON.parse(String(init?.body));
          const { identifiers } = JSON.parse(Buffer.from(payload, 'base64url').toString());
          orders.push(identifiers[0].value);
        }
        return response;
      },
    },
    async stop() {
      await new Promise((resolve) => web.close(resolve));
      await pebble.stop();
    },
  };
}

async function startWorker(
  world: World,
  options: { refusedMs?: number; waitMs?: number } = {},
): Promise<JobWorker> {
  const open = openDatabase(testDatabase.url, { role: 'worker', max: 6 });
  const worker = newWorkerNumber();
  const { promise: announced, resolve } = Promise.withResolvers<void>();
  const listener = openListener(testDatabase.url, {
    role: 'worker',
    onConnect: (client) => announce(client, worker).then(resolve),
  });
  await announced;
  const adapters = { db: open.db, log, key: KEY, challenge: 'http-01' as const, authority: world.authority };
  const kind = createCertificateKind({ ...adapters, ...options });
  const jobs = startJobs({ db: open.db, listener, worker, workDir, log, metrics: createMetrics() }, [
    { ...NO_LIMITS, kind, concurrency: 8 },
  ]);
  return {
    async stop(graceMs) {
      await jobs.stop(graceMs);
      await listener.close();
      await open.close();
    },
  };
}

/** A verified domain that points to this machine, unless `address` is another one or null. */
async function addDomain(address: string | null = '127.0.0.1'): Promise<{ id: string; host: string }> {
  const id = newId('dom');
  const host = `docs-${++count}.example.com`;
  if (address !== null) dns.set(host, 'A', [address]);
  await database.db
    .insertInto('site_domains')
    .values({
      id,
      organization_id: organizationId,
      project_id: projectId,
      host,
      state: 'verified',
      method: 'dns',
    })
    .execute();
  return { id, host };
}

const queue = () => database.db.transaction().execute((tx) => queueOrders(tx));
const stateOf = async (id: string) => (await createCertificatePort(database.db).read([id])).get(id);

async function until<Value>(read: () => Promise<Value>, isOver: (value: Value) => boolean): Promise<Value> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const value = await read();
    if (isOver(value)) return value;
    if (performance.now() > deadline) throw new Error(`not reached: ${JSON.stringify(value)}`);
    await sleep(100);
  }
}

const isReady = (id: string) =>
  until(
    () => stateOf(id),
    (shown) => shown?.state === 'ready',
  );

async function used(id: string) {
  const found = (await listUsed(database.db)).find(({ domainId }) => domainId === id);
  if (found === undefined) throw new Error('no certificate');
  return { ...found, key: unseal(KEY, found.keySealed, keyContext(id)) };
}

describe.skipIf(pebbleProgram === null)(`with Pebble${missing(pebbleProgram, 'pebble')}`, () => {
  test('a certificate is issued, is for the host and its sealed key, and is renewed after two thirds of its life', async () => {
    const world = await startWorld({});
    const worker = await startWorker(world);
    try {
      const { id, host } = await addDomain();
      await queue();
      expect(await isReady(id)).toMatchObject({ error: null, retryAt: null });
      const first = await used(id);
      const leaf = new X509Certificate(first.chain);
      expect(leaf.checkHost(host)).toBe(host);
      expect(leaf.checkPrivateKey(createPrivateKey(first.key))).toBe(true);
      expect(first.chain.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(1);
      expect(world.orders).toEqual([host]);
      // Not due: nothing is ordered.
      expect(await queue()).toBe(0);
      const row = await database.db
        .selectFrom('certificates')
        .selectAll()
        .where('domain_id', '=', id)
        .executeTakeFirstOrThrow();
      const [start, end] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()];
      expect(row.renew_at?.getTime()).toBe(Math.trunc(end - (end - start) / 3));
      expect(row).toMatchObject({ order_url: null, order_key_sealed: null });
      expect(await findChallenge(database.db, host, null)).toBeUndefined();

      await database.db
        .updateTable('certificates')
        .set({ renew_at: new Date() })
        .where('domain_id', '=', id)
        .execute();
      expect(await queue()).toBe(1);
      await until(
        () => used(id),
        ({ fingerprint }) => fingerprint !== first.fingerprint,
      );
      expect((await used(id)).key).not.toBe(first.key);
      expect(world.orders).toEqual([host, host]);
    } finally {
      await worker.stop(1_000);
      await world.stop();
    }
  });

  test(`two workers obtain certificates of ${DOMAINS} domains with one order for each, and no key is stored in plain text`, async () => {
    const world = await startWorld({});
    const workers = [await startWorker(world), await startWorker(world)];
    try {
      const domains = [];
      for (let each = 0; each < DOMAINS; each += 1) domains.push(await addDomain());
      // Several processes find them at the same moment.
      await Promise.all([queue(), queue(), queue(), queue()]);
      for (const { id } of domains) await isReady(id);
      expect([...world.orders].sort()).toEqual(domains.map(({ host }) => host).sort());
      const { rows } = await accounts();
      expect(rows).toHaveLength(1);

      const keys = await Promise.all(domains.map(async ({ id }) => (await used(id)).key));
      const secrets = keys.map((key) => String(createPrivateKey(key).export({ format: 'jwk' }).d));
      const account = rows[0]?.key_sealed ?? Buffer.alloc(0);
      const accountKey = unseal(KEY, account, `acme_accounts.key_sealed ${world.pebble.directory}`);
      secrets.push(String(createPrivateKey(accountKey).export({ format: 'jwk' }).d));
      const bodies = [...keys, accountKey].map((key) => key.split('\n')[1] ?? '');
      const backup = await backupText();
      for (const text of [backup, logged]) {
        expect(text).not.toContain('PRIVATE KEY');
        for (const secret of [...secrets, ...bodies]) {
          expect(text.includes(secret)).toBe(false);
          expect(text.includes(Buffer.from(secret).toString('hex'))).toBe(false);
        }
        for (const secret of secrets)
          expect(text.includes(Buffer.from(secret, 'base64url').toString('hex'))).toBe(false);
      }
      // The search finds what is there.
      expect(backup).toContain((await used(domains[0]?.id ?? '')).keySealed.toString('hex'));
      expect(logged).toContain('a certificate was issued');
    } finally {
      for (const worker of workers) await worker.stop(1_000);
      await world.stop();
    }
  });

  test('incorrect DNS shows the message of the authority and backs off; after a correction the certificate is issued', async () => {
    const world = await startWorld({});
    const worker = await startWorker(world, { refusedMs: 1_000_000 });
    try {
      const { id, host } = await addDomain(null);
      await queue();
      const failed = await until(
        () => stateOf(id),
        (shown) => shown?.state === 'failed',
      );
      expect(failed?.error).toMatch(/could not resolve|NXDOMAIN|no such host/i);
      const retryAt = Date.parse(failed?.retryAt ?? '');
      expect(retryAt - Date.now()).toBeGreaterThan(900_000);
      // Nobody repeats it before, also not at once for a person.
      expect(await queue()).toBe(0);
      await createCertificatePort(database.db).request(id);
      expect((await stateOf(id))?.retryAt).toBe(failed?.retryAt);
      expect(world.orders).toEqual([host]);

      dns.set(host, 'A', ['127.0.0.1']);
      await database.db
        .updateTable('certificates')
        .set({ updated_at: new Date(Date.now() - 120_000) })
        .where('domain_id', '=', id)
        .execute();
      await createCertificatePort(database.db).request(id);
      expect(await isReady(id)).toMatchObject({ error: null });
      expect(world.orders).toEqual([host, host]);
    } finally {
      await worker.stop(1_000);
      await world.stop();
    }
  });

  test('an authority that refuses every order is asked less and less often, and its message is kept', async () => {
    const world = await startWorld({ env: { PEBBLE_VA_NOSLEEP: '1' } });
    const refusing: World = {
      ...world,
      authority: {
        ...world.authority,
        fetch: async (input, init) => {
          const response = await world.authority.fetch(input, init);
          if (!String(input).includes('order-plz')) return response;
          const problem = { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many certificates' };
          return new Response(JSON.stringify(problem), {
            status: 429,
            headers: { 'retry-after': '86400', 'replay-nonce': response.headers.get('replay-nonce') ?? '' },
          });
        },
      },
    };
    const worker = await startWorker(refusing, { refusedMs: 1 });
    try {
      const { id } = await addDomain();
      await queue();
      const failed = await until(
        () => stateOf(id),
        (shown) => shown?.state === 'failed',
      );
      expect(failed?.error).toBe('too many certificates');
      // The authority named a day.
      expect(Date.parse(failed?.retryAt ?? '') - Date.now()).toBeGreaterThan(80_000_000);
    } finally {
      await worker.stop(1_000);
      await world.stop();
    }
  });

  test('an authority that needs longer than one attempt gets no second order', async () => {
    const world = await startWorld({ env: { PEBBLE_VA_SLEEPTIME: '8' } });
    const worker = await startWorker(world, { waitMs: 500, refusedMs: 10 });
    try {
      const { id, host } = await addDomain();
      await queue();
      await isReady(id);
      expect(world.orders).toEqual([host]);
    } finally {
      await worker.stop(1_000);
      await world.stop();
    }
  });

  test('a worker that stops during an order hands it over, and the order is continued', async () => {
    const world = await startWorld({ env: { PEBBLE_VA_SLEEPTIME: '6' } });
    const first = await startWorker(world);
    try {
      const { id, host } = await addDomain();
      await queue();
      await until(
        async () => world.orders.length,
        (orders) => orders === 1,
      );
      await first.stop(0);
      const second = await startWorker(world);
      await isReady(id);
      expect(world.orders).toEqual([host]);
      await second.stop(1_000);
    } finally {
      await world.stop();
    }
  });

  test('an account with external binding is registered, and one with a wrong key is refused with its message', async () => {
    const macKey = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W';
    const externalKeys = { 'kid-1': macKey };
    const wrong = await startWorld({
      externalKeys,
      externalAccount: { keyId: 'kid-1', macKey: 'AAAAAAAAAAAAAAAA' },
    });
    const refused = await startWorker(wrong, { refusedMs: 1_000_000 });
    try {
      const { id } = await addDomain();
      await queue();
      const failed = await until(
        () => stateOf(id),
        (shown) => shown?.state === 'failed',
      );
      expect(failed?.error).toMatch(/verif|bind|signature|square/i);
      await database.db.deleteFrom('site_domains').where('id', '=', id).execute();
    } finally {
      await refused.stop(1_000);
      await wrong.stop();
    }
    const right = await startWorld({ externalKeys, externalAccount: { keyId: 'kid-1', macKey } });
    const worker = await startWorker(right);
    try {
      const { id } = await addDomain();
      await queue();
      await isReady(id);
    } finally {
      await worker.stop(1_000);
      await right.stop();
    }
  });

  test('a domain that is released during its order leaves no certificate', async () => {
    const world = await startWorld({ env: { PEBBLE_VA_SLEEPTIME: '6' } });
    const worker = await startWorker(world);
    try {
      const { id } = await addDomain();
      await queue();
      await until(
        async () => world.orders.length,
        (orders) => orders === 1,
      );
      await database.db.deleteFrom('site_domains').where('id', '=', id).execute();
      await until(
        () => database.db.selectFrom('jobs').select('id').where('id', '=', id).execute(),
        (rows) => rows.length === 0,
      );
      expect(await stateOf(id)).toBeUndefined();
    } finally {
      await worker.stop(1_000);
      await world.stop();
    }
  });
});

const accounts = async () => ({
  rows: await database.db
    .selectFrom('acme_accounts')
    .selectAll()
    .orderBy('created_at', 'desc')
    .limit(1)
    .execute(),
});

/** Every row of every table, as backups contain them. */
async function backupText(): Promise<string> {
  const client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const parts: string[] = [];
    for await (const { rows } of readRows(client)) parts.push(...rows);
    await client.query('COMMIT');
    return parts.join('\n');
  } finally {
    await client.end();
  }
}
