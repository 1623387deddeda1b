/** Failed attempts: what is downloaded again, when, and what the status reports meanwhile. */
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitAfter } from '../src/deployment/attempts.ts';
import type { DeploymentOptions } from '../src/deployment/deployment.ts';
import { createLinkSource } from '../src/source/link.ts';
import { makeBundle, type TestBundle } from './support/bundle.ts';
import { type BundleServer, sendBundle, startServer } from './support/bundle-server.ts';
import { createLab, failed, type Lab, type LabDeployment, serves, settled, until } from './support/lab.ts';

let one: TestBundle;
let two: TestBundle;
let lab: Lab;
let host: BundleServer;
/** The bundle of the host, and its response. */
let held: TestBundle;
let answers: { etag?: string | null; stallAt?: number };
let knowsConditions: boolean;
/** Responses that contained a bundle. */
let bodies: number;
beforeAll(async () => {
  one = await makeBundle('1', { noise: 100_000 });
  two = await makeBundle('2', { noise: 100_000 });
});
beforeEach(async () => {
  lab = createLab();
  [held, answers, knowsConditions, bodies] = [one, {}, true, 0];
  host = await startServer((request, response) => {
    if (!knowsConditions) delete request.headers['if-none-match'];
    response.on('finish', () => {
      if (response.statusCode === 200) bodies += 1;
    });
    sendBundle(held, request, response, answers);
  });
});
afterEach(async () => {
  lab.expectNowhere('of-this-link');
  await lab.close();
  await host.stop();
});

const start = (options: Partial<DeploymentOptions> = {}, sha256: string | null = null): LabDeployment =>
  lab.start(createLinkSource({ value: `${host.url}/docs.tar.gz?signature=of-this-link` }, sha256), {
    intervalMs: 20,
    ...options,
  });
/** Waits for `times` more requests. */
async function askedAgain(times: number): Promise<void> {
  const before = host.seen.length;
  while (host.seen.length < before + times) await sleep(5);
}

describe('a bundle that a pin refuses', () => {
  it.each([
    ['version', { version: '2' }, null, 'version_mismatch', 1],
    ['domain', { domain: 'other.example.com' }, null, 'domain_mismatch', 1],
    // twice, since the transfer could have changed it
    ['sha256', {}, 'f'.repeat(64), 'sha256_mismatch', 2],
  ] as const)(
    'by %s is not downloaded again while it is unchanged',
    async (_name, options, pin, code, times) => {
      const deployment = start(options, pin);
      expect((await until(deployment, failed)).fault?.code).toBe(code);
      while (bodies < times) await sleep(5);
      await askedAgain(4);
      expect(bodies).toBe(times);
      expect(deployment.status().fault?.code).toBe(code);
      // one line for all polls
      expect(lab.log().split('"level":"warn"')).toHaveLength(2);
    },
  );

  it('is recognized by its ETag if the host ignores conditional requests', async () => {
    knowsConditions = false;
    const deployment = start({ version: '2' });
    await until(deployment, failed);
    await askedAgain(4);
    // the responses were cut off after their headers: their bytes are discarded and nothing is unpacked
    expect(lab.log().split('"downloading","from"')).toHaveLength(2);
    expect(deployment.status().fault?.code).toBe('version_mismatch');
  });

  it('is downloaded at once after a change, and on request', async () => {
    const deployment = start({ version: '2' });
    await until(deployment, failed);
    await askedAgain(2);
    await deployment.update().catch(() => {});
    expect(bodies).toBe(2);
    held = two;
    await until(deployment, serves('2'));
    expect(bodies).toBe(3);
    expect(deployment.status().fault).toBeNull();
  });

  it('is not requested if it has the pinned digest', async () => {
    const deployment = start({ version: '2' }, one.sha256);
    await until(deployment, failed);
    const asked = host.seen.length;
    await sleep(200);
    expect(host.seen).toHaveLength(asked);
  });
});

describe('an attempt', () => {
  const note = () => join(lab.volume, 'attempt');
  /** What a process leaves that was killed over the bundle at hand for the `count`th time. */
  async function leave(count: number): Promise<void> {
    answers = { stallAt: 50_000 };
    const killed = start();
    await until(killed, ({ step }) => step?.name === 'downloading' && step.bytes > 0);
    while (!existsSync(note())) await sleep(5);
    const left = JSON.parse(readFileSync(note(), 'utf8')) as { count: number; etag: string | null };
    expect(left).toMatchObject({ count: 1 });
    await killed.stop();
    expect(existsSync(note()), 'after a clean end').toBe(false);
    writeFileSync(note(), JSON.stringify({ ...left, count }));
    [answers, bodies] = [{}, 0];
  }
  const waits = (status: { fault: { code: string } | null }) => status.fault?.code === 'attempts_unfinished';

  it('is recorded on the volume only while it runs', async () => {
    await until(start(), settled('1'));
    expect(existsSync(note())).toBe(false);
    held = two;
    await until(start({ version: '1', settings: 'other' }), failed);
    expect(existsSync(note())).toBe(false);
  });

  it('that was interrupted once or twice does not delay the next one', async () => {
    for (const count of [1, 2]) {
      await leave(count);
      const deployment = start();
      await until(deployment, serves('1'));
      expect(lab.log()).not.toContain('attempts_unfinished');
      await deployment.stop();
      held = two;
      const next = start();
      await next.update();
      await next.stop();
      held = one;
    }
  });

  it('that was interrupted three times is delayed, while the last release is served', async () => {
    const before = start();
    await until(before, serves('1'));
    await before.stop();
    held = two;
    const settings = 'so that the link is asked again';
    answers = { stallAt: 50_000 };
    const killed = start({ settings });
    await until(killed, ({ step }) => step?.name === 'downloading' && step.bytes > 0);
    while (!readFileSync(note(), 'utf8').includes(two.sha256)) await sleep(5);
    const left = readFileSync(note(), 'utf8').replace('"count":1', '"count":3');
    await killed.stop();
    writeFileSync(note(), left);
    [answers, bodies] = [{}, 0];

    const deployment = start({ settings });
    const { fault, release } = await until(deployment, waits);
    expect(release?.version).toBe('1');
    expect(fault?.message).toMatch(
      /killed 3 times .*127\.0\.0\.1:\d+\/docs\.tar\.gz.* next attempt is at 20.*memory/,
    );
    await askedAgain(3);
    expect([bodies, deployment.shown]).toEqual([0, ['1']]);
    // once the time is over
    utimesSync(note(), Date.now() / 1000 - 31, Date.now() / 1000 - 31);
    const { fault: none } = await until(deployment, settled('2'));
    expect([none, existsSync(note())]).toEqual([null, false]);
  });

  it.each(['another bundle at the link', 'an operator request'])('is not delayed after %s', async (what) => {
    await leave(9);
    const deployment = start();
    await until(deployment, waits);
    if (what === 'an operator request') await deployment.update();
    else held = two;
    await until(deployment, settled(what === 'an operator request' ? '1' : '2'));
    expect(existsSync(note())).toBe(false);
  });

  it('of another bundle, or with a damaged record, does not count', async () => {
    for (const text of [
      '',
      '{',
      'null',
      '{"offer":1,"count":9}',
      '{"offer":"other","etag":null,"count":9}',
    ]) {
      const deployment = start();
      await until(deployment, serves('1'));
      await deployment.stop();
      writeFileSync(note(), text);
      const next = start({ settings: text });
      await until(next, ({ checkedAt, step }) => checkedAt !== null && step === null);
      expect(next.status().fault).toBeNull();
      await next.stop();
    }
    expect(lab.log()).not.toContain('attempts_unfinished');
  });

  it('is delayed longer each time, up to an hour, or up to seconds without a release', () => {
    const seconds = (isServing: boolean) =>
      [0, 1, 2, 3, 4, 5, 9, 10, 1000].map((count) => waitAfter(count, isServing) / 1000);
    expect(seconds(true)).toEqual([0, 0, 0, 30, 60, 120, 1920, 3600, 3600]);
    expect(Math.max(...seconds(false))).toBe(10);
  });
});
