/**
 * The site server at a fixed rate: latency, CPU and memory, first while its compressed files are made, then with them.
 *
 *   node bench/site.ts [--rate 2000] [--seconds 60] [--connections 50] [--pages 1000] [--bundle site.tar.gz]
 *                      [--corpus ../shared/bench] [--nginx]
 *
 * Requests are due at a fixed rate regardless of the responses, and a latency counts from when its request was due: a
 * server that stalls is charged for what it kept waiting. Of a hundred requests 80 are of pages, 10 of their style
 * sheets and scripts, 5 of the Markdown of a page by `Accept`, 5 of pages that the reader has. The server has one core
 * where `taskset` and two cores are there, and the client another. `--nginx` serves the same folder beside it by an
 * nginx worker, whose `gzip_static` files are made beforehand.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Manifest, unpackBundle } from '@offprint/bundle';
import { rolldown } from 'rolldown';
import { freePort } from '../test/support/free-port.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '50' },
    pages: { type: 'string', default: '1000' },
    bundle: { type: 'string' },
    corpus: { type: 'string', default: join(root, '..', 'shared', 'bench') },
    nginx: { type: 'boolean', default: false },
    /** A built program to measure instead. */
    program: { type: 'string' },
  },
});
await main();

async function main(): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
  const children: ChildProcess[] = [];
  const rows: string[] = [];
  const load = {
    rate: Number(values.rate),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
  };
  const stop = () => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(work, { recursive: true, force: true });
    process.exit(130);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const bundle = values.bundle === undefined ? makeBundle(work) : resolve(values.bundle);
    const { manifest } = await unpackBundle(bundle, join(work, 'site'), { durable: false });
    const targets = targetsOf(manifest);
    const program = values.program ?? (await build(work));
    const [port, managementPort] = [await freePort(), await freePort()];
    const environment = {
      // as in the image
      MALLOC_ARENA_MAX: '1',
      MALLOC_MMAP_THRESHOLD_: '131072',
      MALLOC_TRIM_THRESHOLD_: '131072',
      OFFPRINT_SITE_BUNDLE: bundle,
      OFFPRINT_SITE_DIR: join(work, 'releases'),
      OFFPRINT_SITE_PORT: String(port),
      OFFPRINT_SITE_MANAGEMENT_PORT: String(managementPort),
    };
    const started = performance.now();
    const server = start(process.execPath, ['--max-semi-space-size=2', program], environment, children);
    const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
    const tell = async (call: string) =>
      (await fetch(`http://127.0.0.1:${managementPort}/${call}`).catch(() => null))?.ok
        ? (await fetch(`http://127.0.0.1:${managementPort}/${call}`)).text()
        : null;
    while ((await tell('readyz')) === null) await delay(50);
    const ready = seconds();
    note(`ready after ${ready} s; load while it compresses`);
    const part = { ...load, seconds: Math.min(20, load.seconds) };
    rows.push(await measure('while it compresses', part, port, server, targets));
    note('waiting for the compressed files');
    while (!(await tell('metrics'))?.includes('compressed_files{state="missing"} 0\n')) await delay(200);
    const compressed = seconds();
    note(`compressed after ${compressed} s; load for ${load.seconds} s`);
    rows.push(await measure('afterwards', load, port, server, targets));
    server.kill();
    await once(server, 'exit');
    if (values.nginx) note(`load on nginx for ${load.seconds} s`);
    if (values.nginx) rows.push(await measureNginx(work, manifest, load, targets, children));
    process.stdout.write(
      [
        `${manifest.files.length} files of ${manifest.files.filter(({ path }) => path.endsWith('.html')).length} pages, ${load.rate} requests/s on ${load.connections} connections, Node ${process.versions.node}, ${cpus().length} cores, load average ${loadavg()
          .map((one) => one.toFixed(1))
          .join(' ')}`,
        `verified, unpacked and served after ${ready} s; compressed files made after ${compressed} s, the first load among them`,
        '',
        '| server | requests/s | p50 ms | p90 ms | p99 ms | max ms | failed | CPU ms a request | CPU % of a core | RSS MB | most RSS MB |',
        '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
        ...rows,
        '',
      ].join('\n'),
    );
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(work, { recursive: true, force: true });
  }
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Pins to a core where that can be done: the server to the first, this process to the others. */
function start(
  command: string,
  args: string[],
  environment: Record<string, string>,
  children: ChildProcess[],
): ChildProcess {
  const canPin = cpus().length > 1 && spawnSync('taskset', ['-p', String(process.pid)]).status === 0;
  if (canPin) spawnSync('taskset', ['-a', '-p', '-c', `1-${cpus().length - 1}`, String(process.pid)]);
  const [program = '', ...rest] = canPin ? ['taskset', '-c', '0', command, ...args] : [command, ...args];
  const env = { ...process.env, ...environment };
  const child = spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'ignore'] });
  children.push(child);
  return child;
}

/** The site server as one file, as its image has it. */
async function build(work: string): Promise<string> {
  const file = join(work, 'dist', 'offprint-site.mjs');
  const program = await rolldown({ input: join(root, 'apps/site/bin/offprint-site.mjs'), platform: 'node' });
  await program.write({ file, format: 'esm', codeSplitting: false });
  cpSync(join(root, 'apps/site/package.json'), join(work, 'package.json'));
  return file;
}

/** A bundle of generated pages: of the corpus where it is there, else of pages without much in them. */
function makeBundle(work: string): string {
  const docs = join(work, 'docs');
  const corpus = resolve(values.corpus);
  const run = (args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  if (existsSync(join(corpus, 'gen.mjs'))) {
    const seeds = ['--seeds', join(corpus, 'seeds.json'), '--pages', values.pages];
    run([join(corpus, 'gen.mjs'), ...seeds, '--out', docs, '--ext', 'mdx']);
    run([join(corpus, 'docs-json.mjs'), docs]);
  } else {
    writeDocs(docs, Number(values.pages));
  }
  const bundle = join(work, 'site.tar.gz');
  run([join(root, 'apps/cli/bin/offprint.mjs'), 'export', docs, '--output', bundle]);
  return bundle;
}

function writeDocs(docs: string, count: number): void {
  let seed = 1;
  const word = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return (seed % 3000).toString(36).padStart(3, 'e');
  };
  const sentence = () => `${Array.from({ length: 12 }, word).join(' ')}.`;
  const section = () =>
    `## ${word()} ${word()}\n\n${sentence()} ${sentence()}\n\n\`\`\`js\nconst ${word()} = '${word()}';\n\`\`\`\n`;
  const pages = Array.from({ length: count }, (_, n) => `part-${n % 20}/page-${n}`);
  for (const page of pages) {
    mkdirSync(dirname(join(docs, page)), { recursive: true });
    const text = Array.from({ length: 12 }, section).join('\n');
    writeFileSync(
      join(docs, `${page}.mdx`),
      `---\ntitle: ${word()}\ndescription: ${sentence()}\n---\n\n${text}`,
    );
  }
  const config = { theme: 'mint', name: 'Bench', colors: { primary: '#2563ea' }, navigation: { pages } };
  writeFileSync(join(docs, 'docs.json'), JSON.stringify(config));
}

interface Target {
  path: string;
  headers: string;
}

/** A thousand requests or so in an order that is always the same. */
function targetsOf(manifest: Manifest): Target[] {
  const pages = manifest.files.filter(({ path }) => path.endsWith('.html') && path !== '404.html');
  const assets = manifest.files.filter(({ path }) => /^_offprint\/(?:site|theme)-[^/]*$/.test(path));
  const address = (path: string) => `/${path.split('/').map(encodeURIComponent).join('/')}`;
  const targets: Target[] = [];
  for (let n = 0; n < 20 * pages.length; n++) {
    const page = pages[(n * 7919) % pages.length];
    const asset = assets[n % assets.length];
    if (page === undefined) continue;
    const path = address(page.path.replace(/\.html$/, '').replace(/(?:^|\/)index$/, ''));
    if (n % 20 < 16) targets.push({ path, headers: 'Accept: text/html,*/*;q=0.8\r\n' });
    else if (n % 20 < 18 && asset !== undefined) targets.push({ path: address(asset.path), headers: '' });
    else if (n % 20 === 18) targets.push({ path, headers: 'Accept: text/markdown, text/html, */*\r\n' });
    else
      targets.push({
        path,
        headers: `If-None-Match: "${page.sha256.slice(0, 32)}-br", "${page.sha256.slice(0, 32)}"\r\n`,
      });
  }
  return targets;
}

interface Load {
  rate: number;
  seconds: number;
  connections: number;
}

async function measure(
  name: string,
  load: Load,
  port: number,
  child: ChildProcess,
  targets: readonly Target[],
): Promise<string> {
  const pid = child.pid ?? 0;
  // what is compiled and read first is not what a server does all day
  await run({ ...load, seconds: 2 }, port, targets);
  const before = cpuSeconds(pid);
  const result = await run(load, port, targets);
  const cpu = cpuSeconds(pid) - before;
  const memory = (field: string) => {
    const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
    return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
  };
  const at = (share: number) =>
    (
      result.latencies[Math.min(result.latencies.length - 1, Math.floor(result.latencies.length * share))] ??
      0
    ).toFixed(1);
  const count = result.latencies.length;
  const cells = [
    name,
    Math.round(count / result.seconds),
    ...[0.5, 0.9, 0.99, 1].map(at),
    result.failed,
    ((cpu * 1000) / count).toFixed(3),
    Math.round((cpu / result.seconds) * 100),
    memory('VmRSS'),
    memory('VmHWM'),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** User and system time of a process and its children; 0 where /proc is missing. */
function cpuSeconds(pid: number): number {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) / 100;
}

/** Sends requests when they are due and gives the latencies in milliseconds, in order. */
async function run(
  { rate, seconds, connections }: Load,
  port: number,
  targets: readonly Target[],
): Promise<{ latencies: Float64Array; failed: number; seconds: number }> {
  const total = Math.round(rate * seconds);
  const latencies = new Float64Array(total);
  let [sent, done, failed] = [0, 0, 0];
  const free: Connection[] = [];
  const begun = performance.now();
  const due = (n: number) => begun + (n * 1000) / rate;
  const { promise: finished, resolve: finish, reject } = Promise.withResolvers<void>();
  const onFault = (fault: string) => {
    if (done < total) reject(new Error(fault));
  };
  const pump = () => {
    const now = performance.now();
    while (sent < total && due(sent) <= now) {
      // in turns: one that lies still is closed by the server
      const connection = free.shift();
      if (connection === undefined) return;
      connection.ask(sent++);
    }
  };
  const opened: Connection[] = [];
  for (let n = 0; n < connections; n++) {
    const onAnswer = (request: number, isGood: boolean) => {
      latencies[done++] = performance.now() - due(request);
      if (!isGood) failed += 1;
      free.push(connection);
      if (done === total) finish();
      else pump();
    };
    const connection = await openConnection(port, targets, onAnswer, onFault);
    opened.push(connection);
    free.push(connection);
  }
  const timer = setInterval(pump, 1);
  try {
    await finished;
  } finally {
    clearInterval(timer);
    for (const { socket } of opened) socket.destroy();
  }
  return { latencies: latencies.sort(), failed, seconds: (performance.now() - begun) / 1000 };
}

interface Connection {
  socket: Socket;
  ask(request: number): void;
}

/** A client of few instructions: it reads the status and length of a response and counts the bytes. */
async function openConnection(
  port: number,
  targets: readonly Target[],
  onAnswer: (request: number, isGood: boolean) => void,
  onFault: (fault: string) => void,
): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let asked = 0;
  let missing = -1;
  let head = '';
  let isGood = true;
  socket.on('data', (piece: Buffer) => {
    if (missing < 0) {
      head += piece.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const fields = head.slice(0, end);
      isGood = /^HTTP\/1\.1 (?:200|304) /.test(fields);
      const length = fields.startsWith('HTTP/1.1 304')
        ? 0
        : Number(/\r\ncontent-length: (\d+)/i.exec(fields)?.[1]);
      missing = length - (head.length - end - 4);
      head = '';
    } else {
      missing -= piece.length;
    }
    if (missing > 0) return;
    if (missing < 0 || Number.isNaN(missing)) return onFault('A response is longer than its Content-Length.');
    missing = -1;
    onAnswer(asked, isGood);
  });
  socket.on('error', () => {});
  socket.on('close', () => onFault('The server closed a connection.'));
  return {
    socket,
    ask(request) {
      asked = request;
      const { path, headers } = targets[request % targets.length] as Target;
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: docs.example.com\r\nAccept-Encoding: gzip, deflate, br\r\n${headers}\r\n`,
      );
    },
  };
}

async function measureNginx(
  work: string,
  manifest: Manifest,
  load: Load,
  targets: readonly Target[],
  children: ChildProcess[],
): Promise<string> {
  for (const { path, contentType } of manifest.files) {
    if (!/^text\/|json|xml/.test(contentType)) continue;
    writeFileSync(join(work, 'site', `${path}.gz`), gzipSync(readFileSync(join(work, 'site', path))));
  }
  const port = await freePort();
  const config = join(work, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${work}/nginx.pid; error_log stderr crit; worker_rlimit_nofile 4096;
     events { worker_connections 512; }
     http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; include /etc/nginx/mime.types;
       server { listen 127.0.0.1:${port}; root ${work}/site; gzip_static on;
         location / { try_files $uri $uri.html $uri/index.html =404; } } }`,
  );
  const server = start('nginx', ['-c', config, '-p', work], {}, children);
  await delay(1000);
  return measure('nginx, gzip_static', load, port, server, targets);
}
