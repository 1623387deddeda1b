import { isObject } from '../../config/json.ts';
import { type ExampleOptions, exampleOf } from '../example.ts';
import type { At } from '../resolver.ts';
import type { Schema, Schemas } from '../schema.ts';
import { shortenXml } from '../shorten.ts';

const MAX_DEPTH = 8;
const MAX_LENGTH = 20_000;

/** An example of a schema as XML, by the `xml` objects of OpenAPI: names, attributes and wrapped lists. */
export function xmlOf(at: At, schemas: Schemas, direction: ExampleOptions['direction']): string {
  const value = exampleOf(at, schemas, { direction, isComplete: true });
  if (typeof value === 'string' && value.trimStart().startsWith('<')) return value;
  const name = xmlFacts(at, schemas).name ?? schemas.read(at).name ?? 'root';
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', ...elementOf(name, value, at, schemas, 0)];
  return shortenXml(lines.join('\n'), MAX_LENGTH);
}

interface XmlFacts {
  name: string | null;
  isAttribute: boolean;
  isWrapped: boolean;
}

function xmlFacts(at: At, { resolver }: Schemas): XmlFacts {
  const target = resolver.resolve(at)?.value;
  const xml = isObject(target) && isObject(target.xml) ? target.xml : {};
  return {
    name: typeof xml.name === 'string' ? xml.name : null,
    isAttribute: xml.attribute === true || xml.nodeType === 'attribute',
    // Of lists; a list in OpenAPI 3.2 has no element of its own otherwise.
    isWrapped: xml.wrapped === true || xml.nodeType === 'element',
  };
}

/** Lines of an element; a list gives one for each item. */
function elementOf(name: string, value: unknown, at: At | null, schemas: Schemas, depth: number): string[] {
  if (value === undefined || depth > MAX_DEPTH) return [];
  const schema = at === null ? null : schemas.read(at);
  const indent = '  '.repeat(depth);
  const tag = tagOf(name);
  if (Array.isArray(value)) return listOf(name, value, { at, schema, schemas, depth });
  if (!isObject(value)) return [`${indent}<${tag}>${escapeXml(String(value ?? ''))}</${tag}>`];
  const inner: string[] = [];
  let attributes = '';
  for (const [key, one] of Object.entries(value)) {
    const property = schema?.properties.find((known) => known.name === key)?.schema ?? null;
    const facts = property === null ? null : xmlFacts(property, schemas);
    const own = Array.isArray(one) && facts?.isWrapped !== true ? key : (facts?.name ?? key);
    if (facts?.isAttribute === true) attributes += ` ${tagOf(own)}="${escapeXml(String(one ?? ''))}"`;
    else inner.push(...elementOf(own, one, property, schemas, depth + 1));
  }
  if (inner.length === 0) return [`${indent}<${tag}${attributes} />`];
  return [`${indent}<${tag}${attributes}>`, ...inner, `${indent}</${tag}>`];
}

interface ListPlace {
  at: At | null;
  schema: Schema | null;
  schemas: Schemas;
  depth: number;
}

function listOf(name: string, value: unknown[], { at, schema, schemas, depth }: ListPlace): string[] {
  const items = schema?.items ?? null;
  const itemName = (items === null ? null : xmlFacts(items, schemas).name) ?? name;
  const isWrapped = at !== null && xmlFacts(at, schemas).isWrapped;
  const lines = value.flatMap((one) =>
    elementOf(itemName, one, items, schemas, isWrapped ? depth + 1 : depth),
  );
  if (!isWrapped) return lines;
  const indent = '  '.repeat(depth);
  return [`${indent}<${tagOf(name)}>`, ...lines, `${indent}</${tagOf(name)}>`];
}

const tagOf = (name: string): string => {
  const tag = name.replace(/[^\p{L}\p{N}_.:-]/gu, '_');
  return /^[\p{L}_]/u.test(tag) ? tag : `_${tag}`;
};

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
