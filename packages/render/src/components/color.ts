import { isNode, type Props, type Value } from '../tree.ts';
import { css, defineComponent } from './component.ts';
import { h, partOf, type View } from './markup.ts';
import { rootAttributes, show } from './props.ts';
import { data, label, oneOf, readColor } from './schema.ts';

export const color = defineComponent({
  name: 'Color',
  kind: 'block',
  about: 'Color swatches, as a grid or in titled rows; a click copies the value',
  example: '<Color variant="compact"><Color.Item name="Sea" value="#0f766e" /></Color>',
  props: { variant: oneOf(['compact', 'table'], 'a grid, or titled rows') },
  view({ common, variant }, children, page) {
    const look = variant === 'table' ? 'op-color-table' : 'op-color-compact';
    return h('div', rootAttributes(common, page, ['color', look]), page.content(children));
  },
  style: css`
    .op-color-item:focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: 2px;
    }
    .op-color {
      margin-block: 20px;
    }
    .op-color-compact,
    .op-color-row-items {
      display: grid;
      grid-template-columns: repeat(auto-fill, minmax(140px, 1fr));
      gap: 12px;
    }
    .op-color-table {
      border: 1px solid var(--color-border);
      border-radius: var(--radius-card);
    }
    .op-color-table > .op-color-row {
      padding: 14px 16px 16px;
    }
    .op-color-table > .op-color-row + .op-color-row {
      border-block-start: 1px solid var(--color-border);
    }
    .op-color-row-title {
      margin: 0 0 10px;
      font-size: 14px;
      font-weight: 600;
      line-height: 20px;
    }
    .op-color-item {
      display: flex;
      align-items: center;
      gap: 12px;
      min-inline-size: 0;
      padding: 8px;
      border: 1px solid var(--color-border);
      border-radius: var(--radius-control);
      background: var(--color-bg);
      color: var(--color-text);
      font: 500 13.5px / 20px var(--font-body);
      text-align: start;
      cursor: copy;
    }
    .op-color-compact > .op-color-item {
      flex-direction: column;
      align-items: stretch;
      gap: 8px;
      padding: 6px 6px 8px;
      border-radius: var(--radius-card);
    }
    .op-color-item:hover {
      border-color: var(--color-border-strong);
    }
    .op-color-item[data-copied] {
      border-color: var(--color-success);
    }
    .op-swatch {
      flex: none;
      inline-size: 36px;
      block-size: 36px;
      border-radius: 6px;
      background:
        linear-gradient(var(--swatch), var(--swatch)),
        repeating-conic-gradient(var(--color-border-strong) 0 25%, transparent 0 50%) 0 0 / 12px 12px;
      box-shadow: inset 0 0 0 1px rgb(127 127 127 / 0.2);
    }
    .op-color-compact > .op-color-item > .op-swatch {
      inline-size: 100%;
      block-size: 56px;
    }
    .op-color-text {
      display: grid;
      min-inline-size: 0;
    }
    .op-color-compact .op-color-text {
      padding-inline: 4px;
    }
    .op-color-name {
      overflow: hidden;
      text-overflow: ellipsis;
    }
    .prose .op-color-value {
      padding: 0;
      border: 0;
      background: none;
      color: var(--color-muted);
      font-size: 12px;
      line-height: 18px;
    }
    .op-swatch-dark,
    :root.dark .op-swatch-light {
      display: none;
    }
    :root.dark .op-swatch-dark {
      display: block;
    }
    @media (forced-colors: active) {
      .op-swatch {
        forced-color-adjust: none;
      }
    }
  `,
});

export const colorRow = defineComponent({
  name: 'Color.Row',
  kind: 'block',
  about: 'A titled row of a `Color` table',
  example:
    '<Color variant="table"><Color.Row title="Row"><Color.Item name="Sea" value="#0f766e" /></Color.Row></Color>',
  props: { title: label('title of the row') },
  view({ common, title }, children, page) {
    return h(
      'div',
      {
        ...rootAttributes(common, page, ['color-row']),
        role: 'group',
        'aria-label': page.text(title).trim() || null,
      },
      partOf('p', 'color-row-title', show(title, page)),
      h('div', { class: 'op-color-row-items' }, page.content(children)),
    );
  },
});

export const colorItem = defineComponent({
  name: 'Color.Item',
  kind: 'block',
  about: 'One color',
  example: '<Color.Item name="Sea" value={{ light: "#0f766e", dark: "#fff" }} />',
  props: {
    name: label('name of the color'),
    value: data('the color; one for light and one for dark pages', 'a CSS color, `{{ light, dark }}`'),
  },
  view({ common, name, value }, _children, page) {
    const light = readColor(shade(value, 'light'));
    const dark = readColor(shade(value, 'dark'));
    const shown = light ?? dark;
    if (shown === null) {
      const title = typeof name === 'string' ? name : 'Color.Item';
      page.warn('invalid-color', `The value of "${title}" is not a CSS color.`);
      return null;
    }
    const second = light !== null && dark !== null && dark !== light ? dark : null;
    return h(
      'button',
      {
        type: 'button',
        ...rootAttributes(common, page, ['color-item']),
        'data-op-copy': shown,
        'data-op-copy-dark': second,
      },
      swatch(shown, second === null ? null : 'op-swatch-light'),
      second === null ? null : swatch(second, 'op-swatch-dark'),
      h(
        'span',
        { class: 'op-color-text' },
        partOf('span', 'color-name', show(name, page)),
        second === null
          ? h('code', { class: 'op-color-value' }, shown)
          : [
              h('code', { class: 'op-color-value op-swatch-light' }, shown),
              h('code', { class: 'op-color-value op-swatch-dark' }, second),
            ],
      ),
    );
  },
});

function shade(value: Value, theme: 'light' | 'dark'): Value {
  if (typeof value === 'string') return theme === 'light' ? value : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isNode(value)) return undefined;
  return (value as Props)[theme];
}

function swatch(value: string, className: string | null): View {
  return h('span', {
    class: className === null ? 'op-swatch' : `op-swatch ${className}`,
    'data-component-part': 'color-swatch',
    style: `--swatch:${value}`,
  });
}
