import { escapeText } from '../escape.ts';
import type { Component } from './component.ts';
import { createNesting } from './nesting.ts';
import { attribute, classAttribute, readFlag, readHtml, readIcon, readId } from './props.ts';

const nesting = createNesting<string>();

/** A disclosure; `#title-slug` opens it, inside another one `#parent:child`. */
export const accordion: Component = (props, children, page) => {
  const parent = nesting.nearest(page);
  const name = page.text(props.title).trim() || 'details';
  const slug = readId(props) ?? page.id(name);
  const id = parent === null ? slug : `${parent}:${slug}`;
  const icon = readIcon(props, page, { size: 16 });
  const description = readHtml(props, 'description', page);
  const body = nesting.within(page, id, () => page.html(children));
  return [
    `<details${attribute('id', id)}${classAttribute(props, 'accordion')}${readFlag(props, 'defaultOpen') ? ' open' : ''}>`,
    '<summary class="accordion-button" data-component-part="accordion-button">',
    icon === '' ? '' : `<span class="accordion-icon" data-component-part="accordion-icon">${icon}</span>`,
    '<span class="accordion-head" data-component-part="accordion-title-container">',
    `<span class="accordion-title" data-component-part="accordion-title">${readHtml(props, 'title', page) || escapeText(page.strings.details)}</span>`,
    description === ''
      ? ''
      : `<span class="accordion-description" data-component-part="accordion-description">${description}</span>`,
    '</span></summary>',
    `<div class="accordion-content" data-component-part="accordion-content">${body}</div></details>`,
  ].join('');
};

export const accordionGroup: Component = (props, children, page) =>
  `<div${attribute('id', readId(props))}${classAttribute(props, 'accordion-group')}>${page.html(children)}</div>`;

/** Nested fields behind "Show title". */
export const expandable: Component = (props, children, page) => {
  const title = readHtml(props, 'title', page) || escapeText(page.strings.childAttributes);
  return [
    `<details${attribute('id', readId(props))}${classAttribute(props, 'expandable')}${readFlag(props, 'defaultOpen') ? ' open' : ''}>`,
    '<summary class="expandable-button" data-component-part="expandable-button">',
    `<span><span class="when-closed">${escapeText(page.strings.show)}</span><span class="when-open">${escapeText(page.strings.hide)}</span> ${title}</span></summary>`,
    `<div class="expandable-content" data-component-part="expandable-content">${page.html(children)}</div></details>`,
  ].join('');
};
