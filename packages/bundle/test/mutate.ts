/**
 * Bundles that are nearly sound: mutations of what a bundle says (manifest and files), of its tar, and of its gzip, each
 * made again for the levels above, so that a change deep inside is not caught by the first checksum outside.
 */
import { hash } from 'node:crypto';
import { constants, crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { entry, head, listed, pax } from './craft.ts';

export type Random = () => number;

interface Spec {
  manifest: Record<string, unknown>;
  files: { path: string; content: Buffer }[];
}
type Row = Record<string, unknown>;

const oneOf = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;
const below = (random: Random, limit: number) => Math.floor(random() * limit);

const segments = [
  ...['a', 'b', 'A', 'index.html', 'guides', '..', '.', '', ' ', '...', 'a.', 'con', 'nul .x', 'C:', 'c:d'],
  ...['x'.repeat(255), 'x'.repeat(256), 'é', 'e\u0301', '\u202e', '\u0000', '\n', '\\', '\\..\\', '~', '-'],
  ...['offprint.json', '__proto__', '%2e%2e', '\ud800', 'ß', 'ss', 'K', '\u212a', '\u009b', '\u2028'],
];

const values: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1,
    5,
    1.5,
    2 ** 31,
    2 ** 53,
    1e308,
    '',
    'x',
    '../x',
    '\r\nx: y',
    'A'.repeat(300),
  ],
  ...[[], {}, [[]], [null], { path: 'a' }, { length: 3 }, '0'.repeat(64), 'g'.repeat(64)],
  [[[[[[[[[[[[]]]]]]]]]]]],
];

const numbers = [
  ...['00000000000\0', '77777777777\0', '00000001000\0', '-0000000001\0', '0x000000005\0', '            '],
  ...['5          \0', '00000000005 ', '\0\0\0\0\0\0\0\0\0\0\0\0', '999999999999', '+0000000005\0'],
  Buffer.alloc(12, 0xff),
  Buffer.of(0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5),
  Buffer.of(0x80, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
];

/** A copy: what is put into a manifest may be changed there. */
const someValue = (random: Random): unknown => structuredClone(oneOf(random, values));

function somePath(random: Random): string {
  return Array.from({ length: 1 + below(random, 4) }, () => oneOf(random, segments)).join('/');
}

/** Sound bundles to begin with: few and many files, empty ones, long names, one that takes more than one block. */
function sources(): Spec[] {
  const sites: [string, string][][] = [
    [['index.html', 'hello']],
    [],
    [
      ['a.html', ''],
      ['b/c.html', 'x'.repeat(512)],
      ['b/d.html', 'y'.repeat(513)],
    ],
    [[`${'long/'.repeat(40)}é.html`, '<h1>Long</h1>'.repeat(200)]],
    Array.from({ length: 12 }, (_, i) => [`guides/page-${i}.html`, `<p>${'z'.repeat(i * 90)}</p>`]),
  ];
  return sites.map((files) => ({
    manifest: { formatVersion: 1, ...head, files: files.map((file) => ({ ...listed(...file) })) },
    files: files.map(([path, content]) => ({ path, content: Buffer.from(content) })),
  }));
}

const originals = sources();

function copyOf({ manifest, files }: Spec): Spec {
  return { manifest: structuredClone(manifest), files: files.map((file) => ({ ...file })) };
}

/** The rows of files, of a manifest that may have been changed before. */
const rowsOf = ({ manifest }: Spec): unknown[] => (Array.isArray(manifest.files) ? manifest.files : []);
const rowAt = (spec: Spec, at: number): Row => {
  const row = rowsOf(spec)[at];
  return typeof row === 'object' && row !== null ? (row as Row) : {};
};

/** What the bundle says: rows of files, their contents, any value of the manifest. */
const specMutations: ((random: Random, spec: Spec) => void)[] = [
  (random, { manifest }) => {
    let place: Record<string, unknown> = manifest;
    for (;;) {
      const key = oneOf(random, Object.keys(place));
      if (key === undefined) return;
      const value = place[key];
      if (typeof value === 'object' && value !== null && Object.keys(value).length > 0 && random() < 0.8) {
        place = value as Record<string, unknown>;
        continue;
      }
      if (random() < 0.2) delete place[key];
      else place[key] = someValue(random);
      return;
    }
  },
  (random, spec) => {
    const at = below(random, spec.files.length);
    const path = somePath(random);
    rowAt(spec, at).path = path;
    const file = spec.files[at];
    if (file !== undefined && random() < 0.8) file.path = path;
  },
  (random, spec) => {
    const at = below(random, spec.files.length);
    const file = spec.files[at];
    if (file === undefined) return;
    const row = rowAt(spec, at);
    const size = oneOf(random, [0, 1, 511, 512, 513, 5000, 70_000, 150_000]);
    file.content = Buffer.alloc(size, below(random, 256));
    if (random() < 0.7) row.size = size;
    if (random() < 0.7) row.sha256 = hash('sha256', file.content);
  },
  (random, spec) => {
    const from = below(random, spec.files.length);
    const to = below(random, spec.files.length + 1);
    const file = spec.files[from];
    if (file === undefined) return;
    const row = { ...rowAt(spec, from), ...(random() < 0.5 ? { path: somePath(random) } : {}) };
    rowsOf(spec).splice(to, 0, row);
    if (random() < 0.7) spec.files.splice(to, 0, { ...file, path: String(row.path) });
  },
  (random, spec) => {
    const list = random() < 0.5 ? rowsOf(spec) : spec.files;
    if (list.length > 0) list.splice(below(random, list.length), 1);
  },
  (random, spec) => {
    (random() < 0.5 ? rowsOf(spec) : spec.files).reverse();
  },
  (random, spec) => {
    const count = oneOf(random, [20, 60]);
    for (let i = 0; i < count; i++) {
      rowsOf(spec).push({ ...listed(`more/${i}`, 'm') });
      spec.files.push({ path: `more/${i}`, content: Buffer.from('m') });
    }
  },
  (random, { manifest }) => {
    manifest.redirects = Array(oneOf(random, [1, 50, 3000])).fill(someValue(random));
  },
];

function textOf(random: Random, manifest: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(manifest));
  const kind = random();
  if (kind < 0.1) text[below(random, text.length)]! ^= 1 << below(random, 8);
  else if (kind < 0.13) return Buffer.from(text.toString().replace('"files"', '"__proto__"'));
  else if (kind < 0.16)
    return Buffer.concat([text, oneOf(random, [text, Buffer.from('\0'), Buffer.from(' \n')])]);
  else if (kind < 0.18) return Buffer.from('['.repeat(oneOf(random, [9, 5000])));
  return text;
}

/** The tar of a spec as a list of blocks of whole entries, without its end. */
function entriesOf(random: Random, { manifest, files }: Spec, isPlain: boolean): Buffer[] {
  const text = isPlain ? Buffer.from(JSON.stringify(manifest)) : textOf(random, manifest);
  return [
    entry({ name: 'offprint.json', content: text }),
    ...files.flatMap(({ path, content }) =>
      path.length < 100 && /^[!-~]+$/.test(path)
        ? [entry({ name: path, content })]
        : [pax({ path }), entry({ name: 'x', content })],
    ),
  ];
}

function withChecksum(header: Buffer): void {
  header.write('        ', 148, 'latin1');
  const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}

const fields: [at: number, length: number][] = [
  [0, 100],
  [100, 8],
  [124, 12],
  [124, 12],
  [136, 12],
  [156, 1],
  [156, 1],
  [157, 100],
  [257, 8],
  [345, 155],
];
const kinds = [...'01234567xgLKSMDVNZ', '\0', '/', '\u007f'];

/** What the tar says. Headers are the first blocks of entries. */
const tarMutations: ((random: Random, entries: Buffer[]) => void)[] = [
  (random, entries) => {
    const at = below(random, entries.length);
    const header = Buffer.from(entries[at]!);
    const [from, length] = oneOf(random, fields);
    header.fill(0, from, from + length);
    if (length === 12) Buffer.from(oneOf(random, numbers)).copy(header, from);
    else if (length === 1) header.write(oneOf(random, kinds), from, 'latin1');
    else header.write(random() < 0.5 ? somePath(random) : 'ustar  \0', from, length);
    if (random() < 0.85) withChecksum(header);
    entries[at] = header;
  },
  (random, entries) => {
    const at = below(random, entries.length);
    const bytes = Buffer.from(entries[at]!);
    bytes[below(random, bytes.length)]! ^= 1 << below(random, 8);
    if (random() < 0.7) withChecksum(bytes);
    entries[at] = bytes;
  },
  (random, entries) => {
    // two bytes of a header changed for each other: the sum stays
    const at = below(random, entries.length);
    const bytes = Buffer.from(entries[at]!);
    const [first, second] = [below(random, 136), below(random, 136)];
    [bytes[first], bytes[second]] = [bytes[second]!, bytes[first]!];
    entries[at] = bytes;
  },
  (random, entries) => {
    const key = oneOf(random, ['path', 'size', 'linkpath', 'GNU.sparse.name', 'comment', 'mtime']);
    const value = oneOf(random, [
      '5',
      '0',
      '-1',
      '0x5',
      '9007199254740993',
      '',
      'index.html',
      somePath(random),
    ]);
    const extended = oneOf(random, [
      () => pax({ [key]: value }),
      () => pax({ [key]: value }, 'g'),
      () => entry({ name: '././@LongLink', type: 'L', content: `${value}\0` }),
      () => entry({ name: '././@LongLink', type: 'K', content: `${value}\0` }),
      () =>
        entry({
          name: 'p',
          type: 'x',
          content: oneOf(random, ['9 path=a\n', '0 a=b\n', '6 a=b\n', '\0\0', '999999999']),
        }),
    ])();
    const count = random() < 0.1 ? 20 : 1;
    entries.splice(below(random, entries.length + 1), 0, ...Array<Buffer>(count).fill(extended));
  },
  (random, entries) => {
    const moved = entries.splice(below(random, entries.length), 1);
    if (random() < 0.7) entries.splice(below(random, entries.length + 1), 0, ...moved);
  },
  (random, entries) => {
    entries.splice(below(random, entries.length + 1), 0, oneOf(random, entries));
  },
  (random, entries) => {
    const other = entriesOf(random, oneOf(random, originals), true);
    const from = below(random, other.length);
    entries.splice(below(random, entries.length + 1), random() < 0.5 ? 99 : 0, ...other.slice(from));
  },
];

/** What happens to the blocks of the whole tar. */
const blockMutations: ((random: Random, tar: Buffer) => Buffer)[] = [
  (random, tar) => {
    const blocks = Math.max(1, tar.length >> 9);
    const [first, second] = [below(random, blocks) << 9, below(random, blocks) << 9];
    const copy = Buffer.from(tar);
    tar.copy(copy, first, second, second + 512);
    if (random() < 0.5) tar.copy(copy, second, first, first + 512);
    return copy;
  },
  (random, tar) => {
    const at = below(random, tar.length >> 9) << 9;
    const block = oneOf(random, [
      Buffer.alloc(0),
      Buffer.alloc(512),
      Buffer.alloc(512, 0x61),
      tar.subarray(0, 512),
    ]);
    return Buffer.concat([tar.subarray(0, at), block, tar.subarray(at + (random() < 0.5 ? 512 : 0))]);
  },
  (random, tar) => tar.subarray(0, below(random, tar.length)),
  (random, tar) =>
    Buffer.concat([tar, Buffer.alloc(oneOf(random, [1, 512, 10_240, 1_100_000]), below(random, 2))]),
];

function packed(random: Random, tar: Buffer): Buffer {
  const kind = random();
  if (kind < 0.5) return gzipSync(tar, { level: 1 });
  const strategy = oneOf(random, [constants.Z_FIXED, constants.Z_HUFFMAN_ONLY, constants.Z_RLE]);
  if (kind < 0.6) return gzipSync(tar, { level: 0 });
  if (kind < 0.8) return gzipSync(tar, { strategy });
  if (kind < 0.85) return Buffer.concat([gzipSync(tar.subarray(0, 512)), gzipSync(tar.subarray(512))]);
  // by hand: optional header fields, blocks in pieces with empty ones between, a trailer that can be wrong
  const flags = below(random, 32);
  const optional = [
    flags & 4 ? Buffer.of(3, 0, 1, 2, 3) : '',
    flags & 8 ? 'name\0' : '',
    flags & 16 ? 'comment\0' : '',
    flags & 2 ? Buffer.of(0, 0) : '',
  ].map((part) => Buffer.from(part));
  const half = tar.length >> 1;
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(random() < 0.9 ? crc32(tar) : 1, 0);
  trailer.writeUInt32LE(random() < 0.9 ? tar.length : 1, 4);
  return Buffer.concat([
    Buffer.of(0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3),
    ...optional,
    deflateRawSync(tar.subarray(0, half), { finishFlush: constants.Z_FULL_FLUSH }),
    ...Array<Buffer>(below(random, 5)).fill(Buffer.of(0, 0, 0, 0xff, 0xff)),
    deflateRawSync(tar.subarray(half)),
    trailer,
  ]);
}

/** What happens to the bytes of the file. */
const byteMutations: ((random: Random, bytes: Buffer) => Buffer)[] = [
  (random, bytes) => {
    const copy = Buffer.from(bytes);
    const count = 1 + below(random, 3);
    for (let i = 0; i < count && copy.length > 0; i++) {
      copy[below(random, copy.length)]! ^= 1 << below(random, 8);
    }
    return copy;
  },
  (random, bytes) => bytes.subarray(0, below(random, bytes.length)),
  (random, bytes) => Buffer.concat([bytes, bytes.subarray(0, 1 + below(random, bytes.length))]),
  (random, bytes) => {
    const other = packed(random, Buffer.concat(entriesOf(random, oneOf(random, originals), true)));
    return Buffer.concat([
      bytes.subarray(0, below(random, bytes.length)),
      other.subarray(below(random, other.length)),
    ]);
  },
  (random, bytes) => {
    const at = below(random, bytes.length);
    return Buffer.concat([bytes.subarray(0, at), Buffer.of(below(random, 256)), bytes.subarray(at)]);
  },
];

/** One bundle that is nearly sound, or sound. The same numbers give the same bytes. */
export function makeNearlySound(random: Random): Buffer {
  const spec = copyOf(oneOf(random, originals));
  const level = random();
  if (level < 0.5) {
    for (let times = 1 + below(random, 2); times > 0; times--) oneOf(random, specMutations)(random, spec);
  }
  const entries = entriesOf(random, spec, level > 0.5);
  if (level > 0.4 && level < 0.85) {
    for (let times = 1 + below(random, 3); times > 0 && entries.length > 0; times--) {
      oneOf(random, tarMutations)(random, entries);
    }
  }
  let tar = Buffer.concat([...entries, Buffer.alloc(1024)]);
  if (random() < 0.15) tar = Buffer.from(oneOf(random, blockMutations)(random, tar));
  const bytes = packed(random, tar);
  return random() < 0.15 ? oneOf(random, byteMutations)(random, bytes) : bytes;
}
