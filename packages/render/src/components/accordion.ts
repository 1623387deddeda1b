import { escapeText } from '../escape.ts';
import type { Component, PageScope } from './component.ts';
import { createNesting } from './nesting.ts';
import { readFlag, readIcon, readId, readLabel, readText, rootAttributes } from './props.ts';

/** Id of the disclosure around the place being written; empty inside one without an id. */
const nesting = createNesting<string>();

/** A disclosure; `#title-slug` opens it, inside another one `#parent:child`. */
export const accordion: Component = (props, children, page) => {
  const name = page.text(props.title).trim() || page.strings.details;
  const id = accordionId(name, readText(props, 'id'), page);
  const attributes = rootAttributes(props, page, ['accordion'], id);
  const icon = readIcon(props, page, { size: 16 });
  const description = readLabel(props, 'description', page);
  const title = readLabel(props, 'title', page) || escapeText(page.strings.details);
  const body = nesting.within(page, id, () => page.html(children));
  return [
    `<details${attributes}${readFlag(props, 'defaultOpen') ? ' open' : ''}>`,
    '<summary class="accordion-button" data-component-part="accordion-button">',
    icon === '' ? '' : `<span class="op-accordion-icon" data-component-part="accordion-icon">${icon}</span>`,
    '<span class="op-accordion-head" data-component-part="accordion-title-container">',
    `<span class="op-accordion-title" data-component-part="accordion-title">${title}</span>`,
    description === ''
      ? ''
      : `<span class="op-accordion-description" data-component-part="accordion-description">${description}</span>`,
    '</span></summary>',
    `<div class="op-accordion-content" data-component-part="accordion-content">${body}</div></details>`,
  ].join('');
};

/** Ids grow with each level; beyond this they start again. */
const MAX_PARENT = 200;

function accordionId(name: string, written: string | null, page: PageScope): string {
  const parent = nesting.nearest(page) ?? '';
  const own = written === null || /\s/.test(written) ? null : written;
  if (parent === '' || parent.length > MAX_PARENT)
    return own === null ? page.id(name) : page.takeId(own) || page.id(name);
  return page.takeId(`${parent}:${own ?? (page.slug(name) || 'section')}`);
}

export const accordionGroup: Component = (props, children, page) =>
  `<div${rootAttributes(props, page, ['accordion-group'])}>${page.html(children)}</div>`;

/** Nested fields behind "Show title". */
export const expandable: Component = (props, children, page) => {
  const title = readLabel(props, 'title', page) || escapeText(page.strings.childAttributes);
  const id = readId(props, page);
  const attributes = rootAttributes(props, page, ['expandable'], id);
  const body = nesting.within(page, nesting.nearest(page) ?? '', () => page.html(children));
  return [
    `<details${attributes}${readFlag(props, 'defaultOpen') ? ' open' : ''}>`,
    '<summary class="expandable-button" data-component-part="expandable-button">',
    `<span><span class="op-when-closed">${escapeText(page.strings.show)}</span><span class="op-when-open">${escapeText(page.strings.hide)}</span> ${title}</span></summary>`,
    `<div class="op-expandable-content" data-component-part="expandable-content">${body}</div></details>`,
  ].join('');
};

/** Whether the node being written is in an accordion or expandable. */
export function isInDisclosure(page: PageScope): boolean {
  return nesting.nearest(page) !== null;
}
