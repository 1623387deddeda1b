import { readFileSync } from 'node:fs';
import { compile } from 'tailwindcss';
import { packageFile } from '../assets.ts';
import { cleanCss } from '../clean/css.ts';
import type { SiteConfig } from '../site.ts';
import { DEFAULT_LAYERS, minifyCss } from './css.ts';

/**
 * Compiles utility classes with Tailwind CSS 4 so that they mean what they meant in Tailwind CSS 3, in which content
 * is written: scales that have moved by one step, defaults, and names that are gone.
 */
export async function compileUtilities(
  candidates: readonly string[],
  lists: readonly string[],
  colors: SiteConfig['colors'],
): Promise<string> {
  const aliases = [...renamed(candidates), ...opacities(lists)];
  const compiler = await compile(`${baseTheme()}${themeOf(colors)}${COMPATIBLE}@tailwind utilities;`, {
    // None: browsers that need them are too old for the theme itself.
    polyfills: 0,
  });
  const gone = new Set(aliases.flatMap(({ selector }) => (selector.length === 1 ? selector : [])));
  const kept = candidates.filter((name) => !gone.has(name));
  // An escape could take away the bracket after it.
  const wanted = [...kept, ...aliases.map(({ candidate }) => candidate)].filter(
    (name) => !name.includes('\\'),
  );
  const { rules, rest } = parts(tightened(compiler.build(wanted)));
  if (rules === '') return '';
  let css = rules;
  for (const { candidate, selector } of aliases) css = withAlias(css, candidate, selector);
  return localUrls(`${DEFAULT_LAYERS}@layer utilities{${BORDERS}${css}}${rest}`);
}

/** Version 3 makes borders without a color gray; this rule has a lower priority than every class with a color. */
const BORDERS = `:where(${['border', 'divide']
  .flatMap((name) => [`[class~=${name}]`, `[class^=${name}-]`, `[class*=" ${name}-"]`, `[class*=":${name}"]`])
  .map((selector) => (selector.includes('divide') ? `${selector}>*` : selector))
  .join(',')}){border-color:var(--color-border)}`;

let base: string | null = null;

/** The theme of Tailwind CSS with its values written into the rules: no sheet needs variables of its own. */
function baseTheme(): string {
  base ??= readFileSync(packageFile('tailwindcss', 'theme.css'), 'utf8')
    .replaceAll('@theme default {', '@theme default inline {')
    // Zinc has both names, as the grays of the theme.
    .replace(/--color-gray-(\d+): [^;]+;/g, '');
  return base;
}

const GREYS = [50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950];
/** As hexadecimal values of Tailwind CSS 3, which has no wide gamut. */
const ZINC = [
  'fafafa',
  'f4f4f5',
  'e4e4e7',
  'd4d4d8',
  'a1a1aa',
  '71717a',
  '52525b',
  '3f3f46',
  '27272a',
  '18181b',
  '09090b',
];

/** Grays that have too little contrast as text on one of the two backgrounds (WCAG 2.2 AA) are those of the theme there. */
const FAINT = ['gray', 'zinc']
  .map(
    (name) =>
      `--text-color-${name}-400:light-dark(var(--theme-color-faint),#a1a1aa);--text-color-${name}-500:light-dark(#71717a,var(--theme-color-faint))`,
  )
  .join(';');

/** Names of the site's colors, and the steps of scales where version 3 has them. */
function themeOf({ primary, light, dark }: SiteConfig['colors']): string {
  const greys = GREYS.map(
    (step, at) => `--color-gray-${step}:#${ZINC[at]};--color-zinc-${step}:#${ZINC[at]};`,
  );
  return `@theme inline{${greys.join('')}
--text-color-primary:var(--theme-color-primary);${FAINT};--color-primary:${primary};--color-primary-light:${light};--color-primary-dark:${dark};
--color-background-light:#fff;--color-background-dark:#0b0c0e;
--shadow-sm:0 1px 2px 0 rgb(0 0 0 / 0.05);--shadow-DEFAULT:0 1px 3px 0 rgb(0 0 0 / 0.1),0 1px 2px -1px rgb(0 0 0 / 0.1);
--drop-shadow-sm:0 1px 1px rgb(0 0 0 / 0.05);--blur-sm:4px;--radius-sm:0.125rem;
--default-ring-width:3px;--default-ring-color:rgb(59 130 246 / 0.5);
--font-mono:var(--theme-font-mono);--font-sans:var(--theme-font-body);
}`;
}

/** The switch between light and dark of the pages, and what version 4 has no utility for. */
const COMPATIBLE = `
@custom-variant dark {
  &:where(html.dark, html.dark *) { @slot; }
  @media (prefers-color-scheme: dark) { &:where(html:not(.js, .light), html:not(.js, .light) *) { @slot; } }
}
@utility overflow-ellipsis { text-overflow: ellipsis; }
@utility flex-grow { flex-grow: 1; }
@utility flex-shrink { flex-shrink: 1; }
@utility transform-gpu { transform: translateZ(0); }
`;

/** Without needless white space, and with the tokens of the theme by their own names. */
function tightened(css: string): string {
  return minifyCss(css)
    .replace(/([{;])([\w-]+): /g, '$1$2:')
    .replaceAll('var(--theme-', 'var(--');
}

interface Alias {
  /** What is compiled. */
  candidate: string;
  /** Selector, without escapes, that takes its place. */
  selector: readonly string[];
}

/** `bg-[--x]` is `bg-(--x)` now, and `outline-none` is `outline-hidden`. */
function renamed(candidates: readonly string[]): Alias[] {
  return candidates.flatMap((name) => {
    const candidate = name
      .replace(/\[(--[\w-]+)\](?=$|\/)/, '($1)')
      .replace(/(^|:)outline-none$/, '$1outline-hidden');
    return candidate === name ? [] : [{ candidate, selector: [name] }];
  });
}

const OPACITY = /^((?:[\w-]+:)*)(bg|text|border|ring|divide|placeholder)-opacity-(\d{1,3}|\[[\d.]+\])$/;

/** `bg-black bg-opacity-50` is `bg-black/50` now. */
function opacities(lists: readonly string[]): Alias[] {
  const found = new Map<string, Alias>();
  for (const list of lists) {
    const names = list.split(' ');
    for (const name of names) {
      const [, variants = '', kind = '', amount = ''] = OPACITY.exec(name) ?? [];
      if (kind === '') continue;
      for (const color of names) {
        if (!color.startsWith(`${variants}${kind}-`) || color.includes('/') || OPACITY.test(color)) continue;
        const candidate = `${color}/${amount}`;
        found.set(`${candidate} ${name}`, { candidate, selector: [color, name] });
      }
    }
  }
  return [...found.values()];
}

function withAlias(css: string, candidate: string, selector: readonly string[]): string {
  const from = `.${escapeClass(candidate)}`;
  const to = selector.map((name) => `.${escapeClass(name)}`).join('');
  return css.split(from).reduce((text, part) => text + (/^[\w\\-]/.test(part) ? from : to) + part);
}

function escapeClass(name: string): string {
  return name.replace(/[^\w-]/g, '\\$&');
}

/** Files of the docs by their path from the root, as relative URLs from the folder of the sheet. */
function localUrls(css: string): string {
  return cleanCss(css, {
    isMinified: true,
    resolve: ({ url }) => (/^\/(?![/\\])/.test(url) ? `../..${url}` : url),
  });
}

/** Rules apart from the definitions of properties and animations, which belong into no layer. */
function parts(css: string): { rules: string; rest: string } {
  const rest: string[] = [];
  const rules = css.replace(
    /@property [\w-]+\{[^{}]*\}|@keyframes [\w-]+\{(?:[^{}]*\{[^{}]*\})*\}|@layer [\w, ]+;/g,
    (found) => {
      if (!found.startsWith('@layer')) rest.push(found);
      return '';
    },
  );
  return { rules: rules.trim(), rest: rest.join('') };
}
