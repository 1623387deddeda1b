import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { assetPath } from '../assets.ts';
import { type Kind, kindIcon } from '../components/callout.ts';
import { components as builtIns } from '../components/index.ts';
import { iconSvg } from '../icons/index.ts';
import type { Module } from '../mdx/modules.ts';
import type { SiteState } from '../mdx/state.ts';
import type { PageAsset } from '../page-asset.ts';
import { hostsWarning, namedHosts } from '../scripts/hosts.ts';
import { hashOf } from '../theme/hash.ts';
import { type BundleSource, bundleIslands, bundleRuntime } from './bundle.ts';
import { collectSources } from './sources.ts';
import type { PageIslands } from './write.ts';

/** Changes whenever the same sources would give another bundle. */
const VERSION = '9';

/** What a page with islands loads: the runtime that all of them share, and its own script; `code` is what that is made from. */
export function islandAssets(
  islands: PageIslands,
  page: Module,
  site: SiteState,
): { assets: PageAsset[]; code: string[] } {
  if (islands.components.size === 0) return { assets: [], code: [] };
  const source: BundleSource = {
    ...collectSources(islands, page, site),
    builtIns: builtInNames,
  };
  reportPlain(source, islands, site);
  reportHosts(source, site);
  const icons = iconsOf(islands, source, site);
  const digest = hashOf(JSON.stringify([VERSION, [...source.modules], source.entries, icons]));
  const path = `_offprint/islands/page-${digest}.js`;
  const { warn } = site;
  const own: PageAsset = { kind: 'script', path, content: () => bundleIslands(source, icons, warn) };
  return { assets: [runtime(), own], code: [...source.modules.values()].map(({ code }) => code) };
}

/** Names of built-in components that a component of the page may use. */
const builtInNames: readonly string[] = [
  ...new Set(Object.keys(builtIns).map((name) => name.split('.')[0] as string)),
];

/** Built-in components that have a form in the browser (client/components.js). */
export const shownInBrowser: ReadonlySet<string> = new Set(
  (
    'Accordion AccordionGroup Badge Callout Card CardGroup Check CodeBlock Column Columns Danger Expandable Frame Heading Icon ' +
    'Info Latex Link MDX Note Step Steps Tab Tabs Tip Tooltip Warning'
  ).split(' '),
);

/** Built-in components inside those of the page that show their content and no more, as no initial view has them. */
function reportPlain(source: BundleSource, { marks }: PageIslands, { warn }: SiteState): void {
  const marked = new Set([...marks.names].map((name) => name.split('.')[0]));
  for (const [file, { code }] of source.modules) {
    for (const [, name = ''] of code.matchAll(/<([A-Z]\w{0,80})(?=[\s/>.])/g)) {
      if (
        shownInBrowser.has(name) ||
        marked.has(name) ||
        !builtInNames.includes(name) ||
        isOwnName(name, code)
      )
        continue;
      const message = `\`<${name}>\` is not in the initial view of its component. If the browser shows it later, it shows only its label and content. Pass it to the component as content instead.`;
      warn({ file, line: null, code: 'client-component', message });
    }
  }
}

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

function isOwnName(name: string, code: string): boolean {
  return new RegExp(
    `\\b(?:const|let|var|function|class)\\s+${name}\\b|\\bimport\\b[^;'"]*\\b${name}\\b`,
  ).test(code);
}

const KINDS: readonly Kind[] = ['note', 'warning', 'info', 'tip', 'check', 'danger'];
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
  for (const kind of KINDS) {
    if (all.some((code) => code.toLowerCase().includes(`<${kind}`) || code.includes('<Callout')))
      icons[`callout:${kind}`] = kindIcon(kind, 18);
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
  const require = createRequire(import.meta.url);
  const files = new Map<string, string>();
  const read = (id: string, file: string): void => void files.set(id, readFileSync(file, 'utf8'));
  for (const id of ['preact', 'preact/hooks', 'preact/compat', 'preact/jsx-runtime']) {
    read(id, require.resolve(id));
  }
  for (const name of ['runtime', 'components', 'kept', 'key', 'local', 'css']) {
    read(`./${name}.js`, assetPath(`packages/render/src/islands/client/${name}.js`));
  }
  const path = `_offprint/islands/runtime-${hashOf(JSON.stringify([VERSION, [...files]]))}.js`;
  let content: Promise<string> | null = null;
  shared = {
    kind: 'script',
    path,
    content: () => {
      content ??= bundleRuntime(files);
      return content;
    },
  };
  return shared;
}
