/**
 * Two processes that serve many sites from one volume, and readers that send each request to the other process if the
 * connection of the first one fails, as a load balancer does. Meanwhile all sites switch to new deployments again and
 * again, and the processes are killed with SIGKILL and started again, one at a time, at random moments. No response may
 * have another status than 200, and each must consist of the bytes that its release has at that path.
 *
 * The usual run sends at least 4,000 requests across 8 switches and 4 kills; OFFPRINT_TEST=full sends 100,000 across 50
 * switches and 20 kills.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBundle, noise, type TestBundle } from '../../apps/site/test/support/bundle.ts';
import {
  type HostingDouble,
  hostingToken,
  siteOf,
  startHostingPlatform,
} from '../../apps/site/test/support/hosting-platform.ts';
import { type Answer, ask, sha256Of } from '../../apps/site/test/support/reader.ts';
import { createRandom } from '../support/random.ts';
import { isFull } from '../support/size.ts';

const [REQUESTS, SWITCHES, KILLS] = isFull ? [100_000, 50, 20] : [4_000, 8, 4];
const READERS = 6;
const HOSTS = ['a.example.com', 'b.example.com', 'c.example.com'];
const PAGES = 30;
const PROGRAM = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));
/** A longer wait counts as a hang. */
const PATIENCE_MS = 120_000;
/** Attempts of one request: the process that is being started again refuses connections for a second or two. */
const MAX_TRIES = 4;

interface Server {
  child: ChildProcess;
  port: number;
  management: number;
}

let root: string;
let platform: HostingDouble;
const children: ChildProcess[] = [];
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'offprint-hosting-'));
  platform = await startHostingPlatform();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await platform.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Starts a process on the shared volume. Resolves when it listens. */
async function start(): Promise<Server> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      OFFPRINT_SITE_DIR: join(root, 'volume'),
      OFFPRINT_SITE_PORT: '0',
      OFFPRINT_SITE_MANAGEMENT_PORT: '0',
      OFFPRINT_URL: platform.url,
      OFFPRINT_HOSTING_TOKEN: hostingToken,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let log = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`a process ended before it listened: ${log}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      const line = log.split('\n').find((one) => one.includes('"listening"') && one.endsWith('}'));
      if (line === undefined) return;
      const { port, managementPort }: { port: number; managementPort: number } = JSON.parse(line);
      resolve({ child, port, management: managementPort });
    });
  });
}

/** Waits until a process serves a deployment on every host. */
async function settled(server: () => Server, deploymentId: (host: string) => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let last = ''; ; await sleep(50)) {
    const answer = await ask(server().management, '/sites').catch(() => null);
    last = answer?.content.toString() ?? last;
    const { sites = [] }: { sites?: { host: string; served: { deploymentId: string } | null }[] } =
      answer === null ? {} : JSON.parse(last);
    if (sites.length > 0 && sites.every(({ host, served }) => served?.deploymentId === deploymentId(host)))
      return;
    if (Date.now() > deadline) throw new Error(`not settled: ${last}`);
  }
}

/** Digests of the files of a release, by URL path. */
type Digests = ReadonlyMap<string, string>;

/** A release of a host: pages that name it, others that never change, and a file that is streamed. */
async function makeRelease(host: string, version: number): Promise<{ bundle: TestBundle; digests: Digests }> {
  const files: Record<string, Buffer> = { 'large.bin': noise(150_000, `${host} ${version % 3}`) };
  for (let page = 0; page < PAGES; page++) {
    const text = page % 3 === 0 ? `${host} ${page} ` : `${host} ${version} ${page} `;
    files[`pages/${page}.html`] = Buffer.from(`<!doctype html>${text.repeat(300)}`);
  }
  const bundle = await makeBundle(`${version}`, { files: 0, others: files });
  const digests = new Map(Object.entries(files).map(([path, bytes]) => [`/${path}`, sha256Of(bytes)]));
  return { bundle, digests };
}

test(`${REQUESTS} requests across ${SWITCHES} switches and ${KILLS} kills`, async () => {
  const seed = Number(process.env.OFFPRINT_TEST_SEED ?? Date.now() % 2 ** 31);
  const random = createRandom(seed);
  /** By host and the value of `Offprint-Release`. */
  const known = new Map<string, Digests>();
  const faults: string[] = [];
  const releases = new Set<string>();
  let [requests, retried, refused, kills, switches] = [0, 0, 0, 0, 0];
  let isOver = false;

  const publish = async (version: number): Promise<(host: string) => string> => {
    const idOf = (host: string) => `${host}-${version}`;
    const sites = [];
    for (const host of HOSTS) {
      const { bundle, digests } = await makeRelease(host, version);
      known.set(`${host} ${bundle.sha256.slice(0, 16)}`, digests);
      platform.addDeployment(idOf(host), bundle);
      sites.push(siteOf(host, idOf(host), bundle));
    }
    platform.setSites(sites);
    return idOf;
  };

  let deployed = await publish(0);
  const servers: [Server, Server] = [await start(), await start()];
  await Promise.all(servers.map((server) => settled(() => server, deployed)));

  /** Sends a request, first to one process, then to the other. */
  const send = async (
    first: number,
    path: string,
    headers: Record<string, string>,
    agent: Agent,
  ): Promise<Answer> => {
    for (let tries = 1; ; tries++) {
      const server = servers[(first + tries - 1) % 2 === 0 ? 0 : 1];
      try {
        return await ask(server.port, path, { headers, agent });
      } catch (error) {
        if (tries === MAX_TRIES) throw error;
        retried += 1;
        if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') refused += 1;
        if (tries > 1) await sleep(100);
      }
    }
  };

  const read = async (reader: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    const encodings = ['gzip, br', 'gzip', 'identity'];
    for (let n = reader; !isOver; n++) {
      const host = HOSTS[n % HOSTS.length] ?? '';
      const path = n % 10 === 0 ? '/large.bin' : `/pages/${(n * 7) % PAGES}.html`;
      const headers = { host, 'accept-encoding': encodings[n % 3] ?? '' };
      const answer = await send(n, path, headers, agent).catch((error: Error) => error);
      requests += 1;
      if (answer instanceof Error) {
        faults.push(`${host}${path}: ${answer.message}`);
        continue;
      }
      const release = `${host} ${answer.headers['offprint-release']}`;
      releases.add(release);
      if (answer.status !== 200) faults.push(`${host}${path}: status ${answer.status}`);
      else if (known.get(release)?.get(path) !== sha256Of(answer.content))
        faults.push(`${host}${path}: not the file of the release ${release}`);
    }
    agent.destroy();
  };
  const readers = Array.from({ length: READERS }, (_, reader) => read(reader));

  /** Kills one process at a random moment after the last switch, and starts it again. */
  const kill = async (victim: 0 | 1): Promise<void> => {
    await sleep(random() * 400);
    const { child } = servers[victim];
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    kills += 1;
    servers[victim] = await start();
  };

  try {
    for (let version = 1; version <= SWITCHES; version++) {
      deployed = await publish(version);
      switches += 1;
      const due = Math.floor((version * KILLS) / SWITCHES) - kills;
      // one after the other: the second process serves while the first one starts
      for (let n = 0; n < due; n++) await kill(kills % 2 === 0 ? 0 : 1);
      await Promise.all([settled(() => servers[0], deployed), settled(() => servers[1], deployed)]);
      const wanted = (REQUESTS * version) / SWITCHES;
      while (requests < wanted && faults.length === 0) await sleep(50);
    }
  } finally {
    isOver = true;
    await Promise.all(readers);
  }
  const summary = `${requests} requests, ${retried} sent again (${refused} of them refused), ${switches} switches, ${kills} kills, ${releases.size} releases seen, seed ${seed}`;
  process.stderr.write(`${summary}\n`);
  expect(faults.slice(0, 20), summary).toEqual([]);
  expect(requests).toBeGreaterThanOrEqual(REQUESTS);
  expect([switches, kills]).toEqual([SWITCHES, KILLS]);
  expect(releases.size).toBeGreaterThan(SWITCHES);
});
