import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from './store.ts';

export interface StoreUnderTest {
  store: BlobStore;
  close(): Promise<void>;
}

async function keysBelow(store: BlobStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

/** What every driver of the port promises. `open` gives an empty store whose links can be fetched. */
export function describeBlobStore(driver: string, open: () => Promise<StoreUnderTest>): void {
  describe(`blob store: ${driver}`, () => {
    let subject: StoreUnderTest;
    let store: BlobStore;

    beforeAll(async () => {
      subject = await open();
      store = subject.store;
    });

    afterAll(() => subject.close());

    const read = async (key: string, range?: { start: number; end: number }): Promise<Buffer | null> => {
      const stream = await store.get(key, range);
      return stream && (await buffer(stream));
    };

    test('gives back what was put, from bytes and from a stream, empty and large', async () => {
      const large = randomBytes(3_000_000);
      expect(await store.put('round/bytes.bin', large)).toEqual({
        key: 'round/bytes.bin',
        bytes: large.length,
      });
      const chunks = Readable.from([large.subarray(0, 7), large.subarray(7)]);
      expect(await store.put('round/stream.bin', chunks)).toEqual({
        key: 'round/stream.bin',
        bytes: large.length,
      });
      expect(await store.put('round/empty', new Uint8Array())).toEqual({ key: 'round/empty', bytes: 0 });
      expect((await read('round/bytes.bin'))!.equals(large)).toBe(true);
      expect((await read('round/stream.bin'))!.equals(large)).toBe(true);
      expect((await read('round/empty'))!.length).toBe(0);
      expect(await store.stat('round/bytes.bin')).toMatchObject({
        key: 'round/bytes.bin',
        bytes: large.length,
      });
    });

    test('says the same of an object in a list as of one alone, and when it was stored', async () => {
      // A store may tell whole seconds only.
      const before = Math.floor(Date.now() / 1000) * 1000;
      await store.put('told/one', Buffer.from('1234'));
      const alone = (await store.stat('told/one'))!;
      expect(alone).toEqual({ key: 'told/one', bytes: 4, modifiedAt: expect.any(Date) });
      expect(alone.modifiedAt.getTime()).toBeGreaterThanOrEqual(before);
      expect(alone.modifiedAt.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
      const listed = [];
      for await (const info of store.list('told/')) listed.push(info);
      expect(listed).toEqual([alone]);
    });

    test('a put under a known key replaces the whole object', async () => {
      await store.put('again/one', Buffer.from('a longer first content'));
      await store.put('again/one', Buffer.from('second'));
      expect((await read('again/one'))!.toString()).toBe('second');
    });

    test('twenty puts of one key at once leave one whole object', async () => {
      const contents = Array.from({ length: 20 }, (_, index) => Buffer.alloc(100_000, index));
      await Promise.all(contents.map((content) => store.put('race/one', content)));
      const found = (await read('race/one'))!;
      expect(contents.some((content) => content.equals(found))).toBe(true);
      expect(await keysBelow(store, 'race/')).toEqual(['race/one']);
    });

    test('a copy has the content, replaces what is there, and leaves the time of its source', async () => {
      await store.put('copy/source', Buffer.from('content'));
      await store.put('copy/known', Buffer.from('another'));
      const source = await store.stat('copy/source');
      for (const key of ['copy/deep/target', 'copy/known']) {
        expect(await store.copy('copy/source', key), key).toBe(true);
        expect((await read(key))!.toString(), key).toBe('content');
      }
      // What is copied again and again would never be old enough to be removed.
      expect(await store.stat('copy/source')).toEqual(source);
      await store.put('copy/source', Buffer.from('changed'));
      expect((await read('copy/deep/target'))!.toString()).toBe('content');
      await store.delete('copy/source');
      expect((await read('copy/deep/target'))!.toString()).toBe('content');
      expect(await store.copy('copy/source', 'copy/new')).toBe(false);
      expect(await store.stat('copy/new')).toBeNull();
    });

    test('copies of one object by many at once are whole, and deletes meanwhile leave a copy or nothing', async () => {
      await store.put('copies/source', Buffer.from('content'));
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, at) => store.copy('copies/source', `copies/to/${at % 4}`)),
      );
      expect(made).toEqual(made.map(() => true));
      const keys = await keysBelow(store, 'copies/to/');
      expect(keys).toHaveLength(4);
      for (const key of keys) expect((await read(key))!.toString()).toBe('content');
      const [isCopied] = await Promise.all([
        store.copy('copies/source', 'copies/late/one'),
        store.delete('copies/source'),
      ]);
      expect((await read('copies/late/one'))?.toString() ?? null).toBe(isCopied ? 'content' : null);
    });

    test('a stream that fails stores nothing and leaves the old object', async () => {
      const failing = () =>
        Readable.from(
          (async function* () {
            yield Buffer.from('half');
            throw new Error('source broke');
          })(),
        );
      await expect(store.put('broken/new', failing())).rejects.toThrow('source broke');
      expect(await store.stat('broken/new')).toBeNull();
      await store.put('broken/old', Buffer.from('whole'));
      await expect(store.put('broken/old', failing())).rejects.toThrow('source broke');
      expect((await read('broken/old'))!.toString()).toBe('whole');
      expect(await keysBelow(store, 'broken/')).toEqual(['broken/old']);
    });

    test('a range is inclusive at both ends', async () => {
      await store.put('range/digits', Buffer.from('0123456789'));
      expect((await read('range/digits', { start: 2, end: 5 }))!.toString()).toBe('2345');
      expect((await read('range/digits', { start: 0, end: 0 }))!.toString()).toBe('0');
      expect((await read('range/digits', { start: 9, end: 9 }))!.toString()).toBe('9');
    });

    test('a range that is not within the object is refused', async () => {
      await store.put('range/four', Buffer.from('0123'));
      for (const [start, end] of [
        [2, 4],
        [4, 4],
        [100, 200],
        [3, 2],
        [-1, 2],
      ] as const) {
        await expect(store.get('range/four', { start, end })).rejects.toThrow(RangeError);
      }
    });

    test('a large stream is read back whole; one that fails in the middle leaves nothing, and parts go', async () => {
      const piece = randomBytes(1_000_003);
      const stream = (fails: boolean) =>
        Readable.from(
          (async function* () {
            for (let at = 0; at < 18; at++) yield piece;
            if (fails) throw new Error('source broke');
          })(),
          { objectMode: false },
        );
      expect(await store.put('large/one', stream(false))).toEqual({ key: 'large/one', bytes: 18_000_054 });
      await expect(store.put('large/two', stream(true))).rejects.toThrow('source broke');
      expect(await store.stat('large/two')).toBeNull();
      // Nothing is left to be removed, and what is whole stays.
      expect(await store.removeUnfinished(new Date(Date.now() + 3_600_000))).toBe(0);
      const found = (await read('large/one'))!;
      expect(found.length).toBe(18_000_054);
      expect(found.subarray(17 * piece.length).equals(piece)).toBe(true);
      expect((await read('large/one', { start: piece.length - 3, end: piece.length + 2 }))!).toEqual(
        Buffer.concat([piece.subarray(-3), piece.subarray(0, 3)]),
      );
    });

    test('a missing object is null, and deleting it is not an error', async () => {
      expect(await store.get('missing/one')).toBeNull();
      expect(await store.get('missing/one', { start: 0, end: 1 })).toBeNull();
      expect(await store.stat('missing/one')).toBeNull();
      await store.delete('missing/one');
    });

    test('a deleted object is gone, and its neighbors are not', async () => {
      await store.put('gone/deep/one', Buffer.from('1'));
      await store.put('gone/two', Buffer.from('2'));
      await store.delete('gone/deep/one');
      expect(await store.get('gone/deep/one')).toBeNull();
      expect(await keysBelow(store, 'gone/')).toEqual(['gone/two']);
      await store.put('gone/deep/one', Buffer.from('3'));
      expect((await read('gone/deep/one'))!.toString()).toBe('3');
    });

    test('lists keys below a prefix in the order of their bytes', async () => {
      const keys = ['list/a-b', 'list/a/1', 'list/a/2', 'list/a0', 'list/b', 'listing/x'];
      for (const key of [...keys].reverse()) await store.put(key, Buffer.from('x'));
      expect(await keysBelow(store, 'list/')).toEqual(keys.slice(0, 5));
      expect(await keysBelow(store, 'list/a')).toEqual(keys.slice(0, 4));
      expect(await keysBelow(store, 'list/a/')).toEqual(['list/a/1', 'list/a/2']);
      expect(await keysBelow(store, 'list/nothing')).toEqual([]);
      expect(await keysBelow(store, 'list')).toEqual(keys);
    });

    test.each([
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '../a',
      'a/../b',
      '.',
      '.hidden',
      'a/.b',
      'a\\b',
      'a b',
      'a\0b',
      'ä',
      'a'.repeat(600),
    ])('refuses the key %j in every call', async (key) => {
      await expect(store.put(key, Buffer.from('x'))).rejects.toThrow('Not a blob key');
      await expect(store.copy(key, 'copy/refused')).rejects.toThrow('Not a blob key');
      await expect(store.copy('copy/refused', key)).rejects.toThrow('Not a blob key');
      await expect(store.get(key)).rejects.toThrow('Not a blob key');
      await expect(store.stat(key)).rejects.toThrow('Not a blob key');
      await expect(store.delete(key)).rejects.toThrow('Not a blob key');
      await expect(store.signUrl(key, { expiresIn: 60, fileName: 'x' })).rejects.toThrow('Not a blob key');
    });

    test('a signed link gives the object as a named download, whole and by range', async () => {
      await store.put('link/bundle.tar.gz', Buffer.from('0123456789'));
      const before = Date.now();
      const { url, expiresAt } = await store.signUrl('link/bundle.tar.gz', {
        expiresIn: 60,
        fileName: 'docs.tar.gz',
      });
      expect(expiresAt.getTime()).toBeGreaterThan(before + 55_000);
      expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
      const whole = await fetch(url);
      expect(whole.status).toBe(200);
      expect(whole.headers.get('content-disposition')).toContain('docs.tar.gz');
      expect(await whole.text()).toBe('0123456789');
      const part = await fetch(url, { headers: { range: 'bytes=3-4' } });
      expect([part.status, await part.text()]).toEqual([206, '34']);
    });

    test('a link is for one object: a changed key, expiry, name or signature is refused', async () => {
      await store.put('link/mine', Buffer.from('mine'));
      await store.put('link/other', Buffer.from('other'));
      const { url } = await store.signUrl('link/mine', { expiresIn: 60, fileName: 'mine.txt' });
      expect((await fetch(url)).status).toBe(200);
      const changed = [url.replace('link/mine', 'link/other'), url.replace('mine.txt', 'evil.txt')];
      for (const name of new URL(url).searchParams.keys()) {
        const other = new URL(url);
        const value = other.searchParams.get(name)!;
        other.searchParams.set(name, value.slice(0, -1) + (value.endsWith('1') ? '2' : '1'));
        changed.push(other.href);
        const without = new URL(url);
        without.searchParams.delete(name);
        changed.push(without.href);
      }
      for (const link of changed) {
        const response = await fetch(link);
        expect([link, response.status >= 400 && response.status < 500]).toEqual([link, true]);
        await response.body?.cancel();
      }
    });

    test('a link stops working after its expiry', async () => {
      await store.put('link/short', Buffer.from('x'));
      const { url } = await store.signUrl('link/short', { expiresIn: 1, fileName: 'x' });
      await new Promise((resolve) => setTimeout(resolve, 2_100));
      expect((await fetch(url)).status).toBe(403);
    });

    test('a working store passes its check', () => store.check());
  });
}
