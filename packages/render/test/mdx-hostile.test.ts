import { describe, expect, test } from 'vitest';
import { renderBody } from './mdx-page.ts';

const forbiddenTags =
  /^(?:script|style|object|embed|applet|base|link|meta|noscript|template|frame|frameset|foreignobject|animate|set)$/i;
const allowedSchemes =
  /^(?:https?|mailto|tel|sms|cursor|vscode|vscode-insiders|windsurf|zed|slack|data:image\/):?/i;

/** Every tag with its attributes; the writer escapes `<` and `>` in text and attributes, so tags are what is left. */
function tagsOf(html: string): { name: string; attributes: [string, string][] }[] {
  return [...html.matchAll(/<([a-z][\w:-]*)((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*\/?>/gi)].map((match) => ({
    name: match[1] ?? '',
    attributes: [...(match[2] ?? '').matchAll(/([^\s=>"]+)(?:="([^"]*)")?/g)].map(
      (attribute): [string, string] => [attribute[1] ?? '', decodeEntities(attribute[2] ?? '')],
    ),
  }));
}

function decodeEntities(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

/** What a browser would run or load from elsewhere; empty for harmless HTML. */
function dangers(html: string): string[] {
  const found: string[] = [];
  const tags = tagsOf(html);
  if ((html.match(/<[a-z!?]/gi) ?? []).length !== tags.length) found.push('a tag that does not parse');
  for (const { name, attributes } of tags) {
    if (forbiddenTags.test(name)) found.push(`<${name}>`);
    for (const [attribute, value] of attributes) {
      const url = value.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\ufeff]/g, '');
      if (/^on/i.test(attribute)) found.push(`${name} ${attribute}`);
      if (/^(?:srcdoc|formaction|action|ping|background|xlink:href|http-equiv)$/i.test(attribute))
        found.push(`${name} ${attribute}`);
      if (
        /^(?:href|src|poster|srcset)$/i.test(attribute) &&
        /^[a-z][a-z0-9+.-]*:/i.test(url) &&
        !allowedSchemes.test(url)
      ) {
        found.push(`${name} ${attribute}=${value}`);
      }
      if (name === 'iframe' && attribute === 'src' && !value.startsWith('https://'))
        found.push(`iframe ${value}`);
      if (attribute === 'style' && /url\(|expression|javascript|@import|\\/i.test(value))
        found.push(`style ${value}`);
    }
  }
  return found;
}

const urls = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  '\u0001javascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  'javascript&colon;alert(1)',
  '&#106;avascript:alert(1)',
  '&#x6A;avascript:alert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD4=',
  'data:image/svg+xml,<svg onload=alert(1)>',
  'file:///etc/passwd',
  'blob:https://a/b',
  'view-source:javascript:1',
  '\u200bjavascript:alert(1)',
  '//evil.example/x.js',
  'livescript:1',
  'filesystem:https://a/b',
];
const contexts: Record<string, (url: string) => string> = {
  'markdown link': (url) => `[a](<${url.replaceAll('\n', '')}>)`,
  'markdown image': (url) => `![a](<${url.replaceAll('\n', '')}>)`,
  reference: (url) => `[a][b]\n\n[b]: <${url.replaceAll('\n', '')}>`,
  'a href': (url) => `<a href="${url}">a</a>`,
  'a href expression': (url) => `<a href={${JSON.stringify(url)}}>a</a>`,
  'a spread': (url) => `<a {...{ href: ${JSON.stringify(url)} }}>a</a>`,
  'img src': (url) => `<img src="${url}" srcSet={${JSON.stringify(`${url} 2x`)}} />`,
  iframe: (url) => `<iframe src={${JSON.stringify(url)}} srcDoc="<script>1</script>" />`,
  video: (url) =>
    `<video src={${JSON.stringify(url)}} poster={${JSON.stringify(url)}}><source src={${JSON.stringify(url)}} /></video>`,
  'svg use': (url) => `<svg><use href={${JSON.stringify(url)}} xlinkHref={${JSON.stringify(url)}} /></svg>`,
  'svg a': (url) => `<svg><a href={${JSON.stringify(url)}}><text>x</text></a></svg>`,
  Card: (url) =>
    `<Card title="x" href={${JSON.stringify(url)}} img={${JSON.stringify(url)}} icon={${JSON.stringify(url)}}>x</Card>`,
  Tooltip: (url) => `<Tooltip tip="x" cta="y" href={${JSON.stringify(url)}}>x</Tooltip>`,
  Badge: (url) => `<Badge href={${JSON.stringify(url)}}>x</Badge>`,
  Tile: (url) => `<Tile href={${JSON.stringify(url)}} title="x">x</Tile>`,
  Link: (url) => `<Link href={${JSON.stringify(url)}}>x</Link>`,
  Icon: (url) => `<Icon icon={${JSON.stringify(url)}} />`,
  form: (url) =>
    `<form action={${JSON.stringify(url)}}><button formAction={${JSON.stringify(url)}}>x</button></form>`,
  style: (url) => `<div style={{ background: ${JSON.stringify(`url(${url})`)} }}>x</div>`,
  'caption Markdown': (url) => `<Frame caption={${JSON.stringify(`[x](<${url}>)`)}}>x</Frame>`,
};

describe('URLs', () => {
  for (const [name, context] of Object.entries(contexts)) {
    test(`no scheme that runs code gets out of: ${name}`, () => {
      for (const url of urls)
        expect({ url, dangers: dangers(renderBody(context(url)).html) }).toEqual({ url, dangers: [] });
    });
  }
});

const markup = [
  '<script>alert(1)</script>',
  '<script src="https://evil.example/x.js" />',
  '<SCRIPT>alert(1)</SCRIPT>',
  '<style>{`body { background: url(javascript:1) }`}</style>',
  '<img src="x" onerror="alert(1)" />',
  '<img src="x" onError={() => alert(1)} ONLOAD="x" />',
  '<div onclick="alert(1)" onMouseOver={`x`}>x</div>',
  '<div {...{ onclick: "alert(1)", "on click": "x", \'x" onload="y\': "z" }}>x</div>',
  '<div {...{ \'a"><script>alert(1)</script>\': "x" }} />',
  '<div className={"\\"><script>alert(1)</script>"}>x</div>',
  '<div id="&quot;&gt;&lt;script&gt;">x</div>',
  '<div dangerouslySetInnerHTML={{ __html: "<img src=x onerror=alert(1)>" }} />',
  '<svg onload="alert(1)"><script>alert(1)</script><foreignObject><body onload="x" /></foreignObject></svg>',
  '<svg><animate attributeName="href" values="javascript:alert(1)" /><set attributeName="onload" to="x" /></svg>',
  '<svg><style>{"@import url(x)"}</style><path fill="url(https://evil.example/#x)" d="M0" /></svg>',
  '<math><mtext><script>1</script></mtext></math>',
  '<object data="x.swf"><embed src="x.swf" /></object>',
  '<base href="https://evil.example/" />',
  '<meta httpEquiv="refresh" content="0;url=javascript:1" />',
  '<link rel="stylesheet" href="https://evil.example/x.css" />',
  '<iframe srcDoc="<script>alert(1)</script>" />',
  '<iframe src="http://plain.example" />',
  '<template><script>1</script></template>',
  '<noscript><p title="</noscript><script>1</script>">x</p></noscript>',
  '<p title="--><script>alert(1)</script>">x</p>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '{"<script>alert(1)</script>"}',
  '{`<img src=x onerror=alert(1)>`}',
  '`<script>alert(1)</script>`',
  '```html\n<script>alert(1)</script>\n```',
  '```"><script>alert(1)</script>\nx\n```',
  '```js title=\'"><script>alert(1)</script>\' icon="javascript:1"\nx\n```',
  '[a](/x "\\"><script>alert(1)</script>")',
  '![\\"><script>alert(1)</script>](/x)',
  '![a](/x "\\" onerror=\\"alert(1)")',
  '## <img src="x" onerror="1" /> "quoted" <b>x</b> {#a"onclick="x}',
  '## "><script>alert(1)\\</script>',
  '| a |\n|---|\n| <script>1</script> |',
  '$</span><script>alert(1)</script>$ and $x$',
  '$$\n</div><script>alert(1)</script>\n$$',
  'a[^1]\n\n[^1]: <script>alert(1)</script>',
  '<Card title={"<script>alert(1)</script>"} description={"<img onerror=1>"}>x</Card>',
  '<Accordion title={"<img src=x onerror=1>"} id={"\\" onclick=\\"1"}>x</Accordion>',
  '<Steps><Step title={"<script>1</script>"} icon={"\\"><script>"}>x</Step></Steps>',
  '<Tabs><Tab title={"<script>1</script>"}>x</Tab></Tabs>',
  '<Tooltip tip={"<script>1</script>"} headline={"\\" onload=\\"x"}>x</Tooltip>',
  '<Update label={"<script>1</script>"} description={"\\"><script>"} tags={["<b>"]}>x</Update>',
  '<ParamField path={"\\"><script>1</script>"} type={"<b>"} default={"<i>"}>x</ParamField>',
  '<ResponseField name={"<script>"} pre={["<script>"]} post={["<script>"]}>x</ResponseField>',
  '<Frame caption={"<script>1</script>"} hint={"<b onclick=1>x</b>"}>x</Frame>',
  '<Icon icon={"\\"><script>1</script>"} color={"red;background:url(javascript:1)"} />',
  '<CodeBlock language={"\\"><script>"} filename={"<script>"}>{"<script>"}</CodeBlock>',
  '<Mermaid chart={"<script>"} />',
  '<Latex>{"</script><script>1"}</Latex>',
  '<Color><Color.Item name={"<script>"} value={"red;x:url(javascript:1)"} /></Color>',
  '<Prompt description={"<script>"}>x</Prompt>',
  '<Tree><Tree.Folder name={"<script>"}><Tree.File name={"<script>"} /></Tree.Folder></Tree>',
  '<Visibility for="humans"><script>1</script></Visibility>',
  '<constructor />',
  '<__proto__ />',
  '<Object.constructor />',
  '<toString>x</toString>',
  '<hasOwnProperty.call />',
];

describe('markup', () => {
  test.each(markup)('nothing runs: %s', (source) => {
    expect(dangers(renderBody(source).html)).toEqual([]);
  });
});

const secrets = [
  'constructor',
  '__proto__',
  'prototype',
  'globalThis',
  'this',
  'process',
  'require',
  'module',
  'eval',
  'Function',
  'window',
  '"".constructor',
  '[].constructor.constructor("return 1")()',
  '({}).__proto__',
  '({}).constructor',
  '(() => 1).constructor',
  '"x".__proto__.constructor',
  'list.map.constructor',
  'list["constructor"]',
  'list["__pro" + "to__"]',
  'user.constructor',
  'user.__proto__',
  'fn.call',
  'fn.call.constructor',
  'fn.kind',
  'fn["call"]',
  'Object.getPrototypeOf({})',
  'Object.defineProperty({}, "a", {})',
  'Object.constructor',
  'Math.constructor',
  'JSON.parse("{}")',
  'JSON.constructor',
  'String.fromCharCode(60)',
  'Array.prototype',
  'Number.constructor',
  'Boolean.constructor',
  'import("x")',
  'import.meta',
  'new Function("return 1")()',
  'new Date()',
  'Reflect.ownKeys({})',
  'Symbol.iterator',
  'fetch("https://a")',
  '[1].map(eval)',
  '["a"].map(Function)',
  'list.filter.call',
  'list.toString()',
  'list.__defineGetter__("x", fn)',
  '"a".replace("a", fn)',
  '"a".at.constructor',
  '({ get x() { return 1 } }).x',
  '({ __proto__: { x: 1 } }).x',
  '({ ["__proto__"]: { x: 1 } }).x',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the payload is this text
  '`${{ toString: fn }}`',
  '({ toString: fn }) + ""',
  '({ valueOf: fn }) * 1',
  'async () => 1',
  '(function* () { yield 1 })()',
  'fn`x`',
  'delete list[0]',
  'list[0] = 1',
  'user.x = 1',
  'list.length = 1e9',
  '(a => a(a))(a => a(a))',
  '"x".repeat(1e9)',
  '"x".padEnd(1e9)',
  '[...Array(1e9)]',
  'Array.from({ length: 1e9 })',
  '"a".split("").map(() => "x".repeat(1e6)).join()',
  'JSON.stringify(list)',
  '(f => f(f, 0))((f, n) => f(f, n + 1))',
  '[1,2,3].reduce((a) => a + a + a, "x".repeat(400000))',
  'user.a.b.c.d()',
  'children',
  'props',
  'arguments',
  '/(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")',
  '(() => { for (;;) {} })()',
  '(() => { while (true) {} })()',
  '(() => { for (const x of list) { list.push(x) } })()',
  'try',
  '{ type: "html", value: "<script>1</script>" }',
  '[{ type: "element", name: "script", props: {}, children: [] }]',
];

describe('expressions', () => {
  const head = 'export const list = ["a", "b"];\nexport const fn = () => "called";\n\n';
  test.each(secrets)('nothing outside the page is reached, and the page survives: {%s}', (source) => {
    for (const place of [
      `{${source}}`,
      `<div title={${source}}>x</div>`,
      `export const x = ${source};\n\n{x}`,
    ]) {
      const page = renderBody(`${head}${place}\n\nafter`);
      expect(page.html).toContain('<p>after</p>');
      expect(page.html).not.toMatch(/native code|\[object|\[Function|PATH=|=&gt;/);
      expect(dangers(page.html)).toEqual([]);
      expect(page.warnings.filter((warning) => warning.code === 'page-failed')).toEqual([]);
      expect(page.html.length).toBeLessThan(3_100_000);
    }
  });

  test('data of a page never passes for a node of the tree', () => {
    const page = renderBody(
      'export const a = { type: "html", value: "<script>1</script>", children: [] };\n\n{a}\n\n<Card title={a} icon={a}>x</Card>\n\n<div>{[a]}</div>',
    );
    expect(page.html).not.toContain('script');
  });
});

const repeats: Record<string, (n: number) => string> = {
  quotes: (n) => `${'> '.repeat(n)}a`,
  lists: (n) => `${'- '.repeat(n)}a`,
  'quotes and lists': (n) => `${'> - '.repeat(n)}a`,
  'nested tags in a line': (n) => `${'<div>'.repeat(n)}x${'</div>'.repeat(n)}`,
  'nested tags in lines': (n) => `${'<div>\n'.repeat(n)}x\n${'</div>\n'.repeat(n)}`,
  'tags never closed': (n) => '<div>\n'.repeat(n),
  'tags never opened': (n) => '</div>\n'.repeat(n),
  'nested emphasis': (n) => '*a '.repeat(n) + 'b*'.repeat(n),
  brackets: (n) => `{${'('.repeat(n)}1${')'.repeat(n)}}`,
  arrays: (n) => `{${'['.repeat(n)}1${']'.repeat(n)}}`,
  'objects in a module': (n) => `export const a = ${'{a:'.repeat(n)}1${'}'.repeat(n)}`,
  functions: (n) => `export const a = ${'()=>{return '.repeat(n)}1${'}'.repeat(n)}`,
  templates: (n) => `{${'`${'.repeat(n)}1${'}`'.repeat(n)}}`,
  'unary operators': (n) => `{${'!'.repeat(n)}1}`,
  'unary operators on lines': (n) => `{${'-\n'.repeat(n)}1}`,
  conditionals: (n) => `{${'a?b:'.repeat(n)}1}`,
  'arrow functions': (n) => `{${'a=>'.repeat(n)}1}`,
  'new and typeof': (n) => `{${'new '.repeat(n)}a}\n\n{${'typeof '.repeat(n)}a}`,
  'brackets hidden in texts': (n) => `{${'(")"+'.repeat(n)}1${')'.repeat(n)}}`,
  'JSX in an expression': (n) => `{${'<a>'.repeat(n)}${'</a>'.repeat(n)}}`,
  'JSX in attributes': (n) => `${'<A b={'.repeat(n)}1${'}/>'.repeat(n)}`,
  'attributes never closed': (n) => `${'<A b={'.repeat(n)}1`,
  'attributes never closed, with a blank': (n) => '<A b= {"x'.repeat(n),
  'attributes never closed, objects': (n) => 'x <A b={{'.repeat(n),
  'braces never closed': (n) => '{'.repeat(n),
  'braces never closed on lines': (n) => '{ a\n'.repeat(n),
  'expressions in a line': (n) => 'a {1} '.repeat(n),
  'code with braces in a line': (n) => '`{` '.repeat(n),
  'classes in a module': (n) => `export ${'class A { a = '.repeat(n)}${'}'.repeat(n)}`,
  'invalid expressions': (n) => 'a {b c}\n\n'.repeat(n),
  'comments never closed': (n) => '<!-- '.repeat(n),
  'heading ids': (n) => '## A {#b}\n\n'.repeat(n),
  'equal headings': (n) => '## A\n\n'.repeat(n),
  variables: (n) => '{{a}} '.repeat(n),
  'links never closed': (n) => '[a](b'.repeat(n),
  'web addresses': (n) => 'www.a_'.repeat(n),
};

describe('size', () => {
  test.each(Object.keys(repeats))('10,000 times over ends soon: %s', (name) => {
    const started = process.cpuUsage();
    const page = renderBody(`${repeats[name]?.(10_000) ?? ''}\n\nafter\n`);
    const used = process.cpuUsage(started);
    expect(page.warnings.filter((warning) => warning.code === 'page-failed')).toEqual([]);
    expect((used.user + used.system) / 1e6).toBeLessThan(15);
  });

  test('chains of a million operators do not overflow the native parser', () => {
    for (const part of ['1+', 'a||', 'a,'])
      expect(renderBody(`{${part.repeat(1_000_000)}1}\n\nafter`).html).toContain('after');
    expect(renderBody(`{a${'()'.repeat(1_000_000)}}\n\nafter`).html).toContain('after');
  });

  test('a page of 10 MB and a line of 1 MB come out', () => {
    const paragraph = 'Some text with **bold** and `code` in it.\n\n';
    const big = renderBody(paragraph.repeat(Math.floor(9_900_000 / paragraph.length)));
    expect(big.html.length).toBeGreaterThan(9_000_000);
    expect(renderBody('word '.repeat(200_000)).html.length).toBeGreaterThan(900_000);
    expect(renderBody('x'.repeat(10_000_001)).warnings.map((warning) => warning.code)).toEqual([
      'page-too-large',
    ]);
  });

  test('snippets that contain themselves stop with a warning at the place', () => {
    const files = {
      'snippets/a.mdx': 'import B from "./b.mdx"\n\nA\n\n<B />\n',
      'snippets/b.mdx': 'import A from "./a.mdx"\n\nB\n\n<A />\n',
      'snippets/c.mdx': 'C\n\n<Snippet file="c.mdx" />\n',
    };
    const page = renderBody('import A from "/snippets/a.mdx"\n\n<A />\n\n<Snippet file="c.mdx" />\n\nafter', {
      files,
    });
    expect(page.html).toContain('<p>after</p>');
    const cycles = page.warnings.filter((warning) => warning.code === 'snippet-cycle');
    expect(cycles.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'snippets/b.mdx:1',
      'snippets/c.mdx:3',
    ]);
  });

  test('snippets that contain each other twice, 40 levels deep, stop at a budget', () => {
    const files: Record<string, string> = {};
    for (let level = 0; level < 40; level++) {
      const next = `import N from "./s${level + 1}.mdx"\n\n<N />\n\n<N />\n`;
      files[`snippets/s${level}.mdx`] = level === 38 ? 'text' : next;
    }
    const page = renderBody('import S from "/snippets/s0.mdx"\n\n<S />\n\nafter', { files });
    expect(page.warnings.length).toBeGreaterThan(0);
    expect(page.html.length).toBeLessThan(60_000_000);
  });

  test('values that share their parts stop at a budget', () => {
    let source = 'export const a0 = <b>x</b>;\n';
    for (let level = 1; level < 40; level++)
      source += `export const a${level} = <i>{a${level - 1}}{a${level - 1}}</i>;\n`;
    for (let level = 1; level < 40; level++)
      source += `export const l${level} = [${level === 1 ? '1' : `l${level - 1}, l${level - 1}`}];\n`;
    const page = renderBody(`${source}\n{a39}\n\n{l39}\n\n{l39.join()}\n\n{JSON.stringify(l39)}\n`);
    expect(page.warnings.map((warning) => warning.code)).toContain('page-too-large');
    expect(page.warnings.filter((warning) => warning.code === 'page-failed')).toEqual([]);
  });
});
