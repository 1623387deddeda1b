/** A deployment whose bundles are brought to a folder by other means. */
import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createFileSource } from '../src/source/file.ts';
import { makeBundle, type TestBundle } from './support/bundle.ts';
import { createLab, errorOf, failed, type Lab, serves, until } from './support/lab.ts';

let bundles: TestBundle[];
let lab: Lab;
let folder: string;
beforeAll(async () => {
  bundles = await Promise.all(['1', '2', '3'].map((version) => makeBundle(version, { noise: 50_000 })));
});
beforeEach(() => {
  lab = createLab();
  folder = join(lab.root, 'mounted');
  mkdirSync(folder);
});
afterEach(() => lab.close());

const start = (path: string, sha256: string | null = null, quietMs = 50) =>
  lab.start(createFileSource({ path, sha256, quietMs }), { intervalMs: 20 });
/** Puts a file in place in one step, as who knows how does. */
function put(bundle: TestBundle, name: string): string {
  renameSync(bundle.write(lab.root, 'coming'), join(folder, name));
  return join(folder, name);
}

it('serves a file, and the file that replaces it', async () => {
  const path = put(bundles[0]!, 'docs.tar.gz');
  const deployment = start(path);
  expect(await until(deployment, serves('1'))).toMatchObject({ source: 'file', fault: null });
  put(bundles[1]!, 'docs.tar.gz');
  await until(deployment, serves('2'));
  expect(lab.debris()).toEqual([]);
});

it('serves the newest archive of a folder, and ignores everything else', async () => {
  put(bundles[0]!, 'b.tar.gz');
  const old = new Date(Date.now() - 60_000);
  utimesSync(put(bundles[1]!, 'c.tar.gz'), old, old);
  put(bundles[2]!, 'newer.zip');
  put(bundles[2]!, '.hidden.tar.gz');
  mkdirSync(join(folder, 'folder.tar.gz'));
  const deployment = start(folder);
  await until(deployment, serves('1'));
  put(bundles[2]!, 'a.tar.gz');
  await until(deployment, serves('3'));
  expect(deployment.shown).toEqual(['1', '3']);
});

it('waits for a file that is being written', async () => {
  const { bytes } = bundles[0]!;
  const path = join(folder, 'slow.tar.gz');
  const deployment = start(folder, null, 250);
  const file = openSync(path, 'w');
  for (let at = 0; at < bytes.length; at += 10_000) {
    writeSync(file, bytes.subarray(at, at + 10_000));
    await sleep(50);
  }
  closeSync(file);
  await until(deployment, serves('1'));
});

it('takes a file that was written too slowly to be waited for, once it is whole', async () => {
  const { bytes } = bundles[0]!;
  const path = join(folder, 'cut.tar.gz');
  writeFileSync(path, bytes.subarray(0, 20_000));
  const deployment = start(folder);
  expect((await until(deployment, failed)).fault?.code).toMatch(/bundle_refused|bundle_missing/);
  writeFileSync(path, bytes);
  expect(await until(deployment, serves('1'))).toMatchObject({ fault: null });
});

it('reports a missing file, and continues when it appears', async () => {
  const deployment = start(folder);
  expect((await until(deployment, failed)).fault).toMatchObject({
    code: 'bundle_missing',
    message: expect.stringContaining('contains no *.tar.gz'),
  });
  const path = put(bundles[0]!, 'a.tar.gz');
  await until(deployment, serves('1'));
  rmSync(path);
  expect(await until(deployment, failed)).toMatchObject({
    release: { version: '1' },
    fault: { code: 'bundle_missing' },
  });
  const other = start(join(folder, 'nowhere.tar.gz'));
  expect((await errorOf(other.update())).message).toContain('check the mount');
});

it('refuses a file with another digest than the one asked for', async () => {
  const path = put(bundles[0]!, 'a.tar.gz');
  const deployment = start(path, bundles[1]!.sha256);
  expect((await until(deployment, failed)).fault).toMatchObject({
    code: 'sha256_mismatch',
    message: expect.stringContaining(bundles[1]!.sha256),
  });
  put(bundles[1]!, 'a.tar.gz');
  await until(deployment, serves('2'));
});

it('a rollback holds, also when the same file is put there again', async () => {
  const deployment = start(folder);
  put(bundles[0]!, 'a.tar.gz');
  await until(deployment, serves('1'));
  put(bundles[1]!, 'b.tar.gz');
  await until(deployment, serves('2'));
  await deployment.rollback();
  const before = lab.pointer().source?.tag;
  put(bundles[1]!, 'c.tar.gz');
  await until(deployment, () => lab.pointer().source?.tag !== before);
  expect(deployment.shown).toEqual(['1', '2', '1']);
  put(bundles[2]!, 'd.tar.gz');
  await until(deployment, serves('3'));
});
