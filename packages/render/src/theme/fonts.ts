import { readFileSync } from 'node:fs';
import { assetPath, packageFile } from '../assets.ts';
import { hashOf } from './hash.ts';

/** A font file of the bundle. */
export interface FontFile {
  /** Path in the output. */
  output: string;
  content: Uint8Array;
}

type Style = 'normal' | 'italic';

/** A part of a family that nearly every page needs: one file of the repository, which `scripts/fonts.ts` makes. */
export interface FontCore {
  style: Style;
  /** Name of the file in the folder of {@link CORE_FOLDER}. */
  file: string;
  characters: string;
  /** OpenType features that it keeps. */
  features: readonly string[];
}

export interface Family {
  name: string;
  package: string;
  prefix: string;
  /** Lightest and boldest weight of its files. */
  weights: readonly [number, number];
  subsets: readonly string[];
  italics: readonly string[];
  cores: readonly FontCore[];
}

export const CORE_FOLDER = 'packages/render/src/theme/fonts';
/** Weights of a core. The theme uses no others; those of a site's own style sheets come from the whole files. */
export const CORE_WEIGHTS: readonly [number, number] = [400, 700];

const SUBSETS = ['cyrillic-ext', 'cyrillic', 'greek', 'vietnamese', 'latin-ext', 'latin'];
const ASCII = characters(0x20, 0x7e);
const PUNCTUATION = '\u00a0–—‘’“”•…';
const TEXT = {
  characters: `${ASCII}${characters(0xa0, 0xff)}${PUNCTUATION}ŒœŸ‚„†‹›€™−`,
  features: ['calt', 'ccmp', 'kern', 'locl', 'tnum'],
};

/** Families of the bundle. */
export const FAMILIES: readonly Family[] = [
  {
    name: 'Inter Variable',
    package: '@fontsource-variable/inter',
    prefix: 'inter',
    weights: [100, 900],
    subsets: ['greek-ext', ...SUBSETS],
    italics: ['latin-ext', 'latin'],
    cores: [
      { style: 'normal', file: 'inter.woff2', ...TEXT },
      { style: 'italic', file: 'inter-italic.woff2', ...TEXT, characters: ASCII + PUNCTUATION },
    ],
  },
  {
    name: 'JetBrains Mono Variable',
    package: '@fontsource-variable/jetbrains-mono',
    prefix: 'jetbrains-mono',
    weights: [100, 800],
    subsets: SUBSETS,
    italics: [],
    cores: [
      {
        style: 'normal',
        file: 'jetbrains-mono.woff2',
        characters: ASCII + PUNCTUATION,
        features: ['ccmp'],
      },
    ],
  },
];

function characters(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)).join('');
}

/** The file of a package that holds a subset of a family. */
export function subsetFile({ package: name, prefix }: Family, subset: string, style: Style): string {
  return packageFile(name, `files/${prefix}-${subset}-wght-${style}.woff2`);
}

export interface Fonts {
  files: FontFile[];
  /** `@font-face` rules whose URLs are relative to `_offprint/`. */
  css: string;
  /** Outputs of the files that pages need at once: of all text, and of code. */
  preload: { text: string[]; code: string[] };
}

let fonts: Fonts | null = null;

/** The vendored fonts, read once per process. Names contain a digest, so that they can be cached permanently. */
export function loadFonts(): Fonts {
  fonts ??= readFonts();
  return fonts;
}

function readFonts(): Fonts {
  const files: FontFile[] = [];
  const rules: string[] = [];
  const preload: Fonts['preload'] = { text: [], code: [] };
  const add = (file: string, stem: string): string => {
    const content = new Uint8Array(readFileSync(file));
    const output = `_offprint/fonts/${stem}-${hashOf(content)}.woff2`;
    files.push({ output, content });
    return output;
  };
  for (const family of FAMILIES) {
    const ranges: Record<string, string> = JSON.parse(
      readFileSync(packageFile(family.package, 'unicode.json'), 'utf8'),
    );
    const faces = [
      ...family.subsets.map((subset) => [subset, 'normal'] as const),
      ...family.italics.map((subset) => [subset, 'italic'] as const),
    ];
    for (const [subset, style] of faces) {
      const output = add(subsetFile(family, subset, style), `${family.prefix}-${subset}-${style}`);
      for (const weights of weightRanges(family))
        rules.push(faceRule(family, { style, weights, output, range: ranges[subset] ?? 'U+0-10FFFF' }));
    }
    // The last of faces that differ in their characters only is asked first.
    for (const { style, file, characters } of family.cores) {
      const output = add(assetPath(`${CORE_FOLDER}/${file}`), `${family.prefix}-core-${style}`);
      rules.push(faceRule(family, { style, weights: CORE_WEIGHTS, output, range: unicodeRange(characters) }));
      if (style === 'normal') (family === FAMILIES[0] ? preload.text : preload.code).push(output);
    }
  }
  return { files, css: rules.join('\n'), preload };
}

/** Faces that share the characters of a text have the same weights, so those of the core are a range of their own. */
function weightRanges({ weights: [lightest, boldest] }: Family): (readonly [number, number])[] {
  const [regular, bold] = CORE_WEIGHTS;
  return [[lightest, regular - 1], CORE_WEIGHTS, [bold + 1, boldest]];
}

function faceRule(
  { name }: Family,
  face: { style: Style; weights: readonly [number, number]; output: string; range: string },
): string {
  const url = face.output.replace(/^_offprint\//, '');
  return `@font-face{font-family:'${name}';font-style:${face.style};font-display:swap;font-weight:${face.weights.join(' ')};src:url(${url}) format('woff2');unicode-range:${face.range}}`;
}

/** A list of characters as the descriptor: `U+20-7E,U+A0`. */
function unicodeRange(text: string): string {
  const points = [...new Set(Array.from(text, (character) => character.codePointAt(0) ?? 0))].sort(
    (a, b) => a - b,
  );
  const hex = (point: number): string => point.toString(16).toUpperCase();
  const ranges: [number, number][] = [];
  for (const point of points) {
    const last = ranges.at(-1);
    if (last !== undefined && point === last[1] + 1) last[1] = point;
    else ranges.push([point, point]);
  }
  return ranges.map(([first, last]) => `U+${hex(first)}${first === last ? '' : `-${hex(last)}`}`).join(',');
}

/** License texts of the vendored fonts, as their packages carry them. */
export function fontLicenses(): string {
  return FAMILIES.map(
    (family) => `${family.name}\n\n${readFileSync(packageFile(family.package, 'LICENSE'), 'utf8').trim()}`,
  ).join('\n\n---\n\n');
}
