import { describe, expect, test } from 'vitest';
import { memorySource } from '../source.ts';
import { SourceError, type Warning } from '../warning.ts';
import { placeOf } from './place.ts';
import { readConfigTree } from './reference.ts';

function read(files: Record<string, unknown>, warnings: Warning[] = []) {
  const texts = Object.entries(files).map(([path, value]) => [
    path,
    typeof value === 'string' ? value : JSON.stringify(value, null, 1),
  ]);
  return readConfigTree(memorySource(Object.fromEntries(texts)), 'docs.json', (warning) =>
    warnings.push(warning),
  );
}

describe('$ref', () => {
  test('is relative to the file that holds it, nested, and lists the files used', () => {
    const tree = read({
      'docs.json': { navigation: { $ref: './config/nav.json' }, other: { $ref: 'config/list.json' } },
      'config/nav.json': { tabs: { $ref: 'parts/tabs.json' }, root: { $ref: '../top.json' } },
      'config/parts/tabs.json': [{ tab: 'A' }],
      'config/list.json': [1, 2],
      'top.json': '"text"',
    });
    expect(tree.value).toEqual({ navigation: { tabs: [{ tab: 'A' }], root: 'text' }, other: [1, 2] });
    expect(tree.files).toEqual([
      'docs.json',
      'config/parts/tabs.json',
      'top.json',
      'config/nav.json',
      'config/list.json',
    ]);
  });

  test('lets siblings win over an object and ignores them beside a list', () => {
    const tree = read({
      'docs.json': { a: { $ref: 'a.json', x: 1 }, b: { $ref: 'b.json', x: 1 } },
      'a.json': { x: 0, y: 2 },
      'b.json': [3],
    });
    expect(tree.value).toEqual({ a: { x: 1, y: 2 }, b: [3] });
  });

  test('keeps the place of every member in its own file', () => {
    const tree = read({
      'docs.json': '{\n"a": {\n"$ref": "a.json",\n"x": 1 } }',
      'a.json': '{\n\n"y": 2 }',
    });
    const merged = (tree.value as { a: object }).a;
    expect(placeOf(merged, 'x')).toEqual({ file: 'docs.json', line: 4 });
    expect(placeOf(merged, 'y')).toEqual({ file: 'a.json', line: 3 });
  });

  test.each([
    ['ref-missing', 'gone.json', 'expected at "gone.json"'],
    ['ref-escape', '../../etc/x.json', 'is outside the docs folder'],
    ['ref-escape', 'a/../../x.json', 'is outside the docs folder'],
    ['ref-type', 'x.yaml', '.json'],
    ['ref-type', 'https://example.com/x.json', '.json'],
    ['ref-type', '..\\x.json', '.json'],
    ['ref-type', '#/definitions/a', '.json'],
    ['ref-cycle', 'docs.json', 'docs.json -> docs.json'],
  ])('%s names the place for %j', (code, target, message) => {
    const load = () => read({ 'docs.json': `{\n"navigation": {\n"$ref": ${JSON.stringify(target)} } }` });
    expect(load).toThrow(expect.objectContaining({ code, file: 'docs.json', line: 3 }));
    expect(load).toThrow(message);
  });

  test('finds a circle over several files and names it', () => {
    const files = {
      'docs.json': { $ref: 'a.json' },
      'a.json': { b: { $ref: 'b.json' } },
      'b.json': [{ $ref: 'a.json' }],
    };
    expect(() => read(files)).toThrow('a.json -> b.json -> a.json');
  });

  test('a broken target names its own file and line', () => {
    expect(() => read({ 'docs.json': { a: { $ref: 'a.json' } }, 'a.json': '{\n,' })).toThrow(
      expect.objectContaining({ file: 'a.json', line: 2, code: 'invalid-json' }),
    );
  });

  test('a $ref that is not a string is a warning', () => {
    const warnings: Warning[] = [];
    expect(read({ 'docs.json': { a: { $ref: 5, x: 1 } } }, warnings).value).toEqual({ a: { x: 1 } });
    expect(warnings).toMatchObject([{ code: 'config-type', line: 3 }]);
  });

  test('nesting beyond the limit is cut with a warning, within a file and over files', () => {
    const deep: Warning[] = [];
    read({ 'docs.json': `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}` }, deep);
    expect(deep).toMatchObject([{ code: 'nested-too-deep', file: 'docs.json' }]);
    const files: Record<string, unknown> = { 'docs.json': { a: { $ref: '0.json' } } };
    for (let index = 0; index < 3000; index++) files[`${index}.json`] = { a: { $ref: `${index + 1}.json` } };
    files['3000.json'] = { end: true };
    const chained: Warning[] = [];
    read(files, chained);
    expect(chained.map(({ code }) => code)).toEqual(['nested-too-deep']);
  });

  test('references that double at every step are refused', () => {
    const files: Record<string, unknown> = { 'docs.json': { a: { $ref: '0.json' } } };
    for (let index = 0; index < 40; index++) {
      files[`${index}.json`] = [{ $ref: `${index + 1}.json` }, { $ref: `${index + 1}.json` }];
    }
    files['40.json'] = [1];
    expect(() => read(files)).toThrow(SourceError);
    expect(() => read(files)).toThrow(expect.objectContaining({ code: 'config-too-large' }));
  });
});
