import type { Value } from '../tree.ts';
import { KINDS, kindIcons, showKind } from './callout.ts';
import { css, defineComponent, type PageScope, type WriteMarkdown } from './component.ts';
import { indent, oneLine, startsWithBlock } from './markdown.ts';
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
import { choice, color, data, flag, iconProps, ignored, label, oneOf, text, url } from './schema.ts';

/** A list entry with a link. */
const entry: WriteMarkdown = (props, children, markdown) => {
  const title = markdown.text(props.title);
  const name =
    typeof props.href === 'string'
      ? markdown.link(title === '' ? props.href : title, props.href)
      : `**${title}**`;
  const description = markdown.text(props.description);
  const content = markdown.blocks(children);
  const hasBlocks = content.split('\n\n').some(startsWithBlock);
  const line = [description, hasBlocks ? '' : oneLine(content)].filter((each) => each !== '').join(' ');
  const head = line === '' ? `- ${name}` : `- ${name}: ${line}`;
  return hasBlocks ? `${head}\n\n${indent(content, '  ')}` : head;
};

/**
 * With `href` the whole of a card is one link. The link is the title and its area is stretched over the
 * card, so that links in the body stay valid and a screen reader hears the title alone.
 */
export const card = defineComponent({
  name: 'Card',
  kind: 'block',
  about: 'A card; with `href`, the whole card is a link',
  example:
    '<Card title="Quickstart" icon="rocket" href="/quickstart" cta="Read on">From nothing to a site.</Card>',
  hasTitle: true,
  icons: kindIcons,
  props: {
    title: label('the name of the card, and of its link'),
    description: label('text of a card without content'),
    href: url('makes the whole card a link'),
    ...iconProps('above the title, or next to it with `horizontal`'),
    color: color('color of the icon'),
    horizontal: flag('icon and text side by side'),
    img: text('an image above the text', 'path'),
    cta: data('text of the link line', 'text'),
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
    const content = page.content(children);
    const body = isEmpty(content) ? show(props.description, page) : content;
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
  style: css`
    .op-card,
    .op-tile {
      position: relative;
      display: flex;
      flex-direction: column;
      margin-block: 16px;
      border: 1px solid var(--color-border);
      border-radius: var(--radius-card);
      background: var(--color-bg);
      overflow: hidden;
    }
    .op-card-main {
      display: flex;
      flex: 1;
      flex-direction: column;
      gap: 12px;
      padding: 20px;
    }
    .op-card-horizontal .op-card-main {
      flex-direction: row;
      align-items: flex-start;
      gap: 14px;
      padding: 16px 20px;
    }
    .op-card-text {
      display: flex;
      flex: 1;
      flex-direction: column;
      min-inline-size: 0;
    }
    .op-card-icon {
      flex: none;
      color: var(--color-primary);
      line-height: 0;
    }
    .op-card-icon img {
      inline-size: 24px;
      block-size: 24px;
      margin: 0;
      border-radius: 0;
    }
    .op-card-image {
      inline-size: 100%;
      block-size: 184px;
      margin: 0;
      border-radius: 0;
      object-fit: cover;
    }
    .op-card-title {
      margin: 0;
      color: var(--color-text);
      font-size: 16px;
      font-weight: 600;
      line-height: 24px;
      letter-spacing: -0.01em;
    }
    .op-card-title:has(+ *) {
      margin-block-end: 4px;
    }
    .op-card-cover,
    .op-card-cover:hover {
      border: 0;
      background: none;
      color: inherit;
      font-weight: inherit;
      text-decoration: none;
    }
    .op-card-cover::after {
      content: "";
      position: absolute;
      inset: 0;
      border-radius: inherit;
    }
    .op-card-content {
      color: var(--color-muted);
      font-size: 14px;
      line-height: 22px;
    }
    .op-card-content > :first-child {
      margin-block-start: 0;
    }
    .op-card-content > :last-child {
      margin-block-end: 0;
    }
    .op-card-content > :is(p, ul, ol) {
      margin-block: 8px;
    }
    .op-card-linked .op-card-content a,
    .op-card-linked .op-card-content button {
      position: relative;
      z-index: 1;
    }
    .op-card-cta {
      margin-block-start: auto;
      padding-block-start: 12px;
      color: var(--color-primary);
      font-size: 14px;
      font-weight: 500;
      line-height: 20px;
    }
    .op-card-cta::after {
      content: " \2192" / "";
    }
    .op-card-arrow {
      position: absolute;
      inset-block-start: 18px;
      inset-inline-end: 18px;
      inline-size: 8px;
      block-size: 8px;
      border: solid var(--color-muted);
      border-width: 1.5px 1.5px 0 0;
    }
    .op-card-arrow::after {
      content: "";
      position: absolute;
      inset-block-start: 3px;
      inset-inline-end: -1px;
      inline-size: 11px;
      border-block-start: 1.5px solid var(--color-muted);
      rotate: -45deg;
    }
    [dir="rtl"] .op-card-arrow {
      scale: -1 1;
    }
    .op-card:has(.op-card-arrow) .op-card-title {
      padding-inline-end: 20px;
    }
    .op-card-linked:hover {
      border-color: var(--color-primary);
    }
    .op-card-linked:hover :is(.op-card-arrow, .op-card-arrow::after) {
      border-color: var(--color-primary);
    }
    .op-card-linked:has(.op-card-cover:focus-visible) {
      outline: 2px solid var(--color-primary);
      outline-offset: 2px;
    }
    .op-card-linked .op-card-cover:focus-visible {
      outline: none;
    }
    .op-card-disabled {
      border-style: dashed;
      background: none;
      cursor: not-allowed;
    }
    .op-card-disabled :is(.op-card-title, .op-card-icon) {
      color: var(--color-faint);
    }
    .op-card:is(.op-card-note, .op-card-info, .op-card-warning, .op-card-tip, .op-card-check, .op-card-danger) {
      border-color: color-mix(in oklab, var(--hue) 32%, transparent);
      background: var(--soft);
    }
    .op-card-linked:is( .op-card-note, .op-card-info, .op-card-warning, .op-card-tip, .op-card-check, .op-card-danger ):hover {
      border-color: var(--hue);
    }
    .op-card:is(.op-card-note, .op-card-info, .op-card-warning, .op-card-tip, .op-card-check, .op-card-danger) .op-card-icon {
      color: var(--hue);
    }
    @media (prefers-reduced-motion: no-preference) {
      .op-tile-preview img,
      .op-card,
      .op-tile {
        transition:
          border-color 150ms ease-out,
          scale 150ms ease-out;
      }
    }
    @media print {
      .op-card {
        break-inside: avoid;
      }
    }
    @media (forced-colors: active) {
      .op-card-arrow,
      .op-card-arrow::after {
        forced-color-adjust: auto;
      }
    }
  `,
});

export const tile = defineComponent({
  name: 'Tile',
  kind: 'block',
  about: 'A link with a preview area above its title',
  example:
    '<Tile title="Quickstart" href="/quickstart" description="From nothing to a site"><img src="/logo/mark.svg" alt="" /></Tile>',
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
  style: css`
    .op-tile {
      padding: 8px 8px 16px;
    }
    .op-tile > .op-card-title,
    .op-tile > .op-card-content {
      margin-inline: 8px;
    }
    .op-tile-preview {
      display: grid;
      place-items: center;
      min-block-size: 140px;
      margin-block-end: 12px;
      border-radius: var(--radius-control);
      background:
        radial-gradient(var(--color-border-strong) 1px, transparent 1px) 0 0 / 14px 14px var(--color-raised);
      overflow: hidden;
    }
    .op-tile-preview img {
      max-block-size: 240px;
      margin: 0;
      border-radius: var(--radius-control);
    }
    .op-tile-preview > p,
    .op-tile-preview > .op-paragraph {
      margin: 0;
    }
    @media (prefers-reduced-motion: no-preference) {
      .op-tile.op-card-linked:hover img {
        scale: 1.02;
      }
    }
  `,
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
