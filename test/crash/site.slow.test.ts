/**
 * Site servers killed with SIGKILL while they download, unpack, switch, sweep and serve: at named points, which are
 * the changes that they make to their volume, and at random moments. After each one the volume must name a whole
 * release, or none; and the next process must serve that one without a network, whole, or say why it is not ready.
 *
 * The usual run kills 8 processes; OFFPRINT_TEST=full kills 150.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeploymentStatus } from '../../apps/site/src/deployment/status.ts';
import { type Pointer, readPointer } from '../../apps/site/src/releases/pointer.ts';
import { openRelease, type Release } from '../../apps/site/src/releases/store.ts';
import { makeBundle, type TestBundle } from '../../apps/site/test/support/bundle.ts';
import { sendLatest } from '../../apps/site/test/support/bundle-server.ts';
import { createRandom } from '../support/random.ts';
import { isFull } from '../support/size.ts';

const KILLS = isFull ? 150 : 8;
const PROGRAM = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));
const KILL_POINT = new URL('../support/kill-point.ts', import.meta.url).href;
/** A longer wait counts as a hang. */
const PATIENCE_MS = 120_000;
/** Pieces in which a bundle is sent, and the pause between two: time to be killed in. */
const PIECES = 12;
const PAUSE_MS = 20;
/** Moments at which a process is killed: phases of its changes, and any moment at all. */
const MOMENTS = ['download', 'any', 'unpack', 'any', 'swap', 'sweep', 'lease', 'swap'] as const;

interface Site {
  child: ChildProcess;
  ended: Promise<unknown>;
  isOver(): boolean;
  log(): string;
  /** Addresses; null when it ended before it listened. */
  listening: Promise<{ site: string; management: string } | null>;
}

describe(`${KILLS} SIGKILLs of site servers`, () => {
  const seed = Number(process.env.OFFPRINT_TEST_SEED ?? Date.now() % 2 ** 31);
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  let root: string;
  let volume: string;
  let host: Server;
  let address: string;
  let bundles: TestBundle[];
  /** The newest export; null while the platform is gone. */
  let newest: TestBundle | null = null;
  /** Changes of an undisturbed process, by phase. */
  const changes: Record<string, number> = {};
  /** How long an undisturbed one takes to serve another release. */
  let calmMs = 0;
  const kills: Record<string, number> = {};
  const faults: string[] = [];
  let served = 0;
  let unready = 0;
  const sites: Site[] = [];

  const start = (env: Record<string, string> = {}): Site => {
    const child = spawn(process.execPath, ['--import', KILL_POINT, PROGRAM], {
      env: {
        PATH: process.env.PATH ?? '',
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        OFFPRINT_SITE_DIR: volume,
        OFFPRINT_SITE_PORT: '0',
        OFFPRINT_SITE_MANAGEMENT_PORT: '0',
        OFFPRINT_SITE_INTERVAL: '1',
        OFFPRINT_URL: address,
        OFFPRINT_API_KEY: 'a-key-of-the-platform',
        OFFPRINT_SITE_DOMAIN: 'docs.example.com',
        KILL_VOLUME: volume,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    const ended = once(child, 'exit');
    const listening = new Promise<{ site: string; management: string } | null>((resolve) => {
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        const line = log.split('\n').find((one) => one.includes('"listening"') && one.endsWith('}'));
        if (line === undefined) return;
        const told = JSON.parse(line) as { address: string; managementPort: number };
        resolve({ site: told.address, management: `http://127.0.0.1:${told.managementPort}` });
      });
      void ended.then(() => resolve(null));
    });
    const isOver = () => child.exitCode !== null || child.signalCode !== null;
    const site = { child, ended, isOver, log: () => log, listening };
    sites.push(site);
    return site;
  };

  const statusOf = async (management: string): Promise<DeploymentStatus> =>
    (await (await fetch(`${management}/release`)).json()) as DeploymentStatus;

  /** Waits for a state of a site; null when it ended first. */
  const wait = async (
    site: Site,
    management: string,
    isWanted: (status: DeploymentStatus) => boolean,
  ): Promise<DeploymentStatus | null> => {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(15)) {
      if (site.isOver()) return null;
      const status = await statusOf(management).catch(() => null);
      if (status !== null && isWanted(status)) return status;
    }
    throw new Error(`nothing happens (seed ${seed}):\n${site.log()}`);
  };

  const checked = new Map<string, Release>();
  /** The release that the volume names, every byte of it read; null when it names none. */
  const readVolume = async (): Promise<{ pointer: Pointer; release: Release } | null> => {
    if (!existsSync(join(volume, 'current'))) return null;
    const pointer = await readPointer(volume);
    if (pointer === null) throw new Error('the pointer is damaged');
    for (const entry of [pointer.previous, pointer.current]) {
      if (entry === null) continue;
      const folder = join(volume, entry.sha256);
      const release = await openRelease(folder, entry.sha256, 'digests', entry.manifestSha256);
      if (release === null) throw new Error(`the pointer names ${entry.version}, which is not whole`);
      checked.set(entry.sha256, release);
    }
    return { pointer, release: checked.get(pointer.current.sha256) as Release };
  };

  /** Throws unless every file of the release is complete, in both content encodings that readers request. */
  const readSite = async (url: string, { manifest, sha256 }: Release): Promise<void> => {
    for (const file of manifest.files) {
      for (const coding of ['identity', 'br']) {
        const answer = await fetch(`${url}${file.path}`, { headers: { 'accept-encoding': coding } });
        const bytes = Buffer.from(await answer.arrayBuffer());
        const isRight =
          answer.status === 200 &&
          answer.headers.get('offprint-release') === sha256.slice(0, 16) &&
          createHash('sha256').update(bytes).digest('hex') === file.sha256;
        if (!isRight)
          throw new Error(`${file.path} (${coding}) is answered by ${answer.status} and other bytes`);
      }
    }
  };

  /** Unexpected files on the volume. */
  const debris = (living: Site | null): string[] =>
    readdirSync(volume).filter((name) => {
      if (
        name === 'current' ||
        (name === 'attempt' && living !== null) ||
        /^[0-9a-f]{64}(\.encoded)?$/.test(name)
      )
        return false;
      return living === null || !name.includes(`-${living.child.pid}-`);
    });

  /** A process that was started after a kill, while the platform is gone. Null when it was killed meanwhile. */
  const checkRestart = async (site: Site): Promise<{ site: string; management: string } | null> => {
    const before = await readVolume();
    const addresses = await site.listening;
    if (addresses === null) return null;
    const status = await wait(site, addresses.management, ({ fault }) => fault !== null);
    if (status === null) return null;
    try {
      const ready = await fetch(`${addresses.management}/readyz`);
      const reason = await ready.text();
      if (before === null) {
        expect([ready.status, status.release]).toEqual([503, null]);
        expect(reason).toContain('source_unreachable');
        unready += 1;
      } else {
        expect([ready.status, status.release?.sha256]).toEqual([200, before.release.sha256]);
        await readSite(addresses.site, before.release);
        served += 1;
      }
      expect(debris(site)).toEqual([]);
    } catch (error) {
      // killed during the request
      if (!site.isOver() && !(error instanceof TypeError)) throw error;
      await Promise.race([site.ended, sleep(1000)]);
      if (!site.isOver()) throw error;
      return null;
    }
    return addresses;
  };

  const kill = async (round: number): Promise<void> => {
    const moment = MOMENTS[round % MOMENTS.length] as string;
    const count = 1 + Math.floor(random() * (changes[moment] ?? 0));
    const when = pick(['before', 'after']);
    newest = null;
    const site = start(
      moment === 'any' ? {} : { KILL_PHASE: moment, KILL_COUNT: String(count), KILL_WHEN: when },
    );
    const addresses = await checkRestart(site);
    if (addresses !== null) {
      const now = (await readPointer(volume))?.current.sha256;
      // one that must be fetched, where there is one
      const others = bundles.filter(({ sha256 }) => sha256 !== now);
      const far = others.filter(({ sha256 }) => !existsSync(join(volume, sha256)));
      newest = pick(far.length > 0 ? far : others);
      site.child.kill('SIGHUP');
      const goal = newest.sha256;
      if (moment === 'any') await Promise.race([site.ended, sleep(random() * calmMs)]);
      else
        await wait(
          site,
          addresses.management,
          ({ release, step }) => release?.sha256 === goal && step === null,
        );
    }
    const isNamed = site.isOver();
    site.child.kill('SIGKILL');
    await site.ended;
    expect(site.child.signalCode, site.log()).toBe('SIGKILL');
    const name = isNamed ? moment : moment === 'any' ? 'any' : 'after';
    kills[name] = (kills[name] ?? 0) + 1;
  };

  /** The platform and the host of its links. */
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (newest === null) {
      request.socket.destroy();
      return;
    }
    const bundle = bundles.find(({ sha256 }) => request.url?.includes(sha256));
    if (bundle === undefined) {
      sendLatest(newest, address, request, response);
      return;
    }
    response.writeHead(200, { 'content-length': bundle.bytes.length, etag: `"${bundle.sha256}"` });
    void (async () => {
      const size = Math.ceil(bundle.bytes.length / PIECES);
      for (let at = 0; at < bundle.bytes.length && !response.destroyed; at += size) {
        response.write(bundle.bytes.subarray(at, at + size));
        await sleep(PAUSE_MS);
      }
      response.end();
    })();
  };

  /** Lets a process work undisturbed, to learn what there is to be disturbed. */
  const learn = async (): Promise<void> => {
    const trace = join(root, 'trace');
    const calm = start({ KILL_TRACE: trace });
    const addresses = await calm.listening;
    if (addresses === null) throw new Error(calm.log());
    for (const bundle of bundles.slice(0, 3)) {
      const begun = performance.now();
      newest = bundle;
      calm.child.kill('SIGHUP');
      const status = await wait(
        calm,
        addresses.management,
        ({ release, step }) => release?.version === bundle.version && step === null,
      );
      if (status === null) throw new Error(calm.log());
      calmMs = Math.max(calmMs, performance.now() - begun);
    }
    calm.child.kill('SIGTERM');
    await calm.ended;
    for (const line of readFileSync(trace, 'utf8').trim().split('\n')) {
      const [phase = ''] = line.split(' ');
      changes[phase] = (changes[phase] ?? 0) + 1;
    }
    // a victim makes one switch, the calm process made three
    for (const phase of Object.keys(changes)) changes[phase] = Math.floor((changes[phase] ?? 0) / 3);
    // how many writes a download takes is the network's choice
    changes.download = Math.ceil((changes.download ?? 0) / 2);
    expect(debris(null), 'of a process that was stopped').toEqual([]);
  };

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'offprint-site-crash-'));
    volume = join(root, 'volume');
    bundles = await Promise.all(
      ['1', '2', '3', '4', '5'].map((version) => makeBundle(version, { noise: 300_000, files: 12 })),
    );
    host = createServer(answer);
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;

    await learn();
    const stock = join(root, 'stock');
    cpSync(volume, stock, { recursive: true });

    for (let round = 0; round < KILLS; round++) {
      try {
        // some begin with nothing, the others with releases
        if (round % 4 === 1) rmSync(volume, { recursive: true });
        else if (!existsSync(join(volume, 'current'))) cpSync(stock, volume, { recursive: true });
        await kill(round);
        await readVolume();
      } catch (error) {
        faults.push(
          `kill ${round} (seed ${seed}): ${(error as Error).message}\n${sites.at(-1)?.log() ?? ''}`,
        );
        break;
      }
    }
  }, 1_800_000);

  afterAll(async () => {
    for (const { child, ended, isOver } of sites) {
      if (isOver()) continue;
      child.kill('SIGKILL');
      await ended;
    }
    host?.closeAllConnections();
    host?.close();
    rmSync(root, { recursive: true, force: true });
  });

  test(`after each one the volume names a whole release or none, and it is served (seed ${seed})`, () => {
    expect(faults).toEqual([]);
    expect(Object.values(kills).reduce((sum, number) => sum + number, 0)).toBe(KILLS);
    process.stdout.write(
      `${KILLS} kills of site servers, by moment: ${JSON.stringify(kills)}; of the restarts ${served} served at once, ${unready} said why not\n`,
    );
  });

  test('the kills hit downloads, unpacking and switches', () => {
    for (const moment of ['download', 'unpack', 'swap']) expect(kills[moment] ?? 0).toBeGreaterThan(0);
    expect(Math.min(served, unready)).toBeGreaterThan(0);
  });

  test('the next process serves the newest export and leaves nothing but two releases', async () => {
    newest = null;
    const site = start();
    const addresses = await checkRestart(site);
    newest = bundles[0] as TestBundle;
    site.child.kill('SIGHUP');
    const { sha256 } = newest;
    const { management = '', site: url = '' } = addresses ?? {};
    await wait(site, management, ({ release, step }) => release?.sha256 === sha256 && step === null);
    const now = await readVolume();
    expect(now?.release.sha256).toBe(sha256);
    await readSite(url, now?.release as Release);
    site.child.kill('SIGTERM');
    await site.ended;
    expect(site.child.exitCode).toBe(0);
    expect(debris(null)).toEqual([]);
    expect(readdirSync(volume).filter((name) => /^[0-9a-f]{64}$/.test(name)).length).toBeLessThanOrEqual(2);
  });
});
