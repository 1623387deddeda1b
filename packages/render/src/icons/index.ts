import { suggestName } from '../config/suggest-name.ts';
import { escapeAttribute } from '../escape.ts';
import type { IconLibrary, IconRef } from '../icon-ref.ts';
import { type Drawing, findDrawing, namesFrom } from './library.ts';
import { type FreeIcon, nearestIcon, otherSpellings } from './nearest.ts';

const ORDER: Readonly<Record<IconLibrary, readonly IconLibrary[]>> = {
  fontawesome: ['fontawesome', 'lucide', 'tabler'],
  lucide: ['lucide', 'fontawesome', 'tabler'],
  tabler: ['tabler', 'lucide', 'fontawesome'],
};

/**
 * License notice of the vendored drawings. Pages contain them without comments, so a site that uses icons
 * carries this text once.
 */
export const ICON_NOTICE = [
  'Icons: Font Awesome Free by Fonticons, Inc. (https://fontawesome.com), CC BY 4.0;',
  'Lucide (https://lucide.dev), ISC; Tabler Icons (https://tabler.io/icons), MIT.',
].join('\n');

/**
 * Inline SVG of a library icon, or null if no library has it or a similar one. The icon's own library comes first, then
 * `library` (the site's), then the others: pages mix names of all three. `size` is in CSS px (default 16),
 * `attributes` are written into the root as they are.
 */
export function iconSvg(icon: IconRef, library: IconLibrary, options: SvgOptions = {}): string | null {
  const found = findIcon(icon, library);
  return found === null ? null : drawSvg(found.drawing, options);
}

/** What is wrong with the name of an icon, as a warning says it; null for an icon that a library has. */
export function iconDefect(
  icon: IconRef,
  library: IconLibrary,
): { code: 'unknown-icon' | 'icon-substituted'; message: string } | null {
  const found = findIcon(icon, library);
  const shown = `\`${icon.name.slice(0, 60)}\``;
  if (found === null) {
    const similar = suggestIcon(icon, library);
    const wayOut = similar === null ? 'Use a name from an icon library.' : `Did you mean \`${similar}\`?`;
    return { code: 'unknown-icon', message: `Unknown icon ${shown}. ${wayOut}` };
  }
  if (found.substitute === null) return null;
  const { library: from, name } = found.substitute;
  return {
    code: 'icon-substituted',
    message: `No free library has the icon ${shown}; \`${name}\` of ${TITLES[from]} is shown.`,
  };
}

const TITLES: Readonly<Record<IconLibrary, string>> = {
  fontawesome: 'Font Awesome',
  lucide: 'Lucide',
  tabler: 'Tabler',
};

interface Found {
  drawing: Drawing;
  /** The icon that is drawn in place of the one that is named; null where that one is drawn. */
  substitute: FreeIcon | null;
}

function findIcon(icon: IconRef, site: IconLibrary): Found | null {
  const names = iconNames(icon.name);
  const library = icon.library ?? site;
  for (const name of names) {
    const found = findNamed(name, icon.style, library);
    if (found !== null) return found;
  }
  for (const spelling of names.flatMap(otherSpellings)) {
    const found = findNamed(spelling, icon.style, library);
    if (found !== null)
      return { ...found, substitute: found.substitute ?? { library: found.library, name: spelling } };
  }
  return null;
}

/** `fa-solid fa-gear`, `BookOpen` and `book_open` as the file name in a library, then `GitHub` as `github`. */
function iconNames(written: string): string[] {
  if (written.length > 128) return [];
  const word = written.trim().split(/\s+/).at(-1) ?? '';
  const kebab = fileName(word.replace(/([a-z0-9])([A-Z])/g, '$1-$2'));
  return [...new Set([kebab, fileName(word)])].filter((name) => /^[a-z0-9-]{1,64}$/.test(name));
}

const fileName = (word: string): string => word.toLowerCase().replaceAll('_', '-').replace(/^fa-/, '');

function findNamed(
  name: string,
  style: string | null,
  library: IconLibrary,
): (Found & { library: IconLibrary }) | null {
  for (const candidate of ORDER[library]) {
    const drawing = findDrawing(candidate, name, style);
    if (drawing !== null) return { drawing, substitute: null, library: candidate };
  }
  const near = nearestIcon(name);
  const drawing = near === null ? null : findDrawing(near.library, near.name, style);
  return near === null || drawing === null ? null : { drawing, substitute: near, library: near.library };
}

/** The most similar name of an icon, in the library of the icon or the site before the others. */
function suggestIcon(icon: IconRef, site: IconLibrary): string | null {
  const [name = ''] = iconNames(icon.name);
  if (name.length < 3) return null;
  const known = suggestions.get(name);
  if (known !== undefined) return known;
  const candidates = ORDER[icon.library ?? site].flatMap((library) => namesFrom(library, name[0] ?? ''));
  const similar = suggestName(name, candidates);
  // Names are untrusted input, so the table must not grow without limit.
  if (suggestions.size > 5000) suggestions.clear();
  suggestions.set(name, similar);
  return similar;
}

const suggestions = new Map<string, string | null>();

interface SvgOptions {
  size?: number;
  className?: string;
  /** HTML, each with a leading blank. */
  attributes?: string;
}

function drawSvg(drawing: Drawing, options: SvgOptions): string {
  const size = options.size ?? 16;
  const className =
    options.className === undefined ? 'op-icon' : `op-icon ${escapeAttribute(options.className)}`;
  const paint = drawing.stroked
    ? 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"'
    : 'fill="currentColor"';
  return `<svg${options.attributes ?? ''} class="${className}" width="${size}" height="${size}" viewBox="${drawing.viewBox}" ${paint} aria-hidden="true">${drawing.body}</svg>`;
}
