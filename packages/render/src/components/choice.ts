import { escapeText } from '../escape.ts';
import type { Component, PageScope } from './component.ts';
import { createNesting } from './nesting.ts';
import { attribute, readIcon, readId, readList, readText, rootAttributes } from './props.ts';

/** What a page offers to choose from: the view that shows first, and whether variations have a chooser yet. */
interface Choices {
  firstView: string | null;
  hasVariationChooser: boolean;
}

const choices = new WeakMap<PageScope, Choices>();
const views = createNesting<string>();

function choicesOf(page: PageScope): Choices {
  let state = choices.get(page);
  if (state === undefined) {
    state = { firstView: null, hasVariationChooser: false };
    choices.set(page, state);
  }
  return state;
}

/**
 * One of several variants of a page. The first is shown; the script offers the others in the chooser placed
 * before it. Without it all of them follow each other under their titles.
 */
export const view: Component = (props, children, page) => {
  const name = page.text(props.title).trim() || page.strings.view;
  const state = choicesOf(page);
  const isFirst = state.firstView === null;
  state.firstView ??= name;
  const id = readId(props, page) ?? page.id(`view-${name}`);
  const icon = readIcon(props, page, { size: 16 });
  const body = views.within(page, name, () => page.html(children));
  const look = `${attribute('data-view', name)}${attribute('aria-label', name)}`;
  return [
    isFirst
      ? `<div id="multi-view-dropdown" class="op-view-choice multi-view-dropdown" data-choice="view"${attribute('data-label', page.strings.view)}></div>`
      : '',
    `<section${rootAttributes(props, page, ['view', 'multi-view-item'], id)}${look}${name === state.firstView ? '' : ' hidden="until-found"'}>`,
    `<p class="op-view-label">${icon}${escapeText(name)}</p>${body}</section>`,
  ].join('');
};

/** HTML that is moved out of a view, so that it still comes and goes with it. */
export function keptInView(page: PageScope, html: string): string {
  const name = views.nearest(page);
  if (name === null) return html;
  const hidden = name === choicesOf(page).firstView ? '' : ' hidden="until-found"';
  return `<div class="op-view-part"${attribute('data-view', name)}${hidden}>${html}</div>`;
}

/**
 * Content for some of the variations that docs.json names. The first variation is the default, also without
 * JavaScript; the script offers the others in a chooser before the first of these.
 */
export const variation: Component = (props, children, page) => {
  const known = page.variations;
  const names = readList(props, 'is').filter((name) => known.some(({ id }) => id === name));
  const [first] = known;
  if (first === undefined || names.length === 0) {
    page.warn(
      'unknown-variation',
      `\`<Variation is="${readText(props, 'is') ?? readList(props, 'is').join(', ')}">\` does not name a variation from docs.json; its content is always shown. Use an id of "variations.options".`,
    );
    return page.html(children);
  }
  const state = choicesOf(page);
  const chooser = state.hasVariationChooser || known.length < 2 ? '' : variationChooser(page);
  state.hasVariationChooser = true;
  const hidden = names.includes(first.id) ? '' : ' hidden';
  const data = attribute('data-variation', JSON.stringify(names));
  const isInline = children.every(({ type }) => type === 'text' || type === 'inlineCode' || type === 'link');
  const tag = isInline ? 'span' : 'div';
  return `${chooser}<${tag}${rootAttributes(props, page, ['variation'])}${data}${hidden}>${page.html(children)}</${tag}>`;
};

function variationChooser(page: PageScope): string {
  const options = page.variations.map(({ id, label }) => [id, label]);
  return `<span class="op-view-choice" data-choice="variation"${attribute('data-label', page.strings.variation)}${attribute('data-options', JSON.stringify(options))}></span>`;
}
