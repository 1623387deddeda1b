import { describe, expect, test } from 'vitest';
import { renderBody } from './mdx-page.ts';

describe('headings', () => {
  test('what a component says in a heading is no part of the anchor', () => {
    const { html } = renderBody('### `theme` - <Badge color="red">required</Badge>\n');
    expect(html).toContain('id="theme"');
    expect(html).toContain('required');
    expect(renderBody('## <Badge>New</Badge>\n').html).toContain('id="new"');
    expect(renderBody('## Use <code>x</code> now\n').html).toContain('id="use-x-now"');
  });

  test('a heading with a colon is found with it and without', () => {
    const { ids } = renderBody('## Example: Connect it\n');
    expect([...ids]).toEqual(expect.arrayContaining(['example-connect-it', 'example:-connect-it']));
  });
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
        '.b{background:url(https://e.example/b.png)}\n.c{background:url(javascript:alert(1));behavior:url(x.htc)}\n' +
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
  expect(css).toContain('"\\2192"');
  expect(css).toContain('.md\\:d');
});

test('a script in a page is left out, and the warning says where it belongs', () => {
  const { html, warnings } = renderBody('<script>{`alert(1)`}</script>\n');
  expect(html).not.toContain('alert');
  expect(warnings[0]?.message).toContain('`.js` file');
});

test('links written for a host that serves the site below /docs lead to their pages', () => {
  const page = renderBody('[a](/docs/guide) ![b](/docs/images/b.png)', {
    pages: ['guide'],
    files: { 'images/b.png': 'png' },
  });
  expect(page.html).toContain('href="../guide.html"');
  expect(page.html).toContain('src="../images/b.png"');
  expect(page.warnings).toEqual([]);
});
