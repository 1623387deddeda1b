/** Images in the sandbox, as exports have them encoded: real files, and hostile ones. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { type ImageRecord, unpackImage } from '@offprint/render/images';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxIn } from '../../../../../test/support/sandbox.ts';
import { ChildError } from '../../platform/sandbox/child.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { type EncodedFiles, encodeImages, IMAGE_LIMITS, type ImageLimits } from './encode-images.ts';

let root: string;
let sandbox: Sandbox;
let count = 0;
const { signal } = new AbortController();

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-images-'));
  sandbox = sandboxIn(root);
});
afterAll(async () => {
  await sandbox?.close();
  rmSync(root, { recursive: true, force: true });
});

type Format = 'webp' | 'avif';

async function encode(
  images: readonly Uint8Array[],
  {
    format = 'webp' as Format,
    limits = IMAGE_LIMITS as ImageLimits,
    widths = [720, 1440],
    through = sandbox,
  } = {},
): Promise<EncodedFiles & { records: (ImageRecord | null)[] }> {
  const into = join(root, `into-${++count}`);
  mkdirSync(into);
  const encoded = await encodeImages({
    sandbox: through,
    limits,
    images: images.map((content) => ({ format, widths, place: (file) => writeFile(file, content) })),
    into,
    work: join(root, `work-${count}`),
    signal,
  });
  const made = new Set(readdirSync(into));
  const records = images.map((_, number) =>
    made.has(String(number)) ? unpackImage(readFileSync(join(into, String(number)))) : null,
  );
  return { ...encoded, records };
}

/** A picture that no encoder makes small: noise over a gradient. */
function pixels(width: number, height: number, channels: 3 | 4 = 3) {
  const data = Buffer.alloc(width * height * channels);
  let state = 7;
  for (let at = 0; at < data.length; at++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    data[at] = ((at / width / channels) & 127) + ((state >> 16) & 31);
  }
  return sharp(data, { raw: { width, height, channels } });
}

const chunk = (kind: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
};
const header = (width: number, height: number): Buffer => {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([8, 2, 0, 0, 0], 8);
  return chunk('IHDR', data);
};
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

const digest = (record: ImageRecord | null): string =>
  createHash('sha256')
    .update(JSON.stringify(record?.variants.map(({ content }) => Buffer.from(content).toString('base64'))))
    .digest('hex');

test.each(['webp', 'avif'] as const)(
  'variants in %s have the widths of the column, once and twice, and are smaller',
  async (format) => {
    const original = await pixels(2_000, 800).png().toBuffer();
    const { records, faults, fault } = await encode([original], { format });
    expect([faults.size, fault]).toEqual([0, null]);
    expect(records[0]).toMatchObject({ width: 2_000, height: 800, fault: null });
    expect(records[0]?.variants.map(({ width }) => width)).toEqual([720, 1_440]);
    for (const { width, content } of records[0]?.variants ?? []) {
      const made = await sharp(content).metadata();
      expect([made.format, made.width, made.height]).toEqual([
        format === 'avif' ? 'heif' : 'webp',
        width,
        (width * 800) / 2_000,
      ]);
      expect(content.byteLength).toBeLessThan(original.byteLength * 0.8);
    }
  },
);

test('the same image has the same bytes in another process, alone or among others', async () => {
  const one = await pixels(1_000, 500).png().toBuffer();
  const other = await pixels(900, 300, 4).webp({ lossless: true }).toBuffer();
  for (const format of ['webp', 'avif'] as const) {
    const alone = await encode([one], { format });
    const among = await encode([other, one, other], { format });
    expect(digest(among.records[1] ?? null)).toBe(digest(alone.records[0] ?? null));
    expect(digest(among.records[0] ?? null)).toBe(digest(among.records[2] ?? null));
  }
});

test('an image that is narrower than the column has one variant of its own width', async () => {
  const { records } = await encode([await pixels(600, 400).png().toBuffer()]);
  expect(records[0]?.variants.map(({ width }) => width)).toEqual([600]);
});

test('a file that gains nothing has no variants', async () => {
  const { records } = await encode([await pixels(700, 400).webp({ quality: 40 }).toBuffer()]);
  expect(records[0]).toEqual({ width: 700, height: 400, variants: [], fault: null });
});

test('orientation, color spaces and depths of cameras and printers become those of screens', async () => {
  const turned = await pixels(1_000, 500).jpeg({ quality: 95 }).withMetadata({ orientation: 6 }).toBuffer();
  const printed = await pixels(1_000, 500).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer();
  const deep = await pixels(1_000, 500).toColourspace('rgb16').png().toBuffer();
  const clear = await pixels(1_000, 500, 4).png().toBuffer();
  const { records } = await encode([turned, printed, deep, clear]);
  expect(records.map((record) => [record?.width, record?.height, record?.fault])).toEqual([
    [500, 1_000, null],
    ...Array(3).fill([1_000, 500, null]),
  ]);
  for (const [at, record] of records.entries()) {
    const made = await sharp(record?.variants.at(-1)?.content).metadata();
    expect([made.space, made.depth, made.hasAlpha, made.orientation], String(at)).toEqual([
      'srgb',
      'uchar',
      at === 3,
      undefined,
    ]);
    expect([made.width, made.height]).toEqual(at === 0 ? [500, 1_000] : [1_000, 500]);
  }
});

test('pictures that move stay as they are', async () => {
  const frames = await sharp(Buffer.alloc(300 * 600 * 3, 90), {
    raw: { width: 300, height: 600, channels: 3, pageHeight: 300 },
  })
    .webp({ loop: 0, delay: [100, 100] })
    .toBuffer();
  const still = await pixels(900, 400).png().toBuffer();
  const moving = Buffer.concat([
    still.subarray(0, 33),
    chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])),
    still.subarray(33),
  ]);
  const { records } = await encode([frames, moving]);
  expect(records.map((record) => [record?.variants.length, record?.fault])).toEqual([
    [0, null],
    [0, null],
  ]);
});

test('damaged and hostile files have a reason each; the others are encoded', async () => {
  const good = await pixels(1_000, 500).png().toBuffer();
  const jpeg = await pixels(1_000, 500).jpeg().toBuffer();
  const rows = deflateSync(Buffer.alloc(30_000_000), { level: 9 });
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><image href="file:///etc/passwd"/></svg>',
  );
  const tiff = await pixels(1_000, 500).tiff().toBuffer();
  const gif = await pixels(300, 300).gif().toBuffer();
  const hostile: Record<string, Uint8Array> = {
    'cut PNG': good.subarray(0, 20_000),
    'cut JPEG': jpeg.subarray(0, 20_000),
    'only a header': SIGNATURE,
    'a bomb: 60,000 x 60,000 pixels in a few kilobytes': Buffer.concat([
      SIGNATURE,
      header(60_000, 60_000),
      chunk('IDAT', rows),
      chunk('IEND', Buffer.alloc(0)),
    ]),
    'a size of nothing': Buffer.concat([
      SIGNATURE,
      header(0, 0),
      chunk('IDAT', rows),
      chunk('IEND', Buffer.alloc(0)),
    ]),
    'the largest sides there are': Buffer.concat([
      SIGNATURE,
      header(0x7fffffff, 0x7fffffff),
      chunk('IDAT', rows),
      chunk('IEND', Buffer.alloc(0)),
    ]),
    'a drawing': svg,
    'a drawing behind the mark of a PNG': Buffer.concat([SIGNATURE, svg]),
    'a TIFF': tiff,
    'a GIF': gif,
    'a PDF': Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF'),
    nothing: new Uint8Array(),
  };
  const { records, faults, fault } = await encode([...Object.values(hostile), good]);
  expect([faults.size, fault]).toEqual([0, null]);
  for (const [at, name] of Object.keys(hostile).entries()) {
    expect(records[at]?.variants, name).toEqual([]);
    expect(records[at]?.fault, name).toMatch(/\S/);
    expect(records[at]?.fault, name).not.toMatch(/root:|\n/);
  }
  expect(records.at(-1)).toMatchObject({ fault: null, width: 1_000 });
  expect(records.at(-1)?.variants).toHaveLength(2);
});

test('mutated files have variants or a reason each, and no process ends of them', async () => {
  let state = 11;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  const image = pixels(300, 200);
  const originals = await Promise.all(
    [image.clone().png(), image.clone().jpeg(), image.clone().webp()].map((one) => one.toBuffer()),
  );
  const mutated = Array.from({ length: 90 }, (_, at) => {
    const bytes = Buffer.from(originals[at % 3] ?? []);
    for (let change = 0; change <= at % 7; change++)
      bytes[random(at % 2 === 0 ? 80 : bytes.length)] = random(256);
    return at % 5 === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
  });
  const { records, faults, fault } = await encode(mutated);
  expect([faults.size, fault]).toEqual([0, null]);
  expect(records.filter((record) => record === null)).toEqual([]);
  expect(records.filter((record) => record?.fault !== null).length).toBeGreaterThan(20);
});

test('an image that takes too much CPU time costs itself only', async () => {
  const good = await pixels(100, 100).png().toBuffer();
  const large = await pixels(1_440, 8_000).png({ compressionLevel: 1 }).toBuffer();
  const limits = { ...IMAGE_LIMITS, imageCpuMs: 2_000 };
  const { records, faults, fault } = await encode([good, large, good], { format: 'avif', limits });
  expect([...faults]).toEqual([[1, 'it needs more than 2 s of CPU time']]);
  expect(records.map((record) => record?.variants.length ?? null)).toEqual([1, null, 1]);
  expect(fault).toBeNull();
});

test('when all images have taken their CPU time, the rest stays as it is, with one reason', async () => {
  const images = await Promise.all(Array.from({ length: 40 }, () => pixels(800, 400).png().toBuffer()));
  const { records, fault } = await encode(images, { limits: { ...IMAGE_LIMITS, cpuMs: 1 } });
  expect(fault).toBe('they need more than 0.001 s of CPU time.');
  expect(records.filter((record) => record === null)).toHaveLength(8);
});

test('a process that the machine ends is started again, and not without end', async () => {
  const image = await pixels(800, 400).png().toBuffer();
  const unlucky = (kills: number): { sandbox: Sandbox; runs(): number } => {
    let runs = 0;
    return {
      runs: () => runs,
      sandbox: {
        ...sandbox,
        async run(work) {
          runs += 1;
          if (runs <= kills) throw new ChildError('killed', 'It was killed.', '');
          return sandbox.run(work);
        },
      },
    };
  };
  const { sandbox: other, runs } = unlucky(3);
  expect(await encode([image], { through: other })).toMatchObject({
    fault: null,
    records: [{ fault: null }],
  });
  expect(runs()).toBe(4);
  const never = unlucky(99);
  const { records, fault } = await encode([image], { through: never.sandbox });
  expect([records, fault]).toEqual([[null], 'It was killed.']);
  expect(never.runs()).toBe(1 + IMAGE_LIMITS.restarts);
});

test('a signal ends the work', async () => {
  const stop = new AbortController();
  const image = await pixels(4_000, 3_000).png({ compressionLevel: 1 }).toBuffer();
  const into = join(root, `into-${++count}`);
  mkdirSync(into);
  const running = encodeImages({
    sandbox,
    limits: IMAGE_LIMITS,
    images: Array.from({ length: 20 }, () => ({
      format: 'avif' as const,
      widths: [720, 1440],
      place: (file: string) => writeFile(file, image),
    })),
    into,
    work: join(root, `work-${count}`),
    signal: stop.signal,
  });
  setTimeout(() => stop.abort(new Error('it was cancelled')), 300);
  await expect(running).rejects.toThrow('it was cancelled');
});

test('the files of a run are gone afterwards', async () => {
  await encode([await pixels(800, 400).png().toBuffer()]);
  expect(readdirSync(root).filter((name) => name.startsWith('work-'))).toEqual([]);
  writeFileSync(join(root, 'marker'), '');
});
