import { readFileSync } from 'node:fs';
import { packageFile } from '../assets.ts';
import { type Font, readFont, unpackFont } from './font.ts';
import { type Mask, rasterize } from './raster.ts';

export type Weight = 400 | 600 | 700;

/** A line of text of one size and weight. */
export interface TextStyle {
  weight: Weight;
  /** Pixels. */
  size: number;
  /** Added between letters, in ems. */
  tracking: number;
}

interface Glyph {
  mask: Mask;
  /** Pixels. */
  advance: number;
}

const SUBSETS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'vietnamese'];
const fonts = new Map<string, Font>();
const glyphs = new Map<string, Glyph | null>();

function readFile(subset: string, weight: Weight): Uint8Array {
  const path = `files/inter-${subset}-${weight}-normal.woff`;
  return new Uint8Array(readFileSync(packageFile('@fontsource/inter', path)));
}

/** The font of a subset, read at its first use in this process. */
function fontOf(subset: string, weight: Weight): Font {
  const name = `${subset}/${weight}`;
  let font = fonts.get(name);
  if (font === undefined) {
    font = readFont(readFile(subset, weight));
    fonts.set(name, font);
  }
  return font;
}

/** Font files for words inside of drawings. */
export function drawingFonts(): Uint8Array[] {
  return ([400, 600, 700] as const).map((weight) => unpackFont(readFile('latin', weight)));
}

/** Null for a character that no vendored font has. Glyphs are drawn once for each size. */
function glyphOf(char: string, { weight, size }: TextStyle): Glyph | null {
  const key = `${char}${weight}/${size}`;
  let glyph = glyphs.get(key);
  if (glyph !== undefined) return glyph;
  glyph = null;
  for (const subset of SUBSETS) {
    const font = fontOf(subset, weight);
    const index = font.glyphOf(char.codePointAt(0) ?? 0);
    if (index === 0) continue;
    const scale = size / font.unitsPerEm;
    glyph = { mask: rasterize(font.outline(index), scale), advance: font.advance(index) * scale };
    break;
  }
  glyphs.set(key, glyph);
  return glyph;
}

/** Text as it can be drawn: one line, without pictures and marks that have no shape of their own. */
export function drawable(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{Extended_Pictographic}|\p{Cf}|\p{Cc}|\p{Regional_Indicator}|\ufe0f/gu, (char) =>
      /[\d#*©®™]/.test(char) ? char : ' ',
    )
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether the fonts have every character: scripts that need others, or shaping, have no image of their own. */
export function canDraw(text: string): boolean {
  if (text === '' || text.length > 2_000) return false;
  for (const char of new Set(text)) {
    const code = char.codePointAt(0) ?? 0;
    if (char !== ' ' && SUBSETS.every((subset) => fontOf(subset, 700).glyphOf(code) === 0)) return false;
  }
  return true;
}

export function widthOf(text: string, style: TextStyle): number {
  let width = 0;
  for (const char of text) width += (glyphOf(char, style)?.advance ?? 0) + style.tracking * style.size;
  return width;
}

/**
 * Breaks text into lines no wider than `width`, at most `lines` of them; what does not fit ends in an ellipsis. A
 * word that is wider than a line is cut. `isWhole` is true if all of it fits.
 */
export function breakLines(
  text: string,
  style: TextStyle,
  width: number,
  lines: number,
): { lines: string[]; isWhole: boolean } {
  const found: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer, style) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') found.push(line);
    if (found.length === lines) return { lines: cutLast(found, style, width), isWhole: false };
    line = word;
    while (widthOf(line, style) > width) {
      const end = fitting(line, style, width);
      found.push(line.slice(0, end));
      if (found.length === lines) return { lines: cutLast(found, style, width), isWhole: false };
      line = line.slice(end);
    }
  }
  if (line !== '') found.push(line);
  return { lines: found, isWhole: true };
}

function fitting(text: string, style: TextStyle, width: number): number {
  let end = text.length;
  while (end > 1 && widthOf(text.slice(0, end), style) > width) end--;
  return end;
}

function cutLast(lines: string[], style: TextStyle, width: number): string[] {
  const last = lines.pop() ?? '';
  const room = width - widthOf('…', style);
  return [...lines, `${last.slice(0, fitting(last, style, room)).trimEnd()}…`];
}

/** Calls `put` with the mask of each letter of a line and the place of its left upper corner. */
export function eachGlyph(
  text: string,
  style: TextStyle,
  x: number,
  baseline: number,
  put: (mask: Mask, left: number, top: number) => void,
): void {
  let at = x;
  for (const char of text) {
    const glyph = glyphOf(char, style);
    if (glyph === null) continue;
    put(glyph.mask, Math.round(at) + glyph.mask.left, baseline + glyph.mask.top);
    at += glyph.advance + style.tracking * style.size;
  }
}
