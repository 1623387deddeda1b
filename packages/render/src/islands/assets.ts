import { findLanguage } from '../code/languages.ts';
import { components as builtIns, definitions } from '../components/index.ts';
import { iconSvg } from '../icons/index.ts';
import type { Module } from '../mdx/parse/modules.ts';
import type { SiteState } from '../mdx/state.ts';
import type { PageAsset } from '../page-asset.ts';
import { hostsWarning, namedHosts } from '../scripts/hosts.ts';
import { hashOf } from '../theme/hash.ts';
import type { Strings } from '../theme/strings.ts';
import { type BundleSource, bundleIslands, type KnownToBrowser } from './bundle.ts';
import type { PageIslands } from './page-islands.ts';
import { loadRuntime, VERSION } from './runtime.ts';
import { collectSources } from './sources.ts';

/** What a page with islands loads: the runtime that all of them share, and its own script; `code` is what that is made from. */
export function islandAssets(
  islands: PageIslands,
  page: Module,
  site: SiteState,
  strings: Strings,
): { assets: PageAsset[]; code: string[] } {
  if (islands.components.size === 0) return { assets: [], code: [] };
  const source: BundleSource = {
    ...collectSources(islands, page, site),
    builtIns: builtInNames,
  };
  for (const file of source.modules.keys()) if (file !== page.file) site.imports.add(page.file, file);
  reportHosts(source, site);
  const known: KnownToBrowser = {
    icons: iconsOf(islands, source, site),
    words: wordsOf(source, strings),
    languages: languagesOf(source),
  };
  const digest = hashOf(JSON.stringify([VERSION, [...source.modules], source.entries, known]));
  const path = `_offprint/islands/page-${digest}.js`;
  const { warn } = site;
  const own: PageAsset = { kind: 'script', path, content: () => bundleIslands(source, known, warn) };
  return { assets: [runtime(), own], code: [...source.modules.values()].map(({ code }) => code) };
}

/** Names of built-in components that a component of the page may use. */
const builtInNames: readonly string[] = [
  ...new Set(Object.keys(builtIns).map((name) => name.split('.')[0] as string)),
];

/** Files that were searched for hosts, by site. */
const searched = new WeakMap<SiteState, Set<string>>();

function reportHosts(source: BundleSource, site: SiteState): void {
  const known = searched.get(site) ?? new Set();
  searched.set(site, known);
  for (const [file, { code, tooDeep }] of source.modules) {
    if (tooDeep || known.has(file)) continue;
    known.add(file);
    const named = namedHosts(code, site.siteUrl);
    // Lines of the code are not those of the file.
    const warning = hostsWarning(file, named === null ? null : { ...named, line: null });
    if (warning !== null) site.warn(warning);
  }
}

/** Words that components show. Pages whose components use none of them need none. */
function wordsOf(source: BundleSource, strings: Strings): Record<string, string> {
  const code = [...source.modules.values()].map((module) => module.code).join('\n');
  return builtInNames.some((name) => namesIdentifier(code, name)) ? { ...strings } : {};
}

/** Whether code may use a component: as an element, a value, or an argument of `createElement`. */
function namesIdentifier(code: string, name: string): boolean {
  return new RegExp(`\\b${name.replace('.', '\\.')}\\b`).test(code);
}

const LANGUAGE_USE = /\blang(?:uage)?["']?\s*[=:]\s*\{?\s*["'`]([\w+#.-]{1,30})["'`]/g;

/** Languages that the code names. */
function languagesOf(source: BundleSource): KnownToBrowser['languages'] {
  const languages: Record<string, { name: string; label: string }> = Object.create(null);
  for (const { code } of source.modules.values()) {
    for (const [, written = ''] of code.matchAll(LANGUAGE_USE)) {
      const language = findLanguage(written);
      if (language !== null) languages[written] = { name: language.name, label: language.label };
    }
  }
  return languages;
}

const ICON_USE = /\bicon["']?\s*[=:]\s*\{?\s*["'`]([\w-]{1,60})["'`]/g;

/** SVG of the icons that the code may ask for, by name. */
function iconsOf(islands: PageIslands, source: BundleSource, site: SiteState): Record<string, string> {
  const names = new Set(islands.icons);
  for (const { code } of source.modules.values()) {
    for (const match of code.matchAll(ICON_USE)) names.add(match[1] as string);
  }
  const icons: Record<string, string> = Object.create(null);
  const { library } = site.siteMap.config.icons;
  const all = [...source.modules.values()].map(({ code }) => code);
  for (const { name, aliases = [], icons: own = [] } of definitions) {
    if (![name, ...aliases].some((each) => all.some((code) => namesIdentifier(code, each)))) continue;
    for (const icon of own)
      icons[`${icon.library}:${icon.name}`] = iconSvg(icon, library, { size: 16 }) ?? '';
  }
  if (!all.some((code) => /\bicon\b/.test(code))) return icons;
  for (const name of [...names].sort()) {
    const svg = iconSvg({ name, style: null, library: null }, library, { size: 16 });
    if (svg !== null) icons[name] = svg;
  }
  return icons;
}

let shared: PageAsset | null = null;

/** Preact and what mounts islands, the same for every site. */
function runtime(): PageAsset {
  if (shared !== null) return shared;
  const { digest, content } = loadRuntime();
  shared = { kind: 'script', path: `_offprint/islands/runtime-${digest}.js`, content };
  return shared;
}
