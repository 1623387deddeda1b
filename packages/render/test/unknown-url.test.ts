import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { has, valuesOf } from './dom.ts';
import { type Output, renderFiles, textOf } from './output.ts';
import { childTexts, elementsOf, textIn } from './xml.ts';

const SITE = (seo: object = {}): Record<string, string> => ({
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Acme',
    description: 'Docs of Acme.',
    colors: { primary: '#166e3f' },
    seo: { ...seo, organization: { name: 'Acme', logo: '/logo.png' } },
    thumbnails: { appearance: 'dark' },
    contextual: {
      options: [
        'copy',
        'view',
        'chatgpt',
        { title: 'Report', description: '', href: 'https://a.test?p=$page' },
      ],
    },
    redirects: [{ source: '/old', destination: '/guides/start' }],
    footer: { links: [{ header: 'More', items: [{ label: 'Lost', href: '/nowhere' }] }] },
    api: { openapi: 'api/openapi.json' },
    navigation: {
      languages: [
        { language: 'en', default: true, pages: ['index', 'guides/start', 'changes/log'] },
        { language: 'es', pages: ['es/index'] },
      ],
    },
  }),
  'index.mdx': '---\ntitle: Home\n---\n\n[Start](/guides/start)\n',
  'guides/start.mdx':
    '---\ntitle: Start\n"og:image": /logo.png\n---\n\n[Home](/index), [log](../changes/log#one), [file](/api/openapi.json), [far](https://far.test/a)\n',
  'changes/log.mdx':
    '---\ntitle: Log\nrss: true\n---\n\n<Update label="June 2026">\n[Start](/guides/start) and [above](#one)\n</Update>\n',
  'es/index.mdx': '---\ntitle: Inicio\n---\n\nHola.\n',
  'logo.png': 'not a picture',
  'api/openapi.json': '{"openapi":"3.1.0","info":{"title":"A","version":"1"},"paths":{}}',
});

/** Relative links of a text file that lead to no file of the output. */
function lost(output: Output, path: string, links: RegExp): string[] {
  return [...textOf(output, path).matchAll(links)]
    .map(([, link = '']) => link)
    .filter((link) => !/^(?:https?:|#)/.test(link))
    .filter((link) => !output.files.has(posix.join(posix.dirname(path), link.replace(/[?#].*/, ''))));
}

test('an export without a known URL contains no absolute URL of the site', async () => {
  const output = await renderFiles(SITE(), { siteUrl: null });
  expect(output.result.site.url).toBeNull();
  for (const [path, content] of output.files) {
    if (
      !/\.(?:html|md|txt|xml|json)$|^_(?:headers|redirects)$/.test(path) ||
      path.startsWith('_offprint/licenses')
    )
      continue;
    const hosts = [...String(content).matchAll(/https?:\/\/([^/"'\s)<]+)/g)].map(([, host = '']) => host);
    const foreign = ['far.test', 'schemas.agentskills.io', 'www.w3.org', 'www.rssboard.org'];
    expect(
      hosts.filter((host) => !foreign.includes(host)),
      path,
    ).toEqual([]);
    expect(String(content), path).not.toMatch(/\b(?:null|undefined)\/|site\.invalid/);
  }
  for (const path of ['index.html', 'guides/start.html', 'old.html']) {
    const html = textOf(output, path);
    expect(html, path).not.toMatch(
      /rel="canonical"|hreflang|og:url|og:image|twitter:image|application\/ld\+json| href="\/|chatgpt\.com/,
    );
  }
  const paths = [...output.files.keys()];
  expect(paths.filter((path) => /sitemap|^_offprint\/og\//.test(path))).toEqual([]);
  expect(textOf(output, 'robots.txt')).toBe(
    'User-agent: *\nAllow: /\nContent-Signal: ai-train=yes, search=yes, ai-input=yes\n',
  );
  expect(has(textOf(output, 'index.html'), { tag: 'meta', attributes: { property: 'og:title' } })).toBe(true);
});

test('links of lists, Markdown pages and feeds are then relative and lead to files', async () => {
  const output = await renderFiles(SITE(), { siteUrl: null });
  const markdown = /\]\(([^)\s]+)\)/g;
  for (const path of ['llms.txt', '.well-known/llms.txt', 'index.md', 'guides/start.md', 'changes/log.md'])
    expect(lost(output, path, markdown), path).toEqual([]);
  expect(textOf(output, 'llms.txt')).toContain('](guides/start.md)');
  expect(textOf(output, '.well-known/llms.txt')).toContain('](../guides/start.md)');
  expect(textOf(output, 'llms-full.txt')).toContain('Source: guides/start.md');
  expect(textOf(output, 'guides/start.md')).toContain('[Home](../index.md), [log](../changes/log.md#one)');
  const feed = textOf(output, 'changes/log/rss.xml');
  expect(childTexts(elementsOf(feed, 'channel')[0], 'link')).toEqual(['../log.html']);
  expect(elementsOf(feed, 'guid').map(({ attribs }) => attribs.isPermaLink)).not.toContain('true');
  expect(elementsOf(feed, 'guid')[0]?.attribs.isPermaLink).toBe('false');
  expect(elementsOf(feed, 'atom:link')).toEqual([]);
  expect(lost(output, 'changes/log/rss.xml', /(?:href=&quot;|href="|<link>)([^"&<]+)/g)).toEqual([]);
});

test('the canonical URL of docs.json is the URL of the site where no other is known', async () => {
  const output = await renderFiles(SITE({ metatags: { canonical: 'https://acme.test/docs' } }), {
    siteUrl: null,
  });
  expect(output.result.site.url).toBe('https://acme.test/docs');
  const canonical = { tag: 'link', attributes: { rel: 'canonical' } };
  expect(valuesOf(textOf(output, 'guides/start.html'), 'href', canonical)).toEqual([
    'https://acme.test/docs/guides/start',
  ]);
  const urls = elementsOf(textOf(output, 'sitemap.xml'), 'url').map((url) => textIn(url, 'loc'));
  expect(urls).toContain('https://acme.test/docs/es');
  expect(textOf(output, 'robots.txt')).toContain('Sitemap: https://acme.test/docs/sitemap.xml');
  expect(textOf(output, 'llms.txt')).toContain('](https://acme.test/docs/guides/start.md)');
});
