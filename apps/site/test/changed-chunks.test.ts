/** A deployment that follows a platform downloads only the chunks that its last bundle lacks. */
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPlatformSource } from '../src/source/platform.ts';
import { makeBundle, noise, type TestBundle } from './support/bundle.ts';
import { type BundleServer, sendBundle, sendLatest, startServer } from './support/bundle-server.ts';
import { createLab, type Lab, type LabDeployment, settled, until } from './support/lab.ts';

const secret = 's3cret-of-the-link';

/** 200 pages of 10 kB, of which each version changes one. */
async function makeVersion(version: number): Promise<TestBundle> {
  const pages = Array.from({ length: 200 }, (_, at) => {
    const isChanged = at === 40 + version;
    return [`guide/page-${at}.html`, noise(10_000, `${at}${isChanged ? version : ''}`)] as const;
  });
  return makeBundle(`${version}`, { files: 0, others: Object.fromEntries(pages) });
}

let bundles: TestBundle[];
let lab: Lab;
let platform: BundleServer;
let links: BundleServer;
let newest: TestBundle;
beforeAll(async () => {
  bundles = await Promise.all([0, 1, 2].map(makeVersion));
});
beforeEach(async () => {
  lab = createLab();
  newest = at(0);
  links = await startServer((request, response) => {
    const bundle = bundles.find(({ sha256 }) => request.url?.includes(sha256));
    if (bundle === undefined) response.writeHead(404).end();
    else if (request.url?.includes('.json')) response.end(JSON.stringify(bundle.index));
    else sendBundle(bundle, request, response);
  });
  platform = await startServer((request, response) => sendLatest(newest, links.url, request, response, true));
});
afterEach(async () => {
  lab.expectNowhere(secret);
  await lab.close();
  await Promise.all([platform.stop(), links.stop()]);
});

const at = (version: number): TestBundle => {
  const bundle = bundles[version];
  if (bundle === undefined) throw new Error(`no version ${version}`);
  return bundle;
};

async function follow(): Promise<LabDeployment> {
  const deployment = lab.start(
    createPlatformSource({
      url: new URL(`${platform.url}/`),
      key: { value: 'opk_key' },
      domain: 'docs.example.com',
      version: null,
      transport: lab.transport,
    }),
  );
  await until(deployment, settled('0'));
  return deployment;
}

/** Publishes a version, waits until it is served and returns the bytes of ranges and of whole bundles that were sent. */
async function publish(
  deployment: LabDeployment,
  version: number,
): Promise<{ ranges: number; wholes: number }> {
  newest = at(version);
  const before = links.seen.length;
  await deployment.update();
  const seen = links.seen.slice(before).filter(({ path }) => path.includes('.tar.gz'));
  const ranges = seen.map(({ headers }) => /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? ''));
  return {
    ranges: ranges.reduce(
      (sum, range) => sum + (range === null ? 0 : Number(range[2]) - Number(range[1]) + 1),
      0,
    ),
    wholes: ranges.filter((range) => range === null).length,
  };
}

const kept = (ending: string): string =>
  join(
    lab.volume,
    readdirSync(lab.volume).find((name) => /^bundle-/.test(name) && name.endsWith(ending)) ?? '',
  );

describe('a bundle of which one page has changed', () => {
  it('is downloaded as its changed chunks, again and again, and is the same bundle', async () => {
    const deployment = await follow();
    for (const version of [1, 2]) {
      const { ranges, wholes } = await publish(deployment, version);
      expect(wholes).toBe(0);
      expect(ranges).toBeGreaterThan(0);
      expect(ranges).toBeLessThan(0.2 * at(version).bytes.length);
      expect(deployment.status().release).toMatchObject({
        sha256: at(version).sha256,
        version: `${version}`,
      });
      expect(readFileSync(kept('.tar.gz')).equals(at(version).bytes)).toBe(true);
    }
    expect(lab.log()).toContain('downloaded what has changed');
    expect(readdirSync(lab.volume).filter((name) => /^bundle-/.test(name))).toHaveLength(2);
  });

  it.each([
    ['damaged', () => writeFileSync(kept('.tar.gz'), noise(at(0).bytes.length, 'other'))],
    ['cut off', () => truncateSync(kept('.tar.gz'), 30_000)],
    ['without a list of its chunks', () => writeFileSync(kept('.json'), '{')],
  ])('is downloaded as a whole if the one that was kept is %s', async (_, damage) => {
    const deployment = await follow();
    damage();
    expect((await publish(deployment, 1)).wholes).toBe(1);
    expect(deployment.status()).toMatchObject({ fault: null, release: { sha256: at(1).sha256 } });
    expect((await publish(deployment, 2)).wholes).toBe(0);
  });

  it.each([
    ['has no ranges', (range: string) => range !== '', 200],
    ['has no index', (_range: string, path: string) => path.includes('.json'), 404],
  ])('is downloaded as a whole from a host that %s', async (_, isRefused, status) => {
    const deployment = await follow();
    links.answer = (request, response) => {
      if (!isRefused(request.headers.range ?? '', request.url ?? '')) return undefined;
      response.writeHead(status).end(status === 200 ? at(1).bytes : '');
      return true;
    };
    expect((await publish(deployment, 1)).wholes).toBe(1);
    expect(deployment.status().release?.sha256).toBe(at(1).sha256);
  });

  it('is downloaded as a whole if a range has other bytes or ends early', async () => {
    const deployment = await follow();
    for (const [version, change] of [
      [1, (part: Buffer) => part.fill(0)],
      [2, (part: Buffer) => part.subarray(0, part.length - 10)],
    ] as const) {
      links.answer = (request, response) => {
        const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
        if (from === undefined) return undefined;
        const part = Buffer.from(at(version).bytes.subarray(Number(from), Number(to) + 1));
        response
          .writeHead(206, { 'content-range': `bytes ${from}-${to}/${at(version).bytes.length}` })
          .end(change(part));
        return true;
      };
      expect((await publish(deployment, version)).wholes).toBe(1);
      expect(deployment.status().release?.sha256).toBe(at(version).sha256);
    }
  });

  it('is deployed although another entry of the volume has the name of the one to keep', async () => {
    const deployment = await follow();
    mkdirSync(join(lab.volume, `bundle-${at(1).sha256}.json`, 'inner'), { recursive: true });
    await publish(deployment, 1);
    expect(deployment.status()).toMatchObject({ fault: null, release: { sha256: at(1).sha256 } });
  });

  it('keeps nothing for a platform that names no index', async () => {
    platform.answer = (request, response) => {
      sendLatest(newest, links.url, request, response);
      return true;
    };
    const deployment = await follow();
    expect((await publish(deployment, 1)).wholes).toBe(1);
    expect(lab.debris()).toEqual([]);
  });
});
