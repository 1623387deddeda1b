import { type AnyNode, type Document, type Element, isTag, isText } from 'domhandler';
import { parseDocument } from 'htmlparser2';

/** An element as readers and their software meet it: by its role, its name and its text. */
export interface Shown {
  role: string;
  /** As a screen reader says it; for an element without a label, its text. */
  name: string;
  text: string;
  /** The public name of a part of a component (`data-component-part`), or null. */
  part: string | null;
  attributes: Readonly<Record<string, string>>;
  children: Shown[];
}

const ROLES: Readonly<Record<string, string>> = {
  a: 'link',
  article: 'article',
  aside: 'complementary',
  blockquote: 'blockquote',
  button: 'button',
  code: 'code',
  details: 'group',
  figure: 'figure',
  hr: 'separator',
  img: 'img',
  li: 'listitem',
  ol: 'list',
  p: 'paragraph',
  section: 'region',
  summary: 'summary',
  table: 'table',
  ul: 'list',
};

/** All elements of some HTML, in document order. */
export function readHtml(html: string): Shown[] {
  const document = parseDocument(html);
  return elementsOf(document).map((element) => show(element, document));
}

/** Elements with a role, and with a name if it is given. */
export function byRole(html: string, role: string, name?: string): Shown[] {
  return readHtml(html).filter((each) => each.role === role && (name === undefined || each.name === name));
}

/** Elements that are a part of a component. */
export function byPart(html: string, part: string): Shown[] {
  return readHtml(html).filter((each) => each.part === part);
}

/** Roots of a component. */
export function byComponent(html: string, name: string): Shown[] {
  return readHtml(html).filter(({ attributes }) => attributes['data-component-name'] === name);
}

function elementsOf(node: Document | Element): Element[] {
  return node.children.flatMap((child) => (isTag(child) ? [child, ...elementsOf(child)] : []));
}

function show(element: Element, document: Document): Shown {
  const { name: tag, attribs } = element;
  const heading = /^h([1-6])$/.test(tag) ? 'heading' : undefined;
  const implied = tag === 'a' && attribs.href === undefined ? undefined : (heading ?? ROLES[tag]);
  const text = textOf(element);
  return {
    role: attribs.role ?? implied ?? '',
    name: attribs['aria-label'] ?? labelOf(attribs, document) ?? attribs.alt ?? text,
    text,
    part: attribs['data-component-part'] ?? null,
    attributes: attribs,
    children: element.children.filter(isTag).map((child) => show(child, document)),
  };
}

function labelOf(attributes: Record<string, string>, document: Document): string | undefined {
  const id = attributes['aria-labelledby'];
  const label = id === undefined ? undefined : elementsOf(document).find(({ attribs }) => attribs.id === id);
  return label === undefined ? undefined : textOf(label);
}

function textOf(node: AnyNode): string {
  return rawText(node).replace(/\s+/g, ' ').trim();
}

function rawText(node: AnyNode): string {
  if (isText(node)) return node.data;
  return 'children' in node ? node.children.map(rawText).join('') : '';
}
