import { css, defineComponent } from './component.ts';
import { h, isEmpty, part, partOf } from './markup.ts';
import { anchorAttributes, plainText, readId, rootAttributes, showLabel, showMarkdown } from './props.ts';
import { data, label, list, markdown, searched } from './schema.ts';
import { addTags } from './side.ts';

/** The label is its anchor and its line in the table of contents. */
export const update = defineComponent({
  name: 'Update',
  kind: 'block',
  about: 'An entry of a changelog, and of the RSS feed of its page',
  example: '<Update label="June 2026" description="0.1" tags={["Export"]}>Exports are **faster**.</Update>',
  hasTitle: true,
  search: { title: ['label'], isHeading: true },
  changesPage: true,
  props: {
    label: label('anchor, and entry in the table of contents'),
    description: markdown('below the label'),
    tags: searched(list('filters in the side column; `?tags=a,b` in a URL selects updates with both tags')),
    rss: data('replaces the text in the feed', '`{{ title, description }}`'),
  },
  markdown(props, children, scope) {
    const description = scope.text(props.description);
    const head = `## ${scope.text(props.label)}${description === '' ? '' : ` (${description})`}`;
    return `${head}\n\n${scope.blocks(children)}`;
  },
  view(props, children, page) {
    const name = plainText(props.label, page) || 'Update';
    const id = readId(props.common, page) ?? page.id(name);
    const own = showLabel(props.label, page);
    const title = isEmpty(own) ? name : own;
    page.toc({ depth: 2, id, label: title });
    const tags = props.tags.filter((tag) => tag !== '');
    if (page.hasSide) addTags(page, tags);
    const description = showMarkdown(props.description, page);
    page.feed({ id, label: name, tags, rss: props.rss, children });
    const pills = tags.map((tag) => part('span', 'update-tag', null, tag));
    const root = {
      ...rootAttributes(props.common, page, ['update', 'update-container'], { id }),
      'aria-label': name,
      'data-tags': tags.length === 0 ? null : JSON.stringify(tags),
    };
    return h(
      'article',
      root,
      part(
        'div',
        'update-side',
        null,
        part('a', 'update-label', anchorAttributes(id), title),
        pills.length === 0
          ? null
          : h('div', { class: 'op-update-tags', 'data-component-part': 'update-tag-list' }, pills),
        partOf('div', 'update-description', description),
      ),
      part(
        'div',
        'update-content',
        null,
        page.withoutToc(() => page.content(children)),
      ),
    );
  },
  client: 'update',
  style: css`
    .op-update {
      display: flex;
      flex-direction: column;
      gap: 12px 24px;
      margin-block: 0;
      padding-block: 40px;
    }
    :not(.op-update, .op-update-none) + .op-update {
      margin-block-start: 32px;
    }
    .op-update ~ .op-update {
      border-block-start: 1px solid var(--color-border);
    }
    .op-update:not(.op-update:not([hidden]) ~ .op-update) {
      padding-block-start: 0;
      border: 0;
    }
    .op-update:not(:has(~ .op-update)) {
      padding-block-end: 0;
    }
    .op-update-side {
      display: flex;
      flex-direction: column;
      align-items: flex-start;
      gap: 8px;
    }
    .op-update-label {
      padding: 2px 10px;
      border-radius: var(--radius-control);
      background: var(--color-primary-soft);
      color: var(--color-primary);
      font-size: 14px;
      font-weight: 600;
      line-height: 22px;
      text-decoration: none;
    }
    .op-update-label:hover {
      background: color-mix(in oklab, var(--color-primary) 16%, transparent);
    }
    .op-update-label:focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: 2px;
    }
    .op-update-tags {
      display: flex;
      flex-wrap: wrap;
      gap: 6px;
    }
    .op-update-tag {
      padding-inline: 8px;
      border-radius: 6px;
      background: var(--chip);
      color: var(--chip-text);
      font-size: 12.5px;
      font-weight: 500;
      line-height: 20px;
    }
    .op-update-description {
      color: var(--color-muted);
      font-size: 14px;
      line-height: 20px;
    }
    .op-update-content {
      min-inline-size: 0;
    }
    .op-update-content > :first-child {
      margin-block-start: 0;
    }
    .op-update-content > :last-child {
      margin-block-end: 0;
    }
    @media (max-width: 767px) {
      .op-update-content {
        margin-block-start: 12px;
      }
    }
    @media (min-width: 768px) {
      /* Not a grid: style sheets of sites hide the first column. */
      .op-update {
        flex-direction: row;
      }
      .op-update-content {
        flex: 1;
      }
      .op-update-side {
        flex: none;
        inline-size: 160px;
        position: sticky;
        inset-block-start: calc(var(--navbar-height) + 24px);
        align-self: start;
      }
    }
    .op-update[hidden] {
      display: none;
    }
    .op-update-none {
      color: var(--color-muted);
    }
    .op-update-filters {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
    .op-update-filters-title {
      margin-block-end: 10px;
      font-size: 13.5px;
      font-weight: 600;
      line-height: 24px;
    }
    .op-update-filter,
    .op-update-filter-clear {
      min-block-size: 30px;
      padding: 2px 12px;
      border: 1px solid var(--color-border-strong);
      border-radius: 999px;
      background: var(--color-bg);
      color: var(--color-muted);
      font: 500 13px / 20px var(--font-body);
      cursor: pointer;
    }
    .op-update-filter:hover {
      border-color: var(--color-primary);
      color: var(--color-text);
    }
    .op-update-filter[aria-pressed="true"] {
      border-color: var(--color-primary);
      background: var(--color-primary-soft);
      color: var(--color-primary);
    }
    .op-update-filter-clear {
      border-color: transparent;
      text-decoration: underline;
      text-underline-offset: 3px;
    }
    .op-update-filter-clear[hidden] {
      display: none;
    }
    :is(.op-update-filter, .op-update-filter-clear):focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: 2px;
    }
    .op-toc-item[hidden] {
      display: none;
    }
    @media (scripting: none) {
      #changelog-filters {
        display: none;
      }
    }
    @media print {
      #changelog-filters {
        display: none;
      }
    }
    @media (forced-colors: active) {
      .op-update-filter[aria-pressed="true"] {
        border-color: Highlight;
      }
    }
    @media (forced-colors: active) {
      .op-update-tag {
        border: 1px solid CanvasText;
      }
    }
  `,
});
