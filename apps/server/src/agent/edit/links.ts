import type { Node } from 'jsonc-parser';
import type { Workspace } from '../workspace/workspace.ts';
import { type ConfigTree, lineAt, type Place } from './config-tree.ts';
import { type LinkKind, scanLinks, scanMarkdown, type WrittenLink } from './link-scan.ts';
import { type Resolved, resolveLink } from './link-target.ts';
import { type Navigation, readNavigation } from './nav.ts';
import { isPage, type PageLookup, pageLookup, pagePath } from './page-lookup.ts';

/** A place where a file of the docs names another. */
export interface Inbound extends WrittenLink {
  /** File that contains the link. */
  from: string;
  resolved: Resolved;
}

/** An entry of docs.json, of its navigation or elsewhere, that means a file. */
export interface ConfigEntry {
  place: Place;
  /** Range of the text itself, inside of the quotes. */
  start: number;
  end: number;
  kind: LinkKind | 'page';
  href: string;
  resolved: Resolved;
  /** Where in the configuration, for people: `navigation`, `redirects`. */
  part: string;
}

/** Files with links, and the most of one that is looked through. */
const SCANNED = /\.(?:mdx?|[jt]sx?)$/i;
const MAX_LENGTH = 4 * 1024 * 1024;

/** Every link of a file of the docs, with what it leads to. */
export function linksOf(file: string, text: string, lookup: PageLookup): Inbound[] {
  return scanLinks(file, text).flatMap((link) => {
    const resolved = resolveLink(link.kind, link.href, file, lookup);
    return resolved === null ? [] : [{ ...link, from: file, resolved }];
  });
}

/** Links of all other files to this one, by file in the order of the paths. */
export function inboundLinks(
  workspace: Workspace,
  target: string,
  lookup: PageLookup = pageLookup(workspace),
): Inbound[] {
  const needed = nameWithin(target);
  const found: Inbound[] = [];
  for (const { path, kind, isText } of workspace.list()) {
    if (kind !== 'file' || !isText || path === target || !SCANNED.test(path)) continue;
    const text = workspace.read(path);
    if (text === null || text.length > MAX_LENGTH) continue;
    if (needed !== null && !text.includes('%') && !text.toLowerCase().includes(needed)) continue;
    for (const link of linksOf(path, text, lookup)) if (link.resolved.file === target) found.push(link);
  }
  return found;
}

/** What every link to a file holds, in lower case; null where links may name its folder only. */
function nameWithin(target: string): string | null {
  const path = isPage(target) ? pagePath(target) : target;
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  const isFolder = isPage(target) && /(?:^|\/)index\.mdx?$/i.test(target);
  return isFolder || !/^[\x21-\x7e]+$/.test(name) ? null : name.toLowerCase();
}

/** Levels of the configuration in which references are looked for. */
const MAX_FOLLOWED = 60;

/** Keys of docs.json whose text is a link, and those whose text is a file. */
const LINK_KEYS: ReadonlySet<string> = new Set(['href', 'url', 'destination', 'link', 'to']);
const FILE_KEYS: ReadonlySet<string> = new Set([
  'openapi',
  'asyncapi',
  'source',
  'logo',
  'favicon',
  'light',
  'dark',
  'image',
  '$ref',
]);

/** Places of the configuration that mean a file. Throws ConfigFault when it cannot be read. */
export function configEntries(
  workspace: Pick<Workspace, 'read' | 'has'>,
  target: string,
  lookup: PageLookup,
): { navigation: Navigation; entries: ConfigEntry[] } {
  const navigation = readNavigation(workspace);
  const { config } = navigation;
  const entries: ConfigEntry[] = [];
  for (const nodes of navigation.byPage.values()) {
    for (const { label, labelPlace } of nodes) {
      if (labelPlace === null || lookup.find(label) !== target) continue;
      const { start, end } = inside(labelPlace.node);
      const base = label.trim().startsWith('/') ? 'root' : 'bare';
      const resolved: Resolved = { file: target, base, prefix: '' };
      entries.push({
        place: labelPlace,
        start,
        end,
        kind: 'page',
        href: label,
        resolved,
        part: 'navigation',
      });
    }
  }
  // Everything that the configuration refers to has been read for the navigation, but for parts beside it.
  for (const file of openParts(config)) {
    const text = config.texts.get(file) ?? '';
    eachText(config, file, (node, keys) => {
      entries.push(...entriesOf({ file, node }, keys, text, target, lookup));
    });
  }
  const seen = new Set<string>();
  const unique = entries.filter(({ place, start }) => {
    const key = `${place.file}\0${start}`;
    return !seen.has(key) && seen.add(key);
  });
  return { navigation, entries: unique };
}

function entriesOf(
  place: Place,
  keys: readonly string[],
  text: string,
  target: string,
  lookup: PageLookup,
): ConfigEntry[] {
  const { start, end } = inside(place.node);
  const href = text.slice(start, end);
  // Ranges are those of the text as written; a link with an escaped character is left to people.
  if (href.includes('\\')) return [];
  const key = keys.at(-1) ?? '';
  const part = keys[0] ?? '';
  const make = (kind: LinkKind, from: number, written: string): ConfigEntry[] => {
    const resolved = resolveLink(kind, written, place.file, lookup);
    if (resolved?.file !== target) return [];
    return [{ place, start: from, end: from + written.length, kind, href: written, resolved, part }];
  };
  if (href.includes(']('))
    return scanMarkdown(href).flatMap((link) => make('link', start + link.start, link.href));
  if (LINK_KEYS.has(key))
    return place.file === 'mint.json' && !href.startsWith('/') ? [] : make('link', start, href);
  if (!FILE_KEYS.has(key) || isPage(target)) return [];
  return make(key === '$ref' ? 'link' : 'spec', start, href);
}

/** Files of the configuration, with those of parts beside the navigation. */
export function openParts(config: ConfigTree): string[] {
  const top = config.read(config.root);
  if (top.type === 'object') {
    const seen = new Set<Node>();
    for (const place of top.members.values()) followAll(config, place, seen, 0);
  }
  return [...config.texts.keys()];
}

/**
 * Reads what references lead to, so that its text is known; what cannot be followed is left. Each place once: files
 * that refer to each other many times over would never end.
 */
function followAll(config: ConfigTree, place: Place, seen: Set<Node>, depth: number): void {
  if (depth > MAX_FOLLOWED || seen.has(place.node)) return;
  if (place.node.type !== 'object' && place.node.type !== 'array') return;
  seen.add(place.node);
  try {
    const value = config.read(place);
    const below =
      value.type === 'object' ? value.members.values() : value.type === 'array' ? value.items : [];
    for (const child of below) followAll(config, child, seen, depth + 1);
  } catch {
    // A broken reference has no text.
  }
}

/** Every string value of a file with the keys that lead to it; items of lists have the keys of the list. */
export function eachText(
  config: ConfigTree,
  file: string,
  visit: (node: Node, keys: readonly string[]) => void,
): void {
  const root = config.rootOf(file);
  const stack: [Node, readonly string[]][] = root === null ? [] : [[root, []]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [node, keys] = next;
    if (node.type === 'string') visit(node, keys);
    for (const child of node.children ?? []) {
      if (node.type !== 'object') stack.push([child, keys]);
      else {
        const [key, value] = child.children ?? [];
        if (value !== undefined) stack.push([value, [...keys, String(key?.value)]]);
      }
    }
  }
}

const inside = ({ offset, length }: Node): { start: number; end: number } => ({
  start: offset + 1,
  end: offset + length - 1,
});

/** `path:line` of a link. */
export function placeOf(link: Inbound, workspace: Workspace): string {
  return `${link.from}:${lineAt(workspace.read(link.from) ?? '', link.start)}`;
}
