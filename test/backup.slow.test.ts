/**
 * An installation as operators run it: on the embedded database, backed up while exports run, restored on an empty
 * machine with another database and a bucket, and moved to an external database. Every bundle link gives the same bytes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Bundle,
  call,
  createProject,
  follow,
  type Job,
  makeFolder,
  runExport,
  siteFiles,
} from './acceptance/api.ts';
import { freePort } from './support/free-port.ts';
import { createEmptyDatabase, type TestDatabase } from './support/postgres.ts';
import { LINKED } from './support/processes.ts';
import { type S3Double, startS3Double } from './support/s3/double.ts';
import { noteSecrets } from './support/secrets.ts';

const BIN = fileURLToPath(new URL('../apps/cli/bin/offprint.mjs', import.meta.url));
const JOBS = '/v1/static-export/jobs';
const LONG_MS = 900_000;
const READY_MS = 240_000;

const secret = randomBytes(32).toString('hex');
const children: ChildProcess[] = [];
const databases: TestDatabase[] = [];
let root: string;
let dataDir: string;
let double: S3Double;
let key: string;
/** Digests of the bundles by export, as the first installation gave them. */
const digests = new Map<string, string>();
let backup: string;

type Env = Record<string, string>;

const settings = (env: Env): Env => ({
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
  OFFPRINT_SECRET: secret,
  OFFPRINT_ALLOW_FOLDER_SOURCES: 'true',
  OFFPRINT_SANDBOX: 'preferred',
  OFFPRINT_EXPORT_NICE: '0',
  OFFPRINT_DRAIN_SECONDS: '0',
  OFFPRINT_SHUTDOWN_SECONDS: '1',
  OFFPRINT_RATE_LIMIT: '100000',
  OFFPRINT_OPERATOR_PASSWORD: 'gravel lantern otter nine',
  ...env,
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function start(args: readonly string[], env: Env): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...LINKED, BIN, ...args], {
    env: settings(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return {
    child,
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err }))),
  };
}

const offprint = (args: readonly string[], env: Env): Promise<Ended> => start(args, env).ended;

async function json<Value>(args: readonly string[], env: Env): Promise<Value> {
  const { code, out, err } = await offprint([...args, '--json'], env);
  expect([args, code, err]).toEqual([args, 0, expect.anything()]);
  return JSON.parse(out) as Value;
}

/** Starts API and worker in two processes on one installation; resolves with the URL. */
async function startPlatform(env: Env): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const processes = ['api', 'worker'].map((role) => start([role], { OFFPRINT_PORT: String(port), ...env }));
  children.push(...processes.map(({ child }) => child));
  const deadline = Date.now() + READY_MS;
  while ((await fetch(`${url}/readyz`).catch(() => null))?.status !== 200) {
    const [api] = processes;
    if (api?.child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`the platform is not ready:\n${(await api?.ended)?.err}`);
    }
    await sleep(200);
  }
  return {
    url,
    async stop() {
      for (const { child } of processes) child.kill('SIGTERM');
      await Promise.all(processes.map(({ ended }) => ended));
    },
  };
}

async function bundleOf(url: string, id: string): Promise<{ digest: string; bundle: Bundle }> {
  const reply = await call<Bundle>(url, 'POST', `${JOBS}/${id}/bundle`, { key });
  expect(reply.status, reply.text).toBe(200);
  const response = await fetch(reply.body.bundleUrl);
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { digest: createHash('sha256').update(bytes).digest('hex'), bundle: reply.body };
}

async function emptyDatabase(): Promise<string> {
  const database = await createEmptyDatabase();
  databases.push(database);
  return database.url;
}

const bucketOf = (prefix: string): Env => ({
  OFFPRINT_S3_BUCKET: double.bucket,
  OFFPRINT_S3_REGION: double.region,
  OFFPRINT_S3_ENDPOINT: double.url,
  OFFPRINT_S3_ACCESS_KEY_ID: double.identity.accessKeyId,
  OFFPRINT_S3_SECRET_ACCESS_KEY: double.identity.secretAccessKey,
  OFFPRINT_S3_PREFIX: prefix,
});

/** Every completed export of the installation gives the bundle that the first one gave. */
async function expectSameBundles(url: string, ids: Iterable<string>): Promise<void> {
  for (const id of ids) {
    const { digest, bundle } = await bundleOf(url, id);
    expect([id, digest, bundle.sha256]).toEqual([id, digests.get(id), digests.get(id)]);
  }
}

interface Doctor {
  status: string;
  findings: { check: string; status: string; message: string }[];
}

async function examine(env: Env, ...options: string[]): Promise<Doctor> {
  const { out } = await offprint(['doctor', '--json', ...options], env);
  return JSON.parse(out) as Doctor;
}

const problemsOf = ({ findings }: Doctor) => findings.filter(({ status }) => status !== 'ok');

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'offprint-backup-'));
  dataDir = join(root, 'first');
  backup = join(root, 'backup.tar');
  double = await startS3Double();
  noteSecrets(secret, double.identity.secretAccessKey);
});
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  for (const database of databases) await database.drop();
  await double.close();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

describe('an installation on the embedded database', () => {
  test('is backed up while exports start, run and are deleted', { timeout: LONG_MS }, async () => {
    const env = { OFFPRINT_DATA_DIR: dataDir };
    const platform = await startPlatform(env);
    const { id: organization } = await json<{ id: string }>(
      ['admin', 'organization', 'create', 'Acme', '--plan', 'enterprise'],
      env,
    );
    const made = await offprint(
      ['admin', 'key', 'create', organization, '--name', 'test', '--scope', 'write'],
      env,
    );
    expect(made.code, made.err).toBe(0);
    key = made.out.trim();
    noteSecrets(key);
    const domains: string[] = [];
    for (const pages of [1, 3]) {
      const path = await makeFolder(siteFiles(pages, `Site of ${pages}`));
      domains.push((await createProject(platform.url, key, { kind: 'folder', path })).domain);
    }
    for (const domain of domains) {
      const job = await runExport(platform.url, key, { domain });
      expect(job.status, job.error).toBe('completed');
    }
    expect(problemsOf(await examine(env, '--read'))).toEqual([]);

    // New versions get new bytes; every third export is deleted as soon as it has completed.
    let isBackedUp = false;
    let count = 0;
    const churn = async (): Promise<void> => {
      while (!isBackedUp || count < 3) {
        const version = `v${++count}`;
        const job = await runExport(platform.url, key, { domain: domains[count % 2], version });
        if (count % 3 === 0) await call(platform.url, 'DELETE', `${JOBS}/${job.jobId}`, { key });
      }
    };
    const running = churn();
    const report = await json<{ artifacts: number; lost: object[] }>(['backup', backup], env);
    isBackedUp = true;
    await running;
    expect(report.lost).toEqual([]);
    expect(report.artifacts).toBeGreaterThanOrEqual(2);
    expect((await readdir(root)).filter((name) => name.includes('partial'))).toEqual([]);

    const list = await call<{ data: Job[] }>(platform.url, 'GET', `${JOBS}?limit=100`, { key });
    for (const { jobId, status } of list.body.data) {
      if (status === 'completed') digests.set(jobId, (await bundleOf(platform.url, jobId)).digest);
    }
    await platform.stop();
  });

  test('is restored on an empty machine with another database and a bucket', {
    timeout: LONG_MS,
  }, async () => {
    const env = {
      OFFPRINT_DATA_DIR: join(root, 'restored'),
      DATABASE_URL: await emptyDatabase(),
      ...bucketOf('restored'),
    };
    const other = await offprint(['restore', backup], { ...env, OFFPRINT_SECRET: 'x'.repeat(40) });
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('is not the secret')]);
    await json(['restore', backup], env);
    const again = await offprint(['restore', backup], env);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('is not empty')]);

    const platform = await startPlatform(env);
    const list = await call<{ data: Job[] }>(platform.url, 'GET', `${JOBS}?limit=100`, { key });
    const finished: string[] = [];
    for (const { jobId } of list.body.data) {
      const end = (await follow(platform.url, key, jobId, 500)).at(-1);
      expect(end?.status, end?.error).toBe('completed');
      // Those that were deleted later in the first installation are restored too.
      if (digests.has(jobId)) finished.push(jobId);
    }
    expect(finished.length).toBeGreaterThanOrEqual(2);
    await expectSameBundles(platform.url, finished);
    expect(problemsOf(await examine(env, '--read'))).toEqual([]);
    await platform.stop();
  });

  test('moves to an external database, and to a bucket, in one command', { timeout: LONG_MS }, async () => {
    const env = { OFFPRINT_DATA_DIR: dataDir, DATABASE_URL: await emptyDatabase() };
    const keeper = await startPlatform({ OFFPRINT_DATA_DIR: dataDir });
    const used = await offprint(['move'], env);
    expect([used.code, used.err]).toEqual([2, expect.stringContaining('Stop it first')]);
    await keeper.stop();
    await json(['move'], env);
    const platform = await startPlatform(env);
    await expectSameBundles(platform.url, digests.keys());
    expect(problemsOf(await examine(env, '--read'))).toEqual([]);
    await platform.stop();

    const bucket = { OFFPRINT_DATA_DIR: dataDir, DATABASE_URL: await emptyDatabase(), ...bucketOf('moved') };
    await json(['move'], bucket);
    // Only the bucket is used from now on.
    const moved = { ...bucket, OFFPRINT_DATA_DIR: join(root, 'elsewhere') };
    await mkdir(moved.OFFPRINT_DATA_DIR);
    const second = await startPlatform(moved);
    await expectSameBundles(second.url, digests.keys());
    await second.stop();
  });

  test('renders an artifact again whose files were deleted', { timeout: LONG_MS }, async () => {
    const env = {
      OFFPRINT_DATA_DIR: join(root, 'restored'),
      DATABASE_URL: databases[0]!.url,
      ...bucketOf('restored'),
    };
    const platform = await startPlatform(env);
    const [id = '', digest = ''] = [...digests].find(([, sha256]) =>
      [...double.store.objects.keys()].some((name) => name.startsWith('restored/') && name.includes(sha256)),
    )!;
    for (const name of [...double.store.objects.keys()]) {
      if (name.startsWith('restored/') && name.includes(digest)) double.store.objects.delete(name);
    }
    const lost = await call<{ code: string; error: string }>(platform.url, 'POST', `${JOBS}/${id}/bundle`, {
      key,
    });
    expect([lost.status, lost.body.code]).toEqual([410, 'artifact_lost']);
    expect(lost.headers.get('retry-after')).not.toBeNull();
    const status = await call<Job>(platform.url, 'GET', `${JOBS}/${id}`, { key });
    expect(status.body).toMatchObject({ status: 'completed', artifact: { state: 'restoring' } });
    const deadline = Date.now() + READY_MS;
    let reply = await call<Bundle>(platform.url, 'POST', `${JOBS}/${id}/bundle`, { key });
    while (reply.status !== 200 && Date.now() < deadline) {
      await sleep(500);
      reply = await call<Bundle>(platform.url, 'POST', `${JOBS}/${id}/bundle`, { key });
    }
    expect(reply.status, reply.text).toBe(200);
    expect((await bundleOf(platform.url, id)).digest).toBe(digest);
    await platform.stop();
  });
});
