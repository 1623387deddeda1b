import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growth, LINEAR } from '../../test/cpu-time.ts';
import { byRole, find, findOne, has, readHtml, readRoots, textsOf } from '../../test/dom.ts';
import { highlight } from './highlight.ts';
import { codeLabel, parseFenceMeta, renderCode } from './index.ts';
import { findLanguage } from './languages.ts';
import { writeCode, writeLines } from './lines.ts';

describe('fence options', () => {
  const plain = {
    title: null,
    icon: null,
    lines: false,
    highlight: [],
    focus: [],
    wrap: false,
    expandable: false,
    nocopy: false,
    theme: null,
    twoslash: false,
  };
  it.each([
    [null, {}],
    ['Title words', { title: 'Title words' }],
    ['title="In quotes" other', { title: 'In quotes' }],
    ["title='a b'", { title: 'a b' }],
    ['title={"jsx"}', { title: 'jsx' }],
    ['title=bare lines', { title: 'bare', lines: true }],
    [
      'File.ts {1,3-5}',
      {
        title: 'File.ts',
        highlight: [
          [1, 1],
          [3, 5],
        ],
      },
    ],
    [
      'highlight={[1, 2]} focus={2,4-5}',
      {
        highlight: [
          [1, 1],
          [2, 2],
        ],
        focus: [
          [2, 2],
          [4, 5],
        ],
      },
    ],
    ['highlight="1-3"', { highlight: [[1, 3]] }],
    [
      'focus=2,4',
      {
        focus: [
          [2, 2],
          [4, 4],
        ],
      },
    ],
    ['[expandable]', { expandable: true }],
    ['wrap expandable nocopy icon="js"', { wrap: true, expandable: true, nocopy: true, icon: 'js' }],
    ['lines={false} wrap=false', {}],
    ['showLineNumbers', { lines: true }],
    ['theme=x twoslash', { theme: 'x', twoslash: true }],
    ['highlight={0,9999999,5-2}', {}],
    ['title="never closed', { title: 'never closed' }],
    ['{never closed', { title: '{never closed' }],
  ])('%s', (meta, expected) => {
    expect(parseFenceMeta(meta)).toEqual({ ...plain, ...expected });
  });
  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (meta) => void parseFenceMeta(meta)));
  });
});

describe('blocks', () => {
  it('a plain block is text with a copy button', () => {
    const html = renderCode('a < b\n', null, null);
    expect(readRoots(html)).toMatchObject([
      { part: 'code-block-root', text: 'a < b', attributes: { 'data-language': 'text' } },
    ]);
    expect(findOne(html, { role: 'code' })).toMatchObject({ rawText: 'a < b', children: [] });
    expect(findOne(html, { role: 'group', name: 'Code', has: { role: 'code' } }).attributes.tabindex).toBe(
      '0',
    );
    expect(findOne(html, { role: 'button', name: 'Copy code' }).attributes).toHaveProperty('data-op-copy');
  });
  it('a block with title, numbers and marks has one element a line', () => {
    const source = 'let a = 1;\nlet b = 2; // [!code ++]\nold(); // [!code --]';
    const html = renderCode(source, 'js', 'app.js {1} lines');
    const block = findOne(html, {
      class: 'code-block numbered',
      attributes: { 'data-language': 'javascript' },
    });
    expect(findOne(block, { part: 'code-block-header-filename' }).text).toBe('app.js');
    const code = findOne(block, { role: 'code', within: { role: 'group', name: 'app.js' } });
    expect(code.children.map(({ classes, rawText }) => [classes.join(' '), rawText])).toEqual([
      ['line hl', 'let a = 1;\n'],
      ['line ins', 'let b = 2;\n'],
      ['line del', 'old();'],
    ]);
    expect(textsOf(code, { tag: 'i' })).toEqual(['let', '1', 'let', '2', 'old']);
  });
  it('a notation alone on its line takes the line with it and marks those that follow', () => {
    const html = renderCode('# [!code highlight:2]\na: 1\nb: 2\nc: 3', 'yaml', null);
    expect(textsOf(html, { class: 'line' })).toEqual(['a: 1', 'b: 2', 'c: 3']);
    expect(textsOf(html, { class: 'line hl' })).toEqual(['a: 1', 'b: 2']);
  });
  it.each([
    '<!-- [!code ++] -->',
    '/* [!code ++] */',
    '{/* [!code ++] */}',
    '// [!code ++]',
    '# [!code ++]',
    '-- [!code ++]',
  ])('the comment of %s goes', (notation) => {
    expect(textsOf(renderCode(`kept ${notation}`, null, null), { class: 'line ins' })).toEqual(['kept']);
  });
  it('an unknown notation stays', () => {
    expect(renderCode('x // [!code what]', null, null)).toContain('[!code what]');
  });
  it('focus fades the other lines', () => {
    const html = renderCode('a\nb', null, 'focus={2}');
    const block = findOne(html, { class: 'code-block has-focus' });
    expect(textsOf(block, { class: 'line', notClass: 'focus' })).toEqual(['a']);
    expect(textsOf(block, { class: 'line focus' })).toEqual(['b']);
  });
  it('options glued to the language count', () => {
    const html = renderCode('x = 1', 'Python{1}', null);
    expect(has(html, { attributes: { 'data-language': 'python' }, has: { class: 'line hl' } })).toBe(true);
  });
  it('nocopy as a language or an option leaves the button out', () => {
    expect(byRole(renderCode('x', 'js', null), 'button')).toHaveLength(1);
    expect(byRole(renderCode('x', 'nocopy', null), 'button')).toEqual([]);
    expect(byRole(renderCode('x', 'js', 'nocopy'), 'button')).toEqual([]);
  });
  it('only a long block is folded', () => {
    const folded = (code: string) => byRole(renderCode(code, 'js', 'expandable'), 'button', 'Show all lines');
    expect(folded('a\n'.repeat(40))).toMatchObject([{ attributes: { 'aria-expanded': 'false' } }]);
    expect(folded('a')).toEqual([]);
  });
  it('a label is the title, else the language, else the fallback', () => {
    expect(codeLabel('ts', 'a.ts', 'Code')).toBe('a.ts');
    expect(codeLabel('ts', null, 'Code')).toBe('TypeScript');
    expect(codeLabel('klingon', null, 'Code')).toBe('klingon');
    expect(codeLabel(null, null, 'Code')).toBe('Code');
  });
});

const SAMPLES: Readonly<Record<string, string>> = {
  JS: 'import { a } from "b"; // c\nconst x = f(1);',
  tsx: 'const a: Props = <Card title="x">{n}</Card>;',
  py: '@d\ndef f(a: int) -> str:\n    return f"{a}"  # c',
  bash: 'curl -H "X: $KEY" https://a.b # c',
  json: '{"a": [1, true, null]}',
  json5: "{a: 'b', // c\n}",
  yaml: 'a: "b" # c\nlist:\n  - 1',
  toml: '[a]\nb = "c" # d',
  ini: '[a]\nb = c',
  env: 'KEY="value"',
  html: '<a href="/x">t</a><style>a{color:red}</style><script>let a = 1</script>',
  vue: '<template><b :a="c"/></template>',
  xml: '<a b="c"><!-- d --></a>',
  css: '.a { color: #fff; }',
  scss: '$a: 1px; .b { width: $a; }',
  markdown: '# T\n\n[a](b) `c`\n\n```js\nlet a\n```',
  mdx: '---\ntitle: "x"\n---\nimport A from "a"\n\n<Card title="x" />',
  go: 'func main() { fmt.Println("a") } // c',
  rust: 'fn main() { println!("a"); } // c',
  java: 'class A { int b() { return 1; } }',
  php: '<?php echo "a"; // c',
  c: 'int main(void) { return 0; } /* c */',
  'c++': 'auto f() -> std::string { return "a"; }',
  'c#': 'public class A { string b = "c"; }',
  kotlin: 'fun main() { val a = "b" } // c',
  swift: 'func a() -> String { return "b" } // c',
  scala: 'def a(b: Int) = "c" // d',
  dart: 'void main() { print("a"); } // c',
  ruby: 'def a\n  puts "b" # c\nend',
  sql: "SELECT a FROM b WHERE c = 'd' -- e",
  graphql: 'query A($b: ID!) { c(id: $b) { d } } # e',
  dockerfile: 'FROM node:24 # c\nRUN echo "a"',
  nginx: 'server {\n  listen 80; # c\n  root "/a";\n}',
  diff: '@@ -1 +1 @@\n-a\n+b',
  http: 'GET /a HTTP/1.1\nHost: b',
  lua: 'local a = "b" -- c',
  perl: 'my $a = "b"; # c',
  r: 'a <- function(b) "c" # d',
  elixir: 'defmodule A do\n  def b, do: :c # d\nend',
  erlang: '-module(a).\nb() -> case c of "d" -> ok end. % e',
  haskell: 'main = putStrLn "a" -- b',
  clojure: '(defn a [b] "c") ; d',
  powershell: '$a = Get-Item "b" # c',
  proto: 'message A { string b = 1; } // c',
  terraform: 'resource "a" "b" { c = var.d } # e',
  solidity: 'contract A { uint256 b = 1; } // c',
  zig: 'const a = @import("std"); // c',
  prisma: 'model A { id Int @id } // c',
  makefile: 'all: a # c\n\techo "b"',
  groovy: 'def a = "b" // c',
};

describe('highlighting', () => {
  it.each(Object.entries(SAMPLES))('%s', (lang, code) => {
    const html = writeCode(code, highlight(code, findLanguage(lang)!.grammar));
    expect(html).toMatchSnapshot();
    expect(new Set(find(html, { tag: 'i' }).map(({ classes }) => classes[0])).size).toBeGreaterThan(1);
  });
  it('an unknown language is plain text', () => {
    const code = findOne(renderCode('let a = "b"', 'klingon', null), { role: 'code' });
    expect(code).toMatchObject({ rawText: 'let a = "b"', children: [] });
  });
  it('every language of the table loads and keeps the text as it is', () => {
    for (const lang of Object.keys(SAMPLES)) {
      const grammar = findLanguage(lang)!.grammar;
      fc.assert(
        fc.property(
          fc.string({
            unit: fc.constantFrom(
              'a',
              '1',
              '"',
              '<',
              '>',
              '&',
              '{',
              '}',
              '\n',
              ' ',
              '#',
              '/',
              '*',
              '$',
              '`',
              'ß',
              '𝒳',
            ),
          }),
          (code) => {
            const spans = highlight(code, grammar);
            expect(textIn(writeCode(code, spans))).toBe(code);
            expect(textIn(writeLines(code, spans, new Map()))).toBe(code);
          },
        ),
        { numRuns: 20 },
      );
    }
  });
});

/** Text of highlighted code, in which nothing but spans with classes is an element. */
function textIn(html: string): string {
  for (const { tag, attributes } of readHtml(html)) {
    expect(['i', 'span']).toContain(tag);
    expect(Object.keys(attributes)).toEqual(['class']);
  }
  // A parser also accepts text that is not escaped.
  expect(html.replace(/<\/?(?:i|span)(?: class="[a-z ]*")?>/g, '')).not.toMatch(/[<>]/);
  return findOne(`<pre>${html}</pre>`, { tag: 'pre' }).rawText;
}

describe('hostile code', () => {
  const patterns = ['<', '${', '{\n', 'a: ', '/*', '[a](', '\\\n'];
  it.each(['tsx', 'html', 'yaml', 'sass', 'go', 'java', 'cpp', 'bash', 'sql', 'perl', 'cmake', 'mdx'])(
    '%s takes time in line with its length',
    (lang) => {
      for (const pattern of patterns) {
        const line = pattern.endsWith('\n')
          ? pattern
          : `${pattern.repeat(Math.floor(900 / pattern.length))}\n`;
        const render = (size: number) => renderCode(line.repeat(Math.ceil(size / line.length)), lang, null);
        expect(growth(render, 2_500), JSON.stringify(pattern)).toBeLessThan(LINEAR);
      }
    },
  );
  it('a line of a megabyte and a hundred thousand lines come out plain', () => {
    expect(has(renderCode('"a" '.repeat(250_000), 'js', null), { tag: 'i' })).toBe(false);
    const html = renderCode('let a\n'.repeat(100_000), 'js', '{1-1000000} lines');
    expect(findOne(html, { role: 'code' }).children).toEqual([]);
  });
  it('notations without number take time in line with their number', () => {
    const render = (size: number) => renderCode('a // [!code hl:99999]\n'.repeat(size), 'text', null);
    expect(growth(render, 5_000)).toBeLessThan(LINEAR);
  });
  it('no code or option breaks out of the block', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        (code, lang, meta) => {
          const html = renderCode(`<script>${code}`, lang, `"><script> ${meta}`);
          expect(has(html, { tag: 'script' })).toBe(false);
          expect(readRoots(html)).toHaveLength(1);
        },
      ),
    );
  });
});
