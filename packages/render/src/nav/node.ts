import { isExcludedLink } from '../config/assistant.ts';
import { readBanner, readFooter, readNavbar, readThemedColor } from '../config/chrome.ts';
import { iconOf } from '../config/icon.ts';
import type { JsonObject } from '../config/json.ts';
import { choice, flag, isSafeHref, type Section, text, warnAt } from '../config/section.ts';
import { suggestName } from '../config/suggest-name.ts';
import type { NavKind, NavNode, Page } from '../site.ts';

/** Keys that hold children, with the kind of the children and the key that labels one. */
export const CHILDREN: ReadonlyMap<string, { kind: NavKind; label: string }> = new Map([
  ['languages', { kind: 'language', label: 'language' }],
  ['versions', { kind: 'version', label: 'version' }],
  ['products', { kind: 'product', label: 'product' }],
  ['tabs', { kind: 'tab', label: 'tab' }],
  ['menu', { kind: 'item', label: 'item' }],
  ['dropdowns', { kind: 'dropdown', label: 'dropdown' }],
  ['anchors', { kind: 'anchor', label: 'anchor' }],
  ['groups', { kind: 'group', label: 'group' }],
]);

/** Kinds of which a reader sees one at a time; their pages make a sidebar of their own. */
export const SWITCHES: ReadonlySet<NavKind> = new Set<NavKind>([
  'language',
  'version',
  'product',
  'tab',
  'item',
  'dropdown',
  'anchor',
]);

const KNOWN: ReadonlySet<string> = new Set([
  ...CHILDREN.keys(),
  ...[...CHILDREN.values()].map(({ label }) => label),
  ...[
    'pages',
    'page',
    'global',
    'icon',
    'iconType',
    'hidden',
    'href',
    'url',
    'openapi',
    'asyncapi',
    'directory',
  ],
  ...['default', 'banner', 'footer', 'navbar', 'tag', 'name', 'title', 'label', 'description', 'color'],
  ...['searchable', 'align', 'graphql', 'sdk', 'root', 'expanded', 'boost', 'public'],
]);

/** Keys of older files. */
const LEGACY: ReadonlySet<string> = new Set(['collapsed', 'expandable', 'includeTags']);

/** Warnings about keys of one entry. */
const MAX_UNKNOWN = 5;

/** A node without children from its written form. */
export function makeNode(section: Section, kind: NavKind, labelKey: string): NavNode {
  const { value } = section;
  checkKeys(section);
  const isLanguage = kind === 'language';
  return {
    kind,
    label: labelOf(value, labelKey),
    icon: iconOf(section),
    tag: text(section, 'tag'),
    description: text(section, 'description'),
    hidden: flag(section, 'hidden') ?? false,
    isDefault: flag(section, 'default') ?? false,
    expanded: flag(section, 'expanded') ?? false,
    directory: 'none',
    color: readThemedColor(section, 'color'),
    align: choice(section, 'align', ['start', 'end']) ?? 'start',
    href: hrefOf(section),
    page: null,
    banner: isLanguage && value.banner !== undefined ? readBanner(section) : null,
    footer: isLanguage && value.footer !== undefined ? readFooter(section) : null,
    navbar: isLanguage && value.navbar !== undefined ? readNavbar(section) : null,
    children: [],
  };
}

const EMPTY: NavNode = {
  kind: 'root',
  label: '',
  icon: null,
  tag: null,
  description: null,
  hidden: false,
  isDefault: false,
  expanded: false,
  directory: 'none',
  color: null,
  align: 'start',
  href: null,
  page: null,
  banner: null,
  footer: null,
  navbar: null,
  children: [],
};

export function rootNode(): NavNode {
  return { ...EMPTY, children: [] };
}

/** The entry of a page. */
export function pageNode(page: Page): NavNode {
  const { sidebarTitle: label, icon, tag, description, hidden } = page;
  return { ...EMPTY, kind: 'page', label, icon, tag, description, hidden, page, children: [] };
}

/** The entry of a page that is only a link. */
export function linkPageNode(page: Page, href: string): NavNode {
  return { ...pageNode(page), kind: 'link', page: null, href };
}

export function linkNode(label: string, href: string): NavNode {
  return { ...EMPTY, kind: 'link', label, href, children: [] };
}

export function groupNode(label: string, children: NavNode[]): NavNode {
  return { ...EMPTY, kind: 'group', label, children };
}

function labelOf(value: JsonObject, key: string): string {
  const written = [value[key], value.name, value.label, value.title].find(
    (candidate) => typeof candidate === 'string' || typeof candidate === 'number',
  );
  return written === undefined ? '' : String(written).trim();
}

function hrefOf(section: Section): string | null {
  const written = word(section.value.href);
  const href = written ?? word(section.value.url);
  if (href !== null && isExcludedLink(section, written === null ? 'url' : 'href', href)) return null;
  if (href === null || isSafeHref(href)) return href;
  warnAt(
    section,
    'href',
    'unsafe-link',
    'A link in the navigation must be a path, or an http, https, mailto or tel URL; it was ignored.',
  );
  return null;
}

/** Warns about keys that no entry of a navigation has. */
export function checkKeys(section: Section): void {
  let unknown = 0;
  for (const key of Object.keys(section.value)) {
    if (KNOWN.has(key)) continue;
    const shown = JSON.stringify(key.slice(0, 80));
    if (LEGACY.has(key)) {
      const message = `${shown} has no effect: nested groups are collapsed unless "expanded" is true. Remove it.`;
      warnAt(section, key, 'config-ignored-key', message);
    } else {
      const near = suggestName(key, KNOWN);
      const hint = near === null ? 'Check its spelling or remove it.' : `Did you mean "${near}"?`;
      warnAt(section, key, 'navigation-unknown-key', `Unknown key ${shown} in a navigation entry. ${hint}`);
    }
    if (++unknown === MAX_UNKNOWN) return;
  }
}

function word(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
