import { escapeText } from '../escape.ts';
import { isNode, type Node, type Props, type Value } from '../tree.ts';
import type { Component, PageScope } from './component.ts';
import { attribute, readFlag, readHtml, readId, readList, readText, rootAttributes } from './props.ts';

const PLACES = ['query', 'path', 'body', 'header'] as const;

/** A request parameter: `<ParamField path="id" type="string" required>`. */
export const paramField: Component = (props, children, page) => {
  if (readFlag(props, 'hidden')) return '';
  const place = PLACES.find((name) => readText(props, name) !== null) ?? null;
  const name = readText(props, place ?? 'name') ?? '';
  return writeField(name, place, props, children, page);
};

/** A field of a response. */
export const responseField: Component = (props, children, page) =>
  readFlag(props, 'hidden') ? '' : writeField(readText(props, 'name') ?? '', null, props, children, page);

function writeField(
  name: string,
  place: string | null,
  props: Props,
  children: readonly Node[],
  page: PageScope,
): string {
  const id = readId(props, page) ?? page.id(`param-${name}`);
  const pills = (side: 'pre' | 'post'): string =>
    readList(props, side)
      .map((text) => pill(page.value(text)))
      .join('');
  const type = readHtml(props, 'type', page);
  const body = page.html(children) + allowedValues(props.enum, page);
  return [
    `<div${rootAttributes(props, page, ['field'], id)}>`,
    '<div class="op-field-head" data-component-part="field-head">',
    pills('pre'),
    `<a class="op-field-anchor"${attribute('href', `#${encodeURI(id.toWellFormed())}`)}${attribute('aria-label', `${page.strings.linkTo} ${name}`)}></a>`,
    `<code class="op-field-name" data-component-part="field-name">${page.value(name)}</code>`,
    pills('post'),
    type === '' ? '' : pill(type, 'field-type'),
    place === null ? '' : pill(place, 'field-place'),
    defaultPill(props.default, page),
    readFlag(props, 'required')
      ? `<span class="op-field-required" data-component-part="field-required-pill">${escapeText(page.strings.required)}</span>`
      : '',
    readFlag(props, 'deprecated')
      ? `<span class="op-field-deprecated" data-component-part="field-deprecated-pill">${escapeText(page.strings.fieldDeprecated)}</span>`
      : '',
    '</div>',
    body === '' ? '' : `<div class="op-field-content" data-component-part="field-content">${body}</div>`,
    '</div>',
  ].join('');
}

function pill(html: string, className: string | null = null): string {
  return html === ''
    ? ''
    : `<span class="${className === null ? 'op-field-pill' : `op-field-pill ${className}`}" data-component-part="field-info-pill">${html}</span>`;
}

function defaultPill(value: Value, page: PageScope): string {
  const text = dataText(value, page);
  return text === ''
    ? ''
    : pill(`${escapeText(page.strings.fieldDefault)}: <code>${escapeText(text)}</code>`, 'field-default');
}

function allowedValues(value: Value, page: PageScope): string {
  if (!Array.isArray(value)) return '';
  const values = value.map((item) => `<code>${escapeText(dataText(item, page))}</code>`).join(' ');
  return `<p class="op-field-enum">${escapeText(page.strings.allowedValues)}: ${values}</p>`;
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
