import type { Query } from '../dom.ts';
import type { Check } from './check.ts';
import { degraded, none, type Row, supported } from './row.ts';

const page = (title: string, keys = '', body = `Text of ${title}.`): string =>
  `---\ntitle: ${title}\n${keys}---\n\n${body}`;
const PAGES = {
  'listed.mdx': page('Listed'),
  'hidden.mdx': page('Hidden', 'hidden: true\n', 'Zanzibar.'),
  'unlisted.mdx': page('Unlisted', '', 'Timbuktu.'),
  'noindex.mdx': page('Noindex', 'noindex: true\n', 'Samarkand.'),
  'unsearched.mdx': page('Unsearched', 'searchable: false\n', 'Kathmandu.'),
};
const SKILL = '---\nname: x\ndescription: Do x.\n---\n# S';
const NAV = { pages: ['index', 'listed', 'noindex', 'unsearched'] };
const meta = (name: string, content: string | RegExp): Query => ({
  tag: 'meta',
  attributes: { name, content },
});
const property = (name: string, content: string | RegExp): Query => ({
  tag: 'meta',
  attributes: { property: name, content },
});
const head = (attributes: Record<string, string>): Query => ({
  tag: 'link',
  attributes,
  within: { tag: 'head' },
});
const noindex = meta('robots', 'noindex');
const location = (path: string): Query => ({ tag: 'loc', text: `https://docs.example.com/${path}` });
const linkTo = (href: string): Query => ({ role: 'link', attributes: { href } });
const site = (check: Check): Check => ({ nav: NAV, files: PAGES, ...check });
const emits = (file: string, pattern: string | RegExp | Query, check: Check = {}): Row =>
  supported(file, site({ in: { [file]: pattern }, ...check }));

const pages: Row[] = [
  supported(
    'pages of the navigation',
    site({
      shows: linkTo('listed.html'),
      in: {
        'sitemap.xml': location('listed'),
        'llms.txt': 'listed.md',
        'llms-full.txt': 'Text of Listed',
        '*.js': /listed/,
      },
      notIn: { 'listed.html': noindex },
    }),
  ),
  supported(
    'hidden pages',
    site({
      in: { 'hidden.html': noindex },
      lacks: linkTo('hidden.html'),
      notIn: {
        'sitemap.xml': location('hidden'),
        'llms.txt': 'hidden.md',
        'llms-full.txt': 'Zanzibar',
        '*.js': /zanzibar/i,
      },
    }),
  ),
  supported(
    'unlisted pages',
    site({
      emits: ['unlisted.html'],
      notIn: {
        'sitemap.xml': location('unlisted'),
        'llms.txt': 'unlisted.md',
        '*.js': /timbuktu/i,
        'unlisted.html': noindex,
      },
    }),
  ),
  supported(
    'noindex pages',
    site({
      shows: linkTo('noindex.html'),
      in: { 'noindex.html': noindex },
      notIn: { 'sitemap.xml': location('noindex'), 'llms.txt': 'noindex.md', '*.js': /samarkand/i },
    }),
  ),
  supported(
    'searchable: false',
    site({
      in: { 'sitemap.xml': location('unsearched'), 'llms.txt': 'unsearched.md' },
      notIn: { '*.js': /kathmandu/i },
    }),
  ),
  supported('hidden groups that are searchable', {
    nav: {
      pages: ['index'],
      groups: [{ group: 'Quiet', hidden: true, searchable: true, pages: ['unlisted'] }],
    },
    files: PAGES,
    in: { 'sitemap.xml': location('unlisted'), '*.js': /timbuktu/i },
    notIn: { 'unlisted.html': noindex },
  }),
];

const files: Row[] = [
  emits('sitemap.xml', { tag: 'loc', text: 'https://docs.example.com/listed' }),
  emits('robots.txt', 'Content-Signal: ai-train=yes, search=yes, ai-input=yes'),
  emits('llms.txt', /^# Docs\n[\s\S]*## Docs\n\n- \[Home\]\(https:\/\/docs\.example\.com\/index\.md\)/),
  emits('.well-known/llms.txt', '# Docs'),
  emits('llms-full.txt', '# Listed\nSource: https://docs.example.com/listed'),
  supported(
    'skill.md',
    {
      files: { 'skill.md': '---\nname: docs\ndescription: Use the docs.\n---\n# Skill' },
      in: { 'skill.md': '# Skill' },
    },
    'a file of that name in the docs folder is included',
  ),
  emits('404.html', '404'),
  emits('_headers', /Content-Security-Policy: default-src 'none'; script-src 'self';/),
  supported('own robots.txt, sitemap.xml, llms.txt', {
    files: { 'robots.txt': 'mine', 'sitemap.xml': '<mine/>', 'llms.txt': 'mine', 'llms-full.txt': 'mine' },
    in: {
      'robots.txt': /^mine$/,
      'sitemap.xml': /^<mine\/>$/,
      'llms.txt': /^mine$/,
      'llms-full.txt': /^mine$/,
    },
  }),
  supported(
    'Markdown of each page',
    site({
      body: '<Card title="A" href="/listed">Text</Card>',
      in: { 'listed.md': '# Listed', 'index.md': 'Text' },
    }),
  ),
  supported('RSS of each page with updates', {
    files: { 'news.mdx': page('News', '', '<Update label="May 2026">Hi.</Update>') },
    in: { 'news/rss.xml': { tag: 'rss', has: { tag: 'item', has: { tag: 'title', text: 'May 2026' } } } },
  }),
  supported('skills of .mintlify', {
    files: { '.mintlify/skills/x/SKILL.md': SKILL },
    in: { '.mintlify/skills/x/SKILL.md': '# S' },
  }),
  supported('search index', site({ in: { '_offprint/search.js': 'offprintSearch' } })),
  supported(
    'preview images',
    site({
      preview: true,
      shows: property('og:image', /^https:\/\/docs\.example\.com\/_offprint\/.+\.png$/),
    }),
  ),
  supported('downloads of descriptions', {
    files: { 'openapi.json': '{"openapi":"3.1.0"}' },
    emits: ['openapi.json'],
  }),
];

const heads: Row[] = [
  supported(
    'canonical link',
    site({ in: { 'listed.html': head({ rel: 'canonical', href: 'https://docs.example.com/listed' }) } }),
  ),
  supported(
    'Open Graph and Twitter',
    site({
      shows: [property('og:title', 'Home'), property('og:site_name', 'Docs'), meta('twitter:card', /./)],
    }),
  ),
  supported(
    'JSON-LD',
    site({ shows: ['application/ld+json', '"@type":"WebSite"', '"@type":"TechArticle"'] }),
  ),
  supported('hreflang', {
    nav: {
      languages: [
        { language: 'en', pages: ['index'] },
        { language: 'de', pages: ['de/index'] },
      ],
    },
    files: { 'de/index.mdx': page('Start') },
    shows: [
      head({ rel: 'alternate', hreflang: 'de', href: 'https://docs.example.com/de' }),
      head({ rel: 'alternate', hreflang: 'x-default' }),
    ],
    in: { 'sitemap.xml': { tag: 'xhtml:link', attributes: { hreflang: 'de' } } },
  }),
  supported('theme-color', site({ shows: meta('theme-color', /^#/) })),
  supported('generator', site({ shows: meta('generator', 'Offprint') })),
  none('MCP server', 'sites that the platform serves have one, and `offprint mcp` is one for a bundle'),
  none('assistant', 'sites that the platform serves have one'),
  degraded('PDF', 'each page has a print style sheet, and the page menu can print the page'),
  degraded(
    'Accept: text/markdown',
    'static files do not support content negotiation; each page links to its Markdown',
    site({ shows: head({ rel: 'alternate', type: 'text/markdown', href: 'index.md' }) }),
  ),
];

export const publication: readonly Row[] = [...pages, ...files, ...heads];
