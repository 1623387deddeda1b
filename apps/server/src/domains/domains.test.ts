/** Ownership of domains, with a real DNS server and real web servers on loopback. */
import { createServer, type Server } from 'node:http';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DnsServer, startDnsServer } from '../../../../test/support/dns-server.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { addEndpoint, toldOf } from '../notifications/endpoint.fixture.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { newId } from '../platform/ids.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import { createResolver } from '../platform/net/resolver.ts';
import {
  createDomainService,
  type DomainAdapters,
  noCertificates,
  verifiedHosts,
  verifiedWildcards,
} from './service.ts';
import { verifyDue } from './verify.ts';

const HOUR_MS = 3_600_000;
const GRACE_MS = 72 * HOUR_MS;
const { signal } = new AbortController();

let dns: DnsServer;
let web: Server;
/** Content by path, for every host. */
const files = new Map<string, string>();
let testDatabase: TestDatabase;
let database: OpenDatabase;
let adapters: DomainAdapters;
let count = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { role: 'test', max: 8 });
  dns = await startDnsServer();
  web = createServer((request, response) => {
    const content = files.get(request.url ?? '');
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const address = web.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const resolver = createResolver([dns.address]);
  adapters = {
    db: database.db,
    log: pino({ level: 'silent' }),
    key: Buffer.alloc(32, 7),
    graceMs: GRACE_MS,
    mayTrust: false,
    siteTarget: '127.0.0.1',
    servesSites: true,
    resolver,
    fetch: createGuardedFetch({
      policy: { allowPrivate: true, allowedHosts: [], allowHttp: true },
      lookup: resolver.lookup,
    }),
    ports: { http: port, https: port },
    ownHosts: () => ['platform.example.org', 'previews.example.net'],
    certificates: noCertificates,
  };
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  await dns.close();
  web.close();
});

afterEach(() => {
  dns.break(null);
  files.clear();
});

const service = (changes: Partial<DomainAdapters> = {}) => createDomainService({ ...adapters, ...changes });

async function newProject(): Promise<{ organizationId: string; projectId: string }> {
  const { id } = await createOrganization(database.db, { name: `org ${++count}`, plan: 'enterprise' });
  return { organizationId: id, projectId: await addProject(id) };
}

async function addProject(organizationId: string): Promise<string> {
  const id = newId('prj');
  await database.db
    .insertInto('projects')
    .values({ id, organization_id: organizationId, name: 'Docs', source_kind: 'upload', base_path: '/docs' })
    .execute();
  return id;
}

const newHost = () => `docs-${++count}.example.com`;
type Owner = Awaited<ReturnType<typeof newProject>>;
const add = ({ organizationId, projectId }: Owner, domain: string, redirectTo?: string) =>
  service().add(organizationId, projectId, { domain, redirectTo }, signal);
const read = ({ organizationId, projectId }: Owner, id: string) =>
  service().read({ organizationId, projectId, id });
const hosts = async (owner: Owner) => {
  const found = await verifiedHosts(database.db, owner.projectId);
  return found.map(({ projectId, ...host }) => {
    expect(projectId).toBe(owner.projectId);
    return host;
  });
};

/** Makes the next check due, as if this time had passed since the failures started, and runs it. */
async function checkLater(id: string, passedMs = 0): Promise<void> {
  const shift = sql<Date>`failing_since - make_interval(secs => ${passedMs / 1_000})`;
  await database.db
    .updateTable('site_domains')
    .set({ next_check_at: new Date(0), failing_since: shift })
    .where('id', '=', id)
    .execute();
  await verifyDue(adapters, signal);
}

/** Claims a host and publishes its record. */
async function verified(owner: Owner, host = newHost()) {
  const { id, record } = await add(owner, host);
  dns.set(record.name, 'TXT', [record.value]);
  dns.set(host, 'A', ['127.0.0.1']);
  await checkLater(id);
  expect(await read(owner, id)).toMatchObject({ state: 'verified', method: 'dns', nextStep: null });
  return { id, host, record };
}

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? [error.status, error.code] : error),
  );

test('a domain is served only after its TXT record is found', async () => {
  const owner = await newProject();
  const host = newHost();
  const domain = await add(owner, host);
  expect(domain).toMatchObject({
    domain: host,
    state: 'pending',
    basePath: '/docs',
    finding: { dns: 'missing', texts: [] },
    nextStep: { code: 'create_record' },
  });
  expect(domain.record.name).toBe(`_offprint.${host}`);
  expect(domain.nextStep?.message).toContain(domain.record.value);
  expect(await hosts(owner)).toEqual([]);

  dns.set(domain.record.name, 'TXT', ['v=spf1 -all', 'offprint-verification=other']);
  await checkLater(domain.id);
  const wrong = await read(owner, domain.id);
  expect(wrong).toMatchObject({ state: 'pending', nextStep: { code: 'fix_record' } });
  expect(wrong.nextStep?.message).toContain('offprint-verification=other');
  expect(await hosts(owner)).toEqual([]);

  dns.set(domain.record.name, 'TXT', ['v=spf1 -all', domain.record.value]);
  await checkLater(domain.id);
  expect(await read(owner, domain.id)).toMatchObject({
    state: 'verified',
    method: 'dns',
    // The host itself has no address yet.
    nextStep: { code: 'point_domain' },
  });
  expect(await hosts(owner)).toEqual([{ host, redirectTo: null, basePath: '/docs' }]);

  dns.set(host, 'A', ['127.0.0.9']);
  await checkLater(domain.id);
  expect((await read(owner, domain.id)).nextStep?.message).toContain('127.0.0.9');
  dns.set(host, 'A', ['127.0.0.1']);
  await checkLater(domain.id);
  expect((await read(owner, domain.id)).nextStep).toBeNull();
  const unserved = await service({ servesSites: false }).read({ ...owner, id: domain.id });
  expect(unserved).toMatchObject({ state: 'verified', nextStep: { code: 'start_site_servers' } });
  expect(unserved.nextStep?.message).toContain('OFFPRINT_HOSTING_TOKEN');
});

test('a file verifies a domain, and only with the content of this organization', async () => {
  const owner = await newProject();
  const host = newHost();
  dns.set(host, 'A', ['127.0.0.1']);
  const { id, file } = await add(owner, host);
  const path = new URL(file?.url ?? '').pathname;
  files.set(path, 'token of somebody else');
  await checkLater(id);
  const other = await read(owner, id);
  expect(other).toMatchObject({ state: 'pending', finding: { file: 'missing' } });
  expect(other.finding?.messages.join()).toContain('another content');
  files.set(path, `${file?.content}\n`);
  await checkLater(id);
  expect(await read(owner, id)).toMatchObject({ state: 'verified', method: 'file' });
});

test('two organizations can claim a domain, and the first one that is verified owns it', async () => {
  const [first, second] = [await newProject(), await newProject()];
  const host = newHost();
  dns.set(host, 'A', ['127.0.0.1']);
  const [a, b] = [await add(first, host), await add(second, host)];
  expect(a.record.name).toBe(b.record.name);
  expect(a.record.value).not.toBe(b.record.value);
  dns.set(b.record.name, 'TXT', [b.record.value]);
  await checkLater(a.id);
  await checkLater(b.id);
  expect(await read(first, a.id)).toMatchObject({ state: 'pending', nextStep: { code: 'fix_record' } });
  expect(await read(second, b.id)).toMatchObject({ state: 'verified' });

  // Both prove it now: the owner stays.
  dns.set(b.record.name, 'TXT', [b.record.value, a.record.value]);
  await checkLater(a.id);
  expect(await read(first, a.id)).toMatchObject({
    state: 'pending',
    nextStep: { code: 'release_elsewhere' },
  });
  expect(await hosts(first)).toEqual([]);
  expect(await hosts(second)).toHaveLength(1);
});

test('of two organizations that prove a domain at the same moment, exactly one owns it', async () => {
  const owners = [await newProject(), await newProject(), await newProject()];
  for (let round = 0; round < 5; round += 1) {
    const host = newHost();
    const claims = await Promise.all(owners.map((owner) => add(owner, host)));
    dns.set(
      `_offprint.${host}`,
      'TXT',
      claims.map(({ record }) => record.value),
    );
    await database.db
      .updateTable('site_domains')
      .set({ next_check_at: new Date(0) })
      .execute();
    await Promise.all(owners.map(() => verifyDue(adapters, signal)));
    const states = await Promise.all(owners.map((owner, at) => read(owner, claims[at]?.id ?? '')));
    expect(states.filter(({ state }) => state === 'verified')).toHaveLength(1);
  }
});

test('a domain whose record disappears is removed after the stated time, and not before', async () => {
  const owner = await newProject();
  const { id, host, record } = await verified(owner);
  await addEndpoint(database.db, owner, ['domain.unverified']);
  dns.remove(record.name);
  await checkLater(id);
  const failing = await read(owner, id);
  expect(failing).toMatchObject({ state: 'failing', nextStep: { code: 'restore_record' } });
  expect(Date.parse(failing.removedAt ?? '') - Date.parse(failing.failingSince ?? '')).toBe(GRACE_MS);
  expect(failing.nextStep?.message).toContain(failing.removedAt);
  expect(await hosts(owner)).toHaveLength(1);

  await checkLater(id, GRACE_MS - 60_000);
  expect(await read(owner, id)).toMatchObject({ state: 'failing' });
  expect(await hosts(owner)).toEqual([{ host, redirectTo: null, basePath: '/docs' }]);

  await checkLater(id, 60_001);
  expect(await read(owner, id)).toMatchObject({ state: 'expired', nextStep: { code: 'create_record' } });
  expect(await hosts(owner)).toEqual([]);
  expect(await toldOf(database.db, owner.projectId), 'when it starts to fail, and at the end').toMatchObject([
    {
      event: 'domain.unverified',
      subject: `The ownership of ${host} could not be verified`,
      data: { domainId: id, domain: host, served: 'true', servedUntil: expect.stringMatching(/Z$/) },
    },
    { event: 'domain.unverified', data: { domainId: id, served: 'false', servedUntil: null } },
  ]);

  // Now another organization can own it, and then the first one cannot.
  const heir = await newProject();
  const claim = await add(heir, host);
  dns.set(record.name, 'TXT', [claim.record.value, record.value]);
  await checkLater(claim.id);
  expect(await read(heir, claim.id)).toMatchObject({ state: 'verified' });
  await checkLater(id);
  expect(await read(owner, id)).toMatchObject({ state: 'expired', nextStep: { code: 'release_elsewhere' } });
});

test('a record that is there again ends the warning, and a later failure has the whole time', async () => {
  const owner = await newProject();
  const { id, record } = await verified(owner);
  dns.remove(record.name);
  await checkLater(id);
  await checkLater(id, GRACE_MS - 60_000);
  dns.set(record.name, 'TXT', [record.value]);
  await checkLater(id);
  expect(await read(owner, id)).toMatchObject({ state: 'verified', failingSince: null, removedAt: null });
  dns.remove(record.name);
  await checkLater(id);
  await checkLater(id, 120_000);
  expect(await read(owner, id)).toMatchObject({ state: 'failing' });
});

test('name servers that fail do not prove that a record disappeared', async () => {
  const owner = await newProject();
  const { id, host } = await verified(owner);
  dns.break(host);
  await checkLater(id);
  const unknown = await read(owner, id);
  expect(unknown).toMatchObject({ state: 'verified', failingSince: null, finding: { dns: 'failed' } });
  expect(unknown.finding?.messages.join()).toContain('could not be looked up');
  expect(await hosts(owner)).toHaveLength(1);
});

test('a released domain can be claimed by another organization at once', async () => {
  const [owner, heir] = [await newProject(), await newProject()];
  const { id, host, record } = await verified(owner);
  await service().release({ ...owner, id });
  expect(await hosts(owner)).toEqual([]);
  expect(await refusal(read(owner, id))).toEqual([404, 'not_found']);
  const claim = await add(heir, host);
  expect(claim.state).toBe('pending');
  dns.set(record.name, 'TXT', [claim.record.value]);
  await checkLater(claim.id);
  expect(await hosts(heir)).toHaveLength(1);
});

test('a domain of another organization or project is missing', async () => {
  const [owner, stranger] = [await newProject(), await newProject()];
  const { id } = await verified(owner);
  const sibling = { ...owner, projectId: await addProject(owner.organizationId) };
  for (const key of [
    { ...stranger, id },
    { ...sibling, id },
    { ...owner, ...stranger, id },
  ]) {
    expect(await refusal(service().read(key))).toEqual([404, 'not_found']);
    expect(await refusal(service().check(key, signal))).toEqual([404, 'not_found']);
    expect(await refusal(service().update(key, { redirectTo: null }))).toEqual([404, 'not_found']);
    expect(await refusal(service().release(key))).toEqual([404, 'not_found']);
  }
  expect(await hosts(owner)).toHaveLength(1);
});

test('two projects of an organization cannot have the same domain', async () => {
  const owner = await newProject();
  const { host } = await verified(owner);
  const sibling = { ...owner, projectId: await addProject(owner.organizationId) };
  expect(await refusal(add(sibling, host))).toEqual([409, 'domain_taken']);
});

test('a redirect leads to another domain of the project in one step', async () => {
  const owner = await newProject();
  const [apex, www] = [await verified(owner), await verified(owner)];
  const set = (id: string, redirectTo: string | null) =>
    refusal(service().update({ ...owner, id }, { redirectTo }));
  expect(await set(www.id, apex.host)).toBe('done');
  expect(await hosts(owner)).toContainEqual({ host: www.host, redirectTo: apex.host, basePath: '/docs' });
  const invalid = [400, 'invalid_request'];
  expect(await set(apex.id, www.host)).toEqual(invalid);
  expect(await set(apex.id, apex.host)).toEqual(invalid);
  expect(await set(apex.id, 'elsewhere.example.org')).toEqual(invalid);
  const elsewhere = await verified(await newProject());
  expect(await set(www.id, elsewhere.host)).toEqual(invalid);
  // Without its target, the host serves the site itself.
  await service().release({ ...owner, id: apex.id });
  expect(await hosts(owner)).toEqual([{ host: www.host, redirectTo: null, basePath: '/docs' }]);
});

test('a redirect to a domain that is not verified is left out', async () => {
  const owner = await newProject();
  const target = newHost();
  await add(owner, target);
  const www = await verified(owner);
  await service().update({ ...owner, id: www.id }, { redirectTo: target });
  expect(await hosts(owner)).toEqual([{ host: www.host, redirectTo: null, basePath: '/docs' }]);
});

test('a wildcard is verified by a record only, and the site is not served on it', async () => {
  const owner = await newProject();
  const { id, file, record } = await add(owner, `*.pr-${++count}.example.com`);
  expect(file).toBeNull();
  expect(record.name).not.toContain('*');
  dns.set(record.name, 'TXT', [record.value]);
  await checkLater(id);
  expect(await read(owner, id)).toMatchObject({ state: 'verified', method: 'dns', nextStep: null });
  expect(await hosts(owner)).toEqual([]);
});

test('names that nobody can own are refused', async () => {
  const owner = await newProject();
  const refused = [
    'docs.localhost',
    'co.uk',
    'github.io',
    '*.github.io',
    '*.com.au',
    'platform.example.org',
    'docs.platform.example.org',
    'pr-1.previews.example.net',
    'docs.onion',
    '1.0.0.127.in-addr.arpa',
  ];
  for (const host of refused) expect(await refusal(add(owner, host)), host).toEqual([400, 'domain_refused']);
});

test('domains are trusted without a proof only as long as there is one organization', async () => {
  const other = await createTestDatabase();
  const open = openDatabase(other.url, { role: 'test', max: 4 });
  try {
    const trusting = createDomainService({ ...adapters, db: open.db, mayTrust: true });
    const { id: organizationId } = await createOrganization(open.db, { name: 'only', plan: 'free' });
    const projectId = newId('prj');
    await open.db
      .insertInto('projects')
      .values({ id: projectId, organization_id: organizationId, name: 'Docs', source_kind: 'upload' })
      .execute();
    const first = await trusting.add(organizationId, projectId, { domain: newHost() }, signal);
    expect(first).toMatchObject({ state: 'verified', method: 'trusted' });
    await createOrganization(open.db, { name: 'second', plan: 'free' });
    const second = await trusting.add(organizationId, projectId, { domain: newHost() }, signal);
    expect(second.state).toBe('pending');
    // What was trusted now needs a proof, within the usual time.
    await open.db
      .updateTable('site_domains')
      .set({ next_check_at: new Date(0) })
      .execute();
    await verifyDue({ ...adapters, db: open.db, mayTrust: true }, signal);
    const key = { organizationId, projectId, id: first.id };
    expect(await trusting.read(key)).toMatchObject({ state: 'failing' });
  } finally {
    await open.close();
    await other.drop();
  }
});

test('a claimed domain is one of the project, so that it is named once; redirects and wildcards are not', async () => {
  const owner = await newProject();
  const domainsOf = async ({ projectId }: Owner) =>
    (
      await database.db.selectFrom('domains').select('domain').where('project_id', '=', projectId).execute()
    ).map(({ domain }) => domain);
  const host = newHost();
  const { id } = await add(owner, host);
  await add(owner, `www.${host}`, host);
  await add(owner, `*.${host}`);
  expect(await domainsOf(owner)).toEqual([host]);
  // Exports for it remain possible.
  await service().release({ ...owner, id });
  expect(await domainsOf(owner)).toEqual([host]);

  const other = { ...owner, projectId: await addProject(owner.organizationId) };
  expect(await refusal(add(other, host)), 'the first project exports for it').toEqual([409, 'domain_taken']);
  expect(await domainsOf(other)).toEqual([]);
});

test('previews of a project have hosts below its verified wildcard', async () => {
  const owner = await newProject();
  const host = newHost();
  const claim = await add(owner, `*.${host}`);
  const bases = async () => (await verifiedWildcards(database.db, owner.projectId)).map(({ base }) => base);
  expect(await bases()).toEqual([]);
  dns.set(claim.record.name, 'TXT', [claim.record.value]);
  await checkLater(claim.id);
  expect(await bases()).toEqual([host]);
  expect(await hosts(owner), 'the wildcard itself is not a host').toEqual([]);
});
