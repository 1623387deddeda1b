import { splitCode } from '../code-span.ts';
import type { Node, Value } from '../tree.ts';
import type { IconOptions, PageScope } from './component.ts';
import { type Attributes, h, type View } from './markup.ts';
import type { Common } from './schema.ts';

/** An id as written, reserved in this page; null when it is missing or invalid. Read it only once. */
export function readId({ id }: Common, page: PageScope): string | null {
  if (id === null || /\s/.test(id)) return null;
  return page.takeId(id) || null;
}

interface RootOptions {
  /** Default: the id of the author. */
  id?: string | null;
  /** Custom properties for the style sheet, already checked. */
  values?: Readonly<Record<string, string>> | null;
}

/**
 * Attributes of a component's root. The first class is the public name, which style sheets of sites select; our
 * rules select its twin with the prefix `op-`, so that an author's own element of that class gets none of them.
 */
export function rootAttributes(
  common: Common,
  page: PageScope,
  classes: readonly (string | null)[],
  options: RootOptions = {},
): Attributes {
  const id = options.id === undefined ? readId(common, page) : options.id;
  const [name, ...looks] = classes;
  const names = [name, name == null ? null : `op-${name}`, ...looks, common.className].filter(
    (each) => each != null,
  );
  return {
    'data-component-name': page.name,
    id,
    class: names.length === 0 ? null : names.join(' '),
    style: page.style(options.values ?? null, common.style),
  };
}

/** Value of a prop that may be text or nodes; null when absent. Code spans of a text are shown as code. */
export function show(value: Value, page: PageScope): View {
  if (value === undefined || value === null || typeof value === 'boolean') return null;
  return typeof value === 'string' ? withCode(value) : page.value(value);
}

function withCode(text: string): View {
  const parts = splitCode(text);
  return parts.length === 1
    ? text
    : parts.map((part, index) => (index % 2 === 1 ? h('code', null, part) : part));
}

/** Plain text of a prop in one line, without the backticks of its code spans. */
export function plainText(value: Value, page: PageScope): string {
  const text = page.text(value);
  return (typeof value === 'string' ? splitCode(text).join('') : text).trim();
}

/** A label in a button, a summary or a contents entry: without links of its own. */
export function showLabel(value: Value, page: PageScope): View {
  return page.withoutLinks(() => show(value, page));
}

/** A prop that may hold inline Markdown. */
export function showMarkdown(value: Value, page: PageScope): View {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? page.inline(text.trim()) : show(value, page);
}

/** Children of an inline component, without the paragraph around them. */
export function inlineChildren(children: readonly Node[]): readonly Node[] {
  const [only] = children;
  return children.length === 1 && only?.type === 'paragraph' ? only.children : children;
}

/** A link of a component. */
export interface CardLink {
  href: string;
  external: boolean;
}

/** A link that a component makes; null without one, for an unsafe one, when disabled, and where links are text. */
export function readLink(href: string | null, isDisabled: boolean, page: PageScope): CardLink | null {
  return href === null || page.noLinks || isDisabled ? null : page.link(href);
}

/** Attributes of a link. */
export function linkAttributes({ href, external }: CardLink): Attributes {
  return external ? { href, target: '_blank', rel: 'noopener noreferrer' } : { href };
}

/** Attributes of a link to an element of the page. */
export function anchorAttributes(id: string): Attributes {
  return { href: `#${encodeURI(id.toWellFormed())}` };
}

/** The link to a heading or title that shows when it is pointed at. */
export function headingAnchor(id: string): View {
  const attributes = {
    class: 'op-heading-anchor',
    ...anchorAttributes(id),
    'aria-hidden': 'true',
    tabindex: '-1',
  };
  return h('a', attributes);
}

/** An icon prop, painted in a color that has been checked; null without an icon. */
export function showIcon(
  props: { readonly icon: Value; readonly iconType: string | null },
  page: PageScope,
  options: Omit<IconOptions, 'style' | 'attributes'>,
): View {
  const { icon, iconType } = props;
  if (icon === undefined || icon === null || icon === '' || typeof icon === 'boolean') return null;
  return page.icon(icon, { ...options, style: iconType });
}

/** Children in an element with the attributes of the author, or alone if the author gives none. */
export function inBox(common: Common, page: PageScope, content: View): View {
  const root = rootAttributes(common, page, []);
  return root.id === null && root.class === null && root.style === null ? content : h('div', root, content);
}
