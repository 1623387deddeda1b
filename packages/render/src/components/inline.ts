import type { Component } from './component.ts';
import {
  attribute,
  inlineChildren,
  linkAttributes,
  readColor,
  readFlag,
  readHtml,
  readIcon,
  readLabel,
  readLink,
  readNumber,
  readText,
  rootAttributes,
} from './props.ts';

/** An icon of a library, of a file or of a URL; one drawn in place by `icon={<svg/>}`. */
export const icon: Component = (props, children, page) => {
  const size = readNumber(props, 'size', 8, 256, 16);
  const className = readText(props, 'className') ?? readText(props, 'class');
  const name = props.icon === undefined ? 'src' : 'icon';
  if (props.icon === undefined && props.src === undefined) return page.html(inlineChildren(children));
  const color = readColor(props.color);
  const html = readIcon(props, page, { size, color, name, ...(className === null ? {} : { className }) });
  const attributes = rootAttributes({ id: props.id, style: props.style }, page, []);
  return attributes === '' ? html : html.replace(/^<\w+/, (tag) => tag + attributes);
};

const BADGE_COLORS: ReadonlySet<string> = new Set(
  'gray blue green yellow orange red purple white surface white-destructive surface-destructive'.split(' '),
);
const BADGE_SIZES: ReadonlySet<string> = new Set(['xs', 'sm', 'md', 'lg']);

/** A small label in a line; with `href` a link. */
export const badge: Component = (props, children, page) => {
  const color = oneOf(BADGE_COLORS, readText(props, 'color'), 'gray');
  const size = oneOf(BADGE_SIZES, readText(props, 'size'), 'md');
  const isDisabled = readFlag(props, 'disabled');
  const isOutline = readFlag(props, 'stroke') || readText(props, 'variant') === 'outline';
  const attributes = rootAttributes(props, page, [
    'badge',
    `op-badge-${color}`,
    `op-badge-${size}`,
    readText(props, 'shape') === 'pill' ? 'op-badge-pill' : null,
    isOutline ? 'op-badge-outline' : null,
    isDisabled ? 'op-badge-disabled' : null,
  ]);
  const data = ` data-badge data-color="${color}" data-size="${size}"${isDisabled ? ' aria-disabled="true"' : ''}`;
  const link = readLink(props, page);
  const write = () => page.html(inlineChildren(children));
  const inner = `${readIcon(props, page, { size: 12 })}${link === null ? write() : page.withoutLinks(write)}`;
  if (link === null) return `<span${attributes}${data}>${inner}</span>`;
  return `<a${attributes}${data}${linkAttributes(link)}>${inner}</a>`;
};

function oneOf(names: ReadonlySet<string>, written: string | null, fallback: string): string {
  return written !== null && names.has(written) ? written : fallback;
}

/**
 * A hint on hover, focus and touch. The text is in the page and describes its term; the script places it in the
 * window.
 */
export const tooltip: Component = (props, children, page) => {
  const trigger = page.html(inlineChildren(children));
  const tip = readHtml(props, 'tip', page);
  const headline = readHtml(props, 'headline', page);
  // Labels of the contents and text of links hold the term alone.
  if (page.noLinks || (tip === '' && headline === '')) return trigger;
  const id = page.id(`tip-${page.text(children)}`);
  const link = readLink(props, page);
  const cta = link === null ? '' : readLabel(props, 'cta', page);
  const hasOwnStop = /<(?:a|button)[\s>]/.test(trigger);
  return [
    `<span${rootAttributes(props, page, ['tooltip'])} data-tooltip>`,
    `<span class="op-tooltip-trigger" data-component-part="tooltip-trigger"${hasOwnStop ? '' : ' tabindex="0"'}${attribute('aria-describedby', id)}>${trigger}</span>`,
    `<span popover="manual"${cta === '' ? ' role="tooltip"' : ''} class="op-tooltip-content" data-component-part="tooltip-content"${attribute('id', id)}>`,
    headline === ''
      ? ''
      : `<strong class="op-tooltip-headline" data-component-part="tooltip-headline">${headline}</strong>`,
    `<span class="op-tooltip-tip" data-component-part="tooltip-tip">${tip}</span>`,
    link === null || cta === ''
      ? ''
      : `<a class="op-tooltip-cta" data-component-part="tooltip-cta"${linkAttributes(link)}>${cta}</a>`,
    '</span></span>',
  ].join('');
};
