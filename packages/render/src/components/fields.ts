import { isNode, type Node, type Value } from '../tree.ts';
import { defineComponent, type PageScope, type SearchRule, type WriteMarkdown } from './component.ts';
import { indent } from './markdown.ts';
import { h, isEmpty, part, partOf, type View } from './markup.ts';
import { anchorAttributes, readId, rootAttributes, show } from './props.ts';
import { type Common, data, flag, ignored, label, list, readFlag, text } from './schema.ts';

const PLACES = ['query', 'path', 'body', 'header'] as const;

const facts = {
  name: text('name of the field', 'name'),
  type: label('its type'),
  required: flag('marks it as required'),
  deprecated: flag('marks it as deprecated'),
  default: data('default value'),
  enum: data('allowed values', 'list'),
  pre: list('labels before the name'),
  post: list('labels after the name'),
  hidden: flag('omits the field'),
};

const FORM = 'for a playground; no effect in a page';

const search = (title: readonly string[]): SearchRule => ({
  title,
  isHidden: (props) => props.hidden === true,
});

const markdown: WriteMarkdown = (props, children, scope) => {
  if (readFlag(props.hidden)) return '';
  const name = scope.text(props.name ?? props.path ?? props.query ?? props.body ?? props.header);
  const known = [
    scope.text(props.type),
    props.required === true ? 'required' : '',
    props.deprecated === true ? 'deprecated' : '',
  ]
    .filter((each) => each !== '')
    .join(', ');
  const initial = scope.text(props.default);
  const head = `\`${name}\`${known === '' ? '' : ` (${known})`}${initial === '' ? '' : `, default \`${initial}\``}`;
  const body = scope.blocks(children);
  return `- ${head}${body === '' ? '' : `: ${indent(body, '  ').trimStart()}`}`;
};

export const paramField = defineComponent({
  name: 'ParamField',
  aliases: ['Param'],
  kind: 'block',
  about: 'A parameter of a request',
  example:
    '<ParamField path="limit" type="integer" required pre={["a"]} post={["b"]} default={10}>How many.</ParamField>',
  hasTitle: true,
  search: search([...PLACES, 'name']),
  props: {
    query: text('name of a query parameter', 'name'),
    path: text('name of a path parameter', 'name'),
    body: text('name of a field of the body', 'name'),
    header: text('name of a header', 'name'),
    ...facts,
    placeholder: ignored(FORM),
    initialValue: ignored(FORM),
  },
  markdown,
  view(props, children, page) {
    if (props.hidden) return null;
    const place = PLACES.find((name) => props[name] !== null) ?? null;
    return fieldView(place, { ...props, name: props[place ?? 'name'] }, children, page);
  },
});

export const responseField = defineComponent({
  name: 'ResponseField',
  kind: 'block',
  about: 'A field of a response',
  example: '<ResponseField name="id" type="string" deprecated enum={["a", "b"]}>about</ResponseField>',
  hasTitle: true,
  search: search(['name']),
  props: facts,
  markdown,
  view: (props, children, page) => (props.hidden ? null : fieldView(null, props, children, page)),
});

interface Field {
  readonly common: Common;
  readonly name: string | null;
  readonly type: Value;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly default: Value;
  readonly enum: Value;
  readonly pre: readonly string[];
  readonly post: readonly string[];
}

function fieldView(place: string | null, field: Field, children: readonly Node[], page: PageScope): View {
  const { strings } = page;
  const name = field.name ?? '';
  const id = readId(field.common, page) ?? page.id(`param-${name}`);
  const type = show(field.type, page);
  const body = [page.content(children), allowedValues(field.enum, page)];
  return h(
    'div',
    rootAttributes(field.common, page, ['field'], { id }),
    part(
      'div',
      'field-head',
      null,
      field.pre.map((each) => pill(each)),
      h('a', {
        class: 'op-field-anchor',
        ...anchorAttributes(id),
        'aria-label': `${strings.linkTo} ${name}`,
      }),
      part('code', 'field-name', null, name),
      field.post.map((each) => pill(each)),
      pill(type, 'field-type'),
      pill(place, 'field-place'),
      defaultPill(field.default, page),
      field.required
        ? h(
            'span',
            { class: 'op-field-required', 'data-component-part': 'field-required-pill' },
            strings.required,
          )
        : null,
      field.deprecated
        ? h(
            'span',
            { class: 'op-field-deprecated', 'data-component-part': 'field-deprecated-pill' },
            strings.fieldDeprecated,
          )
        : null,
    ),
    partOf('div', 'field-content', body),
  );
}

function pill(content: View, className: string | null = null): View {
  if (isEmpty(content)) return null;
  return h(
    'span',
    {
      class: className === null ? 'op-field-pill' : `op-field-pill ${className}`,
      'data-component-part': 'field-info-pill',
    },
    content,
  );
}

function defaultPill(value: Value, page: PageScope): View {
  const shown = dataText(value, page);
  return shown === ''
    ? null
    : pill([`${page.strings.fieldDefault}: `, h('code', null, shown)], 'field-default');
}

function allowedValues(value: Value, page: PageScope): View {
  if (!Array.isArray(value)) return null;
  const values = value.map((item, index) => [
    index === 0 ? null : ' ',
    h('code', null, dataText(item, page)),
  ]);
  return h('p', { class: 'op-field-enum' }, `${page.strings.allowedValues}: `, values);
}

/** Text as it is, other data as JSON. */
function dataText(value: Value, page: PageScope): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string' || isNode(value)) return page.text(value).trim();
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
