import { escapeText } from '../escape.ts';
import type { Component, PageScope } from './component.ts';
import { createNesting } from './nesting.ts';
import {
  attribute,
  isOff,
  readFlag,
  readIcon,
  readId,
  readLabel,
  readNumber,
  rootAttributes,
} from './props.ts';

/** One tab with its panel. */
export interface TabPanel {
  /** On the tab itself, so that `#id` leads there. */
  id: string;
  /** HTML, inline elements only. */
  label: string;
  /** Plain label; groups of tabs on a page follow each other by it. */
  name: string;
  icon: string;
  html: string;
}

const nesting = createNesting<TabPanel[]>();

/** Panels behind tabs. Without JavaScript every panel is shown under its label. */
export const tabs: Component = (props, children, page) => {
  const panels: TabPanel[] = [];
  const look = readFlag(props, 'borderBottom') ? 'op-tabs-bordered' : null;
  const attributes = rootAttributes(props, page, ['tabs', look]);
  const rest = nesting.within(page, panels, () => page.html(children));
  if (panels.length === 0) return rest;
  const first = readNumber(props, 'defaultTabIndex', 0, panels.length - 1, 0);
  const sync = isOff(props, 'sync') ? '' : ' data-op-sync';
  return `<div${attributes} data-op-tabs${sync}>${writePanels(panels, first, page)}${rest}</div>`;
};

export const tab: Component = (props, children, page) => {
  const panels = nesting.nearest(page);
  const name = page.text(props.title).trim() || 'Tab';
  const id = readId(props, page) ?? page.id(name);
  const label = readLabel(props, 'title', page) || escapeText(name);
  const icon = readIcon(props, page, { size: 16, className: 'tab-icon' });
  const html = nesting.within(page, [], () => page.html(children));
  if (panels === null)
    return `<section${attribute('id', id)}><p class="op-tab-label">${icon}${label}</p>${html}</section>`;
  panels.push({ id, label, name, icon, html });
  return '';
};

/** Whether the node being written is in a tab. */
export function isInTab(page: PageScope): boolean {
  return nesting.nearest(page) !== null;
}

/**
 * Tab list and panels after the tabs pattern of the ARIA Authoring Practices. Closed panels are
 * `hidden="until-found"`: the browser's search finds text in them, and the script opens the one with the hit.
 */
export function writePanels(panels: readonly TabPanel[], first: number, page: PageScope): string {
  let list = '';
  let bodies = '';
  for (const [index, panel] of panels.entries()) {
    const isOpen = index === first;
    const panelId = page.id(`${panel.id}-panel`);
    list += [
      `<button type="button" role="tab" class="op-tab-button" data-component-part="tab-button"${attribute('id', panel.id)}`,
      `${attribute('aria-controls', panelId)} aria-selected="${isOpen}"${isOpen ? ' data-active="true"' : ' tabindex="-1"'}`,
      `${attribute('data-label', panel.name)}>${panel.icon}<span>${panel.label}</span></button>`,
    ].join('');
    bodies += [
      `<div role="tabpanel" class="op-tab-panel" data-component-part="tab-content"${attribute('id', panelId)}`,
      `${attribute('aria-labelledby', panel.id)}${isOpen ? '' : ' hidden="until-found"'}>`,
      `<p class="op-tab-label" aria-hidden="true">${panel.icon}${panel.label}</p>${panel.html}</div>`,
    ].join('');
  }
  return `<div class="op-tabs-list" role="tablist" data-component-part="tabs-list">${list}</div>${bodies}`;
}
