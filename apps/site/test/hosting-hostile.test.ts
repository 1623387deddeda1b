import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BundleError } from '@offprint/bundle';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hostileCases } from '../../../packages/bundle/test/hostile-cases.ts';
import { makeSurroundings, snapshot } from '../../../packages/bundle/test/tree.ts';
import { openVolume } from '../src/hosting/volume.ts';
import { makeBundle } from './support/bundle.ts';
import { namesIn } from './support/hosting-lab.ts';
import { sha256Of } from './support/reader.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-hostile-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const { signal } = new AbortController();

it('hostile bundles are refused, leave nothing behind and do not affect the release that is there', async () => {
  const work = makeSurroundings(root);
  const dir = join(work, 'volume');
  const volume = await openVolume(dir, { durable: false, graceMs: 0 });
  const good = await makeBundle('good');
  await volume.install(good.write(root, 'good.tar.gz'), { sha256: good.sha256, signal });
  rmSync(join(root, 'good.tar.gz'));
  const before = snapshot(root, work);
  const shared = readdirSync(join(dir, 'files'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.length > 2,
  );
  for (const { name, bundle, code } of hostileCases) {
    const path = volume.newPath();
    writeFileSync(path, bundle);
    const error: unknown = await volume
      .install(path, { sha256: sha256Of(bundle), signal })
      .catch((caught: unknown) => caught);
    rmSync(path);
    expect([name, error instanceof BundleError ? error.code : error]).toEqual([name, code]);
  }
  expect(namesIn(join(dir, 'releases'))).toEqual([good.sha256]);
  const left = readdirSync(join(dir, 'files'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.length > 2,
  );
  expect(left.sort()).toEqual(shared.sort());
  expect(snapshot(root, work)).toEqual(before);
  expect(await volume.has(good.sha256)).toBe(true);
  await volume.close();
});

it('a file is removed with the last release that has it', async () => {
  const volume = await openVolume(join(root, 'volume'), { durable: false, graceMs: 0 });
  const others = { 'same.txt': Buffer.from('the same in both') };
  const [one, two] = [await makeBundle('one', { others }), await makeBundle('two', { others })];
  for (const bundle of [one, two])
    await volume.install(bundle.write(root), { sha256: bundle.sha256, signal });
  const files = () =>
    readdirSync(join(root, 'volume', 'files'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.length > 2)
      .map((name) => name.slice(3))
      .sort();
  const same = sha256Of(others['same.txt']);
  await volume.sweep([one.sha256, two.sha256]);
  // a page and six others of each, and the shared one
  expect(files()).toHaveLength(13);
  await volume.sweep([two.sha256]);
  expect(namesIn(join(root, 'volume', 'releases'))).toEqual([two.sha256]);
  expect(files()).toHaveLength(7);
  expect(files()).toContain(same);
  await volume.sweep([]);
  expect(files()).toEqual([]);
  await volume.close();
});
