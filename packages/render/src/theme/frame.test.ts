import { describe, expect, test } from 'vitest';
import {
  byId,
  byRole,
  find,
  findOne,
  has,
  type Query,
  readHtml,
  type Shown,
  textsOf,
  valuesOf,
} from '../../test/dom.ts';
import { memorySource, renderSite } from '../index.ts';
import type { Warning } from '../warning.ts';

/** Renders pages under a configuration; returns the files and the warnings. */
async function render(
  config: Record<string, unknown>,
  pages: Record<string, string>,
  more: Record<string, string> = {},
): Promise<{ file(path: string): string; style: string; warnings: Warning[] }> {
  const files = new Map<string, string>();
  const source = memorySource({
    'docs.json': JSON.stringify({
      name: 'Site',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      navigation: { pages: Object.keys(pages) },
      ...config,
    }),
    ...Object.fromEntries(Object.entries(pages).map(([path, text]) => [`${path}.mdx`, text])),
    ...more,
  });
  const { warnings } = await renderSite({
    source,
    siteUrl: 'https://docs.example.com',
    emit: (path, content) =>
      void files.set(path, typeof content === 'string' ? content : new TextDecoder().decode(content)),
  });
  const style = [...files].find(([path]) => /^_offprint\/site-\w+\.css$/.test(path))?.[1] ?? '';
  return { file: (path) => files.get(path) ?? '', style, warnings };
}

const page = (fields = ''): string => `---\ntitle: Start\n${fields}---\n\n## One\n\nText\n\n## Two\n\nText\n`;
const menuOf = (html: string): Shown | null => byId(html, 'page-context-menu');
const itemsOf = (html: string): readonly Shown[] => byRole(html, 'menuitem');

describe('the menu of a page', () => {
  test('offers to copy and to view where docs.json says nothing', async () => {
    const { file } = await render({}, { start: page() });
    const html = file('start.html');
    expect(itemsOf(html)).toMatchObject([
      { name: expect.stringMatching(/^Copy page/) },
      { name: expect.stringMatching(/^View as Markdown/) },
    ]);
    expect(itemsOf(html).map(({ attributes }) => attributes.href)).toEqual([undefined, 'start.md']);
    const button = findOne(html, { role: 'button', name: 'More actions for this page' });
    expect(button.controls).toMatchObject([{ role: 'menu', id: 'page-menu' }]);
    expect(
      findOne(html, { role: 'button', name: 'Copy page' }).closest({ id: 'page-context-menu' }),
    ).not.toBeNull();
  });

  test('asks assistants about the public URL of the page', async () => {
    const options = ['chatgpt', 'claude', 'perplexity', 'grok', 'aistudio', 'devin'];
    const { file, warnings } = await render({ contextual: { options } }, { 'a/start': page() });
    const html = file('a/start.html');
    const url = encodeURIComponent('https://docs.example.com/a/start');
    expect(itemsOf(html)).toHaveLength(options.length);
    // The first one is also the button beside the menu.
    const links = find(html, {
      role: /link|menuitem/,
      attributes: { href: true },
      within: { id: 'page-context-menu' },
    });
    expect(links).toHaveLength(options.length + 1);
    for (const { attributes } of links) expect(attributes.href).toContain(url);
    expect(warnings).toEqual([]);
  });

  test('fills URLs of its own with page and path, and leaves out those that name an MCP server', async () => {
    const link = (href: unknown, title: string) => ({ title, description: 'About', icon: 'star', href });
    const query = [
      { key: 'about', value: 'Look at $page' },
      { key: 'at', value: '$path' },
    ];
    const options = [
      link({ base: 'https://ask.example.com/new', query }, 'Ask'),
      link('/other', 'Other'),
      link('https://x.example.com/$mcp', 'Server'),
    ];
    const { file } = await render({ contextual: { options } }, { start: page(), other: page() });
    const items = itemsOf(file('start.html'));
    expect(items.map(({ name, attributes }) => [name.replace('About', ''), attributes.href])).toEqual([
      [
        'Ask',
        'https://ask.example.com/new?about=Look%20at%20https%3A%2F%2Fdocs.example.com%2Fstart&at=%2Fstart',
      ],
      ['Other', 'other.html'],
    ]);
    expect(menuOf(file('start.html'))?.text).not.toContain('Server');
  });

  test('is not there with an empty list, on one page or on all', async () => {
    const own = await render({}, { start: page('contextual:\n  options: []\n'), other: page() });
    expect(menuOf(own.file('start.html'))).toBeNull();
    expect(menuOf(own.file('other.html'))).not.toBeNull();
    const all = await render({ contextual: { options: [] } }, { start: page() });
    expect(menuOf(all.file('start.html'))).toBeNull();
  });

  test('is below the contents with display toc', async () => {
    const contextual = { options: ['copy', 'view'], display: 'toc' };
    const { file } = await render({ contextual }, { start: page(), bare: '---\ntitle: Bare\n---\n\nText' });
    expect(menuOf(file('start.html'))).toBeNull();
    const action: Query = { role: 'button', name: 'Copy page', within: { id: 'table-of-contents' } };
    expect(has(file('start.html'), action)).toBe(true);
    expect(has(file('bare.html'), action)).toBe(true);
  });
});

describe('what stands around the text', () => {
  test('authors, date in the order of the language, and related pages', async () => {
    const fields = [
      'authors: ["Ada", {name: Grace, url: "https://example.com"}, {name: Eve, url: "javascript:alert(1)"}]',
      'lastUpdatedDate: 2026-08-14',
      'related:\n  - /other\n  - Elsewhere: https://example.com/a\n  - javascript:alert(1)',
    ];
    const languages = [
      { language: 'en', pages: ['start', 'other'] },
      { language: 'de', pages: ['de/start'] },
    ];
    const { file } = await render(
      { metadata: { timestamp: true }, navigation: { languages } },
      {
        start: page(`${fields.join('\n')}\n`),
        other: page(),
        'de/start': page('lastUpdatedDate: 2026-08-14\n'),
      },
    );
    const html = file('start.html');
    const header = { id: 'header' };
    expect(findOne(html, { role: 'time', within: header })).toMatchObject({
      text: 'August 14, 2026',
      attributes: { datetime: '2026-08-14' },
    });
    const date = findOne(file('de/start.html'), { role: 'time', within: header });
    expect(date).toMatchObject({ text: '14. August 2026', attributes: { datetime: '2026-08-14' } });
    expect(date.parent?.text).toBe('Zuletzt geändert am 14. August 2026');
    const author = findOne(html, { role: 'link', name: 'Grace', within: header });
    expect(author.attributes.href).toBe('https://example.com');
    expect(author.parent?.text).toBe('Ada, Grace, Eve');
    const related = findOne(html, { role: 'region', name: 'Related topics', id: 'related-topics' });
    expect(valuesOf(related, 'href')).toEqual(['other.html', 'https://example.com/a']);
    expect(html).not.toContain('javascript:');
  });

  test('a page says nothing of dates unless the site or the page asks', async () => {
    const { file } = await render(
      {},
      {
        start: page('lastUpdatedDate: 2026-08-14\n'),
        own: page('lastUpdatedDate: 2026-08-14\ntimestamp: true\n'),
      },
    );
    expect(byRole(file('start.html'), 'time')).toEqual([]);
    expect(textsOf(file('own.html'), { role: 'time' })).toEqual(['August 14, 2026']);
  });

  test.each(['true', '"true"'])(
    'hideFooterPagination: %s removes the links to the previous and the next page',
    async (value) => {
      const { file } = await render({}, { start: page(`hideFooterPagination: ${value}\n`), other: page() });
      const links = (path: string) => valuesOf(file(path), 'href', { within: { id: 'pagination' } });
      expect(links('start.html')).toEqual([]);
      expect(links('other.html')).toEqual(['start.html']);
    },
  );

  test.each([
    ['card', 'directory-card'],
    ['accordion', 'directory-page'],
  ])('the root page of a group lists its children as %s', async (directory, className) => {
    const groups = [
      { group: 'All', root: 'start', directory, pages: ['other', { group: 'In', pages: ['deep'] }] },
    ];
    const { file } = await render(
      { navigation: { groups } },
      { start: page(), other: page('description: About the other.\n'), deep: page() },
    );
    const list = findOne(file('start.html'), { class: 'directory' });
    expect(has(list, { class: className })).toBe(true);
    expect(valuesOf(list, 'href')).toEqual(['other.html', 'deep.html']);
    expect(list.text).toContain('About the other.');
    expect(has(file('other.html'), { class: 'directory' })).toBe(false);
  });
});

test('a style sheet that selects [data-banner] does not mean the whole page', async () => {
  const { file } = await render({ banner: { content: 'News', dismissible: true } }, { start: page() });
  const [root] = readHtml(file('start.html'));
  expect(root?.attributes).toMatchObject({ 'data-op-banner': expect.any(String) });
  expect(root?.attributes).not.toHaveProperty('data-banner');
});

test('a group of which all pages are hidden is not in the sidebar', async () => {
  const groups = [
    { group: 'Shown', pages: ['start', { group: 'Inner', pages: ['secret'] }] },
    { group: 'Concealed', pages: ['secret', { group: 'Deep', pages: ['other'] }] },
  ];
  const { file } = await render(
    { navigation: { groups } },
    { start: page(), secret: page('hidden: true\n'), other: page('hidden: true\n') },
  );
  for (const path of ['start.html', 'secret.html']) {
    const text = findOne(file(path), { id: 'sidebar' }).text;
    expect(text).toContain('Shown');
    expect(text).not.toMatch(/Inner|Concealed|Deep/);
  }
});

describe('the look that docs.json asks for', () => {
  test('each theme has a layout of its own', async () => {
    const themes = ['mint', 'maple', 'palm', 'willow', 'linden', 'almond', 'aspen', 'sequoia', 'luma'];
    const layouts = new Set<string | undefined>();
    for (const theme of themes) {
      const { file } = await render({ theme }, { start: page() });
      layouts.add(readHtml(file('start.html'))[0]?.attributes['data-layout']);
    }
    expect(layouts.size).toBe(themes.length);
  });

  test('a font of the docs folder becomes a face, and one from elsewhere a warning', async () => {
    const own = await render(
      { fonts: { family: 'Own Sans', source: '/fonts/own.woff2', weight: 500 } },
      { start: page() },
      { 'fonts/own.woff2': 'font' },
    );
    expect(own.style).toContain('font-family:"Own Sans"');
    expect(own.style).toContain('url("../fonts/own.woff2")');
    expect(own.warnings).toEqual([]);
    const remote = await render({ fonts: { family: 'Onest' } }, { start: page() });
    expect(remote.warnings.map(({ code }) => code)).toEqual(['font-missing']);
    expect(remote.style).not.toContain('Onest');
    const vendored = await render({ fonts: { family: 'Inter' } }, { start: page() });
    expect(vendored.warnings).toEqual([]);
  });

  test('a generic family is the font of the system, without a warning and without a file', async () => {
    const { style, warnings, file } = await render({ fonts: { family: 'system-ui' } }, { start: page() });
    expect(warnings).toEqual([]);
    expect(style).toContain('--font-body:system-ui,');
    expect(valuesOf(file('start.html'), 'href', { tag: 'link', attributes: { rel: 'preload' } })).toEqual([]);
  });

  test('names of families cannot break out of the style sheet', async () => {
    const { style } = await render(
      { fonts: { family: 'x";}body{display:none}', source: 'fonts/a".woff2' } },
      { start: page() },
      { 'fonts/a".woff2': 'font' },
    );
    expect(style).not.toContain('body{display:none}');
    expect(style).not.toContain('a".woff2');
  });

  test('grounds that text reads on are taken; others are a warning', async () => {
    const good = await render(
      { background: { color: { light: '#eeeeee', dark: '#222831' } } },
      { start: page() },
    );
    expect(good.style).toContain('--color-bg:light-dark(#eeeeee,#222831)');
    const bad = await render({ background: { color: { light: '#777777' } } }, { start: page() });
    expect(bad.warnings.map(({ code }) => code)).toEqual(['color-contrast']);
    expect(bad.style).not.toContain('#777777');
  });

  test('links and images that docs.json names are reported once, with their line', async () => {
    const config = {
      banner: { content: 'See [news](/none-1)' },
      navbar: { links: [{ label: 'Blog', href: '/none-2' }] },
      seo: { metatags: { 'og:image': '/none-3.png' } },
    };
    const docs = {
      name: 'Site',
      colors: { primary: '#166e3f' },
      navigation: { pages: ['a', 'b'] },
      ...config,
    };
    const text = JSON.stringify(docs, null, 1);
    const { warnings } = await render(
      {},
      { a: page(), b: page('og:image: /none-4.png\n') },
      { 'docs.json': text },
    );
    const lineOf = (part: string) => text.split('\n').findIndex((line) => line.includes(part)) + 1;
    expect(warnings).toMatchObject([
      { file: 'b.mdx', code: 'missing-asset', message: expect.stringContaining('/none-4.png') },
      { file: 'docs.json', line: lineOf('none-1'), code: 'link-not-found' },
      { file: 'docs.json', line: lineOf('none-2'), code: 'link-not-found' },
      { file: 'docs.json', line: lineOf('none-3'), code: 'missing-asset' },
    ]);
  });

  test('links of docs.json that a host serves below /docs lead to their pages and files', async () => {
    const { file, warnings } = await render(
      {
        banner: { content: 'See [news](/docs/start#one), [file](/docs/a.pdf), [folder](/docs/guide)' },
        navbar: { links: [{ label: 'Start', href: '/docs/start' }] },
      },
      { start: page(), 'guide/first': page() },
      { 'a.pdf': 'x' },
    );
    expect(warnings).toEqual([]);
    const html = file('start.html');
    expect(valuesOf(html, 'href', { text: 'news' })).toEqual(['start.html#one']);
    expect(valuesOf(html, 'href', { text: 'file' })).toEqual(['a.pdf']);
    expect(valuesOf(html, 'href', { text: 'folder' })).toEqual(['guide/first.html']);
  });

  test('links of docs.json to files that the export makes lead to them', async () => {
    const links = ['llms.txt', 'sitemap.xml', 'guide/news/rss.xml', 'guide/news.md', 'start/rss.xml'];
    const { file, warnings } = await render(
      { navbar: { links: links.map((path) => ({ label: path, href: `/${path}` })) } },
      { start: page(), 'guide/news': `${page()}\n<Update label="1.0">Text</Update>\n` },
    );
    const hrefs = links.map((path) => valuesOf(file('start.html'), 'href', { text: path })[0]);
    const [missing] = hrefs.splice(-1);
    expect(hrefs).toEqual(['llms.txt', 'sitemap.xml', 'guide/news/rss.xml', 'guide/news.html']);
    expect(missing).toMatch(/^https:.*\/start\/rss\.xml$/);
    expect(warnings).toMatchObject([
      { code: 'link-not-found', message: expect.stringContaining('"/start/rss.xml"') },
    ]);
  });

  test('relative links in the description of a page start from its folder', async () => {
    const described = page('description: Read [this](./second#one), [that](../start), [none](./third).\n');
    const { file, warnings } = await render(
      {},
      { start: page(), 'guide/first': described, 'guide/second': page() },
    );
    const html = file('guide/first.html');
    expect(valuesOf(html, 'href', { text: 'this' })).toEqual(['second.html#one']);
    expect(valuesOf(html, 'href', { text: 'that' })).toEqual(['../start.html']);
    expect(warnings).toMatchObject([{ file: 'guide/first.mdx', line: 3, code: 'link-not-found' }]);
  });

  test('the URL of a page that is only a link is reported in the file of the page', async () => {
    const { warnings } = await render({}, { start: page(), away: page('url: /none\n') });
    expect(warnings).toMatchObject([
      { file: 'away.mdx', code: 'redirect-target' },
      { file: 'away.mdx', line: 3, code: 'link-not-found', message: expect.stringContaining('"url"') },
    ]);
  });

  test('a link in a description of several lines is reported with its own line', async () => {
    const described = page('description: >\n  Read this first.\n  Then [none](/none).\n');
    const { warnings } = await render({}, { start: described });
    expect(warnings).toMatchObject([{ file: 'start.mdx', line: 5, code: 'link-not-found' }]);
  });

  test('of colors that the author has not set, nothing is said', async () => {
    const codesOf = async (config: Record<string, unknown>) =>
      (await render(config, { start: page() })).warnings.map(({ code }) => code);
    expect(await codesOf({ colors: undefined })).toEqual([]);
    expect(await codesOf({ colors: { primary: '#16a34a' } })).toEqual(['color-contrast']);
    expect(await codesOf({ colors: { primary: 'green' } })).toEqual(['config-value']);
  });

  test.each(['gradient', 'grid', 'windows'])('decoration %s lies behind the page', async (decoration) => {
    const plain = await render({}, { start: page() });
    const { style } = await render({ background: { decoration } }, { start: page() });
    expect(plain.style).not.toContain('body::before');
    expect(style).toContain('body::before');
  });

  test('an image behind the page, of its own in the dark', async () => {
    const { style } = await render(
      { background: { image: { light: '/images/a b.png', dark: '/images/dark.png' } } },
      { start: page() },
      { 'images/a b.png': 'x', 'images/dark.png': 'x' },
    );
    expect(style).toContain(':root{--page-image:url("../images/a%20b.png")}');
    expect(style).toContain('html.dark{--page-image:url("../images/dark.png")}');
  });

  test('character references in the banner, titles and descriptions are shown as characters', async () => {
    const { file } = await render(
      { banner: { content: 'New&nbsp;&mdash; it&#x27;s [here](/start) &lt;b&gt;' }, name: 'A &amp; B' },
      { start: '---\ntitle: "Q &amp; A"\ndescription: "Tips &amp; tricks &lt;i&gt;"\n---\n\nText\n' },
    );
    const html = file('start.html');
    const banner = findOne(html, { role: 'paragraph', within: { id: 'banner' } });
    expect(banner.rawText).toBe("New\u00a0— it's here <b>");
    expect(banner.children).toMatchObject([
      { role: 'link', name: 'here', attributes: { href: 'start.html' } },
    ]);
    expect(findOne(html, { role: 'heading', level: 1 }).text).toBe('Q & A');
    expect(findOne(html, { role: 'paragraph', within: { id: 'header' } })).toMatchObject({
      text: 'Tips & tricks <i>',
      children: [],
    });
    expect(valuesOf(html, 'content', { attributes: { name: 'description' } })).toEqual(['Tips & tricks <i>']);
    // A name is text and not Markdown: it stays as it is written.
    expect(findOne(html, { tag: 'title' }).text).toBe('Q & A - A &amp; B');
  });

  test('colors.dark paints buttons and the banner; a banner may have its own', async () => {
    const { style, file } = await render(
      {
        colors: { primary: '#166e3f', dark: '#0b3d22' },
        banner: { content: 'News', color: { light: '#ffd400', dark: '#332b00' } },
      },
      { start: page() },
    );
    expect(style).toContain('--color-strong:#0b3d22');
    expect(byId(file('start.html'), 'banner')?.attributes.style).toBe(
      'background:light-dark(#ffd400,#332b00);color:light-dark(#000000,#ffffff)',
    );
  });
});

describe('links of `global`', () => {
  const at = (name: string) => ({ anchors: [{ anchor: name, href: `https://${name}.example` }] });
  const anchorsOf = (html: string): string[] =>
    valuesOf(html, 'href', { class: 'nav-anchor' }).map((href) => new URL(href).hostname.split('.')[0] ?? '');

  test('are on the pages below the language, version, product or tab that has them, and on no others', async () => {
    const navigation = {
      global: at('everywhere'),
      languages: [
        { language: 'en', global: at('english'), pages: ['start'] },
        {
          language: 'de',
          global: at('german'),
          tabs: [
            { tab: 'Eins', global: at('first'), pages: ['de/one'] },
            { tab: 'Zwei', pages: ['de/two'] },
          ],
        },
      ],
    };
    const pages = { start: page(), 'de/one': page(), 'de/two': page() };
    const { file } = await render({ navigation }, { ...pages, 'de/unlisted': page() });
    expect(anchorsOf(file('start.html'))).toEqual(['everywhere', 'english']);
    expect(anchorsOf(file('de/one.html')).sort()).toEqual(['everywhere', 'first', 'german']);
    expect(anchorsOf(file('de/two.html')).sort()).toEqual(['everywhere', 'german']);
    expect(anchorsOf(file('de/unlisted.html'))).toContain('german');
  });
});
