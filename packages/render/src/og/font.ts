import { inflateSync } from 'node:zlib';

/** Closed outline: points of straight and quadratic segments in font units, y upwards. */
export type Contour = readonly { x: number; y: number; onCurve: boolean }[];

/** A TrueType font as far as lines of text need it: no hinting, no shaping. */
export interface Font {
  unitsPerEm: number;
  /** Glyph of a code point; 0 when the font has none. */
  glyphOf(codePoint: number): number;
  /** Font units. */
  advance(glyph: number): number;
  outline(glyph: number): Contour[];
}

/** Reads a WOFF 1.0 file (W3C recommendation: sfnt tables, each compressed by zlib). Throws for anything else. */
export function readFont(woff: Uint8Array): Font {
  const tables = readTables(woff);
  const head = table(tables, 'head');
  const glyphs = table(tables, 'glyf');
  const offsets = glyphOffsets(table(tables, 'loca'), head.getInt16(50) === 1);
  const hmtx = table(tables, 'hmtx');
  const metrics = table(tables, 'hhea').getUint16(34);
  const lookup = readCharacters(table(tables, 'cmap'));
  const outline = (glyph: number, depth: number): Contour[] => {
    const start = offsets[glyph] ?? 0;
    if (depth > 5 || start === (offsets[glyph + 1] ?? start)) return [];
    const count = glyphs.getInt16(start);
    return count >= 0
      ? simpleOutline(glyphs, start + 10, count)
      : compositeOutline(glyphs, start + 10, (part) => outline(part, depth + 1));
  };
  return {
    unitsPerEm: head.getUint16(18),
    glyphOf: lookup,
    advance: (glyph) => hmtx.getUint16(4 * Math.min(glyph, metrics - 1)),
    outline: (glyph) => outline(glyph, 0),
  };
}

/** The tables of a WOFF 1.0 file as a TrueType font file. */
export function unpackFont(woff: Uint8Array): Uint8Array {
  const tables = [...readTables(woff)];
  const size = tables.reduce(
    (sum, [, { byteLength }]) => sum + ((byteLength + 3) & ~3),
    12 + 16 * tables.length,
  );
  const font = new Uint8Array(size);
  const view = new DataView(font.buffer);
  view.setUint32(0, 0x00010000);
  view.setUint16(4, tables.length);
  let at = 12 + 16 * tables.length;
  for (const [index, [tag, table]] of tables.entries()) {
    const entry = 12 + 16 * index;
    for (let char = 0; char < 4; char++) view.setUint8(entry + char, tag.charCodeAt(char));
    view.setUint32(entry + 8, at);
    view.setUint32(entry + 12, table.byteLength);
    font.set(new Uint8Array(table.buffer, table.byteOffset, table.byteLength), at);
    at += (table.byteLength + 3) & ~3;
  }
  return font;
}

function readTables(woff: Uint8Array): Map<string, DataView> {
  const view = new DataView(woff.buffer, woff.byteOffset, woff.byteLength);
  if (view.getUint32(0) !== 0x774f4646) throw new Error('not a WOFF font');
  const tables = new Map<string, DataView>();
  for (let index = 0; index < view.getUint16(12); index++) {
    const entry = 44 + 20 * index;
    const tag = String.fromCharCode(...woff.subarray(entry, entry + 4));
    const stored = woff.subarray(
      view.getUint32(entry + 4),
      view.getUint32(entry + 4) + view.getUint32(entry + 8),
    );
    const bytes =
      stored.byteLength < view.getUint32(entry + 12) ? new Uint8Array(inflateSync(stored)) : stored;
    tables.set(tag, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }
  return tables;
}

function table(tables: ReadonlyMap<string, DataView>, tag: string): DataView {
  const found = tables.get(tag);
  if (found === undefined) throw new Error(`the font has no table ${tag}`);
  return found;
}

function glyphOffsets(loca: DataView, isLong: boolean): Uint32Array {
  const offsets = new Uint32Array(loca.byteLength / (isLong ? 4 : 2));
  for (let at = 0; at < offsets.length; at++) {
    offsets[at] = isLong ? loca.getUint32(4 * at) : 2 * loca.getUint16(2 * at);
  }
  return offsets;
}

/** The subtable of format 4, which holds the Basic Multilingual Plane. */
function readCharacters(cmap: DataView): (codePoint: number) => number {
  for (let index = 0; index < cmap.getUint16(2); index++) {
    const at = cmap.getUint32(8 + 8 * index);
    if (cmap.getUint16(at) === 4) return (codePoint) => lookUp(cmap, at, codePoint);
  }
  throw new Error('the font has no supported character map');
}

function lookUp(cmap: DataView, at: number, codePoint: number): number {
  if (codePoint > 0xffff) return 0;
  const size = cmap.getUint16(at + 6);
  for (let segment = 0; segment < size; segment += 2) {
    if (cmap.getUint16(at + 14 + segment) < codePoint) continue;
    const start = cmap.getUint16(at + 16 + size + segment);
    if (start > codePoint) return 0;
    const delta = cmap.getUint16(at + 16 + 2 * size + segment);
    const rangeAt = at + 16 + 3 * size + segment;
    const range = cmap.getUint16(rangeAt);
    if (range === 0) return (codePoint + delta) & 0xffff;
    const glyph = cmap.getUint16(rangeAt + range + 2 * (codePoint - start));
    return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
  }
  return 0;
}

function simpleOutline(view: DataView, start: number, contours: number): Contour[] {
  const ends: number[] = [];
  let at = start;
  for (let index = 0; index < contours; index++, at += 2) ends.push(view.getUint16(at));
  const count = (ends.at(-1) ?? -1) + 1;
  at += 2 + view.getUint16(at);
  const flags: number[] = [];
  while (flags.length < count) {
    const flag = view.getUint8(at++);
    const repeats = (flag & 8) === 0 ? 0 : view.getUint8(at++);
    for (let time = 0; time <= repeats; time++) flags.push(flag);
  }
  const axis = (short: number, same: number): number[] => {
    let value = 0;
    return flags.slice(0, count).map((flag) => {
      if ((flag & short) !== 0) value += view.getUint8(at++) * ((flag & same) === 0 ? -1 : 1);
      else if ((flag & same) === 0) {
        value += view.getInt16(at);
        at += 2;
      }
      return value;
    });
  };
  const xs = axis(2, 16);
  const ys = axis(4, 32);
  const points = xs.map((x, index) => ({ x, y: ys[index] ?? 0, onCurve: ((flags[index] ?? 0) & 1) === 1 }));
  return ends.map((end, index) => points.slice(index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end + 1));
}

/** A glyph made of others, such as a letter with an accent. Parts placed by points are left where they are. */
function compositeOutline(view: DataView, start: number, part: (glyph: number) => Contour[]): Contour[] {
  const contours: Contour[] = [];
  for (let at = start, more = true; more; ) {
    const flags = view.getUint16(at);
    const glyph = view.getUint16(at + 2);
    at += 4;
    const isWide = (flags & 1) !== 0;
    const isOffset = (flags & 2) !== 0;
    const [dx, dy] = isWide
      ? [view.getInt16(at), view.getInt16(at + 2)]
      : [view.getInt8(at), view.getInt8(at + 1)];
    at += isWide ? 4 : 2;
    const scales: number[] = [];
    const values = (flags & 8) !== 0 ? 1 : (flags & 64) !== 0 ? 2 : (flags & 128) !== 0 ? 4 : 0;
    for (let index = 0; index < values; index++, at += 2) scales.push(view.getInt16(at) / 16_384);
    const [a = 1, b = 0, c = 0, d = scales.length === 1 ? (scales[0] ?? 1) : 1] =
      scales.length === 2 ? [scales[0], 0, 0, scales[1]] : scales;
    for (const contour of part(glyph)) {
      contours.push(
        contour.map(({ x, y, onCurve }) => ({
          x: a * x + c * y + (isOffset ? dx : 0),
          y: b * x + d * y + (isOffset ? dy : 0),
          onCurve,
        })),
      );
    }
    more = (flags & 32) !== 0;
  }
  return contours;
}
