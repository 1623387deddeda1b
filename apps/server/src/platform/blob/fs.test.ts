import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { describeBlobStore } from './contract.suite.ts';
import { type FsBlobStore, openFsBlobStore } from './fs.ts';

const secret = randomBytes(32);
const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function openTemporary(options: { publicUrl?: string; now?: () => Date } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'offprint-blob-'));
  folders.push(folder);
  const settings = {
    folder,
    secret,
    publicUrl: () => options.publicUrl ?? 'http://offprint.test',
    now: options.now ?? systemClock,
  };
  return { folder, settings, store: await openFsBlobStore(settings) };
}

describeBlobStore('local disk', async () => {
  let store: FsBlobStore | undefined;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    const verdict = store!.verifySignedUrl(url.pathname.slice('/blobs/'.length), url.searchParams);
    if (!verdict.ok) return response.writeHead(403).end(verdict.fault);
    const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const range = match ? { start: Number(match[1]), end: Number(match[2]) } : undefined;
    const stream = (await store!.get(verdict.link.key, range))!;
    response.writeHead(range ? 206 : 200, {
      'content-disposition': `attachment; filename="${verdict.link.fileName}"`,
    });
    return stream.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const opened = await openTemporary({ publicUrl: `http://127.0.0.1:${port}` });
  store = opened.store;
  return {
    store: opened.store,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
});

test('a link is exact to the second by the injected clock, and an expired one is distinguished from a forged one', async () => {
  let time = new Date('2026-01-01T00:00:00.900Z');
  const { store } = await openTemporary({ now: () => time });
  const { url, expiresAt } = await store.signUrl('a/b', { expiresIn: 60, fileName: 'b.tar.gz' });
  expect(expiresAt.toISOString()).toBe('2026-01-01T00:01:00.000Z');
  const query = new URL(url).searchParams;
  expect(store.verifySignedUrl('a/b', query)).toEqual({
    ok: true,
    link: { key: 'a/b', fileName: 'b.tar.gz', expiresAt },
  });
  time = expiresAt;
  expect(store.verifySignedUrl('a/b', query)).toEqual({ ok: false, fault: 'expired' });
  expect(store.verifySignedUrl('a/c', query)).toEqual({ ok: false, fault: 'tampered' });
  query.set('expires', '4102444800');
  expect(store.verifySignedUrl('a/b', query)).toEqual({ ok: false, fault: 'tampered' });
  query.set('expires', '1e9');
  expect(store.verifySignedUrl('a/b', query)).toEqual({ ok: false, fault: 'malformed' });
});

test('a link under another secret is refused, and a short secret is not taken', async () => {
  const { store, settings } = await openTemporary();
  const other = await openFsBlobStore({ ...settings, secret: randomBytes(32) });
  const { url } = await other.signUrl('a/b', { expiresIn: 60, fileName: 'b' });
  expect(store.verifySignedUrl('a/b', new URL(url).searchParams)).toEqual({ ok: false, fault: 'tampered' });
  await expect(openFsBlobStore({ ...settings, secret: randomBytes(16) })).rejects.toThrow('32 bytes');
});

test('a link is valid for at most a week and its file name cannot break the header it goes into', async () => {
  const { store } = await openTemporary({ now: () => new Date('2026-01-01T00:00:00Z') });
  const { expiresAt } = await store.signUrl('a/b', { expiresIn: 10_000_000, fileName: 'b' });
  expect(expiresAt.toISOString()).toBe('2026-01-08T00:00:00.000Z');
  for (const fileName of ['', '.x', 'a b', 'a"b', 'a\r\nb', '../a', 'a/b']) {
    await expect(store.signUrl('a/b', { expiresIn: 60, fileName })).rejects.toThrow('Not a file name');
  }
});

test('a symbolic link in the folder is never followed', async () => {
  const { store, folder } = await openTemporary();
  await writeFile(join(folder, 'real'), 'real');
  await symlink('/etc/passwd', join(folder, 'link'));
  expect(await store.get('link')).toBeNull();
  expect(await store.stat('link')).toBeNull();
});

test('a range outside the object is an error that names it', async () => {
  const { store } = await openTemporary();
  await store.put('a', Buffer.from('0123'));
  await expect(store.get('a', { start: 2, end: 4 })).rejects.toThrow(
    'The range 2-4 is outside a, which has 4 bytes',
  );
  await expect(store.get('a', { start: 3, end: 2 })).rejects.toThrow(RangeError);
});

test('parts left by a crash are removed by their age, and never listed', async () => {
  const { store, folder } = await openTemporary();
  const parts = join(folder, '.unfinished');
  await writeFile(join(parts, 'old'), 'x');
  await writeFile(join(parts, 'new'), 'x');
  const twoDaysAgo = new Date(Date.now() - 48 * 3_600_000);
  await utimes(join(parts, 'old'), twoDaysAgo, twoDaysAgo);
  expect(await store.removeUnfinished(new Date(Date.now() - 24 * 3_600_000))).toBe(1);
  expect(await readdir(parts)).toEqual(['new']);
  for await (const blob of store.list('')) expect(blob).toBeNull();
});

test('puts and deletes of neighbors at once never fail', async () => {
  const { store } = await openTemporary();
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const key = `shared/deep/${index % 5}`;
      await store.put(key, Buffer.from('x'));
      await store.delete(key);
    }),
  );
});

test('check names a folder that cannot be written', async () => {
  const { store, folder } = await openTemporary();
  await rm(join(folder, '.unfinished'), { recursive: true });
  await expect(store.check()).rejects.toThrow('Cannot write to the blob folder');
  await mkdir(join(folder, '.unfinished'));
  await chmod(folder, 0o700);
  await store.check();
});
