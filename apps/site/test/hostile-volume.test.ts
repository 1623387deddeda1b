/** A volume that somebody else writes to, and a bundle that would fill the memory: what readers get then. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAttempt } from '../src/deployment/attempt.ts';
import { readPointer } from '../src/releases/pointer.ts';
import { openStore, type Release, type Store } from '../src/releases/store.ts';
import { type SiteServer, startSiteServer } from '../src/serving/server.ts';
import { ask, packFiles } from './support/reader.ts';

let root: string;
let store: Store;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'offprint-hostile-volume-'));
  store = await openStore(join(root, 'releases'), { durable: false, isInUse: () => true });
});
afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

async function install(content: Record<string, string | Uint8Array>): Promise<Release> {
  const path = join(root, `${randomBytes(4).toString('hex')}.tar.gz`);
  writeFileSync(path, await packFiles(content));
  return store.install(path);
}

function start(): Promise<SiteServer> {
  return startSiteServer({ host: '127.0.0.1', port: 0, basePath: '', https: false });
}

it('sends nothing through a link or a pipe that replaced a file', async () => {
  const other = await start();
  const names = ['secret.html', 'large.bin', 'pipe.html'];
  const content = { 'secret.html': 'plain!', 'large.bin': Buffer.alloc(100_000), 'pipe.html': 'waits' };
  const swapped = await install(content);
  const secret = join(root, 'secret');
  writeFileSync(secret, 'token!');
  writeFileSync(`${secret}-large`, Buffer.alloc(100_000, 1));
  for (const name of names) rmSync(join(swapped.folder, name));
  symlinkSync(secret, join(swapped.folder, 'secret.html'));
  symlinkSync(`${secret}-large`, join(swapped.folder, 'large.bin'));
  execFileSync('mkfifo', [join(swapped.folder, 'pipe.html')]);
  await other.onRelease(swapped);
  for (const name of names) {
    const answer = await ask(other.port, `/${name}`, { headers: { range: 'bytes=0-3' } });
    expect([name, answer.status, answer.content.toString()]).toEqual([name, 500, 'Cannot read the file.\n']);
    expect((await ask(other.port, `/${name}`)).status).toBe(500);
  }
  await other.stop();
});

it('sends nothing through a link that replaced a folder, whatever was read before', async () => {
  const other = await start();
  const content = {
    'a/one.html': 'plain!',
    'a/b/two.html': 'plain!',
    'a/large.bin': Buffer.alloc(100_000),
  };
  const swapped = await install(content);
  await other.onRelease(swapped);
  const elsewhere = join(root, 'elsewhere');
  mkdirSync(join(elsewhere, 'b'), { recursive: true });
  for (const name of ['one.html', 'b/two.html']) writeFileSync(join(elsewhere, name), 'token!');
  writeFileSync(join(elsewhere, 'large.bin'), Buffer.alloc(100_000, 1));
  const all = async () => {
    for (const path of ['/a/one', '/a/b/two', '/a/large.bin']) {
      const answer = await ask(other.port, path, { headers: { range: 'bytes=0-3' } });
      expect([answer.status, answer.content.toString()]).toEqual([500, 'Cannot read the file.\n']);
      expect((await ask(other.port, path)).status).toBe(500);
    }
  };
  const folder = join(swapped.folder, 'a');
  renameSync(folder, join(root, 'a'));
  symlinkSync(elsewhere, folder);
  await all();
  // the folder of the whole release, to a copy of it with other bytes
  rmSync(folder);
  renameSync(join(root, 'a'), folder);
  expect((await ask(other.port, '/a/one')).status).toBe(200);
  renameSync(swapped.folder, join(root, 'whole'));
  mkdirSync(join(root, 'other'));
  renameSync(elsewhere, join(root, 'other', 'a'));
  symlinkSync(join(root, 'other'), swapped.folder);
  for (const path of ['/a/b/two', '/a/large.bin']) expect((await ask(other.port, path)).status).toBe(500);
  await other.stop();
});

it('does not keep an error page in memory that is larger than a page', async () => {
  const other = await start();
  await other.onRelease(await install({ '404.html': Buffer.alloc(2_000_000, 'x'), 'index.html': 'home' }));
  const answer = await ask(other.port, '/nothing');
  expect([answer.status, answer.content.toString()]).toEqual([
    404,
    expect.stringContaining('Page not found'),
  ]);
  await other.stop();
});

it.each([
  ['current', readPointer],
  ['attempt', readAttempt],
] as const)('treats an invalid record %s as damaged, without blocking', async (name, read) => {
  const sha256 = 'a'.repeat(64);
  const entry = { sha256, manifestSha256: sha256, version: '1', activatedAt: '' };
  const note = JSON.stringify({ current: entry, offer: 'one', count: 1 });
  const dir = mkdtempSync(join(root, `${name}-`));
  const path = join(dir, name);
  writeFileSync(path, note);
  expect(await read(dir)).not.toBeNull();
  const elsewhere = join(dir, 'elsewhere');
  renameSync(path, elsewhere);
  const places: (() => void)[] = [
    () => void execFileSync('mkfifo', [path]),
    () => symlinkSync('/dev/zero', path),
    () => symlinkSync(elsewhere, path),
    () => mkdirSync(path),
    () => writeFileSync(path, note.padEnd(64 * 1024 + 1)),
  ];
  for (const put of places) {
    put();
    expect(await read(dir)).toBeNull();
    rmSync(path, { recursive: true });
  }
  expect(await read(dir)).toBeNull();
});
