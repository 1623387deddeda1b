import { defineComponent, type PageScope, type Place } from './component.ts';
import { plainBlocks, section } from './markdown.ts';
import { h, isEmpty, part, partOf, type View } from './markup.ts';
import { createNesting } from './nesting.ts';
import { readId, rootAttributes, showIcon, showLabel } from './props.ts';
import { flag, iconProps, label } from './schema.ts';

/** Id of the disclosure around the place being written; empty inside one without an id. */
const nesting = createNesting<string>();

export const accordion = defineComponent({
  name: 'Accordion',
  kind: 'block',
  about:
    'Content that opens with a click on its title; `#title-slug` in a URL opens it, inside another accordion `#parent:child`',
  example: '<Accordion title="More" icon="flag" description="d">Body <b>bold</b></Accordion>',
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
    const name = page.text(props.title).trim() || page.strings.details;
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
    '<AccordionGroup><Accordion title="A">a</Accordion><Accordion title="B">b</Accordion></AccordionGroup>',
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
    '<Expandable title="fields" defaultOpen><ResponseField name="a" type="string">x</ResponseField></Expandable>',
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
