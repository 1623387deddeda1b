import { isObject } from '../../config/json.ts';
import { type ExampleOptions, exampleOf } from '../example.ts';
import type { At } from '../resolver.ts';
import type { Schemas } from '../schema.ts';
import { shortenXml } from '../shorten.ts';
import { scalarText } from '../values.ts';

const MAX_DEPTH = 8;
const MAX_LENGTH = 20_000;

/** An example of a schema as XML, by the `xml` objects of OpenAPI: names, namespaces, attributes and wrapped lists. */
export function xmlOf(at: At, schemas: Schemas, direction: ExampleOptions['direction']): string {
  const value = exampleOf(at, schemas, { direction, isComplete: true });
  if (typeof value === 'string' && value.trimStart().startsWith('<')) return value;
  const name = xmlFacts(at, schemas).name ?? schemas.read(at).name ?? 'root';
  const lines = elementOf(name, value, at, { schemas, depth: 0, spaces: new Map() });
  return shortenXml(['<?xml version="1.0" encoding="UTF-8"?>', ...lines].join('\n'), MAX_LENGTH);
}

interface XmlFacts {
  readonly name: string | null;
  readonly prefix: string | null;
  readonly namespace: string | null;
  readonly node: string;
  /** Of lists; a list in OpenAPI 3.2 has no element of its own otherwise. */
  readonly isWrapped: boolean;
}

const PLAIN: XmlFacts = { name: null, prefix: null, namespace: null, node: 'element', isWrapped: false };

function xmlFacts(at: At, { resolver }: Schemas): XmlFacts {
  const target = resolver.resolve(at)?.value;
  const [own, named] = [at.value, target].map((value) =>
    isObject(value) && isObject(value.xml) ? value.xml : {},
  );
  const xml = { ...named, ...own };
  const written = (value: unknown): string | null =>
    typeof value === 'string' && value !== '' ? value : null;
  return {
    name: written(xml.name),
    prefix: written(xml.prefix),
    namespace: written(xml.namespace),
    node: xml.attribute === true ? 'attribute' : (written(xml.nodeType) ?? 'element'),
    isWrapped: xml.wrapped === true || xml.nodeType === 'element',
  };
}

/** Where an element is. */
interface Place {
  readonly schemas: Schemas;
  readonly depth: number;
  /** Namespaces that the elements around it declare, by prefix. */
  readonly spaces: ReadonlyMap<string, string>;
}

/** A property as a part of its element. */
interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly at: At | null;
  readonly facts: XmlFacts;
}

/** Lines of an element; a list gives one for each item. */
function elementOf(name: string, value: unknown, at: At | null, place: Place): string[] {
  if (value === undefined || place.depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return listOf(name, value, at, place);
  const members = isObject(value) ? membersOf(value, at, place.schemas, place.depth) : [];
  const attributes = members.filter(({ facts }) => facts.node === 'attribute');
  const { start, end, inner } = openElement(name, factsOf(at, place), attributes, place);
  const indent = '  '.repeat(place.depth);
  if (!isObject(value)) return [`${indent}<${start}>${escapeXml(scalarText(value))}</${end}>`];
  const content = members.filter((one) => !attributes.includes(one));
  if (content.length === 0) return [`${indent}<${start} />`];
  const texts = content.map(contentText).filter((one) => one !== null);
  if (texts.length === content.length) return [`${indent}<${start}>${texts.join('')}</${end}>`];
  const lines = content.flatMap((member) => {
    const written = contentText(member);
    if (written !== null) return [`${indent}  ${written}`];
    return elementOf(member.name, member.value, member.at, inner);
  });
  return lines.length === 0
    ? [`${indent}<${start} />`]
    : [`${indent}<${start}>`, ...lines, `${indent}</${end}>`];
}

const factsOf = (at: At | null, { schemas }: Place): XmlFacts =>
  at === null ? PLAIN : xmlFacts(at, schemas);

/** The properties of a value, and instead of one without a node those in it. */
function membersOf(
  value: Readonly<Record<string, unknown>>,
  at: At | null,
  schemas: Schemas,
  depth: number,
): Member[] {
  const known = at === null ? [] : schemas.read(at).properties;
  const properties = new Map(known.map(({ name, schema }) => [name, schema]));
  return Object.entries(value).flatMap(([key, one]) => {
    const property = properties.get(key) ?? null;
    const facts = property === null ? PLAIN : xmlFacts(property, schemas);
    if (facts.node === 'none' && isObject(one) && depth < MAX_DEPTH)
      return membersOf(one, property, schemas, depth + 1);
    const isUnwrapped = Array.isArray(one) && !facts.isWrapped;
    return [{ name: isUnwrapped ? key : (facts.name ?? key), value: one, at: property, facts }];
  });
}

/** What a property adds to the text of its element; null for one that is an element. */
function contentText({ value, facts: { node } }: Member): string | null {
  if (node === 'text') return escapeXml(scalarText(value));
  if (node !== 'cdata') return null;
  return `<![CDATA[${scalarText(value).replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

/** What is in the tags of an element, which declares the namespaces of its name and its attributes. */
function openElement(
  name: string,
  facts: XmlFacts,
  attributes: readonly Member[],
  place: Place,
): { readonly start: string; readonly end: string; readonly inner: Place } {
  const spaces = new Map(place.spaces);
  const own = new Set<string>();
  const declare = ({ prefix, namespace }: XmlFacts, isAttribute: boolean): string => {
    const key = prefix === null ? '' : tagOf(prefix);
    // An attribute without a prefix is in no namespace.
    if (namespace === null || spaces.get(key) === namespace || (isAttribute && key === '')) return '';
    if (own.size === own.add(key).size) return '';
    spaces.set(key, namespace);
    return ` xmlns${key === '' ? '' : `:${key}`}="${escapeXml(namespace)}"`;
  };
  const end = qualified(name, facts);
  const declared = [declare(facts, false), ...attributes.map((one) => declare(one.facts, true))];
  const written = attributes.map(
    (one) => ` ${qualified(one.name, one.facts)}="${escapeXml(scalarText(one.value))}"`,
  );
  const start = `${end}${declared.join('')}${written.join('')}`;
  return { start, end, inner: { ...place, depth: place.depth + 1, spaces } };
}

const qualified = (name: string, { prefix }: XmlFacts): string =>
  prefix === null ? tagOf(name) : `${tagOf(prefix)}:${tagOf(name)}`;

function listOf(name: string, value: readonly unknown[], at: At | null, place: Place): string[] {
  const items = at === null ? null : place.schemas.read(at).items;
  const facts = factsOf(at, place);
  const itemName = factsOf(items, place).name ?? name;
  if (!facts.isWrapped) return value.flatMap((one) => elementOf(itemName, one, items, place));
  const { start, end, inner } = openElement(name, facts, [], place);
  const indent = '  '.repeat(place.depth);
  return [
    `${indent}<${start}>`,
    ...value.flatMap((one) => elementOf(itemName, one, items, inner)),
    `${indent}</${end}>`,
  ];
}

const tagOf = (name: string): string => {
  const tag = name.replace(/[^\p{L}\p{N}_.:-]/gu, '_');
  return /^[\p{L}_]/u.test(tag) ? tag : `_${tag}`;
};

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
