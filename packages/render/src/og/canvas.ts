import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { Mask } from './raster.ts';

/** Red, green, blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

/** A picture of opaque pixels, three bytes each, row by row. */
export interface Canvas {
  width: number;
  height: number;
  pixels: Uint8Array;
}

export function createCanvas(width: number, height: number, color: Rgb): Canvas {
  const pixels = new Uint8Array(width * height * 3);
  pixels.set(color);
  for (let filled = 3; filled < pixels.length; filled *= 2) pixels.copyWithin(filled, 0, filled);
  return { width, height, pixels };
}

export function copyOf(canvas: Canvas): Canvas {
  return { ...canvas, pixels: canvas.pixels.slice() };
}

/** Mixes a color into one pixel; `amount` 0 to 1. Pixels outside are left. */
export function blend(canvas: Canvas, x: number, y: number, color: Rgb, amount: number): void {
  if (x < 0 || y < 0 || x >= canvas.width || y >= canvas.height || amount <= 0) return;
  const { pixels } = canvas;
  const at = 3 * (y * canvas.width + x);
  for (let channel = 0; channel < 3; channel++) {
    const under = pixels[at + channel] as number;
    pixels[at + channel] = Math.round(under + ((color[channel] as number) - under) * amount);
  }
}

/** Steps from one color to another at the edges of letters: few enough for a palette, more than eyes can distinguish. */
const STEPS = 16;

/** The colors of letters on a background. */
export function ramp(ground: Rgb, ink: Rgb): Rgb[] {
  return Array.from({ length: STEPS }, (_, step) => {
    const mix = (channel: 0 | 1 | 2): number =>
      Math.round(ground[channel] + ((ink[channel] - ground[channel]) * (step + 1)) / STEPS);
    return [mix(0), mix(1), mix(2)];
  });
}

/** Paints a color through a mask. */
export function paint(canvas: Canvas, mask: Mask, left: number, top: number, color: Rgb): void {
  for (let y = 0; y < mask.height; y++) {
    for (let x = 0; x < mask.width; x++) {
      const coverage = mask.coverage[y * mask.width + x] ?? 0;
      const step = Math.round((coverage * STEPS) / 255);
      if (step > 0) blend(canvas, left + x, top + y, color, step / STEPS);
    }
  }
}

/** Lays a picture with transparency (four bytes per pixel, not premultiplied) over the canvas. */
export function overlay(
  canvas: Canvas,
  picture: { width: number; height: number; pixels: Uint8Array },
  left: number,
  top: number,
): void {
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      const at = 4 * (y * picture.width + x);
      const [red = 0, green = 0, blue = 0, alpha = 0] = picture.pixels.subarray(at, at + 4);
      blend(canvas, left + x, top + y, [red, green, blue], alpha / 255);
    }
  }
}

/** Number of background colors that leaves room for letters in a palette of 256. */
const GROUND_COLORS = 190;

/**
 * Rounds the colors of a canvas until a palette holds them: a photograph behind words keeps its look, and each
 * picture drawn over it takes a third of the bytes and a tenth of the time.
 */
export function posterise(canvas: Canvas): void {
  const { pixels } = canvas;
  for (let bits = 0; bits < 8; bits++) {
    const keep = (0xff << bits) & 0xff;
    const half = bits === 0 ? 0 : 1 << (bits - 1);
    const colors = new Set<number>();
    for (let at = 0; at < pixels.length && colors.size <= GROUND_COLORS; at += 3) {
      const [red = 0, green = 0, blue = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]];
      colors.add(((red & keep) << 16) | ((green & keep) << 8) | (blue & keep));
    }
    if (colors.size > GROUND_COLORS) continue;
    if (bits > 0) for (let at = 0; at < pixels.length; at++) pixels[at] = ((pixels[at] ?? 0) & keep) | half;
    return;
  }
}

const SIGNATURE = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A canvas as indices of a palette, from which the images drawn over it start. */
export interface PaletteBase {
  canvas: Canvas;
  palette: readonly Rgb[];
  /** Rows as a PNG stores them: a byte for the filter, then one a pixel. */
  rows: Uint8Array;
  /** The rows in bands, compressed: a picture compresses only those that it changes. */
  bands: readonly Band[];
  /** Room for the rows of one picture after the other: a megabyte for each would keep the collector busy. */
  scratch: Uint8Array;
}

/** Finds the palette of a canvas: the colors named first, then its own as they come. */
export function findPalette(canvas: Canvas, first: readonly Rgb[]): PaletteBase {
  const { width, height } = canvas;
  const palette: Rgb[] = [];
  const indexOf = createIndex(palette);
  for (const color of first) indexOf((color[0] << 16) | (color[1] << 8) | color[2]);
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y++) writeRow(canvas, y, rows, indexOf);
  const bands = Array.from({ length: Math.ceil(height / BAND) }, (_, at) =>
    compress(rows.subarray(at * BAND * (width + 1), (at + 1) * BAND * (width + 1))),
  );
  return { canvas, palette, rows, bands, scratch: new Uint8Array(rows.length) };
}

/** Rows of a band. */
const BAND = 18;

/** A part of the rows: bytes of a deflate stream without its end, and what the checksum of the whole needs. */
interface Band {
  packed: Uint8Array;
  sums: Sums;
}

function compress(rows: Uint8Array): Band {
  return {
    packed: deflateRawSync(rows, { level: 5, finishFlush: constants.Z_FULL_FLUSH }),
    sums: sumsOf(rows),
  };
}

/** The two sums of Adler-32 (RFC 1950) over `length` bytes. */
interface Sums {
  low: number;
  high: number;
  length: number;
}

const ADLER = 65_521;

function sumsOf(bytes: Uint8Array): Sums {
  let [low, high] = [1, 0];
  for (let at = 0; at < bytes.length; ) {
    // The sums of 5,552 bytes fit into 32 bits; then the remainder is needed.
    const end = Math.min(at + 5552, bytes.length);
    for (; at < end; at++) {
      low += bytes[at] as number;
      high += low;
    }
    low %= ADLER;
    high %= ADLER;
  }
  return { low, high, length: bytes.length };
}

/** The sums of two parts that follow each other. */
function join(first: Sums, second: Sums): Sums {
  const over = first.low + ADLER - 1;
  return {
    low: (over + second.low) % ADLER,
    high: (first.high + second.high + (over % ADLER) * (second.length % ADLER)) % ADLER,
    length: first.length + second.length,
  };
}

/** A zlib stream of bands. */
function zlibOf(bands: readonly Band[]): Uint8Array {
  const { low, high } = bands.map(({ sums }) => sums).reduce(join);
  const end = Buffer.from([3, 0, 0, 0, 0, 0]);
  end.writeUInt32BE(high * 65_536 + low, 2);
  return Buffer.concat([Uint8Array.from([0x78, 0x5e]), ...bands.map(({ packed }) => packed), end]);
}

/**
 * What was drawn over a base as a PNG (ISO/IEC 15948) of at most 256 colors, a third of the size: those of the base, then as they
 * come, then the closest of them.
 */
export function encodePalettePng(canvas: Canvas, base: PaletteBase): Uint8Array {
  const { width, height, pixels } = canvas;
  const palette = [...base.palette];
  const indexOf = createIndex(palette);
  const rows = base.scratch;
  rows.set(base.rows);
  const now = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  const before = base.canvas.pixels;
  const bands: Band[] = [];
  /** First row of bands that are to be compressed together. */
  let changed: number | null = null;
  const close = (end: number): void => {
    if (changed !== null) bands.push(compress(rows.subarray(changed * (width + 1), end * (width + 1))));
    changed = null;
  };
  for (const [at, band] of base.bands.entries()) {
    const end = Math.min((at + 1) * BAND, height);
    let isSame = true;
    for (let y = at * BAND; y < end; y++) {
      const [from, to] = [3 * y * width, 3 * (y + 1) * width];
      if (now.compare(before, from, to, from, to) === 0) continue;
      writeRow(canvas, y, rows, indexOf);
      isSame = false;
    }
    if (!isSame) changed ??= at * BAND;
    else {
      close(at * BAND);
      bands.push(band);
    }
  }
  close(height);
  return png(width, height, 3, [
    chunk('PLTE', Uint8Array.from(palette.flat())),
    chunk('IDAT', zlibOf(bands)),
  ]);
}

/** Index of a color (`0xrrggbb`) in a palette, which adds it while there is room. */
function createIndex(palette: Rgb[]): (color: number) => number {
  const indices = new Map(palette.map(([red, green, blue], at) => [(red << 16) | (green << 8) | blue, at]));
  return (color) => {
    let index = indices.get(color);
    if (index === undefined) {
      const rgb: Rgb = [color >> 16, (color >> 8) & 255, color & 255];
      index = palette.length < 256 ? palette.push(rgb) - 1 : nearest(palette, ...rgb);
      indices.set(color, index);
    }
    return index;
  };
}

function writeRow(
  { width, pixels }: Canvas,
  y: number,
  rows: Uint8Array,
  indexOf: (color: number) => number,
): void {
  let last = -1;
  let index = 0;
  let to = y * (width + 1) + 1;
  for (let at = 3 * y * width, end = at + 3 * width; at < end; at += 3) {
    const color =
      ((pixels[at] as number) << 16) | ((pixels[at + 1] as number) << 8) | (pixels[at + 2] as number);
    if (color !== last) index = indexOf(color);
    last = color;
    rows[to++] = index;
  }
}

function nearest(palette: readonly Rgb[], red: number, green: number, blue: number): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index < palette.length; index++) {
    const color = palette[index] as Rgb;
    const far = (color[0] - red) ** 2 + (color[1] - green) ** 2 + (color[2] - blue) ** 2;
    if (far >= least) continue;
    best = index;
    least = far;
  }
  return best;
}

function png(width: number, height: number, colorType: number, chunks: readonly Buffer[]): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colorType, 0, 0, 0], 8);
  return new Uint8Array(
    Buffer.concat([SIGNATURE, chunk('IHDR', header), ...chunks, chunk('IEND', new Uint8Array())]),
  );
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.byteLength);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
