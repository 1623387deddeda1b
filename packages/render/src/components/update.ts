import { defineComponent } from './component.ts';
import { h, isEmpty, part, partOf } from './markup.ts';
import { anchorAttributes, readId, rootAttributes, showLabel, showMarkdown } from './props.ts';
import { data, label, list, markdown } from './schema.ts';
import { addTags } from './side.ts';

/** The label is its anchor and its line in the table of contents. */
export const update = defineComponent({
  name: 'Update',
  kind: 'block',
  about: 'An entry of a changelog, and of the RSS feed of its page',
  example: '<Update label="May" description="v1" tags={["new"]}>Changed **things**.</Update>',
  hasTitle: true,
  search: { title: ['label'], isHeading: true },
  props: {
    label: label('anchor, and entry in the table of contents'),
    description: markdown('below the label'),
    tags: list('filters in the side column; `?tags=a,b` in a URL selects updates with both tags'),
    rss: data('replaces the text in the feed', '`{{ title, description }}`'),
  },
  markdown(props, children, scope) {
    const description = scope.text(props.description);
    const head = `## ${scope.text(props.label)}${description === '' ? '' : ` (${description})`}`;
    return `${head}\n\n${scope.blocks(children)}`;
  },
  view(props, children, page) {
    const name = page.text(props.label).trim() || 'Update';
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
      ...rootAttributes(props.common, page, ['update'], { id }),
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
});
