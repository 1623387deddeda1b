/** Values files as people write them: what changes, and that nothing else does. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { readValues, writeValues } from './values.ts';

const sha256 = 'a1'.repeat(32);
const VALUES = { enabled: true, bundleUrl: 'https://o.example.com/b?signature=x', sha256 };
const LINES = `  enabled: true\n  bundleUrl: "${VALUES.bundleUrl}"\n  sha256: "${sha256}"\n`;

const write = (text: string, format: 'yaml' | 'json' = 'yaml') =>
  writeValues(readValues(text, format, []), VALUES);
const inUmbrella = (text: string, format: 'yaml' | 'json' = 'yaml') =>
  writeValues(readValues(text, format, ['parts', 'docs']), VALUES);

test.each([
  ['an empty file', '', `staticExport:\n${LINES}`],
  ['comments only', '# mine\n', `# mine\nstaticExport:\n${LINES}`],
  ['no staticExport', 'a: 1 # one', `a: 1 # one\nstaticExport:\n${LINES}`],
  ['an empty one', 'staticExport: # ours\nb: 2\n', `staticExport: # ours\n${LINES}b: 2\n`],
  ['null', 'staticExport: ~\nb: 2\n', `staticExport:\n${LINES}b: 2\n`],
  ['an empty map', 'staticExport: {}\nb: 2\n', `staticExport:\n${LINES}b: 2\n`],
  [
    'values beside others, with comments behind and before them',
    `x: 1\nstaticExport:   # ours\n    # link\n    bundleUrl: 'old' # fuse\n    volume: { path: /b }\n    sha256: 12e4\n    enabled: no\n`,
    `x: 1\nstaticExport:   # ours\n    # link\n    bundleUrl: "${VALUES.bundleUrl}" # fuse\n    volume: { path: /b }\n    sha256: "${sha256}"\n    enabled: true\n`,
  ],
  [
    'a link in lines of its own',
    'staticExport:\n  bundleUrl: >-\n    https://a\n    b\n  enabled: true\n  sha256: x\n',
    `staticExport:\n  bundleUrl: "${VALUES.bundleUrl}"\n  enabled: true\n  sha256: "${sha256}"\n`,
  ],
  [
    'a map in one line',
    'staticExport: { enabled: false }\n',
    `staticExport: { enabled: true, bundleUrl: "${VALUES.bundleUrl}", sha256: "${sha256}" }\n`,
  ],
  ['a byte order mark', '\uFEFFstaticExport:\n', `\uFEFFstaticExport:\n${LINES}`],
  [
    'line ends of Windows',
    'staticExport:\r\n  enabled: true\r\nb: 2\r\n',
    `staticExport:\r\n${LINES.replaceAll('\n', '\r\n')}b: 2\r\n`,
  ],
])('%s: only the values of the bundle change', (_, before, after) => {
  expect(write(before)).toBe(after);
  expect(write(after)).toBe(after);
});

const NESTED = LINES.replace(/^ {2}/gm, '      ');
test.each([
  ['no file', '', `parts:\n  docs:\n    staticExport:\n${NESTED}`],
  ['no such part', 'a: 1\n', `a: 1\nparts:\n  docs:\n    staticExport:\n${NESTED}`],
  [
    'a part without staticExport',
    'parts:\n  docs: # ours\n    site: {}\n  b: 1\n',
    `parts:\n  docs: # ours\n    staticExport:\n${NESTED}    site: {}\n  b: 1\n`,
  ],
  [
    'a part with it',
    'parts:\n  docs:\n    staticExport:\n      enabled: false # off\n',
    `parts:\n  docs:\n    staticExport:\n${NESTED.replace('true', 'true # off')}`,
  ],
  [
    'an empty part in one line',
    'parts: { docs: {}, b: 1 }\n',
    `parts: { docs: ${JSON.stringify({ staticExport: VALUES })}, b: 1 }\n`,
  ],
])('below the key of a subchart, %s: only the values of the bundle change', (_, before, after) => {
  expect(inUmbrella(before)).toBe(after);
  expect(inUmbrella(after)).toBe(after);
  expect(JSON.parse(inUmbrella(JSON.stringify(parse(before)), 'json'))).toEqual(parse(after));
});

test('what a merge brings is written over behind it, since Helm lets the last of two win', () => {
  const old = 'x: &x { enabled: false, sha256: 1 }\n';
  expect(write(`${old}staticExport:\n  <<: *x # all\n  b: 1\n`)).toBe(
    `${old}staticExport:\n  <<: *x # all\n${LINES}  b: 1\n`,
  );
  expect(write(`${old}staticExport:\n  bundleUrl: a\n  <<: [*x]\n`)).toBe(
    `${old}staticExport:\n  bundleUrl: "${VALUES.bundleUrl}"\n  <<: [*x]\n  enabled: true\n  sha256: "${sha256}"\n`,
  );
  expect(write(`${old}staticExport: { <<: *x }\n`)).toBe(
    `${old}staticExport: { <<: *x, enabled: true, bundleUrl: "${VALUES.bundleUrl}", sha256: "${sha256}" }\n`,
  );
  expect(() => write(`${old}staticExport:\n  sha256: a\n  <<: *x\n`)).toThrow(
    expect.objectContaining({
      line: 3,
      message: expect.stringContaining('staticExport.sha256 is before'),
    }),
  );
  expect(() => write('x: &x\n  staticExport: { a: 1 }\n<<: *x\n')).toThrow(/cannot be edited without/);
});

test('a merge behind a map on the way to the values is refused where it brings that map, too', () => {
  const lateMerge = (line: number, name: string) =>
    expect.objectContaining({ line, message: expect.stringMatching(`^${name} is before a merge`) });
  const atTop = 'x: &x {staticExport: {bundleUrl: old}}\nstaticExport: {enabled: true}\n<<: *x\n';
  expect(() => write(atTop)).toThrow(lateMerge(2, 'staticExport'));
  const above = 'x: &x {docs: {}}\nparts:\n  docs: {staticExport: {enabled: true}}\n  <<: [*x]\n';
  expect(() => inUmbrella(above)).toThrow(lateMerge(3, 'parts.docs'));
  const first = 'x: &x {staticExport: {bundleUrl: old}}\n<<: *x\nstaticExport: {enabled: true}\n';
  expect(readValues(write(first), 'yaml', []).staticExport).toEqual(VALUES);
});

test('an anchor may be used as often as people write it; what only grows is refused by its limit', () => {
  const uses = Array.from({ length: 1_000 }, (_, at) => `a${at}: *x\n`).join('');
  expect(write(`x: &x { b: [1] }\n${uses}`)).toBe(`x: &x { b: [1] }\n${uses}staticExport:\n${LINES}`);
  const bomb = Array.from({ length: 9 }, (_, at) => `b${at + 1}: &b${at + 1} [${`*b${at},`.repeat(9)}]\n`);
  expect(() => write(`b0: &b0 [1]\n${bomb.join('')}`)).toThrow(/expands to more than 10000 YAML aliases/);
});

test('JSON stays JSON with its layout', () => {
  const text = '{\n  "a": [1, 2],\n  "staticExport": {\n    "enabled": false\n  }\n}\n';
  const written = write(text, 'json');
  expect(written).toBe(
    `{\n  "a": [1, 2],\n  "staticExport": {\n    "enabled": true,\n    "bundleUrl": "${VALUES.bundleUrl}",\n    "sha256": "${sha256}"\n  }\n}\n`,
  );
  for (const empty of ['', '{}', '{"a":1}', '{"a":1,"staticExport":null}', '{"staticExport":{}}'])
    expect(JSON.parse(write(empty, 'json')).staticExport).toEqual(VALUES);
});

test.each([
  ['staticExport is a list', 'a: 1\n\nstaticExport: []\n', 3],
  ['staticExport is an alias', 'a: &a {}\nstaticExport: *a\n', 2],
  ['the file is a list', '# x\n- a\n', 2],
  ['a second document', 'a: 1\n---\nb: 1\n', 2],
  ['a name twice', 'a: 1\nstaticExport: {}\nstaticExport: {}\n', 3],
  ['an open bracket', 'a: 1\nb: [1,\n', 4],
  ['an alias of nothing', 'a: 1\nb: *c\n', 2],
  ['a merge of no map', 'a: 1\nstaticExport:\n  <<: 3\n', 2],
  ['staticExport of a subchart', 'a: 1\noffprint:\n  b: 1\n  staticExport:\n    enabled: true\n', 2],
])('%s: rejected with its line, without quoting the file', (_, text, line) => {
  expect(() => write(`${text}# https://o.example.com/?signature=secret\n`)).toThrow(
    expect.objectContaining({ name: 'ValuesError', line, message: expect.not.stringContaining('signature') }),
  );
});

test('a value that others share by name is refused, since they would change with it', () => {
  for (const text of [
    'staticExport:\n  bundleUrl: &link https://old\nother: *link\n',
    'staticExport: &all\n  enabled: false\nother: *all\n',
  ])
    expect(() => write(text)).toThrow(/cannot be edited without changing other values/);
});

test('staticExport at another path is rejected, and the message contains its values key', () => {
  expect(() => write('a:\n  b:\n    staticExport: {}\n')).toThrow(/is below a\.b\. .*values key/);
  expect(() => inUmbrella('staticExport: {}\n')).toThrow(/is at the top level\. Remove the values key/);
  expect(() => inUmbrella('parts:\n  site:\n    staticExport: {}\n')).toThrow(/is below parts\.site/);
  expect(() => inUmbrella('parts: 1\n')).toThrow(/^parts must be a map/);
});

test('whatever else a file holds stays as it is, in text and in meaning', () => {
  const name = fc.stringMatching(/^[a-z][a-zA-Z]{0,8}$/);
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant('multi\nline\n'),
  );
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(name, tie('node'), { maxKeys: 4 }),
    ),
  })).node;
  const own = fc.dictionary(fc.constantFrom('enabled', 'bundleUrl', 'sha256', 'pull', 'volume'), leaf, {
    maxKeys: 5,
  });
  const values = fc.tuple(
    fc.dictionary(name, tree, { maxKeys: 4 }),
    own,
    fc.dictionary(name, tree, { maxKeys: 3 }),
  );
  fc.assert(
    fc.property(values, fc.constantFrom(2, 4), fc.boolean(), ([before, ours, after], indent, isJson) => {
      const whole = { ...before, staticExport: ours, ...after, last: 1 };
      const text = isJson ? JSON.stringify(whole, null, indent) : stringify(whole, { indent, lineWidth: 0 });
      const written = write(text, isJson ? 'json' : 'yaml');
      expect(parse(written)).toEqual({ ...whole, staticExport: { ...ours, ...VALUES } });
      const lines = new Set(written.split('\n').map((line) => line.replace(/,$/, '')));
      const others = text
        .split('\n')
        .filter((line) => !/^\s*"?(?:enabled|bundleUrl|sha256|staticExport)\b/.test(line));
      if (Object.keys(ours).length > 0 && Object.values(ours).every((value) => !String(value).includes('\n')))
        expect(others.filter((line) => !lines.has(line.replace(/,$/, '')))).toEqual([]);
    }),
    { numRuns: process.env.OFFPRINT_TEST === 'full' ? 20_000 : 300 },
  );
});
