import { expect, test } from 'vitest';
import { documentStart } from '../src/theme/policy.ts';
import { find, has, valuesOf } from './dom.ts';
import { renderFiles, textOf } from './output.ts';

type Thing = Record<string, unknown> & { '@type': string };

const site = (config: object, pages: Record<string, string>): Record<string, string | Uint8Array> => ({
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Acme',
    colors: { primary: '#166e3f' },
    navigation: { groups: [{ group: 'Guides', pages: Object.keys(pages) }] },
    ...config,
  }),
  ...Object.fromEntries(Object.entries(pages).map(([path, text]) => [`${path}.mdx`, text])),
});

const renderHead = async (
  config: object,
  pages: Record<string, string>,
  files: Record<string, Uint8Array> = {},
  page = Object.keys(pages)[0]!,
) => {
  const output = await renderFiles(
    { ...site(config, pages), ...files },
    { lastModified: '2026-01-02T03:04:05Z' },
  );
  const html = textOf(output, `${page}.html`);
  const metas = new Map<string, string>();
  for (const { attributes } of find(html, { tag: 'meta', attributes: { content: true, media: false } })) {
    const name = attributes.name ?? attributes.property;
    if (name === undefined) continue;
    expect(metas.has(name), `${name} stands once`).toBe(false);
    metas.set(name, attributes.content ?? '');
  }
  const scripts = find(html, { tag: 'script', attributes: { type: 'application/ld+json' } });
  const graph = scripts.flatMap(({ rawText }) => (JSON.parse(rawText) as { '@graph': Thing[] })['@graph']);
  const thing = (type: string): Thing | undefined => graph.find((each) => each['@type'] === type);
  return { html, metas, graph, thing, warnings: output.result.warnings };
};

test('the tags of the page win over those of its folder, and those over the ones of the site', async () => {
  const seo = {
    metatags: { 'og:title': 'Site', 'og:type': 'product', 'twitter:site': '@acme', author: 'site' },
    paths: [
      { path: 'guides/deep', metatags: { author: 'deep', 'og:title': 'Deep' } },
      { path: '/guides', metatags: { author: 'guides', robots: 'nofollow' } },
    ],
  };
  const pages = {
    'guides/deep/a': '---\n"og:title": Page\nkeywords: [one, two]\n---\nText.',
    'guides/b': 'Text.',
    c: 'Text.',
  };
  const deep = (await renderHead({ seo }, pages)).metas;
  expect(deep.get('og:title')).toBe('Page');
  expect(deep.get('twitter:title')).toBe('Page');
  expect(deep.get('author')).toBe('deep');
  expect(deep.get('robots')).toBe('nofollow');
  expect(deep.get('og:type')).toBe('product');
  expect(deep.get('twitter:site')).toBe('@acme');
  expect(deep.get('keywords')).toBe('one, two');
  const guide = (await renderHead({ seo }, pages, {}, 'guides/b')).metas;
  expect([guide.get('author'), guide.get('og:title')]).toEqual(['guides', 'Site']);
  const other = (await renderHead({ seo }, pages, {}, 'c')).metas;
  expect([other.get('author'), other.get('robots')]).toEqual(['site', undefined]);
});

/** Header of a PNG of that size; nothing more of it is read. */
function png(width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(64);
  bytes.write('\x89PNG\r\n\x1a\n', 0, 'latin1');
  bytes.write('IHDR', 12, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return new Uint8Array(bytes);
}

test('a preview image of the docs folder is absolute, with its size and text', async () => {
  const { metas } = await renderHead(
    { seo: { metatags: { 'og:image': '/images/card.png' } } },
    { a: '---\ntitle: The page\n---\nText.' },
    { 'images/card.png': png(1200, 630) },
  );
  expect(metas.get('og:image')).toBe('https://docs.example.com/images/card.png');
  expect(metas.get('twitter:image')).toBe('https://docs.example.com/images/card.png');
  expect([metas.get('og:image:width'), metas.get('og:image:height')]).toEqual(['1200', '630']);
  expect(metas.get('og:image:alt')).toBe('The page');
  expect(metas.get('twitter:card')).toBe('summary_large_image');
});

test('a preview image that is not there is a warning and no tag', async () => {
  const { metas, warnings } = await renderHead({}, { a: '---\n"og:image": /gone.png\n---\nText.' });
  expect(metas.get('og:image') ?? '').not.toContain('gone');
  expect(warnings.map(({ code, file }) => [code, file])).toContainEqual(['missing-asset', 'a.mdx']);
});

test('the structured data name the organization, the site, the page, its place and the article', async () => {
  const { thing, graph } = await renderHead(
    {
      description: 'All of it',
      seo: {
        organization: {
          name: 'Acme Inc',
          url: 'https://acme.example',
          logo: '/logo.png',
          sameAs: ['https://x.com/acme'],
        },
      },
    },
    {
      'guides/first': 'Text.',
      'guides/start': '---\ntitle: Start\ndescription: How to\nauthors: [Ada]\n---\nText.',
      'guides/next': 'Text.',
    },
    { 'logo.png': png(64, 64) },
    'guides/start',
  );
  expect(graph.map((each) => each['@type'])).toEqual([
    'Organization',
    'WebSite',
    'WebPage',
    'BreadcrumbList',
    'TechArticle',
  ]);
  const organization = thing('Organization');
  expect(organization).toMatchObject({
    name: 'Acme Inc',
    url: 'https://acme.example',
    logo: { '@type': 'ImageObject', url: 'https://docs.example.com/logo.png' },
    sameAs: ['https://x.com/acme'],
  });
  expect(thing('WebSite')).toMatchObject({ name: 'Acme', publisher: { '@id': organization?.['@id'] } });
  expect(thing('TechArticle')).toMatchObject({
    headline: 'Start',
    description: 'How to',
    dateModified: '2026-01-02T03:04:05Z',
    mainEntityOfPage: { '@id': 'https://docs.example.com/guides/start' },
    author: [{ '@type': 'Person', name: 'Ada' }],
  });
  expect(thing('BreadcrumbList')?.itemListElement).toEqual([
    { '@type': 'ListItem', position: 1, name: 'Guides', item: 'https://docs.example.com/guides/first' },
    { '@type': 'ListItem', position: 2, name: 'Start', item: 'https://docs.example.com/guides/start' },
  ]);
});

test('an operation is an API reference, and a page that is not indexed says nothing of itself', async () => {
  const pages = { a: '---\napi: GET /users\n---\nText.', b: '---\nnoindex: true\n---\nText.' };
  expect((await renderHead({}, pages)).thing('APIReference')).toBeDefined();
  const hidden = await renderHead({}, pages, {}, 'b');
  expect(hidden.graph).toEqual([]);
  expect(hidden.metas.get('robots')).toBe('noindex');
});

test('hostile text cannot leave the tag or the script that contains it', async () => {
  const evil = `"><script>alert(1)</script><!--]]>' \\ \u2028 end`;
  const { html, metas, thing } = await renderHead(
    { name: evil, description: evil, seo: { organization: { name: evil }, metatags: { 'x"><b': evil } } },
    {
      a: `---\ntitle: ${JSON.stringify(evil)}\ndescription: ${JSON.stringify(evil)}\nkeywords: ${JSON.stringify(evil)}\n---\nText.`,
    },
  );
  const scripts = find(html, { tag: 'script' });
  expect(scripts.filter(({ attributes }) => attributes.src === undefined)).toMatchObject([
    { attributes: { type: 'application/ld+json' } },
  ]);
  expect(has(html, { tag: 'b' })).toBe(false);
  // A browser ends a script at the first bytes that look like its end, and reads on after a comment.
  expect(html).not.toContain('<!--');
  expect(html.split(/<\/script/i)).toHaveLength(scripts.length + 1);
  expect(thing('WebPage')?.name).toBe(evil);
  expect(metas.get('og:title')).toBe(evil);
});

test('an operation that nobody describes is described by its method and path', async () => {
  const { metas } = await renderHead({}, { a: '---\napi: get /users/{id}\n---\n' });
  expect(metas.get('description')).toBe('GET /users/{id}');
});

test('canonical addresses come from seo.metatags.canonical and end as seo.trailingSlash says', async () => {
  const seo = { metatags: { canonical: 'https://acme.example/docs' }, trailingSlash: true };
  const { html, metas } = await renderHead({ seo }, { 'guides/a': 'Text.' });
  expect(valuesOf(html, 'href', { tag: 'link', attributes: { rel: 'canonical' } })).toEqual([
    'https://acme.example/docs/guides/a/',
  ]);
  expect(metas.get('og:url')).toBe('https://acme.example/docs/guides/a/');
});

test('icons have their type, and the browser gets the theme colors', async () => {
  const { html } = await renderHead(
    {
      favicon: { light: '/light.png', dark: '/dark.svg' },
      background: { color: { light: '#fafafa', dark: '#101010' } },
    },
    { a: 'Text.' },
    {
      'light.png': png(48, 48),
      'dark.svg': new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    },
  );
  const linksOf = (rel: string) =>
    find(html, { tag: 'link', attributes: { rel } }).map(({ attributes }) => attributes);
  const [light, dark] = ['(prefers-color-scheme: light)', '(prefers-color-scheme: dark)'];
  expect(linksOf('icon')).toEqual([
    { rel: 'icon', href: 'light.png', type: 'image/png', sizes: '48x48', media: light },
    { rel: 'icon', href: 'dark.svg', type: 'image/svg+xml', sizes: 'any', media: dark },
  ]);
  expect(linksOf('apple-touch-icon')).toMatchObject([{ href: 'light.png' }]);
  const colors = find(html, { tag: 'meta', attributes: { name: 'theme-color' } });
  expect(colors.map(({ attributes }) => [attributes.media, attributes.content])).toEqual([
    [light, '#fafafa'],
    [dark, '#101010'],
  ]);
});

test('every HTML file of an export starts with its policy, before anything that loads a file', async () => {
  const { files } = await renderFiles({
    ...site(
      {
        redirects: [{ source: '/old', destination: '/guides/a' }],
        errors: { 404: { description: '<Card title="Lost">Start again</Card>' } },
      },
      { 'guides/a': 'Text.', 'guides/b': 'Text.' },
    ),
    'site.css': 'h1 { color: red }',
    'site.js': 'window.a = 1;',
  });
  const pages = [...files].filter(([path]) => path.endsWith('.html'));
  expect(pages.map(([path]) => path).sort()).toEqual([
    '404.html',
    'guides/a.html',
    'guides/b.html',
    'index.html',
    'old.html',
  ]);
  for (const [path, html] of pages) {
    const [before = '', after = ''] = String(html).split(documentStart);
    expect(before, path).toMatch(/^<!doctype html>\s*<html[^<>]*>\s*<head>$/);
    expect(
      has(after, { tag: 'meta', attributes: { 'http-equiv': /^content-security-policy$/i } }),
      path,
    ).toBe(false);
    expect(has(after, { attributes: { rel: /dns-prefetch|preconnect|prefetch|modulepreload/ } }), path).toBe(
      false,
    );
  }
});
