/** `offprint admin` as operators run it: in a process of its own, beside a platform that runs. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../apps/server/src/platform/db/database.ts';
import { call, createProject, expectError, makeFolder, runExport, siteFiles } from './acceptance/api.ts';
import { startTestPlatform, type TestPlatform } from './support/platform.ts';
import { createTestDatabase } from './support/postgres.ts';
import { noteSecrets } from './support/secrets.ts';

const BIN = fileURLToPath(new URL('../apps/cli/bin/offprint.mjs', import.meta.url));
const PASSWORD = 'gravel lantern otter nine';

let platform: TestPlatform;
let databaseUrl: string;

beforeAll(async () => {
  platform = await startTestPlatform({ env: { OFFPRINT_SIGN_UP: 'closed' } });
  databaseUrl = platform.databaseUrl;
});
afterAll(() => platform.stop());

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function run(args: string[], options: { env?: Record<string, string>; input?: string } = {}): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, 'admin', ...args], {
    env: { PATH: process.env.PATH ?? '', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.end(options.input ?? '');
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

/** With the settings of the platform. */
const admin = (...args: string[]) => adminWith('', ...args);

function adminWith(input: string, ...args: string[]): Promise<Ended> {
  const env = {
    DATABASE_URL: databaseUrl,
    OFFPRINT_DATA_DIR: platform.dataDir,
    OFFPRINT_SECRET: platform.secret,
    OFFPRINT_PUBLIC_URL: 'https://docs.example.com',
  };
  return run(args, { env, input });
}

async function ok(...args: string[]): Promise<string> {
  const { code, out, err } = await admin(...args);
  expect([args, code, err]).toEqual([args, 0, expect.anything()]);
  return out;
}

/** What a command prints with `--json`. */
const json = async <Value = Record<string, unknown>>(...args: string[]): Promise<Value> =>
  JSON.parse(await ok(...args, '--json')) as Value;

async function refuse(args: string[], sentence: RegExp): Promise<void> {
  const { code, out, err } = await admin(...args);
  expect([args, code, out]).toEqual([args, 2, '']);
  expect(err).toMatch(sentence);
  expect(err).not.toMatch(/node_modules|\.ts:\d|at async/);
}

const signIn = (email: string, password: string) =>
  call<{ organizations: object[] }>(platform.url, 'POST', '/v1/session', { body: { email, password } });

const lastEvents = (count: number) =>
  platform.database.db
    .selectFrom('audit_events')
    .select([
      'organization_id',
      'actor_kind',
      'actor_id',
      'actor_name',
      'action',
      'target',
      'outcome',
      'code',
    ])
    .orderBy('id', 'desc')
    .limit(count)
    .execute();

describe('offprint admin', () => {
  test('from nothing to a signed-in admin with a key, while sign-up is closed', async () => {
    const made = await json<{ user: { id: string }; resetLink: { url: string } }>(
      'user',
      'create',
      'Ada@Example.com',
      '--name',
      'Ada Lovelace',
    );
    const link = new URL(made.resetLink.url);
    expect([link.origin, link.search]).toEqual(['https://docs.example.com', '']);
    const token = new URLSearchParams(link.hash.slice(1)).get('token') ?? '';
    noteSecrets(token);
    const reset = { body: { token, password: PASSWORD } };
    expect((await call(platform.url, 'PUT', '/v1/password-resets', reset)).status).toBe(204);

    const organization = await json<{ id: string }>(
      'organization',
      'create',
      'Acme',
      '--plan',
      'enterprise',
      '--admin',
      'ada@example.com',
    );
    const session = await signIn('ada@example.com', PASSWORD);
    expect(session.body.organizations).toEqual([
      { id: organization.id, name: 'Acme', plan: 'enterprise', role: 'admin' },
    ]);
    // The key alone on standard output, for a file.
    const key = (await ok('key', 'create', 'Acme', '--name', 'pipeline', '--scope', 'read')).trim();
    noteSecrets(key);
    expect(key).toMatch(/^offprint_[0-9A-Za-z]{38}$/);
    expect((await call(platform.url, 'GET', '/v1/organization', { key })).body.id).toBe(organization.id);
    expectError(
      await call(platform.url, 'POST', '/v1/projects', {
        key,
        body: { name: 'x', source: { kind: 'upload' } },
      }),
      403,
      'scope_missing',
    );
    const [listed] = await json<{ id: string; expiresAt: string }[]>('key', 'list', 'Acme');
    await ok('key', 'revoke', 'Acme', listed!.id);
    expectError(await call(platform.url, 'GET', '/v1/organization', { key }), 401, 'unauthorized');
    await refuse(
      ['key', 'revoke', 'Acme', 'key_none'],
      /^offprint: Acme has no key with the id "key_none"\./m,
    );

    const event = { actor_kind: 'operator', actor_id: null, actor_name: 'offprint admin', code: null };
    expect((await lastEvents(12)).filter(({ actor_kind }) => actor_kind === 'operator').reverse()).toEqual([
      expect.objectContaining({
        ...event,
        action: 'createUser',
        organization_id: null,
        target: made.user.id,
      }),
      expect.objectContaining({
        ...event,
        action: 'createOrganization',
        organization_id: organization.id,
        target: organization.id,
      }),
      expect.objectContaining({
        ...event,
        action: 'createApiKey',
        organization_id: organization.id,
        target: listed!.id,
      }),
      expect.objectContaining({ ...event, action: 'revokeApiKey', outcome: 'done', target: listed!.id }),
      expect.objectContaining({ ...event, action: 'revokeApiKey', outcome: 'refused', code: 'not_found' }),
    ]);
  });

  test('users: a password from standard input, out, in again, a new password, operators', async () => {
    const created = await adminWith(
      `${PASSWORD}\nmore\n`,
      'user',
      'create',
      'ops@example.com',
      '--operator',
      '--password-stdin',
    );
    expect([created.code, created.out]).toEqual([0, '']);
    const session = await signIn('ops@example.com', PASSWORD);
    expect(session.status).toBe(200);
    const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const headers = { cookie, origin: platform.url };
    const operated = () => call(platform.url, 'GET', '/v1/operator/users', { headers });
    expect((await operated()).status).toBe(200);
    await ok('user', 'operator', 'ops@example.com', '--remove');
    expectError(await operated(), 403, 'operator_required');
    expect(await json('user', 'operator', 'OPS@example.com')).toMatchObject({ isOperator: true });
    await ok('user', 'disable', 'ops@example.com');
    expectError(await operated(), 401, 'unauthorized');
    expectError(await signIn('ops@example.com', PASSWORD), 401, 'credentials_wrong');
    await refuse(['user', 'reset-password', 'ops@example.com'], /is disabled.*user enable/);
    await ok('user', 'enable', 'ops@example.com');
    const link = (await ok('user', 'reset-password', 'ops@example.com')).trim();
    const token = new URL(link).hash.slice('#token='.length);
    noteSecrets(token);
    const body = { token, password: `${PASSWORD} again` };
    expect((await call(platform.url, 'PUT', '/v1/password-resets', { body })).status).toBe(204);
    expect((await signIn('ops@example.com', body.password)).status).toBe(200);
    const users = await json<{ email: string }[]>('user', 'list', '--search', 'ops@');
    expect(users.map(({ email }) => email)).toEqual(['ops@example.com']);
    await refuse(
      ['user', 'create', 'ops@example.com'],
      /An account with the email address ops@example\.com already exists/,
    );
    await refuse(['user', 'create', 'no-address'], /email must be an email address/);
    await refuse(
      ['user', 'disable', 'nobody@example.com'],
      /User with the email address "nobody@example\.com" not found/,
    );
    const short = await adminWith('short\n', 'user', 'create', 'x@example.com', '--password-stdin');
    expect([short.code, short.err]).toEqual([2, expect.stringContaining('at least 12 characters')]);
  });

  test('members: added, given another role, removed; the last admin stays', async () => {
    const { organizationId } = await platform.createTenant();
    const [one, other] = [await platform.createUser(), await platform.createUser()];
    const add = ['member', 'add', organizationId, one.email, '--role', 'admin'];
    expect(await json(...add)).toMatchObject({ userId: one.userId, role: 'admin' });
    await refuse(add, /is already a member of the organization/);
    await refuse(['member', 'role', organizationId, one.email, 'viewer'], /last admin/);
    expect((await lastEvents(1))[0]).toMatchObject({
      action: 'updateMember',
      outcome: 'refused',
      code: 'last_admin',
    });
    await ok('member', 'add', organizationId, other.email);
    expect(await json('member', 'role', organizationId, other.email, 'admin')).toMatchObject({
      role: 'admin',
    });
    await ok('member', 'remove', organizationId, one.email);
    await refuse(['member', 'remove', organizationId, one.email], /is not a member of/);
    const read = await call(platform.url, 'GET', '/v1/organization', {
      headers: one.headers(organizationId),
    });
    expectError(read, 404, 'not_found');
  });

  test('organizations: a plan holds at once; deleted with all that is stored, but not what was written down', async () => {
    const { organizationId, key } = await platform.createTenant('free');
    expect(await json('organization', 'plan', organizationId, 'enterprise')).toMatchObject({
      plan: 'enterprise',
    });
    const source = { kind: 'folder', path: await makeFolder(siteFiles(1)) };
    const { domain } = await createProject(platform.url, key, source);
    const { jobId } = await runExport(platform.url, key, { domain });
    const link = await call<{ bundleUrl: string }>(
      platform.url,
      'POST',
      `/v1/static-export/jobs/${jobId}/bundle`,
      { key },
    );
    expect((await fetch(link.body.bundleUrl)).status).toBe(200);
    await refuse(['organization', 'delete', organizationId], /with 1 project, .*--yes/);
    await ok('organization', 'delete', organizationId, '--yes');
    expectError(await call(platform.url, 'GET', '/v1/organization', { key }), 401, 'unauthorized');
    expect((await fetch(link.body.bundleUrl)).status).toBe(404);
    await refuse(['organization', 'delete', organizationId, '--yes'], /Organization "org_\w+" not found/);
    const events = await json<{ action: string }[]>(
      'audit',
      '--organization',
      organizationId,
      '--limit',
      '3',
    );
    expect(events.map(({ action }) => action)).toEqual(['deleteOrganization', 'createBundle', 'startExport']);
  });

  test('two organizations with the same name are distinguished by their ids', async () => {
    const [one, other] = [
      await json('organization', 'create', 'Twin'),
      await json('organization', 'create', 'Twin'),
    ];
    await refuse(
      ['organization', 'plan', 'Twin', 'pro'],
      new RegExp(`Several organizations.*(?:${one.id}|${other.id})`),
    );
    expect(await ok('organization', 'list', '--search', 'twin')).toMatch(
      /^id +name +plan +members +projects +created\norg_\w+ +Twin +free +0 +0 +\d{4}-\d\d-\d\d \d\d:\d\d\norg_/,
    );
  });

  test('audit: filtered, as a table, as JSON and as a file', async () => {
    const { organizationId, key } = await platform.createTenant();
    for (const name of ['=1+1', 'plain']) {
      expect((await call(platform.url, 'PATCH', '/v1/organization', { key, body: { name } })).status).toBe(
        200,
      );
    }
    const table = await ok('audit', '--organization', organizationId, '--actor', 'test');
    expect(table.split('\n')).toEqual([
      expect.stringMatching(/^at \(UTC\) +actor +action +target +outcome +from$/),
      expect.stringMatching(/key test +updateOrganization +org_\w+ +done +127\.0\.0\.1$/),
      expect.stringMatching(/key test +updateOrganization/),
      '',
    ]);
    const csv = await ok('audit', '--organization', organizationId, '--file', 'csv');
    expect(csv).toMatch(/^id,at,actor_kind,.*\r\n\d+,.*\r\n\d+,.*\r\n$/);
    const lines = await ok('audit', '--organization', organizationId, '--file', 'jsonl');
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { action: string }).action),
    ).toEqual(['updateOrganization', 'updateOrganization']);
    expect(await json('audit', '--organization', organizationId, '--from', '2200-01-01')).toEqual([]);
    await refuse(['audit', '--from', 'yesterday'], /a date such as 2026-06-01/);
  });

  test('queues, workers and jobs: nothing starts while paused or drained, and all jobs of an organization end', async () => {
    const { organizationId, key } = await platform.createTenant();
    const { domain } = await createProject(platform.url, key, {
      kind: 'folder',
      path: await makeFolder(siteFiles(1)),
    });
    const startExport = async (): Promise<string> => {
      const reply = await call<{ jobId: string }>(platform.url, 'POST', '/v1/static-export/jobs', {
        key,
        body: { domain },
      });
      expect(reply.status, reply.text).toBe(202);
      return reply.body.jobId;
    };
    const statusOf = async (id: string) =>
      (await call<{ status: string }>(platform.url, 'GET', `/v1/static-export/jobs/${id}?wait=1`, { key }))
        .body.status;
    const warnings = async () =>
      (await call<{ warnings: string[] }>(platform.url, 'GET', '/readyz')).body.warnings;

    expect(await json('queue', 'pause', 'export')).toMatchObject({ paused: ['export'] });
    const first = await startExport();
    expect(await statusOf(first)).toBe('queued');
    expect(await ok('queue', 'status')).toMatch(/^export +queued +1 +\d+ +yes$/m);
    expect(await warnings()).toEqual(['The queue of the kind export is paused: none of its jobs starts.']);
    expect(await json('job', 'requeue', first)).toEqual({ id: first, queued: 'job' });
    expect(await statusOf(first)).toBe('queued');
    await ok('queue', 'resume');
    await expect.poll(() => statusOf(first), { timeout: 120_000 }).toBe('completed');
    await refuse(['job', 'requeue', first], /has completed, and its artifact is not recorded as lost/);
    await refuse(['job', 'requeue', 'se_unknown'], /No export or agent job has the id/);

    const [worker] = await json<{ worker: number; isDrained: boolean }[]>('worker', 'list');
    expect(worker).toMatchObject({ isDrained: false, jobs: 0 });
    await ok('worker', 'drain', String(worker!.worker));
    expect(await ok('worker', 'list')).toMatch(/^number +process .*\n\d+ +offprint-\S+ .* yes$/m);
    const second = await startExport();
    expect(await statusOf(second)).toBe('queued');
    await refuse(['job', 'cancel-all', organizationId], /--yes/);
    expect(await json('job', 'cancel-all', organizationId, '--yes')).toEqual({
      organizationId,
      exports: 1,
      agentJobs: 0,
    });
    expect(await statusOf(second)).toBe('failed');
    await ok('worker', 'drain', String(worker!.worker), '--undo');
    await refuse(['worker', 'drain', '1'], /No live worker has the number 1/);
    await refuse(
      ['queue', 'pause', 'pages'],
      /Unknown kind of job: "pages"\. Use one of: export, agent, artifact,/,
    );
    const events = await lastEvents(20);
    expect(events.map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        'pauseQueue',
        'resumeQueue',
        'requeueJob',
        'drainWorker',
        'resumeWorker',
        'cancelJobs',
      ]),
    );
  });

  test('exits with 2 for invalid usage and 1 for an error, each with a message', async () => {
    await Promise.all([
      refuse(['organization', 'plan', 'Acme', 'gold'], /one of: free, pro, enterprise/),
      refuse(['organization', 'create', ' '], /the name/),
      refuse(['key', 'create', 'Acme'], /--name/),
      refuse(['key', 'create', 'Acme', '--name', 'x', '--allow', '0.0.0.0/0'], /allowedCidrs.*too wide/),
      refuse(
        ['key', 'create', 'Acme', '--name', 'x', '--expires-in-days', '5'],
        /one of: 7, 30, 60, 90, never/,
      ),
    ]);
    const gone = await run(['user', 'list'], { env: { DATABASE_URL: 'postgresql://127.0.0.1:9/none' } });
    expect([gone.code, gone.out]).toEqual([1, '']);
    expect(gone.err).toMatch(/^offprint: Cannot use the database: .*ECONNREFUSED.* DATABASE_URL/);
  });

  test('a key that no server would know is not made', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'offprint-admin-'));
    const env = { DATABASE_URL: databaseUrl, OFFPRINT_DATA_DIR: dataDir };
    const refused = await run(['key', 'create', 'Acme', '--name', 'x'], { env });
    await rm(dataDir, { recursive: true, force: true });
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(refused.err).toMatch(/OFFPRINT_SECRET is not set/);
  });

  test('a command without the secret of the servers does not make one the secret of the database', async () => {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'offprint-admin-'));
    const open = openDatabase(database.url, { role: 'test', max: 1 });
    const listed = await run(['organization', 'list'], {
      env: { DATABASE_URL: database.url, OFFPRINT_DATA_DIR: dataDir },
    });
    expect(listed.code, listed.err).toBe(0);
    expect(await open.db.selectFrom('installation').selectAll().execute()).toEqual([]);
    await open.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
});

test('retention shows what settings would delete, and deletes nothing', async () => {
  const { organizationId, key } = await platform.createTenant();
  const { domain } = await createProject(platform.url, key, {
    kind: 'folder',
    path: await makeFolder(siteFiles(1)),
  });
  const jobs: string[] = [];
  for (let round = 0; round < 2; round += 1)
    jobs.push((await runExport(platform.url, key, { domain })).jobId);
  expect(await ok('retention')).not.toContain('se_');
  const preview = await json<{ exports: { id: string }[]; freedBytes: number }>(
    'retention',
    '--count',
    '1',
    '--organization',
    organizationId,
  );
  // Both have the same content, which the newer one keeps.
  expect([preview.exports.map(({ id }) => id), preview.freedBytes]).toEqual([[jobs[0]], 0]);
  const { out, err } = await admin('retention', '--count', '1', '--organization', organizationId);
  expect(out).toContain(jobs[0]);
  expect(err).toContain('1 export beyond the newest 1 of a domain would be deleted');
  await refuse(['retention', '--count', 'few'], /Use a whole number/);
  for (const id of jobs) {
    const read = await call(platform.url, 'GET', `/v1/static-export/jobs/${id}`, { key });
    expect(read.status).toBe(200);
  }
});
