import type { Props } from '../tree.ts';
import type { Component } from './component.ts';
import { readFlag, readNumber, readText } from './props.ts';

// Components that are alternatives to Markdown syntax: the writer of the page handles them.

/** `noAnchor` leaves out the visible link, not the id. */
export const heading: Component = (props, children, page) => {
  const name = `h${readNumber(props, 'level', 1, 6, 2)}`;
  const html = page.html([
    { type: 'element', name, props: own(props), children: [...children], inline: false },
  ]);
  return readFlag(props, 'noAnchor') ? html.replace(/<a class="op-heading-anchor"[^>]*><\/a>/, '') : html;
};

export const link: Component = (props, children, page) =>
  page.html([{ type: 'element', name: 'a', props, children: [...children], inline: true }]);

function own({ id, className, style }: Props): Props {
  return Object.assign(Object.create(null), { id, className, style }) as Props;
}

/** TeX on lines of its own is a block; in a line of text it stays there. */
export const latex: Component = (_props, children, page) => {
  const isBlock = children.some((child) => child.type === 'paragraph');
  return page.html([{ type: isBlock ? 'math' : 'inlineMath', value: page.text(children).trim() }]);
};

export const mermaid: Component = (props, children, page) => {
  const source = readText(props, 'chart') ?? page.text(children).trim();
  const placement = readText(props, 'placement');
  const options = [
    props.actions === undefined ? null : `actions={${readFlag(props, 'actions')}}`,
    placement === null ? null : `placement="${placement.replaceAll('"', '')}"`,
  ];
  return page.code(source, 'mermaid', options.filter((option) => option !== null).join(' '));
};

export const zoomImage: Component = (props, children, page) =>
  readText(props, 'src') === null
    ? page.html(children)
    : page.html([{ type: 'element', name: 'img', props, children: [], inline: false }]);
