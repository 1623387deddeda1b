import { expect, test } from 'vitest';
import { createResolver } from '../resolver.ts';
import { openSchemas } from '../schema.ts';
import { xmlOf } from './xml.ts';

const document = {
  components: {
    schemas: {
      Tag: { type: 'string', example: 'new', xml: { name: 'tag', prefix: 't', namespace: 'urn:t' } },
    },
  },
};

/** The lines of the example after the declaration. */
function linesOf(schema: object): string[] {
  const schemas = openSchemas(createResolver({ read: () => document, missing: () => {} }));
  const [declaration, ...lines] = xmlOf(
    { value: schema, file: 'api.json', name: 'Thing' },
    schemas,
    'request',
  ).split('\n');
  expect(declaration).toBe('<?xml version="1.0" encoding="UTF-8"?>');
  return lines;
}

const text = (example: string, xml?: object) => ({ type: 'string', example, ...(xml && { xml }) });
const object = (properties: object, xml?: object) => ({ type: 'object', properties, ...(xml && { xml }) });

test('an element has its prefix and declares its namespace', () => {
  const name = text('fern', { prefix: 's', namespace: 'https://example.com/s?a&b' });
  expect(linesOf(object({ id: { type: 'integer', example: 1, xml: { attribute: true } }, name }))).toEqual([
    '<Thing id="1">',
    '  <s:name xmlns:s="https://example.com/s?a&amp;b">fern</s:name>',
    '</Thing>',
  ]);
});

test('a namespace is declared once by the element around, without a prefix as its default', () => {
  const own = { prefix: 'p', namespace: 'urn:p' };
  const schema = object(
    {
      a: text('1', own),
      b: text('2', { prefix: 'p' }),
      c: text('3', { prefix: 'p', namespace: 'urn:other' }),
    },
    { ...own, name: 'list' },
  );
  expect(linesOf(schema)).toEqual([
    '<p:list xmlns:p="urn:p">',
    '  <p:a>1</p:a>',
    '  <p:b>2</p:b>',
    '  <p:c xmlns:p="urn:other">3</p:c>',
    '</p:list>',
  ]);
  expect(linesOf(object({ a: text('1', { namespace: 'urn:d' }) }, { namespace: 'urn:d' }))).toEqual([
    '<Thing xmlns="urn:d">',
    '  <a>1</a>',
    '</Thing>',
  ]);
});

test('the element of an attribute with a prefix declares its namespace', () => {
  const kind = text('x', { attribute: true, prefix: 'k', namespace: 'urn:k' });
  expect(linesOf(object({ kind, name: text('fern') }))).toEqual([
    '<Thing xmlns:k="urn:k" k:kind="x">',
    '  <name>fern</name>',
    '</Thing>',
  ]);
});

test('items and the element around a list have their own prefixes', () => {
  const items = { $ref: '#/components/schemas/Tag' };
  const tags = {
    type: 'array',
    items,
    xml: { wrapped: true, name: 'tags', prefix: 'w', namespace: 'urn:w' },
  };
  expect(linesOf(object({ tags, more: { type: 'array', items } }))).toEqual([
    '<Thing>',
    '  <w:tags xmlns:w="urn:w">',
    '    <t:tag xmlns:t="urn:t">new</t:tag>',
    '  </w:tags>',
    '  <t:tag xmlns:t="urn:t">new</t:tag>',
    '</Thing>',
  ]);
});

test('members beside a reference replace those of the schema', () => {
  const tag = { $ref: '#/components/schemas/Tag', xml: { name: 'label' } };
  expect(linesOf(object({ tag }))).toEqual([
    '<Thing>',
    '  <t:label xmlns:t="urn:t">new</t:label>',
    '</Thing>',
  ]);
});

test('node types of OpenAPI 3.2 are attributes, texts, sections and parts of the element around', () => {
  const schema = object({
    lang: text('en', { nodeType: 'attribute' }),
    value: text('a < b', { nodeType: 'text' }),
  });
  expect(linesOf(schema)).toEqual(['<Thing lang="en">a &lt; b</Thing>']);
  expect(linesOf(object({ code: text('a ]]> b', { nodeType: 'cdata' }) }))).toEqual([
    '<Thing><![CDATA[a ]]]]><![CDATA[> b]]></Thing>',
  ]);
  const inner = object(
    { id: text('1', { nodeType: 'attribute' }), name: text('fern') },
    { nodeType: 'none' },
  );
  expect(linesOf(object({ inner, end: text('2') }))).toEqual([
    '<Thing id="1">',
    '  <name>fern</name>',
    '  <end>2</end>',
    '</Thing>',
  ]);
  expect(linesOf(object({ value: text('first', { nodeType: 'text' }), name: text('fern') }))).toEqual([
    '<Thing>',
    '  first',
    '  <name>fern</name>',
    '</Thing>',
  ]);
});
