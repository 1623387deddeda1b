/**
 * Runs the platform and the development server of the dashboard behind one port, OFFPRINT_PORT. Changes of the dashboard
 * reload the open page; changes of the platform restart it. Both are child processes, so that each start reads the
 * sources again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded/embedded.ts';
import { startDocs, stopDocs } from './docs-site.mjs';
import { stopWhenOrphaned } from './orphan.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const HOST = '127.0.0.1';
/** The plugins of the dashboard read the contract when they are loaded, so its development server starts again too. */
const CONTRACT = 'packages/contract/src';
const SOURCES = [
  CONTRACT,
  'packages/bundle/src',
  'packages/search/src',
  'packages/client/src',
  'packages/render/src',
  'apps/cli/src',
  'apps/server/src',
  'apps/site/src',
];
/** Ends a child also when this process is killed and cannot stop it. */
const LINKED = ['--import', new URL('./stop-when-orphaned.mjs', import.meta.url).href];
/** An editor that saves several files, or one in several steps, causes one restart. */
const QUIET_MS = 150;

/** A command that runs until `stop`, and starts again at `restart`. */
interface Service {
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const port = await choosePort(Number(process.env.OFFPRINT_PORT ?? 4100));
const platformPort = await choosePort(0);
const url = `http://${HOST}:${port}`;
const dataDir = resolve(process.env.OFFPRINT_DATA_DIR ?? join(root, '.offprint'));

// The database keeps running while the platform starts again.
const database =
  process.env.DATABASE_URL === undefined
    ? await startEmbeddedPostgres({ dataDir, log: { info: () => {}, error: console.error } })
    : null;

let isIntroduced = false;
const platform = startService('platform', ['apps/cli/bin/offprint.mjs', 'up', '--json'], {
  OFFPRINT_PORT: `${platformPort}`,
  OFFPRINT_PUBLIC_URL: process.env.OFFPRINT_PUBLIC_URL ?? url,
  OFFPRINT_DATA_DIR: dataDir,
});
const dashboard = startService(
  'dashboard',
  ['node_modules/vite/bin/vite.js', 'apps/dashboard', '--host', HOST, '--port', `${port}`, '--strictPort'],
  { OFFPRINT_URL: `http://${HOST}:${platformPort}` },
);

let timer: NodeJS.Timeout | undefined;
const changed = new Set<string>();
for (const source of SOURCES) {
  watch(join(root, source), { recursive: true }, (_event, name) => {
    if (name === null || !/\.(?:ts|js|css|sql|json)$/.test(name) || name.includes('.test.')) return;
    changed.add(source);
    clearTimeout(timer);
    timer = setTimeout(restartChanged, QUIET_MS, `${source}/${name}`);
  });
}

stopWhenOrphaned();
startDocs(process.execPath);
let isStoppingAll = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!isStoppingAll) void stopAll();
    isStoppingAll = true;
  });
}

function restartChanged(path: string): void {
  console.error(`Restarting the platform: ${path} changed`);
  void platform.restart();
  startDocs(process.execPath);
  if (changed.has(CONTRACT)) void dashboard.restart();
  changed.clear();
}

async function stopAll(): Promise<void> {
  await Promise.all([platform.stop(), dashboard.stop(), stopDocs()]);
  await database?.stop();
  process.exit(0);
}

function startService(
  name: string,
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Service {
  let isStopping = false;
  /** Whether this process ends the child, which is then no news. */
  let isEnding = false;
  let child = start();
  let restarting = Promise.resolve();

  function start(): ChildProcess {
    // In a group of its own: Ctrl-C in a terminal reaches this process only, which stops each child once.
    const started = spawn(process.execPath, [...LINKED, join(root, program), ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    createInterface(started.stdout).on('line', (line) => report(name, line));
    started.once('exit', (code, signal) => {
      if (!isEnding)
        console.error(`The ${name} exited with ${signal ?? code}. It starts again after the next change.`);
    });
    return started;
  }

  async function end(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    isEnding = true;
    child.kill('SIGTERM');
    await exited;
    isEnding = false;
  }

  return {
    restart() {
      restarting = restarting.then(async () => {
        if (isStopping) return;
        await end();
        if (!isStopping) child = start();
      });
      return restarting;
    },
    async stop() {
      isStopping = true;
      await restarting;
      await end();
    },
  };
}

/** The platform prints one line of JSON when it is ready, with a password at the first start of its data folder. */
function report(name: string, line: string): void {
  if (name !== 'platform' || !line.startsWith('{')) {
    if (line.trim() !== '') console.error(line);
    return;
  }
  const ready: { adminKey?: string; operatorEmail?: string | null; operatorPassword?: string } =
    JSON.parse(line);
  if (isIntroduced) {
    console.log(`Ready: ${url}/`);
    return;
  }
  isIntroduced = true;
  console.log(`\n  Dashboard  ${url}/`);
  if (ready.operatorEmail) console.log(`  Email      ${ready.operatorEmail}`);
  if (ready.operatorPassword !== undefined) console.log(`  Password   ${ready.operatorPassword}`);
  if (ready.adminKey !== undefined) console.log(`  Admin key  ${ready.adminKey}`);
  console.log('\nThe dashboard and the platform reload on changes. Ctrl-C stops them.');
}

/** The port if nothing listens on it, a free one for 0. Ends the process with a message when the port is in use. */
async function choosePort(wanted: number): Promise<number> {
  const server = createServer();
  const problem = await new Promise<NodeJS.ErrnoException | null>((done) => {
    server.once('error', done);
    server.listen(wanted, HOST, () => done(null));
  });
  if (problem !== null) {
    console.error(
      `offprint: port ${wanted} is not available (${problem.code}). Set OFFPRINT_PORT to another one.`,
    );
    process.exit(1);
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : wanted;
}
