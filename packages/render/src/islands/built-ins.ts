import { components } from '../components/index.ts';
import type { Writer } from '../mdx/write/writer.ts';
import type { Element, Node } from '../tree.ts';
import type { MarkedView, Marks } from './page-islands.ts';

/**
 * Marks of the built-in components in the first view of an island. The browser keeps what the export
 * wrote for an element with the same key, and renders only the content of the element, at its place in it. Only elements
 * of which the export has no view are rendered from their definitions.
 *
 *     <!--v7 3 key Note--><div class="callout">...<!--c7 key-->content<!--/c7--></div><!--/v7-->
 *
 * is element 7, in the content of element 3 or in island 3.
 */

/** Marked elements on a page. */
const maxViews = 5000;
/** Elements in the other views of one island. */
const maxOthers = 50;

/** The HTML of an island, whose built-in components are marked; with the number of the island if there are any. */
export function withMarks(writer: Writer, write: () => string): { html: string; id: number | null } {
  const id = ++writer.islands.marks.views;
  writer.islands.marks.known.clear();
  const html = within(writer, { id, children: null, isContent: true, hasContent: true }, write);
  return { html, id: writer.islands.marks.views > id ? id : null };
}

/**
 * HTML of the built-in components that are in other views of an island only, each with the one around it: a step looks
 * as its list says.
 */
export function writeOthers(nodes: readonly Node[], writer: Writer): string {
  const aside = writer.aside();
  const { marks } = aside.islands;
  const parts: string[] = [];
  const look = (node: Node, around: Element | null): void => {
    if (node.type !== 'element' && node.type !== 'paragraph') return;
    const isBuiltIn = node.type === 'element' && Object.hasOwn(components, node.name);
    if (isBuiltIn && marks.parts.has(node.name)) return;
    if (isBuiltIn && !isKnown(node, marks)) {
      const whole = around ?? node;
      if (parts.length < maxOthers) parts.push(withinOthers(aside, () => aside.html([whole])));
    } else for (const child of node.children) look(child, isBuiltIn ? node : around);
  };
  for (const node of nodes) look(node, null);
  const html = parts.join('');
  return html === '' ? '' : `<template data-views>${html}</template>`;
}

function isKnown({ name, props, written, children }: Element, { keys, known }: Marks): boolean {
  const own = keys.own(name, props);
  const whole = keys.whole(name, props, written ?? children);
  return (own !== null && known.has(own)) || (whole !== null && known.has(whole));
}

function withinOthers(writer: Writer, write: () => string): string {
  const { isQuiet } = writer.site;
  writer.site.isQuiet = true;
  try {
    return within(writer, { id: 0, children: null, isContent: true, hasContent: true }, write);
  } finally {
    writer.site.isQuiet = isQuiet;
  }
}

/** HTML that the browser does not render again. */
export function withoutMarks(writer: Writer, write: () => string): string {
  return within(writer, null, write);
}

function within(writer: Writer, view: MarkedView | null, write: () => string): string {
  const before = writer.view;
  writer.view = view;
  try {
    return write();
  } finally {
    writer.view = before;
  }
}

/** The HTML of a built-in component, marked in the content of an island. */
export function writeView(node: Element, writer: Writer, write: () => string): string {
  const owner = writer.view;
  if (owner === null || !owner.isContent) return write();
  const { marks } = writer.islands;
  const { name, props, written } = node;
  const own = marks.keys.own(name, props);
  if (own === null || marks.views >= maxViews) return withoutMarks(writer, write);
  const view = {
    id: ++marks.views,
    children: written === undefined ? node.children : [],
    isContent: false,
    hasContent: false,
  };
  const html = within(writer, view, write);
  const key = view.hasContent ? own : marks.keys.whole(name, props, written ?? node.children);
  if (key === null) return html;
  marks.names.add(name);
  marks.known.add(key);
  if (html === '' && view.hasContent) marks.parts.add(name);
  return `<!--v${view.id} ${owner.id} ${key} ${name}-->${html}<!--/v${view.id}-->`;
}

/** HTML of nodes for a component, marked where they are the content of its element. */
export function writeContent(nodes: readonly Node[], writer: Writer, write: () => string): string {
  const { view } = writer;
  if (view === null || view.isContent || view.hasContent || !isContentOf(view, nodes)) return write();
  view.isContent = true;
  let html: string;
  try {
    html = write();
  } finally {
    view.isContent = false;
  }
  if (html === '') return '';
  view.hasContent = true;
  return `<!--c${view.id} ${writer.islands.marks.keys.content(nodes) ?? '*'}-->${html}<!--/c${view.id}-->`;
}

function isContentOf({ children }: MarkedView, nodes: readonly Node[]): boolean {
  return children?.length === nodes.length && nodes.every((node, index) => node === children[index]);
}
