import type { Props, Value } from '../tree.ts';

// Names by which the scripts of exported pages find their elements. Content cannot have them: ids get a number, and
// classes and attributes are left out.

/** Start of every class of the theme, and of every attribute by which a script finds an element. */
const OWN_CLASS = 'op-';
const OWN_ATTRIBUTE = 'data-op-';

/**
 * Ids that the page around the content has: style sheets of sites select them, so they stay where they are and
 * headings of these names get a number.
 */
export const RESERVED_IDS: ReadonlySet<string> = new Set([
  'banner',
  'body-content',
  'changelog-filters',
  'changelog-filters-content',
  'content',
  'content-area',
  'content-container',
  'content-side-layout',
  'footer',
  'header',
  'localization-select-content',
  'localization-select-trigger',
  'menu-button',
  'mintlify',
  'multi-view-dropdown',
  'navbar',
  'navigation-items',
  // Browsers make elements with an id global variables; these are ours.
  'offprintDiagrams',
  'offprintFields',
  'offprintIslands',
  'offprintNavigation',
  'offprintSearch',
  'op-announcements',
  'page-context-menu',
  'page-context-menu-button',
  'page-menu',
  'page-menu-button',
  'page-title',
  'pagination',
  'panel',
  'related-title',
  'related-topics',
  'search-bar-entry',
  'search-bar-entry-mobile',
  'search-dialog',
  'search-input',
  'search-results',
  'sidebar',
  'sidebar-content',
  'table-of-contents',
  'table-of-contents-content',
  'table-of-contents-layout',
  'theme-toggle',
  'toc-list',
  'toc-title',
  'top',
  'topbar-cta-button',
]);

/** Start of the ids of the languages in the menu, as style sheets of sites select them. */
export const LANGUAGE_ID = 'localization-select-item-';

/** Whether an id is one of a part of every page, and not an anchor of the content. */
export const isReservedId = (id: string): boolean =>
  RESERVED_IDS.has(id) || id.startsWith(OWN_CLASS) || id.startsWith(LANGUAGE_ID);

/**
 * Members of elements that scripts use of any element of the content: a control of a form with such a name would take
 * the place of the member of its form.
 */
export const RESERVED_CONTROLS: ReadonlySet<string> = new Set([
  'attributes',
  'checkVisibility',
  'childNodes',
  'children',
  'classList',
  'closest',
  'contains',
  'dataset',
  'getAttribute',
  'getBoundingClientRect',
  'hasAttribute',
  'matches',
  'parentElement',
  'parentNode',
  'querySelector',
  'querySelectorAll',
  'removeAttribute',
  'scrollIntoView',
  'setAttribute',
  'textContent',
]);

const controls: ReadonlySet<string> = new Set([
  'button',
  'fieldset',
  'img',
  'input',
  'object',
  'output',
  'select',
  'textarea',
]);

/** The id or name of a control that would hide a member of its form from scripts. */
export function hidesMember(tag: string, attribute: string, value: string): boolean {
  return (attribute === 'id' || attribute === 'name') && controls.has(tag) && RESERVED_CONTROLS.has(value);
}

/** Removes classes and attributes from the props of an element of the content that are reserved. Returns their names. */
export function dropReserved(props: Props): string[] {
  const dropped: string[] = [];
  for (const key of Object.keys(props)) {
    if (key === 'className' || key === 'class') dropped.push(...dropClasses(props, key));
    else if (key.toLowerCase().startsWith(OWN_ATTRIBUTE)) {
      delete props[key];
      dropped.push(key);
    }
  }
  return dropped;
}

function dropClasses(props: Props, key: string): string[] {
  const value: Value = props[key];
  if (typeof value !== 'string' || !value.includes(OWN_CLASS)) return [];
  const names = value.split(/\s+/);
  const dropped = names.filter((name) => name.startsWith(OWN_CLASS));
  if (dropped.length > 0) props[key] = names.filter((name) => !name.startsWith(OWN_CLASS)).join(' ');
  return dropped;
}
