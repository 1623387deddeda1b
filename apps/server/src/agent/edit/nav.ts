import type { Workspace } from '../workspace/workspace.ts';
import { ConfigFault, type ConfigTree, type ConfigValue, openConfig, type Place } from './config-tree.ts';
import { entryPath, foldPath } from './page-lookup.ts';

/** Keys that hold entries of a navigation, with the key that labels one of them. */
export const LISTS: ReadonlyMap<string, string> = new Map([
  ['languages', 'language'],
  ['versions', 'version'],
  ['products', 'product'],
  ['tabs', 'tab'],
  ['menu', 'item'],
  ['dropdowns', 'dropdown'],
  ['anchors', 'anchor'],
  ['groups', 'group'],
  ['pages', 'page'],
]);

export type NavKind = 'root' | 'global' | 'page' | 'operation' | 'link' | string;

/** One entry of a navigation as it is written. */
export interface NavNode {
  /** Keys and positions from the root, such as `tabs/0/groups/2/pages/1`; '' is the root. */
  id: string;
  kind: NavKind;
  /** As written; of a page its path. */
  label: string;
  /** The value of the entry. */
  place: Place;
  /** The list that holds it and its position there; null for the root and for what is a member by itself. */
  list: { place: Place; index: number } | null;
  /** Lists of its children by key, in the order of the file. */
  lists: ReadonlyMap<string, Place>;
  /** Where its label is written; null for entries that are not objects. */
  labelPlace: Place | null;
  /** Short facts: `hidden`, `openapi: file`, `href: ...`. */
  notes: readonly string[];
  children: readonly NavNode[];
  parent: NavNode | null;
}

export interface Navigation {
  config: ConfigTree;
  root: NavNode;
  byId: ReadonlyMap<string, NavNode>;
  /** Entries of pages by folded path. */
  byPage: ReadonlyMap<string, readonly NavNode[]>;
  pageCount: number;
}

/** Entries of a navigation that is read here. */
const MAX_NODES = 60_000;
const MAX_DEPTH = 60;
const NOTED = ['href', 'url', 'openapi', 'asyncapi', 'directory', 'tag'];

/** Reads the navigation of docs.json or mint.json as it is written. Throws ConfigFault. */
export function readNavigation(workspace: Pick<Workspace, 'read' | 'has'>): Navigation {
  const config = openConfig(workspace);
  const top = config.read(config.root);
  if (top.type !== 'object') throw new ConfigFault(`${config.file} must contain an object.`);
  const byId = new Map<string, NavNode>();
  const byPage = new Map<string, NavNode[]>();
  const navigation = top.members.get('navigation');
  if (navigation === undefined) throw new ConfigFault(`${config.file} has no "navigation".`);
  let count = 0;

  const visit = (node: NavNode, value: ConfigValue, depth: number): void => {
    if (value.type !== 'object') return;
    if (depth > MAX_DEPTH) throw new ConfigFault('The navigation is nested too deeply.');
    for (const [key, place] of value.members) {
      if (key === 'root' && place.node.type === 'string') addPage(node, `${join(node.id)}root`, place, null);
      else if (key === 'global' && node.kind === 'root') visitGlobal(node, place, depth);
      else if (LISTS.has(key)) visitList(node, key, place, depth);
    }
  };

  const visitGlobal = (node: NavNode, place: Place, depth: number): void => {
    const global = newNode(node, { id: 'global', kind: 'global', label: 'global', place, list: null });
    register(node, global);
    visit(global, config.read(place), depth + 1);
  };

  const visitList = (node: NavNode, key: string, place: Place, depth: number): void => {
    const list = config.read(place);
    if (list.type !== 'array') return;
    (node.lists as Map<string, Place>).set(key, list.place);
    for (const [index, item] of list.items.entries()) {
      if (++count > MAX_NODES) throw new ConfigFault(`The navigation has more than ${MAX_NODES} entries.`);
      addEntry(node, key, { place: list.place, index }, item, depth);
    }
  };

  const addEntry = (
    parent: NavNode,
    key: string,
    list: NonNullable<NavNode['list']>,
    item: Place,
    depth: number,
  ): void => {
    const id = `${join(parent.id)}${key}/${list.index}`;
    const value = config.read(item);
    if (value.type === 'scalar') {
      if (typeof value.value === 'string') addPage(parent, id, value.place, list);
      return;
    }
    if (value.type !== 'object') return;
    const named = nameOf(value.members, key);
    if (named.kind === 'page' && named.place !== null) {
      addPage(parent, id, named.place, list, item);
      return;
    }
    const node = newNode(parent, {
      id,
      kind: named.kind,
      label: named.label,
      place: item,
      list,
      labelPlace: named.place,
      notes: notesOf(value.members),
    });
    register(parent, node);
    visit(node, value, depth + 1);
  };

  const addPage = (
    parent: NavNode,
    id: string,
    written: Place,
    list: NavNode['list'],
    place: Place = written,
  ): void => {
    const label = String(written.node.value);
    const kind = isOperation(label) ? 'operation' : /^[a-z][a-z0-9+.-]*:/i.test(label) ? 'link' : 'page';
    const node = newNode(parent, { id, kind, label, place, list, labelPlace: written });
    register(parent, node);
    if (kind !== 'page') return;
    const key = foldPath(entryPath(label));
    const same = byPage.get(key);
    if (same === undefined) byPage.set(key, [node]);
    else same.push(node);
  };

  const register = (parent: NavNode, node: NavNode): void => {
    (parent.children as NavNode[]).push(node);
    byId.set(node.id, node);
  };

  const value = config.read(navigation);
  const root = newNode(null, { id: '', kind: 'root', label: 'navigation', place: value.place, list: null });
  byId.set('', root);
  if (value.type === 'array') {
    // The form of mint.json: the list is the groups, beside tabs and anchors of the configuration itself.
    visitList(root, 'groups', navigation, 0);
    for (const key of ['tabs', 'anchors']) {
      const place = top.members.get(key);
      if (place !== undefined) visitList(root, key, place, 0);
    }
  } else visit(root, value, 0);
  const pageCount = [...byPage.values()].reduce((sum, nodes) => sum + nodes.length, 0);
  return { config, root, byId, byPage, pageCount };
}

type Made = Pick<NavNode, 'id' | 'kind' | 'label' | 'place' | 'list'> &
  Partial<Pick<NavNode, 'labelPlace' | 'notes'>>;

function newNode(parent: NavNode | null, made: Made): NavNode {
  return { labelPlace: null, notes: [], ...made, lists: new Map(), children: [], parent };
}

const join = (id: string): string => (id === '' ? '' : `${id}/`);

interface Named {
  kind: NavKind;
  label: string;
  place: Place | null;
}

function nameOf(members: ReadonlyMap<string, Place>, key: string): Named {
  const own = LISTS.get(key) ?? 'group';
  // In `pages` an entry may be of any kind.
  const keys = key === 'pages' ? ['group', ...LISTS.values()] : [own, 'name', 'label', 'title'];
  for (const name of keys) {
    const place = members.get(name);
    if (place === undefined || !['string', 'number'].includes(place.node.type)) continue;
    const kind = key === 'pages' ? name : own;
    return { kind, label: String(place.node.value), place: place.node.type === 'string' ? place : null };
  }
  const isLink = (members.has('href') || members.has('url')) && !members.has('pages');
  return { kind: key === 'pages' ? (isLink ? 'link' : 'group') : own, label: '', place: null };
}

function notesOf(members: ReadonlyMap<string, Place>): string[] {
  const notes: string[] = [];
  for (const key of NOTED) {
    const place = members.get(key);
    const written = place?.node.type === 'object' ? 'set' : place?.node.value;
    if (typeof written === 'string' && written !== '') notes.push(`${key}: ${written.slice(0, 120)}`);
  }
  if (members.get('hidden')?.node.value === true) notes.push('hidden');
  if (members.get('default')?.node.value === true) notes.push('default');
  return notes;
}

/** `[file] METHOD /path` or `[file] webhook name`. */
export function isOperation(text: string): boolean {
  return parseOperation(text) !== null;
}

/** The description that an operation entry names (null: the inherited one), or null for other entries. */
export function parseOperation(text: string): { spec: string | null } | null {
  const words = text.trim().split(/\s+/, 4);
  if (words.length < 2 || words.length > 3) return null;
  const method = words.at(-2) ?? '';
  if (!/^(?:get|put|post|delete|options|head|patch|trace|webhook)$/i.test(method)) return null;
  return { spec: words.length === 3 ? (words[0] ?? null) : null };
}
