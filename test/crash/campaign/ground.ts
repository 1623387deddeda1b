/** What a campaign runs on: a platform of several processes, Git over HTTP, a forge, a model and a store. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { createKeyService } from '../../../apps/server/src/keys/service.ts';
import { createOrganization } from '../../../apps/server/src/organizations/service.ts';
import { openFsBlobStore } from '../../../apps/server/src/platform/blob/fs.ts';
import { openS3BlobStore } from '../../../apps/server/src/platform/blob/s3.ts';
import type { BlobStore } from '../../../apps/server/src/platform/blob/store.ts';
import { systemClock } from '../../../apps/server/src/platform/clock.ts';
import { type OpenDatabase, openDatabase } from '../../../apps/server/src/platform/db/database.ts';
import { readPassword } from '../../../apps/server/src/platform/db/embedded/cluster.ts';
import {
  DATABASE,
  layoutOf,
  openRunFolder,
  urlOf,
} from '../../../apps/server/src/platform/db/embedded/layout.ts';
import { deriveKey } from '../../../apps/server/src/platform/secret.ts';
import { type ModelServer, startModelServer } from '../../support/agent/model-server.ts';
import { lineScript, REPOSITORY, SITE } from '../../support/agent/script.ts';
import { makeCertificate } from '../../support/certificate.ts';
import type { ForgeDouble } from '../../support/forge/double.ts';
import { startGithubDouble } from '../../support/forge/github.ts';
import { freePort } from '../../support/free-port.ts';
import { type GitServer, startGitServer } from '../../support/git-server.ts';
import { LINKED } from '../../support/processes.ts';
import type { RealStore } from '../../support/s3/real.ts';
import type { History } from './history.ts';

const MAIN = fileURLToPath(new URL('../../../apps/server/src/main.ts', import.meta.url));
const MODEL_KEY = 'sk-campaign-model-key-0123456789';

export interface Supervised {
  role: 'worker' | 'api';
  child: ChildProcess;
  pid: number;
  /** Number of the worker in the leases that it holds; null until it works, and of an API. */
  worker: number | null;
  isKilled: boolean;
  startedAt: number;
}

export interface Ground {
  root: string;
  dataDir: string;
  key: string;
  organizationId: string;
  /** URLs of the APIs. */
  urls: readonly string[];
  /** Domains of exports, by name of the project. */
  domains: Readonly<Record<string, string>>;
  agentProject: string;
  database: OpenDatabase;
  git: GitServer;
  forge: ForgeDouble;
  model: ModelServer;
  blobs: BlobStore;
  /** What the supervisor keeps running. */
  running(): readonly Supervised[];
  startWorkers(count: number): void;
  /** Starts nothing again from now on, and ends everything in order. */
  stop(): Promise<void>;
  /** Removes what is left. */
  close(): Promise<void>;
}

export interface GroundOptions {
  /** Null: files of the data folder. */
  store: RealStore | null;
  history: History;
  /** File that takes the log of every process. */
  log: string;
  /** Milliseconds before each response of the model. */
  modelMs: number;
}

const SITES: Readonly<Record<string, number>> = { small: 4, medium: 16 };

export async function startGround(options: GroundOptions): Promise<Ground> {
  const { history } = options;
  const root = await mkdtemp(join(tmpdir(), 'opk-'));
  const own = await mkdtemp(join(tmpdir(), 'offprint-campaign-'));
  const dataDir = join(root, 'data');
  for (const folder of ['data', 'tmp', ...Object.keys(SITES)]) await mkdir(join(root, folder));
  for (const [name, pages] of Object.entries(SITES)) await writeSite(join(root, name), name, pages);
  const { key: tlsKey, cert, certFile } = makeCertificate(own);
  const tls = { key: tlsKey, cert };
  const account = { username: 'x-access-token', password: '' };
  const git = await startGitServer({ tls, account });
  const entries = Object.entries(SITE).map(([path, content]) => ({ path, content }));
  await git.commit(`${REPOSITORY}.git`, entries);
  await git.commit(`${REPOSITORY}.git`, entries, { ref: 'refs/heads/people', at: 1_600_000_000 });
  const forge = await startGithubDouble({ gitRoot: git.root, repository: REPOSITORY, tls });
  account.password = forge.tokens.write;
  const model = await startModelServer({ script: lineScript, delayMs: options.modelMs, apiKey: MODEL_KEY });
  const secret = randomBytes(32).toString('hex');
  const prefix = `campaign-${randomBytes(6).toString('hex')}/`;
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    TMPDIR: join(root, 'tmp'),
    OFFPRINT_DATA_DIR: dataDir,
    OFFPRINT_SECRET: secret,
    OFFPRINT_ALLOW_FOLDER_SOURCES: 'true',
    OFFPRINT_SHUTDOWN_SECONDS: '1',
    OFFPRINT_DRAIN_SECONDS: '0',
    OFFPRINT_SANDBOX: 'preferred',
    OFFPRINT_EXPORT_NICE: '0',
    OFFPRINT_RATE_LIMIT: '100000',
    OFFPRINT_ANONYMOUS_RATE_LIMIT: '100000',
    OFFPRINT_MAX_ACTIVE_EXPORTS: '100',
    OFFPRINT_MIN_FREE_MB: '0',
    OFFPRINT_CA_FILE: certFile,
    OFFPRINT_ALLOW_PRIVATE_HOSTS: 'localhost,127.0.0.1',
    OFFPRINT_AGENT_PROVIDER: 'openai-compatible',
    OFFPRINT_AGENT_MODEL: 'scripted',
    OFFPRINT_AGENT_BASE_URL: model.url,
    OFFPRINT_AGENT_API_KEY: MODEL_KEY,
    OFFPRINT_AGENT_USES_PER_HOUR: '100000',
    ...(process.env.NODE_COMPILE_CACHE === undefined
      ? {}
      : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    ...(options.store === null ? {} : storeEnvironment(options.store, prefix)),
  };
  const supervisor = supervise(env, history, options.log);
  const ports = [await freePort(), await freePort()];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  for (const port of ports) supervisor.start('api', { OFFPRINT_PORT: String(port) });
  for (const url of urls) await ready(url);
  const layout = layoutOf(dataDir);
  const databaseUrl = urlOf(await openRunFolder(layout.root), await readPassword(layout), DATABASE);
  const database = openDatabase(databaseUrl, { role: 'campaign', max: 4 });
  const tenant = await createTenant(database, secret);
  const { domains, agentProject } = await createProjects({ root, urls, git, forge, key: tenant.key });
  const blobs = await openBlobs(options.store, { prefix, dataDir });
  return {
    ...tenant,
    root,
    dataDir,
    urls,
    domains,
    agentProject,
    database,
    git,
    forge,
    model,
    blobs,
    running: supervisor.running,
    startWorkers: (count) => {
      for (let number = 0; number < count; number += 1) supervisor.start('worker', {});
    },
    stop: supervisor.stop,
    async close() {
      await database.close();
      await git.close();
      for (const folder of [root, own]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      if (options.store !== null) for await (const { key } of blobs.list('')) await blobs.delete(key);
      await model.close();
      await forge.close();
    },
  };
}

const storeEnvironment = (store: RealStore, prefix: string): Record<string, string> => ({
  OFFPRINT_S3_BUCKET: store.bucket,
  OFFPRINT_S3_REGION: store.region,
  OFFPRINT_S3_ENDPOINT: store.endpoint,
  OFFPRINT_S3_ACCESS_KEY_ID: store.credentials.accessKeyId,
  OFFPRINT_S3_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
  OFFPRINT_S3_PREFIX: prefix,
});

/** Starts again whatever ends, as a service manager does. */
function supervise(env: Record<string, string>, history: History, logFile: string) {
  const running = new Set<Supervised>();
  const log = createWriteStream(logFile, { flags: 'a' });
  let isStopping = false;
  const start = (role: Supervised['role'], more: Record<string, string>): void => {
    const child = spawn(process.execPath, [...LINKED, MAIN, role], {
      env: { ...env, ...more },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const pid = child.pid ?? 0;
    const one: Supervised = { role, child, pid, worker: null, isKilled: false, startedAt: Date.now() };
    running.add(one);
    history.add({ kind: 'started', role, pid });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log.write(text);
      const number = /"worker":(\d+)/.exec(text)?.[1];
      if (number !== undefined && one.worker === null) one.worker = Number(number);
    });
    child.once('exit', (code, signal) => {
      running.delete(one);
      history.add({ kind: 'exit', role, pid, code, signal, isKilled: one.isKilled || isStopping });
      if (!isStopping) setTimeout(() => isStopping || start(role, more), one.isKilled ? 0 : 500);
    });
  };
  return {
    start,
    running: () => [...running],
    async stop() {
      isStopping = true;
      const exits = [...running].map(({ child }) => new Promise((resolve) => child.once('exit', resolve)));
      for (const { child } of running) child.kill('SIGTERM');
      await Promise.race([Promise.all(exits), sleep(90_000)]);
      log.end();
    },
  };
}

async function ready(url: string): Promise<void> {
  for (let round = 0; round < 2_400; round += 1) {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    if (response?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`${url} is not ready`);
}

async function createTenant(
  { db }: OpenDatabase,
  secret: string,
): Promise<{ organizationId: string; key: string }> {
  const { id } = await createOrganization(db, { name: 'Campaign', plan: 'enterprise' });
  const keys = createKeyService({
    db,
    pepper: deriveKey(secret, 'api-keys'),
    keysPerHour: 1_000,
    idempotencyHours: 24,
    answerKey: deriveKey(secret, 'answers'),
    log: pino({ level: 'silent' }),
  });
  const wanted = { name: 'campaign', scopes: ['write' as const], expiresInDays: null };
  const { key } = await db.transaction().execute((tx) => keys.issue(tx, id, 'campaign', wanted));
  return { organizationId: id, key };
}

async function createProjects(by: {
  root: string;
  urls: readonly string[];
  git: GitServer;
  forge: ForgeDouble;
  key: string;
}): Promise<{ domains: Record<string, string>; agentProject: string }> {
  const ask = async (method: string, path: string, body: unknown): Promise<{ id: string }> => {
    const response = await fetch(`${by.urls[0]}${path}`, {
      method,
      headers: { authorization: `Bearer ${by.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const domains: Record<string, string> = {};
  for (const name of Object.keys(SITES)) {
    const domain = `${name}.example.com`;
    domains[name] = domain;
    const source = { kind: 'folder', path: join(by.root, name) };
    await ask('POST', '/v1/projects', { name, source, domains: [domain] });
  }
  domains.git = 'git.example.com';
  const token = by.forge.tokens.write;
  const repository = `${by.git.url.replace('127.0.0.1', 'localhost')}/${REPOSITORY}.git`;
  const credential = { kind: 'token', username: 'x-access-token', token };
  const { id } = await ask('POST', '/v1/projects', {
    name: 'git',
    source: { kind: 'git', repository, credential },
    domains: [domains.git],
  });
  await ask('PUT', `/v1/projects/${id}/agent`, {
    forge: { kind: 'github', apiUrl: by.forge.apiUrl, token },
  });
  return { domains, agentProject: id };
}

async function openBlobs(
  store: RealStore | null,
  { prefix, dataDir }: { prefix: string; dataDir: string },
): Promise<BlobStore> {
  if (store === null) {
    return openFsBlobStore({
      folder: join(dataDir, 'blobs'),
      secret: randomBytes(32),
      publicUrl: () => 'http://localhost',
      now: systemClock,
    });
  }
  return openS3BlobStore({
    ...store,
    publicEndpoint: null,
    prefix,
    forcePathStyle: true,
    checksums: 'when-required',
    caFile: null,
    now: systemClock,
  });
}

/** A site whose export takes about a second. */
async function writeSite(folder: string, title: string, pages: number): Promise<void> {
  const names = Array.from({ length: pages }, (_, page) => `guide/page-${page}`);
  const navigation = { groups: [{ group: 'Guide', pages: ['index', ...names] }] };
  const config = { theme: 'mint', name: title, colors: { primary: '#0f766e' }, navigation };
  const text = (name: string): string =>
    [0, 1, 2, 3]
      .map((part) => `## Part ${part}\n\nText of \`${name}\`.\n\n\`\`\`ts\nconst part = ${part};\n\`\`\`\n`)
      .join('\n');
  const files: Record<string, string> = { 'docs.json': JSON.stringify(config), 'index.mdx': '# Home\n' };
  for (const name of names) files[`${name}.mdx`] = `---\ntitle: ${name}\n---\n\n${text(name)}`;
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Number of the PostgreSQL server process; null while none runs. */
export async function readPostmaster(dataDir: string): Promise<number | null> {
  const text = await readFile(join(layoutOf(dataDir).data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  return Number.isInteger(pid) && pid > 1 ? pid : null;
}
