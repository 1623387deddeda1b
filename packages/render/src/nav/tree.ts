import { isObject, type JsonObject } from '../config/json.ts';
import { placeOf } from '../config/place.ts';
import { isSafeHref, type Section } from '../config/section.ts';
import type { NavKind, NavNode, Operation, SiteConfig } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import { type Descriptions, findDescription } from './description.ts';
import { type Generator, openGenerator, pagesBelow } from './generated.ts';
import { CHILDREN, groupNode, linkNode, linkPageNode, makeNode, pageNode, rootNode } from './node.ts';
import { isSameOperation, operationKey, parseOperation } from './operation.ts';
import { readBoost } from './page.ts';
import type { PageIndex } from './page-index.ts';
import type { NodeMarks } from './place.ts';

/** Entries of a navigation; a page of every entry is in it, so more than this cannot be read by anyone. */
const MAX_NODES = 200_000;

export interface NavigationTree {
  root: NavNode;
  global: NavNode[];
  /** What nodes say about the pages below them. */
  marks: ReadonlyMap<NavNode, NodeMarks>;
}

/** API descriptions that entries below a node mean when they name none. */
interface ApiScope {
  files: readonly string[];
  /** First segments of the paths of generated pages; null = the default. */
  directory: string | null;
  /** An entry below names an operation, so that pages are picked by hand. */
  isPicked: boolean;
}

interface Builder {
  source: SourceTree;
  config: SiteConfig;
  warn: Warn;
  index: PageIndex;
  descriptions: Descriptions;
  generator: Generator;
  nodes: number;
  global: NavNode[];
  marks: Map<NavNode, NodeMarks>;
}

/** The navigation as written, with pages in place of their paths and generated pages for API operations. */
export function buildTree(
  source: SourceTree,
  config: SiteConfig,
  index: PageIndex,
  descriptions: Descriptions,
  warn: Warn,
): NavigationTree {
  const builder: Builder = {
    source,
    config,
    warn,
    index,
    descriptions,
    generator: openGenerator(index),
    nodes: 0,
    global: [],
    marks: new Map(),
  };
  const root = rootNode();
  const navigation = isObject(config.raw.navigation) ? config.raw.navigation : {};
  const fallback: ApiScope = { files: config.api.openapi, directory: null, isPicked: false };
  fillNode(builder, root, sectionOf(builder, navigation, 'navigation'), fallback);
  return { root, global: builder.global, marks: builder.marks };
}

const sectionOf = (builder: Builder, value: JsonObject, name: string): Section => ({
  name,
  value,
  file: builder.config.file,
  warn: builder.warn,
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
  const marks = { searchable: switchOf(value.searchable), boost: readBoost(value.boost) };
  if (marks.searchable !== null || marks.boost !== null) builder.marks.set(node, marks);
  const root = value.root;
  if (typeof root === 'string') {
    const found = findPage(builder, root, value, 'root');
    if (found?.kind === 'page') node.page = found.page;
    else if (found?.kind === 'link') node.href ??= found.href;
  }
  fillNode(builder, node, section, scope);
  return node;
}

function switchOf(value: unknown): boolean | null {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : null;
}

/** Sources of reference pages that an export does not read, so that their absence has a reason. */
function warnUnread(builder: Builder, value: JsonObject): void {
  for (const key of ['asyncapi', 'graphql', 'sdk']) {
    if (value[key] === undefined || value[key] === null || value[key] === false) continue;
    const message = `"${key}" gives no pages in an export; write the pages and list them under "pages".`;
    warnEntry(builder, value, key, 'unsupported-source', message);
  }
}

/** Adds the children of every kind, in the order of the keys, then generated pages. */
function fillNode(builder: Builder, node: NavNode, section: Section, inherited: ApiScope): void {
  const { value } = section;
  const own = readScope(builder, section, inherited);
  const scope = own ?? inherited;
  warnUnread(builder, value);
  for (const key of Object.keys(value)) {
    const members = value[key];
    if (key === 'global' && isObject(members)) addGlobal(builder, members, scope);
    else if (key === 'pages' || CHILDREN.has(key)) addChildren(builder, node, value, key, scope);
  }
  if (own === null || own.isPicked || (Array.isArray(value.pages) && value.pages.length > 0)) return;
  for (const child of generateGroups(builder, own, node)) node.children.push(child);
}

function addGlobal(builder: Builder, value: JsonObject, scope: ApiScope): void {
  const holder = rootNode();
  for (const key of Object.keys(value)) {
    if (CHILDREN.has(key) || key === 'pages') addChildren(builder, holder, value, key, scope);
  }
  for (const node of holder.children) builder.global.push(node);
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
        const message = `The navigation has more than ${MAX_NODES} entries; the rest was left out.`;
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
      'A link of the navigation must be of http, https, mailto or tel; it was ignored.',
    );
    return null;
  }
  const found = findPage(builder, text, list, index);
  if (found === null) return null;
  if (found.kind === 'link') return linkPageNode(found.page, found.href);
  if (found.page.operation !== null) adoptScope(builder, found.page.operation, scope);
  return pageNode(found.page);
}

function findPage(builder: Builder, text: string, container: object, key: string | number) {
  const found = builder.index.find(text);
  if (found !== null) return found.kind === 'restricted' ? null : found;
  const shown = JSON.stringify(text.slice(0, 200));
  const message = `The navigation lists ${shown}, but there is no such page. Create the file or remove the entry.`;
  warnEntry(builder, container, key, 'page-missing', message);
  return null;
}

/** A written page without a file of its own takes the nearest description that has its operation. */
function adoptScope(builder: Builder, operation: Operation, scope: ApiScope): void {
  if (operation.spec !== null || /^https?:/i.test(operation.path)) return;
  const key = operationKey(operation.method, operation.path);
  operation.spec = scope.files.find((file) => builder.descriptions.read(file)?.byKey.has(key)) ?? null;
}

function operationEntry(
  builder: Builder,
  list: unknown[],
  index: number,
  operation: Operation,
  scope: ApiScope,
): NavNode | null {
  if (operation.spec === null) scope.isPicked = true;
  const shown = `${operation.method} ${operation.path}`.slice(0, 200);
  const files = operation.spec === null ? scope.files : readFiles(builder, list, index, operation.spec);
  const key = operationKey(operation.method, operation.path);
  for (const file of files) {
    const description = builder.descriptions.read(file);
    const described = description?.byKey.get(key);
    if (!description || !described) continue;
    const page = builder.generator.page(description, described, scope.directory);
    return page === null ? null : pageNode(page);
  }
  if (operation.spec !== null && files.length === 0) return null;
  const message =
    files.length === 0
      ? `The navigation lists "${shown}", but no API description of the docs folder is in reach. Add "openapi" with a local file.`
      : `The navigation lists "${shown}", but ${files.slice(0, 3).join(', ')} has no such operation. Correct the entry or remove it.`;
  warnEntry(builder, list, index, 'operation-missing', message);
  return null;
}

/** The node's own `openapi`; null where it has none. */
function readScope(builder: Builder, section: Section, inherited: ApiScope): ApiScope | null {
  const { openapi } = section.value;
  if (openapi === undefined || openapi === null || openapi === false) return null;
  const files: string[] = [];
  let directory = inherited.directory;
  for (const item of Array.isArray(openapi) ? openapi : [openapi]) {
    const written = isObject(item) ? item.source : item;
    if (isObject(item) && typeof item.directory === 'string') directory = item.directory;
    if (typeof written === 'string') files.push(...readFiles(builder, section.value, 'openapi', written));
    else
      warnEntry(
        builder,
        section.value,
        'openapi',
        'navigation-type',
        '"openapi" must be a path, a list of paths or {"source": path}.',
      );
  }
  return { files: [...new Set(files)], directory, isPicked: false };
}

function readFiles(builder: Builder, container: object, key: string | number, written: string): string[] {
  const shown = JSON.stringify(written.slice(0, 200));
  if (/^https?:/i.test(written)) {
    const message = `${shown} is not fetched: an export has no network. Add the file to the docs folder and name its path.`;
    warnEntry(builder, container, key, 'remote-description', message);
    return [];
  }
  const file = findDescription(builder.source, written.trim());
  if (file !== null) return [file];
  warnEntry(
    builder,
    container,
    key,
    'description-missing',
    `The API description ${shown} does not exist. Correct its path.`,
  );
  return [];
}

/** One page for each operation, in groups by first tag, in the order of the descriptions. */
function generateGroups(builder: Builder, scope: ApiScope, node: NavNode): NavNode[] {
  const written = pagesBelow(node.children).flatMap(({ operation }) =>
    operation === null ? [] : [operation],
  );
  const groups = new Map<string, NavNode>();
  for (const file of scope.files) {
    const description = builder.descriptions.read(file);
    if (description === null) continue;
    for (const operation of description.operations) {
      if (written.some((other) => isSameOperation(other, operation))) continue;
      const page = builder.generator.page(description, operation, scope.directory);
      if (page !== null) addToGroup(groups, operation.group, pageNode(page));
    }
  }
  return [...groups.values()];
}

function addToGroup(groups: Map<string, NavNode>, label: string, entry: NavNode): void {
  const group = groups.get(label);
  if (group === undefined) groups.set(label, groupNode(label, [entry]));
  else group.children.push(entry);
}

function warnEntry(
  builder: Builder,
  container: object,
  key: string | number,
  code: string,
  message: string,
): void {
  const place = placeOf(container, key);
  builder.warn({ file: place?.file ?? builder.config.file, line: place?.line ?? null, code, message });
}
