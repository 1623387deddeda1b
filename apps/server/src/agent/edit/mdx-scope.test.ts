import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { proseSpans } from './mdx-scope.ts';
import { isWholeWord, recased } from './word.ts';

/** The text with what is prose in capitals; the samples are written in small letters. */
function marked(text: string): string {
  let out = '';
  let at = 0;
  for (const { start, end } of proseSpans(text)) {
    out += text.slice(at, start) + text.slice(start, end).toUpperCase();
    at = end;
  }
  return out + text.slice(at);
}

describe('prose and code', () => {
  test.each([
    ['inline code', 'say `code` and ``a ` b`` now', 'SAY `code` AND ``a ` b`` NOW'],
    ['a tick without its pair', 'say `code\n\nnow', 'SAY `CODE\n\nNOW'],
    ['a tick in a page with Windows line ends', 'a ` b\r\n\r\nc `d` e', 'A ` B\r\n\r\nC `d` E'],
    ['an escaped tick', 'say \\`word\\` now', 'SAY \\`WORD\\` NOW'],
    ['fences', 'a\n```js title\nb\n```\nc', 'A\n```js title\nb\n```\nC'],
    [
      'fences in lists and quotes',
      '- a\n  ~~~\n  b\n  ~~~\n> ```\n> c\n> ```\nd',
      '- A\n  ~~~\n  b\n  ~~~\n> ```\n> c\n> ```\nD',
    ],
    ['longer fences', '````\n```\na\n```\nb\n````\nc', '````\n```\na\n```\nb\n````\nC'],
    ['a fence that never closes', 'a\n```\nb\n\nc', 'A\n```\nb\n\nc'],
    ['links', '[text](/path "title") and ![alt](a.png)', '[TEXT](/path "TITLE") AND ![ALT](a.png)'],
    ['link targets with brackets', '[a](/b(c)d) e', '[A](/b(c)d) E'],
    ['references', '[text][id] and\n\n[id]: /path "title"\n', '[TEXT][id] AND\n\n[id]: /path "TITLE"\n'],
    ['footnotes', 'a[^note] b\n\n[^note]: text', 'A[^note] B\n\n[^note]: TEXT'],
    [
      'addresses',
      'see https://a.b/c, www.a.b or <https://d.e> or x@y.zz.',
      'SEE https://a.b/c, www.a.b OR <https://d.e> OR x@y.zz.',
    ],
    [
      'paths',
      'see /api/things, ./a.md or a/b.json, and/or not',
      'SEE /api/things, ./a.md OR a/b.json, AND/OR NOT',
    ],
    ['comments', 'a <!-- b\n\nc --> d {/* e */} f', 'A <!-- b\n\nc --> D {/* e */} F'],
    ['expressions', 'a {b.c({ d: "}" })} e {`f}`}', 'A {b.c({ d: "}" })} E {`f}`}'],
    ['a brace without its pair', 'a { b', 'A { B'],
    [
      'tags',
      '<card icon="a" title="b c" x={d} {...e}>f</card>',
      '<card icon="a" title="B C" x={d} {...e}>F</card>',
    ],
    [
      'attributes that people read',
      '<img alt="a" src="b" class="c d" note="e f" kind="g" />',
      '<img alt="A" src="b" class="c d" note="E F" kind="g" />',
    ],
    [
      'tags over lines',
      '<card\n  title="a"\n  href="/b"\n>\nc\n</card>',
      '<card\n  title="A"\n  href="/b"\n>\nC\n</card>',
    ],
    ['less than', 'a < b and c > d, 1<2', 'A < B AND C > D, 1<2'],
    ['elements of code', 'a <code>b <b>c</b></code> d', 'A <code>b <b>c</b></code> D'],
    [
      'imports and exports',
      'import a from "b"\nimport { c }\n  from "d"\n\nexport const e = {\n  f: 1,\n\n  g: 2,\n}\nh',
      'import a from "b"\nimport { c }\n  from "d"\n\nexport const e = {\n  f: 1,\n\n  g: 2,\n}\nH',
    ],
    [
      'a sentence about an import',
      'import your data first.\nexport it',
      'IMPORT YOUR DATA FIRST.\nEXPORT IT',
    ],
    ['tables', '| a | `b` |\n| - | - |\n| c | d |', '| A | `b` |\n| - | - |\n| C | D |'],
  ])('%s', (_name, text, expected) => {
    expect(marked(text)).toBe(expected);
  });

  test('front matter: what people read is prose, keys and what machines read are not', () => {
    const text =
      '---\ntitle: a word\nicon: rocket\n"og:title": b\nopenapi: get /x y\nnote: c d\nslug: e\nkeywords:\n  - f\n  - g h\n# comment here\n---\ntitle: i\n';
    expect(marked(text)).toBe(
      '---\ntitle: A WORD\nicon: rocket\n"og:title": B\nopenapi: get /x y\nnote: C D\nslug: e\nkeywords:\n  - F\n  - G H\n# comment here\n---\nTITLE: I\n',
    );
    expect(marked('---\ntitle: a\n\nb')).toBe('---\nTITLE: A\n\nB');
  });
});

describe('any text', () => {
  const part = fc.constantFrom(
    '`',
    '```',
    '~~~',
    '\n',
    '\r\n',
    '\n\n',
    '<',
    '>',
    '<a',
    '</a>',
    '{',
    '}',
    '"',
    "'",
    '](',
    ')',
    '[',
    '[^',
    '<!--',
    '-->',
    'import {',
    'export const a = [',
    '---\n',
    'title: ',
    '\\',
    '=',
    'word',
    ' ',
    '/',
    '\ufeff',
    '\ud800',
  );

  test('is split into spans in order, and never throws', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        let at = 0;
        for (const { start, end } of proseSpans(text)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          at = end;
        }
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    '{',
    '`',
    '<a b="',
    '[^',
    '](',
    '<code>',
    '``` x',
    '<!--',
    'import {\n',
    '{"',
    '{/*',
    '`a``b',
    '<a {',
    '- ',
    '> ',
    'http://',
  ])('made of %j thirty thousand times is read to its end', (piece) => {
    const spans = proseSpans(piece.repeat(30_000));
    expect(spans.every(({ start, end }) => start < end)).toBe(true);
  });
});

describe('words', () => {
  const whole = (text: string, word: string): boolean => {
    const at = text.indexOf(word);
    return isWholeWord(text, at, at + word.length);
  };

  test.each([
    ['a cat sat', 'cat', true],
    ['category', 'cat', false],
    ['école', 'cole', false],
    ['cafés', 'café', false],
    ['_cat_ sat', 'cat', true],
    ['my_cat', 'cat', false],
    ['cat_id', 'cat', false],
    ['**cat**s', 'cat', true],
    ['C++11', 'C++', true],
    ['使用Offprint平台', 'Offprint', true],
    ['使用平台吧', '平台', true],
    ['𝒳cat', 'cat', false],
    ['cat', 'cat', true],
  ])('in %j the word %j: %j', (text, word, expected) => {
    expect(whole(text, word)).toBe(expected);
  });

  test.each([
    ['workspace', 'workspace', 'project', 'project'],
    ['Workspace', 'workspace', 'project', 'Project'],
    ['WORKSPACE', 'workspace', 'project', 'PROJECT'],
    ['Access Token', 'access token', 'API key', 'API Key'],
    ['Access token', 'access token', 'secret key', 'Secret key'],
    ['acme cloud', 'Acme Cloud', 'Offprint API', 'offprint API'],
    ['X', 'x', 'unit', 'Unit'],
  ])('%j found for %j becomes %j: %j', (found, find, replace, expected) => {
    expect(recased(found, find, replace)).toBe(expected);
  });
});
