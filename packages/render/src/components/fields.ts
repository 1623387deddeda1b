import { isNode, type Node, type Value } from '../tree.ts';
import { css, defineComponent, type PageScope, type SearchRule, type WriteMarkdown } from './component.ts';
import { indent, startsWithBlock } from './markdown.ts';
import { h, isEmpty, part, partOf, type View } from './markup.ts';
import { anchorAttributes, readId, rootAttributes, show } from './props.ts';
import { type Common, data, flag, ignored, label, list, readFlag, searched, text } from './schema.ts';

const PLACES = ['query', 'path', 'body', 'header'] as const;

const facts = {
  name: searched(text('name of the field', 'name')),
  type: label('its type'),
  required: flag('marks it as required'),
  optional: ignored('accepted, without effect: what is not required is optional'),
  deprecated: flag('marks it as deprecated'),
  default: data('default value'),
  enum: data('allowed values', 'list'),
  pre: list('labels before the name'),
  post: list('labels after the name'),
  hidden: flag('omits the field'),
};

const FORM = 'example value in samples and the form of an operation that is described by hand';

const search = (title: readonly string[]): SearchRule => ({
  title,
  isHidden: (props) => readFlag(props.hidden),
});

const markdown: WriteMarkdown = (props, children, scope) => {
  if (readFlag(props.hidden)) return '';
  const name = scope.text(props.name ?? props.path ?? props.query ?? props.body ?? props.header);
  const labels = (written: Value): string[] => facts.pre.read(written).map((each) => scope.text(each));
  const known = [
    ...labels(props.pre),
    scope.text(props.type),
    readFlag(props.required) ? 'required' : '',
    readFlag(props.deprecated) ? 'deprecated' : '',
    ...labels(props.post),
  ]
    .filter((each) => each !== '')
    .join(', ');
  const initial = scope.text(props.default);
  const head = `\`${name}\`${known === '' ? '' : ` (${known})`}${initial === '' ? '' : `, default \`${initial}\``}`;
  const body = scope.blocks(children);
  if (body === '') return `- ${head}`;
  const content = indent(body, '  ');
  return startsWithBlock(body) ? `- ${head}:\n\n${content}` : `- ${head}: ${content.trimStart()}`;
};

export const paramField = defineComponent({
  name: 'ParamField',
  aliases: ['Param'],
  kind: 'block',
  about: 'A parameter of a request',
  example:
    '<ParamField query="limit" type="integer" required pre={["new"]} post={["beta"]} default={10}>Number of results.</ParamField>',
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
  style: css`
    .op-field {
      padding-block: 16px;
      border-block-end: 1px solid var(--color-border);
    }
    .op-field:last-child {
      border-block-end: 0;
    }
    .op-field-head {
      position: relative;
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 6px 8px;
      font-size: 13px;
      line-height: 20px;
    }
    .op-field-name {
      direction: ltr;
      padding: 0;
      border: 0;
      background: none;
      color: var(--color-primary);
      font-size: 14px;
      font-weight: 600;
      overflow-wrap: anywhere;
    }
    .op-field-pill {
      padding-inline: 6px;
      border-radius: 6px;
      background: var(--chip);
      color: var(--chip-text);
      font-size: 12.5px;
      font-weight: 500;
      overflow-wrap: anywhere;
    }
    .op-field-pill code {
      padding: 0;
      border: 0;
      background: none;
      color: inherit;
      font-size: 12px;
    }
    .op-field-required {
      color: var(--color-danger);
      font-size: 12.5px;
      font-weight: 500;
    }
    .op-field-deprecated {
      color: var(--color-warning);
      font-size: 12.5px;
      font-weight: 500;
    }
    .op-field-anchor {
      position: absolute;
      inset-inline-start: -22px;
      inline-size: 22px;
      text-decoration: none;
      color: var(--color-muted);
      opacity: 0;
    }
    .op-field-anchor::before {
      content: "#";
    }
    .op-field-head:hover .op-field-anchor,
    .op-field-anchor:focus-visible {
      opacity: 1;
    }
    .op-field-content {
      margin-block-start: 10px;
      font-size: 15px;
      line-height: 24px;
    }
    .op-field-content > .op-field-enum {
      margin-block: 8px 0;
    }
    .op-field-enum code {
      font-size: 12.5px;
    }
    .op-field:target > .op-field-head > .op-field-name {
      text-decoration: underline 2px;
      text-underline-offset: 4px;
    }
    .op-field-content > :first-child {
      margin-block-start: 0;
    }
    .op-field-content > :last-child {
      margin-block-end: 0;
    }
    .op-field-content > :is(p, ul, ol) {
      margin-block: 8px;
    }
    @media print {
      .op-field {
        break-inside: avoid;
      }
    }
    @media (forced-colors: active) {
      .op-field-pill {
        border: 1px solid CanvasText;
      }
    }
  `,
});

export const responseField = defineComponent({
  name: 'ResponseField',
  kind: 'block',
  about: 'A field of a response',
  example:
    '<ResponseField name="status" type="string" deprecated enum={["queued", "done"]}>State of the job.</ResponseField>',
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
