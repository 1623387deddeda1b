/** Malicious bundles, each with the error code of its refusal. */
import { gzipSync } from 'node:zlib';
import type { BundleErrorCode } from '../src/index.ts';
import { entry, head, listed, manifestEntry, pax, rawHeader, tarEnd, tarGz } from './craft.ts';

export interface HostileCase {
  name: string;
  bundle: Buffer;
  code: BundleErrorCode;
}

type Case = [name: string, bundle: Buffer, code: BundleErrorCode];

const good = listed('index.html', 'hello');
const goodEntry = entry({ name: 'index.html', content: 'hello' });
const manifest = manifestEntry([good]);
const sound = tarGz(manifest, goodEntry);

/** A bundle whose one file has this path in manifest and archive. */
function withPath(path: string): Buffer {
  return tarGz(manifestEntry([{ ...good, path }]), pax({ path }), entry({ name: 'x', content: 'hello' }));
}

function twoFiles(first: string, second: string): Buffer {
  const files = [first, second];
  return tarGz(
    manifestEntry(files.map((path) => ({ ...good, path }))),
    ...files.flatMap((path) => [pax({ path }), entry({ name: 'x', content: 'hello' })]),
  );
}

/** A bundle whose manifest says one thing otherwise. */
const withManifest = (change: Record<string, unknown>) => tarGz(manifestEntry([good], change), goodEntry);
const withFile = (change: Record<string, unknown>) =>
  tarGz(manifestEntry([{ ...good, ...change }]), goodEntry);
/** A bundle whose manifest is this text. */
const withText = (text: string | Buffer) => tarGz(entry({ name: 'offprint.json', content: text }), goodEntry);
/** A bundle whose file is an entry of another kind. */
const withType = (type: string, link = '') =>
  tarGz(manifest, rawHeader({ name: 'index.html', type, link }), Buffer.alloc(0));
/** A bundle whose file has this in the size field of its header. */
const withSize = (size: string | Buffer) =>
  tarGz(manifest, rawHeader({ name: 'index.html', size }), Buffer.from('hello'.padEnd(512, '\0')));

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1;
  return copy;
}

/** The bytes at two places changed for each other: the sum that a tar header holds stays. */
function swap(bytes: Buffer, first: number, second: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[first] = bytes[second]!;
  copy[second] = bytes[first]!;
  return copy;
}

const paths: Case[] = [
  ['a path to the parent', withPath('../secret'), 'path_unsafe'],
  ['a path to the parent in the middle', withPath('a/../../secret'), 'path_unsafe'],
  ['a path that ends in the parent', withPath('a/..'), 'path_unsafe'],
  ['a path that is the parent', withPath('..'), 'path_unsafe'],
  ['a path that is the folder itself', withPath('.'), 'path_unsafe'],
  ['an absolute path', withPath('/etc/cron.d/x'), 'path_unsafe'],
  ['a path with a backslash', withPath('..\\secret'), 'path_unsafe'],
  ['a drive letter', withPath('C:/x'), 'path_unsafe'],
  ['a drive letter without a slash', withPath('c:x'), 'path_unsafe'],
  ['a share of Windows', withPath('//server/share/x'), 'path_unsafe'],
  ['a share of Windows with backslashes', withPath('\\\\server\\share\\x'), 'path_unsafe'],
  ['a device path of Windows', withPath('\\\\?\\C:\\x'), 'path_unsafe'],
  ['a NUL in the manifest', withFile({ path: 'a\0b' }), 'path_unsafe'],
  ['a line feed', withPath('a\nb'), 'path_unsafe'],
  ['a terminal escape', withPath('a\u001b[2Jb'), 'path_unsafe'],
  ['a control character of C1', withPath('a\u009bb'), 'path_unsafe'],
  ['a line separator', withPath('a\u2028b'), 'path_unsafe'],
  ['a reversed text direction', withPath('a\u202egnp.exe'), 'path_unsafe'],
  ['an isolated text direction', withPath('a\u2066b'), 'path_unsafe'],
  ['a device of Windows', withPath('con'), 'path_unsafe'],
  ['a device of Windows with an extension', withPath('a/NUL.html'), 'path_unsafe'],
  ['a device of Windows with a space before the extension', withPath('nul .html'), 'path_unsafe'],
  ['a device of Windows with a superscript digit', withPath('com¹.txt'), 'path_unsafe'],
  ['the console of Windows', withPath('a/CONIN$'), 'path_unsafe'],
  ['a folder that is a device of Windows', withPath('aux/x'), 'path_unsafe'],
  ['a dot at the end', withPath('a./b'), 'path_unsafe'],
  ['a space at the end', withPath('a/b '), 'path_unsafe'],
  ['an empty segment', withPath('a//b'), 'path_unsafe'],
  ['a dot segment', withPath('a/./b'), 'path_unsafe'],
  ['a slash at the end', withPath('a/'), 'path_unsafe'],
  ['an empty path', withFile({ path: '' }), 'path_unsafe'],
  ['a segment of 256 bytes', withPath('x'.repeat(256)), 'path_unsafe'],
  ['a segment of 256 bytes in fewer characters', withPath('é'.repeat(128)), 'path_unsafe'],
  ['a path of more than 1,024 bytes', withPath(Array(20).fill('y'.repeat(60)).join('/')), 'path_unsafe'],
  ['a lone surrogate', withFile({ path: '\ud800' }), 'path_unsafe'],
  ['a name that is not UTF-8', tarGz(manifest, entry({ name: Buffer.from([0x61, 0xff]) })), 'path_unsafe'],
  ['the same path twice', twoFiles('a', 'a'), 'path_collision'],
  ['paths that differ in case', twoFiles('Readme.html', 'README.html'), 'path_collision'],
  ['folders that differ in case', twoFiles('Guides/a', 'guides/A'), 'path_collision'],
  ['paths that differ in normalisation', twoFiles('caf\u00e9', 'cafe\u0301'), 'path_collision'],
  ['paths that fold to one', twoFiles('strasse', 'straße'), 'path_collision'],
  ['a file that is the folder of another', twoFiles('a', 'a/b'), 'path_collision'],
  ['a folder that is a file of another', twoFiles('a/b', 'A'), 'path_collision'],
  ['a second manifest', twoFiles('a', 'Offprint.json'), 'path_collision'],
  ['a file below the manifest', twoFiles('a', 'offprint.json/b'), 'path_collision'],
];

const kinds: Case[] = [
  ['a symbolic link', withType('2', '/etc'), 'entry_kind'],
  ['a symbolic link to the parent', withType('2', '..'), 'entry_kind'],
  ['a hard link', withType('1', '../secret'), 'entry_kind'],
  ['a hard link to the manifest', withType('1', 'offprint.json'), 'entry_kind'],
  [
    'a link, and a file through it',
    tarGz(
      manifestEntry([
        { ...good, path: 'a' },
        { ...good, path: 'b/secret' },
      ]),
      rawHeader({ name: 'b', type: '2', link: '..' }),
      entry({ name: 'b/secret', content: 'hello' }),
    ),
    'entry_kind',
  ],
  [
    'a chain of links behind good files',
    tarGz(
      manifestEntry([good, { ...good, path: 'b' }]),
      goodEntry,
      rawHeader({ name: 'c', type: '2', link: '../..' }),
      rawHeader({ name: 'b', type: '2', link: 'c/secret' }),
    ),
    'entry_kind',
  ],
  [
    'a link with a long name of its target',
    tarGz(manifest, pax({ linkpath: '/etc' }), withoutEnd('2')),
    'entry_kind',
  ],
  ['a character device', withType('3'), 'entry_kind'],
  ['a block device', withType('4'), 'entry_kind'],
  ['a FIFO', withType('6'), 'entry_kind'],
  ['a sparse file of GNU tar', withType('S'), 'entry_kind'],
  ['a sparse file of pax', tarGz(manifest, pax({ 'GNU.sparse.major': '1' }), goodEntry), 'entry_kind'],
  [
    'a sparse file that renames itself',
    tarGz(manifest, pax({ 'GNU.sparse.name': '../x' }), goodEntry),
    'entry_kind',
  ],
  ['a part of a file of many volumes', withType('M'), 'entry_kind'],
  ['a listing of a folder of GNU tar', withType('D'), 'entry_kind'],
  ['a label of a volume', withType('V'), 'entry_kind'],
  ['an entry of a kind that nobody knows', withType('Z'), 'entry_kind'],
  ['a folder', tarGz(manifest, rawHeader({ name: 'a/', type: '5' }), goodEntry), 'entry_unexpected'],
  ['a folder in the place of a file', withType('5'), 'entry_unexpected'],
  [
    'a file whose name ends as of a folder',
    tarGz(manifest, entry({ name: 'index.html/' })),
    'entry_unexpected',
  ],
];

function withoutEnd(type: string): Buffer {
  return rawHeader({ name: 'index.html', type });
}

const order: Case[] = [
  ['a file the manifest does not list', tarGz(manifest, goodEntry, entry({ name: 'b' })), 'entry_unexpected'],
  ['a file twice', tarGz(manifest, goodEntry, goodEntry), 'entry_unexpected'],
  ['a file of another name', tarGz(manifest, entry({ name: 'x', content: 'hello' })), 'entry_unexpected'],
  [
    'files in another order',
    tarGz(manifestEntry([listed('a', 'a'), listed('b', 'b')]), entry({ name: 'b', content: 'b' })),
    'entry_unexpected',
  ],
  [
    'a longer file than listed',
    tarGz(manifest, entry({ name: 'index.html', content: 'hello!' })),
    'entry_unexpected',
  ],
  [
    'a shorter file than listed',
    tarGz(manifest, entry({ name: 'index.html', content: 'hell' })),
    'entry_unexpected',
  ],
  [
    'another content of the same size',
    tarGz(manifest, entry({ name: 'index.html', content: 'HELLO' })),
    'digest_mismatch',
  ],
  ['a missing file', tarGz(manifest), 'truncated'],
  ['no manifest', tarGz(goodEntry), 'manifest_invalid'],
  ['nothing at all', tarGz(), 'manifest_invalid'],
  ['a manifest that is not first', tarGz(goodEntry, manifest), 'manifest_invalid'],
  ['a second manifest behind the first', tarGz(manifest, manifest, goodEntry), 'entry_unexpected'],
  [
    'a manifest that is a link',
    tarGz(rawHeader({ name: 'offprint.json', type: '2', link: '/etc/passwd' })),
    'manifest_invalid',
  ],
  ['a manifest that is a folder', tarGz(rawHeader({ name: 'offprint.json', type: '5' })), 'manifest_invalid'],
];

const renames: Case[] = [
  [
    'a long name of GNU tar that leads out',
    tarGz(manifest, entry({ name: '././@LongLink', type: 'L', content: '../secret\0' }), goodEntry),
    'entry_unexpected',
  ],
  ['a pax path that leads out', tarGz(manifest, pax({ path: '../secret' }), goodEntry), 'entry_unexpected'],
  ['a global pax path', tarGz(manifest, pax({ path: '../secret' }, 'g'), goodEntry), 'entry_unexpected'],
  [
    'two pax paths',
    tarGz(manifest, pax({ path: 'index.html' }), pax({ path: '/x' }), goodEntry),
    'entry_unexpected',
  ],
  ['an empty pax path', tarGz(manifest, pax({ path: '' }), goodEntry), 'entry_unexpected'],
  ['a pax path with a NUL', tarGz(manifest, pax({ path: 'index.html\0' }), goodEntry), 'entry_unexpected'],
  ['a pax size that is longer', tarGz(manifest, pax({ size: '512' }), goodEntry), 'entry_unexpected'],
  ['a pax size that hides an entry', tarGz(manifest, pax({ size: '0' }), goodEntry), 'entry_unexpected'],
  ['a negative pax size', tarGz(manifest, pax({ size: '-5' }), goodEntry), 'tar_invalid'],
  ['a pax size in hexadecimal', tarGz(manifest, pax({ size: '0x5' }), goodEntry), 'tar_invalid'],
  ['a pax size with an exponent', tarGz(manifest, pax({ size: '5e0' }), goodEntry), 'tar_invalid'],
  ['a pax size past 2^53', tarGz(manifest, pax({ size: '9007199254740993' }), goodEntry), 'tar_invalid'],
  [
    'a prefix that leads out',
    tarGz(manifest, entry({ name: 'index.html', prefix: '..', content: 'hello' })),
    'entry_unexpected',
  ],
  [
    'a prefix of the old GNU format',
    tarGz(manifest, entry({ name: '../secret', magic: 'ustar  \0', prefix: 'x' })),
    'entry_unexpected',
  ],
  [
    'a pax record that lies about its length',
    tarGz(manifest, entry({ name: 'p', type: 'x', content: '99 path=a\n' }), goodEntry),
    'tar_invalid',
  ],
  [
    'a pax record that is shorter than its length',
    tarGz(manifest, entry({ name: 'p', type: 'x', content: '1 path=a\n' }), goodEntry),
    'tar_invalid',
  ],
  [
    'a pax record with a rest that has no length',
    tarGz(manifest, entry({ name: 'p', type: 'x', content: '9 path=a\n\0\0\0' }), goodEntry),
    'tar_invalid',
  ],
  [
    'a pax record that is only a length',
    tarGz(manifest, entry({ name: 'p', type: 'x', content: '9 path=a\n9' }), goodEntry),
    'tar_invalid',
  ],
  [
    'a pax record without a key',
    tarGz(manifest, entry({ name: 'p', type: 'x', content: '5 =a\n' }), goodEntry),
    'tar_invalid',
  ],
  ['a huge pax header', tarGz(manifest, pax({ path: 'p'.repeat(2 ** 20) }), goodEntry), 'tar_invalid'],
  [
    'pax headers without end',
    tarGz(manifest, ...Array<Buffer>(1000).fill(pax({ comment: 'c'.repeat(5000) })), goodEntry),
    'tar_invalid',
  ],
];

const numbers: Case[] = [
  [
    'a wrong header checksum',
    tarGz(manifest, entry({ name: 'index.html', checksum: '000000\0 ' })),
    'tar_invalid',
  ],
  [
    'an empty header checksum',
    tarGz(manifest, entry({ name: 'index.html', checksum: '        ' })),
    'tar_invalid',
  ],
  ['a name of the same checksum', tarGz(manifest, swap(goodEntry, 0, 1)), 'entry_unexpected'],
  // '...05\0' becomes '...50\0'
  ['a size of the same checksum', tarGz(manifest, swap(goodEntry, 133, 134)), 'entry_unexpected'],
  ['a content of the same header', tarGz(manifest, swap(goodEntry, 512, 513)), 'digest_mismatch'],
  ['a size that is not octal', withSize('9999999999\0\0'), 'tar_invalid'],
  ['a size with a sign', withSize('-0000000005\0'), 'tar_invalid'],
  ['a negative size of base 256', withSize(Buffer.alloc(12, 0xff)), 'tar_invalid'],
  [
    'a size of base 256 past 2^53',
    withSize(Buffer.of(0x80, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0)),
    'tar_invalid',
  ],
  [
    'a size of base 256 that is another',
    withSize(Buffer.of(0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6)),
    'entry_unexpected',
  ],
  ['an empty size', withSize('\0'.repeat(12)), 'entry_unexpected'],
  [
    'a size past the end of the archive',
    tarGz(
      manifestEntry([{ ...good, size: 9000 }]),
      entry({ name: 'index.html', size: 9000, content: 'hello' }),
    ),
    'truncated',
  ],
];

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const whole = JSON.stringify({ formatVersion: 1, ...head, files: [good] });

const lies: Case[] = [
  ['a manifest that is no JSON', withText('{'), 'manifest_invalid'],
  ['a manifest with a byte order mark', withText(`\ufeff${whole}`), 'manifest_invalid'],
  ['a manifest in UTF-16', withText(Buffer.from(whole, 'utf16le')), 'manifest_invalid'],
  ['an empty manifest', withText(''), 'manifest_invalid'],
  ['a manifest that is a list', withText('[]'), 'manifest_invalid'],
  ['a manifest that is null', withText('null'), 'manifest_invalid'],
  ['a manifest of a later format', withManifest({ formatVersion: 2 }), 'manifest_invalid'],
  ['a format that is text', withManifest({ formatVersion: '1' }), 'manifest_invalid'],
  ['a format that is a list without end', withText(whole.replace('1', nested(200_000))), 'manifest_invalid'],
  ['a site that is missing', withManifest({ site: undefined }), 'manifest_invalid'],
  ['a site that is a list', withManifest({ site: [] }), 'manifest_invalid'],
  ['a domain that is a number', withManifest({ site: { ...head.site, domain: 1 } }), 'manifest_invalid'],
  ['a site without a name', withManifest({ site: { ...head.site, name: null } }), 'manifest_invalid'],
  ['an address that is an object', withManifest({ site: { ...head.site, url: {} } }), 'manifest_invalid'],
  ['a version that is a number', withManifest({ version: 1 }), 'manifest_invalid'],
  ['a version of two lines', withManifest({ version: '1\n::error::2' }), 'manifest_invalid'],
  ['a version that moves the cursor', withManifest({ version: '\u001b[2J' }), 'manifest_invalid'],
  ['a version without end', withManifest({ version: 'v'.repeat(5_000) }), 'manifest_invalid'],
  [
    'a domain that is written backwards',
    withManifest({ site: { ...head.site, domain: 'a\u202eb' } }),
    'manifest_invalid',
  ],
  ['a commit of two lines', withManifest({ commit: 'a\rb' }), 'manifest_invalid'],
  [
    'a renderer of two lines',
    withManifest({ renderer: { name: 'x', version: '1\u2028' } }),
    'manifest_invalid',
  ],
  ['a name of megabytes', withManifest({ site: { ...head.site, name: 'n'.repeat(2_000_000) } }), 'too_large'],
  [
    'redirects by the hundred thousand',
    withManifest({
      redirects: Array.from({ length: 100_001 }, () => ({ source: '/*', destination: '/', permanent: true })),
    }),
    'too_large',
  ],
  [
    'features by the thousand',
    withManifest({
      features: Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`f${at}`, true])),
    }),
    'too_large',
  ],
  ['a commit that is true', withManifest({ commit: true }), 'manifest_invalid'],
  ['no renderer', withManifest({ renderer: null }), 'manifest_invalid'],
  ['a renderer without a version', withManifest({ renderer: { name: 'x' } }), 'manifest_invalid'],
  ['redirects that are an object', withManifest({ redirects: {} }), 'manifest_invalid'],
  ['a redirect that is null', withManifest({ redirects: [null] }), 'manifest_invalid'],
  [
    'a redirect from a list',
    withManifest({ redirects: [{ source: ['/a'], destination: '/b', permanent: true }] }),
    'manifest_invalid',
  ],
  [
    'a redirect to nowhere',
    withManifest({ redirects: [{ source: '/a', permanent: true }] }),
    'manifest_invalid',
  ],
  [
    'a redirect that is permanent by text',
    withManifest({ redirects: [{ source: '/a', destination: '/b', permanent: 'true' }] }),
    'manifest_invalid',
  ],
  ['a feature that is neither on nor off', withManifest({ features: { search: 1 } }), 'manifest_invalid'],
  ['features that are a list', withManifest({ features: [true] }), 'manifest_invalid'],
  [
    'features of a prototype',
    withText(whole.replace('{"search":true}', '{"__proto__":{"search":true}}')),
    'manifest_invalid',
  ],
  [
    'a file of a prototype',
    withText(whole.replace('{"path":"index.html"', '{"__proto__":{"path":"x"}')),
    'manifest_invalid',
  ],
  ['a manifest of a prototype', withText(`{"__proto__":${whole}}`), 'manifest_invalid'],
  ['files that are an object', withManifest({ files: { length: 1, 0: good } }), 'manifest_invalid'],
  ['a file that is a text', withManifest({ files: ['index.html'] }), 'manifest_invalid'],
  ['a path that is a list', withFile({ path: ['index.html'] }), 'manifest_invalid'],
  ['a negative size in the manifest', withFile({ size: -1 }), 'manifest_invalid'],
  ['a size of half a byte', withFile({ size: 4.5 }), 'manifest_invalid'],
  ['a size that is text', withFile({ size: '5' }), 'manifest_invalid'],
  [
    'a size past 2^53 in the manifest',
    withText(whole.replace('"size":5', '"size":9007199254740993')),
    'manifest_invalid',
  ],
  ['a size past all numbers', withText(whole.replace('"size":5', '"size":1e999')), 'manifest_invalid'],
  ['a digest that is a path', withFile({ sha256: '../../x' }), 'manifest_invalid'],
  ['a digest in capitals', withFile({ sha256: good.sha256.toUpperCase() }), 'manifest_invalid'],
  ['a digest with a line feed', withFile({ sha256: `${good.sha256}\n` }), 'manifest_invalid'],
  ['a digest of another content', withFile({ sha256: '0'.repeat(64) }), 'digest_mismatch'],
  ['a content type with a line feed', withFile({ contentType: 'a\r\nSet-Cookie: b' }), 'manifest_invalid'],
  ['a content type of a kilobyte', withFile({ contentType: 'a'.repeat(1024) }), 'manifest_invalid'],
  ['a manifest of deep lists', withText(nested(1_000_000)), 'manifest_invalid'],
  ['a manifest of deep objects', withText('{"a":'.repeat(1_000_000)), 'manifest_invalid'],
];

const bombs: Case[] = [
  ['a size past the limit', tarGz(manifestEntry([{ ...good, size: 2 ** 40 }])), 'too_large'],
  [
    'sizes past the limit together',
    tarGz(manifestEntry(Array.from({ length: 20 }, (_, i) => ({ ...good, path: `f${i}`, size: 2 ** 30 })))),
    'too_large',
  ],
  ['a manifest past the limit', tarGz(rawHeader({ name: 'offprint.json', size: 2 ** 29 })), 'too_large'],
  ['a manifest of millions of values', withText(`[${'{},'.repeat(6_000_000)}{}]`), 'too_large'],
  ['a bundle in a bundle', gzipSync(Buffer.concat([sound, Buffer.alloc(512, 1)])), 'tar_invalid'],
  [
    'zeros after the end without end',
    gzipSync(Buffer.concat([manifest, goodEntry, Buffer.alloc(2_000_000)])),
    'trailing_data',
  ],
];

const ends: Case[] = [
  ['no end of the tar', gzipSync(Buffer.concat([manifest, goodEntry])), 'truncated'],
  ['half an end of the tar', gzipSync(Buffer.concat([manifest, goodEntry, Buffer.alloc(512)])), 'truncated'],
  [
    'data after the end of the tar',
    gzipSync(Buffer.concat([manifest, goodEntry, tarEnd, goodEntry])),
    'trailing_data',
  ],
  ['an end in the middle', tarGz(manifest, tarEnd, goodEntry), 'trailing_data'],
  ['a second gzip member', Buffer.concat([sound, sound]), 'trailing_data'],
  ['an empty second gzip member', Buffer.concat([sound, gzipSync('')]), 'trailing_data'],
  [
    'a bundle in two gzip members',
    Buffer.concat([gzipSync(manifest), gzipSync(Buffer.concat([goodEntry, tarEnd]))]),
    'trailing_data',
  ],
  ['a byte after the gzip', Buffer.concat([sound, Buffer.of(0)]), 'trailing_data'],
  ['a gzip without its trailer', sound.subarray(0, -8), 'truncated'],
  ['a gzip cut in the trailer', sound.subarray(0, -1), 'truncated'],
  ['a gzip cut in the middle', sound.subarray(0, sound.length >> 1), 'truncated'],
  ['a wrong gzip checksum', flip(sound, sound.length - 8), 'gzip_invalid'],
  ['a wrong gzip length', flip(sound, sound.length - 1), 'gzip_invalid'],
  ['a file that is no gzip', Buffer.from('PK\u0003\u0004 this is a zip'), 'gzip_invalid'],
  ['a tar without gzip', Buffer.concat([manifest, goodEntry, tarEnd]), 'gzip_invalid'],
  ['an empty file', Buffer.alloc(0), 'truncated'],
  ['unknown gzip flags', Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 0xe0), sound.subarray(4)]), 'gzip_invalid'],
  [
    'a gzip name that never ends',
    Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3), Buffer.alloc(80_000, 65)]),
    'gzip_invalid',
  ],
];

/** The tar of a sound bundle of two files, cut at each block and in the middle of each. */
function cuts(): Case[] {
  const files = [listed('a.html', 'a'.repeat(700)), listed('b.html', 'b')];
  const tar = Buffer.concat([
    manifestEntry(files),
    pax({ path: 'a.html' }),
    entry({ name: 'x', content: 'a'.repeat(700) }),
    entry({ name: 'b.html', content: 'b' }),
    tarEnd,
  ]);
  return Array.from(
    { length: (tar.length - 1) / 256 },
    (_, place): Case => [
      `a tar cut after ${place * 256} bytes`,
      gzipSync(tar.subarray(0, place * 256)),
      'truncated',
    ],
  );
}

export const hostileCases: HostileCase[] = [paths, kinds, order, renames, numbers, lies, bombs, ends, cuts()]
  .flat()
  .map(([name, bundle, code]) => ({ name, bundle, code }));
