import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  createReadStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { combineCrc32 } from '../src/crc.ts';
import {
  type ArtifactIndex,
  type ChunkStore,
  contentTypeOf,
  createPacker,
  directoryChunks,
  joinBundle,
  memoryChunks,
  parseArtifactIndex,
  parseManifest,
  pathFault,
  unpackBundle,
  verifyBundle,
} from '../src/index.ts';
import { head, join as joinBytes, pack, stream } from './craft.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** Bytes of buffers that somebody holds: collects until nothing more is freed, for a part of that is done in the background. */
function heldBytes(): number {
  collect();
  for (let held = process.memoryUsage().arrayBuffers; ; ) {
    collect();
    const now = process.memoryUsage().arrayBuffers;
    if (now >= held) return now;
    held = now;
  }
}

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-pack-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => text.normalize('NFC').replaceAll('/', '-'));
const path = fc
  .array(segment, { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join('/'))
  .filter((text) => pathFault(text) === null);
const files = fc.uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 3000 })), {
  maxLength: 30,
  selector: ([name]) => name.normalize('NFC').toUpperCase().toLowerCase().split('/')[0],
});

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name).slice(folder.length + 1))
    .sort();
}

describe('a large file', () => {
  it('makes the same bundle as one that is added at once, and nothing comes in between', async () => {
    const large = Buffer.alloc(40 * 256 * 1024 + 17, 'some text that repeats, but not by the block ');
    const small = (packer: ReturnType<typeof createPacker>, name: string) => packer.add(name, name);
    const atOnce = createPacker({ store: memoryChunks() });
    small(atOnce, 'a');
    atOnce.add('large.txt', large);
    small(atOnce, 'b');
    const inTurns = createPacker({ store: memoryChunks() });
    small(inTurns, 'a');
    const added = inTurns.addLarge('large.txt', large);
    expect(() => small(inTurns, 'b')).toThrow(TypeError);
    await expect(inTurns.finish(head)).rejects.toThrow(TypeError);
    await added;
    small(inTurns, 'b');
    expect(await inTurns.finish(head)).toEqual(await atOnce.finish(head));
  });

  it('is refused by its name like any other', async () => {
    const packer = createPacker({ store: memoryChunks() });
    await expect(packer.addLarge('../out', 'x')).rejects.toThrow('path');
    packer.add('in', 'x');
    expect((await packer.finish(head)).artifact.files).toBe(1);
  });
});

describe('a packed bundle', () => {
  it('unpacks to the files that went in, byte for byte', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(files, async (input) => {
        const { index, bundle } = await pack(input);
        const into = join(root, `run-${run++}`);
        const { manifest, sha256, bytes } = await unpackBundle(stream(bundle, 1000), into, {
          sha256: index.bundle.sha256,
          durable: false,
        });
        expect({ sha256, bytes }).toEqual(index.bundle);
        expect(manifest.files.map((file) => file.path)).toEqual(input.map(([name]) => name));
        for (const [name, content] of input) {
          expect(Buffer.compare(readFileSync(join(into, name)), content)).toBe(0);
        }
        expect(listFiles(into)).toEqual([...input.map(([name]) => name), 'offprint.json'].sort());
        rmSync(into, { recursive: true });
      }),
      { numRuns: 60 },
    );
  });

  it('has the same bytes every time, and other bytes for another order or content', async () => {
    const input = Array.from({ length: 300 }, (_, i) => [`p/${i}.html`, `<p>${i}</p>`.repeat(i)] as const);
    const first = await pack(input);
    const second = await pack(input);
    expect(second.index).toEqual(first.index);
    expect(Buffer.compare(second.bundle, first.bundle)).toBe(0);
    expect((await pack([...input].reverse())).index.artifact.sha256).not.toBe(first.index.artifact.sha256);
    expect((await pack(input.slice(1))).index.bundle.sha256).not.toBe(first.index.bundle.sha256);
  });

  it('compresses text, and stores files whose format is compressed', async () => {
    const content = Buffer.alloc(1_000_000, 'text');
    const { bundle: text } = await pack([['a.txt', content]]);
    const { bundle: image } = await pack([['a.png', content]]);
    expect(text.length).toBeLessThan(50_000);
    expect(image.length).toBeGreaterThan(content.length);
    expect(gunzipSync(image).includes(content)).toBe(true);
  });

  it('has the same bytes whether the event loop runs between the files or not', async () => {
    const store = memoryChunks();
    const packer = createPacker({ store });
    const noise = Array.from({ length: 40 }, (_, i) => hash('sha512', String(i), 'buffer'));
    const content = (i: number) => Buffer.concat(Array(2000).fill(noise[i % 40]));
    const input = Array.from({ length: 60 }, (_, i) => [`f${i}`, content(i)] as const);
    for (const [name, bytes] of input) {
      packer.add(name, bytes);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const slow = await packer.finish(head);
    expect((await pack(input)).index).toEqual(slow);
  });

  it('is the digest of its own bytes, and the artifact is the digest of the manifest', async () => {
    const { index, bundle } = await pack([['a.html', 'A']]);
    expect(hash('sha256', bundle)).toBe(index.bundle.sha256);
    expect(bundle.length).toBe(index.bundle.bytes);
    await unpackBundle(stream(bundle), join(root, 'site'));
    const manifest = readFileSync(join(root, 'site', 'offprint.json'));
    expect(hash('sha256', manifest)).toBe(index.artifact.sha256);
    expect(parseManifest(manifest.toString())).toMatchObject({ ...head, formatVersion: 1 });
    expect(index.artifact).toMatchObject({ files: 1, bytes: 1 });
  });

  it('is one gzip member without a name or a time', async () => {
    const { bundle } = await pack([['a.html', 'A']]);
    expect([...bundle.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
    const raw = gunzipSync(bundle);
    expect(bundle.readUInt32LE(bundle.length - 8)).toBe(crc32(raw));
    expect(bundle.readUInt32LE(bundle.length - 4)).toBe(raw.length);
  });

  it('opens with GNU tar and gzip, names of any length and script included', async () => {
    const names = [
      'index.html',
      `${'d'.repeat(90)}/${'e'.repeat(90)}.html`,
      `${'f'.repeat(200)}.html`,
      `${'g'.repeat(150)}/${'h'.repeat(150)}/i.html`,
      'zh/快速开始.html',
      'ünïcode/ñ.html',
      'with space/a b.html',
      'a'.repeat(100),
      `${'b'.repeat(155)}/${'c'.repeat(100)}`,
    ];
    const { bundle } = await pack(names.map((name) => [name, `content of ${name}`] as const));
    const file = join(root, 'site.tar.gz');
    writeFileSync(file, bundle);
    execFileSync('gzip', ['-t', file]);
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const listing = execFileSync('tar', ['tzf', file, '--quoting-style=literal'], { env }).toString();
    expect(listing.trimEnd().split('\n')).toEqual(['offprint.json', ...names]);
    execFileSync('tar', ['xzf', file, '-C', root], { env });
    for (const name of names) expect(readFileSync(join(root, name), 'utf8')).toBe(`content of ${name}`);
    expect(statSync(join(root, 'index.html')).mode & 0o777).toBe(0o644);
  });

  it('holds no path, user or time of the machine', async () => {
    const { bundle } = await pack([['a.html', 'A']]);
    const header = gunzipSync(bundle).subarray(0, 512);
    expect(header.toString('latin1', 108, 124)).toBe('0000000\x000000000\0');
    expect(Number.parseInt(header.toString('latin1', 136, 147), 8)).toBe(315532800);
    expect(header.toString('latin1', 265, 329)).toBe('\0'.repeat(64));
  });

  it('keeps working when a file was refused', async () => {
    const store = memoryChunks();
    const packer = createPacker({ store });
    packer.add('a.html', 'A');
    expect(() => packer.add('../x', '')).toThrow('"../x": The path has a .. segment.');
    expect(() => packer.add('A.html', '')).toThrow('collides with "a.html"');
    expect(() => packer.add('offprint.json', '')).toThrow('collides');
    packer.add('b.html', 'B');
    const index = await packer.finish(head);
    expect(index.artifact.files).toBe(2);
    await verifyBundle(stream(await joinBytes(index, store.get)));
  });

  it('cannot be finished twice or grow afterwards', async () => {
    const packer = createPacker({ store: memoryChunks() });
    await packer.finish(head);
    expect(() => packer.add('a', '')).toThrow('finished');
    await expect(packer.finish(head)).rejects.toThrow('finished');
  });

  it('reports the first error of the store, from whatever chunk', async () => {
    for (const failing of [0, 5, 30]) {
      let puts = 0;
      const memory = memoryChunks();
      const store: ChunkStore = {
        get: memory.get,
        put: async (chunk, bytes) => {
          if (puts++ === failing) throw new Error('no space left on device');
          await memory.put(chunk, bytes);
        },
      };
      const packer = createPacker({ store });
      for (let i = 0; i < 40; i++) packer.add(`f${i}`, Buffer.alloc(256 * 1024, i));
      await expect(packer.finish(head)).rejects.toThrow('no space left on device');
    }
  });

  it('needs a few megabytes of memory for any size of site, even when the event loop never runs', async () => {
    const folder = join(root, 'chunks');
    const packer = createPacker({ store: directoryChunks(folder) });
    // noise as long as the window of deflate, so that a chunk does not become smaller
    const page = Buffer.concat(Array.from({ length: 500 }, (_, i) => hash('sha512', String(i), 'buffer')));
    let added = 0;
    /** Adds pages and returns the bytes in use afterwards, without garbage that is not yet collected. */
    const heldAfter = (pages: number): number => {
      for (; added < pages; added++) {
        page.writeUInt32LE(added, 0);
        packer.add(`p/${added}.html`, page);
      }
      return heldBytes();
    };
    const before = heldAfter(0);
    const first = heldAfter(300);
    const last = heldAfter(1200);
    expect(page.length * 900).toBeGreaterThan(28_000_000);
    expect(last - first).toBeLessThan(1_000_000);
    expect(last - before).toBeLessThan(24_000_000);
    const index = await packer.finish(head);
    expect(index.artifact.files).toBe(1200);
  });
});

describe('chunks of two bundles', () => {
  const text = (seed: string, bytes: number): string => {
    const words = Array.from({ length: 64 }, (_, i) => hash('sha256', `${seed} ${i}`).slice(0, 12));
    let made = '';
    for (let i = 0; made.length < bytes; i++) made += `${words[(i * i + i) % 64]} ${i}\n`;
    return made.slice(0, bytes);
  };
  const site = (change: Record<string, string> = {}): [string, string][] => {
    const pages = Array.from({ length: 200 }, (_, i): [string, string] => [
      `guide/page-${i}.html`,
      text(`page ${i}`, 20_000),
    ]);
    return Object.entries({ ...Object.fromEntries(pages), 'all.txt': text('all', 3_000_000), ...change });
  };
  const added = async (changed: [string, string][]): Promise<{ content: number; manifest: number }> => {
    const { index: before } = await pack(site());
    const { index: after } = await pack(changed);
    const known = new Set(before.chunks.map((chunk) => chunk.sha256));
    const count = (chunks: readonly { sha256: string }[]) =>
      chunks.filter((chunk) => !known.has(chunk.sha256)).length;
    return {
      content: count(after.chunks.slice(after.manifestChunks)),
      manifest: count(after.chunks.slice(0, after.manifestChunks)),
    };
  };

  it('are the same but for the group of a file that has changed', async () => {
    const longer = text('changed', 21_000);
    expect((await added(site({ 'guide/page-100.html': longer }))).content).toBeLessThanOrEqual(2);
  });

  it('are the same but for a group or two when a file is added or removed', async () => {
    const files = site();
    const without = files.toSpliced(100, 1);
    const more = files.toSpliced(100, 0, ['guide/new.html', text('new', 20_000)]);
    expect((await added(without)).content).toBeLessThanOrEqual(4);
    expect((await added(more)).content).toBeLessThanOrEqual(4);
  });

  it('are the same but for the pieces of a large file that have changed', async () => {
    const all = text('all', 3_000_000);
    const changed = `${all.slice(0, 1_500_000)}some more text${all.slice(1_500_000)}`;
    // its header has its size, so that the first piece changes too
    expect((await added(site({ 'all.txt': changed }))).content).toBeLessThanOrEqual(4);
  });

  it('are the same but for a name with a digest that has changed, which moves no limit', async () => {
    const names = (digest: string): [string, string][] =>
      site().map(([path, content], i) => [i === 50 ? `_offprint/search/c-${digest}.js` : path, content]);
    const { index: before } = await pack(names('0123456789ab'));
    for (let i = 0; i < 40; i++) {
      const { index: after } = await pack(names(hash('sha256', String(i)).slice(0, 12)));
      const known = new Set(before.chunks.map((chunk) => chunk.sha256));
      const content = after.chunks.slice(after.manifestChunks);
      expect(content.filter((chunk) => !known.has(chunk.sha256)).length).toBeLessThanOrEqual(2);
    }
  });

  it('have at most 256 kB of the tar stream, and repeat no content', async () => {
    const { index } = await pack(site({ 'blank.bin': '\0'.repeat(1_000_000) }));
    expect(Math.max(...index.chunks.map((chunk) => chunk.rawBytes))).toBeLessThanOrEqual(256 * 1024);
  });
});

describe('joining an artifact again', () => {
  it('gives the bytes of the first time, from chunks and index alone', async () => {
    const folder = join(root, 'chunks');
    const packer = createPacker({ store: directoryChunks(folder) });
    for (let i = 0; i < 2000; i++) packer.add(`p/${i}.html`, `<p>${i}</p>`.repeat(100));
    const index = await packer.finish(head);
    const again = parseArtifactIndex(JSON.stringify(index));
    const bytes = await joinBytes(again, (chunk) => createReadStream(join(folder, chunk.sha256)));
    expect(hash('sha256', bytes)).toBe(index.bundle.sha256);
    const files = new Set(index.chunks.map((chunk) => chunk.sha256));
    expect(readdirSync(folder).sort()).toEqual([...files].sort());
  });

  it('stops at a damaged chunk', async () => {
    const store = memoryChunks();
    const packer = createPacker({ store });
    packer.add('a', 'content');
    const index = await packer.finish(head);
    const damaged = async () => {
      for await (const _ of joinBundle(index, async (chunk) => {
        const bytes = Buffer.from((await store.get(chunk)) as Uint8Array);
        bytes[0]! ^= 1;
        return bytes;
      }));
    };
    await expect(damaged()).rejects.toMatchObject({ code: 'digest_mismatch' });
  });

  it('refuses a damaged index', () => {
    for (const index of [
      {},
      { formatVersion: 2 },
      { formatVersion: 1, chunks: [] },
    ] as Partial<ArtifactIndex>[]) {
      expect(() => parseArtifactIndex(JSON.stringify(index))).toThrow('damaged');
    }
  });
});

describe('combining CRC-32', () => {
  it('gives that of the joined bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.uint8Array({ maxLength: 5000 }), (a, b) => {
        expect(combineCrc32(crc32(a), crc32(b), b.length)).toBe(crc32(Buffer.concat([a, b])));
      }),
    );
  });

  it('works for lengths past 4 GiB', () => {
    // CRC-32 of n zero bytes after an empty piece, combined in two ways
    const megabyte = 2 ** 20;
    const piece = crc32(Buffer.alloc(megabyte));
    const zeros = (length: number): number => {
      if (length === megabyte) return piece;
      const half = length / megabyte === 5 ? megabyte : length / 2;
      return combineCrc32(zeros(length - half), zeros(half), half);
    };
    const whole = 5 * 2 ** 30;
    expect(combineCrc32(zeros(2 ** 30), zeros(whole - 2 ** 30), whole - 2 ** 30)).toBe(zeros(whole));
  });
});

describe('content types', () => {
  it.each([
    ['index.html', 'text/html; charset=utf-8'],
    ['a/b.SVG', 'image/svg+xml; charset=utf-8'],
    ['a.b/c', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
    ['.html', 'text/html; charset=utf-8'],
    ['x.exe', 'application/octet-stream'],
  ])('%s is %s', (name, type) => {
    expect(contentTypeOf(name)).toBe(type);
  });
});
