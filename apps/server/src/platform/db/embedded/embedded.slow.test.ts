import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findBinaries, findPrograms } from './binaries.ts';
import { ensureCluster, readPassword } from './cluster.ts';
import { startEmbeddedPostgres } from './embedded.ts';
import { chooseIdentity, giveTree, type Identity, requireAccess } from './identity.ts';
import { layoutOf, openRunFolder } from './layout.ts';
import { ensureDatabase, type ServerPlace, startServer } from './server.ts';
import type { UserSettings } from './user.fixture.ts';

const isRoot = process.getuid?.() === 0;
const CLOSED = 'the checkout is below a folder that only root can enter';

/** Whether a user other than root can read the programs of this checkout. */
function isOpenToOthers(): boolean {
  const file = fileURLToPath(new URL('./user.fixture.ts', import.meta.url));
  const other = ['--reuid=65534', '--regid=65534', '--clear-groups', '--'];
  return spawnSync('setpriv', [...other, 'test', '-r', file]).status === 0;
}

const quiet = { info: () => {}, error: () => {} };
/** 20 rounds are run before a release. */
const ROUNDS = process.env.OFFPRINT_TEST === 'full' ? 20 : 3;
/** Only ends a wait for what never comes. */
const HANG_MS = 120_000;
let dataDir: string;
let users: ChildProcess[];
/** Data folder of a server that was started and stopped, for tests that are not about its making. */
let seed: string;

beforeAll(async () => {
  seed = await mkdtemp(join(tmpdir(), 'offprint-pg-'));
  const server = await startEmbeddedPostgres({ dataDir: seed, log: quiet });
  await server.stop();
});
afterAll(() => rm(seed, { recursive: true, force: true, maxRetries: 20 }));

/** Puts a cluster into the data folder, which saves the making of one. */
async function giveCluster(): Promise<void> {
  const [from, to] = [layoutOf(seed), layoutOf(dataDir)];
  await mkdir(to.root, { recursive: true, mode: 0o700 });
  // A thousand files, which Node copies with ten times the work.
  await promisify(execFile)('cp', ['-Rp', from.cluster, to.cluster]);
}

beforeEach(async () => {
  users = [];
  dataDir = await mkdtemp(join(tmpdir(), 'offprint-pg-'));
});

afterEach(async () => {
  for (const user of users) user.kill('SIGKILL');
  await serverGone();
  const runFolder = await realpath(join(layoutOf(dataDir).root, 'run')).catch(() => null);
  if (runFolder) await rm(runFolder, { recursive: true, force: true });
  // the guard may still write its last words
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
});

interface User {
  process: ChildProcess;
  url: string;
  adopted: boolean;
  acknowledged: number[];
}

async function startUser(mode: 'hold' | 'write' = 'hold', prefix: string[] = []): Promise<User> {
  const program = fileURLToPath(new URL('./user.fixture.ts', import.meta.url));
  const command = [...prefix, process.execPath, program];
  const child = spawn(command[0]!, command.slice(1), { stdio: 'pipe' });
  child.stdin.end(JSON.stringify({ dataDir, mode } satisfies UserSettings));
  users.push(child);
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const acknowledged: number[] = [];
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(errors)));
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('{')) resolve({ process: child, ...JSON.parse(line), acknowledged });
      else acknowledged.push(Number(line));
    });
  });
}

/** Only tests read this file: they must know which process to kill. */
async function serverPid(): Promise<number> {
  const [line] = (await readFile(join(layoutOf(dataDir).data, 'postmaster.pid'), 'utf8')).split('\n');
  return Number(line);
}

const guardPid = async (): Promise<number> =>
  Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(await serverPid())], { encoding: 'utf8' }));

async function isServerThere(): Promise<boolean> {
  const pid = await serverPid().catch(() => null);
  return pid !== null && isAlive(pid);
}

const serverGone = (): Promise<void> => expect.poll(isServerThere, { timeout: HANG_MS }).toBe(false);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** What the guard prepares, for a server started by the test itself. */
async function placeOf(identity: Identity): Promise<ServerPlace> {
  const layout = layoutOf(dataDir);
  const run = await openRunFolder(layout.root);
  const binaries = await findBinaries(await findPrograms(dataDir, quiet), layout.libraries);
  await giveTree(layout.root, identity);
  requireAccess(identity, binaries.postgres, layout.root);
  await ensureCluster(layout, binaries, identity);
  const password = await readPassword(layout);
  return { layout, run, password, binaries, identity, otherGuard: async () => false, log: () => {} };
}

test('writes reach the disk, the password is needed and private, and no port is open', async () => {
  const server = await startEmbeddedPostgres({ dataDir, log: quiet });
  const settings = await query<{ name: string; setting: string }>(
    server.url,
    `SELECT name, setting FROM pg_settings WHERE name IN
      ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'server_encoding', 'lc_collate') ORDER BY name`,
  );
  expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    full_page_writes: 'on',
    listen_addresses: '',
    server_encoding: 'UTF8',
    synchronous_commit: 'on',
  });
  const collation = await query(
    server.url,
    'SELECT datcollate FROM pg_database WHERE datname = current_database()',
  );
  expect(collation).toEqual([{ datcollate: 'C' }]);
  await expect(query(server.url.replace(/:[0-9a-f]{48}@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(
    'password',
  );
  const { password, root } = layoutOf(dataDir);
  expect((await stat(password)).mode & 0o777).toBe(0o600);
  expect((await stat(root)).mode & 0o077).toBe(0);
  await server.stop();
  expect(await isServerThere()).toBe(false);
});

test('a stopped server starts again with its data and the same address', async () => {
  await giveCluster();
  const first = await startEmbeddedPostgres({ dataDir, log: quiet });
  await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
  await first.stop();
  const second = await startEmbeddedPostgres({ dataDir, log: quiet });
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  await second.stop();
});

test('processes share one server; it stops when the last of them is gone', async () => {
  await giveCluster();
  const first = await startUser();
  const second = await startUser();
  expect([first.adopted, second.adopted]).toEqual([false, true]);
  expect(second.url).toBe(first.url);
  first.process.kill('SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  second.process.kill('SIGTERM');
  await serverGone();
});

test('six processes that start at once on an empty folder end up on one server', async () => {
  const started = await Promise.all(Array.from({ length: 6 }, () => startUser()));
  expect(new Set(started.map(({ url }) => url)).size).toBe(1);
  expect(started.filter(({ adopted }) => !adopted)).toHaveLength(1);
  expect(await query(started[5]!.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('SIGKILL of the only process stops the server, cleanly', async () => {
  await giveCluster();
  const user = await startUser('write');
  await expect.poll(() => user.acknowledged.length, { timeout: HANG_MS }).toBeGreaterThan(10);
  user.process.kill('SIGKILL');
  await serverGone();
  // Its last word comes after its lock file has gone.
  const log = (): Promise<string> => readFile(layoutOf(dataDir).serverLog, 'utf8');
  await expect.poll(log, { timeout: HANG_MS }).toMatch(/database system is shut down$/m);
});

test('Ctrl-C in the terminal reaches the platform only', async () => {
  await giveCluster();
  const user = await startUser();
  const [guard, server] = [await guardPid(), await serverPid()];
  const group = (pid: number) =>
    execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  expect(group(guard)).not.toBe(group(user.process.pid!));
  expect(group(server)).not.toBe(group(user.process.pid!));
  process.kill(guard, 'SIGINT');
  process.kill(guard, 'SIGHUP');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await query(user.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('rounds of SIGKILL of everything during writes lose no acknowledged row', async () => {
  await giveCluster();
  let last = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const user = await startUser('write');
    await expect.poll(() => user.acknowledged.length, { timeout: HANG_MS }).toBeGreaterThan(20 + round * 10);
    const [guard, server] = [await guardPid(), await serverPid()];
    for (const pid of [server, guard, user.process.pid!]) process.kill(pid, 'SIGKILL');
    last = user.acknowledged.at(-1)!;
  }
  const user = await startUser();
  const [row] = await query<{ last: string; bad: string }>(
    user.url,
    'SELECT max(n) AS last, count(*) FILTER (WHERE length(body) <> 500) AS bad FROM acknowledged',
  );
  expect(Number(row!.last)).toBeGreaterThanOrEqual(last);
  expect(Number(row!.bad)).toBe(0);
});

test('the guard starts PostgreSQL again when it is killed', async () => {
  await giveCluster();
  const user = await startUser();
  const killed = await serverPid();
  process.kill(killed, 'SIGKILL');
  await expect
    .poll(() => query(user.url, 'SELECT 1 AS one').catch(() => null), { timeout: HANG_MS, interval: 100 })
    .toEqual([{ one: 1 }]);
  expect(await serverPid()).not.toBe(killed);
});

test('a killed guard is replaced by the process that uses it', async () => {
  await giveCluster();
  const user = await startUser();
  const killed = await guardPid();
  process.kill(killed, 'SIGKILL');
  await expect
    .poll(async () => isAlive(killed) || (await query(user.url, 'SELECT 1 AS one').catch(() => null)), {
      timeout: HANG_MS,
      interval: 200,
    })
    .toEqual([{ one: 1 }]);
  user.process.kill('SIGKILL');
  await serverGone();
});

test('a lock file whose process number went to somebody else does not block the start', async () => {
  await giveCluster();
  const first = await startEmbeddedPostgres({ dataDir, log: quiet });
  const lockFile = join(layoutOf(dataDir).data, 'postmaster.pid');
  const lines = (await readFile(lockFile, 'utf8')).split('\n');
  await first.stop();
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
  users.push(stranger);
  await writeFile(lockFile, [String(stranger.pid), ...lines.slice(1)].join('\n'), { mode: 0o600 });
  const second = await startEmbeddedPostgres({ dataDir, log: quiet });
  expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await second.stop();
});

test('a data folder with a name too long for a socket works, also for a second process', async () => {
  dataDir = join(dataDir, 'a'.repeat(60), 'b'.repeat(60));
  await giveCluster();
  const [first, second] = [await startUser(), await startUser()];
  expect(second.url).toBe(first.url);
  expect(await query(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a server that runs without a guard is adopted, and stopped by its new guard', async () => {
  await giveCluster();
  const place = await placeOf(await chooseIdentity((command) => command[0] === 'unshare'));
  const orphan = (await startServer(place))!;
  await ensureDatabase(place);
  const pid = await serverPid();
  const server = await startEmbeddedPostgres({ dataDir, log: quiet });
  expect(await serverPid()).toBe(pid);
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.stop();
  await orphan.ended;
  expect(isAlive(pid)).toBe(false);
});

test('a start that cannot work says why', async () => {
  const { root, cluster } = layoutOf(dataDir);
  await mkdir(join(cluster, 'data'), { recursive: true, mode: 0o700 });
  await chmod(root, 0o700);
  await writeFile(join(cluster, 'password'), 'x', { mode: 0o600 });
  await expect(startEmbeddedPostgres({ dataDir, log: quiet })).rejects.toThrow(
    /PostgreSQL did not start[\s\S]*postgres/,
  );
});

test.runIf(isRoot)('as root it works below a folder that only root can enter', async () => {
  await chmod(dataDir, 0o700);
  const server = await startEmbeddedPostgres({ dataDir, log: quiet });
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.stop();
});

test.runIf(isRoot)('an ordinary user needs nothing of root', async (context) => {
  if (!isOpenToOthers()) context.skip(CLOSED);
  await chown(dataDir, 65_534, 65_534);
  const user = await startUser('hold', ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']);
  expect(await query(user.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect((await stat(layoutOf(dataDir).data)).uid).toBe(65_534);
  user.process.kill('SIGKILL');
  await serverGone();
});

test.runIf(isRoot)(
  'where user namespaces are refused, root runs it as another user, or says what is in the way',
  async () => {
    const identity = await chooseIdentity((command) => command[0] !== 'unshare');
    expect(identity.user!.uid).toBeGreaterThan(0);
    await chmod(dataDir, 0o755);
    const layout = layoutOf(dataDir);
    await mkdir(layout.root, { recursive: true, mode: 0o700 });
    if (!isOpenToOthers()) {
      await expect(placeOf(identity)).rejects.toThrow('Run Offprint as an ordinary user');
      return;
    }
    const place = await placeOf(identity);
    const server = (await startServer(place))!;
    await ensureDatabase(place);
    expect((await stat(layout.data)).uid).toBe(identity.user!.uid);
    await server.stop();

    await chmod(dataDir, 0o700);
    expect(() => requireAccess(identity, place.binaries.postgres, layout.root)).toThrow(
      'Run Offprint as an ordinary user',
    );

    const rootAgain = await startEmbeddedPostgres({ dataDir, log: quiet });
    expect(await query(rootAgain.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await rootAgain.stop();
  },
);
