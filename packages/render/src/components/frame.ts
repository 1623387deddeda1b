import type { Component } from './component.ts';
import { attribute, classAttribute, readHtml, readId, readText } from './props.ts';

/** A figure with a caption below and a hint above. */
export const frame: Component = (props, children, page) => {
  const caption = markdown('caption');
  const hint = markdown('hint');
  const title = readHtml(props, 'title', page);
  const description = readHtml(props, 'description', page);
  return [
    hint === '' ? '' : `<p class="frame-hint" data-component-part="frame-hint">${hint}</p>`,
    `<figure${attribute('id', readId(props))}${classAttribute(props, 'frame')}>`,
    title === '' ? '' : `<p class="frame-title">${title}</p>`,
    description === '' ? '' : `<p class="frame-description">${description}</p>`,
    `<div class="frame-content" data-component-part="frame-content">${page.html(children)}</div>`,
    caption === '' ? '' : `<figcaption data-component-part="frame-caption">${caption}</figcaption>`,
    '</figure>',
  ].join('');

  function markdown(name: string): string {
    const text = readText(props, name);
    return text === null ? readHtml(props, name, page) : page.inline(text);
  }
};
