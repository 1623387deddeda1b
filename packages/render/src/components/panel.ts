import { keptInView } from './choice.ts';
import { css, defineComponent } from './component.ts';
import { h, isEmpty } from './markup.ts';
import { createNesting } from './nesting.ts';
import { inBox, rootAttributes } from './props.ts';
import { oneOf } from './schema.ts';
import { addPanel, isKept } from './side.ts';

/** Inside a panel, what else would go to the side stays in its place. */
export const panels = createNesting<true>();

/** Pages without the column at the side do not show a panel. In a tab, a step or a disclosure it is a box in its place. */
export const panel = defineComponent({
  name: 'Panel',
  kind: 'block',
  about: 'Content in the column at the side, instead of the table of contents',
  example: '<Panel><Note>At the side of the page.</Note></Panel>',
  hasTitle: true,
  changesPage: true,
  props: {},
  view({ common }, children, page) {
    if (panels.nearest(page) !== null) return page.content(children);
    const body = panels.within(page, true, () => page.withoutToc(() => page.content(children)));
    if (isKept(page)) return h('aside', rootAttributes(common, page, ['panel-part', 'op-panel-box']), body);
    if (page.hasSide && !isEmpty(body)) {
      const root = rootAttributes(common, page, ['panel-part']);
      addPanel(page, keptInView(page, h('div', root, body)));
    }
    return null;
  },
  style: css`
    .op-panel.prose {
      margin: 0;
    }
    .op-panel > *,
    .op-panel-part > * {
      margin-block: 20px;
    }
    .op-panel > :first-child,
    .op-panel-part > :first-child,
    .op-api-example > :first-child {
      margin-block-start: 0;
    }
    .op-panel > :last-child,
    .op-panel-part > :last-child,
    .op-api-example > :last-child {
      margin-block-end: 0;
    }
    .op-panel > [hidden] {
      margin: 0;
    }
    .op-panel-box {
      margin-block: 20px;
      padding: 14px 16px;
      border: 1px solid var(--color-border);
      border-radius: var(--radius-card);
      background: var(--color-raised);
    }
    .op-panel,
    .op-panel-box {
      font-size: 15px;
      line-height: 24px;
    }
  `,
});

const audience = oneOf(['humans', 'agents'], 'who gets the content');

export const visibility = defineComponent({
  name: 'Visibility',
  kind: 'block',
  about: 'Content for people or for agents only, which read the Markdown of a page',
  example: '<Visibility for="humans">Only <b>people</b> read this.</Visibility>',
  changesPage: true,
  props: { for: audience },
  search: { isHidden: (props) => audience.read(props.for) !== 'humans' },
  markdown: (props, children, markdown) =>
    audience.read(props.for) === 'agents' ? markdown.content(children) : '',
  view: (props, children, page) => (props.for === 'humans' ? page.content(children) : null),
});

export const markdown = defineComponent({
  name: 'MDX',
  kind: 'block',
  about: 'Markdown inside an expression: `{cond ? <MDX>**yes**</MDX> : null}`',
  example: '<MDX>Some **bold** and `code`.</MDX>',
  props: {},
  view: ({ common }, children, page) =>
    inBox(
      common,
      page,
      page.isLive && children.every(({ type }) => type === 'text')
        ? h('p', null, page.inline(page.text(children)))
        : page.content(children),
    ),
});
