import type { Component } from './component.ts';
import { attribute, readId, readLabel, readList, readMarkdown, rootAttributes } from './props.ts';
import { addTags } from './side.ts';

/** An entry of a changelog; the label is its anchor and its line in the table of contents. */
export const update: Component = (props, children, page) => {
  const name = page.text(props.label).trim() || 'Update';
  const id = readId(props, page) ?? page.id(name);
  const label = readLabel(props, 'label', page) || page.value(name);
  page.toc({ depth: 2, id, html: label });
  const tags = readList(props, 'tags').filter((tag) => tag !== '');
  if (page.hasSide) addTags(page, tags);
  const description = readMarkdown(props, 'description', page);
  page.feed({ id, label: name, tags, props, children });
  const pills = tags.map(
    (tag) => `<span class="op-update-tag" data-component-part="update-tag">${page.value(tag)}</span>`,
  );
  return [
    `<article${rootAttributes(props, page, ['update'], id)}${attribute('aria-label', name)}`,
    `${tags.length === 0 ? '' : attribute('data-tags', JSON.stringify(tags))}>`,
    '<div class="op-update-side" data-component-part="update-side">',
    `<a class="op-update-label" data-component-part="update-label"${attribute('href', `#${encodeURI(id.toWellFormed())}`)}>${label}</a>`,
    pills.length === 0
      ? ''
      : `<div class="op-update-tags" data-component-part="update-tag-list">${pills.join('')}</div>`,
    description === ''
      ? ''
      : `<div class="op-update-description" data-component-part="update-description">${description}</div>`,
    `</div><div class="op-update-content" data-component-part="update-content">${page.withoutToc(() => page.html(children))}</div></article>`,
  ].join('');
};
