import type { Node } from '../tree.ts';
import { defineComponent, type PageScope } from './component.ts';
import { group } from './markdown.ts';
import { h, type View } from './markup.ts';
import { rootAttributes } from './props.ts';
import { type Common, integer } from './schema.ts';

const props = { cols: integer(1, 4, 'columns on wide screens; default: 2') };

export const columns = defineComponent({
  name: 'Columns',
  kind: 'block',
  about: 'A grid, of one column on narrow screens',
  example: '<Columns cols={3}><Card title="A">a</Card><p>p</p></Columns>',
  props,
  markdown: group,
  view: ({ common, cols }, children, page) => grid(['columns'], cols, common, children, page),
});

export const cardGroup = defineComponent({
  name: 'CardGroup',
  kind: 'block',
  about: 'Older name of `Columns`',
  isOlder: true,
  example:
    '<CardGroup cols={3}><Card title="A">a</Card><Card title="B" href="https://example.com">b</Card></CardGroup>',
  props,
  markdown: group,
  view: ({ common, cols }, children, page) => grid(['columns', 'card-group'], cols, common, children, page),
});

export const column = defineComponent({
  name: 'Column',
  kind: 'block',
  about: 'Several blocks in one cell of `Columns`',
  example: '<Columns cols={2}><Column>left</Column><Column><b>right</b></Column></Columns>',
  props: {},
  view: ({ common }, children, page) =>
    h('div', rootAttributes(common, page, ['column']), page.content(children)),
});

function grid(
  classes: readonly string[],
  cols: number | null,
  common: Common,
  children: readonly Node[],
  page: PageScope,
): View {
  return h('div', rootAttributes(common, page, [...classes, `op-cols-${cols ?? 2}`]), page.content(children));
}
