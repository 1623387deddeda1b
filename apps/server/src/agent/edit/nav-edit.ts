import { counted } from '@offprint/contract/counted';
import type { Node } from 'jsonc-parser';
import type { Workspace } from '../workspace/workspace.ts';
import { ConfigFault, type ConfigTree, withTexts } from './config-tree.ts';
import {
  appendMember,
  applySplices,
  insertItem,
  rawOf,
  removeItem,
  removeMember,
  replaceScalar,
  type Splice,
} from './json-splice.ts';
import { isOperation, LISTS, type Navigation, type NavNode, parseOperation, readNavigation } from './nav.ts';
import { entryPath, foldPath, type PageLookup, pageLookup } from './page-lookup.ts';

export type NavRequest =
  | { op: 'add'; entry: string; parent: string; position: number | null; label: string | null }
  | { op: 'move'; node: string; parent: string; position: number | null }
  | { op: 'rename'; node: string; label: string }
  | { op: 'remove'; node: string };

/** A changed configuration that is not written yet. */
export interface NavEdit {
  file: string;
  text: string;
  /** A second file, when an entry moves from one to another. */
  others: ReadonlyMap<string, string>;
  /** Id of the entry now; null when it was removed. */
  id: string | null;
  /** What was done, and what is worth knowing besides. */
  told: string[];
}

/** The request cannot be done. The message says what to do instead. */
export class NavFault extends Error {
  override name = 'NavFault';
}

/**
 * Changes the navigation as text, so that nothing else of the file changes. Writes nothing. Throws NavFault and
 * ConfigFault.
 */
export function editNavigation(workspace: Workspace, request: NavRequest): NavEdit {
  const navigation = readNavigation(workspace);
  switch (request.op) {
    case 'add':
      return addEntry(workspace, navigation, request);
    case 'move':
      return moveEntry(workspace, navigation, request);
    case 'rename':
      return renameEntry(navigation, request);
    case 'remove':
      return removeEntry(navigation, request.node);
  }
}

function addEntry(
  workspace: Workspace,
  navigation: Navigation,
  request: Extract<NavRequest, { op: 'add' }>,
): NavEdit {
  const parent = findNode(navigation, request.parent, 'parent');
  const lookup = pageLookup(workspace);
  const { entry, told } = checkEntry(navigation, lookup, request.entry, request.label);
  const target = targetList(navigation, parent, request.label === null ? 'entry' : 'group');
  const value = request.label === null ? entry : newValue(target.key, request.label, entry, isAddress(entry));
  const { text, id } = insertInto(navigation, target, parent, request.position, value);
  return done(navigation.config, target.file, text, id, [`Added ${quote(entry)} as [${id}].`, ...told]);
}

/** An entry as it is to be written, after a look whether it leads anywhere. */
function checkEntry(
  navigation: Navigation,
  lookup: PageLookup,
  written: string,
  label: string | null,
): { entry: string; told: string[] } {
  const entry = written.trim();
  if (entry === '') throw new NavFault('"node" is empty. Pass the path of a page, such as guides/start.');
  const operation = parseOperation(entry);
  if (operation !== null) {
    if (operation.spec === null || lookup.has(operation.spec.replace(/^\//, ''))) return { entry, told: [] };
    if (isAddress(operation.spec)) return { entry, told: [] };
    throw new NavFault(`API description ${quote(operation.spec)} not found.`);
  }
  if (isAddress(entry)) {
    if (!URL.canParse(entry) || !/^(?:https?|mailto|tel):/i.test(entry))
      throw new NavFault(`${quote(entry)} is not an http, https, mailto or tel URL.`);
    if (label === null) throw new NavFault('A link needs "label": the text that readers see.');
    return { entry, told: [] };
  }
  const file = lookup.find(entry);
  if (file === null) {
    const near = nearPages(lookup, entry);
    const hint = near.length === 0 ? '' : ` Pages with that name: ${near.join(', ')}.`;
    throw new NavFault(`Page ${quote(entry)} not found. Write its file first.${hint}`);
  }
  const page = entry.replace(/^\/+|\/+$/g, '').replace(/\.mdx?$/i, '');
  const listed = navigation.byPage.get(foldPath(entryPath(page))) ?? [];
  const told = listed.map(
    ({ id }) => `The page is also listed at [${id}]; remove one of them if that is not intended.`,
  );
  return { entry: page, told };
}

function nearPages(lookup: PageLookup, entry: string): string[] {
  const last = foldPath(entryPath(entry)).split('/').at(-1) ?? '';
  const found = lookup.pages.filter((file) => foldPath(entryPath(file)).split('/').at(-1) === last);
  return found.slice(0, 5).map(entryPath);
}

const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(text);

/** A new entry with a label: a link where the entry is an address, else one that holds the page. */
function newValue(key: string, label: string, entry: string, isLink: boolean): unknown {
  const name = key === 'pages' ? 'group' : (LISTS.get(key) ?? 'group');
  return isLink ? { [name]: label, href: entry } : { [name]: label, pages: [entry] };
}

interface TargetList {
  file: string;
  key: string;
  /** Null: the parent has no such list yet, and gets one. */
  list: Node | null;
}

/** The list of a parent that takes a page or group (`entry`), or a new labelled entry (`group`). */
function targetList(navigation: Navigation, parent: NavNode, wanted: 'entry' | 'group'): TargetList {
  const holder = holderOf(navigation, parent);
  const keys = [...parent.lists.keys()];
  const found = (key: string): TargetList => {
    const place = parent.lists.get(key);
    if (place === undefined) throw new NavFault(`[${parent.id}] has no "${key}".`);
    return { file: place.file, key, list: place.node };
  };
  if (parent.lists.has('pages')) return found('pages');
  if (wanted === 'group' && keys.length > 0)
    return found(keys.includes('groups') ? 'groups' : (keys[0] ?? ''));
  if (keys.length > 0) {
    const below = parent.children.filter(({ lists }) => lists.size > 0).slice(0, 12);
    const ids = below.map(({ id, label }) => `[${id}] ${quote(label)}`).join(', ');
    throw new NavFault(
      `${nameOf(parent)} contains ${keys.join(' and ')}, not pages. Pass one of these as "parent": ${ids}. Or pass "label" to create a new one.`,
    );
  }
  if (holder === null) throw new NavFault(`${nameOf(parent)} cannot contain entries.`);
  return { ...holder, key: 'pages', list: null };
}

/** The object of an entry, which can get a new list. */
function holderOf({ config }: Navigation, parent: NavNode): { file: string } | null {
  const value = config.read(parent.place);
  return value.type === 'object' ? { file: value.place.file } : null;
}

function insertInto(
  navigation: Navigation,
  { file, key, list }: TargetList,
  parent: NavNode,
  position: number | null,
  value: unknown,
): { text: string; id: string } {
  const text = textOf(navigation.config, file);
  const prefix = parent.id === '' ? '' : `${parent.id}/`;
  if (list === null) {
    const holder = navigation.config.read(parent.place);
    const splice = appendMember(text, holder.place.node, key, [value]);
    return { text: applySplices(text, [splice]), id: `${prefix}${key}/0` };
  }
  const length = list.children?.length ?? 0;
  const index = position ?? length;
  if (index > length) throw new NavFault(`${nameOf(parent)} has ${length} entries; "position" is ${index}.`);
  return {
    text: applySplices(text, [insertItem(text, list, index, value)]),
    id: `${prefix}${key}/${index}`,
  };
}

function moveEntry(
  workspace: Workspace,
  navigation: Navigation,
  request: Extract<NavRequest, { op: 'move' }>,
): NavEdit {
  const node = findNode(navigation, request.node, 'node');
  const parent = findNode(navigation, request.parent, 'parent');
  const from = listOf(node);
  for (let at: NavNode | null = parent; at !== null; at = at.parent) {
    if (at === node) throw new NavFault(`${nameOf(node)} cannot be moved into itself.`);
  }
  const source = textOf(navigation.config, node.place.file);
  const value = rawOf(source, node.place.node);
  const cut = removeItem(from.place.node, from.index);
  const texts = new Map(navigation.config.texts);
  texts.set(from.place.file, applySplices(textOf(navigation.config, from.place.file), [cut]));
  const between = readNavigation(withTexts(workspace, texts));
  const home = sameNode(between, parent, from.place.file, cut);
  const target = movedList(between, home, node);
  if (request.position === null && home.id === '' && target.key === 'pages' && target.list === null)
    throw new NavFault('Pass a group as "parent".');
  if (target.file !== node.place.file && value.text.includes('"$ref"'))
    throw new NavFault(`${nameOf(node)} refers to a file from ${node.place.file}. Edit the files as text.`);
  const { text, id } = insertInto(between, target, home, request.position, value);
  const edit = done(between.config, target.file, text, id, [`Moved ${nameOf(node)} to [${id}].`]);
  if (target.file !== from.place.file) {
    (edit.others as Map<string, string>).set(from.place.file, texts.get(from.place.file) ?? '');
  }
  return edit;
}

/** The list of the new parent that takes this kind of entry: one of the same kind before others. */
function movedList(navigation: Navigation, parent: NavNode, node: NavNode): TargetList {
  const key = node.list === null ? '' : (node.id.split('/').at(-2) ?? '');
  const same = parent.lists.get(key);
  if (same !== undefined) return { file: same.file, key, list: same.node };
  const isGroup = node.kind === 'group';
  const target = targetList(navigation, parent, isGroup ? 'group' : 'entry');
  if (target.key === 'pages' || (isGroup && target.key === 'groups')) {
    if (!isGroup && !['page', 'operation', 'link'].includes(node.kind))
      throw new NavFault(`${nameOf(parent)} cannot contain a ${node.kind}.`);
    return target;
  }
  throw new NavFault(`${nameOf(parent)} cannot contain a ${node.kind}; it contains ${target.key}.`);
}

/** The same entry after a cut in a file. */
function sameNode(navigation: Navigation, node: NavNode, file: string, cut: Splice): NavNode {
  const { place } = node;
  const isBehind = place.file === file && place.node.offset >= cut.end;
  const offset = place.node.offset - (isBehind ? cut.end - cut.start : 0);
  for (const candidate of navigation.byId.values()) {
    const { place: at } = candidate;
    if (at.file === place.file && at.node.offset === offset && candidate.kind === node.kind) return candidate;
  }
  throw new NavFault('The navigation could not be changed. Edit docs.json as text.');
}

function renameEntry(
  navigation: Navigation,
  { node: id, label }: Extract<NavRequest, { op: 'rename' }>,
): NavEdit {
  const node = findNode(navigation, id, 'node');
  if (label.trim() === '') throw new NavFault('"label" is empty.');
  if (node.kind === 'page' || node.kind === 'operation' || node.kind === 'link')
    throw new NavFault(
      `${nameOf(node)} has no label of its own: a page shows the "sidebarTitle" or "title" of its front matter. Edit the page.`,
    );
  if (node.labelPlace === null) throw new NavFault(`${nameOf(node)} has no label that can be changed.`);
  const { file, node: written } = node.labelPlace;
  const text = applySplices(textOf(navigation.config, file), [replaceScalar(written, label)]);
  return done(navigation.config, file, text, node.id, [
    `Renamed [${node.id}] from ${quote(node.label)} to ${quote(label)}.`,
  ]);
}

function removeEntry(navigation: Navigation, id: string): NavEdit {
  const node = findNode(navigation, id, 'node');
  const told = [`Removed [${node.id}] ${node.kind} ${quote(node.label)}.`];
  const below = pagesBelow(node);
  if (below > 0)
    told.push(`It contained ${counted(below, 'page')}, no longer in the navigation unless listed elsewhere.`);
  if (node.list === null) {
    if (node.parent === null || !node.id.endsWith('root'))
      throw new NavFault(`${nameOf(node)} cannot be removed.`);
    const holder = { file: node.place.file, node: parentObject(node.place.node) };
    const splice = removeMember(holder.node, 'root');
    if (splice === null) throw new NavFault(`${nameOf(node)} cannot be removed.`);
    const text = applySplices(textOf(navigation.config, holder.file), [splice]);
    return done(navigation.config, holder.file, text, null, told);
  }
  const { place, index } = node.list;
  const text = applySplices(textOf(navigation.config, place.file), [removeItem(place.node, index)]);
  if (place.node.children?.length === 1 && node.parent !== null)
    told.push(`${nameOf(node.parent)} is now empty: remove it or add an entry to it.`);
  return done(navigation.config, place.file, text, null, told);
}

/** The object that has a value as a member. */
function parentObject(node: Node): Node {
  const object = node.parent?.parent;
  if (object === undefined) throw new NavFault('The entry cannot be removed.');
  return object;
}

function pagesBelow(node: NavNode): number {
  return node.children.reduce((sum, child) => sum + (child.kind === 'page' ? 1 : 0) + pagesBelow(child), 0);
}

function listOf(node: NavNode): NonNullable<NavNode['list']> {
  if (node.list === null) throw new NavFault(`${nameOf(node)} cannot be moved.`);
  return node.list;
}

/** An entry by its id, or by the path of a page that is listed once. */
export function findNode(navigation: Navigation, written: string, name: string): NavNode {
  const id = written
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/^\/+|\/+$/g, '')
    .replace(/^(?:navigation|root)(?:\/|$)/, '');
  const node = navigation.byId.get(id);
  if (node !== undefined) return node;
  const listed = isOperation(written) ? [] : (navigation.byPage.get(foldPath(entryPath(written))) ?? []);
  const [first, second] = listed;
  if (first !== undefined && second === undefined) return first;
  if (listed.length > 1)
    throw new NavFault(
      `${quote(written)} is listed ${listed.length} times: ${listed.map((one) => `[${one.id}]`).join(', ')}. Pass the id as "${name}".`,
    );
  throw new NavFault(
    `The navigation has no entry ${quote(written)} for "${name}". Call get_navigation for the current ids; they change with each edit.`,
  );
}

function done(config: ConfigTree, file: string, text: string, id: string | null, told: string[]): NavEdit {
  if (text === config.texts.get(file)) throw new NavFault('The edit changes nothing.');
  return { file, text, others: new Map(), id, told };
}

function textOf(config: ConfigTree, file: string): string {
  const text = config.texts.get(file);
  if (text === undefined) throw new ConfigFault(`${file} was not read.`);
  return text;
}

const nameOf = ({ id, kind, label }: NavNode): string =>
  id === '' ? 'The root' : `[${id}] ${kind} ${quote(label)}`;
const quote = (text: string): string => JSON.stringify(text.slice(0, 200));
