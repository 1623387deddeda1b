import { iconSvg } from '../icons/index.ts';
import type { Component } from './component.ts';
import { attribute, classAttribute, readColor, readHtml, readIcon, readId, readText } from './props.ts';

type Kind = 'note' | 'warning' | 'info' | 'tip' | 'check' | 'danger';

const ICONS: Readonly<Record<Kind, string>> = {
  note: 'info',
  warning: 'triangle-alert',
  info: 'info',
  tip: 'lightbulb',
  check: 'circle-check',
  danger: 'octagon-alert',
};

function isKind(word: string | null): word is Kind {
  return word !== null && Object.hasOwn(ICONS, word);
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

/** A callout of any icon and colour, or of a kind by `type`. */
export const callout: Component = (props, children, page) => {
  const type = readText(props, 'type')?.toLowerCase() ?? null;
  return write(isKind(type) ? type : null, props, children, page);
};

function calloutOf(kind: Kind): Component {
  return (props, children, page) => write(kind, props, children, page);
}

function write(kind: Kind | null, ...[props, children, page]: Parameters<Component>): string {
  const color = readColor(props.color);
  const given = readIcon(props, page, { size: 18, color });
  const icon = given !== '' || kind === null ? given : kindIcon(kind);
  const title = readHtml(props, 'title', page);
  return [
    `<div${attribute('id', readId(props))}${classAttribute(
      props,
      'callout',
      kind === null ? null : `callout-${kind}`,
    )} role="note"${attribute('aria-label', kind === null ? null : page.strings[kind])}${attribute('data-callout-type', kind)}>`,
    color === null ? '' : tint(color),
    icon === '' ? '' : `<div class="callout-icon" data-component-part="callout-icon">${icon}</div>`,
    '<div class="callout-content" data-component-part="callout-content">',
    title === '' ? '' : `<p class="callout-title" data-component-part="callout-title">${title}</p>`,
    page.html(children),
    '</div></div>',
  ].join('');
}

function kindIcon(kind: Kind): string {
  return iconSvg({ name: ICONS[kind], style: null, library: 'lucide' }, 'lucide', { size: 18 }) ?? '';
}

/** Background and border in the author's colour, drawn because pages hold no inline styles. */
function tint(color: string): string {
  const paint = attribute('fill', color) + attribute('stroke', color);
  return `<svg class="callout-tint" aria-hidden="true"${paint}><rect width="100%" height="100%" rx="12"/></svg>`;
}
