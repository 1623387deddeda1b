import { keptInView } from './choice.ts';
import { defineComponent } from './component.ts';
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
  example: '<Panel><Note>at the side</Note></Panel>',
  hasTitle: true,
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
});

export const visibility = defineComponent({
  name: 'Visibility',
  kind: 'block',
  about: 'Content for people or for agents only, which read the Markdown of a page',
  example: '<Visibility for="humans">text <b>bold</b></Visibility>',
  props: { for: oneOf(['humans', 'agents'], 'who gets the content') },
  search: { isHidden: (props) => props.for !== 'humans' },
  markdown: (props, children, markdown) => (props.for === 'agents' ? markdown.content(children) : ''),
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
      page.isLive ? h('p', null, page.inline(page.text(children))) : page.content(children),
    ),
});
