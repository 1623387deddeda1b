/** A deployment that follows a platform: what it asks, what it follows, what a rollback means. */

import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeploymentOptions } from '../src/deployment/deployment.ts';
import { createPlatformSource, type PlatformOptions } from '../src/source/platform.ts';
import { makeBundle, type TestBundle } from './support/bundle.ts';
import {
  type BundleServer,
  sendBundle,
  sendError,
  sendLatest,
  startServer,
} from './support/bundle-server.ts';
import { createLab, errorOf, failed, type Lab, type LabDeployment, serves, until } from './support/lab.ts';

const key = 'opk_key-that-nobody-may-see';

let bundles: TestBundle[];
let lab: Lab;
let platform: BundleServer;
let links: BundleServer;
/** The newest export. */
let newest: TestBundle;
beforeAll(async () => {
  bundles = await Promise.all(['0', '1', '2', '3'].map((version) => makeBundle(version)));
});
beforeEach(async () => {
  lab = createLab();
  newest = bundles[1]!;
  links = await startServer((request, response) => {
    const bundle = bundles.find(({ sha256 }) => request.url?.includes(sha256));
    if (bundle === undefined) response.writeHead(404).end();
    else sendBundle(bundle, request, response);
  });
  platform = await startServer((request, response) => sendLatest(newest, links.url, request, response));
});
afterEach(async () => {
  lab.expectNowhere(key, 's3cret-of-the-link');
  await lab.close();
  await Promise.all([platform.stop(), links.stop()]);
});

const start = (
  source: Partial<PlatformOptions> = {},
  options: Partial<DeploymentOptions> = {},
): LabDeployment =>
  lab.start(
    createPlatformSource({
      url: new URL(`${platform.url}/`),
      key: { value: key },
      domain: 'docs.example.com',
      version: null,
      transport: lab.transport,
      ...source,
    }),
    { domain: 'docs.example.com', ...options },
  );
/** Waits for `times` more requests to the platform. */
async function askedAgain(times: number): Promise<void> {
  const before = platform.seen.length;
  while (platform.seen.length < before + times) await sleep(5);
}

describe('asking', () => {
  it('sends the key to the platform only, and names the domain and the bundle at hand', async () => {
    const deployment = start({}, { intervalMs: 20 });
    await until(deployment, serves('1'));
    await askedAgain(2);
    const [first, second] = platform.seen;
    expect(first?.path).toBe('/v1/static-export/bundle?domain=docs.example.com');
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${key}` });
    expect(first?.headers['if-none-match']).toBeUndefined();
    expect(second?.headers['if-none-match']).toBe(`"${newest.sha256}"`);
    expect(links.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(deployment.status()).toMatchObject({ source: 'platform', fault: null });
  });

  it('names the version that is pinned', async () => {
    await until(start({ version: 'a b' }, { version: '1' }), serves('1'));
    expect(platform.seen[0]?.path).toBe('/v1/static-export/bundle?domain=docs.example.com&version=a+b');
  });

  it('sends the key to no other host that the platform redirects to', async () => {
    const other = await startServer((request, response) => sendLatest(newest, links.url, request, response));
    platform.answer = (request, response) => {
      response.writeHead(307, { location: `${other.url}${request.url}` }).end();
      return true;
    };
    await until(start(), serves('1'));
    expect(other.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    await other.stop();
  });

  it('reads a key that was exchanged in its file', async () => {
    const file = join(lab.root, 'key');
    writeFileSync(file, 'old\n');
    platform.answer = (request, response) =>
      request.headers.authorization !== `Bearer ${key}` && sendError(response, 401, 'unauthorized', 'No.');
    const deployment = start({ key: { file } }, { intervalMs: 20 });
    expect((await until(deployment, failed)).fault?.code).toBe('key_refused');
    writeFileSync(file, `${key}\n`);
    await until(deployment, serves('1'));
  });

  it.each([
    [401, 'unauthorized', 'key_refused', 'unknown, expired or revoked'],
    [403, 'scope_missing', 'not_allowed', 'does not allow this key'],
    [403, 'plan_required', 'not_allowed', 'does not allow this key'],
    [404, 'not_found', 'no_export', 'has no export of docs.example.com to serve'],
    [404, 'page', 'source_failed', 'Check OFFPRINT_URL'],
    [500, 'internal', 'source_unreachable', 'status 500'],
  ])(
    '%i %s is reported as %s, with the message of the platform, and retried',
    async (status, code, told, words) => {
      platform.answer = (_request, response) =>
        sendError(response, status, code, `Why it is so. ${key}\n\u001b[31m`);
      const deployment = start({}, { intervalMs: 20 });
      const { fault, release } = await until(deployment, failed);
      expect(fault).toMatchObject({ code: told, message: expect.stringContaining(words) });
      expect(fault?.message).toMatch(/The server says: Why it is so\. \*\*\* \[31m$/);
      expect(release).toBeNull();
      platform.answer = null;
      await until(deployment, serves('1'));
    },
  );

  it('a version without an export is named in the error', async () => {
    platform.answer = (_request, response) => sendError(response, 404, 'not_found', 'No such label.');
    const { message } = await errorOf(start({ version: '7' }, { version: '7' }).update());
    expect(message).toContain('has no export of docs.example.com with the version "7"');
  });

  it.each([
    ['nothing', ''],
    ['a page', '<html>'],
    ['a list', '[]'],
    ['a link that is none', '{"bundleUrl":"file:///etc/passwd","sha256":"","sizeBytes":1}'],
    ['no end', ' '.repeat(100_000)],
  ])('%s is not a response of a platform', async (_name, body) => {
    platform.answer = (_request, response) => {
      response.end(body);
      return true;
    };
    expect((await until(start(), failed)).fault).toMatchObject({
      code: 'source_failed',
      message: expect.stringContaining('Check OFFPRINT_URL'),
    });
  });

  it('obeys Retry-After', async () => {
    let asked = 0;
    platform.answer = (_request, response) =>
      asked++ === 0 && sendError(response, 429, 'rate_limited', 'Slow.', { 'retry-after': '1' });
    await until(start({}, { intervalMs: 10 }), serves('1'));
    const [first, second] = platform.seen;
    expect(Number(second?.at) - Number(first?.at)).toBeGreaterThanOrEqual(850);
  });

  it('asks for a fresh link when the one at hand expires in the middle of a download', async () => {
    const large = await makeBundle('large', { noise: 400_000 });
    newest = large;
    let requests = 0;
    links.answer = (request: IncomingMessage, response: ServerResponse) => {
      requests += 1;
      if (requests === 2) response.writeHead(403).end();
      else sendBundle(large, request, response, requests === 1 ? { cutAt: 200_000 } : {});
      return true;
    };
    await until(start(), serves('large'));
    expect(platform.seen.length).toBe(2);
    expect(links.seen.map(({ headers }) => headers.range !== undefined)).toEqual([false, true, true]);
  });

  it('a bundle that is not the one that the platform named is refused', async () => {
    links.answer = (request, response) => {
      sendBundle(bundles[2]!, request, response);
      return true;
    };
    expect((await until(start(), failed)).fault?.code).toBe('sha256_mismatch');
    expect(lab.releases()).toEqual([]);
  });
});

describe('following', () => {
  it('serves each new export; the one before stays for a rollback, older ones go', async () => {
    const deployment = start({}, { intervalMs: 20 });
    for (const bundle of [bundles[1]!, bundles[2]!, bundles[3]!]) {
      newest = bundle;
      await until(deployment, serves(bundle.version));
    }
    await askedAgain(2);
    expect(deployment.shown).toEqual(['1', '2', '3']);
    expect(lab.releases().sort()).toEqual([bundles[2]!.sha256, bundles[3]!.sha256].sort());
  });

  it('a release stays until its requests are finished', async () => {
    const deployment = start({}, { intervalMs: 20 });
    await until(deployment, serves('1'));
    deployment.inUse.add(bundles[1]!.sha256);
    for (const bundle of [bundles[2]!, bundles[3]!]) {
      newest = bundle;
      await until(deployment, serves(bundle.version));
    }
    await askedAgain(2);
    expect(lab.releases()).toHaveLength(3);
    deployment.inUse.clear();
    await askedAgain(2);
    expect(lab.releases()).toHaveLength(2);
  });

  it('keeps serving, and reports why, while the platform is unavailable', async () => {
    const deployment = start({}, { intervalMs: 20 });
    await until(deployment, serves('1'));
    platform.answer = (request) => {
      request.socket.destroy();
      return true;
    };
    expect(await until(deployment, failed)).toMatchObject({
      release: { version: '1' },
      fault: { code: 'source_unreachable' },
    });
    platform.answer = null;
    newest = bundles[2]!;
    expect(await until(deployment, serves('2'))).toMatchObject({ fault: null });
  });

  it('a bundle that is refused is not downloaded at each poll', async () => {
    const deployment = start({}, { intervalMs: 5 });
    await until(deployment, serves('1'));
    newest = { ...bundles[2]!, sha256: 'f'.repeat(64) };
    links.answer = (request, response) => {
      sendBundle(bundles[2]!, request, response);
      return true;
    };
    await until(deployment, failed);
    const { length } = links.seen;
    await askedAgain(12);
    // after one second, two, four
    expect(links.seen.length - length).toBeLessThanOrEqual(5);
    expect(deployment.status()).toMatchObject({
      release: { version: '1' },
      fault: { code: 'sha256_mismatch' },
    });
  });
});

describe('a rollback', () => {
  it('holds, also over a restart, until another export than the one rolled back from is newest', async () => {
    const first = start({}, { intervalMs: 20 });
    await until(first, serves('1'));
    newest = bundles[2]!;
    await until(first, serves('2'));
    expect(await first.rollback()).toMatchObject({ version: '1' });
    await askedAgain(3);
    expect(first.status()).toMatchObject({
      release: { version: '1' },
      previous: { version: '2' },
      fault: null,
    });
    await first.stop();

    const second = start({}, { intervalMs: 20 });
    await until(second, serves('1'));
    await askedAgain(3);
    expect(second.shown).toEqual(['1']);
    expect(platform.seen.at(-1)?.headers['if-none-match']).toBe(`"${bundles[2]!.sha256}"`);

    newest = bundles[3]!;
    await until(second, serves('3'));
    expect(second.status().previous).toMatchObject({ version: '1' });
  });

  it('is taken back by a rollback, or by asking the source again', async () => {
    const deployment = start();
    await until(deployment, serves('1'));
    newest = bundles[2]!;
    await deployment.update();
    await deployment.rollback();
    expect(await deployment.rollback()).toMatchObject({ version: '2' });
    await deployment.rollback();
    const { length } = links.seen;
    expect(await deployment.update()).toMatchObject({ version: '2' });
    // it is on the volume still
    expect(links.seen).toHaveLength(length);
    expect(deployment.shown).toEqual(['1', '2', '1', '2', '1', '2']);
  });

  it('without a release before is refused', async () => {
    const deployment = start();
    await until(deployment, serves('1'));
    expect(await errorOf(deployment.rollback())).toMatchObject({ code: 'no_previous' });
    expect(deployment.status().release).toMatchObject({ version: '1' });
  });

  it('keeps the link of a request until another export appears', async () => {
    const deployment = start({}, { intervalMs: 20 });
    await until(deployment, serves('1'));
    await deployment.update({ bundleUrl: `${links.url}/${bundles[0]!.sha256}` });
    await askedAgain(3);
    expect(deployment.status()).toMatchObject({ release: { version: '0' }, previous: { version: '1' } });
    newest = bundles[2]!;
    await until(deployment, serves('2'));
  });
});
