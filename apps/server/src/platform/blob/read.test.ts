import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { BlobStoreError } from './error.ts';
import { DamagedObjectError, readObject } from './read.ts';

const WHOLE = 'whole content';

/** A store of one whole object whose reads return these pieces, one after another; an error breaks the read off. */
function storeOf(...reads: (string | Error)[]) {
  let count = 0;
  return {
    count: () => count,
    stat: async (key: string) => ({ key, bytes: WHOLE.length, modifiedAt: new Date(0) }),
    get: async () => {
      const read = reads[count++]!;
      return Readable.from(
        (async function* () {
          yield Buffer.from(read instanceof Error ? WHOLE.slice(0, 3) : read);
          if (read instanceof Error) throw read;
        })(),
      );
    },
  };
}

const whole = (content: Buffer): string => {
  if (content.length !== WHOLE.length) throw new Error(`it has ${content.length} bytes`);
  return content.toString();
};

test.each<[string | Error]>([['short'], [new Error('ECONNRESET')]])(
  'a read that is short or breaks off (%s) is repeated',
  async (first) => {
    const store = storeOf(first, WHOLE);
    expect(await readObject(store, 'a/b', whole)).toBe(WHOLE);
    expect(store.count()).toBe(2);
  },
);

test('an object that stays short is an error of the store that names it', async () => {
  const store = storeOf('short', 'short', WHOLE);
  const error = await readObject(store, 'a/b', whole).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(BlobStoreError);
  expect((error as BlobStoreError).message).toMatch(/a\/b could not be read whole, 2 times: it has 5 bytes/);
});

test.each<[string, string | Error, string | Error]>([
  ['breaks off', WHOLE.toUpperCase(), new Error('ECONNRESET')],
  ['returns other content', WHOLE.toUpperCase(), WHOLE.replace('whole', 'other')],
])('an object whose second read %s is not called damaged', async (_name, first, second) => {
  const refuse = () => {
    throw new Error('its digest differs');
  };
  await expect(readObject(storeOf(first, second), 'a/b', refuse)).rejects.toThrow(BlobStoreError);
});

test('an object that is read twice with the same wrong content in its whole size is damaged', async () => {
  const refuse = () => {
    throw new Error('its digest differs');
  };
  const error = await readObject(storeOf(WHOLE, WHOLE), 'a/b', refuse).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DamagedObjectError);
  expect((error as Error).message).toContain('a/b is damaged: its digest differs');
});

test('a missing object is null', async () => {
  expect(await readObject({ get: async () => null, stat: async () => null }, 'a/b', whole)).toBeNull();
});
