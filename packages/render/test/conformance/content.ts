import type { Check } from './check.ts';
import { link } from './queries.ts';
import { degraded, type Row, supported } from './row.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>';
const page = (title: string, body = 'Text.'): string => `---\ntitle: ${title}\n---\n\n${body}`;
const FILES = {
  'guides/start.mdx': page('Start', '## Install it'),
  'guides/next.mdx': page('Next'),
  'shot.svg': SVG,
};

const draws = (name: string, body: string, shows: Check['shows'], more: Check = {}): Row =>
  supported(name, { body, shows, files: FILES, ...more });

const text: Row[] = [
  draws('variables', 'Use {{product}} and {{ product }}.', 'Use Acme', {
    docs: { variables: { product: 'Acme' } },
  }),
  draws('$...$', 'Then $a^2 + b^2$ holds.', {
    role: 'math',
    attributes: { display: false },
    within: { role: 'paragraph' },
  }),
  draws('$$...$$', '$$\na^2\n$$', { role: 'math', attributes: { display: 'block' } }),
  draws(
    'dollars in prose',
    'It costs $5 and $10 a month, or $HOME and $PATH.',
    '$5 and $10 a month, or $HOME and $PATH',
    { lacks: { role: 'math' } },
  ),
  draws('smart punctuation', '"Quoted" -- it\'s so...', '“Quoted” — it’s so…'),
  draws('keys as kbd', 'Press ⌘K to search.', {
    tag: 'kbd',
    text: '⌘K',
    within: { role: 'paragraph', text: 'Press ⌘K to search.' },
  }),
  draws('tables', '| A | B |\n| - | -: |\n| 1 | 2 |', {
    role: 'table',
    has: [
      { role: 'columnheader', name: 'A' },
      { role: 'cell', text: '1' },
    ],
  }),
  draws('footnotes', 'Note[^1].\n\n[^1]: The note.', [
    link('1', '#footnote-1'),
    { role: 'listitem', id: 'footnote-1', text: /^The note\./ },
  ]),
  draws('task lists', '- [x] Done\n- [ ] Open', [
    { role: 'checkbox', attributes: { checked: true }, within: { role: 'listitem', text: 'Done' } },
    { role: 'checkbox', attributes: { checked: false }, within: { role: 'listitem', text: 'Open' } },
  ]),
];

const targets: Row[] = [
  draws('links to pages', '[Start](/guides/start)', link('Start', 'guides/start.html')),
  supported('relative links', {
    files: { ...FILES, 'guides/next.mdx': page('Next', '[S](./start) [H](../index)') },
    in: { 'guides/next.html': [link('S', 'start.html'), link('H', '../index.html')] },
  }),
  draws('links with .md', '[A](/guides/start.mdx) [B](guides/next.md)', [
    link('A', 'guides/start.html'),
    link('B', 'guides/next.html'),
  ]),
  draws('links to redirects', '[Old](/old)', link('Old', 'guides/start.html'), {
    docs: { redirects: [{ source: '/old', destination: '/guides/start' }] },
  }),
  draws('hash links', '[A](#two) [B](/guides/start#install-it)\n\n## Two', [
    link('A', '#two'),
    link('B', 'guides/start.html#install-it'),
  ]),
  draws('images', '![A shot](/shot.svg)', {
    role: 'img',
    name: 'A shot',
    attributes: { src: 'shot.svg' },
  }),
  draws(
    'images light and dark',
    '<img className="block dark:hidden" src="/shot.svg" alt="L" />\n<img className="hidden dark:block" src="/shot.svg" alt="D" />',
    [
      { tag: 'img', class: 'block dark:hidden', attributes: { alt: 'L' } },
      { tag: 'img', class: 'hidden dark:block', attributes: { alt: 'D' } },
    ],
    { in: { '*.css': /dark\\:hidden/ } },
  ),
  draws(
    'Tailwind classes',
    '<div className="grid grid-cols-3 gap-4 mt-[13px] hover:underline">x</div>',
    { class: 'grid grid-cols-3 gap-4 mt-[13px] hover:underline', text: 'x' },
    { in: { '*.css': [/\.grid-cols-3/, /13px/, /hover\\:underline/] } },
  ),
  draws('className and class', '<div className="one">a</div>\n<div class="two">b</div>', [
    { class: 'one', text: 'a' },
    { class: 'two', text: 'b' },
  ]),
  draws('style as a string', '<div style="color: red; margin-top: 4px">x</div>', {
    text: 'x',
    attributes: { style: /^color:\s?red;\s?margin-top:\s?4px$/ },
  }),
  draws('HTML comments', 'Before.\n\n<!-- hidden -->\n\nAfter.', ['Before.', 'After.'], {
    lacks: { text: /hidden/, within: { tag: 'body' } },
  }),
  degraded(
    '<script> and <style>',
    'a style element becomes a style sheet of its page; the Content-Security-Policy of a site blocks scripts in pages: move them to a .js file of the docs folder',
    {
      body: 'Text.\n\n<script>alert(1)</script>\n\n<style>{`p { color: red }`}</style>',
      shows: 'Text.',
      lacks: 'alert(1)',
      warns: ['removed-element'],
    },
  ),
];

const SNIPPETS = {
  'snippets/hello.mdx': 'Hello {name} from <Inner />!\n',
  'snippets/outer.mdx': 'import Inner from "./inner.mdx";\n\nOuter and <Inner />.',
  'snippets/inner.mdx': 'inner text',
  'snippets/parts.mdx':
    'export const brand = "Acme";\n\nexport const Box = ({ title }) => <div className="box">{title}</div>;',
  'snippets/counter.jsx':
    'export const Counter = () => {\n  const [count, setCount] = useState(3);\n  return <button onClick={() => setCount(count + 1)}>Count {count}</button>;\n};',
};
const imports = (name: string, body: string, shows: Check['shows'], more: Check = {}): Row =>
  supported(name, { body, shows, files: SNIPPETS, ...more });

const code: Row[] = [
  imports('import of snippets', 'import Inner from "/snippets/inner.mdx";\n\n<Inner />', 'inner text'),
  imports(
    'import of named exports',
    'import { brand, Box } from "/snippets/parts.mdx";\n\n{brand} and <Box title="T" />',
    ['Acme and', { class: 'box', text: 'T' }],
  ),
  imports('nested imports', 'import Outer from "/snippets/outer.mdx";\n\n<Outer />', [
    /Outer and[\s\S]*inner text/,
  ]),
  supported(
    'unresolved imports',
    {
      body: 'import Gone from "/snippets/gone.mdx";\n\nText. <Gone />',
      shows: 'Text.',
      warns: ['unresolved-import'],
    },
    'the component is omitted, with a warning',
  ),
  imports('export const', 'export const version = "4.2";\n\nVersion {version}.', 'Version 4.2.'),
  imports(
    'components of a page',
    'export const Hi = ({ name = "you" }) => <p className="hi">Hi {name}</p>;\n\n<Hi name="Ada" />',
    { role: 'paragraph', class: 'hi', text: 'Hi Ada' },
  ),
  imports(
    'React hooks',
    'import { Counter } from "/snippets/counter.jsx";\n\n<Counter />',
    { role: 'button', name: 'Count 3' },
    {
      in: { '*.js': /preact|useState/i },
    },
  ),
  supported('URLs in React components', {
    body: 'export const A = () => { const [on] = useState(true); return <i style={{ background: "url(/images/a.png)" }}>{on && "shown"}</i> };\n\n<A />',
    shows: { tag: 'i', text: 'shown' },
    in: { '*.js': /image-set/ },
    files: { 'images/a.png': 'PNG' },
  }),
  degraded(
    'built-in components in React components',
    'elements that exist only for data of the browser (a response, typed text) show code without colors, and formulas and diagrams as their source',
    {
      body: 'export const A = () => { const [on] = useState(false); return <div><Note title="T">first</Note>{on && <Update label="May">later</Update>}</div> };\n\n<A />',
      shows: [
        { role: 'note', name: 'Note', within: { tag: 'offprint-island' } },
        { role: 'article', name: 'May', within: { tag: 'template', attributes: { 'data-views': true } } },
      ],
    },
  ),
  supported('SVG files of the docs folder', {
    body: '![Logo](/logo.svg)',
    files: {
      'logo.svg':
        '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>y()</script><path d="M0 0"/></svg>',
    },
    in: { 'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"></path></svg>' },
    warns: ['file-cleaned'],
  }),
  supported('HTML files of the docs folder', {
    body: '[Demo](/demo.html)',
    files: { 'demo.html': '<!doctype html><title>Demo</title>' },
    // The policy is before everything else, so that it binds all of the page.
    in: { 'demo.html': /^<!doctype html><meta http-equiv="Content-Security-Policy"/ },
  }),
  imports('user', 'Hello {user.firstName}!', 'Hello', {}),
  draws(
    'CSS of the site',
    'Text.',
    {
      tag: 'link',
      attributes: { rel: 'stylesheet', href: /style[^/]*\.css$/ },
    },
    {
      files: { 'style.css': '.x { color: red }' },
    },
  ),
  draws(
    'JavaScript of the site',
    'Text.',
    {
      tag: 'script',
      attributes: { src: 'custom.js', defer: true },
    },
    {
      files: { 'custom.js': 'console.log(1)' },
    },
  ),
  degraded(
    'stable ids and classes',
    'in all layouts, at the same place in each; the assistant, feedback, sign-in, the playground, `#mobile-nav`, `#background-color` and the names of the 404 page have no element',
    {
      body: '## One\n\n## Two\n\n<Card title="A">x</Card>',
      shows: [
        ...[
          'navbar',
          'body-content',
          'sidebar',
          'sidebar-content',
          'content-side-layout',
          'table-of-contents-layout',
          'table-of-contents',
          'table-of-contents-content',
          'content-area',
          'header',
          'page-title',
          'content',
        ].map((id) => ({ id })),
        { tag: 'html', attributes: { 'data-current-path': '/' } },
        { class: 'card', within: { class: 'mdx-content', id: 'content' } },
      ],
    },
  ),
];

const files: Row[] = [
  degraded('symlinks', 'omitted, each with a warning; an uploaded archive with one is rejected'),
  supported('files that are not pages', {
    files: { ...FILES, 'README.md': 'R', 'node_modules/x.mdx': 'X', '.github/x.md': 'G', 'data.csv': 'a,b' },
    emits: ['data.csv'],
    omits: ['README.html', 'node_modules/x.html', '.github/x.html'],
  }),
  supported('.mintignore', {
    files: { ...FILES, '.mintignore': 'guides/*\n!guides/start.mdx\n' },
    emits: ['guides/start.html'],
    omits: ['guides/next.html'],
  }),
  supported(
    'pages that do not parse',
    {
      body: 'Before {a: {b\n\n<div>\n\nAfter',
      shows: ['Before', 'After'],
      warns: ['invalid-expression', 'unclosed-tag'],
    },
    'invalid parts are shown as text, with a warning; the rest of the page is rendered',
  ),
];

export const content: readonly Row[] = [...text, ...targets, ...code, ...files];
