import type { IconRef } from '../site.ts';
import type { Node, Value } from '../tree.ts';
import { type Component, css, defineComponent, type PageScope, type WriteMarkdown } from './component.ts';
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
  calloutOf('note', {
    name: 'Note',
    about: 'Something that readers should know',
    example: '<Note title="Limits">The limit is <code>100</code> requests.</Note>',
  }),
  calloutOf('warning', {
    name: 'Warning',
    about: 'A warning',
    example: '<Warning>A restart takes a minute.</Warning>',
  }),
  calloutOf('info', {
    name: 'Info',
    about: 'Information',
    example: '<Info>See the <a href="/quickstart">quickstart</a>.</Info>',
  }),
  calloutOf('tip', {
    name: 'Tip',
    about: 'A tip',
    example: '<Tip icon="bell">Subscribe to the changelog.</Tip>',
  }),
  calloutOf('check', {
    name: 'Check',
    about: 'A positive result',
    example: '<Check title="Done">The site is online.</Check>',
  }),
  calloutOf('danger', {
    name: 'Danger',
    about: 'An action that cannot be undone',
    example: '<Danger>Deleted files cannot be restored.</Danger>',
  }),
];

function calloutOf(kind: Kind, facts: Pick<Component, 'name' | 'about' | 'example'>): Component {
  return defineComponent({
    ...facts,
    kind: 'block',
    icons: [iconOf(kind)],
    props: looks,
    markdown: titled(facts.name),
    view: (props, children, page) => viewOf(kind, props, children, page),
  });
}

export const callout = defineComponent({
  name: 'Callout',
  kind: 'block',
  about: 'A callout with an icon and a color of your choice',
  example: '<Callout icon="key" color="#d97706" title="Keys">Keep your key secret.</Callout>',
  icons: kindIcons,
  props: { ...looks, type: oneOf(KINDS, 'appearance of that kind') },
  markdown: titled('Note'),
  view: (props, children, page) => viewOf(props.type, props, children, page),
  style: css`
    .op-callout {
      --hue: var(--color-muted);
      --soft: var(--color-raised);
      position: relative;
      display: flex;
      gap: 12px;
      margin-block: 20px;
      padding: 14px 16px;
      border: 1px solid color-mix(in oklab, var(--hue) 32%, transparent);
      border-radius: var(--radius-card);
      background: var(--soft);
      color: var(--color-text);
      font-size: 15px;
      line-height: 24px;
    }
    .op-callout-note,
    .op-card-note {
      --hue: var(--color-info);
      --soft: var(--color-info-soft);
    }
    .op-callout-info,
    .op-card-info {
      --hue: var(--color-muted);
      --soft: var(--color-raised);
    }
    .op-callout-warning,
    .op-card-warning {
      --hue: var(--color-warning);
      --soft: var(--color-warning-soft);
    }
    .op-callout-tip,
    .op-callout-check,
    .op-card-tip,
    .op-card-check {
      --hue: var(--color-success);
      --soft: var(--color-success-soft);
    }
    .op-callout-danger,
    .op-card-danger {
      --hue: var(--color-danger);
      --soft: var(--color-danger-soft);
    }
    .op-callout-icon {
      flex: none;
      block-size: 24px;
      padding-block-start: 3px;
      color: var(--hue);
      line-height: 0;
    }
    .op-callout-content {
      min-inline-size: 0;
      flex: 1;
    }
    .op-callout-content > :first-child {
      margin-block-start: 0;
    }
    .op-callout-content > :last-child {
      margin-block-end: 0;
    }
    .op-callout-content > :is(p, ul, ol) {
      margin-block: 8px;
    }
    .op-callout-title {
      margin-block: 0 4px;
      font-weight: 600;
    }
    .op-callout-info {
      border-color: var(--color-border-strong);
    }
    .op-callout[style*="--hue"] {
      --soft: color-mix(in oklab, var(--hue) 9%, transparent);
    }
    .op-callout-content {
      --code-base: var(--color-bg);
    }
    @media print {
      .op-callout {
        break-inside: avoid;
      }
    }
  `,
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
