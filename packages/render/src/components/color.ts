import { escapeText } from '../escape.ts';
import { isNode, type Props, type Value } from '../tree.ts';
import type { Component } from './component.ts';
import { attribute, readColor, readHtml, readText, rootAttributes } from './props.ts';

/** Color swatches, as a grid or in titled rows; a click copies the value. */
export const color: Component = (props, children, page) => {
  const look = readText(props, 'variant') === 'table' ? 'op-color-table' : 'op-color-compact';
  return `<div${rootAttributes(props, page, ['color', look])}>${page.html(children)}</div>`;
};

export const colorRow: Component = (props, children, page) => {
  const title = readHtml(props, 'title', page);
  return [
    `<div${rootAttributes(props, page, ['color-row'])} role="group"${attribute('aria-label', page.text(props.title).trim() || null)}>`,
    title === '' ? '' : `<p class="op-color-row-title" data-component-part="color-row-title">${title}</p>`,
    `<div class="op-color-row-items">${page.html(children)}</div></div>`,
  ].join('');
};

export const colorItem: Component = (props, _children, page) => {
  const light = readColor(part(props.value, 'light'));
  const dark = readColor(part(props.value, 'dark'));
  const shown = light ?? dark;
  if (shown === null) {
    page.warn(
      'invalid-color',
      `The value of "${readText(props, 'name') ?? 'Color.Item'}" is not a CSS color.`,
    );
    return '';
  }
  const isThemed = light !== null && dark !== null && dark !== light;
  const name = readHtml(props, 'name', page);
  return [
    `<button type="button"${rootAttributes(props, page, ['color-item'])}${attribute('data-op-copy', shown)}${attribute('data-op-copy-dark', isThemed ? dark : null)}>`,
    swatch(shown, isThemed ? 'op-swatch-light' : null),
    isThemed ? swatch(dark, 'op-swatch-dark') : '',
    '<span class="op-color-text">',
    name === '' ? '' : `<span class="op-color-name" data-component-part="color-name">${name}</span>`,
    isThemed
      ? `<code class="op-color-value op-swatch-light">${escapeText(shown)}</code><code class="op-color-value op-swatch-dark">${escapeText(dark)}</code>`
      : `<code class="op-color-value">${escapeText(shown)}</code>`,
    '</span></button>',
  ].join('');
};

function part(value: Value, theme: 'light' | 'dark'): Value {
  if (typeof value === 'string') return theme === 'light' ? value : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isNode(value)) return undefined;
  return (value as Props)[theme];
}

function swatch(color: string, className: string | null): string {
  const classes = className === null ? 'op-swatch' : `op-swatch ${className}`;
  return `<span class="${classes}" data-component-part="color-swatch"${attribute('style', `--swatch:${color}`)}></span>`;
}
