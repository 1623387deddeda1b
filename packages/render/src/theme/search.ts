import { readFileSync } from 'node:fs';
import { assetPath } from '../assets.ts';
import { escapeAttribute, escapeText } from '../escape.ts';
import { fallbackLanguage, planSearch } from '../search/plan.ts';
import type { Page, SiteMap } from '../site.ts';
import { hashOf } from './hash.ts';
import { partIcon } from './icon.ts';
import type { Place } from './place.ts';
import { shorten } from './scripts.ts';
import { languageTag, type Strings } from './strings.ts';
import { searchStylesheet } from './stylesheet.ts';
import type { SearchLinks, Theme } from './theme.ts';
import { stringsFor } from './words/index.ts';

/** The engine, which servers use too. */
const ENGINE = 'packages/search/src/engine';
/** What readers see of it. */
const CLIENT = 'packages/render/src/theme/client';

/** Modules of the script that the first use of the search loads, each after those it imports. */
const MODULES = [
  ...['tokens', 'stop', 'data', 'guess', 'names', 'rank', 'hits', 'engine'].map(
    (name) => `${ENGINE}/search-${name}.js`,
  ),
  ...['files', 'marks', 'view', 'dialog'].map((name) => `${CLIENT}/search-${name}.js`),
];

const ICONS: Readonly<Record<string, string>> = {
  search: 'search',
  clear: 'x',
  page: 'file-text',
  section: 'hash',
  recent: 'history',
  enter: 'corner-down-left',
  chevron: 'chevron-right',
  down: 'chevron-down',
  none: 'search-x',
  failed: 'cloud-off',
};

interface Script {
  path: string;
  content: string;
}

/** A script whose name is known before its content is needed. */
interface Source {
  path: string;
  words: string;
}

/** By words, made once per process. */
const sources = new Map<Strings, Source>();
let code: string | null = null;

/** The files behind the search of each language; the default one serves pages without a language. */
export function createSearch(siteMap: SiteMap): {
  linksOf(language: string | null): SearchLinks;
  files(): Script[];
} {
  const made = planSearch(siteMap).map(({ label, path, isDefault }) => {
    const strings = stringsFor(languageTag(label ?? 'en'));
    return { label, isDefault, index: path, script: sourceOf(strings) };
  });
  return {
    linksOf(language) {
      const { index, script } = made.find(({ label }) => label === language) ?? fallbackLanguage(made);
      return { index, script: script.path, sheet: searchStylesheet().path };
    },
    files: () => [...[...new Set(made.map(({ script }) => script))].map(writeScript), searchStylesheet()],
  };
}

function sourceOf(strings: Strings): Source {
  let source = sources.get(strings);
  if (source === undefined) {
    const words = Object.fromEntries(
      Object.entries(strings).filter(([key]) => key.startsWith('search') || WORDS.has(key)),
    );
    const icons = Object.fromEntries(Object.entries(ICONS).map(([key, name]) => [key, partIcon(name, 16)]));
    const data = `const offprintWords=${JSON.stringify(words)},offprintIcons=${JSON.stringify(icons)};`;
    source = { path: `_offprint/search-${hashOf(data + fullSearchScript())}.js`, words: data };
    sources.set(strings, source);
  }
  return source;
}

/** The words are outside of what is made short, which is the same for all languages. */
function writeScript({ path, words }: Source): Script {
  return { path, content: `(()=>{${words}\n${shorten('search.js', fullSearchScript())}})();\n` };
}

const WORDS: ReadonlySet<string> = new Set(['close', 'language', 'version', 'product', 'section']);

/** The modules as parts of one classic script, which works from `file://`; each gives its exports to those after it. */
export function fullSearchScript(): string {
  if (code !== null) return code;
  const parts = MODULES.map((path) => {
    const text = readFileSync(assetPath(path), 'utf8');
    const names = [...text.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)].map(
      (match) => match[1],
    );
    const body = text.replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '');
    return `const { ${names.join(', ')} } = (() => {\n${body}return { ${names.join(', ')} };\n})();\n`;
  });
  code = `(() => {\n${parts.join('')}})();\n`;
  return code;
}

/**
 * The box in the bar that opens the search, and its button on small screens; both empty where there is no search.
 * Without JavaScript neither is shown.
 */
export function searchEntries(
  theme: Theme,
  page: Page,
  place: Place,
  strings: Strings,
): { box: string; button: string } {
  const { config } = theme.siteMap;
  const links = theme.searchOf(place.language?.label ?? null);
  if (links === null) return { box: '', button: '' };
  const { script, sheet, index } = links;
  const prompt = config.search.prompt ?? strings.searchPrompt;
  const data: [string, string | undefined][] = [
    ['search', script],
    ['sheet', sheet],
    ['index', index],
    ['prompt', prompt],
    ['failed', strings.searchFailed],
    ['version', page.trail.find((node) => node.kind === 'version')?.label],
    ['product', page.trail.find((node) => node.kind === 'product')?.label],
  ];
  const attributes = data
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` data-${name}="${escapeAttribute(value ?? '')}"`)
    .join('');
  const box = `<button type="button" id="search-bar-entry" class="op-search-entry" aria-haspopup="dialog" aria-keyshortcuts="Control+K Meta+K /"${attributes}>${partIcon('search', 16)}<span class="op-search-entry-label">${escapeText(prompt)}</span><kbd aria-hidden="true">Ctrl K</kbd></button>`;
  const button = `<button type="button" id="search-bar-entry-mobile" class="op-icon-button" aria-haspopup="dialog" aria-label="${escapeAttribute(strings.search)}">${partIcon('search', 18)}</button>`;
  return { box, button };
}
