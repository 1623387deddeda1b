import { isObject, type JsonObject } from '../config/json.ts';
import { nodeKeys } from '../config/keys/navigation.ts';
import { placeOf } from '../config/place.ts';
import { isSafeHref, type Section, warnAt } from '../config/section.ts';
import type { NavKind, NavNode, Operation, SiteConfig } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Adopt } from './adopt.ts';
import { type Descriptions, findDescription, undescribed } from './description.ts';
import { type Generator, isSameChannel, openGenerator, pagesBelow } from './generated.ts';
import {
  CHILDREN,
  checkKeys,
  groupNode,
  linkNode,
  linkPageNode,
  makeNode,
  pageNode,
  rootNode,
  SWITCHES,
} from './node.ts';
import { isSameOperation, operationKey, parseOperation } from './operation.ts';
import type { PageIndex } from './page-index.ts';
import type { NodeMarks } from './place.ts';

/** Maximum number of entries of a navigation. */
const MAX_NODES = 200_000;
/** Tabs, versions and the like that one node may switch between: each of their pages shows them all. */
const MAX_SWITCHES = 250;

export interface NavigationTree {
  root: NavNode;
  global: NavNode[];
  /** The node whose pages show an entry of `global`. */
  globalOwners: ReadonlyMap<NavNode, NavNode>;
  /** Settings of nodes for the pages below them. */
  marks: ReadonlyMap<NavNode, NodeMarks>;
}

/** API descriptions that entries below a node mean when they name none. */
interface DescriptionScope {
  files: readonly string[];
  /** URLs of descriptions that an export cannot read. */
  remote: readonly string[];
  /** First segments of the paths of generated pages; null = the default. */
  directory: string | null;
  /** The same by description file, where it differs. */
  directories: ReadonlyMap<string, string>;
}

interface ApiScope extends DescriptionScope {
  /** An entry below names an operation, so that pages are picked by hand. */
  picks: { isAny: boolean };
  /** AsyncAPI descriptions. */
  channels: DescriptionScope;
}

interface Builder {
  source: SourceTree;
  config: SiteConfig;
  warn: Warn;
  index: PageIndex;
  descriptions: Descriptions;
  adopt: Adopt;
  generator: Generator;
  nodes: number;
  global: NavNode[];
  globalOwners: Map<NavNode, NavNode>;
  marks: Map<NavNode, NodeMarks>;
}

/** The navigation as written, with pages in place of their paths and generated pages for API operations. */
export function buildTree(
  parts: Pick<Builder, 'source' | 'config' | 'index' | 'descriptions' | 'adopt' | 'warn'>,
): NavigationTree {
  const { config, index } = parts;
  const builder: Builder = {
    ...parts,
    generator: openGenerator(index),
    nodes: 0,
    global: [],
    globalOwners: new Map(),
    marks: new Map(),
  };
  const root = rootNode();
  const navigation = isObject(config.raw.navigation) ? config.raw.navigation : {};
  const { openapi, directories, asyncapi, channelDirectories } = config.api;
  const none = { remote: [], directory: null };
  const fallback: ApiScope = {
    ...none,
    files: openapi,
    directories,
    picks: { isAny: false },
    channels: { ...none, files: asyncapi, directories: channelDirectories },
  };
  const section = sectionOf(builder, navigation, 'navigation');
  checkKeys(section);
  markNode(builder, root, section);
  fillNode(builder, root, section, fallback);
  const { global, globalOwners, marks } = builder;
  return { root, global, globalOwners, marks };
}

const sectionOf = (builder: Builder, value: JsonObject, name: string): Section => ({
  name,
  value,
  file: builder.config.file,
  warn: builder.warn,
  excluded: builder.config.excluded,
});

function buildNode(
  builder: Builder,
  value: JsonObject,
  kind: NavKind,
  label: string,
  scope: ApiScope,
): NavNode {
  const section = sectionOf(builder, value, kind);
  const node = makeNode(section, kind, label);
  markNode(builder, node, section);
  const root = value.root;
  if (typeof root === 'string') {
    const found = findPage(builder, root, value, 'root');
    if (found?.kind === 'page') node.page = found.page;
    else if (found?.kind === 'link') node.href ??= found.href;
  }
  fillNode(builder, node, section, scope);
  const isLink = kind === 'group' && node.href !== null && node.page === null && node.children.length === 0;
  if (isLink) node.kind = 'link';
  warnEmpty(node, section);
  return node;
}

/**
 * Reports an entry that names nothing to show; whatever it names and does not exist is reported by itself, and so is
 * what was nested too deep, in whose place is null.
 */
function warnEmpty(node: NavNode, section: Section): void {
  if (node.href !== null || node.page !== null || node.children.length > 0) return;
  const namesSomething = ['pages', 'root', 'href', 'url', 'page', ...CHILDREN.keys(), ...SOURCES].some(
    (key) => {
      const value = section.value[key];
      return Array.isArray(value) ? value.length > 0 : value !== undefined;
    },
  );
  if (namesSomething) return;
  const message = `The ${node.kind} ${JSON.stringify(node.label.slice(0, 60))} has neither pages nor a link, so it is not shown. Add "pages", or remove the entry.`;
  warnAt(section, undefined, 'navigation-empty', message);
}

const SOURCES = ['openapi', 'asyncapi', 'graphql', 'sdk'];

/** Records the settings of a node for the pages and nodes below it. */
function markNode(builder: Builder, node: NavNode, section: Section): void {
  const { searchable, boost, directory } = section.value;
  const isPublic = section.value.public === true;
  if (searchable === undefined && boost === undefined && directory === undefined && !isPublic) return;
  builder.marks.set(node, {
    searchable: nodeKeys.searchable.read(section, 'searchable'),
    boost: nodeKeys.boost.read(section, 'boost'),
    directory: nodeKeys.directory.read(section, 'directory'),
    isPublic,
  });
}

/** Sources of reference pages that an export does not read, so that their absence has a reason. */
function warnUnread(section: Section): void {
  for (const key of ['graphql', 'sdk'] as const) nodeKeys[key].read(section, key);
}

/** Adds the children of every kind, in the order of the keys, then generated pages. */
function fillNode(builder: Builder, node: NavNode, section: Section, inherited: ApiScope): void {
  const { value } = section;
  const own = readScope(builder, section, 'openapi', inherited);
  const channels = readScope(builder, section, 'asyncapi', inherited.channels);
  const scope: ApiScope = {
    ...(own === null ? inherited : { ...own, picks: { isAny: false } }),
    channels: channels ?? inherited.channels,
  };
  warnUnread(section);
  for (const key of Object.keys(value)) {
    const members = value[key];
    if (key === 'global' && isObject(members)) addGlobal(builder, node, members, scope);
    else if (key === 'pages' || CHILDREN.has(key)) addChildren(builder, node, value, key, scope);
  }
  limitSwitches(builder, node.children, section);
  const made: NavNode[] = [];
  if (own !== null && !scope.picks.isAny && !lists(node, value, 'operation'))
    made.push(...generateGroups(builder, own, node));
  if (channels !== null && !lists(node, value, 'channel'))
    made.push(...generateChannels(builder, channels, node));
  for (const child of made) node.children.push(child);
}

/** Whether the author lists the pages of the operations or channels that are to be shown, so that no others are added. */
function lists(node: NavNode, value: JsonObject, kind: 'operation' | 'channel'): boolean {
  if (!Array.isArray(value.pages) || value.pages.length === 0) return false;
  return pagesBelow(node.children).some((page) => page[kind] !== null);
}

function addGlobal(builder: Builder, owner: NavNode, value: JsonObject, scope: ApiScope): void {
  const holder = rootNode();
  checkKeys(sectionOf(builder, value, 'navigation.global'));
  for (const key of Object.keys(value)) {
    if (CHILDREN.has(key) || key === 'pages') addChildren(builder, holder, value, key, scope);
  }
  for (const node of holder.children) {
    if (node.href === null && node.page === null && node.children.length === 0) {
      const message = `${JSON.stringify(node.label.slice(0, 60))} in "navigation.global" has no target. Add "href".`;
      warnEntry(builder, value, `${node.kind}s`, 'navigation-type', message);
    } else {
      builder.global.push(node);
      builder.globalOwners.set(node, owner);
    }
  }
  limitSwitches(builder, builder.global, sectionOf(builder, value, 'navigation.global'));
}

function limitSwitches(builder: Builder, nodes: NavNode[], section: Section): void {
  if (nodes.length <= MAX_SWITCHES) return;
  const excess = new Set(nodes.filter(({ kind }) => SWITCHES.has(kind)).slice(MAX_SWITCHES));
  if (excess.size === 0) return;
  const message = `"${section.name}" has ${excess.size + MAX_SWITCHES} entries to switch between, and every page would show all of them; only the first ${MAX_SWITCHES} are used.`;
  warnEntry(builder, section.value, Object.keys(section.value)[0] ?? '', 'navigation-too-large', message);
  nodes.splice(0, nodes.length, ...nodes.filter((node) => !excess.has(node)));
}

function addChildren(builder: Builder, node: NavNode, value: JsonObject, key: string, scope: ApiScope): void {
  const list = value[key];
  if (!Array.isArray(list)) {
    if (list !== null)
      warnEntry(builder, value, key, 'navigation-type', `"${key}" must be a list; it was ignored.`);
    return;
  }
  for (const [index, item] of list.entries()) {
    if (++builder.nodes > MAX_NODES) {
      if (builder.nodes === MAX_NODES + 1) {
        const message = `The navigation has more than ${MAX_NODES} entries; the rest was ignored.`;
        warnEntry(builder, list, index, 'navigation-too-large', message);
      }
      return;
    }
    const child =
      key === 'pages'
        ? pageEntry(builder, list, index, item, scope)
        : nodeEntry(builder, list, index, item, key, scope);
    if (child !== null) node.children.push(child);
  }
}

function nodeEntry(
  builder: Builder,
  list: unknown[],
  index: number,
  item: unknown,
  key: string,
  scope: ApiScope,
): NavNode | null {
  const { kind, label } = CHILDREN.get(key) ?? { kind: 'group', label: 'group' };
  if (isObject(item)) return buildNode(builder, item, kind, label, scope);
  if (key === 'groups' && typeof item === 'string') return pageEntry(builder, list, index, item, scope);
  if (item !== null)
    warnEntry(
      builder,
      list,
      index,
      'navigation-type',
      `An entry of "${key}" must be an object with "${label}"; it was ignored.`,
    );
  return null;
}

/** An entry of `pages`: a path, an operation, a link, or a nested node of any kind. */
function pageEntry(
  builder: Builder,
  list: unknown[],
  index: number,
  item: unknown,
  scope: ApiScope,
): NavNode | null {
  if (typeof item === 'string') return textEntry(builder, list, index, item, scope);
  if (!isObject(item)) {
    if (item !== null)
      warnEntry(
        builder,
        list,
        index,
        'navigation-type',
        'An entry of "pages" must be a path or a group; it was ignored.',
      );
    return null;
  }
  if (Object.hasOwn(item, 'group')) return buildNode(builder, item, 'group', 'group', scope);
  for (const { kind, label } of CHILDREN.values()) {
    if (Object.hasOwn(item, label)) return buildNode(builder, item, kind, label, scope);
  }
  if (typeof item.page === 'string') return textEntry(builder, list, index, item.page, scope);
  const target = item.href ?? item.url;
  return buildNode(
    builder,
    item,
    typeof target === 'string' && item.pages === undefined ? 'link' : 'group',
    'group',
    scope,
  );
}

function textEntry(
  builder: Builder,
  list: unknown[],
  index: number,
  text: string,
  scope: ApiScope,
): NavNode | null {
  const operation = parseOperation(text);
  if (operation !== null) return operationEntry(builder, list, index, operation, scope);
  if (/^[a-z][a-z0-9+.-]*:/i.test(text.trim())) {
    if (isSafeHref(text)) return linkNode(text.trim(), text.trim());
    warnEntry(
      builder,
      list,
      index,
      'unsafe-link',
      'A link in the navigation must be an http, https, mailto or tel URL; it was ignored.',
    );
    return null;
  }
  const found = findPage(builder, text, list, index);
  if (found === null) return null;
  if (found.kind === 'link') return linkPageNode(found.page, found.href);
  builder.adopt(found.page, scope.files, scope.channels.files);
  return pageNode(found.page);
}

function findPage(builder: Builder, text: string, container: object, key: string | number) {
  const found = builder.index.find(text);
  if (found !== null) return found.kind === 'restricted' ? null : found;
  const shown = JSON.stringify(text.slice(0, 200));
  const message = `The navigation lists ${shown}, but this page does not exist. Create the file or remove the entry.`;
  warnEntry(builder, container, key, 'page-missing', message);
  return null;
}

function operationEntry(
  builder: Builder,
  list: unknown[],
  index: number,
  operation: Operation,
  scope: ApiScope,
): NavNode | null {
  if (operation.spec === null) scope.picks.isAny = true;
  const named = operation.spec === null ? scope : readDescriptions(builder, list, index, [operation.spec]);
  const key = operationKey(operation.method, operation.path);
  for (const file of named.files) {
    const description = builder.descriptions.read(file);
    const described = description?.byKey.get(key);
    if (!description || !described) continue;
    const page = builder.generator.page(file, described, directoryOf(scope, file));
    return page === null ? null : pageNode(page);
  }
  const [address] = named.remote;
  if (address !== undefined) {
    const page = builder.generator.page(address, undescribed(operation), scope.directory);
    return page === null ? null : pageNode(page);
  }
  if (operation.spec !== null && named.files.length === 0) return null;
  const shown = `${operation.method} ${operation.path}`.slice(0, 200);
  const message =
    named.files.length === 0
      ? `The navigation lists "${shown}", but no API description applies to this entry. Add "openapi" with a local file.`
      : `The navigation lists "${shown}", but ${named.files.slice(0, 3).join(', ')} does not contain this operation. Correct the entry or remove it.`;
  warnEntry(builder, list, index, 'operation-missing', message);
  return null;
}

const directoryOf = (scope: DescriptionScope, file: string): string | null =>
  scope.directories.get(file) ?? scope.directory;

/** The node's own descriptions; null where it has none. */
function readScope(
  builder: Builder,
  section: Section,
  key: 'openapi' | 'asyncapi',
  inherited: DescriptionScope,
): DescriptionScope | null {
  const descriptions = section.value[key];
  if (descriptions === undefined || descriptions === null || descriptions === false) return null;
  const written: string[] = [];
  const directories = new Map<string, string>();
  let directory = inherited.directory;
  for (const item of Array.isArray(descriptions) ? descriptions : [descriptions]) {
    const source = isObject(item) ? item.source : item;
    if (typeof source !== 'string') {
      const message = `"${key}" must be a path, a list of paths or {"source": path}.`;
      warnEntry(builder, section.value, key, 'navigation-type', message);
      continue;
    }
    written.push(source);
    if (!isObject(item) || typeof item.directory !== 'string') continue;
    directory = item.directory;
    const file = findDescription(builder.source, source.trim());
    if (file !== null) directories.set(file, directory);
  }
  const found = readDescriptions(builder, section.value, key, written);
  return { ...found, directory, directories };
}

function readDescriptions(
  builder: Builder,
  container: object,
  key: string | number,
  written: readonly string[],
): Pick<ApiScope, 'files' | 'remote'> {
  const files = new Set<string>();
  const remote: string[] = [];
  for (const source of written) {
    const shown = JSON.stringify(source.slice(0, 200));
    const file = findDescription(builder.source, source.trim());
    if (file !== null) files.add(file);
    else if (/^https?:/i.test(source)) {
      remote.push(source);
      const message = `${shown} was not downloaded. Add the file to the docs folder and use its path.`;
      warnEntry(builder, container, key, 'remote-description', message);
    } else {
      const message = `The API description ${shown} does not exist. Correct its path.`;
      warnEntry(builder, container, key, 'description-missing', message);
    }
  }
  return { files: [...files], remote };
}

/** One page for each operation, in groups by first tag, in the order of the descriptions. */
function generateGroups(builder: Builder, scope: DescriptionScope, node: NavNode): NavNode[] {
  const written = pagesBelow(node.children).flatMap(({ operation }) =>
    operation === null ? [] : [operation],
  );
  const groups: Groups = new Map();
  for (const file of scope.files) {
    const description = builder.descriptions.read(file);
    if (description === null) continue;
    for (const operation of description.operations) {
      if (written.some((other) => isSameOperation(other, operation))) continue;
      const page = builder.generator.page(file, operation, directoryOf(scope, file));
      if (page !== null) addToGroup(groups, operation.groups, pageNode(page));
    }
  }
  return outermost(groups);
}

/** The same for the channels of AsyncAPI descriptions. */
function generateChannels(builder: Builder, scope: DescriptionScope, node: NavNode): NavNode[] {
  const written = pagesBelow(node.children).flatMap(({ channel }) => channel ?? []);
  const groups: Groups = new Map();
  for (const file of scope.files) {
    for (const channel of builder.descriptions.channels.read(file)?.channels ?? []) {
      if (written.some((other) => isSameChannel(other, { id: channel.id, spec: file }))) continue;
      const page = builder.generator.channelPage(file, channel, directoryOf(scope, file));
      if (page !== null) addToGroup(groups, channel.groups, pageNode(page));
    }
  }
  return outermost(groups);
}

/** Groups by the labels that lead to them, as JSON. */
type Groups = Map<string, NavNode>;

const outermost = (groups: Groups): NavNode[] =>
  [...groups].flatMap(([key, group]) => (JSON.parse(key).length === 1 ? [group] : []));

function addToGroup(groups: Groups, labels: readonly string[], entry: NavNode): void {
  let child = entry;
  for (let depth = labels.length; depth > 0; depth--) {
    const key = JSON.stringify(labels.slice(0, depth));
    const known = groups.get(key);
    if (known !== undefined) {
      known.children.push(child);
      return;
    }
    child = groupNode(labels[depth - 1] ?? '', [child]);
    groups.set(key, child);
  }
}

function warnEntry(
  builder: Builder,
  container: object,
  key: string | number,
  code: WarningCode,
  message: string,
): void {
  const place = placeOf(container, key);
  builder.warn({ file: place?.file ?? builder.config.file, line: place?.line ?? null, code, message });
}
