import { placeOf } from '../config/place.ts';
import type { FontFace, SiteConfig } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import { contrast, formatHex, parseHex, type Rgb, readableShade, textOn } from './color.ts';
import { FAMILIES } from './fonts.ts';
import { encodePath } from './paths.ts';

/** Faces of a site's own, and what they need in the style sheet. */
export interface SiteFonts {
  css: string;
  /** Outputs of the files that every page needs at once; null = those of the theme. */
  preload: string[] | null;
}

/**
 * `fonts` of docs.json: a file of the source becomes a face, a vendored or generic family is taken by its name, any
 * other falls back to the fonts of the theme with a warning, since an export asks no other host.
 */
export function siteFonts(config: SiteConfig, source: SourceTree, warn: Warn): SiteFonts {
  const { body, heading } = config.fonts;
  const preload: string[] = [];
  let css = '';
  const family = (face: FontFace | null): string | null => {
    if (face === null) return null;
    const file = fontFile(face, source);
    if (file === null) return vendored(face, config, warn);
    // A style sheet that was fetched for the family; every page loads it like those of the source.
    if (file.endsWith('.css')) return quoted(face.family);
    if (!preload.includes(encodePath(file))) {
      preload.push(encodePath(file));
      css += fontFaceRule(face, file);
    }
    return quoted(face.family);
  };
  const bodyFamily = family(body);
  const headingFamily = family(heading);
  let tokens = '';
  if (bodyFamily !== null) tokens += `--font-body:${bodyFamily},"Inter Fallback",system-ui,sans-serif;`;
  if (headingFamily !== null && headingFamily !== bodyFamily)
    tokens += `--font-heading:${headingFamily},var(--font-body);`;
  if (tokens !== '') css += `:root{${tokens}}`;
  // The weight of a face for headings alone is what its headings are set in.
  const weight = heading === null || heading === body ? null : heading.weight;
  if (weight !== null) css += `#page-title,.prose :where(h1,h2,h3,h4,h5,h6){font-weight:${weight}}`;
  const isOwn = preload.length > 0 || GENERIC_FAMILIES.has(bodyFamily ?? '');
  return { css, preload: bodyFamily !== null && isOwn ? preload : null };
}

/** Families that every browser has: keywords of CSS, never in quotation marks. */
const GENERIC_FAMILIES: ReadonlySet<string> = new Set([
  'system-ui',
  'sans-serif',
  'serif',
  'monospace',
  'ui-sans-serif',
  'ui-serif',
  'ui-monospace',
  'ui-rounded',
]);

/** File and line of a member of docs.json; if unknown, those of the closest known one around it. */
export function writtenAt(
  config: SiteConfig,
  ...keys: readonly string[]
): { file: string; line: number | null } {
  let container: unknown = config.raw;
  let found: { file: string; line: number } | null = null;
  for (const key of keys) {
    if (typeof container !== 'object' || container === null) break;
    found = placeOf(container, key) ?? found;
    container = (container as Record<string, unknown>)[key];
  }
  return found === null ? { file: config.file, line: null } : { file: found.file, line: found.line };
}

function fontFile(face: FontFace, source: SourceTree): string | null {
  if (face.source === null || /^https:/i.test(face.source)) return null;
  const path = face.source.replace(/^\.?\/+/, '');
  return source.has(path) ? path : null;
}

/** The stack of a family that comes with the theme or the browser; null with a warning for another. */
function vendored(face: FontFace, config: SiteConfig, warn: Warn): string | null {
  const wanted = face.family.toLowerCase().replace(/ variable$/, '');
  const found = FAMILIES.find(({ name }) => name.toLowerCase().replace(/ variable$/, '') === wanted);
  if (found !== undefined) return quoted(found.name);
  if (GENERIC_FAMILIES.has(wanted)) return wanted;
  const name = JSON.stringify(face.family);
  const reason =
    face.source === null
      ? `The font ${name} is not included in an export`
      : /^https:/i.test(face.source)
        ? `The font ${name} is on another host, and an export loads nothing from other hosts`
        : `The file ${JSON.stringify(face.source)} of the font ${name} does not exist`;
  warn({
    ...writtenAt(config, 'fonts'),
    code: 'font-missing',
    message: `${reason}; Inter is used instead. Add the font file to the docs folder and set its path in "fonts.source".`,
  });
  return null;
}

function fontFaceRule(face: FontFace, file: string): string {
  const format = face.format ?? (/\.woff$/i.test(file) ? 'woff' : /\.woff2$/i.test(file) ? 'woff2' : null);
  const hint = format === null ? '' : ` format('${format}')`;
  const weight = face.weight ?? '100 900';
  return `@font-face{font-family:${quoted(face.family)};font-display:swap;font-weight:${weight};src:url(${cssUrl(file)})${hint}}`;
}

/** A file of the output from the folder of the style sheet. */
function cssUrl(file: string): string {
  const path = file
    .toWellFormed()
    .split('/')
    .map((segment) =>
      encodeURIComponent(segment).replace(/['()]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`),
    )
    .join('/');
  return `"../${path}"`;
}

function quoted(family: string): string {
  return `"${family.replace(/[^\p{L}\p{N} ._-]/gu, '')}"`;
}

/** Backgrounds of the pages: the site's own where text reads on them, else those of the theme. */
export interface Grounds {
  light: Rgb;
  dark: Rgb;
  css: string;
}

const MUTED = { light: '#565661', dark: '#a6a6b0' } as const;
const FAINT = { light: '#6d6d78', dark: '#8e8e99' } as const;
const TEXT = { light: '#18181b', dark: '#e9e9ec' } as const;

/** `background` of docs.json. */
export function siteGrounds(
  config: SiteConfig,
  theme: { light: Rgb; dark: Rgb },
  source: SourceTree,
  warn: Warn,
): Grounds {
  const { color, decoration, image } = config.background;
  const grounds = { ...theme };
  for (const key of ['light', 'dark'] as const) {
    const written = color[key];
    const given = written === null ? null : parseHex(written);
    if (given === null) continue;
    if (contrast(given, parseHex(TEXT[key]) ?? given) >= 7) grounds[key] = given;
    else
      warn({
        ...writtenAt(config, 'background', 'color', key),
        code: 'color-contrast',
        message: `background.color.${key} ${written} gives text in the ${key} theme a contrast below 7:1; the default background is used. Choose a ${key === 'light' ? 'lighter' : 'darker'} color.`,
      });
  }
  let css = '';
  if (grounds.light !== theme.light || grounds.dark !== theme.dark) css += groundTokens(grounds);
  const layers = [imageLayer(image, source), decoration].filter((layer) => layer !== null);
  if (layers.length > 0) css += decorationCss(decoration, imageLayer(image, source));
  return { ...grounds, css };
}

/** Colors of everything on a background are mixed from it; grays of text keep their contrast. */
function groundTokens({ light, dark }: { light: Rgb; dark: Rgb }): string {
  const pair = (make: (key: 'light' | 'dark', ground: Rgb) => string): string =>
    `light-dark(${make('light', light)},${make('dark', dark)})`;
  const grey = (greys: Record<'light' | 'dark', string>): string =>
    pair((key, ground) => formatHex(readableShade(parseHex(greys[key]) ?? ground, ground)));
  return `:root{--color-bg:${pair((_key, ground) => formatHex(ground))};--color-raised:color-mix(in srgb,var(--color-bg) 97%,light-dark(#000,#fff));--color-sunken:color-mix(in srgb,var(--color-bg) 95%,#000);--color-border:color-mix(in srgb,var(--color-text) 11%,transparent);--color-border-strong:color-mix(in srgb,var(--color-text) 22%,transparent);--color-muted:${grey(MUTED)};--color-faint:${grey(FAINT)}}`;
}

function imageLayer(image: SiteConfig['background']['image'], source: SourceTree): string | null {
  if (image === null) return null;
  const file = (path: string): string | null => {
    const name = path.replace(/^\.?\/+/, '');
    return source.has(name) ? `url(${cssUrl(name)})` : null;
  };
  const light = file(image.light);
  const dark = file(image.dark);
  if (light === null && dark === null) return null;
  return `:root{--page-image:${light ?? dark}}html.dark{--page-image:${dark ?? light}}`;
}

const GRADIENT =
  'radial-gradient(60% 100% at 50% 0,color-mix(in srgb,var(--color-primary) 10%,transparent),transparent)';
const LINES = 'color-mix(in srgb,var(--color-text) 7%,transparent)';
const PANES = 'color-mix(in srgb,var(--color-primary) 4%,transparent)';
const DECORATIONS = {
  gradient: `background:${GRADIENT}`,
  grid: `background:linear-gradient(${LINES} 1px,transparent 1px) 0 0/40px 40px,linear-gradient(90deg,${LINES} 1px,transparent 1px) 0 0/40px 40px;mask:linear-gradient(#000,transparent)`,
  windows: `background:repeating-conic-gradient(${PANES} 0 25%,transparent 0 50%) 0 0/176px 128px,${GRADIENT};mask:radial-gradient(80% 100% at 75% 0,#000,transparent)`,
} as const;

/** Layers behind the page, without pointer events and not printed. */
function decorationCss(decoration: SiteConfig['background']['decoration'], image: string | null): string {
  const layer = (part: string, rules: string): string =>
    `body::${part}{content:"";position:absolute;z-index:-1;inset:0 0 auto;pointer-events:none;${rules}}`;
  let css = '@media not print{body{position:relative;isolation:isolate}';
  if (decoration !== null) css += layer('before', `block-size:520px;${DECORATIONS[decoration]}`);
  if (image !== null)
    css += layer('after', 'block-size:100dvh;background:var(--page-image) 50% 0/cover no-repeat');
  return `${image ?? ''}${css}}`;
}

/** Tokens of buttons and banners: `colors.dark`, with black or white on it. */
export function strongTokens(config: SiteConfig): string {
  const { dark, primary } = config.colors;
  const color = parseHex(dark);
  if (color === null || dark === primary) return '';
  const towards = textOn(color) === '#ffffff' ? '#000' : '#fff';
  return `--color-strong:${dark};--color-strong-hover:color-mix(in srgb,${dark} 88%,${towards});--color-on-strong:${textOn(color)};`;
}
