import { parseDocument } from 'htmlparser2';
import { expect, test } from 'vitest';
import { byId, find } from './dom.ts';
import { brokenLinks, renderFiles, textOf } from './output.ts';
import { childTexts, elementsOf, textIn } from './xml.ts';

const config = (extra: object = {}): string =>
  JSON.stringify({
    theme: 'mint',
    name: 'Docs & "more"',
    colors: { primary: '#166e3f' },
    navigation: { pages: ['changelog', 'news/product', 'plain'] },
    ...extra,
  });

const CHANGELOG = `---
title: "Changelog"
description: What's new
rss: true
---

<Update label="March 3, 2025" tags={["New", "A&B"]} description="v2.1">
  A **bold** word, a [link](/plain), \`code\` and [elsewhere](https://example.com/?a=1&b=2).

  <Card title="Card">not in the feed</Card>

  \`\`\`js
  const hidden = true;
  \`\`\`

  - one
  - two
</Update>

<Update label="2025-02-01">
  Before.

  ## First thing

  Text one.

  ## Second ]]> thing

  <p>raw</p>
</Update>

<Update label="v1.0" rss={{ title: 'A "quoted" <title>', description: '</description><script>alert(1)</script> ]]>' }}>
  Other words.
</Update>
`;

const files = {
  'docs.json': config(),
  'changelog.mdx': CHANGELOG,
  'news/product.mdx': '<Update label="Only one">News.</Update>\n',
  'plain.mdx': 'Nothing new.\n',
};

const render = () => renderFiles(files, { lastModified: '2026-01-02T03:04:05Z' });

test('a page with updates has a feed that is well-formed RSS 2.0 with one entry per update or heading', async () => {
  const output = await render();
  const feed = textOf(output, 'changelog/rss.xml');
  const items = elementsOf(feed, 'item');
  expect(items.map((item) => textIn(item, 'title'))).toEqual([
    'March 3, 2025',
    'First thing',
    'Second ]]> thing',
    'A "quoted" <title>',
  ]);
  expect(items.map((item) => textIn(item, 'pubDate'))).toEqual([
    'Mon, 03 Mar 2025 00:00:00 GMT',
    'Sat, 01 Feb 2025 00:00:00 GMT',
    'Sat, 01 Feb 2025 00:00:00 GMT',
    'Fri, 02 Jan 2026 03:04:05 GMT',
  ]);
  const [rss] = elementsOf(feed, 'rss');
  expect(rss?.attribs.version).toBe('2.0');
  const [channel] = elementsOf(feed, 'channel');
  expect(textIn(channel, 'title')).toBe('Changelog - Docs & "more"');
  expect(textIn(channel, 'link')).toBe('https://docs.example.com/changelog');
  expect(textIn(channel, 'description')).toBe("What's new");
  expect(elementsOf(feed, 'atom:link')[0]?.attribs.href).toBe('https://docs.example.com/changelog/rss.xml');
});

test('an entry leads to an element of its page, once for each', async () => {
  const output = await render();
  const html = textOf(output, 'changelog.html');
  const links = elementsOf(textOf(output, 'changelog/rss.xml'), 'item').map((item) => textIn(item, 'guid'));
  expect(new Set(links).size).toBe(links.length);
  for (const link of links) {
    const [page, id = ''] = link.split('#');
    expect(page).toBe('https://docs.example.com/changelog');
    expect(byId(html, decodeURIComponent(id)), id).not.toBeNull();
  }
});

test('an entry holds prose only, with absolute links', async () => {
  const [item, first] = elementsOf(textOf(await render(), 'changelog/rss.xml'), 'item');
  expect(textIn(item, 'description')).toBe(
    '<p>A <strong>bold</strong> word, a <a href="https://docs.example.com/plain.html">link</a>, code and ' +
      '<a href="https://example.com/?a=1&amp;b=2">elsewhere</a>.</p><ul><li><p>one</p></li><li><p>two</p></li></ul>',
  );
  expect(childTexts(item, 'category')).toEqual(['New', 'A&B']);
  expect(textIn(first, 'description')).toBe('<p>Before.</p><p>Text one.</p>');
});

test('hostile words of an update stay text, in the feed and in what it shows', async () => {
  const item = elementsOf(textOf(await render(), 'changelog/rss.xml'), 'item')[3];
  const shown = textIn(item, 'description');
  expect(shown).toBe('<p>&lt;/description&gt;&lt;script&gt;alert(1)&lt;/script&gt; ]]&gt;</p>');
  expect(parseDocument(shown).children).toHaveLength(1);
});

test('characters that XML cannot hold are left out', async () => {
  const { files: output } = await renderFiles({
    ...files,
    'changelog.mdx': '<Update label="a">b\u0001c\u000bd \ud800 e</Update>\n',
  });
  const feed = String(output.get('changelog/rss.xml'));
  expect(feed).toContain('bcd');
  expect(feed).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|[\ud800-\udbff](?![\udc00-\udfff])/);
});

test('each page with updates has a feed of its own, and names it; others have none', async () => {
  const output = await render();
  expect([...output.files.keys()].filter((path) => path.endsWith('rss.xml'))).toEqual([
    'changelog/rss.xml',
    'news/product/rss.xml',
  ]);
  const feedOf = (path: string) =>
    find(textOf(output, path), {
      tag: 'link',
      attributes: { rel: 'alternate', type: 'application/rss+xml' },
    });
  expect(feedOf('changelog.html')).toMatchObject([
    { attributes: { title: 'Changelog - Docs & "more"', href: 'changelog/rss.xml' } },
  ]);
  expect(feedOf('news/product.html')).toMatchObject([{ attributes: { href: 'product/rss.xml' } }]);
  expect(textOf(output, 'plain.html')).not.toContain('rss.xml');
  const again = await render();
  expect(again.files.get('changelog/rss.xml')).toBe(output.files.get('changelog/rss.xml'));
});

test('without a date of the label and of the page an entry has none', async () => {
  const { files: output } = await renderFiles(files);
  const [item] = elementsOf(String(output.get('news/product/rss.xml')), 'item');
  expect(childTexts(item, 'pubDate')).toEqual([]);
});

test.each(['true', '"true"'])(
  'a page that asks for a feed with %s has one, so that the link to it leads somewhere',
  async (rss) => {
    const output = await renderFiles({ ...files, 'plain.mdx': `---\nrss: ${rss}\n---\nNothing new yet.\n` });
    expect(textOf(output, 'plain.html')).toContain('href="plain/rss.xml"');
    expect(elementsOf(textOf(output, 'plain/rss.xml'), 'channel')).toHaveLength(1);
    expect(brokenLinks(output)).toEqual([]);
  },
);

test('a link to the feed of a page leads to it; one to the feed of a page without one is broken', async () => {
  const output = await renderFiles({
    'docs.json': config({ navigation: { pages: ['index', 'news/log', 'news/asks', 'plain'] } }),
    'index.mdx':
      '[a](/rss.xml) [b](/news/log/rss.xml) [c](news/asks/rss.xml) [d](/plain/rss.xml)\n\n<Update label="x">y</Update>\n',
    'news/log.mdx': 'import Log from "/snippets/log.mdx";\n\n<Log />\n',
    'snippets/log.mdx': '<Update label="x">y</Update>\n',
    'news/asks.mdx': '---\nrss: true\n---\n\n## 2025-01-02\n\nText.\n',
    'plain.mdx': 'Text.\n',
  });
  const { warnings } = output.result;
  expect(warnings.filter(({ code }) => code === 'broken-link').map(({ message }) => message)).toEqual([
    expect.stringContaining('`/plain/rss.xml`'),
  ]);
  expect(brokenLinks(output)).toEqual(['index.html -> plain/rss.xml']);
});
