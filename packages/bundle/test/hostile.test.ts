import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BundleError, unpackBundle, verifyBundle } from '../src/index.ts';
import { entry, listed, manifestEntry, pack, pax, stream, tarGz } from './craft.ts';
import { hostileCases } from './hostile-cases.ts';
import { makeSurroundings, snapshot } from './tree.ts';

let root: string;
let work: string;
let before: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-hostile-'));
  work = makeSurroundings(root);
  before = snapshot(root, work);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const good = listed('index.html', 'hello');
const goodEntry = entry({ name: 'index.html', content: 'hello' });

function codeOf(error: unknown): string {
  return error instanceof BundleError ? error.code : String(error);
}

describe('a hostile bundle is refused and leaves nothing behind', () => {
  it.each(hostileCases)('$name', async ({ bundle, code }) => {
    const into = join(work, 'site');
    const error = await unpackBundle(stream(bundle), into).catch((caught: unknown) => caught);
    expect(codeOf(error)).toBe(code);
    expect((error as Error).message).toMatch(/^[^\p{Cc}\p{Bidi_Control}\u2028\u2029]{1,1000}$/u);
    expect(readdirSync(work)).toEqual([]);
    expect(snapshot(root, work)).toEqual(before);
    // The same whatever the pieces are that it comes in.
    const piece = bundle.length < 10_000 ? 7 : 4099;
    expect(codeOf(await verifyBundle(stream(bundle, piece)).catch((caught: unknown) => caught))).toBe(code);
  });

  it('the cases are many, and no two are one', () => {
    expect(hostileCases.length).toBeGreaterThanOrEqual(150);
    expect(new Set(hostileCases.map(({ name }) => name)).size).toBe(hostileCases.length);
    const bytes = hostileCases.map(({ bundle }) => bundle.toString('latin1'));
    expect(new Set(bytes).size).toBe(bytes.length);
  });

  it('what is odd but sound is unpacked, and its names mean nothing', async () => {
    const files = [
      '__proto__',
      'constructor/prototype',
      'x'.repeat(255),
      '...a',
      '-rf',
      'a b',
      '~',
      '$HOME',
      '%2e%2e',
    ];
    const features = JSON.parse('{"__proto__":true,"constructor":false}') as Record<string, boolean>;
    const bundle = tarGz(
      manifestEntry(
        files.map((path) => ({ ...good, path })),
        { features },
      ),
      ...files.flatMap((path) => [pax({ path }), entry({ name: 'x', content: 'hello' })]),
    );
    const into = join(work, 'site');
    const { manifest } = await unpackBundle(stream(bundle), into);
    expect(Object.entries(manifest.features)).toEqual(Object.entries(features));
    expect(Object.getPrototypeOf(manifest.features)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).search).toBeUndefined();
    for (const path of files) expect(readFileSync(join(into, path), 'utf8')).toBe('hello');
    expect(snapshot(root, work)).toEqual(before);
  });

  it('a gzip bomb is refused after the first megabytes', async () => {
    const zeros = Buffer.alloc(60_000_000);
    const sizes = tarGz(manifestEntry([listed('a', zeros)]), entry({ name: 'a', content: zeros }));
    const code = async (bytes: Buffer, limits = {}) =>
      codeOf(await verifyBundle(stream(bytes), { limits }).catch((error: unknown) => error));
    expect(await code(sizes, { maxRatio: 250 })).toBe('too_large');
    expect(await code(sizes, { maxBytes: 50_000_000 })).toBe('too_large');
    expect(await code(gzipSync(Buffer.concat([manifestEntry([good]), goodEntry, zeros])))).toBe(
      'trailing_data',
    );
    expect(await code(gzipSync(zeros))).toBe('trailing_data');
  });

  it('of what never ends only the beginning is read', async () => {
    let given = 0;
    const endless = async function* (first: Buffer, rest: Buffer) {
      yield first;
      // A thousand times what may be read; a reader that takes it all fails below.
      for (; given < 1_000_000_000; given += rest.length) yield rest;
    };
    // Empty stored blocks: deflate that says nothing.
    const silence = Buffer.concat(Array<Buffer>(13_000).fill(Buffer.of(0, 0, 0, 0xff, 0xff)));
    const header = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3);
    const limits = { maxBytes: 1_000_000 };
    const refusal = async (source: AsyncIterable<Uint8Array>) =>
      codeOf(await verifyBundle(source, { limits }).catch((error: unknown) => error));
    expect(await refusal(endless(header, silence))).toBe('too_large');
    expect(given).toBeLessThan(10_000_000);
    given = 0;
    const { bundle } = await pack([['a', '1']]);
    expect(await refusal(endless(bundle, Buffer.alloc(65_536)))).toBe('trailing_data');
    expect(given).toBeLessThan(10_000_000);
  });

  it('limits of files are limits of what a manifest may cost', async () => {
    const code = async (bundle: Buffer, maxFiles: number) =>
      codeOf(await verifyBundle(stream(bundle), { limits: { maxFiles } }).catch((error: unknown) => error));
    const redirects = Array(200_000).fill(0);
    expect(await code(tarGz(manifestEntry([good], { redirects })), 1)).toBe('too_large');
    expect(await code(tarGz(manifestEntry([good], { version: 'v'.repeat(3_000_000) })), 1)).toBe('too_large');
    expect(await code(tarGz(manifestEntry([good]), goodEntry), 1)).toBe('[object Object]');
  });

  it('of two that unpack to one place at once one wins, and nobody is harmed', async () => {
    const one = (await pack([['a', '1']])).bundle;
    const two = (
      await pack([
        ['a', '2'],
        ['b', '2'],
      ])
    ).bundle;
    const into = join(work, 'site');
    for (let round = 0; round < 20; round++) {
      const durable = round % 2 === 0;
      const ends = await Promise.allSettled(
        [one, two, one].map((bundle) => unpackBundle(stream(bundle), into, { durable })),
      );
      const won = ends.filter(({ status }) => status === 'fulfilled');
      expect(won).toHaveLength(1);
      for (const end of ends) if (end.status === 'rejected') expect(codeOf(end.reason)).toBe('target_exists');
      expect(readdirSync(work)).toEqual(['site']);
      const isSecond = readFileSync(join(into, 'a'), 'utf8') === '2';
      expect(readdirSync(into)).toEqual(isSecond ? ['a', 'b', 'offprint.json'] : ['a', 'offprint.json']);
      rmSync(into, { recursive: true });
    }
    expect(snapshot(root, work)).toEqual(before);
  });

  it('a bundle that the disk cannot hold is refused before the first file is written', async () => {
    const files = [{ ...good, size: 2 ** 52 }];
    const limits = { maxBytes: Number.MAX_VALUE, maxFileBytes: Number.MAX_VALUE };
    const into = join(work, 'site');
    await expect(unpackBundle(stream(tarGz(manifestEntry(files))), into, { limits })).rejects.toThrow(
      /needs \d+ bytes in .* are free/,
    );
    expect(readdirSync(work)).toEqual([]);
  });

  it('more files than the limit are refused before the first is written', async () => {
    const { bundle } = await pack([
      ['a', '1'],
      ['b', '2'],
    ]);
    const into = join(work, 'site');
    await expect(unpackBundle(stream(bundle), into, { limits: { maxFiles: 1 } })).rejects.toMatchObject({
      code: 'too_large',
    });
  });

  it('a bundle with another digest than asked for is refused, though sound', async () => {
    const { bundle } = await pack([['a', '1']]);
    const into = join(work, 'site');
    await expect(unpackBundle(stream(bundle), into, { sha256: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'digest_mismatch',
    });
    expect(readdirSync(work)).toEqual([]);
  });

  it('nothing is overwritten: not a folder, not a file, not a link to nowhere or to a folder', async () => {
    const { bundle } = await pack([['a', '1']]);
    const places = ['folder', 'file', 'link', 'way'].map((name) => join(work, name));
    mkdirSync(places[0]!);
    writeFileSync(places[1]!, 'mine');
    symlinkSync(join(root, 'nowhere'), places[2]!);
    symlinkSync(join(root, 'etc'), places[3]!);
    for (const into of places) {
      await expect(unpackBundle(stream(bundle), into)).rejects.toMatchObject({ code: 'target_exists' });
    }
    expect(snapshot(root, work)).toEqual(before);
    expect(readFileSync(places[1]!, 'utf8')).toBe('mine');
  });

  it('a source that fails leaves nothing behind and its own error', async () => {
    const { bundle } = await pack([['a', 'x'.repeat(100_000)]]);
    const broken = async function* () {
      yield bundle.subarray(0, bundle.length - 20);
      throw new Error('the connection broke');
    };
    await expect(unpackBundle(broken(), join(work, 'site'))).rejects.toThrow('the connection broke');
    expect(readdirSync(work)).toEqual([]);
  });
});

describe('a damaged bundle', () => {
  it('is refused wherever a bit is flipped', async () => {
    const { bundle } = await pack([
      ['index.html', '<h1>Home</h1>'],
      ['guides/start.html', '<h1>Start</h1>'.repeat(50)],
    ]);
    const { sha256 } = await verifyBundle(stream(bundle));
    await fc.assert(
      fc.asyncProperty(fc.nat(bundle.length * 8 - 1), async (bit) => {
        const copy = Buffer.from(bundle);
        copy[bit >> 3]! ^= 1 << (bit & 7);
        // time, flags of the compressor and system of the header carry no content: only the digest shows them
        await expect(verifyBundle(stream(copy), { sha256 })).rejects.toBeInstanceOf(BundleError);
      }),
      { numRuns: 400 },
    );
  });

  it('is refused wherever it is cut', async () => {
    const { bundle } = await pack([['index.html', '<h1>Home</h1>']]);
    for (let length = 0; length < bundle.length; length++) {
      const error = await verifyBundle(stream(bundle.subarray(0, length))).catch((caught: unknown) => caught);
      expect(codeOf(error), `cut at ${length}`).toMatch(/^(?:truncated|gzip_invalid)$/);
    }
  });

  it('never makes the reader throw anything but a BundleError, whatever the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2048 }), fc.boolean(), async (bytes, packed) => {
        const input = packed ? gzipSync(Buffer.from(bytes)) : bytes;
        await expect(verifyBundle(stream(input))).rejects.toBeInstanceOf(BundleError);
      }),
      { numRuns: 300 },
    );
  });
});
