import { css, defineComponent, type PageScope, type Place } from './component.ts';
import { plainBlocks, section } from './markdown.ts';
import { h, isEmpty, part, partOf, type View } from './markup.ts';
import { createNesting } from './nesting.ts';
import { plainText, readId, rootAttributes, showIcon, showLabel } from './props.ts';
import { flag, iconProps, label } from './schema.ts';

/** Id of the disclosure around the place being written; empty inside one without an id. */
const nesting = createNesting<string>();

export const accordion = defineComponent({
  name: 'Accordion',
  kind: 'block',
  about:
    'Content that opens with a click on its title; `#title-slug` in a URL opens it, inside another accordion `#parent:child`',
  example:
    '<Accordion title="How do I start?" icon="flag" description="In two minutes">Read the <b>quickstart</b>.</Accordion>',
  hasTitle: true,
  search: { title: ['title'], isHeading: true },
  props: {
    title: label('always visible; also the anchor'),
    description: label('always visible, below the title'),
    defaultOpen: flag('open initially'),
    ...iconProps('before the title'),
  },
  markdown: section,
  view(props, children, page) {
    const name = plainText(props.title, page) || page.strings.details;
    const id = accordionId(name, props.common.id, page);
    const root = rootAttributes(props.common, page, ['accordion'], { id });
    const icon = showIcon(props, page, { size: 16 });
    const description = showLabel(props.description, page);
    const title = showLabel(props.title, page);
    const body = nesting.within(page, id, () => page.content(children));
    return h(
      'details',
      { ...root, open: props.defaultOpen },
      h(
        'summary',
        { class: 'accordion-button', 'data-component-part': 'accordion-button' },
        partOf('span', 'accordion-icon', icon),
        h(
          'span',
          { class: 'op-accordion-head', 'data-component-part': 'accordion-title-container' },
          part('span', 'accordion-title', null, isEmpty(title) ? page.strings.details : title),
          partOf('span', 'accordion-description', description),
        ),
      ),
      part('div', 'accordion-content', null, body),
    );
  },
  style: css`
    .op-accordion,
    .op-expandable {
      margin-block: 12px;
      border: 1px solid var(--color-border);
      border-radius: var(--radius-card);
    }
    .op-accordion-group {
      margin-block: 20px;
      border: 1px solid var(--color-border);
      border-radius: var(--radius-card);
      overflow: hidden;
    }
    .op-accordion-group > .op-accordion {
      margin: 0;
      border: 0;
      border-radius: 0;
    }
    .op-accordion-group > .op-accordion + .op-accordion {
      border-block-start: 1px solid var(--color-border);
    }
    .op-accordion > summary,
    .op-expandable > summary {
      display: flex;
      align-items: center;
      gap: 12px;
      padding: 14px 18px;
      border-radius: inherit;
      color: var(--color-text);
      font-weight: 500;
      line-height: 24px;
      list-style: none;
      cursor: pointer;
    }
    summary::-webkit-details-marker {
      display: none;
    }
    .op-accordion > summary:hover,
    .op-expandable > summary:hover {
      background: var(--color-raised);
    }
    :is(.op-accordion, .op-expandable) > summary:focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: -2px;
    }
    .op-accordion > summary::before,
    .op-expandable > summary::before {
      content: "";
      flex: none;
      inline-size: 7px;
      block-size: 7px;
      margin-inline: 1px 3px;
      border: solid var(--color-muted);
      border-width: 0 1.5px 1.5px 0;
      rotate: -45deg;
    }
    [dir="rtl"] :is(.op-accordion, .op-expandable) > summary::before {
      rotate: 135deg;
    }
    details[open] > summary::before,
    [dir="rtl"] details[open] > summary::before {
      rotate: 45deg !important;
    }
    @media (prefers-reduced-motion: no-preference) {
      .op-accordion > summary::before,
      .op-expandable > summary::before {
        transition: rotate 150ms ease-out;
      }
    }
    .op-accordion-icon {
      flex: none;
      color: var(--color-muted);
      line-height: 0;
    }
    .op-accordion-head {
      min-inline-size: 0;
      flex: 1;
    }
    .op-accordion-title {
      display: block;
    }
    .op-accordion-description {
      display: block;
      color: var(--color-muted);
      font-size: 14px;
      font-weight: 400;
      line-height: 20px;
    }
    .op-accordion-content {
      padding: 4px 18px 18px;
    }
    .op-accordion-content > :first-child {
      margin-block-start: 0;
    }
    .op-accordion-content > :last-child {
      margin-block-end: 0;
    }
    .op-expandable > summary {
      gap: 8px;
      padding: 8px 14px;
      color: var(--color-muted);
      font-size: 13px;
      line-height: 20px;
    }
    .op-expandable > summary:hover {
      color: var(--color-text);
    }
    .op-expandable-content {
      padding: 0 14px 8px;
    }
    .op-when-open,
    details[open] > summary .op-when-closed {
      display: none;
    }
    details[open] > summary .op-when-open {
      display: inline;
    }
    @media print {
      details:not([open])::details-content {
        content-visibility: visible;
        block-size: auto;
      }
    }
    @media (forced-colors: active) {
      summary::before {
        forced-color-adjust: auto;
      }
    }
  `,
});

/** Ids grow with each level; beyond this they start again. */
const MAX_PARENT = 200;

function accordionId(name: string, written: string | null, page: PageScope): string {
  const parent = nesting.nearest(page) ?? '';
  const own = written === null || /\s/.test(written) ? null : written;
  if (parent === '' || parent.length > MAX_PARENT)
    return own === null ? page.id(name) : page.takeId(own) || page.id(name);
  return page.takeId(`${parent}:${own ?? (page.slug(name) || 'section')}`);
}

export const accordionGroup = defineComponent({
  name: 'AccordionGroup',
  kind: 'block',
  about: 'Accordions as one list',
  example:
    '<AccordionGroup><Accordion title="How do I start?">Read the quickstart.</Accordion><Accordion title="What does it cost?">Nothing.</Accordion></AccordionGroup>',
  props: {},
  markdown: plainBlocks,
  view: ({ common }, children, page) =>
    h('div', rootAttributes(common, page, ['accordion-group']), page.content(children)),
});

export const expandable = defineComponent({
  name: 'Expandable',
  kind: 'block',
  about: 'Nested fields behind "Show title"',
  example:
    '<Expandable title="fields" defaultOpen><ResponseField name="id" type="string">Identifier of the job.</ResponseField></Expandable>',
  hasTitle: true,
  props: {
    title: label('follows "Show"; default: child attributes'),
    defaultOpen: flag('open initially'),
  },
  markdown: section,
  view(props, children, page) {
    const { strings } = page;
    const title = showLabel(props.title, page);
    const root = rootAttributes(props.common, page, ['expandable'], { id: readId(props.common, page) });
    const body: View = nesting.within(page, nesting.nearest(page) ?? '', () => page.content(children));
    return h(
      'details',
      { ...root, open: props.defaultOpen },
      h(
        'summary',
        { class: 'expandable-button', 'data-component-part': 'expandable-button' },
        h(
          'span',
          null,
          h('span', { class: 'op-when-closed' }, strings.show),
          h('span', { class: 'op-when-open' }, strings.hide),
          ' ',
          isEmpty(title) ? strings.childAttributes : title,
        ),
      ),
      part('div', 'expandable-content', null, body),
    );
  },
});

/** Whether the node being written is in an accordion or expandable. */
export function isInDisclosure(page: Place): boolean {
  return nesting.nearest(page) !== null;
}
