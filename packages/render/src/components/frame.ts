import type { Element, Node, Props } from '../tree.ts';
import type { Component } from './component.ts';
import { readHtml, readMarkdown, rootAttributes } from './props.ts';

/** A figure with a caption below and a hint above. */
export const frame: Component = (props, children, page) => {
  const hint = readMarkdown(props, 'hint', page);
  const caption = readMarkdown(props, 'caption', page);
  const title = readHtml(props, 'title', page);
  const description = readMarkdown(props, 'description', page);
  return [
    hint === '' ? '' : `<p class="op-frame-hint" data-component-part="frame-hint">${hint}</p>`,
    `<figure${rootAttributes(props, page, ['frame'])}>`,
    title === '' ? '' : `<p class="op-frame-title" data-component-part="frame-title">${title}</p>`,
    description === ''
      ? ''
      : `<p class="op-frame-description" data-component-part="frame-description">${description}</p>`,
    `<div class="op-frame-content" data-component-part="frame-content">${page.html(children.map(withQuietVideos))}</div>`,
    caption === '' ? '' : `<figcaption data-component-part="frame-caption">${caption}</figcaption>`,
    '</figure>',
  ].join('');
};

/** A video that plays automatically is muted, loops and plays inline. Other nodes stay the same objects. */
function withQuietVideos(node: Node): Node {
  if (node.type === 'element' && node.name === 'video') {
    if (!playsItself(node)) return node;
    const props: Props = Object.assign(Object.create(null), node.props, {
      playsInline: true,
      loop: true,
      muted: true,
    });
    return { ...node, props };
  }
  if (node.type !== 'paragraph' && (node.type !== 'element' || !/^[a-z]/.test(node.name))) return node;
  const children = node.children.map(withQuietVideos);
  return children.every((child, index) => child === node.children[index]) ? node : { ...node, children };
}

function playsItself({ props }: Element): boolean {
  const value = props.autoPlay ?? props.autoplay;
  return value !== undefined && value !== null && value !== false && value !== 'false';
}
