import type { Query } from '../dom.ts';
import type { Check } from './check.ts';
import { degraded, type Row, supported } from './row.ts';

const LINES = 'const one = 1;\nconst two = 2;\nconst three = 3;\nconst four = 4;\nconst five = 5;';
const LONG = Array.from({ length: 30 }, (_, at) => `line(${at});`).join('\n');
const fence = (info: string, code = LINES): string => `\`\`\`${info}\n${code}\n\`\`\``;

const draws = (name: string, body: string, shows: Check['shows'], more: Check = {}): Row =>
  supported(name, { body, shows, ...more });

/** A block of lines, each with or without the mark. */
const marked = (mark: string, lines: readonly boolean[]): Query => ({
  role: 'code',
  children: lines.map((on) => (on ? { class: `line ${mark}` } : { class: 'line', notClass: mark })),
});
const block: Query = { class: 'code-block' };
const copyButton: Query = { role: 'button', name: 'Copy code' };

const expandButton: Query = {
  role: 'button',
  name: 'Show all lines',
  attributes: { 'aria-expanded': 'false' },
};

const options: Row[] = [
  draws('language', fence('js'), [
    { ...block, attributes: { 'data-language': 'javascript' } },
    { tag: 'i', text: 'const', attributes: { class: true } },
  ]),
  draws('title', fence('js My file.js'), { part: 'code-block-header-filename', text: 'My file.js' }),
  draws('title="..."', fence('js title="app.js"'), { part: 'code-block-header-filename', text: 'app.js' }),
  draws('icon', fence('js app.js icon="star"'), {
    tag: 'svg',
    class: 'code-block-icon',
    within: { part: 'code-block-header' },
  }),
  draws('lines', fence('js lines'), { class: 'code-block numbered' }),
  draws('wrap', fence('js wrap'), { class: 'code-block wrap' }),
  draws('expandable', fence('js expandable', LONG), expandButton),
  draws('nocopy', fence('js nocopy'), block, { lacks: copyButton }),
  degraded('twoslash', 'lines for the type checker are omitted; types would require a compiler', {
    body: fence('ts twoslash', '// @noErrors\nconst a = 1;\n//    ^?'),
    shows: { ...block, attributes: { 'data-language': 'typescript' } },
    lacks: ['@noErrors', '^?'],
  }),
  draws('highlight={...}', fence('js highlight={1-2,5}'), marked('hl', [true, true, false, false, true])),
  draws('{1,3-5}', fence('js {1,3-5}'), marked('hl', [true, false, true, true, true])),
  draws('highlight="1-3"', fence('js highlight="1-3"'), marked('hl', [true, true, true, false, false])),
  draws('focus={...}', fence('js focus={2,4-5}'), [
    { class: 'code-block has-focus' },
    marked('focus', [false, true, false, true, true]),
  ]),
  draws('focus=2,4', fence('js focus=2,4'), marked('focus', [false, true, false, true, false])),
  degraded('theme', 'code is light or dark, like the named theme', {
    body: fence('js theme=nord'),
    shows: block,
    unlike: fence('js'),
  }),
  draws('[expandable]', fence('js [expandable]', LONG), expandButton),
  draws('x=false', fence('js lines=false wrap=false', LONG), block, {
    lacks: [{ class: 'numbered' }, { class: 'code-block wrap' }],
  }),
];

const notations: Row[] = [
  draws('[!code ++]', fence('js', 'a // [!code ++]\nb'), marked('ins', [true, false])),
  draws('[!code --]', fence('js', 'a // [!code --]\nb'), marked('del', [true, false])),
  draws('[!code ++:3]', fence('js', 'a // [!code ++:3]\nb\nc\nd'), marked('ins', [true, true, true, false])),
  draws('[!code highlight]', fence('js', 'a // [!code highlight]\nb'), marked('hl', [true, false])),
  draws('[!code focus]', fence('js', 'a // [!code focus]\nb'), marked('focus', [true, false])),
  draws('four backticks', '````md\n```js\na\n```\n````', { role: 'code', text: '```js a ```' }),
  draws('~~~', '~~~js\nconst a = 1;\n~~~', { ...block, attributes: { 'data-language': 'javascript' } }),
  draws('unknown language', fence('klingon', 'qapla'), { ...block, has: { role: 'code', text: 'qapla' } }),
  draws(
    'language nocopy',
    fence('nocopy', 'a'),
    { ...block, attributes: { 'data-language': 'text' } },
    { lacks: copyButton },
  ),
];

const diagram: Query = { role: 'figure', class: 'mermaid' };
const GRAPH = 'graph TD\n  Alpha --> Beta';
const diagrams: Row[] = [
  draws('mermaid', fence('mermaid', GRAPH), { ...diagram, has: { role: 'code', text: /Alpha/ } }),
  draws('mermaid actions', fence('mermaid actions={false}', GRAPH), {
    ...diagram,
    attributes: { 'data-actions': 'false' },
  }),
  draws('mermaid placement', fence('mermaid placement="top-left"', GRAPH), {
    ...diagram,
    attributes: { 'data-placement': 'top-left' },
  }),
  draws('mermaid ELK', fence('mermaid', `%%{init: {"layout": "elk"}}%%\n${GRAPH}`), {
    ...diagram,
    has: { role: 'code', text: /elk.*Alpha/ },
  }),
];

const snippets: Row[] = [
  supported('props in fences of snippets', {
    body: 'import Install from "/snippets/install.mdx";\n\n<Install pack="offprint" />',
    files: { 'snippets/install.mdx': '```sh\nnpm i {pack} {other}\n```' },
    shows: 'i offprint {other}',
  }),
];

export const fences: readonly Row[] = [...options, ...notations, ...diagrams, ...snippets];
