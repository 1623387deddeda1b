import type { Element, Node, Props } from '../tree.ts';
import { defineComponent } from './component.ts';
import { h, isEmpty, part, partOf } from './markup.ts';
import { rootAttributes, show, showMarkdown } from './props.ts';
import { label, markdown } from './schema.ts';

export const frame = defineComponent({
  name: 'Frame',
  aliases: ['Example'],
  kind: 'block',
  about: 'A figure with a caption below and a hint above',
  example: '<Frame caption="A *caption*" hint="A hint"><img src="/images/a.svg" alt="drawing" /></Frame>',
  props: {
    caption: markdown('below the frame'),
    hint: markdown('before the frame'),
    title: label('in the frame, above its content'),
    description: markdown('below the title'),
  },
  markdown(props, children, scope) {
    const caption = scope.text(props.caption);
    return [scope.blocks(children), caption === '' ? '' : `*${caption}*`]
      .filter((each) => each !== '')
      .join('\n\n');
  },
  view(props, children, page) {
    const hint = showMarkdown(props.hint, page);
    const caption = showMarkdown(props.caption, page);
    const title = show(props.title, page);
    const description = showMarkdown(props.description, page);
    return [
      partOf('p', 'frame-hint', hint),
      h(
        'figure',
        rootAttributes(props.common, page, ['frame']),
        partOf('p', 'frame-title', title),
        partOf('p', 'frame-description', description),
        part('div', 'frame-content', null, page.content(children.map(withQuietVideos))),
        isEmpty(caption) ? null : h('figcaption', { 'data-component-part': 'frame-caption' }, caption),
      ),
    ];
  },
});

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
