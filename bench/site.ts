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
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Manifest, unpackBundle } from '@offprint/bundle';
import { freePort } from '../test/support/free-port.ts';
import { createRandom } from '../test/support/random.ts';
import {
  build,
  cpuSeconds,
  imageEnvironment,
  imageFlags,
  type Load,
  memoryOf,
  run,
  start,
  type Target,
} from './load.ts';

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
      ...imageEnvironment,
      OFFPRINT_SITE_BUNDLE: bundle,
      OFFPRINT_SITE_DIR: join(work, 'releases'),
      OFFPRINT_SITE_PORT: String(port),
      OFFPRINT_SITE_MANAGEMENT_PORT: String(managementPort),
    };
    const started = performance.now();
    const server = start(process.execPath, [...imageFlags, program], environment, children);
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
  const random = createRandom(1);
  const word = () =>
    Math.floor(random() * 3000)
      .toString(36)
      .padStart(3, 'e');
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
    memoryOf(pid, 'VmRSS'),
    memoryOf(pid, 'VmHWM'),
  ];
  return `| ${cells.join(' | ')} |`;
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
