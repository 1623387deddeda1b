import { escapeText } from '../escape.ts';
import { isNode, type Props, type Value } from '../tree.ts';
import type { Component } from './component.ts';
import { attribute, classAttribute, readColor, readHtml, readId, readText } from './props.ts';

/** Colour swatches, as a grid or in titled rows; a click copies the value. */
export const color: Component = (props, children, page) => {
  const look = readText(props, 'variant') === 'table' ? 'color-table' : 'color-compact';
  return `<div${attribute('id', readId(props))}${classAttribute(props, 'color', look)}>${page.html(children)}</div>`;
};

export const colorRow: Component = (props, children, page) => {
  const title = readHtml(props, 'title', page);
  return [
    `<div${classAttribute(props, 'color-row')}>`,
    title === '' ? '' : `<p class="color-row-title">${title}</p>`,
    `<div class="color-row-items">${page.html(children)}</div></div>`,
  ].join('');
};

export const colorItem: Component = (props, _children, page) => {
  const light = readColor(part(props.value, 'light'));
  const dark = readColor(part(props.value, 'dark'));
  if (light === null) {
    page.warn('invalid-color', `The value of "${readText(props, 'name') ?? 'Color.Item'}" is no CSS colour.`);
    return '';
  }
  const value = dark === null || dark === light ? light : `${light} / ${dark}`;
  return [
    `<button type="button"${classAttribute(props, 'color-item')}${attribute('data-copy', light)} data-copy-root>`,
    swatch(light, dark === null ? null : 'swatch-light'),
    dark === null ? '' : swatch(dark, 'swatch-dark'),
    `<span class="color-name">${readHtml(props, 'name', page)}</span><code class="color-value">${escapeText(value)}</code></button>`,
  ].join('');
};

function part(value: Value, theme: 'light' | 'dark'): Value {
  if (typeof value === 'string') return theme === 'light' ? value : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isNode(value)) return undefined;
  return (value as Props)[theme];
}

function swatch(color: string, className: string | null): string {
  const classes = className === null ? 'swatch' : `swatch ${className}`;
  return `<svg class="${classes}" aria-hidden="true"${attribute('fill', color)}><rect width="100%" height="100%"/></svg>`;
}
