import { css, defineComponent } from './component.ts';
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
import { color, data, flag, iconProps, integer, label, oneOf, url } from './schema.ts';

export const icon = defineComponent({
  name: 'Icon',
  kind: 'inline',
  about: 'An icon of a library, of a file or of a URL, or a drawing in braces',
  example: '<Icon icon="rocket" size={24} color="#d97706" />',
  props: {
    ...iconProps('the icon'),
    src: data('another name of `icon`', 'icon'),
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
  style: css`
    .op-badge {
      --ink: var(--chip-text);
      --soft: var(--chip);
      display: inline-flex;
      align-items: center;
      gap: 4px;
      padding: 1px 8px;
      border: 1px solid transparent;
      border-radius: 6px;
      background: var(--soft);
      color: var(--ink);
      font-size: 13px;
      font-weight: 500;
      line-height: 20px;
      text-decoration: none;
      vertical-align: middle;
    }
    .op-badge-pill {
      border-radius: 999px;
    }
    .op-badge-xs {
      padding-inline: 5px;
      font-size: 11px;
      line-height: 16px;
    }
    .op-badge-sm {
      padding-inline: 6px;
      font-size: 12px;
      line-height: 18px;
    }
    .op-badge-lg {
      padding: 3px 10px;
      font-size: 14px;
    }
    .op-badge-blue {
      --ink: light-dark(#1d4ed8, #a5c4fd);
      --soft: light-dark(#e7eefe, #1b2743);
    }
    .op-badge-green {
      --ink: light-dark(#166534, #8fd8a8);
      --soft: light-dark(#e3f6ea, #16291d);
    }
    .op-badge-yellow {
      --ink: light-dark(#7a4b00, #f3d77a);
      --soft: light-dark(#fdf3cf, #2d2610);
    }
    .op-badge-orange {
      --ink: light-dark(#9a3412, #fbb98a);
      --soft: light-dark(#ffeddf, #33210f);
    }
    .op-badge-red {
      --ink: light-dark(#b0231d, #f9a8a3);
      --soft: light-dark(#fde8e7, #351a19);
    }
    .op-badge-purple {
      --ink: light-dark(#6d28d9, #cdb6fc);
      --soft: light-dark(#f0e9fe, #271d40);
    }
    .op-badge-white {
      --ink: #27272a;
      --soft: #fff;
      border-color: var(--color-border-strong);
    }
    .op-badge-surface {
      --ink: var(--color-text);
      --soft: var(--color-bg);
      border-color: var(--color-border-strong);
    }
    .op-badge-white-destructive {
      --ink: #b0231d;
      --soft: #fff;
      border-color: var(--color-border-strong);
    }
    .op-badge-surface-destructive {
      --ink: var(--color-danger);
      --soft: var(--color-bg);
      border-color: var(--color-border-strong);
    }
    .op-badge-outline {
      background: none;
      border-color: color-mix(in oklab, currentColor 50%, transparent);
    }
    .op-badge-disabled {
      border-color: var(--color-border);
      background: none;
      color: var(--color-faint);
      cursor: not-allowed;
    }
    a.op-badge:hover {
      border-color: currentColor;
    }
    .op-badge:focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: 2px;
    }
    @media (forced-colors: active) {
      .op-badge {
        border: 1px solid CanvasText;
      }
    }
  `,
});

/**
 * A hint on hover, focus and touch. The text is in the page and describes its term; the script places it in the
 * window.
 */
export const tooltip = defineComponent({
  name: 'Tooltip',
  kind: 'inline',
  about: 'A hint on hover, focus and touch',
  example:
    '<Tooltip tip="One archive of a whole site." headline="Bundle" cta="Read on" href="/quickstart">bundle</Tooltip>',
  props: {
    headline: label('title of the hint'),
    tip: label('the hint'),
    cta: data('text of a link in the hint', 'text'),
    href: url('target of that link'),
  },
  markdown: (_props, children, markdown) => markdown.content(children),
  view(props, children, page) {
    const { controls } = page;
    const trigger = page.content(inlineChildren(children));
    const hasControl = page.controls > controls;
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
      part('span', 'tooltip-trigger', { tabindex: hasControl ? null : '0', 'aria-describedby': id }, trigger),
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
  client: 'tooltip',
  style: css`
    /* Hints are above the page; the script places them inside the window. */
    .op-tooltip-trigger {
      border-radius: 2px;
      text-decoration: underline dotted;
      text-decoration-color: var(--color-faint);
      text-decoration-thickness: 1.5px;
      text-underline-offset: 4px;
      cursor: help;
    }
    .op-tooltip-trigger:hover {
      text-decoration-color: var(--color-primary);
    }
    .op-tooltip-content {
      position: fixed;
      inset: auto;
      inline-size: max-content;
      max-inline-size: min(300px, calc(100vw - 16px));
      margin: 0;
      padding: 10px 14px;
      border: 1px solid var(--color-border);
      border-radius: var(--radius-control);
      background: light-dark(var(--color-bg), var(--color-raised));
      box-shadow: var(--shadow-floating);
      color: var(--color-text);
      font: 400 13.5px / 20px var(--font-body);
      letter-spacing: normal;
      text-align: start;
      text-wrap: pretty;
      white-space: normal;
    }
    .op-tooltip-headline,
    .op-tooltip-tip,
    .op-tooltip-cta {
      display: block;
    }
    .op-tooltip-headline {
      margin-block-end: 2px;
      font-weight: 600;
    }
    .op-tooltip-headline + .op-tooltip-tip {
      color: var(--color-muted);
    }
    .op-tooltip-cta {
      margin-block-start: 8px;
      color: var(--color-primary);
      font-weight: 550;
    }
    .op-tooltip-cta:hover {
      text-decoration: underline;
      text-underline-offset: 3px;
    }
    .op-tooltip-cta::after {
      content: " \2192" / "";
    }
    [dir="rtl"] .op-tooltip-cta::after {
      content: " \2190" / "";
    }
    @media (prefers-reduced-motion: no-preference) {
      .op-tooltip-content:popover-open {
        transition: opacity 120ms ease-out;
      }
      @starting-style {
        .op-tooltip-content:popover-open {
          opacity: 0;
        }
      }
    }
    @media (scripting: none) {
      .op-tooltip {
        position: relative;
      }
      .op-tooltip:is(:hover, :focus-within) > .op-tooltip-content {
        display: block;
        position: absolute;
        z-index: 20;
        inset-block-end: 100%;
        inset-inline-start: 0;
      }
    }
    .op-tooltip-trigger:focus-visible,
    .op-tooltip-cta:focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: 2px;
    }
    @media print {
      .op-tooltip-content {
        display: none;
      }
    }
  `,
});
