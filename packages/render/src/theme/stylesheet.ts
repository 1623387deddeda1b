import { readdirSync, readFileSync } from 'node:fs';
import type { SiteConfig } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import { deriveAccents, GROUNDS } from './color.ts';
import type { Fonts } from './fonts.ts';
import { hashOf } from './hash.ts';
import { type SiteFonts, siteGrounds, strongTokens } from './look.ts';
import { utilityStyles } from './utilities.ts';

/** Sheets with a fixed place; those of the components and the utility classes come between. */
const FIRST = ['tokens.css', 'base.css', 'layout.css', 'navigation.css', 'prose.css'];
const LAST = 'print.css';
const FOLDER = new URL('./styles/', import.meta.url);

let common: string | null = null;

/** The site's one style sheet: fonts, the shared sheets and the tokens of its accent. */
export function buildStylesheet(
  config: SiteConfig,
  source: SourceTree,
  fonts: { vendored: Fonts; own: SiteFonts },
  warn: Warn,
): { path: string; content: string } {
  common ??= [...sheets().map(readSheet), utilityStyles(), readSheet(LAST)].join('');
  const own = minifyCss(fonts.own.css);
  const content = `${minifyCss(fonts.vendored.css)}${common}${siteCss(config, source, warn)}${own}`;
  return { path: `_offprint/site-${hashOf(content)}.css`, content };
}

function sheets(): string[] {
  const placed = new Set([...FIRST, LAST]);
  const others = readdirSync(FOLDER).filter((name) => name.endsWith('.css') && !placed.has(name));
  return [...FIRST, ...others.sort()];
}

function readSheet(name: string): string {
  return minifyCss(readFileSync(new URL(name, FOLDER), 'utf8'));
}

function siteCss(config: SiteConfig, source: SourceTree, warn: Warn): string {
  const grounds = siteGrounds(config, GROUNDS, source, warn);
  const { light, dark, faults } = deriveAccents(config.colors, grounds);
  for (const fault of faults) {
    // Without a colour of its own the dark theme uses the primary one; nobody chose that shade for it.
    if (fault.key === 'light' && config.colors.light === config.colors.primary) continue;
    const ground = fault.key === 'primary' ? 'the light' : 'the dark';
    warn({
      file: config.file,
      line: null,
      code: 'color-contrast',
      message: `colors.${fault.key} ${fault.color} has a contrast of ${fault.contrast}:1 on ${ground} background, below 4.5:1 (WCAG 2.2 AA); text and links use ${fault.suggestion} instead. Set colors.${fault.key} to ${fault.suggestion} to use one shade everywhere.`,
    });
  }
  return `${grounds.css}:root{${strongTokens(config)}--color-primary:light-dark(${light.primary},${dark.primary});--color-primary-hover:light-dark(${light.hover},${dark.hover});--color-on-primary:light-dark(${light.onPrimary},${dark.onPrimary})}`;
}

/** Drops comments and needless white space; strings and `url()` stay as they are. */
function minifyCss(css: string): string {
  return css
    .replace(
      /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|url\([^)]*\))|\/\*[\s\S]*?\*\/|\s+/g,
      (whole, kept: string | undefined) => kept ?? (whole.startsWith('/*') ? '' : ' '),
    )
    .replace(
      /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|url\([^)]*\))| *([{};,]) */g,
      (_whole, kept, mark) => kept ?? mark,
    )
    .replace(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|;}/g, (_whole, kept) => kept ?? '}')
    .trim();
}
