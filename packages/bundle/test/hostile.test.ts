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
import { BundleError, type BundleErrorCode, unpackBundle, verifyBundle } from '../src/index.ts';
import { entry, listed, manifestEntry, pack, pax, rawHeader, stream, tarEnd, tarGz } from './craft.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-hostile-'));
  mkdirSync(join(root, 'work'));
  writeFileSync(join(root, 'secret'), 'untouched');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const good = listed('index.html', 'hello');
const goodEntry = entry({ name: 'index.html', content: 'hello' });

/** A bundle whose one file has this path in manifest and archive. */
function withPath(path: string): Buffer {
  const file = { ...good, path };
  return tarGz(manifestEntry([file]), pax({ path }), entry({ name: 'x', content: 'hello' }));
}

function twoFiles(first: string, second: string): Buffer {
  return tarGz(
    manifestEntry([
      { ...good, path: first },
      { ...good, path: second },
    ]),
    pax({ path: first }),
    entry({ name: 'x', content: 'hello' }),
    pax({ path: second }),
    entry({ name: 'x', content: 'hello' }),
  );
}

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1;
  return copy;
}

const sound = tarGz(manifestEntry([good]), goodEntry);
const long = 'x'.repeat(256);

const cases: [name: string, bundle: Buffer, code: BundleErrorCode][] = [
  ['a path to the parent', withPath('../secret'), 'path_unsafe'],
  ['a path to the parent in the middle', withPath('a/../../secret'), 'path_unsafe'],
  ['a path that ends in the parent', withPath('a/..'), 'path_unsafe'],
  ['an absolute path', withPath('/etc/cron.d/x'), 'path_unsafe'],
  ['a path with a backslash', withPath('..\\secret'), 'path_unsafe'],
  ['a drive letter', withPath('C:/x'), 'path_unsafe'],
  ['a drive letter without a slash', withPath('c:x'), 'path_unsafe'],
  ['a share of Windows', withPath('//server/share/x'), 'path_unsafe'],
  ['a NUL in the manifest', tarGz(manifestEntry([{ ...good, path: 'a\0b' }]), goodEntry), 'path_unsafe'],
  ['a line feed', withPath('a\nb'), 'path_unsafe'],
  ['a terminal escape', withPath('a\u001b[2Jb'), 'path_unsafe'],
  ['a reversed text direction', withPath('a\u202egnp.exe'), 'path_unsafe'],
  ['a device of Windows', withPath('con'), 'path_unsafe'],
  ['a device of Windows with an extension', withPath('a/NUL.html'), 'path_unsafe'],
  ['a device of Windows with a superscript digit', withPath('com¹.txt'), 'path_unsafe'],
  ['a dot at the end', withPath('a./b'), 'path_unsafe'],
  ['a space at the end', withPath('a/b '), 'path_unsafe'],
  ['an empty segment', withPath('a//b'), 'path_unsafe'],
  ['a dot segment', withPath('a/./b'), 'path_unsafe'],
  ['a slash at the end', withPath('a/'), 'path_unsafe'],
  ['an empty path', tarGz(manifestEntry([{ ...good, path: '' }]), goodEntry), 'path_unsafe'],
  ['a segment of 256 bytes', withPath(long), 'path_unsafe'],
  ['a path of more than 1,024 bytes', withPath(Array(20).fill('y'.repeat(60)).join('/')), 'path_unsafe'],
  ['a lone surrogate', tarGz(manifestEntry([{ ...good, path: '\ud800' }]), goodEntry), 'path_unsafe'],
  ['the same path twice', twoFiles('a', 'a'), 'path_collision'],
  ['paths that differ in case', twoFiles('Readme.html', 'README.html'), 'path_collision'],
  ['paths that differ in normalisation', twoFiles('caf\u00e9', 'cafe\u0301'), 'path_collision'],
  ['paths that fold to one', twoFiles('strasse', 'straße'), 'path_collision'],
  ['a file that is the folder of another', twoFiles('a', 'a/b'), 'path_collision'],
  ['a folder that is a file of another', twoFiles('a/b', 'A'), 'path_collision'],
  ['a second manifest', twoFiles('a', 'Offprint.json'), 'path_collision'],
  [
    'a symbolic link',
    tarGz(manifestEntry([good]), rawHeader({ name: 'index.html', type: '2', link: '/etc' })),
    'entry_kind',
  ],
  [
    'a hard link',
    tarGz(manifestEntry([good]), rawHeader({ name: 'index.html', type: '1', link: '../secret' })),
    'entry_kind',
  ],
  [
    'a character device',
    tarGz(manifestEntry([good]), rawHeader({ name: 'index.html', type: '3' })),
    'entry_kind',
  ],
  [
    'a block device',
    tarGz(manifestEntry([good]), rawHeader({ name: 'index.html', type: '4' })),
    'entry_kind',
  ],
  ['a FIFO', tarGz(manifestEntry([good]), rawHeader({ name: 'index.html', type: '6' })), 'entry_kind'],
  [
    'a sparse file of GNU tar',
    tarGz(manifestEntry([good]), rawHeader({ name: 'index.html', type: 'S' })),
    'entry_kind',
  ],
  [
    'a sparse file of pax',
    tarGz(manifestEntry([good]), pax({ 'GNU.sparse.major': '1' }), goodEntry),
    'entry_kind',
  ],
  [
    'a folder',
    tarGz(manifestEntry([good]), rawHeader({ name: 'a/', type: '5' }), goodEntry),
    'entry_unexpected',
  ],
  [
    'a file the manifest does not list',
    tarGz(manifestEntry([good]), goodEntry, entry({ name: 'b' })),
    'entry_unexpected',
  ],
  [
    'a file of another name',
    tarGz(manifestEntry([good]), entry({ name: 'x', content: 'hello' })),
    'entry_unexpected',
  ],
  [
    'files in another order',
    tarGz(manifestEntry([listed('a', 'a'), listed('b', 'b')]), entry({ name: 'b', content: 'b' })),
    'entry_unexpected',
  ],
  [
    'a file that is longer than listed',
    tarGz(manifestEntry([good]), entry({ name: 'index.html', content: 'hello!' })),
    'entry_unexpected',
  ],
  [
    'a file that is shorter than listed',
    tarGz(manifestEntry([good]), entry({ name: 'index.html', content: 'hell' })),
    'entry_unexpected',
  ],
  [
    'another content of the same size',
    tarGz(manifestEntry([good]), entry({ name: 'index.html', content: 'HELLO' })),
    'digest_mismatch',
  ],
  ['a missing file', tarGz(manifestEntry([good])), 'truncated'],
  ['no manifest', tarGz(goodEntry), 'manifest_invalid'],
  ['a manifest that is not first', tarGz(goodEntry, manifestEntry([good])), 'manifest_invalid'],
  [
    'a manifest that is a link',
    tarGz(rawHeader({ name: 'offprint.json', type: '2', link: '/etc/passwd' })),
    'manifest_invalid',
  ],
  ['a manifest that is no JSON', tarGz(entry({ name: 'offprint.json', content: '{' })), 'manifest_invalid'],
  ['a manifest that is a list', tarGz(entry({ name: 'offprint.json', content: '[]' })), 'manifest_invalid'],
  [
    'a manifest of a later format',
    tarGz(manifestEntry([good], { formatVersion: 2 }), goodEntry),
    'manifest_invalid',
  ],
  ['a negative size', tarGz(manifestEntry([{ ...good, size: -1 }]), goodEntry), 'manifest_invalid'],
  [
    'a digest that is none',
    tarGz(manifestEntry([{ ...good, sha256: '../../x' }]), goodEntry),
    'manifest_invalid',
  ],
  [
    'a content type with a line feed',
    tarGz(manifestEntry([{ ...good, contentType: 'a\r\nSet-Cookie: b' }]), goodEntry),
    'manifest_invalid',
  ],
  ['a size past the limit', tarGz(manifestEntry([{ ...good, size: 2 ** 40 }])), 'too_large'],
  [
    'sizes past the limit together',
    tarGz(manifestEntry(Array.from({ length: 20 }, (_, i) => ({ ...good, path: `f${i}`, size: 2 ** 30 })))),
    'too_large',
  ],
  [
    'a wrong header checksum',
    tarGz(manifestEntry([good]), entry({ name: 'index.html', content: 'hello', checksum: '000000\0 ' })),
    'tar_invalid',
  ],
  [
    'a size that is not octal',
    tarGz(manifestEntry([good]), rawHeader({ name: 'index.html', size: '9999999999\0\0' })),
    'tar_invalid',
  ],
  [
    'a size past 2^53',
    tarGz(manifestEntry([good]), rawHeader({ name: 'index.html', size: Buffer.alloc(12, 0xff) })),
    'tar_invalid',
  ],
  [
    'a pax record that lies about its length',
    tarGz(manifestEntry([good]), entry({ name: 'p', type: 'x', content: '99 path=a\n' }), goodEntry),
    'tar_invalid',
  ],
  [
    'a pax record without a key',
    tarGz(manifestEntry([good]), entry({ name: 'p', type: 'x', content: '5 =a\n' }), goodEntry),
    'tar_invalid',
  ],
  [
    'a huge pax header',
    tarGz(manifestEntry([good]), pax({ path: 'p'.repeat(2 ** 20) }), goodEntry),
    'tar_invalid',
  ],
  [
    'a name that is not UTF-8',
    tarGz(manifestEntry([good]), entry({ name: Buffer.from([0x61, 0xff]), content: 'hello' })),
    'path_unsafe',
  ],
  ['no end of the tar', gzipSync(Buffer.concat([manifestEntry([good]), goodEntry])), 'truncated'],
  [
    'half an end of the tar',
    gzipSync(Buffer.concat([manifestEntry([good]), goodEntry, Buffer.alloc(512)])),
    'truncated',
  ],
  [
    'data after the end of the tar',
    gzipSync(Buffer.concat([manifestEntry([good]), goodEntry, tarEnd, goodEntry])),
    'trailing_data',
  ],
  ['a second gzip member', Buffer.concat([sound, sound]), 'trailing_data'],
  ['a byte after the gzip', Buffer.concat([sound, Buffer.of(0)]), 'trailing_data'],
  ['a gzip without its trailer', sound.subarray(0, -8), 'truncated'],
  ['a gzip cut in the trailer', sound.subarray(0, -1), 'truncated'],
  ['a gzip cut in the middle', sound.subarray(0, sound.length >> 1), 'truncated'],
  ['a wrong gzip checksum', flip(sound, sound.length - 8), 'gzip_invalid'],
  ['a wrong gzip length', flip(sound, sound.length - 1), 'gzip_invalid'],
  ['a file that is no gzip', Buffer.from('PK\u0003\u0004 this is a zip'), 'gzip_invalid'],
  ['an empty file', Buffer.alloc(0), 'truncated'],
  ['unknown gzip flags', Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 0xe0), sound.subarray(4)]), 'gzip_invalid'],
  [
    'a gzip name that never ends',
    Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3), Buffer.alloc(80_000, 65)]),
    'gzip_invalid',
  ],
];

function codeOf(error: unknown): string {
  return error instanceof BundleError ? error.code : String(error);
}

describe('a hostile bundle is refused and leaves nothing behind', () => {
  it.each(cases)('%s', async (_name, bundle, code) => {
    const into = join(root, 'work', 'site');
    const error = await unpackBundle(stream(bundle), into).catch((caught: unknown) => caught);
    expect(codeOf(error)).toBe(code);
    expect(readdirSync(join(root, 'work'))).toEqual([]);
    expect(readdirSync(root).sort()).toEqual(['secret', 'work']);
    expect(readFileSync(join(root, 'secret'), 'utf8')).toBe('untouched');
    expect(codeOf(await verifyBundle(stream(bundle, 7)).catch((caught: unknown) => caught))).toBe(code);
  });

  it('has at least forty cases', () => {
    expect(cases.length).toBeGreaterThanOrEqual(40);
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

  it('a bundle that the disk cannot hold is refused before the first file is written', async () => {
    const files = [{ ...good, size: 2 ** 52 }];
    const limits = { maxBytes: Number.MAX_VALUE, maxFileBytes: Number.MAX_VALUE };
    const into = join(root, 'work', 'site');
    await expect(unpackBundle(stream(tarGz(manifestEntry(files))), into, { limits })).rejects.toThrow(
      /needs \d+ bytes in .* are free/,
    );
    expect(readdirSync(join(root, 'work'))).toEqual([]);
  });

  it('more files than the limit are refused before the first is written', async () => {
    const { bundle } = await pack([
      ['a', '1'],
      ['b', '2'],
    ]);
    const into = join(root, 'work', 'site');
    await expect(unpackBundle(stream(bundle), into, { limits: { maxFiles: 1 } })).rejects.toMatchObject({
      code: 'too_large',
    });
  });

  it('a bundle with another digest than asked for is refused, though sound', async () => {
    const { bundle } = await pack([['a', '1']]);
    const into = join(root, 'work', 'site');
    await expect(unpackBundle(stream(bundle), into, { sha256: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'digest_mismatch',
    });
    expect(readdirSync(join(root, 'work'))).toEqual([]);
  });

  it('nothing is overwritten: not a folder, not a file, not a dangling link', async () => {
    const { bundle } = await pack([['a', '1']]);
    const places = ['folder', 'file', 'link'].map((name) => join(root, 'work', name));
    mkdirSync(places[0]!);
    writeFileSync(places[1]!, 'mine');
    symlinkSync(join(root, 'nowhere'), places[2]!);
    for (const into of places) {
      await expect(unpackBundle(stream(bundle), into)).rejects.toMatchObject({ code: 'target_exists' });
    }
    expect(readdirSync(root).sort()).toEqual(['secret', 'work']);
    expect(readFileSync(places[1]!, 'utf8')).toBe('mine');
  });

  it('a source that fails leaves nothing behind and its own error', async () => {
    const { bundle } = await pack([['a', 'x'.repeat(100_000)]]);
    const broken = async function* () {
      yield bundle.subarray(0, bundle.length - 20);
      throw new Error('the connection broke');
    };
    await expect(unpackBundle(broken(), join(root, 'work', 'site'))).rejects.toThrow('the connection broke');
    expect(readdirSync(join(root, 'work'))).toEqual([]);
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
