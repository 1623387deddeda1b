import { isObject } from '../config/json.ts';
import type { Strings } from '../theme/strings.ts';
import type { Element, Node, Props, Value } from '../tree.ts';
import type { Condition } from './conditions.ts';
import type { Discriminator } from './discriminator.ts';
import { documentationNodes } from './documentation.ts';
import { rangeOf } from './limits.ts';
import { type At, isReference } from './resolver.ts';
import type { EnumValue, Property, Schema, Schemas, Variants } from './schema.ts';
import { code, element, linkTo, list, paragraph, text } from './tree.ts';
import { typeLabel } from './type-label.ts';
import { isScalarType } from './values.ts';

/** What the fields of one page share. */
export interface FieldScope {
  readonly schemas: Schemas;
  readonly strings: Strings;
  /** Markdown of the description as nodes. */
  markdown(written: string): Node[];
  /** Extension keys whose values are shown beside a name (`api.params.post`). */
  readonly post: readonly string[];
  /** Nested fields are open initially. */
  readonly isExpanded: boolean;
  /** Fields whose content is still to be added, outermost first. */
  readonly waiting: Waiting[];
  /** URL path of the page of a schema; null if it has none. */
  pageOf(schema: At, name: string): string | null;
  /** Fields that the page shows so far. */
  shown: number;
}

/** A field that has nested fields, and the nodes to which they belong. */
interface Waiting {
  readonly at: At;
  readonly into: Node[];
  readonly place: FieldPlace;
  /** In a disclosure. */
  readonly isFolded: boolean;
}

/** Where a field is. */
interface FieldPlace {
  /** Start of the ids of the fields inside. */
  readonly id: string;
  /** Id of the element around them, if it is another one. */
  readonly anchor?: string | undefined;
  readonly direction: 'request' | 'response';
  /** Schemas around it, outermost first, with the ids of their fields: a circle becomes a link. */
  readonly around: readonly { readonly value: unknown; readonly id: string }[];
  readonly depth: number;
}

/** Fields of a page before the fields of named schemas are left to the page of the schema. */
const MAX_INLINE = 100;
/** The same for fields in a disclosure, which most readers do not open. */
const MAX_FOLDED = 50;
/** Fields of a page. Beyond them, only the outer levels are shown. */
const MAX_FIELDS = 200;
/** Levels of nested fields; deeper ones are named by their types. */
const MAX_DEPTH = 12;
/** Alternatives that are shown as tabs. */
const MAX_TABS = 30;
const MAX_ENUM = 100;

/** One field with its description and limits; its nested fields are added by {@link addNested}. */
export function fieldNode(about: FieldFacts, at: At, place: FieldPlace, scope: FieldScope): Element {
  const schema = scope.schemas.read(at);
  const props: Props = {
    [about.in ?? 'name']: about.name,
    id: place.id,
    type: typeLabel(at, scope.schemas),
    required: about.isRequired,
    deprecated: about.deprecated || schema.deprecated,
    ...pillsOf(schema, at, about.pills ?? [], scope),
    ...(schema.default === null ? {} : { default: dataOf(schema.default.value) }),
  };
  const children = contentWithItems(at, about.description, about.examples ?? [], scope);
  scope.shown++;
  wait(at, children, place, scope);
  return element(about.in == null ? 'ResponseField' : 'ParamField', props, children);
}

/** Text and limits of a schema and, of a list or a map, of what it contains. */
function contentWithItems(
  at: At,
  description: string | null,
  examples: readonly FieldExample[],
  scope: FieldScope,
): Node[] {
  const [first, ...inner] = levelsOf(at, scope.schemas);
  const last = inner.at(-1) ?? first;
  const types = new Set(first.schema.types);
  const own = first.schema.descriptions;
  const shown = new Set<string>();
  const describe = (path: string, texts: readonly string[]): Node[] =>
    texts.flatMap((more) => {
      if (shown.size === shown.add(more).size) return [];
      return path === '' ? scope.markdown(more) : withText([code(path)], more, scope);
    });
  return [
    ...describe('', description === null ? own : [description, ...own]),
    ...describe('', description === null && own.length === 0 ? last.schema.descriptions : []),
    ...factsOf(first.schema, examples, scope),
    ...inner.flatMap(({ schema, path }) => {
      // Of lists in lists and maps of objects, limits say to which of them they apply.
      const isClear = schema.types.every((type) => !types.has(type));
      for (const type of schema.types) types.add(type);
      // Those of objects are long, and examples of the whole value contain the others.
      const isPart = first.schema.examples.length > 0 || !schema.types.every(isScalarType);
      const shownPart = isPart ? { ...schema, examples: [] } : schema;
      const facts = factsOf(shownPart, [], scope, isClear ? null : path);
      return [...describe(path, schema.descriptions), ...facts];
    }),
  ];
}

/** An example with what the description says of it. */
interface FieldExample {
  readonly value: unknown;
  readonly title: string | null;
  readonly description: string | null;
}

/** What is known of a field besides its schema. */
export interface FieldFacts {
  readonly name: string;
  /** Prop of `ParamField` that names it; null for a field of a body. */
  readonly in?: 'path' | 'query' | 'header' | null;
  readonly isRequired: boolean;
  readonly deprecated: boolean;
  /** Instead of that of the schema. */
  readonly description: string | null;
  readonly examples?: readonly FieldExample[];
  readonly pills?: readonly string[];
}

/** A paragraph that starts with nodes and continues with a text, whose later blocks follow it. */
export function withText(start: readonly Node[], written: string | null, scope: FieldScope): Node[] {
  const [first, ...rest] = written === null ? [] : scope.markdown(written);
  if (first?.type === 'paragraph') return [paragraph([...start, text(' '), ...first.children]), ...rest];
  return [paragraph([...start]), ...(first === undefined ? [] : [first]), ...rest];
}

/** Labels beside the name of a field. */
function pillsOf(
  schema: Schema,
  at: At,
  own: readonly string[],
  scope: FieldScope,
): { pre: Value; post: Value } {
  const post = [...own];
  if (schema.isReadOnly) post.push(scope.strings.readOnly);
  if (schema.isWriteOnly) post.push(scope.strings.writeOnly);
  const written = scope.schemas.resolver.resolve(at)?.value;
  if (!isObject(written)) return { pre: [], post };
  for (const key of scope.post) {
    const extra = Object.hasOwn(written, key) ? written[key] : undefined;
    if (extra === true) post.push(key);
    else if (typeof extra === 'string' || typeof extra === 'number') post.push(String(extra));
  }
  const extension = isObject(written['x-mint']) ? written['x-mint'] : {};
  return { pre: textsOf(extension.pre), post: [...post, ...textsOf(extension.post)] };
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Characters of a value; references may repeat a long one. */
const MAX_DATA = 2000;

/** Text of a value of a description. */
export function dataOf(value: unknown): string {
  if (value === '') return '""';
  const data = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return data.length > MAX_DATA ? `${data.slice(0, MAX_DATA)}…` : data;
}

/** `path` names the level to which the facts apply. */
function factsOf(
  schema: Schema,
  examples: readonly FieldExample[],
  scope: FieldScope,
  path: string | null = null,
): Node[] {
  const { strings } = scope;
  const lines: Node[][] = [];
  const range = rangeOf(schema.limits);
  if (range !== null) lines.push([text(`${strings.range}: `), code(range)]);
  for (const [key, word] of LIMIT_WORDS) {
    const limit = schema.limits.get(key);
    if (limit !== undefined) lines.push([text(`${strings[word]}: `), code(limit)]);
  }
  if (schema.limits.has('uniqueItems')) lines.push([text(strings.uniqueItems)]);
  if (schema.undescribed.length > 0)
    lines.push([code('required'), text(': '), ...commaList(schema.undescribed)]);
  for (const { kind, list: alternatives } of schema.requirements) {
    const label = kind === 'oneOf' ? strings.oneOf : strings.anyOf;
    lines.push([text(`${label} (${strings.required}): `), ...namesOf(alternatives)]);
  }
  for (const [keyword, value] of schema.rules) lines.push([code(keyword), text(': '), code(dataOf(value))]);
  const hasNames = schema.properties.length > 0 || schema.patterns.length > 0;
  if (schema.isClosed && hasNames) lines.push([text(strings.noOtherProperties)]);
  if (schema.conflicts.length > 0)
    lines.push([text(`${strings.conflicts}: `), code(schema.conflicts.join(', '))]);
  const start = path === null ? [] : [code(path), text(' ')];
  const facts = lines.map((line) => paragraph([...start, ...line]));
  const documentation = documentationNodes(schema.documentation, scope);
  return [
    ...allowedValues(schema.values, scope),
    ...facts,
    ...exampleNodes(schema, examples, scope),
    ...documentation,
  ];
}

/** The examples of a field, else those of its schema. */
function exampleNodes(schema: Schema, given: readonly FieldExample[], scope: FieldScope): Node[] {
  const { strings } = scope;
  const [first, ...more] = given;
  if (first !== undefined && (more.length > 0 || first.description !== null)) {
    const rows = given.map(({ value, title, description }) => {
      const start = [code(dataOf(value))];
      if (title !== null) start.push(text(description === null ? ` ${title}` : ` ${title}:`));
      return withText(start, description, scope);
    });
    return [paragraph([text(`${strings.example}:`)]), list(rows)];
  }
  const values = first === undefined ? examplesIn(schema) : [first.value];
  if (values.length === 0) return [];
  const items = values.flatMap((value, index) => [text(index === 0 ? '' : ' '), code(dataOf(value))]);
  return [paragraph([text(`${strings.example}: `), ...items])];
}

const commaList = (names: readonly string[]): Node[] =>
  names.flatMap((name, index) => [...(index === 0 ? [] : [text(', ')]), code(dataOf(name))]);

/** Names of properties that are required together, with commas between the alternatives. */
function namesOf(alternatives: readonly (readonly string[])[]): Node[] {
  return alternatives
    .filter((names) => names.length > 0)
    .slice(0, MAX_TABS)
    .flatMap((names, index) => [
      ...(index === 0 ? [] : [text(', ')]),
      ...names
        .slice(0, MAX_ENUM)
        .flatMap((name, place) => [...(place === 0 ? [] : [text(' + ')]), code(name)]),
    ]);
}

function examplesIn({ examples, types, default: fallback }: Schema): unknown[] {
  if (types.includes('object')) return [];
  return examples.filter((value) => {
    const isLong = typeof value === 'object' && value !== null && JSON.stringify(value).length > 200;
    return value !== fallback?.value && !isLong;
  });
}

const LIMIT_WORDS = [
  ['multipleOf', 'multipleOf'],
  ['pattern', 'pattern'],
  ['contentMediaType', 'contentType'],
  ['contentEncoding', 'contentEncoding'],
] as const;

function allowedValues(values: readonly EnumValue[], scope: FieldScope): Node[] {
  if (values.length === 0) return [];
  const { strings } = scope;
  const shown = values.slice(0, MAX_ENUM);
  const rest = values.length - shown.length;
  const more = rest === 0 ? [] : [text(` +${rest}`)];
  const label = values.length === 1 ? strings.onlyValue : strings.allowedValues;
  if (shown.every(({ name, description }) => name === null && description === null)) {
    const items = shown.flatMap(({ value }, index) => [text(index === 0 ? '' : ' '), code(dataOf(value))]);
    return [paragraph([text(`${label}: `), ...items, ...more])];
  }
  const rows = shown.map(({ value, name, description }) => {
    const start = [code(dataOf(value))];
    if (name !== null) start.push(text(description === null ? ` ${name}` : ` ${name}:`));
    return withText(start, description, scope);
  });
  return [paragraph([text(`${label}:`)]), list(rows), ...(rest === 0 ? [] : [paragraph(more)])];
}

// Nested fields

/** Notes a field whose schema has more to show than its type. */
function wait(at: At, into: Node[], place: FieldPlace, scope: FieldScope): void {
  if (hasNested(scope.schemas.read(at), scope)) scope.waiting.push({ at, into, place, isFolded: true });
}

function hasNested(schema: Schema, scope: FieldScope, depth = 0): boolean {
  if (schema.properties.length > 0 || schema.patterns.length > 0 || schema.variants.length > 0) return true;
  if (schema.prefix.length > 0 || schema.not !== null || schema.conditions.length > 0) return true;
  if (depth > 6) return false;
  const inner = schema.items ?? schema.content ?? schema.additional;
  return inner !== null && hasNested(scope.schemas.read(inner), scope, depth + 1);
}

/** Adds the fields of a schema to nodes, without a field around them. */
export function addFields(
  at: At,
  into: Node[],
  place: Omit<FieldPlace, 'around' | 'depth'>,
  scope: FieldScope,
): void {
  into.push(...factsOf(scope.schemas.read(at), [], scope));
  const first = scope.waiting.length;
  addContent({ at, into, place: { ...place, around: [], depth: 0 }, isFolded: false }, scope);
  // Alternatives of a body are as far outside as its fields; they leave room for the bodies after it.
  const later: Waiting[] = [];
  for (const next of scope.waiting.splice(first)) {
    if (next.isFolded || scope.shown >= MAX_FOLDED) later.push(next);
    else addContent(next, scope);
  }
  scope.waiting.splice(first, 0, ...later);
}

/** Adds nested fields level by level, so that a page that may not show all of them shows the outer ones. */
export function addNested(scope: FieldScope): void {
  for (let index = 0; index < scope.waiting.length; index++) {
    const next = scope.waiting[index];
    if (next !== undefined) addContent(next, scope);
  }
  scope.waiting.length = 0;
}

function addContent({ at, into, place, isFolded }: Waiting, scope: FieldScope): void {
  const target = innermost(at, scope.schemas);
  const circle = place.around.find(({ value }) => value === target.key);
  if (circle !== undefined) {
    into.push(paragraph([text(`${scope.strings.sameAs} `), link(circle.id, target.schema)]));
    return;
  }
  const most = place.depth === 0 || scope.isExpanded ? MAX_INLINE : MAX_FOLDED;
  if (scope.shown >= most || place.depth >= MAX_DEPTH) {
    const instead = elsewhere(target.at, target.schema, place, scope);
    if (instead !== null) {
      into.push(instead);
      return;
    }
  }
  const inside: FieldPlace = {
    ...place,
    anchor: undefined,
    around: [...place.around, { value: target.key, id: place.anchor ?? place.id }],
    depth: place.depth + 1,
  };
  const content = contentOf(target.schema, inside, scope);
  if (content.length === 0) return;
  const { name, properties, patterns } = target.schema;
  if (!isFolded || (properties.length === 0 && patterns.length === 0)) into.push(...content);
  else
    into.push(
      element(
        'Expandable',
        {
          ...(name === null ? {} : { title: name }),
          defaultOpen: scope.isExpanded,
        },
        content,
      ),
    );
}

/**
 * Instead of the fields of a schema: a disclosure that loads them from the page of the schema. Schemas without a page are
 * shown in place as long as the limits allow, else it is a link to the description, which is a file of the site.
 */
function elsewhere(at: At, schema: Schema, { id, depth }: FieldPlace, scope: FieldScope): Node | null {
  const { strings, pageOf } = scope;
  const page = schema.name === null ? null : pageOf(at, schema.name);
  if (page !== null && schema.name !== null) {
    const words = [text(`${strings.moreFields}: `), linkTo(`/${page}`, schema.name)];
    return element('Expandable', { title: schema.name, id: `${id}${FIELDS}` }, [paragraph(words)]);
  }
  if (scope.shown < MAX_FIELDS && depth < MAX_DEPTH) return null;
  const words = at.file === '' ? text(strings.notShown) : linkTo(`/${encodeURI(at.file)}`, strings.notShown);
  return paragraph([words]);
}

/** End of the id of a disclosure whose fields come from a script; the script of the page knows it. */
const FIELDS = '-fields';

/** A schema, and what lists and maps inside it contain. */
interface Level {
  readonly at: At;
  readonly schema: Schema;
  /** As in JSONPath: `[*]`, `.*`. */
  readonly path: string;
}

/** A schema and those of items of arrays and values of maps, at any depth. */
function levelsOf(at: At, schemas: Schemas): [Level, ...Level[]] {
  const levels: [Level, ...Level[]] = [{ at, schema: schemas.read(at), path: '' }];
  let { schema, path } = levels[0];
  for (let depth = 0; depth < 8; depth++) {
    const isOwn = schema.properties.length > 0 || schema.variants.length > 0 || schema.prefix.length > 0;
    const inner = schema.items ?? schema.content ?? (schema.patterns.length > 0 ? null : schema.additional);
    if (isOwn || inner === null) break;
    path += inner === schema.items ? '[*]' : inner === schema.additional ? '.*' : '';
    schema = schemas.read(inner);
    levels.push({ at: inner, schema, path });
  }
  return levels;
}

/** Where to look for the fields. */
function innermost(at: At, schemas: Schemas): { at: At; schema: Schema; key: unknown } {
  const levels = levelsOf(at, schemas);
  const last = levels.at(-1) ?? levels[0];
  return { at: last.at, schema: last.schema, key: keyOf(last.at, schemas) };
}

/** What is the same for every use of a schema. */
function keyOf(at: At, { resolver }: Schemas): unknown {
  return isReference(at.value) ? (resolver.resolve(at)?.value ?? at.value) : at.value;
}

function link(id: string, { name, title }: Schema): Node {
  return linkTo(`#${encodeURIComponent(id)}`, name ?? title ?? id);
}

function contentOf(schema: Schema, place: FieldPlace, scope: FieldScope): Node[] {
  const nodes: Node[] = [];
  const own = schema.properties.filter(({ schema: at }) => isShown(scope.schemas.read(at), place));
  for (const property of [...own.filter((one) => one.isRequired), ...own.filter((one) => !one.isRequired)])
    nodes.push(propertyNode(property, place, scope));
  for (const pattern of schema.patterns)
    nodes.push(propertyNode({ ...pattern, name: `/${pattern.name}/` }, place, scope));
  if (schema.properties.length > 0 && schema.additional !== null) {
    const any = { name: scope.strings.otherProperties, schema: schema.additional, isRequired: false };
    nodes.push(propertyNode(any, place, scope));
  }
  schema.prefix.forEach((at, index) => {
    nodes.push(propertyNode({ name: `[${index}]`, schema: at, isRequired: false }, place, scope));
  });
  if (schema.prefix.length > 0 && schema.items !== null)
    nodes.push(propertyNode({ name: '[…]', schema: schema.items, isRequired: false }, place, scope));
  for (const variants of schema.variants) nodes.push(...variantNodes(variants, place, scope));
  for (const [index, condition] of schema.conditions.entries())
    nodes.push(...conditionNodes(condition, { ...place, id: `${place.id}-if-${index + 1}` }, scope));
  if (schema.not !== null)
    nodes.push(paragraph([text(`${scope.strings.notAllowed}: `), code(notWords(schema.not, scope.schemas))]));
  return nodes;
}

/** What `not` excludes: values, else a type, else the schema as it is written. */
function notWords(at: At, schemas: Schemas): string {
  const { values } = schemas.read(at);
  if (values.length > 0)
    return values
      .slice(0, MAX_ENUM)
      .map(({ value }) => dataOf(value))
      .join(', ');
  const label = typeLabel(at, schemas);
  return label === 'any' ? dataOf(at.value).slice(0, 200) : label;
}

const isShown = (schema: Schema, { direction }: FieldPlace): boolean =>
  direction === 'request' ? !schema.isReadOnly : !schema.isWriteOnly;

function propertyNode({ name, isRequired, schema }: Property, place: FieldPlace, scope: FieldScope): Element {
  const facts = {
    name,
    isRequired,
    deprecated: false,
    description: null,
  };
  return fieldNode(facts, schema, { ...place, id: `${place.id}-${idOf(name)}` }, scope);
}

/** A name as a part of an id. */
export const idOf = (name: string): string => name.slice(0, 100).replace(/\s+/g, '-');

function variantNodes(
  { kind, list: all, discriminator }: Variants,
  place: FieldPlace,
  scope: FieldScope,
): Node[] {
  const { strings } = scope;
  const shown = all.slice(0, MAX_TABS);
  const titles = titlesOf(shown, discriminator?.values ?? [], scope.schemas);
  const simple = shown.every((at) => !hasNested(scope.schemas.read(at), scope));
  const label = kind === 'oneOf' ? strings.oneOf : strings.anyOf;
  if (simple) {
    const rows = shown.map((at, index) => {
      const schema = scope.schemas.read(at);
      const heading: Node[] = [code(typeLabel(at, scope.schemas))];
      const title = titles[index] ?? '';
      if (schema.title !== null && title !== '') heading.push(text(` ${title}`));
      return [paragraph(heading), ...contentWithItems(at, null, [], scope)];
    });
    return [paragraph([text(`${label}:`)]), list(rows)];
  }
  const tabs = shown.map((at, index) => {
    const tab = tabOf(at, titles[index] ?? `${index + 1}`, index, place, scope);
    if (discriminator !== null) tab.children.unshift(...choosingValues(discriminator, index, tab, at, scope));
    return tab;
  });
  return [
    paragraph([text(`${label}${discriminator === null ? '' : ` (${discriminator.property})`}:`)]),
    element('Tabs', { sync: false }, tabs),
    ...otherAlternatives(all.slice(MAX_TABS), scope),
  ];
}

/** Alternatives that have no tab: links to the pages of their schemas, else their names or types. */
function otherAlternatives(list: readonly At[], { schemas, pageOf }: FieldScope): Node[] {
  if (list.length === 0) return [];
  const names = list.flatMap((at, index): Node[] => {
    const { name, title } = schemas.read(at);
    const page = name === null ? null : pageOf(at, name);
    const words = name ?? title ?? typeLabel(at, schemas);
    return [text(index === 0 ? ' ' : ', '), page === null ? code(words) : linkTo(`/${page}`, words)];
  });
  return [paragraph([text(`+${list.length}:`), ...names])];
}

/** The values of the discriminator that choose an alternative, if neither its title nor its property says them. */
function choosingValues(
  { property, values, fallback }: Discriminator,
  index: number,
  tab: Element,
  at: At,
  { schemas, strings }: FieldScope,
): Node[] {
  const own = values[index] ?? [];
  if (index === fallback) {
    const known = own.flatMap((one) => [code(one), text(', ')]);
    return [paragraph([code(property), text(' = '), ...known, text(strings.fieldDefault)])];
  }
  const described = schemas.read(at).properties.find(({ name }) => name === property);
  if (own.length === 0 || (own.length === 1 && own[0] === tab.props.title)) return [];
  if (described !== undefined && schemas.read(described.schema).values.length > 0) return [];
  const words = own.flatMap((one, place) => [text(place === 0 ? ' = ' : ', '), code(one)]);
  return [paragraph([code(property), ...words])];
}

/** One of several schemas of which only some apply. */
function tabOf(at: At, title: string, index: number, place: FieldPlace, scope: FieldScope): Element {
  const content = contentWithItems(at, null, [], scope);
  const id = `${place.id}-${index + 1}`;
  scope.shown++;
  if (hasNested(scope.schemas.read(at), scope))
    scope.waiting.push({ at, into: content, place: { ...place, id }, isFolded: false });
  else content.unshift(paragraph([code(typeLabel(at, scope.schemas))]));
  return element('Tab', { title, id }, content);
}

/** Keywords and labels stay as they are written: they are the same in all languages. */
function conditionNodes({ keyword, value, parts }: Condition, place: FieldPlace, scope: FieldScope): Node[] {
  const words = value === undefined ? [] : [text(' '), code(dataOf(value))];
  const tabs = parts.map(({ label, schema }, index) => tabOf(schema, label, index, place, scope));
  return [paragraph([code(keyword), text(':'), ...words]), element('Tabs', { sync: false }, tabs)];
}

/** A title for each alternative: its own, its discriminator, its name, what only it has, its type. */
function titlesOf(list: readonly At[], values: Discriminator['values'], schemas: Schemas): string[] {
  const all = list.map((at) => schemas.read(at));
  const counts = new Map<string, number>();
  for (const { properties } of all)
    for (const { name } of properties) counts.set(name, (counts.get(name) ?? 0) + 1);
  const titles = all.map((schema, index) => {
    const own = schema.properties.find(({ name }) => counts.get(name) === 1)?.name;
    const known = schema.title ?? values[index]?.[0] ?? schema.name ?? constOf(schema, schemas) ?? own;
    return known ?? typeLabel(list[index]!, schemas);
  });
  const seen = new Map<string, number>();
  return titles.map((title) => {
    const count = (seen.get(title) ?? 0) + 1;
    seen.set(title, count);
    return count === 1 ? title : `${title} (${count})`;
  });
}

/** The value of the first property that has only one. */
function constOf({ properties }: Schema, schemas: Schemas): string | undefined {
  for (const { schema: at } of properties) {
    const { values } = schemas.read(at);
    if (values.length === 1) return dataOf(values[0]?.value);
  }
  return undefined;
}
