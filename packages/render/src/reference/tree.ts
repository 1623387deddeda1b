import type { Element, Node, Props } from '../tree.ts';

/** An element as a page would have written it. Objects without a prototype hold no inherited names. */
export function element(name: string, props: Props, children: Node[]): Element {
  return { type: 'element', name, props: Object.assign(Object.create(null), props), children, inline: false };
}

export const text = (value: string): Node => ({ type: 'text', value });

export const code = (value: string): Node => ({ type: 'inlineCode', value });

export const linkTo = (url: string, words: string): Node => ({
  type: 'link',
  url,
  title: null,
  children: [text(words)],
});

export const paragraph = (children: Node[]): Node => ({ type: 'paragraph', children });

export const heading = (depth: 2 | 3 | 4, words: string, id: string): Node => ({
  type: 'heading',
  depth,
  id,
  children: [text(words)],
});

export const fence = (value: string, lang: string, meta: string | null): Node => ({
  type: 'code',
  value,
  lang,
  meta,
});

export function list(items: readonly Node[][]): Node {
  return {
    type: 'list',
    ordered: false,
    start: null,
    spread: items.some((children) => children.length > 1),
    children: items.map((children) => ({
      type: 'listItem',
      spread: children.length > 1,
      checked: null,
      children,
    })),
  };
}
