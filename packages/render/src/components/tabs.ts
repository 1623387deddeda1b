import { css, defineComponent, type PageScope, type Place } from './component.ts';
import { section } from './markdown.ts';
import { h, isEmpty, part, type View } from './markup.ts';
import { createNesting } from './nesting.ts';
import { plainText, readId, rootAttributes, showIcon, showLabel } from './props.ts';
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
    '<Tabs defaultTabIndex={1}><Tab title="npm" icon="npm">Use npm.</Tab><Tab title="Docker"><Note>Use an image.</Note></Tab></Tabs>',
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
  client: 'tabs',
  style: css`
    .op-tabs,
    .op-code-group {
      margin-block: 20px;
    }
    .op-tabs-list {
      display: flex;
      gap: 12px;
      margin-block-end: 16px;
      border-block-end: 1px solid var(--color-border);
      overflow-x: auto;
      scrollbar-width: none;
    }
    .op-tab-button {
      position: relative;
      display: inline-flex;
      flex: none;
      align-items: center;
      gap: 8px;
      min-block-size: 40px;
      margin: 0;
      padding: 0 4px;
      border: 0;
      background: none;
      color: var(--color-muted);
      font: 500 14px / 20px var(--font-body);
      white-space: nowrap;
      cursor: pointer;
    }
    .op-tab-button:hover {
      color: var(--color-text);
    }
    .op-tab-button[data-active] {
      color: var(--color-primary);
    }
    .op-tab-button[data-active]::after {
      content: "";
      position: absolute;
      inset-inline: 4px;
      inset-block-end: 0;
      border-block-end: 2px solid currentColor;
    }
    .op-tab-button:focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: -2px;
      border-radius: 4px;
    }
    .op-tab-label {
      display: none;
      align-items: center;
      gap: 8px;
      margin-block: 16px 8px;
      font-size: 14px;
      font-weight: 600;
    }
    .op-tab-panel > :nth-child(2) {
      margin-block-start: 0;
    }
    .op-tab-panel > :last-child {
      margin-block-end: 0;
    }
    .op-tab-panel:focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: 4px;
      border-radius: 4px;
    }
    .op-tabs-bordered {
      padding-block-end: 20px;
      border-block-end: 1px solid var(--color-border);
    }
    .op-tabs > .op-tabs-list {
      margin-inline-start: -4px;
    }
    /* Without JavaScript and on paper every panel follows its label. */
    @media (scripting: none) {
      .op-tabs-list {
        display: none;
      }
      .op-tab-label {
        display: flex;
      }
      .op-tab-panel[hidden] {
        display: block !important;
        content-visibility: visible;
      }
    }
    @media print {
      .op-tabs-list {
        display: none;
      }
      .op-tab-label {
        display: flex;
      }
      .op-tab-panel[hidden] {
        display: block !important;
        content-visibility: visible;
      }
    }
    @media (forced-colors: active) {
      .op-tab-button[data-active]::after {
        border-color: Highlight;
      }
    }
    .op-tabs-list.op-replaced {
      display: none;
    }
  `,
});

export const tab = defineComponent({
  name: 'Tab',
  kind: 'block',
  about: 'One tab with its panel',
  example: '<Tabs><Tab title="npm">Use npm.</Tab><Tab title="Docker">Use an image.</Tab></Tabs>',
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
    const name = plainText(props.title, page) || 'Tab';
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
