import { css, defineComponent, type PageScope, type Place } from './component.ts';
import { section } from './markdown.ts';
import { h, type View } from './markup.ts';
import { createNesting } from './nesting.ts';
import { plainText, readId, rootAttributes, showIcon } from './props.ts';
import { iconProps, label, list } from './schema.ts';

/** What a page offers to choose from: the view that shows first, and whether variations have a chooser yet. */
interface Choices {
  firstView: string | null;
  hasVariationChooser: boolean;
}

const choices = new WeakMap<Place, Choices>();
const views = createNesting<string>();

function choicesOf(page: Place): Choices {
  let root = page;
  while (root.around !== null) root = root.around;
  let state = choices.get(root);
  if (state === undefined) {
    state = { firstView: null, hasVariationChooser: false };
    choices.set(root, state);
  }
  return state;
}

/**
 * The first view is shown; the script offers the others in the chooser placed before it. Without it all of them follow
 * each other under their titles.
 */
export const view = defineComponent({
  name: 'View',
  kind: 'block',
  about: 'One of several variants of a page, which readers choose from a menu',
  example: '<View title="Linux" icon="linux">Use the package manager.</View>',
  hasTitle: true,
  search: { title: ['title'] },
  changesPage: true,
  props: {
    title: label('name in the menu'),
    ...iconProps('before the title'),
  },
  markdown: section,
  view(props, children, page) {
    const name = plainText(props.title, page) || page.strings.view;
    const state = choicesOf(page);
    const isFirst = state.firstView === null;
    state.firstView ??= name;
    const id = readId(props.common, page) ?? page.id(`view-${name}`);
    const icon = showIcon(props, page, { size: 16 });
    const body = views.within(page, name, () => page.content(children));
    const chooser = h('div', {
      id: 'multi-view-dropdown',
      class: 'op-view-choice multi-view-dropdown',
      'data-choice': 'view',
      'data-label': page.strings.view,
    });
    const attributes = {
      ...rootAttributes(props.common, page, ['view', 'multi-view-item'], { id }),
      'data-view': name,
      'aria-label': name,
      hidden: page.isLive || name === state.firstView ? null : 'until-found',
    };
    return [
      isFirst && !page.isLive ? chooser : null,
      h('section', attributes, h('p', { class: 'op-view-label' }, icon, name), body),
    ];
  },
  client: 'view',
  style: css`
    .op-view-label {
      display: none;
      align-items: center;
      gap: 8px;
      font-size: 14px;
      font-weight: 600;
    }
    .op-view-choice {
      display: inline-flex;
      position: relative;
      min-block-size: 40px;
      margin-block: 4px 16px;
      vertical-align: top;
    }
    .op-view-choice-icon {
      position: absolute;
      inset-block: 0;
      inset-inline-start: 12px;
      display: grid;
      place-items: center;
      color: var(--color-primary);
      pointer-events: none;
    }
    .op-view-choice-icon:not(:empty) + .op-select {
      padding-inline-start: 38px;
    }
    .op-view-choice .op-select {
      min-block-size: 40px;
      padding-inline-start: 14px;
      font-size: 14px;
    }
    .op-view > :first-child,
    .op-view > .op-view-label + * {
      margin-block-start: 0;
    }
    /* Without JavaScript and on paper every panel follows its label. */
    @media (scripting: none) {
      .op-view[hidden],
      .op-view-part[hidden] {
        display: block !important;
        content-visibility: visible;
      }
      .op-view-label {
        display: flex;
      }
      .op-view-choice {
        display: none;
      }
    }
    @media print {
      .op-view-choice {
        display: none;
      }
      .op-view-label {
        display: flex;
      }
      :is(.op-view, .op-view-part)[hidden] {
        display: block !important;
        content-visibility: visible;
      }
    }
  `,
});

/** What is moved out of a view, so that it still comes and goes with it. */
export function keptInView(page: PageScope, content: View): View {
  const name = views.nearest(page);
  if (name === null) return content;
  const hidden = name === choicesOf(page).firstView ? null : 'until-found';
  return h('div', { class: 'op-view-part', 'data-view': name, hidden }, content);
}

/** The first variation is the default, also without JavaScript; the script offers the others in a chooser before the first of these. */
export const variation = defineComponent({
  name: 'Variation',
  kind: 'block',
  about: 'Content for some of the variations that docs.json names',
  example: '<Variation is="cloud">Sign up.</Variation>',
  changesPage: true,
  props: { is: list('ids of `variations.options` for which it is shown', 'id or list of ids') },
  view(props, children, page) {
    const known = page.variations;
    const names = props.is.filter((name) => known.some(({ id }) => id === name));
    const [first] = known;
    if (first === undefined || names.length === 0) {
      page.warn(
        'unknown-variation',
        `\`<Variation is="${props.is.join(', ')}">\` does not name a variation from docs.json; its content is always shown. Use an id of "variations.options".`,
      );
      return page.content(children);
    }
    const state = choicesOf(page);
    const chooser = state.hasVariationChooser || known.length < 2 ? null : variationChooser(page);
    state.hasVariationChooser = true;
    const isInline = children.every(
      ({ type }) => type === 'text' || type === 'inlineCode' || type === 'link',
    );
    const attributes = {
      ...rootAttributes(props.common, page, ['variation']),
      'data-variation': JSON.stringify(names),
      hidden: !names.includes(first.id),
    };
    return [chooser, h(isInline ? 'span' : 'div', attributes, page.content(children))];
  },
  style: css`
    span.op-variation {
      display: inline;
    }
    .op-variation[hidden]:not([hidden="until-found"]),
    span.op-variation[hidden] {
      display: none;
    }
  `,
});

function variationChooser(page: PageScope): View {
  return h('span', {
    class: 'op-view-choice',
    'data-choice': 'variation',
    'data-label': page.strings.variation,
    'data-options': JSON.stringify(page.variations.map(({ id, label: name }) => [id, name])),
  });
}
