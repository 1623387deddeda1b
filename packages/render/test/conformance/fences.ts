import type { Check } from './check.ts';
import { degraded, type Row, supported } from './row.ts';

const LINES = 'const one = 1;\nconst two = 2;\nconst three = 3;\nconst four = 4;\nconst five = 5;';
const LONG = Array.from({ length: 30 }, (_, at) => `line(${at});`).join('\n');
const fence = (info: string, code = LINES): string => `\`\`\`${info}\n${code}\n\`\`\``;

const draws = (name: string, body: string, shows: Check['shows'], more: Check = {}): Row =>
  supported(name, { body, shows, ...more });

/** Consecutive lines, each with or without the mark. */
const marked = (mark: string, lines: readonly boolean[]): RegExp =>
  new RegExp(
    lines
      .map((on) =>
        on ? `class="line(?= )[^"]*\\b${mark}\\b[^"]*"` : `class="line(?![^"]*\\b${mark}\\b)[^"]*"`,
      )
      .join('(?:(?!class="line)[\\s\\S])*'),
  );

const options: Row[] = [
  draws('language', fence('js'), [
    /class="code-block op-code-block"[^>]*data-language="javascript"/,
    /<i class="[^"]+">const<\/i>/,
  ]),
  draws('title', fence('js My file.js'), /code-block-header-filename">My file\.js</),
  draws('title="..."', fence('js title="app.js"'), /code-block-header-filename">app\.js</),
  draws('icon', fence('js app.js icon="star"'), /code-block-header"><svg class="op-icon code-block-icon"/),
  draws('lines', fence('js lines'), /class="code-block op-code-block numbered"/),
  draws('wrap', fence('js wrap'), /class="code-block op-code-block wrap"/),
  draws('expandable', fence('js expandable', LONG), [/expandable-code/, 'data-expand']),
  draws('nocopy', fence('js nocopy'), /class="code-block op-code-block"/, {
    lacks: 'code-block-copy-button',
  }),
  degraded('twoslash', 'lines for the type checker are omitted; types would require a compiler', {
    body: fence('ts twoslash', '// @noErrors\nconst a = 1;\n//    ^?'),
    shows: /data-language="typescript"/,
    lacks: ['@noErrors', '^?'],
  }),
  draws('highlight={...}', fence('js highlight={1-2,5}'), marked('hl', [true, true, false, false, true])),
  draws('{1,3-5}', fence('js {1,3-5}'), marked('hl', [true, false, true, true, true])),
  draws('highlight="1-3"', fence('js highlight="1-3"'), marked('hl', [true, true, true, false, false])),
  draws('focus={...}', fence('js focus={2,4-5}'), [
    /has-focus/,
    marked('focus', [false, true, false, true, true]),
  ]),
  draws('focus=2,4', fence('js focus=2,4'), marked('focus', [false, true, false, true, false])),
  degraded('theme', 'code is light or dark, like the named theme', {
    body: fence('js theme=nord'),
    shows: /class="code-block op-code-block op-code-dark"/,
  }),
  draws('[expandable]', fence('js [expandable]', LONG), /expandable-code/),
  draws('x=false', fence('js lines=false wrap=false', LONG), /class="code-block op-code-block"/, {
    lacks: ['numbered"', 'code-block wrap'],
  }),
];

const notations: Row[] = [
  draws('[!code ++]', fence('js', 'a // [!code ++]\nb'), marked('ins', [true, false])),
  draws('[!code --]', fence('js', 'a // [!code --]\nb'), marked('del', [true, false])),
  draws('[!code ++:3]', fence('js', 'a // [!code ++:3]\nb\nc\nd'), marked('ins', [true, true, true, false])),
  draws('[!code highlight]', fence('js', 'a // [!code highlight]\nb'), marked('hl', [true, false])),
  draws('[!code focus]', fence('js', 'a // [!code focus]\nb'), marked('focus', [true, false])),
  draws('four backticks', '````md\n```js\na\n```\n````', /<code>[\s\S]*```/),
  draws('~~~', '~~~js\nconst a = 1;\n~~~', /data-language="javascript"/),
  draws('unknown language', fence('klingon', 'qapla'), /class="code-block op-code-block"[\s\S]*qapla/),
  draws('language nocopy', fence('nocopy', 'a'), /data-language="text"/, { lacks: 'code-block-copy-button' }),
];

const GRAPH = 'graph TD\n  Alpha --> Beta';
const diagrams: Row[] = [
  draws('mermaid', fence('mermaid', GRAPH), [/class="mermaid|data-mermaid|diagram/, 'Alpha']),
  draws('mermaid actions', fence('mermaid actions={false}', GRAPH), 'data-actions="false"'),
  draws('mermaid placement', fence('mermaid placement="top-left"', GRAPH), 'top-left'),
  draws('mermaid ELK', fence('mermaid', `%%{init: {"layout": "elk"}}%%\n${GRAPH}`), 'Alpha'),
];

const snippets: Row[] = [
  supported('props in fences of snippets', {
    body: 'import Install from "/snippets/install.mdx";\n\n<Install pack="offprint" />',
    files: { 'snippets/install.mdx': '```sh\nnpm i {pack} {other}\n```' },
    shows: 'i offprint {other}',
  }),
];

export const fences: readonly Row[] = [...options, ...notations, ...diagrams, ...snippets];
