import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { drawingNames, drawingText, packageFile } from '../assets.ts';
import type { IconLibrary } from '../icon-ref.ts';

/** One drawing of a library: the content of the `<svg>`, and how it is painted. */
export interface Drawing {
  viewBox: string;
  /** Markup of the shapes, without ids, comments and repeated paint attributes. */
  body: string;
  /** Painted by strokes of 2 units (lucide, tabler outline) and not by fills. */
  stroked: boolean;
}

/** The package of each library, and its folder of drawings. */
const PACKAGES: Readonly<Record<IconLibrary, readonly [name: string, folder: string]>> = {
  fontawesome: ['@fortawesome/fontawesome-free', 'svgs'],
  lucide: ['lucide-static', 'icons'],
  tabler: ['@tabler/icons', 'icons'],
};
const drawings = new Map<string, Drawing | null>();

/** Folders of each package with a drawing of every icon. */
const FOLDERS: Readonly<Record<IconLibrary, readonly string[]>> = {
  fontawesome: ['solid', 'brands', 'regular'],
  lucide: [''],
  tabler: ['outline', 'filled'],
};
const namesByLetter = new Map<string, readonly string[]>();

/** Names of a library that start with a letter. */
export function namesFrom(library: IconLibrary, letter: string): readonly string[] {
  const key = `${library} ${letter}`;
  let names = namesByLetter.get(key);
  if (names === undefined) {
    const [name, folder] = PACKAGES[library];
    const all = FOLDERS[library].flatMap((style) =>
      drawingNames(name, style === '' ? folder : `${folder}/${style}`),
    );
    names = all.filter((icon) => icon.startsWith(letter)).sort();
    namesByLetter.set(key, names);
  }
  return names;
}

/** Styles of Font Awesome whose closest free drawing is the regular one; the others fall back to solid. */
const REGULAR_STYLES: ReadonlySet<string> = new Set([
  'regular',
  'light',
  'thin',
  'sharp-regular',
  'sharp-light',
  'sharp-thin',
]);

/**
 * The drawing of `name` in one library, null when that library has none. `name` is `[a-z0-9-]+`; `style` is a
 * Font Awesome style or tabler's `filled`.
 */
export function findDrawing(library: IconLibrary, name: string, style: string | null): Drawing | null {
  if (library === 'lucide') return read('lucide', `${name}.svg`);
  if (library === 'tabler') {
    const order = style === 'filled' || style === 'solid' ? ['filled', 'outline'] : ['outline', 'filled'];
    return firstOf(order.map((folder) => () => read('tabler', `${folder}/${name}.svg`)));
  }
  return fontAwesome(name, style) ?? fontAwesomeShim(name, style);
}

function fontAwesome(name: string, style: string | null): Drawing | null {
  const order = style === 'brands' ? ['brands', 'solid', 'regular'] : ['solid', 'brands', 'regular'];
  if (style !== null && REGULAR_STYLES.has(style)) order.unshift('regular');
  return firstOf(order.map((folder) => () => read('fontawesome', `${folder}/${name}.svg`)));
}

let shims: Record<string, { name?: string; prefix?: string }> | null = null;

/** Names of version 4, from the package's own table. */
function fontAwesomeShim(name: string, style: string | null): Drawing | null {
  shims ??= parse(
    readFileSync(packageFile('@fortawesome/fontawesome-free', 'metadata/shims.yml'), 'utf8'),
  ) as Record<string, { name?: string; prefix?: string }>;
  const shim = Object.hasOwn(shims, name) ? shims[name] : undefined;
  if (shim === undefined) return null;
  const shimStyle = shim.prefix === 'far' ? 'regular' : shim.prefix === 'fab' ? 'brands' : style;
  return fontAwesome(shim.name ?? name, shimStyle);
}

function firstOf(readers: readonly (() => Drawing | null)[]): Drawing | null {
  for (const reader of readers) {
    const drawing = reader();
    if (drawing !== null) return drawing;
  }
  return null;
}

function read(library: IconLibrary, file: string): Drawing | null {
  const key = `${library}/${file}`;
  const known = drawings.get(key);
  if (known !== undefined) return known;
  const [name, folder] = PACKAGES[library];
  const text = drawingText(name, `${folder}/${file}`);
  const drawing = text === null ? null : parseSvg(text);
  // Names are untrusted input, so the table of misses must not grow without limit.
  if (drawings.size > 20_000) drawings.clear();
  drawings.set(key, drawing);
  return drawing;
}

/** Reads a file of the three packages; their form is known, nothing of a site passes through here. */
function parseSvg(svg: string): Drawing {
  const plain = svg.replace(/<!--[\s\S]*?-->/g, '');
  const open = plain.indexOf('<svg');
  const start = plain.indexOf('>', open) + 1;
  const head = plain.slice(open, start);
  const body = plain
    .slice(start, plain.lastIndexOf('</svg>'))
    .replace(/<path stroke="none" d="M0 0h24v24H0z" fill="none"\s*\/>/, '')
    .replace(/ fill="currentColor"/g, '')
    .replace(/\s+\/>/g, '/>')
    .replace(/>\s+</g, '><')
    .trim();
  return {
    viewBox: /viewBox="([^"]+)"/.exec(head)?.[1] ?? '0 0 24 24',
    body,
    stroked: head.includes('stroke="currentColor"'),
  };
}
