import { describe, expect, test } from 'vitest';
import { parseDescription } from './parse.ts';

const read = (text: string, file = 'api.yaml'): unknown => {
  const parsed = parseDescription(text, file);
  return 'document' in parsed ? structuredClone(parsed.document) : parsed.fault;
};

test('a description of JSON that is cut off is reported as one, with line and column', () => {
  const text = '{\n  "openapi": "3.1.0",\n  "info": { "title": "A",';
  expect(parseDescription(text, 'api.json')).toEqual({
    fault: 'Cannot be parsed: The file ends before "{" from line 3 is closed. (column 26)',
    line: 3,
  });
  expect(parseDescription('{\n  "openapi": x }', 'api.json')).toEqual({
    fault: 'Cannot be parsed: Unexpected "x". Keys and text need double quotes. (column 14)',
    line: 2,
  });
});

describe('merge keys of YAML', () => {
  test('add the members of an anchor, at their place, which own members replace', () => {
    const value = read('base: &base {a: 1, b: 2}\nitem:\n  z: 0\n  <<: *base\n  b: 3\n');
    expect(value).toEqual({ base: { a: 1, b: 2 }, item: { z: 0, a: 1, b: 3 } });
    expect(JSON.stringify(value)).toBe('{"base":{"a":1,"b":2},"item":{"z":0,"a":1,"b":3}}');
  });

  test('add the members of several anchors, of which the first counts', () => {
    const value = read('x: &x {a: 1}\ny: &y {a: 2, b: 2}\nitem: {<<: [*x, *y]}\n');
    expect(value).toMatchObject({ item: { a: 1, b: 2 } });
  });

  test('add what an anchor has by merge keys itself', () => {
    const value = read('x: &x {a: 1}\ny: &y {<<: *x, b: 2}\nitem: {<<: *y, c: 3}\n');
    expect(value).toMatchObject({ y: { a: 1, b: 2 }, item: { a: 1, b: 2, c: 3 } });
  });

  test('are members if they have no object', () => {
    expect(read('x: &x text\nitem: {<<: *x}\n')).toMatchObject({ item: { '<<': 'text' } });
  });

  test('add names of prototypes as names', () => {
    const item = (read('x: &x {__proto__: {a: 1}}\nitem: {<<: *x}\n') as { item: object }).item;
    expect(Object.hasOwn(item, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
  });

  test('are refused if they add too many members', () => {
    const members = Array.from({ length: 2000 }, (_, index) => `k${index}: 1`).join(', ');
    const items = Array.from({ length: 900 }, (_, index) => `i${index}: {<<: *x}`).join('\n');
    expect(read(`x: &x {${members}}\n${items}\n`)).toBe('Its merge keys add more than 1000000 members.');
  });

  test('are refused in a circle, which has no end', () => {
    expect(read('item: &item\n  a: {<<: *item, b: 1}\n')).toBe('Nested more than 400 levels deep.');
  });
});

test.each([
  ['a byte order mark', '\ufeffopenapi: 3.0.3\n', 'api.yaml'],
  ['a byte order mark in JSON', '\ufeff{"openapi": "3.0.3"}', 'api.json'],
  ['CRLF', 'openapi: 3.0.3\r\n', 'api.yaml'],
])('%s is read', (_, text, file) => {
  expect(read(text, file)).toEqual({ openapi: '3.0.3' });
});

test('lines that end with CRLF have no carriage returns in texts', () => {
  expect(read('a: |\r\n  one\r\n  two\r\nb: 1\r\n')).toEqual({ a: 'one\ntwo\n', b: 1 });
});

test('a text that cannot be parsed is reported without the place, which is separate', () => {
  expect(parseDescription('a: [1\nb: 2\n', 'api.yaml')).toEqual({
    fault: 'Flow sequence in block collection must be sufficiently indented and end with a ]',
    line: 2,
  });
});

test.each([1_000, 20_000])('%s levels are refused with the limit', (levels) => {
  const text = '['.repeat(levels) + ']'.repeat(levels);
  const fault = 'Nested more than 400 levels deep.';
  expect(parseDescription(`a: ${text}\n`, 'api.yaml')).toMatchObject({ fault });
  expect(parseDescription(`{"a": ${text}}`, 'api.json')).toMatchObject({ fault });
});
