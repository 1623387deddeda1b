import type { PageAsset } from '../page-asset.ts';
import type { SiteConfig } from '../site.ts';
import { hashOf } from './hash.ts';

/** Changes whenever the same classes would give another sheet. */
const VERSION = '1';

/** Declarations of the classes that stand in the style sheet of every page. */
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
    // The theme of the system, where no script has written the theme on the page.
    `@media(prefers-color-scheme:dark){:where(html:not(.js,.light)){${dark}}}`,
  ].join('');
}

/** A class that can be one of Tailwind CSS: variants, an optional mark, a name, an optional value. */
const CANDIDATE =
  /^(?:[\w@/-]{1,40}(?:\[[^\s\]]{1,80}\])?:|\[[^\s\]]{1,80}\]:|\*{1,2}:)*!?-?(?:[a-z][\w.%/-]*|\[[a-z-]+:)/;

/**
 * Sheet with the utility classes of a page, made from the class attributes as written; null where the sheet of the
 * site has all of them. Pages with the same classes share one.
 */
export function utilityAsset(classes: Iterable<string>, config: SiteConfig): PageAsset | null {
  const found = new Set<string>();
  const lists: string[] = [];
  let needed = false;
  for (const list of classes) {
    const names = list.split(/\s+/).filter((name) => name.length < 300 && CANDIDATE.test(name));
    for (const name of names) {
      found.add(name);
      needed ||= !isCore(name);
    }
    if (list.includes('-opacity-')) lists.push(names.join(' '));
  }
  if (!needed) return null;
  const candidates = [...found].sort();
  const { primary, light, dark } = config.colors;
  const key = JSON.stringify([VERSION, candidates, lists.sort(), primary, light, dark]);
  return {
    kind: 'style',
    path: `_offprint/utilities-${hashOf(key)}.css`,
    content: async () => {
      const { compileUtilities } = await import('./utility-compiler.ts');
      return compileUtilities(candidates, lists, config.colors);
    },
  };
}

function isCore(name: string): boolean {
  return SILENT.has(name) || (name.startsWith('dark:') && CORE_DARK.includes(name.slice(5)));
}

/** Words of a script that can be classes: what stands in its texts. */
export function classesOfScript(code: string): string {
  const words = new Set<string>();
  for (const [text] of code.matchAll(/"[^"\n]{1,2000}"|'[^'\n]{1,2000}'|`[^`]{1,4000}`/g)) {
    for (const word of text.slice(1, -1).split(/[\s"'`{}$?]+/)) if (CANDIDATE.test(word)) words.add(word);
  }
  return [...words].join(' ');
}
