import type { Component } from './component.ts';
import { readNumber, rootAttributes } from './props.ts';

/** A grid of 1 to 4 columns, one on narrow screens. */
export const columns: Component = (props, children, page) => grid(['columns'], props, children, page);

/** The older name of {@link columns}. */
export const cardGroup: Component = (props, children, page) =>
  grid(['columns', 'card-group'], props, children, page);

export const column: Component = (props, children, page) =>
  `<div${rootAttributes(props, page, ['column'])}>${page.html(children)}</div>`;

function grid(classes: string[], ...[props, children, page]: Parameters<Component>): string {
  const count = readNumber(props, 'cols', 1, 4, 2);
  return `<div${rootAttributes(props, page, [...classes, `op-cols-${count}`])}>${page.html(children)}</div>`;
}
