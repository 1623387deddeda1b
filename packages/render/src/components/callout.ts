import { iconSvg } from '../icons/index.ts';
import type { Props } from '../tree.ts';
import type { Component } from './component.ts';
import { attribute, readColor, readHtml, readIcon, readText, rootAttributes } from './props.ts';

export type Kind = 'note' | 'warning' | 'info' | 'tip' | 'check' | 'danger';

const ICONS: Readonly<Record<Kind, string>> = {
  note: 'info',
  warning: 'triangle-alert',
  info: 'info',
  tip: 'lightbulb',
  check: 'circle-check',
  danger: 'octagon-alert',
};

/** The kind that a `type` prop names; null for none. */
export function readKind(props: Props): Kind | null {
  const type = readText(props, 'type')?.toLowerCase() ?? '';
  return Object.hasOwn(ICONS, type) ? (type as Kind) : null;
}

/** The sign of a kind. */
export function kindIcon(kind: Kind, size: number): string {
  return iconSvg({ name: ICONS[kind], style: null, library: 'lucide' }, 'lucide', { size }) ?? '';
}

/** `Note`, `Warning` and their family. */
export const callouts = {
  Note: calloutOf('note'),
  Warning: calloutOf('warning'),
  Info: calloutOf('info'),
  Tip: calloutOf('tip'),
  Check: calloutOf('check'),
  Danger: calloutOf('danger'),
} satisfies Record<string, Component>;

/** A callout of any icon and color, or of a kind by `type`. */
export const callout: Component = (props, children, page) => write(readKind(props), props, children, page);

function calloutOf(kind: Kind): Component {
  return (props, children, page) => write(kind, props, children, page);
}

function write(kind: Kind | null, ...[props, children, page]: Parameters<Component>): string {
  const color = readColor(props.color);
  const icon = readIcon(props, page, { size: 18 }) || (kind === null ? '' : kindIcon(kind, 18));
  const title = readHtml(props, 'title', page);
  const look = kind === null ? null : `op-callout-${kind}`;
  const name = kind === null ? null : page.strings[kind];
  return [
    `<div${rootAttributes(tinted(props, color, '--hue'), page, ['callout', look])} role="note"`,
    `${attribute('aria-label', name)}${attribute('data-callout-type', kind)}>`,
    icon === '' ? '' : `<div class="op-callout-icon" data-component-part="callout-icon">${icon}</div>`,
    '<div class="op-callout-content" data-component-part="callout-content">',
    title === '' ? '' : `<p class="op-callout-title" data-component-part="callout-title">${title}</p>`,
    page.html(children),
    '</div></div>',
  ].join('');
}

/** The props with a color of the author as a custom property of the root's style. */
export function tinted(props: Props, color: string | null, name: string): Props {
  if (color === null) return props;
  const style = props.style;
  const own = typeof style === 'string' ? `${name}:${color};${style}` : null;
  const base = typeof style === 'object' && style !== null && !Array.isArray(style) ? style : {};
  return Object.assign(Object.create(null), props, {
    style: own ?? Object.assign(Object.create(null), { [name]: color }, base),
  }) as Props;
}
