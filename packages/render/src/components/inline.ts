import type { Node } from '../tree.ts';
import { defineComponent } from './component.ts';
import { h, isEmpty, part, partOf } from './markup.ts';
import {
  inlineChildren,
  linkAttributes,
  readLink,
  rootAttributes,
  show,
  showIcon,
  showLabel,
} from './props.ts';
import { color, flag, iconProps, integer, label, oneOf, text, url } from './schema.ts';

export const icon = defineComponent({
  name: 'Icon',
  kind: 'inline',
  about: 'An icon of a library, of a file or of a URL, or a drawing in braces',
  example: '<Icon icon="rocket" size={24} color="#f00" />',
  props: {
    ...iconProps('the icon'),
    src: label('another name of `icon`', 'icon'),
    color: color('color of the icon'),
    size: integer(8, 256, 'in px; default: 16'),
  },
  markdown: () => '',
  view({ common, icon: own, src, iconType, color: paint, size }, children, page) {
    const shown = own ?? src;
    if (own === undefined && src === undefined) return page.content(inlineChildren(children));
    if (shown === undefined || shown === null || shown === '' || typeof shown === 'boolean') return null;
    const { id, style } = rootAttributes({ ...common, className: null }, page, []);
    return page.icon(shown, {
      style: iconType,
      size: size ?? 16,
      color: paint,
      attributes: { id, style },
      ...(common.className === null ? {} : { className: common.className }),
    });
  },
});

const COLORS = [
  ...(['gray', 'blue', 'green', 'yellow', 'orange', 'red', 'purple', 'white', 'surface'] as const),
  ...(['white-destructive', 'surface-destructive'] as const),
];

export const badge = defineComponent({
  name: 'Badge',
  kind: 'inline',
  about: 'A small label in a line',
  example: '<Badge color="green" icon="check">New</Badge>',
  props: {
    color: oneOf(COLORS, 'default: `gray`'),
    size: oneOf(['xs', 'sm', 'md', 'lg'], 'default: `md`'),
    shape: oneOf(['rounded', 'pill'], 'default: `rounded`'),
    variant: oneOf(['outline'], 'the same as `stroke`'),
    stroke: flag('an outline only'),
    ...iconProps('before the text'),
    href: url('makes the badge a link'),
    disabled: flag('no link, muted appearance'),
  },
  view(props, children, page) {
    const { disabled } = props;
    const paint = props.color ?? 'gray';
    const size = props.size ?? 'md';
    const root = rootAttributes(props.common, page, [
      'badge',
      `op-badge-${paint}`,
      `op-badge-${size}`,
      props.shape === 'pill' ? 'op-badge-pill' : null,
      props.stroke || props.variant === 'outline' ? 'op-badge-outline' : null,
      disabled ? 'op-badge-disabled' : null,
    ]);
    const attributes = {
      ...root,
      'data-badge': true,
      'data-color': paint,
      'data-size': size,
      'aria-disabled': disabled ? 'true' : null,
    };
    const link = readLink(props.href, disabled, page);
    const write = () => page.content(inlineChildren(children));
    const sign = showIcon(props, page, { size: 12 });
    if (link === null) return h('span', attributes, sign, write());
    return h('a', { ...attributes, ...linkAttributes(link) }, sign, page.withoutLinks(write));
  },
});

/**
 * A hint on hover, focus and touch. The text is in the page and describes its term; the script places it in the
 * window.
 */
export const tooltip = defineComponent({
  name: 'Tooltip',
  kind: 'inline',
  about: 'A hint on hover, focus and touch',
  example: '<Tooltip tip="explained" headline="Word" cta="More" href="/quickstart">word</Tooltip>',
  props: {
    tip: label('the hint'),
    headline: label('title of the hint'),
    cta: label('text of a link in the hint'),
    href: url('target of that link'),
  },
  markdown: (_props, children, markdown) => markdown.content(children),
  view(props, children, page) {
    const trigger = page.content(inlineChildren(children));
    const tip = show(props.tip, page);
    const headline = show(props.headline, page);
    // Labels of the contents and text of links hold the term alone.
    if (page.noLinks || (isEmpty(tip) && isEmpty(headline))) return trigger;
    const id = page.id(`tip-${page.text(children)}`);
    const link = readLink(props.href, false, page);
    const cta = link === null ? null : showLabel(props.cta, page);
    const hasLink = link !== null && !isEmpty(cta);
    return h(
      'span',
      { ...rootAttributes(props.common, page, ['tooltip']), 'data-tooltip': true },
      part(
        'span',
        'tooltip-trigger',
        { tabindex: children.some(holdsControl) ? null : '0', 'aria-describedby': id },
        trigger,
      ),
      h(
        'span',
        {
          popover: 'manual',
          role: hasLink ? null : 'tooltip',
          class: 'op-tooltip-content',
          'data-component-part': 'tooltip-content',
          id,
        },
        partOf('strong', 'tooltip-headline', headline),
        part('span', 'tooltip-tip', null, tip),
        hasLink ? part('a', 'tooltip-cta', linkAttributes(link), cta) : null,
      ),
    );
  },
});

/** Whether the focus stops at something in a node. */
function holdsControl(node: Node): boolean {
  if (node.type === 'link') return true;
  if (node.type === 'element') {
    const { name, props } = node;
    if (name === 'a' || name === 'button' || (name !== 'Tooltip' && text('').read(props.href) !== null))
      return true;
  }
  return 'children' in node && node.children.some(holdsControl);
}
