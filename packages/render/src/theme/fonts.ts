import { readFileSync } from 'node:fs';
import { packageFile } from '../assets.ts';
import { hashOf } from './hash.ts';

/** A font file of the bundle. */
export interface FontFile {
  /** Path in the output. */
  output: string;
  content: Uint8Array;
}

interface Family {
  name: string;
  package: string;
  prefix: string;
  weights: string;
  subsets: readonly string[];
  italics: readonly string[];
}

const SUBSETS = ['cyrillic-ext', 'cyrillic', 'greek', 'vietnamese', 'latin-ext', 'latin'];
/** Families of the bundle. */
export const FAMILIES: readonly Family[] = [
  {
    name: 'Inter Variable',
    package: '@fontsource-variable/inter',
    prefix: 'inter',
    weights: '100 900',
    subsets: ['greek-ext', ...SUBSETS],
    italics: ['latin-ext', 'latin'],
  },
  {
    name: 'JetBrains Mono Variable',
    package: '@fontsource-variable/jetbrains-mono',
    prefix: 'jetbrains-mono',
    weights: '100 800',
    subsets: SUBSETS,
    italics: [],
  },
];

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
  for (const family of FAMILIES) {
    const ranges = JSON.parse(readFileSync(packageFile(family.package, 'unicode.json'), 'utf8')) as Record<
      string,
      string
    >;
    const faces = [
      ...family.subsets.map((subset) => [subset, 'normal'] as const),
      ...family.italics.map((subset) => [subset, 'italic'] as const),
    ];
    for (const [subset, style] of faces) {
      const stem = `${family.prefix}-${subset}-wght-${style}`;
      const content = new Uint8Array(readFileSync(packageFile(family.package, `files/${stem}.woff2`)));
      const name = `${stem}-${hashOf(content)}.woff2`;
      const output = `_offprint/fonts/${name}`;
      files.push({ output, content });
      if (subset === 'latin' && style === 'normal')
        (family === FAMILIES[0] ? preload.text : preload.code).push(output);
      rules.push(
        `@font-face{font-family:'${family.name}';font-style:${style};font-display:swap;font-weight:${family.weights};` +
          `src:url(fonts/${name}) format('woff2');unicode-range:${ranges[subset] ?? 'U+0-10FFFF'}}`,
      );
    }
  }
  return { files, css: rules.join('\n'), preload };
}

/** License texts of the vendored fonts, as their packages carry them. */
export function fontLicenses(): string {
  return FAMILIES.map(
    (family) => `${family.name}\n\n${readFileSync(packageFile(family.package, 'LICENSE'), 'utf8').trim()}`,
  ).join('\n\n---\n\n');
}
