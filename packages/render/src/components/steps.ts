import type { Value } from '../tree.ts';
import { css, defineComponent, type PageScope, type Place } from './component.ts';
import { elementsOf, indent, section } from './markdown.ts';
import { h, isEmpty, part, type View } from './markup.ts';
import { createNesting } from './nesting.ts';
import { headingAnchor, readId, rootAttributes, show, showIcon, showLabel } from './props.ts';
import { type Common, flag, iconProps, integer, label, oneOf } from './schema.ts';

const SIZES = ['p', 'h2', 'h3', 'h4'] as const;
type TitleSize = (typeof SIZES)[number];

interface StepList {
  /** Number of the step before. */
  count: number;
  titleSize: TitleSize;
  /** Numbers of steps that a browser may render again. */
  numbers: WeakMap<object, number>;
}

const nesting = createNesting<StepList>();
const DEPTHS = { p: 3, h2: 2, h3: 3, h4: 4 } as const;

export const steps = defineComponent({
  name: 'Steps',
  kind: 'block',
  about: 'Numbered steps',
  example:
    '<Steps titleSize="h3"><Step title="Install">Run one command.</Step><Step title="Start"><Note>Keep the window open.</Note></Step></Steps>',
  changesPage: true,
  props: { titleSize: oneOf(SIZES, 'element of the titles; default: `p`') },
  markdown(_props, children, markdown) {
    const items = elementsOf(children).map((child, index) => {
      const body = section(child.props, child.children, markdown);
      return `${index + 1}. ${indent(body, '   ').trimStart()}`;
    });
    return items.length === 0 ? markdown.blocks(children) : items.join('\n\n');
  },
  view({ common, titleSize }, children, page) {
    const list: StepList = { count: 0, titleSize: titleSize ?? 'p', numbers: new WeakMap() };
    const attributes = { ...rootAttributes(common, page, ['steps']), role: 'list' };
    return h(
      'div',
      attributes,
      nesting.within(page, list, () => page.content(children)),
    );
  },
  style: css`
    .op-steps {
      margin-block: 24px;
    }
    .op-step {
      position: relative;
      display: flex;
      gap: 16px;
      padding-block-end: 28px;
    }
    .op-step:last-child {
      padding-block-end: 4px;
    }
    .op-step-line {
      position: absolute;
      inset-block: 34px 6px;
      inset-inline-start: 13.5px;
      border-inline-start: 1px solid var(--color-border-strong);
    }
    .op-step:last-child > .op-step-line {
      display: none;
    }
    .op-step-number {
      flex: none;
      display: grid;
      place-items: center;
      inline-size: 28px;
      block-size: 28px;
      border-radius: 50%;
      background: var(--chip);
      color: var(--color-text);
      font-size: 13px;
      font-weight: 600;
      font-variant-numeric: tabular-nums;
      line-height: 1;
    }
    .op-step-body {
      min-inline-size: 0;
      flex: 1;
    }
    .op-step-title {
      margin: 0 0 8px;
      color: var(--color-text);
      font-size: 16px;
      font-weight: 600;
      line-height: 28px;
      letter-spacing: -0.01em;
    }
    h2.op-step-title {
      font-size: 22px;
      letter-spacing: -0.02em;
    }
    h3.op-step-title {
      font-size: 18px;
    }
    .op-step-title > .op-heading-anchor {
      margin-inline-start: 8px;
      color: var(--color-faint);
      opacity: 0;
      text-decoration: none;
    }
    .op-step-title:hover > .op-heading-anchor {
      opacity: 1;
    }
    .op-step-title:target {
      color: var(--color-primary);
    }
    .op-step-content > :first-child {
      margin-block-start: 0;
    }
    .op-step-content > :last-child {
      margin-block-end: 0;
    }
    @media (forced-colors: active) {
      .op-step-number {
        border: 1px solid CanvasText;
      }
    }
  `,
});

export const step = defineComponent({
  name: 'Step',
  kind: 'block',
  about: 'One step; its title is in the table of contents',
  example:
    '<Steps><Step title="Install" icon="flag">Run one command.</Step><Step title="Start">Open the page.</Step></Steps>',
  hasTitle: true,
  isPart: true,
  search: { title: ['title'], isHeading: true },
  changesPage: true,
  props: {
    title: label('title of the step'),
    titleSize: oneOf(SIZES, 'element of the title; default: that of `Steps`'),
    ...iconProps('replaces the number'),
    stepNumber: integer(0, 999, 'number of the step; the following steps continue from it'),
    noAnchor: flag('no link next to the title'),
  },
  markdown: section,
  view(props, children, page) {
    const list = nesting.nearest(page);
    const number = props.stepNumber ?? numberIn(list, page);
    if (list !== null && props.stepNumber !== null) list.count = number;
    const size = props.titleSize ?? list?.titleSize ?? 'p';
    const icon = showIcon(props, page, { size: 14 });
    const title = titleView(props, size, page);
    const id = title === null ? readId(props.common, page) : null;
    const root = rootAttributes(props.common, page, ['step'], { id });
    // A list inside a step starts at one again.
    const body = nesting.within(page, { count: 0, titleSize: size, numbers: new WeakMap() }, () =>
      page.content(children),
    );
    return h(
      'div',
      { ...root, role: list === null ? null : 'listitem' },
      part(
        'div',
        'step-number',
        { 'aria-hidden': isEmpty(icon) ? null : 'true' },
        isEmpty(icon) ? String(number) : icon,
      ),
      part('div', 'step-line', null),
      h('div', { class: 'op-step-body' }, title, part('div', 'step-content', null, body)),
    );
  },
});

/** The next number of a list; the same one again for a step that is rendered again. */
function numberIn(list: StepList | null, { element }: PageScope): number {
  if (list === null) return 1;
  const known = element === null ? undefined : list.numbers.get(element);
  if (known !== undefined) return known;
  list.count++;
  if (element !== null) list.numbers.set(element, list.count);
  return list.count;
}

interface StepTitle {
  readonly common: Common;
  readonly title: Value;
  readonly noAnchor: boolean;
}

/** Title with its anchor; `noAnchor` leaves out the visible link, not the id. */
function titleView(props: StepTitle, size: TitleSize, page: PageScope): View {
  const title = show(props.title, page);
  if (isEmpty(title)) return null;
  const id = readId(props.common, page) ?? page.id(page.text(props.title));
  page.toc({ depth: DEPTHS[size], id, label: showLabel(props.title, page) });
  return h(
    size,
    { id, class: 'op-step-title', 'data-component-part': 'step-title' },
    title,
    props.noAnchor ? null : headingAnchor(id),
  );
}

/** Whether the node being written is in a step. */
export function isInStep(page: Place): boolean {
  return nesting.nearest(page) !== null;
}
