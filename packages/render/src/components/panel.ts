import type { Component } from './component.ts';
import { attribute, classAttribute, readIcon, readId, readText } from './props.ts';

/** Stands in the right column in place of the table of contents. */
export const panel: Component = (props, children, page) =>
  `<aside id="panel"${classAttribute(props, 'panel')}${attribute('aria-label', page.strings.panel)}>${page.html(children)}</aside>`;

/** One of several variants of a page. The script offers the choice; without it all of them follow each other. */
export const view: Component = (props, children, page) => {
  const name = page.text(props.title).trim() || 'View';
  const id = readId(props) ?? page.id(`view-${name}`);
  const icon = readIcon(props, page, { size: 16 });
  return [
    `<section${attribute('id', id)}${classAttribute(props, 'view')}${attribute('data-view', name)}${attribute('aria-label', name)}>`,
    `<p class="view-label">${icon}${page.value(name)}</p>${page.html(children)}</section>`,
  ].join('');
};

/** Content for people or for the Markdown twin; everything but `humans` stays out of the page. */
export const visibility: Component = (props, children, page) =>
  readText(props, 'for') === 'humans' ? page.html(children) : '';

/** Markdown inside an expression, variants whose choice is made elsewhere: their children. */
export const passThrough: Component = (_props, children, page) => page.html(children);
