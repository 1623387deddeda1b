import type { Component } from './component.ts';
import { attribute, classAttribute, readHtml, readId, readList, withoutLinks } from './props.ts';

/** An entry of a changelog; the label is its anchor and its line in the table of contents. */
export const update: Component = (props, children, page) => {
  const name = page.text(props.label).trim() || 'Update';
  const id = readId(props) ?? page.id(name);
  const label = withoutLinks(readHtml(props, 'label', page) || page.value(name));
  page.toc({ depth: 2, id, html: label });
  const tags = readList(props, 'tags').filter((tag) => tag !== '');
  const description = readHtml(props, 'description', page);
  const pills = tags.map(
    (tag) => `<span class="update-tag" data-component-part="update-tag">${page.value(tag)}</span>`,
  );
  return [
    `<section${attribute('id', id)}${classAttribute(props, 'update')}${attribute('aria-label', name)}`,
    `${tags.length === 0 ? '' : attribute('data-tags', JSON.stringify(tags))}>`,
    '<div class="update-side">',
    `<a class="update-label" data-component-part="update-label"${attribute('href', `#${id}`)}>${label}</a>`,
    pills.length === 0
      ? ''
      : `<div class="update-tags" data-component-part="update-tag-list">${pills.join('')}</div>`,
    description === ''
      ? ''
      : `<div class="update-description" data-component-part="update-description">${description}</div>`,
    `</div><div class="update-content" data-component-part="update-content">${page.withoutToc(() => page.html(children))}</div></section>`,
  ].join('');
};
