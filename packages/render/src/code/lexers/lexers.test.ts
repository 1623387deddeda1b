import fc from 'fast-check';
import { expect, test } from 'vitest';
import { growth, LINEAR } from '../../../test/cpu-time.ts';
import { highlightLexed, type LexerName } from './index.ts';

const names = ['json', 'python', 'javascript', 'typescript', 'tsx', 'yaml'] satisfies LexerName[];

/** The spans as text: class and source of each. */
const read = (name: LexerName, code: string): string =>
  highlightLexed(code, name)
    .map(({ from, to, className }) => `${className}:${code.slice(from, to)}`)
    .join(' ');

test.each<[LexerName, string, string]>([
  [
    'json',
    '{"a": ["b", -1.5e3, true], c: null} // d',
    'tp:"a" ts:"b" tn:-1.5e3 tn:true tp:c tn:null tc:// d',
  ],
  ['python', '@app\ndef f(a: int = 1): # c', 'tv:@ tk:def tf:f tn:1 tc:# c'],
  ['python', 'x = f"a {b.c(1)!r} d" + rb\'\\d\'', 'ts:f"a  tf:c tn:1 ts: d" ts:rb\'\\d\''],
  ['python', 'from a.b import c; x.y = not None', 'tk:from tk:import tp:y tk:not tn:None'],
  ['python', 'match x:\n  case 1:\n    match = """a\n"b"""', 'tk:match tk:case tn:1 ts:"""a\n"b"""'],
  ['javascript', 'a = b / c / d; e(/[/]x/g, `f $\u007bg.h} i`)', 'tf:e tr:/[/]x/g ts:`f  tp:h ts: i`'],
  ['javascript', "const {a} = {b: 'c\\n', d() {}}", "tk:const tp:b ts:'c tr:\\n ts:' tp:d"],
  ['javascript', '<A.B c="d" {...e}>if {f} <br/></A.B>', 'tt:A tt:B tp:c ts:"d" tv:br tt:A tt:B'],
  ['javascript', 'x < y && <p>return</p>', 'tv:p tv:p'],
  [
    'typescript',
    'class A<T> extends B { private c?: string; d(e: F): G | H {} }',
    'tk:class tt:A tt:T tk:extends tt:B tk:private tp:c tt:string tp:d tt:F tt:G tt:H',
  ],
  [
    'typescript',
    'type K = { a: string } & L; const b = c as M<N>',
    'tk:type tt:K tp:a tt:string tt:L tk:const tk:as tt:M tt:N',
  ],
  ['typescript', 'if (a < b && c > d) e<F>(g)', 'tk:if tt:F'],
  ['yaml', 'a: b # c\n"d" : [e, "f", {g: 1}]', 'tp:a tc:# c tp:"d" ts:"f" tp:g'],
  ['yaml', 'a: |-\n  b: c # d\n\n  e\nf: >\n g\nh: i', 'tp:a ts:|- tp:f ts:> tp:h'],
  ['yaml', '- a: |\n    b: c\n  d: e\n- f\n- |\n  g: h\n- i: j', 'tp:a ts:| tp:d ts:| tp:i'],
  [
    'yaml',
    "---\na: !t &b 'c''d'\ne: *b\nf: g:h # i",
    "tv:--- tp:a tt:!t tp:&b ts:'c''d' tp:e tp:*b tp:f tc:# i",
  ],
  ['yaml', 'url: https://a.test/#b\ntime: 12:30, "c" d', 'tp:url tp:time'],
])('%s: %s', (name, code, expected) => {
  expect(read(name, code)).toBe(expected);
});

test.each(names)('%s: spans are in order, apart and inside the code, whatever it is', (name) => {
  const pieces = [
    '"',
    "'",
    '`',
    '${',
    '{',
    '}',
    '<a',
    '</',
    '>',
    '/',
    '/*',
    '*/',
    '\\',
    '\n',
    'f"',
    '"""',
    '#',
    '@',
    'class A',
    '?.',
    '1.',
    'é',
    ' ',
  ];
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 40 }), (parts) => {
      const code = parts.join('');
      let last = 0;
      for (const { from, to } of highlightLexed(code, name)) {
        expect(from).toBeGreaterThanOrEqual(last);
        expect(to).toBeGreaterThan(from);
        last = to;
      }
      expect(last).toBeLessThanOrEqual(code.length);
    }),
  );
});

test.each(names)('%s: time grows with the length only', (name) => {
  for (const piece of [
    '{',
    '<a ',
    '<a>{',
    '`${',
    '/',
    '"',
    '(',
    'a<',
    '\\',
    'f"{',
    '@',
    '?',
    'match ',
    '""" ',
    ' ',
    '/[',
  ]) {
    const line = `${piece.repeat(Math.floor(900 / piece.length))}\n`;
    const lex = (size: number) => highlightLexed(line.repeat(Math.ceil(size / line.length)), name);
    expect(growth(lex, 2_500), piece).toBeLessThan(LINEAR);
  }
});
