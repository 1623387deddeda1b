import { defineComponent, type PageScope, type Place } from './component.ts';
import { section } from './markdown.ts';
import { h, isEmpty, part, type View } from './markup.ts';
import { createNesting } from './nesting.ts';
import { readId, rootAttributes, showIcon, showLabel } from './props.ts';
import { flag, iconProps, integer, label, switchedOn } from './schema.ts';

/** One tab with its panel. */
export interface TabPanel {
  /** On the tab itself, so that `#id` leads there. */
  id: string;
  /** Inline elements only. */
  label: View;
  /** Plain label; groups of tabs on a page follow each other by it. */
  name: string;
  icon: View;
  content: View;
}

const nesting = createNesting<TabPanel[]>();

/** Without JavaScript every panel is shown under its label. */
export const tabs = defineComponent({
  name: 'Tabs',
  kind: 'block',
  about: 'Panels behind tabs; groups with the same labels are synchronized',
  example:
    '<Tabs defaultTabIndex={1}><Tab title="One" icon="flag">first</Tab><Tab title="Two"><Note>second</Note></Tab></Tabs>',
  props: {
    defaultTabIndex: integer(0, 999, 'tab that is open initially, from 0'),
    sync: switchedOn('disables the synchronization'),
    borderBottom: flag('a line below the panel'),
  },
  view({ common, defaultTabIndex, sync, borderBottom }, children, page) {
    const panels: TabPanel[] = [];
    const root = rootAttributes(common, page, ['tabs', borderBottom ? 'op-tabs-bordered' : null]);
    const rest = nesting.collect(page, panels, () => page.content(children));
    if (panels.length === 0) return rest;
    const first = Math.min(defaultTabIndex ?? 0, panels.length - 1);
    const attributes = { ...root, 'data-op-tabs': true, 'data-op-sync': sync };
    return h('div', attributes, panelsView(panels, first, page), rest);
  },
});

export const tab = defineComponent({
  name: 'Tab',
  kind: 'block',
  about: 'One tab with its panel',
  example: '<Tab title="Alone">text</Tab>',
  hasTitle: true,
  isPart: true,
  search: { title: ['title'] },
  props: {
    title: label('label of the tab'),
    ...iconProps('before the label'),
  },
  markdown: section,
  view(props, children, page) {
    const panels = nesting.nearest(page);
    const name = page.text(props.title).trim() || 'Tab';
    const id = readId(props.common, page) ?? page.id(name);
    const title = showLabel(props.title, page);
    const shown = isEmpty(title) ? name : title;
    const icon = showIcon(props, page, { size: 16, className: 'tab-icon' });
    const content = nesting.collect(page, [], () => page.content(children));
    if (panels === null) {
      const attributes = { 'data-component-name': page.name, id };
      return h('section', attributes, h('p', { class: 'op-tab-label' }, icon, shown), content);
    }
    panels.push({ id, label: shown, name, icon, content });
    return null;
  },
});

/** Whether the node being written is in a tab. */
export function isInTab(page: Place): boolean {
  return nesting.nearest(page) !== null;
}

/**
 * Tab list and panels after the tabs pattern of the ARIA Authoring Practices. Closed panels are
 * `hidden="until-found"`: the browser's search finds text in them, and the script opens the one with the hit.
 */
export function panelsView(panels: readonly TabPanel[], first: number, page: PageScope): View {
  const buttons: View[] = [];
  const bodies: View[] = [];
  for (const [index, { id, label: title, name, icon, content }] of panels.entries()) {
    const isOpen = index === first;
    const panelId = page.id(`${id}-panel`);
    const attributes = {
      type: 'button',
      role: 'tab',
      class: 'op-tab-button',
      'data-component-part': 'tab-button',
      id,
      'aria-controls': panelId,
      'aria-selected': String(isOpen),
      'data-active': isOpen ? 'true' : null,
      tabindex: isOpen ? null : '-1',
      'data-label': name,
    };
    buttons.push(h('button', attributes, icon, h('span', null, title)));
    bodies.push(
      h(
        'div',
        {
          role: 'tabpanel',
          class: 'op-tab-panel',
          'data-component-part': 'tab-content',
          id: panelId,
          'aria-labelledby': id,
          hidden: isOpen ? null : 'until-found',
        },
        h('p', { class: 'op-tab-label', 'aria-hidden': 'true' }, icon, title),
        content,
      ),
    );
  }
  return [part('div', 'tabs-list', { role: 'tablist' }, buttons), bodies];
}
