import type { Component } from './component.ts';
import {
  attribute,
  classAttribute,
  readColor,
  readFlag,
  readHtml,
  readIcon,
  readId,
  readNumber,
  readText,
} from './props.ts';

export const icon: Component = (props, _children, page) => {
  const size = readNumber(props, 'size', 8, 256, 16);
  const className = readText(props, 'className');
  const name = props.icon === undefined ? 'src' : 'icon';
  const color = readColor(props.color);
  return readIcon(props, page, { size, color, name, ...(className === null ? {} : { className }) });
};

const BADGE_COLORS: ReadonlySet<string> = new Set(
  'gray blue green yellow orange red purple white surface white-destructive surface-destructive'.split(' '),
);
const BADGE_SIZES: ReadonlySet<string> = new Set(['xs', 'sm', 'md', 'lg']);

export const badge: Component = (props, children, page) => {
  const color = readText(props, 'color') ?? 'gray';
  const size = readText(props, 'size') ?? 'md';
  const isOutline = readFlag(props, 'stroke') || readText(props, 'variant') === 'outline';
  const attributes =
    attribute('id', readId(props)) +
    classAttribute(
      props,
      'badge',
      `badge-${BADGE_COLORS.has(color) ? color : 'gray'}`,
      `badge-${BADGE_SIZES.has(size) ? size : 'md'}`,
      readText(props, 'shape') === 'pill' ? 'badge-pill' : null,
      isOutline ? 'badge-outline' : null,
      readFlag(props, 'disabled') ? 'badge-disabled' : null,
    );
  const only = children.length === 1 ? children[0] : undefined;
  const body = page.html(only?.type === 'paragraph' ? only.children : children);
  const inner = `${readIcon(props, page, { size: 12 })}${body}`;
  const href = readText(props, 'href');
  const link = href === null || readFlag(props, 'disabled') ? null : page.link(href);
  if (link === null) return `<span${attributes}>${inner}</span>`;
  const target = link.external ? ' target="_blank" rel="noopener noreferrer"' : '';
  return `<a${attributes}${attribute('href', link.href)}${target}>${inner}</a>`;
};

/** A hint on hover and focus. The text is in the page, so that it reads without JavaScript too. */
export const tooltip: Component = (props, children, page) => {
  const id = page.id(`tip-${page.text(children)}`);
  const headline = readHtml(props, 'headline', page);
  const cta = readHtml(props, 'cta', page);
  const href = readText(props, 'href');
  const link = href === null ? null : page.link(href);
  const target = link?.external ? ' target="_blank" rel="noopener noreferrer"' : '';
  const only = children.length === 1 ? children[0] : undefined;
  const trigger = page.html(only?.type === 'paragraph' ? only.children : children);
  return [
    `<span${classAttribute(props, 'tooltip')} data-tooltip>`,
    `<span class="tooltip-trigger" tabindex="0"${attribute('aria-describedby', id)}>${trigger}</span>`,
    `<span role="tooltip" class="tooltip-content" data-component-part="tooltip-content"${attribute('id', id)}>`,
    headline === '' ? '' : `<strong class="tooltip-headline">${headline}</strong>`,
    readHtml(props, 'tip', page),
    link === null || cta === ''
      ? ''
      : `<a class="tooltip-cta"${attribute('href', link.href)}${target}>${cta}</a>`,
    '</span></span>',
  ].join('');
};
