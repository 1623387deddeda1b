import { keptInView } from './choice.ts';
import type { Component } from './component.ts';
import { createNesting } from './nesting.ts';
import { readText, rootAttributes } from './props.ts';
import { addPanel, isKept } from './side.ts';

/** Inside a panel, what else would go to the side stays in its place. */
export const panels = createNesting<true>();

/**
 * A panel in the side column, instead of the table of contents; pages without that column do not show it. In a tab, a step or
 * a disclosure it is a box in its place.
 */
export const panel: Component = (props, children, page) => {
  if (panels.nearest(page) !== null) return page.html(children);
  const body = panels.within(page, true, () => page.withoutToc(() => page.html(children)));
  if (isKept(page))
    return `<aside${rootAttributes(props, page, ['panel-part', 'op-panel-box'])}>${body}</aside>`;
  if (page.hasSide && body !== '') {
    const attributes = rootAttributes(props, page, ['panel-part']);
    addPanel(page, keptInView(page, `<div${attributes}>${body}</div>`));
  }
  return '';
};

/** Content for people or for the Markdown twin; everything but `humans` stays out of the page. */
export const visibility: Component = (props, children, page) =>
  readText(props, 'for') === 'humans' ? page.html(children) : '';

/** Markdown inside an expression. */
export const markdown: Component = (props, children, page) => {
  const attributes = rootAttributes(props, page, []);
  const html = page.html(children);
  return attributes === '' ? html : `<div${attributes}>${html}</div>`;
};
