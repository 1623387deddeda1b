import { escapeAttribute, escapeText } from '../escape.ts';
import type { Value } from '../tree.ts';

/**
 * What a component looks like, as data: the export writes it as HTML (`htmlOf`), and the browser renders the same
 * tree with Preact where a component of the page is shown after a change of its state.
 */
export type View = Tag | Content | string | null | readonly View[];

/** An element. */
export interface Tag {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly View[];
}

/** Content of the page; only the page can read it. In an export, it is HTML. */
export interface Content {
  readonly html: string;
}

/** Attributes by their names in HTML; those with `null`, `undefined` or `false` are left out, `true` is an attribute without a value. */
export type Attributes = Readonly<Record<string, Value>>;

/** An element of a view. Texts among the children are escaped. */
export function h(tag: string, attributes: Attributes | null, ...children: View[]): Tag {
  return { tag, attributes: attributes ?? {}, children };
}

/** An element of a component that style sheets of sites can select: `data-component-part` is its public name, `op-` its class. */
export function part(tag: string, name: string, attributes: Attributes | null, ...children: View[]): Tag {
  return { tag, attributes: { class: `op-${name}`, 'data-component-part': name, ...attributes }, children };
}

/** {@link part} around something that may be empty; null if it is. */
export function partOf(tag: string, name: string, content: View): View {
  return isEmpty(content) ? null : part(tag, name, null, content);
}

/** Whether a view shows nothing. */
export function isEmpty(view: View): view is null | '' | readonly [] {
  return view === null || view === '' || (isList(view) && view.every(isEmpty));
}

function isList(view: View): view is readonly View[] {
  return Array.isArray(view);
}

/** Elements that HTML does not allow in `<p>`. */
export const blockTags: ReadonlySet<string> = new Set(
  (
    'article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr nav ol p pre ' +
    'section table ul'
  ).split(' '),
);

/** Elements at which the focus stops. */
export const controlTags: ReadonlySet<string> = new Set([
  'a',
  'button',
  'input',
  'select',
  'summary',
  'textarea',
]);

/** Whether a view has an element with one of the tags; its content does not count. */
export function hasTag(view: View, tags: ReadonlySet<string>): boolean {
  if (view === null || typeof view === 'string') return false;
  if (isList(view)) return view.some((each) => hasTag(each, tags));
  return 'tag' in view && (tags.has(view.tag) || view.children.some((child) => hasTag(child, tags)));
}

const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input']);

/** The HTML of a view. */
export function htmlOf(view: View): string {
  if (view === null) return '';
  if (typeof view === 'string') return escapeText(view);
  if (isList(view)) return htmlOfAll(view);
  if ('html' in view) return view.html;
  const start = `<${view.tag}${attributesOf(view.attributes)}>`;
  return VOID.has(view.tag) ? start : `${start}${htmlOfAll(view.children)}</${view.tag}>`;
}

function htmlOfAll(views: readonly View[]): string {
  let html = '';
  for (const view of views) html += htmlOf(view);
  return html;
}

/** Attributes in HTML, each after a blank. */
export function attributesOf(attributes: Attributes): string {
  let html = '';
  for (const name in attributes) {
    const value = attributes[name];
    if (value === null || value === undefined || value === false) continue;
    html += value === true ? ` ${name}` : ` ${name}="${escapeAttribute(String(value))}"`;
  }
  return html;
}
