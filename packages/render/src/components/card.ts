import type { Value } from '../tree.ts';
import { KINDS, kindIcons, showKind } from './callout.ts';
import { defineComponent, type PageScope, type WriteMarkdown } from './component.ts';
import { oneLine } from './markdown.ts';
import { h, isEmpty, part, partOf, type View } from './markup.ts';
import {
  type CardLink,
  linkAttributes,
  readLink,
  rootAttributes,
  show,
  showIcon,
  showLabel,
} from './props.ts';
import { choice, color, flag, iconProps, ignored, label, oneOf, text, url } from './schema.ts';

/** A list entry with a link. */
const entry: WriteMarkdown = (props, children, markdown) => {
  const title = markdown.text(props.title);
  const name =
    typeof props.href === 'string'
      ? markdown.link(title === '' ? props.href : title, props.href)
      : `**${title}**`;
  const body = [markdown.text(props.description), oneLine(markdown.blocks(children))]
    .filter((each) => each !== '')
    .join(' ');
  return body === '' ? `- ${name}` : `- ${name}: ${body}`;
};

/**
 * With `href` the whole of a card is one link. The link is the title and its area is stretched over the
 * card, so that links in the body stay valid and a screen reader hears the title alone.
 */
export const card = defineComponent({
  name: 'Card',
  kind: 'block',
  about: 'A card; with `href`, the whole card is a link',
  example: '<Card title="Title" icon="star" href="/quickstart" img="/images/a.svg" cta="Go">body</Card>',
  hasTitle: true,
  icons: kindIcons,
  props: {
    title: label('the name of the card, and of its link'),
    href: url('makes the whole card a link'),
    ...iconProps('above the title, or next to it with `horizontal`'),
    color: color('color of the icon'),
    horizontal: flag('icon and text side by side'),
    img: text('an image above the text', 'path'),
    cta: label('text of the link line'),
    arrow: choice('shows an arrow; `{false}` hides the arrow of external links'),
    type: oneOf(KINDS, 'colors and icon of that callout'),
    disabled: flag('no link, muted appearance'),
    as: ignored('accepted, without effect'),
  },
  markdown: entry,
  view(props, children, page) {
    const { type: kind, disabled, horizontal } = props;
    const link = readLink(props.href, disabled, page);
    const root = rootAttributes(props.common, page, [
      'card',
      link === null ? null : 'op-card-linked',
      horizontal ? 'op-card-horizontal' : null,
      disabled ? 'op-card-disabled' : null,
      kind === null ? null : `op-card-${kind}`,
    ]);
    const body = page.content(children);
    const own = showIcon(props, page, { size: 24, color: props.color });
    const icon = isEmpty(own) && kind !== null ? showKind(kind, 22, page) : own;
    const src = props.img === null ? null : page.asset(props.img);
    const hasArrow = link !== null && (props.arrow ?? link.external);
    return h(
      'div',
      { ...root, 'aria-disabled': disabled ? 'true' : null },
      src === null ? null : part('img', 'card-image', { src, alt: '', loading: 'lazy', 'data-nozoom': true }),
      hasArrow ? part('span', 'card-arrow', { 'aria-hidden': 'true' }) : null,
      h(
        'div',
        { class: 'op-card-main', 'data-component-part': 'card-content-container' },
        partOf('div', 'card-icon', icon),
        h(
          'div',
          { class: 'op-card-text' },
          titleView(titleOf(props.title, link, page), link, () => page.text(children)),
          partOf('div', 'card-content', body),
          partOf('div', 'card-cta', titleOf(props.cta, link, page)),
        ),
      ),
    );
  },
});

export const tile = defineComponent({
  name: 'Tile',
  kind: 'block',
  about: 'A link with a preview area above its title',
  example: '<Tile title="Tile" href="/quickstart" description="d"><img src="/images/a.svg" alt="" /></Tile>',
  hasTitle: true,
  props: {
    href: url('target of the tile'),
    title: label('below the preview'),
    description: label('below the title'),
    disabled: flag('no link'),
  },
  markdown: entry,
  view(props, children, page) {
    const link = readLink(props.href, props.disabled, page);
    const description = show(props.description, page);
    return h(
      'div',
      rootAttributes(props.common, page, ['tile', link === null ? null : 'op-card-linked']),
      part('div', 'tile-preview', null, page.content(children)),
      titleView(titleOf(props.title, link, page), link, () => page.text(children)),
      isEmpty(description)
        ? null
        : h('div', { class: 'op-card-content', 'data-component-part': 'tile-description' }, description),
    );
  },
});

function titleOf(value: Value, link: CardLink | null, page: PageScope): View {
  return link === null ? show(value, page) : showLabel(value, page);
}

/** `text` gives a link without a title its name. */
function titleView(title: View, link: CardLink | null, text: () => string): View {
  if (link === null) return partOf('div', 'card-title', title);
  const attributes = { ...linkAttributes(link), class: 'op-card-cover' };
  if (isEmpty(title))
    return h('a', { ...attributes, 'aria-label': text().trim().slice(0, 120) || link.href });
  return part('div', 'card-title', null, h('a', attributes, title));
}
