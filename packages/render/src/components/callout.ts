import type { IconRef } from '../site.ts';
import type { Node, Value } from '../tree.ts';
import { type Component, defineComponent, type PageScope, type WriteMarkdown } from './component.ts';
import { quote } from './markdown.ts';
import { h, isEmpty, part, partOf, type View } from './markup.ts';
import { rootAttributes, show, showIcon } from './props.ts';
import { type Common, color, iconProps, label, oneOf } from './schema.ts';

export const KINDS = ['note', 'warning', 'info', 'tip', 'check', 'danger'] as const;
export type Kind = (typeof KINDS)[number];

const ICONS: Readonly<Record<Kind, string>> = {
  note: 'info',
  warning: 'triangle-alert',
  info: 'info',
  tip: 'lightbulb',
  check: 'circle-check',
  danger: 'octagon-alert',
};

const iconOf = (kind: Kind): IconRef => ({ name: ICONS[kind], style: null, library: 'lucide' });

/** The icons of all kinds. */
export const kindIcons: readonly IconRef[] = KINDS.map(iconOf);

/** The icon of a kind. */
export function showKind(kind: Kind, size: number, page: PageScope): View {
  return page.icon(iconOf(kind), { size, isOwn: true });
}

const looks = {
  title: label('a bold first line'),
  ...iconProps('replaces the default icon'),
  color: color('color of the border, the background and the icon'),
};

interface Look {
  readonly common: Common;
  readonly title: Value;
  readonly icon: Value;
  readonly iconType: string | null;
  readonly color: string | null;
}

/** `Note`, `Warning` and their family. */
export const callouts: readonly Component[] = [
  calloutOf(
    'Note',
    'note',
    'Something that readers should know',
    '<Note title="T">text <code>code</code></Note>',
  ),
  calloutOf('Warning', 'warning', 'A warning', '<Warning>text</Warning>'),
  calloutOf('Info', 'info', 'Information', '<Info>text <a href="/quickstart">link</a></Info>'),
  calloutOf('Tip', 'tip', 'A tip', '<Tip icon="bell">text</Tip>'),
  calloutOf('Check', 'check', 'A positive result', '<Check title="T">text</Check>'),
  calloutOf('Danger', 'danger', 'An action that cannot be undone', '<Danger>text</Danger>'),
];

function calloutOf(name: string, kind: Kind, about: string, example: string): Component {
  return defineComponent({
    name,
    kind: 'block',
    about,
    example,
    icons: [iconOf(kind)],
    props: looks,
    markdown: titled(name),
    view: (props, children, page) => viewOf(kind, props, children, page),
  });
}

export const callout = defineComponent({
  name: 'Callout',
  kind: 'block',
  about: 'A callout with an icon and a color of your choice',
  example: '<Callout icon="key" color="#0a0" title="T">text</Callout>',
  icons: kindIcons,
  props: { ...looks, type: oneOf(KINDS, 'appearance of that kind') },
  markdown: titled('Note'),
  view: (props, children, page) => viewOf(props.type, props, children, page),
});

function viewOf(kind: Kind | null, props: Look, children: readonly Node[], page: PageScope): View {
  const own = showIcon(props, page, { size: 18 });
  const icon = isEmpty(own) && kind !== null ? showKind(kind, 18, page) : own;
  const title = show(props.title, page);
  const look = kind === null ? null : `op-callout-${kind}`;
  const values = props.color === null ? null : { '--hue': props.color };
  return h(
    'div',
    {
      ...rootAttributes(props.common, page, ['callout', look], { values }),
      role: 'note',
      'aria-label': kind === null ? null : page.strings[kind],
      'data-callout-type': kind,
    },
    partOf('div', 'callout-icon', icon),
    part('div', 'callout-content', null, partOf('p', 'callout-title', title), page.content(children)),
  );
}

function titled(name: string): WriteMarkdown {
  return (props, children, markdown) => {
    const title = markdown.text(props.title);
    return quote(`**${title === '' ? name : title}:** ${markdown.blocks(children)}`.trimEnd());
  };
}
