/** What bundles may take of the memory of who serves them. */
import { totalmem } from 'node:os';
import { bundleLimits } from '@offprint/bundle';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { limitsFor, memoryBytes } from '../src/releases/limits.ts';
import { createFileSource } from '../src/source/file.ts';
import { makeBundle } from './support/bundle.ts';
import { createLab, failed, type Lab, serves, until } from './support/lab.ts';

const MB = 1024 * 1024;
let lab: Lab;
beforeEach(() => {
  lab = createLab();
});
afterEach(() => lab.close());

it('the limits follow the memory, and never pass those of the format', () => {
  const [small, large] = [limitsFor(256 * MB), limitsFor(2 ** 50)];
  // a site of some thousand pages goes with the default of the chart
  expect(small.maxFiles).toBeGreaterThan(30_000);
  expect(small.maxManifestBytes).toBeLessThan((256 * MB) / 40);
  expect(large).toEqual({ maxFiles: bundleLimits.maxFiles, maxManifestBytes: bundleLimits.maxManifestBytes });
  expect(memoryBytes()).toBeGreaterThan(0);
  expect(memoryBytes()).toBeLessThanOrEqual(totalmem());
});

it.each([64, 96, 128, 256, 512])(
  'at %i MiB the process and its manifests go into the memory',
  (mebibytes) => {
    const { maxManifestBytes } = limitsFor(mebibytes * MB);
    // what was measured; see docs/deploy/serving.mdx
    if (maxManifestBytes > 0) expect(90e6 + 25 * maxManifestBytes).toBeLessThan(mebibytes * MB);
    expect(maxManifestBytes > 0).toBe(mebibytes > 72);
  },
);

it('a bundle beyond them is refused with the limit and a remedy, and the previous release stays', async () => {
  const bundle = await makeBundle('1', { files: 5 });
  const wanted = bundle.write(lab.root, 'wanted.tar.gz');
  const source = () => createFileSource({ path: wanted, sha256: null, quietMs: 0 });
  const deployment = lab.start(source(), { memory: 128 * MB });
  await until(deployment, serves('1'));
  await deployment.stop();
  (await makeBundle('2', { files: 50 })).write(lab.root, 'wanted.tar.gz');
  const next = lab.start(source(), { memory: 90e6 + 5000 * 34 });
  const { release, fault } = await until(next, failed);
  expect(release?.version).toBe('1');
  expect(fault).toMatchObject({
    code: 'bundle_too_large',
    message: expect.stringMatching(/manifest is larger than 5000 bytes\. .* memory of the container/),
  });
});

it('a bundle beyond the format is refused without advice on memory, which would not help', async () => {
  const move = { source: '/a', destination: '/b', permanent: true };
  const redirects = Array.from({ length: 100_001 }, (_, index) => ({ ...move, source: `/${index}` }));
  const path = (await makeBundle('1', { head: { redirects } })).write(lab.root);
  const source = createFileSource({ path, sha256: null, quietMs: 0 });
  const { fault } = await until(lab.start(source, { memory: 512 * MB }), failed);
  expect(fault).toMatchObject({
    code: 'bundle_too_large',
    message: expect.stringMatching(/more than 100000 entries\. Remove redirects or files from the site\.$/),
  });
});
