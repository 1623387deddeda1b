import { isNode, type Props, type Value } from '../tree.ts';
import { defineComponent } from './component.ts';
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
