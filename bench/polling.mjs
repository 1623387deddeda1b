/**
 * Status polling while the cores are taken: how long `GET /v1/static-export/jobs/{jobId}` takes at a fixed rate while
 * exports run one after the other, and how long those exports take against nobody polling.
 *
 *   node bench/polling.mjs [--rate 500] [--seconds 60] [--connections 50] [--exports 2] [--copies 25] [--queued 0] [--nice 10]
 *
 * With `--queued`, that many exports wait in the queue while others run, and one of them is polled. The memory of the API
 * process is read every ten seconds. `--nice` is `OFFPRINT_EXPORT_NICE` of the worker.
 *
 * The platform runs as users run it: one process with the role api, one with the role worker, an embedded PostgreSQL,
 * an empty data folder. The exported docs are this repository's own, `copies` times. The load comes from autocannon
 * in a process of its own, whose latencies are corrected for coordinated omission: a request that could not be sent
 * in time counts from when it should have been.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '50' },
    exports: { type: 'string', default: '2' },
    copies: { type: 'string', default: '25' },
    queued: { type: 'string', default: '0' },
    nice: { type: 'string', default: '10' },
    /** Folder for a CPU profile of the API process. */
    profile: { type: 'string' },
  },
});
const parallel = Number(values.exports);
const secret = randomBytes(32).toString('hex');
const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
const dataDir = join(work, 'data');
const logFile = join(work, 'log');
const port = await freePort();
const metricsPort = await freePort();
const url = `http://127.0.0.1:${port}`;
const children = [];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address();
  server.close();
  await once(server, 'close');
  return free;
}

/** The docs of this repository again and again, each copy in a folder and a group of its own. */
function writeDocs(folder, copies) {
  const source = join(root, 'docs');
  const groups = [];
  for (let copy = 0; copy < copies; copy++) {
    const at = `part-${String(copy).padStart(3, '0')}`;
    for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.mdx')) continue;
      const file = join(entry.parentPath, entry.name);
      const target = join(folder, at, file.slice(source.length + 1));
      mkdirSync(dirname(target), { recursive: true });
      cpSync(file, target);
      const page = target.slice(folder.length + 1, -'.mdx'.length);
      if (!page.endsWith('/index')) groups.push({ group: at, page });
    }
  }
  const navigation = Map.groupBy(groups, ({ group }) => group);
  const pages = [...navigation].map(([group, list]) => ({ group, pages: list.map(({ page }) => page) }));
  const config = {
    theme: 'mint',
    name: 'Bench',
    colors: { primary: '#0f766e' },
    navigation: { groups: pages },
  };
  writeFileSync(join(folder, 'docs.json'), JSON.stringify(config));
  return groups.length;
}

function start(role, flags = [], env = {}) {
  const child = spawn(process.execPath, [...flags, join(root, 'apps/server/src/main.ts'), role], {
    env: {
      PATH: process.env.PATH ?? '',
      OFFPRINT_DATA_DIR: dataDir,
      OFFPRINT_PORT: String(port),
      OFFPRINT_SECRET: secret,
      OFFPRINT_ALLOW_FOLDER_SOURCES: 'true',
      OFFPRINT_EXPORT_CONCURRENCY: String(parallel),
      // One key stands for the clients of many: the limit is 600 a minute for each.
      OFFPRINT_RATE_LIMIT: '1000000',
      OFFPRINT_MAX_ACTIVE_EXPORTS: '100000',
      ...env,
    },
    // A file, as under a service manager: a slow reader of a pipe blocks its writer.
    stdio: ['ignore', 'ignore', openSync(logFile, 'a')],
  });
  children.push(child);
  return child;
}

/** An organization and a key, made where the platform keeps them. */
async function createTenant() {
  const server = (path) => import(join(root, 'apps/server/src', path));
  const { startEmbeddedPostgres } = await server('platform/db/embedded/embedded.ts');
  const { openDatabase } = await server('platform/db/database.ts');
  const { createKeyService } = await server('keys/service.ts');
  const { createOrganization } = await server('organizations/service.ts');
  const { deriveKey } = await server('platform/secret.ts');
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const { db, close } = openDatabase(postgres.url, { role: 'bench', max: 1 });
  const { id } = await createOrganization(db, { name: 'bench', plan: 'enterprise' });
  const keys = createKeyService({ db, log, pepper: deriveKey(secret, 'api-keys'), keysPerHour: 10 });
  const { key } = await db
    .transaction()
    .execute((tx) => keys.issue(tx, id, 'bench', { name: 'bench', scopes: ['write'] }));
  await close();
  return { key, leave: postgres.stop };
}

async function call(key, method, path, body) {
  const answer = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`);
  return json;
}

const startExport = (key) => call(key, 'POST', '/v1/static-export/jobs', { domain: 'bench.example.com' });

/** Seconds from start to end of each export that ended well while `isOver` was false. */
async function runExports(key, onStart, isOver) {
  const seconds = [];
  while (!isOver()) {
    const began = performance.now();
    let job = await startExport(key);
    onStart(job.jobId);
    while (job.status === 'queued' || job.status === 'running') {
      job = await call(key, 'GET', `/v1/static-export/jobs/${job.jobId}?wait=30`);
    }
    if (job.status !== 'completed') throw new Error(`the export failed: ${job.error}`);
    seconds.push((performance.now() - began) / 1000);
  }
  return seconds;
}

/** What autocannon says of one export's status. */
async function poll(key, jobId, seconds) {
  const bin = join(root, 'node_modules/autocannon/autocannon.js');
  const target = `${url}/v1/static-export/jobs/${jobId}`;
  const rate = [
    '--connections',
    values.connections,
    '--overallRate',
    values.rate,
    '--duration',
    String(seconds),
  ];
  const args = [...rate, '--json', '--headers', `Authorization=Bearer ${key}`, target];
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  await once(child, 'close');
  return JSON.parse(text);
}

/** Starts exports that wait for a worker. */
async function fillQueue(key, count) {
  const jobIds = [];
  let left = count;
  const fill = async () => {
    while (left-- > 0) jobIds.push((await startExport(key)).jobId);
  };
  await Promise.all(Array.from({ length: 20 }, fill));
  return jobIds;
}

/** How many of the first exports of a queue have ended well. */
async function countEnded(key, queued) {
  for (const [at, jobId] of queued.entries()) {
    const { status } = await call(key, 'GET', `/v1/static-export/jobs/${jobId}`);
    if (status === 'queued' || status === 'running') return at;
    if (status !== 'completed') throw new Error(`the export ${jobId} is ${status}`);
  }
  return queued.length;
}

/** Megabytes of the API process every ten seconds until `isOver`. */
async function watchMemory(isOver) {
  const found = [];
  while (!isOver()) {
    found.push((await apiMetrics()).residentMb);
    for (let waited = 0; waited < 10_000 && !isOver(); waited += 500) await delay(500);
  }
  return found;
}

const mean = (list) => list.reduce((sum, item) => sum + item, 0) / list.length;
const memoryText = (megabytes) => {
  const part = Math.ceil(megabytes.length / 4);
  const [first, last] = [megabytes.slice(0, part), megabytes.slice(-part)].map(mean);
  return `${first.toFixed(0)} MB in the first quarter, ${last.toFixed(0)} MB in the last, at most ${Math.max(...megabytes).toFixed(0)} MB`;
};
const medianOf = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/** CPU seconds that the API process has used, by its own account, and its event-loop delay at the 99th percentile. */
async function apiMetrics() {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const read = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    cpu: read('process_cpu_seconds_total'),
    lagMs: read('nodejs_eventloop_lag_p99_seconds') * 1000,
    residentMb: read('process_resident_memory_bytes') / 1e6,
  };
}

function row(name, result, exports) {
  const { latency, requests, errors, timeouts, non2xx } = result;
  const cells = [
    name,
    requests.average.toFixed(0),
    latency.p50,
    latency.p90,
    latency.p99,
    latency.max,
    errors + timeouts + non2xx,
    exports.length === 0 ? '-' : `${exports.length}, ${medianOf(exports).toFixed(1)} s each`,
  ];
  return `| ${cells.join(' | ')} |`;
}

try {
  const loadBefore = loadavg()[0].toFixed(1);
  const pages = writeDocs(join(work, 'docs'), Number(values.copies));
  const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
  const api = start('api', profile, { OFFPRINT_METRICS_PORT: String(metricsPort) });
  while ((await fetch(`${url}/readyz`).catch(() => null))?.status !== 200) {
    if (api.exitCode !== null) throw new Error(readFileSync(logFile, 'utf8').slice(-20_000));
    await delay(100);
  }
  start('worker', [], { OFFPRINT_EXPORT_NICE: values.nice });
  const { key, leave } = await createTenant();
  const source = { kind: 'folder', path: join(work, 'docs') };
  await call(key, 'POST', '/v1/projects', { name: 'Bench', domains: ['bench.example.com'], source });

  let latest = '';
  const keep = (jobId) => {
    latest = jobId;
  };
  // The first export of a worker compiles what the next ones find compiled.
  await runExports(key, keep, () => latest !== '');
  const until = performance.now() + 15_000;
  const both = (isOver) =>
    Promise.all(Array.from({ length: parallel }, () => runExports(key, keep, isOver))).then((lists) =>
      lists.flat(),
    );
  const alone = await both(() => performance.now() > until);
  const idle = await poll(key, latest, 10);

  const queued = await fillQueue(key, Number(values.queued));
  let over = false;
  // With a queue, the worker is busy with it.
  const running = queued.length > 0 ? Promise.resolve([]) : both(() => over);
  await delay(500);
  const before = await apiMetrics();
  const memory = watchMemory(() => over);
  const busy = await poll(key, queued.at(-1) ?? latest, Number(values.seconds));
  const after = await apiMetrics();
  over = true;
  const polled = await running;
  const megabytes = await memory;
  const ended = queued.length === 0 ? 0 : await countEnded(key, queued);
  await leave();

  const { statusCodeStats } = busy;
  process.stdout.write(
    [
      `${cpus().length} cores (${cpus()[0]?.model}), Node ${process.versions.node}, load before ${loadBefore}, ${pages} pages an export, ${parallel} exports at a time, ${values.connections} connections`,
      '',
      '| | requests/s | p50 ms | p90 ms | p99 ms | max ms | errors | exports finished |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
      `| exports, nobody polls | - | - | - | - | - | - | ${alone.length}, ${medianOf(alone).toFixed(1)} s each |`,
      row('polling, no export', idle, []),
      row('polling and exports', busy, polled),
      '',
      `API process: ${(((after.cpu - before.cpu) / busy.requests.total) * 1000).toFixed(2)} ms CPU a request, event-loop delay p99 ${after.lagMs.toFixed(0)} ms. ${queued.length > 0 ? `${queued.length} exports were queued, ${ended} of them ended.` : `Mean export ${mean(polled).toFixed(1)} s.`} Memory of the API process: ${memoryText(megabytes)}. Responses ${JSON.stringify(statusCodeStats)}`,
      '',
    ].join('\n'),
  );
} finally {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map((child) => (child.exitCode === null ? once(child, 'exit') : null)));
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
