import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assetPath } from '../assets.ts';
import { codeThemeCss } from '../code/themes.ts';
import { definitions } from '../components/index.ts';
import { isObject } from '../config/json.ts';
import { normalColor } from '../config/types.ts';
import type { SiteConfig } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import { deriveAccents, GROUNDS, type LowContrast, type Rgb } from './color.ts';
import { DEFAULT_LAYERS, minifyCss } from './css.ts';
import type { Fonts } from './fonts.ts';
import { hashOf } from './hash.ts';
import { layoutOf } from './layouts.ts';
import { type Grounds, type SiteFonts, siteGrounds, strongTokens, writtenAt } from './look.ts';
import { coreUtilities } from './utilities.ts';

/** Sheets before the styles of the components; the others come after them. */
const FIRST = [
  ...['tokens.css', 'base.css', 'layout.css', 'navigation.css', 'prose.css'],
  ...['controls.css', 'code.css', 'images.css'],
];
const LAST = 'print.css';
/** Rules that those of a site for elements win over. */
const BASE = 'table-head.css';
/** Loaded with the first use of the search. */
const SEARCH = 'search.css';
const FOLDER = assetPath('packages/render/src/theme/styles');

/** Rules of sites with variants of images: the element around an image has no box, so that the image keeps its place. */
export const pictureStyles = minifyCss(
  'picture { display: contents; } .prose :where(p > picture > img) { vertical-align: middle; }',
);

/** `--color-sunken` as a share of the light background. */
const SUNKEN = 0.95;

/** Where the build puts what `commonStyles` returns: making them is a noticeable part of an export after an edit. */
export const BUILT_STYLES = 'packages/render/src/theme/styles.min.css';
let common: string | null = null;

/** The site's one style sheet: fonts, the shared sheets, `services` (rules of its services and of other parts that only some sites have) and the tokens of its accent. */
export function buildStylesheet(
  config: SiteConfig,
  source: SourceTree,
  fonts: { vendored: Fonts; own: SiteFonts },
  services: string,
  warn: Warn,
): { path: string; content: string } {
  common ??= readBuilt() ?? commonStyles();
  const own = minifyCss(fonts.own.css);
  const theme = `${common}${services}${siteCss(config, source, warn)}`;
  const content = `${DEFAULT_LAYERS}${minifyCss(fonts.vendored.css)}@layer base{${readSheet(BASE)}}@layer theme{${theme}}@layer utilities{${coreUtilities()}}${own}`;
  return { path: `_offprint/site-${hashOf(content)}.css`, content };
}

function readBuilt(): string | null {
  const built = assetPath(BUILT_STYLES);
  return existsSync(built) ? readFileSync(built, 'utf8') : null;
}

/** Rules that all sites have. */
export function commonStyles(): string {
  const placed = new Set([...FIRST, LAST, SEARCH, BASE]);
  const others = readdirSync(FOLDER).filter((name) => name.endsWith('.css') && !placed.has(name));
  const components = definitions.map(({ style = '' }) => minifyCss(style));
  return [...FIRST.map(readSheet), ...components, ...[...others.sort(), LAST].map(readSheet)].join('');
}

let search: { path: string; content: string } | null = null;

/** The style sheet of the dialog of the search. */
export function searchStylesheet(): { path: string; content: string } {
  if (search === null) {
    const content = `@layer theme{${readSheet(SEARCH)}}`;
    search = { path: `_offprint/search-${hashOf(content)}.css`, content };
  }
  return search;
}

function readSheet(name: string): string {
  return minifyCss(readFileSync(join(FOLDER, name), 'utf8'));
}

function siteCss(config: SiteConfig, source: SourceTree, warn: Warn): string {
  const grounds = siteGrounds(config, GROUNDS, source, warn);
  const { faults } = deriveAccents(config.colors, grounds);
  const { light, dark } = deriveAccents(config.colors, darkestGrounds(config, grounds));
  for (const fault of faults) {
    // Without `colors.light` the dark theme uses the primary color, which the author did not choose for it.
    if (fault.key === 'light' && config.colors.light === config.colors.primary) continue;
    if (!isAuthors(config, fault)) continue;
    const ground = `the ${fault.key === 'primary' ? 'light' : 'dark'} background${fault.isTinted ? ' tinted with it, as behind active entries' : ''}`;
    warn({
      ...writtenAt(config, 'colors', fault.key),
      code: 'color-contrast',
      message: `colors.${fault.key} ${fault.color} has a contrast of ${fault.contrast}:1 on ${ground}, below 4.5:1 (WCAG 2.2 AA); text and links use ${fault.suggestion} instead. Set colors.${fault.key} to ${fault.suggestion} to use one shade everywhere.`,
    });
  }
  return `${grounds.css}${codeThemeCss(config, warn)}:root{${strongTokens(config)}--color-primary:light-dark(${light.primary},${dark.primary});--color-primary-hover:light-dark(${light.hover},${dark.hover});--color-on-primary:light-dark(${light.onPrimary},${dark.onPrimary})}`;
}

/** Whether docs.json sets this color: where it sets another value that was ignored, the color is a default. */
function isAuthors(config: SiteConfig, { key, color }: LowContrast): boolean {
  const written = isObject(config.raw.colors) ? config.raw.colors[key] : undefined;
  return typeof written === 'string' && normalColor(written.trim()) === color;
}

/** Backgrounds of text in the accent color: the sunken one too, if the layout has it. */
function darkestGrounds(config: SiteConfig, { light, dark }: Grounds): { light: Rgb; dark: Rgb } {
  if (layoutOf(config).canvas !== 'card') return { light, dark };
  return { light: light.map((channel) => channel * SUNKEN) as unknown as Rgb, dark };
}
