/**
 * Many sites in one process: memory and latency at a fixed rate, with requests for pages of all sites in random order, so
 * that hardly any is in a cache, and for the pages of a few sites, as most traffic is.
 *
 *   node bench/hosting.ts [--sites 200] [--pages 1000] [--rate 1000] [--seconds 60] [--connections 50]
 *
 * The double of a platform in this process offers one bundle for each site; a tenth of the files of a bundle are those of
 * all sites. Latencies count from when a request was due. The server has one core where `taskset` and two cores are
 * available, and the client another.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createPacker, directoryChunks, joinBundle } from '@offprint/bundle';
import { freePort } from '../test/support/free-port.ts';
import { createRandom } from '../test/support/random.ts';
import {
  build,
  cpuSeconds,
  imageEnvironment,
  imageFlags,
  memoryOf,
  run,
  start,
  type Target,
} from './load.ts';

const { values } = parseArgs({
  options: {
    sites: { type: 'string', default: '200' },
    pages: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '50' },
  },
});
const [sites, pages] = [Number(values.sites), Number(values.pages)];
const load = {
  rate: Number(values.rate),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
};
const token = 'token-of-the-benchmark';
await main();

async function main(): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
  const children: ChildProcess[] = [];
  const stop = () => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(work, { recursive: true, force: true });
  };
  process.once('SIGINT', () => process.exit(130)).once('exit', stop);
  const platform = await startPlatform(work);
  const program = await build(work);
  const [port, managementPort] = [await freePort(), await freePort()];
  const environment = {
    ...imageEnvironment,
    OFFPRINT_URL: platform.url,
    OFFPRINT_HOSTING_TOKEN: token,
    OFFPRINT_SITE_DIR: join(work, 'volume'),
    OFFPRINT_SITE_PORT: String(port),
    OFFPRINT_SITE_MANAGEMENT_PORT: String(managementPort),
  };
  const launch = async (): Promise<{ child: ChildProcess; ready: number }> => {
    const started = performance.now();
    const child = start(process.execPath, [...imageFlags, program], environment, children);
    const isReady = async () =>
      (await fetch(`http://127.0.0.1:${managementPort}/readyz`).catch(() => null))?.ok === true;
    while (!(await isReady())) {
      if (child.exitCode !== null) throw new Error(`The server ended with exit code ${child.exitCode}.`);
      await delay(200);
    }
    return { child, ready: (performance.now() - started) / 1000 };
  };
  note('installing');
  const first = await launch();
  note(`installed ${sites} sites after ${first.ready.toFixed(0)} s`);
  const peak = memoryOf(first.child.pid ?? 0, 'VmHWM');
  first.child.kill();
  await once(first.child, 'exit');
  const second = await launch();
  const idle = memoryOf(second.child.pid ?? 0, 'VmRSS');
  note(`ready after a restart in ${second.ready.toFixed(1)} s, ${idle} MB`);
  const rows = [
    await measure('all pages of all sites', port, second.child, targetsOf(sites, pages)),
    await measure('100 pages of 20 sites', port, second.child, targetsOf(20, 100)),
  ];
  process.stdout.write(
    [
      `${sites} sites of ${pages} pages, ${load.rate} requests/s on ${load.connections} connections for ${load.seconds} s, Node ${process.versions.node}, ${cpus().length} cores, load average ${loadavg()
        .map((one) => one.toFixed(1))
        .join(' ')}`,
      `installed after ${first.ready.toFixed(0)} s with at most ${peak} MB; ready after a restart in ${second.ready.toFixed(1)} s with ${idle} MB; compressed copies are made during the load`,
      '',
      '| requests for | requests/s | p50 ms | p90 ms | p99 ms | max ms | failed | CPU ms a request | RSS MB | most RSS MB |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
      ...rows,
      '',
    ].join('\n'),
  );
  process.exit(0);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function measure(name: string, port: number, child: ChildProcess, targets: Target[]): Promise<string> {
  const pid = child.pid ?? 0;
  note(`load: ${name}`);
  // what is compiled and read first is not what a server does all day
  await run({ ...load, seconds: 2 }, port, targets);
  const before = cpuSeconds(pid);
  const { latencies, failed, seconds } = await run(load, port, targets);
  const cpu = cpuSeconds(pid) - before;
  const count = latencies.length;
  const at = (share: number) => (latencies[Math.min(count - 1, Math.floor(count * share))] ?? 0).toFixed(1);
  const figures = [Math.round(count / seconds), ...[0.5, 0.9, 0.99, 1].map(at), failed];
  const memory = [memoryOf(pid, 'VmRSS'), memoryOf(pid, 'VmHWM')];
  return `| ${[name, ...figures, ((cpu * 1000) / count).toFixed(3), ...memory].join(' | ')} |`;
}

/** Requests in an order that is always the same. */
function targetsOf(someSites: number, somePages: number): Target[] {
  const random = createRandom(1);
  const below = (limit: number) => Math.floor(random() * limit);
  return Array.from({ length: load.rate * load.seconds }, () => ({
    host: hostOf(below(Math.min(someSites, sites))),
    path: pathOf(below(Math.min(somePages, pages))),
    headers: 'Accept: text/html,*/*;q=0.8\r\n',
  }));
}

function hostOf(site: number): string {
  return `site-${site}.example.com`;
}

function pathOf(page: number): string {
  return `/part-${page % 20}/page-${page}`;
}

/** A platform whose list never changes. */
async function startPlatform(work: string): Promise<{ url: string }> {
  const list: { host: string; sha256: string; bytes: number }[] = [];
  for (let site = 0; site < sites; site++) {
    const { sha256 } = await makeBundle(work, site);
    list.push({ host: hostOf(site), sha256, bytes: statSync(join(work, `${sha256}.tar.gz`)).size });
    if ((site + 1) % 20 === 0) note(`packed ${site + 1} bundles`);
  }
  const entries = list.map(({ host, sha256, bytes }) => ({
    host,
    projectId: host,
    deploymentId: sha256,
    kind: 'production',
    redirectTo: null,
    basePath: '',
    sha256,
    sizeBytes: bytes,
    noindex: false,
    access: { kind: 'public' },
  }));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [digest = ''] = /[0-9a-f]{64}/.exec(url.pathname) ?? [];
    if (url.pathname.endsWith('.tar.gz')) {
      createReadStream(join(work, `${digest}.tar.gz`)).pipe(response);
    } else if (digest !== '') {
      const { bytes = 0 } = list.find(({ sha256 }) => sha256 === digest) ?? {};
      const bundleUrl = `http://${request.headers.host}/${digest}.tar.gz`;
      response.end(JSON.stringify({ bundleUrl, sha256: digest, sizeBytes: bytes }));
    } else if (url.searchParams.has('after')) {
      setTimeout(() => response.writeHead(304).end(), 15_000);
    } else {
      response.end(JSON.stringify({ cursor: '1', sites: entries }));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
}

async function makeBundle(work: string, site: number): Promise<{ sha256: string }> {
  const chunks = join(work, 'chunks');
  const store = directoryChunks(chunks);
  const packer = createPacker({ store, level: 1 });
  const random = createRandom(site + 1);
  const word = () =>
    Math.floor(random() * 3000)
      .toString(36)
      .padStart(3, 'e');
  for (let page = 0; page < pages; page++) {
    const words =
      page % 10 === 0 ? `shared page ${page} `.repeat(200) : Array.from({ length: 700 }, word).join(' ');
    packer.add(`part-${page % 20}/page-${page}.html`, `<!doctype html><title>${page}</title><p>${words}`);
  }
  const index = await packer.finish({
    site: { domain: hostOf(site), name: 'Bench', url: `https://${hostOf(site)}` },
    version: '1',
    commit: null,
    renderer: { name: 'offprint', version: '0.1.0' },
    redirects: [],
    features: {},
  });
  const { sha256 } = index.bundle;
  const file = createWriteStream(join(work, `${sha256}.tar.gz`));
  await pipeline(Readable.from(joinBundle(index, store.get)), file);
  rmSync(chunks, { recursive: true });
  return { sha256 };
}
