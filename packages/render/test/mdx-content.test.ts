import { describe, expect, test } from 'vitest';
import { byId, byRole, find, findOne, readText, textsOf, valuesOf } from './dom.ts';
import { renderBody } from './mdx-page.ts';

describe('headings', () => {
  test('a heading is also reached at its anchor without the text of a component in it', () => {
    const { html } = renderBody('### `theme` - <Badge color="red">required</Badge>\n');
    expect(byId(html, 'theme')?.closest({ role: 'heading', level: 3 })?.text).toBe('theme - required');
    expect(byId(renderBody('## <Badge>New</Badge>\n').html, 'new')?.role).toBe('heading');
    expect(byId(renderBody('## Use <code>x</code> now\n').html, 'use-x-now')?.role).toBe('heading');
  });

  test('an id with a space is reported with the one to write', () => {
    const { html, warnings } = renderBody('## Run {#my run}\n');
    expect(byId(html, 'run')?.text).toBe('Run');
    expect(warnings).toMatchObject([{ code: 'invalid-expression' }]);
    expect(warnings[0]?.message).toContain('Write it without spaces: `{#my-run}`.');
  });

  test('a heading with a colon is found with it and without', () => {
    const { ids } = renderBody('## Example: Connect it\n');
    expect([...ids]).toEqual(expect.arrayContaining(['example-connect-it', 'example:-connect-it']));
  });
});

describe('tags that are not complete', () => {
  test('without its last character, a tag ends at the end of its line', () => {
    const { html, warnings } = renderBody('Before.\n\n<Note title="x"\n  inside\n</Note>\n\nAfter.\n');
    expect(byRole(html, 'note')[0]?.text).toContain('inside');
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'invalid-tag',
        line: 3,
        message: expect.stringContaining('has no `>`'),
      }),
    ]);
  });

  test('a comparison at the start of a line, and a tag of several lines, end as they are written', () => {
    const { html } = renderBody('a\n<b\nand c\n\n<Note\n  title="x"\n>\nInside.\n</Note>\n');
    expect(textsOf(html, { role: 'paragraph' })[0]).toBe('a <b and c');
    expect(byRole(html, 'note')[0]?.text).toContain('Inside.');
  });

  test('a tag that is never closed is reported with the tag to add', () => {
    const { warnings } = renderBody('<Card title="x">\n\nText.\n');
    expect(warnings[0]?.message).toContain('is never closed: add `</Card>`');
    const { warnings: others } = renderBody('- <Card title="x">\n\nText.\n\n</Card>\n');
    expect(others[0]?.message).toContain('not closed where it was opened');
  });
});

test('a snippet that contains itself is reported as a cycle with its files', () => {
  const files = { 'snippets/c.mdx': 'C\n\n<Snippet file="c.mdx" />\n' };
  const { html, warnings } = renderBody('<Snippet file="c.mdx" />\n\nafter\n', { files });
  expect(textsOf(html, { role: 'paragraph' })).toEqual(['C', 'after']);
  expect(warnings).toMatchObject([{ code: 'snippet-cycle', file: 'snippets/c.mdx', line: 3 }]);
  expect(warnings[0]?.message).toContain('snippets/c.mdx -> snippets/c.mdx');
});

describe('imports', () => {
  const files = { 'snippets/note.mdx': 'From the snippet.\n' };

  test('inside an element or between its children count as those at the top of the file', () => {
    const body =
      '<Steps>\n<Step title="One">\n\nBefore.\n\nimport Usage from "/snippets/note.mdx";\n\n<Usage />\n\nexport const unit = "ms";\n\n</Step>\n</Steps>\n\n<Usage />\n\nIn {unit}.\n';
    const { html, warnings } = renderBody(body, { files });
    expect(warnings).toEqual([]);
    expect(textsOf(html, { role: 'paragraph' })).toEqual([
      'One',
      'Before.',
      'From the snippet.',
      'From the snippet.',
      'In ms.',
    ]);
  });

  test('from "@/" are counted from the docs folder', () => {
    const { html, warnings } = renderBody('import Usage from "@/snippets/note.mdx";\n\n<Usage />\n', {
      files,
    });
    expect(warnings).toEqual([]);
    expect(textsOf(html, { role: 'paragraph' })).toEqual(['From the snippet.']);
  });

  test('of files that are missing are not taken for packages', () => {
    for (const path of ['@/snippets/none', 'snippets/none.mdx', './none.jsx'])
      expect(renderBody(`import None from "${path}";\n\n<None />\n`, { files }).warnings).toMatchObject([
        {
          code: 'unresolved-import',
          message: `\`${path}\` is not in the docs folder. Content that uses \`None\` is removed.`,
        },
      ]);
  });
});

test('the properties of a page are there, and empty', () => {
  const { html, warnings } = renderBody(
    '<Card title="A" icon={<svg viewBox="0 0 1 1" {...props}><path d="M0 0" /></svg>} />\n\nNo {props.value}.\n',
  );
  expect(warnings).toEqual([]);
  expect(find(html, { tag: 'path' })).toHaveLength(1);
  expect(textsOf(html, { role: 'paragraph' })).toContain('No .');
});

test('a drawing may contain images of the docs folder and data, and no others', () => {
  const { html, warnings } = renderBody(
    '<svg viewBox="0 0 9 9"><image href="/images/a.png" x="1" width={4} height="4" preserveAspectRatio="none" /><image xlinkHref="data:image/png;base64,AAAA" /><image href="https://e.example/b.png" /><image href="data:text/html,x" /><image href="javascript:x" /></svg>\n',
    { files: { 'images/a.png': 'x' } },
  );
  expect(find(html, { tag: 'image' }).map(({ attributes }) => attributes)).toEqual([
    { href: '../images/a.png', x: '1', width: '4', height: '4', preserveaspectratio: 'none' },
    { href: 'data:image/png;base64,AAAA' },
    {},
    {},
    {},
  ]);
  expect(warnings.map(({ code }) => code)).toEqual(['remote-file', 'unsafe-link', 'unsafe-link']);
  // HTML would read it as a picture without a file.
  const bare = renderBody('Type <image URL>here</image>.\n');
  expect(bare.warnings.map(({ code }) => code)).toEqual(['unknown-element']);
  expect(textsOf(bare.html, { role: 'paragraph' })).toEqual(['Type here.']);
});

test('a heading without text is left out, unless links can point to it', () => {
  const { html, toc } = renderBody('## A\n\n#\n\n## {/* later */}\n\n## {#old}\n\n## ![B](/images/a.png)\n', {
    files: { 'images/a.png': 'x' },
  });
  expect(byRole(html, 'heading').map(({ attributes }) => attributes.id)).toEqual(['a', 'old', 'b']);
  expect(toc.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('structured data in a page is reported as data, not as code', () => {
  const { html, warnings } = renderBody(
    '<script type="application/ld+json">{`{ "@type": "FAQPage" }`}</script>\n',
  );
  expect(html).not.toContain('FAQPage');
  expect(warnings).toMatchObject([
    {
      code: 'removed-element',
      message:
        '`<script>` is not allowed in a page and is removed with its content. Remove it: pages contain structured data if the URL of the site is known.',
    },
  ]);
});

test('an image without a path is reported as such', () => {
  for (const body of ['<img src="" alt="A" />\n', '![A]()\n'])
    expect(renderBody(body).warnings).toMatchObject([
      { code: 'missing-asset', message: 'The path of a file is empty. Set it, or remove the element.' },
    ]);
});

test('a first heading that repeats the title is left out, with code and emphasis in it too', () => {
  const { html } = renderBody(
    '# Where `thumbnails` is *set*\n\nText\n',
    {},
    { title: 'Where `thumbnails` is *set*' },
  );
  expect(byRole(html, 'heading')).toEqual([]);
  expect(byRole(renderBody('# Another\n', {}, { title: 'Title' }).html, 'heading', 'Another')).toMatchObject([
    { level: 1 },
  ]);
});

describe('style elements', () => {
  const sheetOf = (body: string) => {
    const page = renderBody(body, { files: { 'images/a.png': 'png' } });
    return { ...page, css: page.assets.map((asset) => String(asset.content())).join('') };
  };

  test('become a style sheet of their page, written as a template or as they are', () => {
    for (const body of [
      '<style>{`\n  .a { color: red; }\n`}</style>\n',
      '<style>\n  .a { color: red; }\n</style>\n',
    ]) {
      const { html, css, warnings } = sheetOf(`Text\n\n${body}`);
      expect(html).not.toContain('color');
      expect(css).toBe('.a{color: red}');
      expect(warnings).toEqual([]);
    }
  });

  test('name files of the docs folder; what loads from elsewhere or runs is taken out', () => {
    const { css, warnings } = sheetOf(
      '<style>{`\n@import url("https://e.example/a.css");\n.a{background:url(/images/a.png)}\n' +
        '.b{background:url(https://e.example/b.png)}\n.c{background:url("javascript:alert(1)");behavior:url(x.htc)}\n' +
        '.d{width:expression(alert(1))}\n`}</style>',
    );
    expect(css).toContain('.a{background:url("../images/a.png")}');
    expect(css).not.toMatch(/e\.example|javascript|@import|htc|expression|behavior/);
    expect(warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['removed-element', 'remote-file', 'unsafe-link']),
    );
  });
});

test('escapes in a style element hide nothing, and those of strings and selectors stay', () => {
  const page = renderBody(
    '<style>{String.raw`\n.a{background:\\75 rl(https://e.example/a.png)}.b{background:\\url(https://e.example/b.png)}\n' +
      '.c::before{content:"\\2192"}.md\\:d{color:red}\n.e{content:"\n;background:\\75rl(https://e.example/c)}`}</style>',
  );
  const css = page.assets.map((asset) => String(asset.content())).join('');
  expect(css).not.toMatch(/\\75|\burl\(h|\\u/);
  expect(css).toContain('"→"');
  expect(css).toContain('.md\\:d');
});

test('a script in a page is left out, and the warning says where it belongs', () => {
  const { html, warnings } = renderBody('<script>{`alert(1)`}</script>\n');
  expect(html).not.toContain('alert');
  expect(warnings[0]?.message).toContain('Put the code into a `.js` file');
  const local = renderBody('<script type="module" src="/scripts/a.js"></script>\n');
  expect(local.warnings[0]?.message).toMatch(/Remove the tag: pages load each `\.js` .* without one\.$/);
});

test('links written for a host that serves the site below /docs lead to their pages', () => {
  const page = renderBody('[a](/docs/guide) ![b](/docs/images/b.png)', {
    pages: ['guide'],
    files: { 'images/b.png': 'png' },
  });
  expect(valuesOf(page.html, 'href')).toEqual(['../guide.html']);
  expect(valuesOf(page.html, 'src')).toEqual(['../images/b.png']);
  expect(page.warnings).toEqual([]);
});

describe('a name in braces that nothing defines', () => {
  test('is shown as written, so that paths and placeholders stay complete', () => {
    const { html, warnings } = renderBody(
      'Call /users/{user_id}/keys with Bearer {API-KEY}, or projects/{project.id}/locations.\n',
    );
    expect(html).toContain(
      '/users/{user_id}/keys with Bearer {API-KEY}, or projects/{project.id}/locations.',
    );
    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      ['unknown-name', '`{user_id}` is shown as written: `user_id` is not defined.'],
      ['unknown-name', '`{API-KEY}` is shown as written: `API` is not defined.'],
      ['unknown-name', '`{project.id}` is shown as written: `project` is not defined.'],
    ]);
  });

  test.each(['{A, [B], C}', '{label1="value1", label2="value2"}', '{x | x > 0}', '{A[0]}', '{x <= 3}'])(
    'is shown in a list or a comparison too: %s',
    (source) => {
      const { html, warnings } = renderBody(`The set ${source} is finite.\n`);
      expect(findOne(html, { tag: 'p' }).text).toBe(`The set ${source} is finite.`);
      expect(warnings).toMatchObject([{ code: 'unknown-name' }]);
    },
  );

  test('is shown where three dots precede it', () => {
    const { html } = renderBody('It passes {...args} on.\n');
    expect(findOne(html, { tag: 'p' }).text).toBe('It passes {...args} on.');
  });

  // biome-ignore lint/suspicious/noTemplateCurlyInString: Source text.
  test.each(['{t("key")}', '{open && <b>yes</b>}', '{`${names}`}'])(
    'is left out in a call, an element or a template: %s',
    (source) => {
      const { html } = renderBody(`A ${source} b\n`);
      expect(findOne(html, { tag: 'p' }).text).toBe('A b');
    },
  );

  test('is left out where it is code that readers must not see', () => {
    const { html, warnings } = renderBody('A {items.map((item) => item.secret)} b\n');
    expect(html).not.toContain('secret');
    expect(warnings).toMatchObject([{ code: 'unknown-name' }]);
  });
});

describe('code samples kept as exports of a snippet', () => {
  const names = Array.from({ length: 150 }, (_, index) => `SAMPLE_${index}`);
  const samples = names.map(
    (name) => `export const ${name} = "curl -d '{(${'[{()}]'.repeat(40)})}' https://api.example/${name}";`,
  );

  test.each([
    ['in one block', samples.join('\n')],
    ['with blank lines between them', samples.join('\n\n')],
    ['with Windows line ends', samples.join('\r\n\r\n')],
  ])('are all read from a file with a hundred of them, %s', (_, file) => {
    const { html, warnings } = renderBody(
      "import { SAMPLE_0, SAMPLE_149 } from '/snippets/samples.mdx';\n\n" +
        '<CodeGroup>\n<CodeBlock title="a">{SAMPLE_0}</CodeBlock>\n<CodeBlock title="b">{SAMPLE_149}</CodeBlock>\n</CodeGroup>\n',
      { files: { 'snippets/samples.mdx': file } },
    );
    expect(warnings).toEqual([]);
    expect(html).toContain('api.example/SAMPLE_0');
    expect(html).toContain('api.example/SAMPLE_149');
  });

  test('show their name in the block where they have no value: it never looks complete', () => {
    const page = renderBody(
      "import { missing } from '/snippets/none.mdx';\n\n<CodeBlock>{missing}</CodeBlock>\n\n<pre><code>{failed}</code></pre>\n\nexport const failed = new Thing();\n",
    );
    expect(page.html).toContain('{missing}');
    expect(page.html).toContain('{failed}');
    expect(page.warnings.map(({ code }) => code)).toContain('unresolved-import');
  });

  test('that the file does not export are shown as written, with this reason', () => {
    const { warnings } = renderBody(
      "import { missing } from '/snippets/samples.mdx';\n\n<CodeBlock>{missing}</CodeBlock>\n",
      { files: { 'snippets/samples.mdx': samples.join('\n') } },
    );
    expect(warnings.map(({ message }) => message)).toEqual([
      '`snippets/samples.mdx` does not export `missing`.',
      '`{missing}` is shown as written: its import was not found.',
    ]);
  });

  test('deep nesting is refused by the limit that it passes', () => {
    const deep = renderBody(`{${'['.repeat(2000)}1${']'.repeat(2000)}}\n`);
    expect(deep.warnings[0]?.message).toContain('nests deeper than 400 levels');
  });
});

test('a built-in component that is imported from elsewhere is the built-in one', () => {
  const { html, warnings } = renderBody(
    'import { Callout, Other } from "mintlify/components";\nimport Tabs from "@theme/Tabs";\n\n<Callout title="Mind">Text</Callout>\n\n<Other>Kept</Other>\n\n<Tabs><Tab title="A">One</Tab></Tabs>\n',
  );
  expect(byRole(html, 'note')[0]?.text).toBe('Mind Text');
  expect(byRole(html, 'tab', 'A')).toHaveLength(1);
  expect(warnings.map(({ message }) => message)).toEqual([
    '`mintlify/components` is a package; only files in the docs folder can be imported. The built-in `Callout` is used.',
    '`mintlify/components` is a package; only files in the docs folder can be imported. Content that uses `Other` is removed.',
    '`@theme/Tabs` is a package; only files in the docs folder can be imported. The built-in `Tabs` is used.',
  ]);
});

describe('names of a page in its snippets', () => {
  const heading = 'export const Title = ({ text }) => <h3>{text}</h3>;\n';

  test('a component of a snippet can use a component that the page imports', () => {
    const files = {
      'snippets/title.mdx': heading,
      'snippets/auth.mdx': 'export const Auth = () => <div><Title text="Authorization" /></div>;\n',
    };
    const body =
      "import { Auth } from '/snippets/auth.mdx';\nimport { Title } from '/snippets/title.mdx';\n\n<Auth />\n";
    const { html, warnings } = renderBody(body, { files });
    expect(readText(html)).toBe('Authorization');
    expect(warnings).toEqual([]);
  });

  test('content of a snippet can use a value that the page exports', () => {
    const files = { 'snippets/port.mdx': 'Port {port}\n' };
    const body =
      'import Port from \'/snippets/port.mdx\';\n\nexport const port = 8080;\n\n<Port />\n\n<Snippet file="port.mdx" />\n';
    const { html, warnings } = renderBody(body, { files });
    expect(readText(html)).toBe('Port 8080 Port 8080');
    expect(warnings).toEqual([]);
  });

  test('what the code of a snippet computes once for all pages does not depend on a page', () => {
    const files = { 'snippets/url.mdx': 'export const url = "http://host:" + port;\n\nOpen {url}\n' };
    const body =
      'import Url from \'/snippets/url.mdx\';\n\nexport const port = 1;\n\n<Url />\n\n<Snippet file="url.mdx" />\n';
    const { html, warnings } = renderBody(body, { files });
    expect(readText(html)).not.toContain('http://host:1');
    expect(warnings).toMatchObject([{ code: 'unknown-name', file: 'snippets/url.mdx', line: 1 }]);
  });

  test('names of the snippet have priority over names of the page', () => {
    const files = { 'snippets/port.mdx': 'export const port = 1;\n\nPort {port}\n' };
    const { html } = renderBody(
      "import Port from '/snippets/port.mdx';\n\nexport const port = 2;\n\n<Port />\n",
      {
        files,
      },
    );
    expect(readText(html)).toBe('Port 1');
  });
});

test.each([
  ['<Image src="/a.png" />', 'Use `<img>`.'],
  ['<TabItem value="a" label="A">y</TabItem>', 'Use `<Tab title="…">`.'],
  ['<Tabs.Tab label="A">y</Tabs.Tab>', 'Use `<Tab title="…">`.'],
  ['<Collapsible title="A">y</Collapsible>', 'Use `<Accordion title="…">`.'],
  ['<Caution>y</Caution>', 'Use `<Warning>`.'],
  ['<YouTube id="a" />', 'Use `<iframe src="https://www.youtube.com/embed/…">`.'],
  ['<LinkCard href="/a" title="A" />', 'Use `<Card title="…" href="…">`.'],
  ['<Acordion title="x">y</Acordion>', 'Did you mean `<Accordion>`?'],
  ['<tip>\n  y\n</tip>', 'Did you mean `<Tip>`?'],
  ['<nothing>y</nothing>', 'Use another element, such as `<div>`.'],
])('the warning about %s has a way out', (body, expected) => {
  const { warnings } = renderBody(`${body}\n`);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.message).toContain(expected);
});

test('an image of another host in a diagram is replaced by its alternative text', () => {
  const image = (alt: string): string => `<img src='https://e.example/a.png' alt='${alt}'/>`;
  const { html, warnings } = renderBody(
    `\`\`\`mermaid\nflowchart LR\n  A[<div>${image('A cat (old)')}</div>] --> B[${image('end')}]\n\`\`\`\n`,
  );
  expect(html).toContain('A[&lt;div&gt;A cat old&lt;/div&gt;] --&gt; B[ ]');
  expect(warnings.map(({ code }) => code)).toEqual(['remote-file']);
});
