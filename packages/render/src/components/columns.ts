import type { Node } from '../tree.ts';
import { css, defineComponent, type PageScope } from './component.ts';
import { group } from './markdown.ts';
import { h, type View } from './markup.ts';
import { rootAttributes } from './props.ts';
import { type Common, integer } from './schema.ts';

const props = { cols: integer(1, 4, 'columns on wide screens; default: 2') };

export const columns = defineComponent({
  name: 'Columns',
  kind: 'block',
  about: 'A grid, of one column on narrow screens',
  example: '<Columns cols={3}><Card title="Write">In MDX.</Card><p>A paragraph.</p></Columns>',
  props,
  markdown: group,
  view: ({ common, cols }, children, page) => grid(['columns'], cols, common, children, page),
  style: css`
    .op-columns {
      display: grid;
      gap: 16px;
      margin-block: 20px;
    }
    .op-columns > :nth-child(n) {
      min-inline-size: 0;
      margin-block: 0;
    }
    @media (min-width: 640px) {
      .op-columns {
        grid-template-columns: repeat(2, minmax(0, 1fr));
      }
      .op-cols-1 {
        grid-template-columns: minmax(0, 1fr);
      }
    }
    @media (min-width: 768px) {
      .op-cols-3 {
        grid-template-columns: repeat(3, minmax(0, 1fr));
      }
      .op-cols-4 {
        grid-template-columns: repeat(4, minmax(0, 1fr));
      }
    }
    .op-column > :first-child {
      margin-block-start: 0;
    }
    .op-column > :last-child {
      margin-block-end: 0;
    }
  `,
});

export const cardGroup = defineComponent({
  name: 'CardGroup',
  kind: 'block',
  about: 'Older name of `Columns`',
  isOlder: true,
  example:
    '<CardGroup cols={3}><Card title="Write">In MDX.</Card><Card title="Publish" href="https://example.com">To any host.</Card></CardGroup>',
  props,
  markdown: group,
  view: ({ common, cols }, children, page) => grid(['columns', 'card-group'], cols, common, children, page),
});

export const column = defineComponent({
  name: 'Column',
  kind: 'block',
  about: 'Several blocks in one cell of `Columns`',
  example: '<Columns cols={2}><Column>First cell</Column><Column><b>Second</b> cell</Column></Columns>',
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
