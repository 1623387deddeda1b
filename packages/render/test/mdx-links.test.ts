import { describe, expect, test } from 'vitest';
import { byId, byRole, find, valuesOf } from './dom.ts';
import { renderBody, renderTestPage, testPage } from './mdx-page.ts';

const site = {
  files: { 'images/a b.png': 'x', 'docs/local.png': 'x', 'files/spec.json': '{}' },
  pages: ['index', 'guide', 'docs/other', 'docs/deep/page', 'api', 'new/place', 'über uns'],
  redirects: [
    { source: '/old', destination: '/new/place#there', permanent: true },
    { source: '/moved/:slug*', destination: '/docs/:slug*', permanent: true },
    { source: '/away', destination: 'https://example.com/', permanent: true },
    { source: '/one', destination: '/two', permanent: true },
    { source: '/two', destination: '/one', permanent: true },
  ],
};

const hrefOf = (html: string): string | undefined => valuesOf(html, 'href', { tag: 'a' })[0];

describe('links', () => {
  test('without a text show nothing and cannot be reached by keyboard', () => {
    const { html, markdown } = renderBody(
      '## Part[](#part "Direct link to Part")\n\nSee [](/guide) it.\n',
      site,
    );
    expect(find(html, { tag: 'a', notClass: 'op-heading-anchor' })).toEqual([]);
    expect(byId(html, 'part')?.text).toBe('Part');
    expect(markdown).toBe('## Part\n\nSee  it.\n');
  });

  test.each([
    ['/guide', '../guide.html'],
    ['/guide/', '../guide.html'],
    ['/new', '../new/place.html'],
    ['/docs/deep/', 'deep/page.html'],
    ['/docs/new', '../new/place.html'],
    ['/guide.mdx#part', '../guide.html#part'],
    ['/guide.md?x=1#part', '../guide.html?x=1#part'],
    ['/guide.html', '../guide.html'],
    ['/guide/index', '../guide.html'],
    ['/Guide', '../guide.html'],
    ['./other', 'other.html'],
    ['other.mdx', 'other.html'],
    ['../guide', '../guide.html'],
    ['deep/page', 'deep/page.html'],
    ['docs/other', 'other.html'],
    ['/', '../index.html'],
    ['#part', '#part'],
    ['', '#'],
    ['/%C3%BCber%20uns', '../%C3%BCber%20uns.html'],
    ['/old', '../new/place.html#there'],
    ['/old#own', '../new/place.html#there'],
    ['/moved/other', 'other.html'],
    ['/away', 'https://example.com/'],
    ['/files/spec.json', '../files/spec.json'],
    ['/llms.txt', '../llms.txt'],
    ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
    ['//example.com/a', 'https://example.com/a'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
    ['tel:+1', 'tel:+1'],
  ])('%s stands as %s', (written, href) => {
    const page = renderBody(`<a href="${written}">x</a>`, site);
    expect(hrefOf(page.html)).toBe(href);
    expect(page.warnings).toEqual([]);
  });

  test.each([
    ['/gone', '../gone.html'],
    ['/gone#x', '../gone.html#x'],
    ['../../../../etc/passwd', '../etc/passwd.html'],
    ['/one', '../one.html'],
    ['/a:b', '../a:b.html'],
    ['javascript%3Aalert(1)', './javascript:alert(1).html'],
  ])('%s leads nowhere, stays harmless and is reported at its line', (written, href) => {
    const page = renderBody(`text\n\n<a href="${written}">x</a>`, site);
    expect(hrefOf(page.html)).toBe(href);
    expect(page.warnings.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual([
      'docs/page.mdx:3 broken-link',
    ]);
  });

  test.each([
    ['./other', 'other.html'],
    ['./sibling/', '../sibling/index.html'],
    ['../files/spec.json', '../../files/spec.json'],
  ])(
    'the link %s of the first page of a folder counts from the folder, else from the URL of the page',
    (link, href) => {
      const page = testPage('docs/part/index', `[x](${link})`);
      const { html, warnings } = renderTestPage(page, {
        ...site,
        pages: ['docs/part/other', 'docs/sibling/index'],
      });
      expect(hrefOf(html)).toBe(href);
      expect(warnings).toEqual([]);
    },
  );

  test('fragments are collected with the page they lead to', () => {
    const page = renderBody(
      '[a](#here) [b](/guide#there) [c](/old) [d](https://x.example/#no)\n\n## Here',
      site,
    );
    expect(page.links).toEqual([
      { target: 'docs/page', hash: 'here', href: '#here', file: 'docs/page.mdx', line: 1 },
      { target: 'guide', hash: 'there', href: '../guide.html#there', file: 'docs/page.mdx', line: 1 },
      { target: 'new/place', hash: 'there', href: '../new/place.html#there', file: 'docs/page.mdx', line: 1 },
    ]);
    expect([...page.ids]).toEqual(['here']);
  });

  test('files are found from the root, the page and with encoded names', () => {
    const page = renderBody('![a](/images/a%20b.png) ![b](local.png) ![c](./local.png)', site);
    expect(valuesOf(page.html, 'src', { tag: 'img' })).toEqual([
      '../images/a%20b.png',
      'local.png',
      'local.png',
    ]);
    expect(page.warnings).toEqual([]);
  });

  test('a link in a snippet is reported in the snippet, once', () => {
    const files = { 'snippets/s.mdx': '---\na: b\n---\n\ntext [x](/gone)\n' };
    const page = renderBody('<Snippet file="s.mdx" />\n\n<Snippet file="s.mdx" />', { files });
    expect(page.warnings.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual([
      'snippets/s.mdx:5 broken-link',
    ]);
  });

  test('lines count from the top of the file, front matter included', () => {
    const page = renderTestPage(testPage('docs/page', 'a\n\n{nothing}\n', { bodyLine: 5 }));
    expect(page.warnings.map(({ line }) => line)).toEqual([8]);
  });
});

describe('anchors', () => {
  test.each([
    ['Hello World', 'hello-world'],
    ['API v2.0 & more', 'api-v2-0-&-more'],
    ['Using `act()`', 'using-act'],
    ["What's new?", 'what’s-new'],
    ['GET /users/{id}', 'get-/users/id'],
    ['Ünïcode 日本', 'ünïcode-日本'],
    ['🚀 Start: now!', 'start-now'],
    ['Split with `$ref`', 'split-with-$ref'],
    ['`--mcp`', 'mcp'],
  ])('%s is reached at #%s', (text, id) => {
    const page = renderBody(`## ${text.replaceAll('{', '\\{')}`);
    expect(page.toc[0]?.id).toBe(id);
  });

  test('a heading is also reached at the anchor that other hosts give, unless a later heading owns it', () => {
    const page = renderBody('## a.b\n\n## c.d\n\n## cd');
    expect([...page.ids].sort()).toEqual(['a-b', 'ab', 'c-d', 'cd']);
    expect(byId(page.html, 'ab')).toMatchObject({ role: '', text: '' });
    expect(find(page.html, { id: 'cd' })).toMatchObject([{ role: 'heading' }]);
  });

  test('custom pages generate no ids', () => {
    const { html } = renderBody('## A\n\n## B {#own}', {}, { mode: 'custom' });
    expect(byRole(html, 'heading').map(({ level, id, name }) => [level, id, name])).toEqual([
      [2, null, 'A'],
      [2, 'own', 'B'],
    ]);
    expect(valuesOf(html, 'id')).toEqual(['own']);
    expect(valuesOf(html, 'href')).toEqual(['#own']);
  });
});

describe('variables', () => {
  test('are put in before the parse, without markup, and unknown ones stay in code', () => {
    const variables = { version: '1.2 <b>x</b>', 'a.b': 'two\nlines' };
    const page = renderBody(
      'Version {{version}}, {{ a.b }}\n\n```\n{{version}} {{jinja}}\n```\n\n<Card title="{{version}}">x</Card>',
      { variables },
    );
    const [paragraph] = byRole(page.html, 'paragraph');
    expect(paragraph).toMatchObject({ text: 'Version 1.2 x, two lines', children: [] });
    expect(page.sections()[0]?.text).toContain('1.2 x {{jinja}}');
    expect(page.warnings).toEqual([]);
  });
});

test('a link that shows nothing but an icon is named by the icon', () => {
  const { html } = renderBody(
    '<a href="https://github.com/x/y"><Icon icon="github" /></a> and [<Icon icon="book-open" />](https://example.com)',
  );
  expect(byRole(html, 'link').map(({ name }) => name)).toEqual(['github', 'book open']);
  const named = renderBody('<a href="https://example.com"><Icon icon="github" /> Code</a>').html;
  expect(byRole(named, 'link').map(({ name }) => name)).toEqual(['Code']);
});
