import type { PageAsset } from '../page-asset.ts';
import type { SiteConfig } from '../site.ts';
import type { WarningCode } from '../warning-codes.ts';
import { hashOf } from './hash.ts';

/** Changes whenever the same classes would give another sheet. */
const VERSION = '2';

/** Declarations of the classes that the style sheet of every page contains. */
const CORE: Readonly<Record<string, string>> = {
  block: 'display:block',
  inline: 'display:inline',
  'inline-block': 'display:inline-block',
  flex: 'display:flex',
  hidden: 'display:none',
  'mx-auto': 'margin-inline:auto',
  'my-0': 'margin-block:0',
  'w-full': 'width:100%',
  'text-center': 'text-align:center',
};
const CORE_DARK = ['block', 'hidden'];
/** Names that have no rules of their own. */
const SILENT: ReadonlySet<string> = new Set(['group', 'not-prose', ...Object.keys(CORE)]);

/**
 * The utility classes that most pages get along with, above all those that show one of two images: pages with no
 * others load no sheet of their own.
 */
export function coreUtilities(): string {
  const rule = (name: string, prefix: string): string =>
    `.${prefix}${name}{${CORE[name.replace(/^.*:/, '')] ?? ''}}`;
  const dark = CORE_DARK.map((name) => rule(name, 'dark\\:')).join('');
  return [
    '.not-prose :where(p,ul,ol){margin-block:0}',
    ...Object.keys(CORE).map((name) => rule(name, '')),
    `:where(html.dark){${dark}}`,
    // Spacing of the sidebar. The rules for any element (`.mt-6`) are in the sheets of pages that use these classes and
    // come later, so the id keeps the space the same on every page.
    '#navigation-items>.mt-6{margin-top:24px}#navigation-items .mb-3\\.5{margin-bottom:14px}',
    '@media(min-width:1024px){#navigation-items>.lg\\:mt-8{margin-top:32px}#navigation-items .lg\\:mb-2\\.5{margin-bottom:10px}}',
    // The theme of the system, where no script has written the theme on the page.
    `@media(prefers-color-scheme:dark){:where(html:not(.js,.light)){${dark}}}`,
  ].join('');
}

/** First words of the utilities of Tailwind CSS that are followed by a dash, and those that stand alone. */
const ROOTS = new Set(
  (
    'accent align animate appearance aspect auto backdrop backface basis bg block blur border bottom box break brightness caption ' +
    'caret clear col columns contain content contrast cursor decoration delay diagonal divide drop duration ease end field fill ' +
    'filter flex float flow font forced from gap grayscale grid grow h hue hyphens indent inline inset invert isolation items ' +
    'justify leading left line lining list m mask max mb mbe mbs me min mix ml mr ms mt mx my no normal not object oldstyle ' +
    'opacity order origin outline overflow overscroll p pb pbe pbs pe perspective pl place placeholder pointer pr proportional ' +
    'ps pt px py resize right ring rotate rounded row saturate scale scheme scroll scrollbar select self sepia shadow shrink size ' +
    'skew slashed snap space sr stacked start stroke subpixel tab table tabular text to top touch tracking transform transition ' +
    'translate truncate underline via w whitespace will wrap z zoom'
  ).split(' '),
);
const SINGLE = new Set(
  (
    'absolute antialiased block blur border capitalize collapse container contents filter fixed flex grayscale grid grow hidden ' +
    'inline invert invisible isolate italic lowercase ordinal outline overline relative resize ring rounded sepia shadow shrink ' +
    'static sticky table transform transition truncate underline uppercase visible'
  ).split(' '),
);
const VARIANTS = /^(?:(?:[\w@*<>/-]|\[[^\]\s]{1,100}\]|\([^)\s]{1,100}\)){1,120}:)+/;
const SPACING = /^[mp][xytrblse]?-/;

/** Whether a word can be a utility class; a few others pass as well, which then have no rule. */
function isCandidate(word: string): boolean {
  if (word.length > 300 || !/^[@a-z[*!-]/.test(word)) return false;
  const name = word.startsWith('[') && /^\[[a-z-]+:\S+\]$/.test(word) ? word : word.replace(VARIANTS, '');
  const base = name.replace(/^!?-?/, '').replace(/!$/, '');
  if (base.startsWith('[')) return /^\[[a-z-]+:\S+\]$/.test(base);
  const [, first = '', rest = ''] = /^([a-z]+)(.*)$/.exec(base) ?? [];
  if (rest === '') return SINGLE.has(first);
  if (SPACING.test(base)) return /^[a-z]+-(?:[\d[(]|px$|auto$)/.test(base);
  return ROOTS.has(first) && /^[-/]/.test(rest);
}

/** What a sheet of utility classes asks of the site. */
export interface UtilitySite {
  colors: SiteConfig['colors'];
  /** Whether the export holds a file of that path. */
  hasFile(path: string): boolean;
  warn(code: WarningCode, message: string): void;
}

/** Classes of one page that are compiled, and lists of them that are checked for opacities. */
const maxClasses = 2000;
const maxLists = 200;

/**
 * Sheet with the utility classes of a page, made from the class attributes as written; null where the sheet of the
 * site has all of them. Pages with the same classes share one.
 */
export function utilityAsset(classes: Iterable<string>, site: UtilitySite): PageAsset | null {
  const found = new Set<string>();
  const lists = new Set<string>();
  for (const list of classes) {
    const names = list.split(/\s+/).filter((name) => isCandidate(name));
    for (const name of names) found.add(name);
    if (list.includes('-opacity-') && names.length < 50 && lists.size < maxLists) lists.add(names.join(' '));
  }
  const all = [...found].filter((name) => !name.includes('url(') || isOwnFile(name, site));
  if (all.every(isCore)) return null;
  if (all.length > maxClasses)
    site.warn(
      'page-too-large',
      `The page has more than ${maxClasses} utility classes; the others have no effect.`,
    );
  const candidates = all.slice(0, maxClasses).sort();
  const { colors, warn } = site;
  const opacities = [...lists].sort();
  const key = JSON.stringify([VERSION, candidates, opacities, colors.primary, colors.light, colors.dark]);
  return {
    kind: 'style',
    path: `_offprint/utilities/page-${hashOf(key)}.css`,
    content: () => compile(candidates, opacities, colors, warn),
  };
}

async function compile(
  candidates: readonly string[],
  lists: readonly string[],
  colors: SiteConfig['colors'],
  warn: UtilitySite['warn'],
): Promise<string> {
  try {
    const { compileUtilities } = await import('./utility-compiler.ts');
    return await compileUtilities(candidates, lists, colors);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn('utilities-failed', `The utility classes of the page have no effect: ${reason.slice(0, 200)}`);
    return '';
  }
}

/** Whether a class names a file of the docs by its path from their root; others are reported. */
function isOwnFile(name: string, { hasFile, warn }: UtilitySite): boolean {
  const url = /url\(["']?([^"')]*)/.exec(name)?.[1]?.replaceAll('_', ' ') ?? '';
  if (/^(?:[a-z]+:|\/\/)/i.test(url)) {
    warn(
      'remote-file',
      `The class \`${name.slice(0, 120)}\` loads from another host and has no effect. Put the file into the docs folder.`,
    );
    return false;
  }
  if (url.startsWith('/') && hasFile(url.slice(1))) return true;
  warn(
    'missing-asset',
    `\`${url.slice(0, 120)}\` in a class is not the path of a file in the docs folder, so the class has no effect.`,
  );
  return false;
}

function isCore(name: string): boolean {
  return SILENT.has(name) || (name.startsWith('dark:') && CORE_DARK.includes(name.slice(5)));
}

/** Words of a script that can be classes: those in its strings. */
export function classesOfScript(code: string): string {
  const words = new Set<string>();
  for (const [text] of code.matchAll(/"[^"\n]{1,2000}"|'[^'\n]{1,2000}'|`[^`]{1,4000}`/g)) {
    for (const word of text.slice(1, -1).split(/[\s"'`{}$?]+/)) if (isCandidate(word)) words.add(word);
  }
  return [...words].join(' ');
}
