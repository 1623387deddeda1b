import type { Props, Value } from '../tree.ts';
import { defineComponent } from './component.ts';
import { fence } from './markdown.ts';
import { choice, data, flag, integer, oneOf, text as textProp, url } from './schema.ts';

// Components that are alternatives to Markdown syntax: the page writes them.

export const heading = defineComponent({
  name: 'Heading',
  kind: 'block',
  about: 'A heading, as `##` gives it',
  example: '<Heading level={3} id="own-anchor">A heading</Heading>',
  changesPage: true,
  props: {
    level: integer(1, 6, 'level; default: 2'),
    noAnchor: flag('no link next to the heading; the id stays'),
  },
  view({ common: { id, className, style }, level, noAnchor }, children, page) {
    const props = named(page.name, { id, className, style, noAnchor });
    return page.content([
      { type: 'element', name: `h${level ?? 2}`, props, children: [...children], inline: false },
    ]);
  },
});

export const link = defineComponent({
  name: 'Link',
  kind: 'inline',
  about: 'A link',
  example: '<Link href="/quickstart">Quickstart</Link>',
  keepsAttributes: true,
  props: { href: url('target') },
  markdown: (props, children, markdown) =>
    typeof props.href === 'string'
      ? markdown.link(markdown.inline(children), props.href)
      : markdown.content(children),
  view({ common }, children, page) {
    const props = named(page.name, common.written);
    return page.content([{ type: 'element', name: 'a', props, children: [...children], inline: true }]);
  },
});

/** Props of an element that has the name of its component. */
function named(name: string, props: Readonly<Record<string, Value>>): Props {
  return Object.assign(Object.create(null), { 'data-component-name': name }, props);
}

/** TeX on lines of its own is a block; in a line of text it stays there. */
export const latex = defineComponent({
  name: 'Latex',
  kind: 'inline',
  about: 'A formula in TeX',
  example: '<Latex>{"x^2 + y_1"}</Latex>',
  props: {},
  markdown: (_props, children, markdown) => `$${markdown.lineText(children)}$`,
  view(_props, children, page) {
    const isBlock = children.some((child) => child.type === 'paragraph');
    return page.math(page.text(children).trim(), isBlock, { 'data-component-name': page.name });
  },
});

export const mermaid = defineComponent({
  name: 'Mermaid',
  kind: 'block',
  about: 'A diagram',
  example: '<Mermaid chart="graph LR; Write-->Publish" />',
  props: {
    chart: textProp('source text; default: the content', 'Mermaid'),
    actions: choice('buttons to zoom and move'),
    placement: oneOf(['top-left', 'top-right', 'bottom-left', 'bottom-right'], 'position of the buttons'),
  },
  markdown: (props, _children, markdown) => fence(markdown.text(props.chart), 'mermaid', null),
  view({ chart, actions, placement }, children, page) {
    const source = chart ?? page.text(children).trim();
    const options = [
      actions === null ? null : `actions={${actions}}`,
      placement === null ? null : `placement="${placement}"`,
    ];
    const meta = options.filter((option) => option !== null).join(' ');
    return page.code(source, 'mermaid', meta, { 'data-component-name': page.name });
  },
});

/** Position of the buttons over an image. */
export const actionsPlacement = oneOf(
  ['bottom-center', 'bottom-left', 'bottom-right', 'top-center', 'top-left', 'top-right'],
  'position of the buttons',
);

export const zoomImage = defineComponent({
  name: 'ZoomImage',
  kind: 'block',
  about: 'An image that a click enlarges, as every image is',
  keepsAttributes: true,
  example: '<ZoomImage src="/logo/mark.svg" alt="The mark of the product" />',
  props: {
    src: textProp('path of the image', 'path'),
    noZoom: flag('disables enlarging'),
    actions: data('buttons over the image', 'flag, `"copy"`, `"download"`, `"copy,download"`'),
    actionsPlacement,
  },
  view({ common, src }, children, page) {
    if (src === null) return page.content(children);
    const props = named(page.name, common.written);
    return page.content([{ type: 'element', name: 'img', props, children: [], inline: false }]);
  },
});
