import type { Element, Node, Props } from '../tree.ts';
import { css, defineComponent } from './component.ts';
import { h, isEmpty, part, partOf } from './markup.ts';
import { rootAttributes, show, showMarkdown } from './props.ts';
import { label, markdown } from './schema.ts';

export const frame = defineComponent({
  name: 'Frame',
  aliases: ['Example'],
  kind: 'block',
  about: 'A figure with a caption below and a hint above',
  example:
    '<Frame caption="The *mark* of the product" hint="A drawing"><img src="/logo/mark.svg" alt="Two sheets of paper" /></Frame>',
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
  style: css`
    .op-frame {
      margin: 24px 0;
      padding: 8px;
      border: 1px solid var(--color-border);
      border-radius: 16px;
      background: radial-gradient(var(--color-border) 1px, transparent 1px) 0 0 / 12px 12px var(--color-raised);
    }
    .op-frame-content {
      display: grid;
      justify-items: center;
      border-radius: var(--radius-card);
      overflow: hidden;
    }
    .op-frame-content > * {
      max-inline-size: 100%;
      margin-block: 0;
    }
    .op-frame-content > .op-paragraph {
      inline-size: 100%;
    }
    .op-frame-content p {
      margin: 0;
      inline-size: 100%;
      text-align: center;
    }
    .op-frame-content :where(img, video, iframe) {
      display: block;
      margin: 0 auto;
      border-radius: var(--radius-card);
    }
    .op-frame figcaption {
      padding: 10px 8px 4px;
      color: var(--color-muted);
      font-size: 14px;
      line-height: 20px;
      text-align: center;
    }
    .op-frame-hint {
      margin-block: 24px -12px;
      color: var(--color-muted);
      font-size: 14px;
    }
    .op-frame-title {
      margin: 4px 8px 0;
      font-size: 14px;
      font-weight: 600;
    }
    .op-frame-description {
      margin: 0 8px 8px;
      color: var(--color-muted);
      font-size: 14px;
    }
  `,
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
