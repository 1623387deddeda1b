import { isExcludedLink } from '../config/assistant.ts';
import type { JsonObject } from '../config/json.ts';
import { type Keys, namesOf } from '../config/key.ts';
import { docsKeys } from '../config/keys/index.ts';
import { nodeKeys, nodeLists } from '../config/keys/navigation.ts';
import { isSafeHref, type Section, warnAt } from '../config/section.ts';
import { suggestName } from '../config/suggest-name.ts';
import type { NavKind, NavNode, Page } from '../site.ts';

/** Keys that hold children, with the kind of the children and the key that labels one. */
export const CHILDREN: ReadonlyMap<string, { kind: NavKind; label: string }> = new Map(
  Object.entries(nodeLists),
);

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
    icon: nodeKeys.icon.read(section, 'icon'),
    tag: nodeKeys.tag.read(section, 'tag'),
    description: nodeKeys.description.read(section, 'description'),
    hidden: nodeKeys.hidden.read(section, 'hidden'),
    isDefault: nodeKeys.default.read(section, 'default') ?? false,
    expanded: nodeKeys.expanded.read(section, 'expanded'),
    directory: 'none',
    color: nodeKeys.color.read(section, 'color'),
    align: nodeKeys.align.read(section, 'align'),
    href: hrefOf(section),
    page: null,
    banner: isLanguage && value.banner !== undefined ? nodeKeys.banner.read(section, 'banner') : null,
    footer: isLanguage && value.footer !== undefined ? nodeKeys.footer.read(section, 'footer') : null,
    navbar: isLanguage && value.navbar !== undefined ? nodeKeys.navbar.read(section, 'navbar') : null,
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

/** Warns about keys that no entry of a navigation has, and about those of older files. */
export function checkKeys(section: Section): void {
  const keys: Keys = nodeKeys;
  const names = namesOf(keys);
  const others = Object.keys(section.value).filter((key) => !names.includes(key));
  for (const key of others.slice(0, MAX_UNKNOWN)) {
    const ignored = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (ignored !== undefined) {
      ignored.read(section, key);
      continue;
    }
    const near = suggestName(key, names);
    const other = near === null ? 'Check its spelling or remove it.' : `Did you mean "${near}"?`;
    const isOfSite = Object.hasOwn(docsKeys, key);
    const hint = isOfSite ? 'It is a key of docs.json: move it out of "navigation".' : other;
    const shown = JSON.stringify(key.slice(0, 80));
    warnAt(section, key, 'navigation-unknown-key', `Unknown key ${shown} in a navigation entry. ${hint}`);
  }
}

function word(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
