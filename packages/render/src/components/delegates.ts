import type { Heading } from '../tree.ts';
import type { Component } from './component.ts';
import { readId, readNumber, readText } from './props.ts';

// Components that are another way to write what Markdown has: the page's own writer does the work.

export const heading: Component = (props, children, page) => {
  const depth = readNumber(props, 'level', 1, 6, 2) as Heading['depth'];
  const id = readId(props);
  return page.html([{ type: 'heading', depth, children: [...children], ...(id === null ? {} : { id }) }]);
};

export const link: Component = (props, children, page) =>
  page.html([{ type: 'link', url: readText(props, 'href') ?? '', title: null, children: [...children] }]);

export const latex: Component = (_props, children, page) => {
  const value = page.text(children).trim();
  return page.html([{ type: value.includes('\n') ? 'math' : 'inlineMath', value }]);
};

export const mermaid: Component = (props, children, page) =>
  page.code(readText(props, 'chart') ?? page.text(children).trim(), 'mermaid', null);

export const zoomImage: Component = (props, children, page) =>
  readText(props, 'src') === null
    ? page.html(children)
    : page.html([{ type: 'element', name: 'img', props, children: [], inline: false }]);
