import { type AnyNode, type Document, type Element, hasChildren, isComment, isTag, isText } from 'domhandler';
import { parseDocument } from 'htmlparser2';

/*
 * How tests read HTML: by roles, accessible names, texts, ids and the names that style sheets of sites may select. Order
 * of attributes, wrappers and private classes (`op-`) may change without a change of a test.
 */

/** HTML as text, or an element whose descendants are meant. */
export type Html = string | Shown;
type Match = string | RegExp;

/** What an element has; a string means the whole value, an expression a part of it. */
export interface Query {
  role?: Match;
  /** Accessible name. */
  name?: Match;
  text?: Match;
  tag?: string;
  /** Name of a part of a component. */
  part?: string;
  /** Name of the component whose root it is. */
  component?: string;
  id?: Match;
  /** Public classes, all of which it has. */
  class?: string;
  notClass?: string;
  /** Values of attributes; `true` for any value, `false` for none. */
  attributes?: Readonly<Record<string, Match | boolean>>;
  /** Level of a heading. */
  level?: number;
  /** Whether it or an element around it has the attribute `hidden`. */
  isHidden?: boolean;
  /** Elements inside of it, at any depth. */
  has?: Query | readonly Query[];
  /** Its children, a query for each. */
  children?: readonly Query[];
  /** An element inside of which it is, at any depth. */
  within?: Query;
}

/** An element as readers and their software meet it. */
export class Shown {
  /** HTML of the element; by it, assertions compare elements. */
  readonly source: string;
  /** A function, because the messages of assertions are made of copies of all properties. */
  private readonly read: () => Element;

  constructor(node: Element, html: string) {
    this.source = html.slice(node.startIndex ?? 0, (node.endIndex ?? html.length) + 1);
    this.read = () => node;
    Object.defineProperty(this, 'read', { enumerable: false });
  }

  private get node(): Element {
    return this.read();
  }

  get tag(): string {
    return this.node.name;
  }

  get attributes(): Readonly<Record<string, string>> {
    return this.node.attribs;
  }

  /** Empty without one. */
  get role(): string {
    return roleOf(this.node);
  }

  /** As a screen reader says it; empty without one. */
  get name(): string {
    return nameOf(this.node);
  }

  /** All text inside, hidden text included, in one line with a blank between blocks. */
  get text(): string {
    return oneLine(textIn(this.node));
  }

  /** All text inside with its blanks and line ends, for code and scripts. */
  get rawText(): string {
    return rawText(this.node);
  }

  get id(): string | null {
    return this.attributes.id ?? null;
  }

  /** The public name of a part of a component, or null. */
  get part(): string | null {
    return this.attributes['data-component-part'] ?? null;
  }

  /** The name of a component whose root it is, or null. */
  get component(): string | null {
    return this.attributes['data-component-name'] ?? null;
  }

  get classes(): readonly string[] {
    return classesOf(this.node);
  }

  get level(): number | null {
    const level = this.attributes['aria-level'] ?? /^h([1-6])$/.exec(this.tag)?.[1];
    return level === undefined ? null : Number(level);
  }

  get parent(): Shown | null {
    const { parent } = this.node;
    return parent !== null && isTag(parent) ? shown(parent) : null;
  }

  get children(): readonly Shown[] {
    return this.node.children.filter(isTag).map(shown);
  }

  /** Texts of the comments directly in it, which are marks for scripts. */
  get comments(): readonly string[] {
    return this.node.children.filter(isComment).map(({ data }) => data);
  }

  /** All elements inside, in document order. */
  get descendants(): readonly Shown[] {
    return elementsOf(this.node).map(shown);
  }

  /** Whether it or an element around it has the attribute `hidden`. */
  get isHidden(): boolean {
    return 'hidden' in this.attributes || (this.parent?.isHidden ?? false);
  }

  /** The elements that `aria-controls` names: the panels of a tab, the menu of a button. */
  get controls(): readonly Shown[] {
    return this.#named('aria-controls');
  }

  /** The elements that `aria-describedby` names. */
  get describedBy(): readonly Shown[] {
    return this.#named('aria-describedby');
  }

  /** Itself or the closest element around it that matches, or null. */
  closest(query: Query): Shown | null {
    return matches(this, query) ? this : (this.parent?.closest(query) ?? null);
  }

  /** What a failed test prints. */
  toJSON(): unknown {
    const { tag, role, name, text, attributes } = this;
    return { tag, role, name, text: text.slice(0, 200), attributes };
  }

  #named(attribute: string): Shown[] {
    const ids = (this.attributes[attribute] ?? '').split(/\s+/);
    return ids.flatMap((id) => referenced(this.node, id)).map(shown);
  }
}

/** All elements, in document order. */
export function readHtml(html: Html): readonly Shown[] {
  return typeof html === 'string' ? elementsOf(parse(html)).map(shown) : html.descendants;
}

/** The elements that no other element contains. */
export function readRoots(html: string): readonly Shown[] {
  return parse(html).children.filter(isTag).map(shown);
}

/** All text in one line, without that of scripts, styles and templates. */
export function readText(html: Html): string {
  return typeof html === 'string' ? oneLine(textIn(parse(html))) : html.text;
}

/** The elements that have all of what a query names, in document order. */
export function find(html: Html, query: Query): readonly Shown[] {
  return readHtml(html).filter((each) => matches(each, query));
}

/** The one element that matches a query; throws unless there is exactly one. */
export function findOne(html: Html, query: Query): Shown {
  const [first, ...others] = find(html, query);
  if (first !== undefined && others.length === 0) return first;
  const count = first === undefined ? 'no element' : `${others.length + 1} elements`;
  throw new Error(`${count} with ${describeQuery(query)} in: ${readText(html).slice(0, 1000)}`);
}

/** Whether an element matches. */
export function has(html: Html, query: Query): boolean {
  return readHtml(html).some((each) => matches(each, query));
}

/** Elements with a role, and with a name if it is given. */
export function byRole(html: Html, role: string, name?: Match): readonly Shown[] {
  return find(html, name === undefined ? { role } : { role, name });
}

/** Elements that are a part of a component. */
export function byPart(html: Html, part: string): readonly Shown[] {
  return find(html, { part });
}

/** Roots of a component. */
export function byComponent(html: Html, component: string): readonly Shown[] {
  return find(html, { component });
}

/** The innermost elements with a text. */
export function byText(html: Html, text: Match): readonly Shown[] {
  return find(html, { text }).filter((each) => !has(each, { text }));
}

/** Element with an id, or null. */
export function byId(html: Html, id: string): Shown | null {
  return find(html, { id })[0] ?? null;
}

/** Texts of elements, in document order. */
export function textsOf(html: Html, query: Query): string[] {
  return find(html, query).map(({ text }) => text);
}

/** Values of an attribute of the elements that have it, in document order. */
export function valuesOf(html: Html, attribute: string, query: Query = {}): string[] {
  return find(html, query).flatMap(({ attributes }) => attributes[attribute] ?? []);
}

/** A query as text, for messages. */
export function describeQuery(query: Query): string {
  return JSON.stringify(query, (_key, value) => (value instanceof RegExp ? String(value) : value));
}

function matches(element: Shown, query: Query): boolean {
  const { attributes, classes } = element;
  const inside = query.has === undefined ? [] : [query.has].flat();
  return (
    (query.tag === undefined || element.tag === query.tag) &&
    (query.id === undefined || isMatch(element.id ?? undefined, query.id)) &&
    (query.part === undefined || element.part === query.part) &&
    (query.component === undefined || element.component === query.component) &&
    (query.class === undefined || query.class.split(' ').every((each) => classes.includes(each))) &&
    (query.notClass === undefined || !classes.includes(query.notClass)) &&
    Object.entries(query.attributes ?? {}).every(([key, value]) => isMatch(attributes[key], value)) &&
    (query.role === undefined || isMatch(element.role, query.role)) &&
    (query.level === undefined || element.level === query.level) &&
    (query.isHidden === undefined || element.isHidden === query.isHidden) &&
    (query.name === undefined || isMatch(element.name, query.name)) &&
    (query.text === undefined || isMatch(element.text, query.text)) &&
    inside.every((each) => has(element, each)) &&
    (query.children === undefined ||
      (query.children.length === element.children.length &&
        query.children.every((each, at) => matches(element.children[at]!, each)))) &&
    (query.within === undefined || (element.parent?.closest(query.within) ?? null) !== null)
  );
}

function isMatch(value: string | undefined, expected: Match | boolean): boolean {
  if (typeof expected === 'boolean') return (value !== undefined) === expected;
  if (value === undefined) return false;
  return typeof expected === 'string' ? value === expected : expected.test(value);
}

interface Source {
  html: string;
  wrappers: Map<Element, Shown>;
}

/** The documents read last: tests ask one page many questions. */
const documents = new Map<string, Document>();
const sources = new WeakMap<Document, Source>();

function parse(html: string): Document {
  const known = documents.get(html);
  if (known !== undefined) return known;
  const document = parseDocument(html, { withStartIndices: true, withEndIndices: true });
  if (documents.size >= 8) documents.clear();
  documents.set(html, document);
  sources.set(document, { html, wrappers: new Map() });
  return document;
}

/** The same object for the same element. */
function shown(node: Element): Shown {
  const { html, wrappers } = sources.get(documentOf(node))!;
  let wrapper = wrappers.get(node);
  if (wrapper === undefined) {
    wrapper = new Shown(node, html);
    wrappers.set(node, wrapper);
  }
  return wrapper;
}

function documentOf(node: Element): Document {
  let root: AnyNode = node;
  while (root.parent !== null) root = root.parent;
  return root as Document;
}

function elementsOf(node: Document | Element): Element[] {
  const found: Element[] = [];
  const visit = (nodes: readonly AnyNode[]): void => {
    for (const child of nodes) {
      if (!isTag(child)) continue;
      found.push(child);
      visit(child.children);
    }
  };
  visit(node.children);
  return found;
}

function classesOf({ attribs }: Element): string[] {
  return (attribs.class ?? '').split(/\s+/).filter((each) => each !== '');
}

const ROLES: Readonly<Record<string, string>> = {
  article: 'article',
  aside: 'complementary',
  blockquote: 'blockquote',
  button: 'button',
  code: 'code',
  dd: 'definition',
  details: 'group',
  dialog: 'dialog',
  dt: 'term',
  em: 'emphasis',
  figure: 'figure',
  hr: 'separator',
  li: 'listitem',
  main: 'main',
  math: 'math',
  nav: 'navigation',
  ol: 'list',
  option: 'option',
  p: 'paragraph',
  select: 'combobox',
  strong: 'strong',
  summary: 'summary',
  table: 'table',
  td: 'cell',
  textarea: 'textbox',
  th: 'columnheader',
  time: 'time',
  tr: 'row',
  ul: 'list',
};

const INPUTS: Readonly<Record<string, string>> = {
  button: 'button',
  checkbox: 'checkbox',
  radio: 'radio',
  search: 'searchbox',
  submit: 'button',
};

function roleOf(element: Element): string {
  const { name: tag, attribs } = element;
  if (attribs.role !== undefined) return attribs.role;
  if (tag === 'a') return attribs.href === undefined ? '' : 'link';
  if (tag === 'img') return attribs.alt === '' ? 'none' : 'img';
  if (tag === 'input') return INPUTS[attribs.type ?? ''] ?? 'textbox';
  if (tag === 'section') return labelOf(element) === undefined ? '' : 'region';
  if (tag === 'header' || tag === 'footer') {
    if (isInside(element, /^(?:article|aside|main|nav|section)$/)) return '';
    return tag === 'header' ? 'banner' : 'contentinfo';
  }
  return /^h[1-6]$/.test(tag) ? 'heading' : (ROLES[tag] ?? '');
}

function isInside({ parent }: Element, tags: RegExp): boolean {
  return parent !== null && isTag(parent) && (tags.test(parent.name) || isInside(parent, tags));
}

/** Roles whose name is their content where no attribute names them. */
const NAMED_BY_CONTENT = new Set(
  'button cell checkbox columnheader heading link menuitem menuitemradio option radio row summary switch tab tooltip treeitem'.split(
    ' ',
  ),
);

function nameOf(element: Element): string {
  return labelOf(element) ?? (NAMED_BY_CONTENT.has(roleOf(element)) ? oneLine(contentName(element)) : '');
}

/** The name that attributes or a caption give. */
function labelOf(element: Element): string | undefined {
  const { name: tag, attribs } = element;
  const labels = (attribs['aria-labelledby'] ?? '').split(/\s+/).flatMap((id) => referenced(element, id));
  if (labels.length > 0) return oneLine(labels.map(contentName).join(' '));
  if (attribs['aria-label'] !== undefined) return attribs['aria-label'];
  if (tag === 'img') return attribs.alt;
  const caption = tag === 'figure' ? 'figcaption' : tag === 'table' ? 'caption' : null;
  const child = element.children.find((each) => isTag(each) && each.name === caption);
  return child === undefined ? undefined : oneLine(contentName(child));
}

function contentName(node: AnyNode): string {
  if (isText(node)) return node.data;
  if (!hasChildren(node)) return isTag(node) ? (labelOf(node) ?? '') : '';
  return node.children
    .map((child) => {
      if (!isTag(child)) return contentName(child);
      if (child.attribs['aria-hidden'] === 'true' || 'hidden' in child.attribs) return '';
      return labelOf(child) ?? contentName(child);
    })
    .join('');
}

function referenced(from: Element, id: string): Element[] {
  return id === '' ? [] : elementsOf(documentOf(from)).filter(({ attribs }) => attribs.id === id);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const UNSHOWN = new Set(['script', 'style', 'template']);
const BLOCK =
  /^(?:address|article|aside|blockquote|br|button|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|summary|table|tbody|td|th|thead|tr|ul)$/;

/** Text with a blank around blocks, whose words no reader takes for one. */
function textIn(node: AnyNode): string {
  if (isText(node)) return node.data;
  if (!hasChildren(node)) return '';
  if (isTag(node) && UNSHOWN.has(node.name)) return '';
  const text = node.children.map(textIn).join('');
  return isTag(node) && BLOCK.test(node.name) ? ` ${text} ` : text;
}

/** Text as it is written, of an element of any kind. */
function rawText(node: AnyNode): string {
  if (isText(node)) return node.data;
  return hasChildren(node) ? node.children.map(rawText).join('') : '';
}
