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
const site = (check: Check): Check => ({ nav: NAV, files: PAGES, ...check });
const emits = (file: string, pattern: string | RegExp, check: Check = {}): Row =>
  supported(file, site({ in: { [file]: pattern }, ...check }));

const pages: Row[] = [
  supported(
    'pages of the navigation',
    site({
      shows: 'href="listed.html"',
      in: {
        'sitemap.xml': '/listed<',
        'llms.txt': 'listed.md',
        'llms-full.txt': 'Text of Listed',
        '*.js': /listed/,
      },
      notIn: { 'listed.html': 'content="noindex"' },
    }),
  ),
  supported(
    'hidden pages',
    site({
      in: { 'hidden.html': 'content="noindex"' },
      lacks: 'href="hidden.html"',
      notIn: {
        'sitemap.xml': '/hidden<',
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
        'sitemap.xml': '/unlisted<',
        'llms.txt': 'unlisted.md',
        '*.js': /timbuktu/i,
        'unlisted.html': 'content="noindex"',
      },
    }),
  ),
  supported(
    'noindex pages',
    site({
      shows: 'href="noindex.html"',
      in: { 'noindex.html': 'content="noindex"' },
      notIn: { 'sitemap.xml': '/noindex<', 'llms.txt': 'noindex.md', '*.js': /samarkand/i },
    }),
  ),
  supported(
    'searchable: false',
    site({
      in: { 'sitemap.xml': '/unsearched<', 'llms.txt': 'unsearched.md' },
      notIn: { '*.js': /kathmandu/i },
    }),
  ),
  supported('hidden groups that are searchable', {
    nav: {
      pages: ['index'],
      groups: [{ group: 'Quiet', hidden: true, searchable: true, pages: ['unlisted'] }],
    },
    files: PAGES,
    in: { 'sitemap.xml': '/unlisted<', '*.js': /timbuktu/i },
    notIn: { 'unlisted.html': 'content="noindex"' },
  }),
];

const files: Row[] = [
  emits('sitemap.xml', '<loc>https://docs.example.com/listed</loc>'),
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
    in: { 'news/rss.xml': ['<rss', '<title>May 2026</title>'] },
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
      shows: /property="og:image" content="https:\/\/docs\.example\.com\/_offprint\/[^"]+\.png"/,
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
    site({ in: { 'listed.html': 'rel="canonical" href="https://docs.example.com/listed"' } }),
  ),
  supported(
    'Open Graph and Twitter',
    site({
      shows: [
        'property="og:title" content="Home"',
        'property="og:site_name" content="Docs"',
        'name="twitter:card"',
      ],
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
    shows: ['hreflang="de" href="https://docs.example.com/de"', 'hreflang="x-default"'],
    in: { 'sitemap.xml': 'hreflang="de"' },
  }),
  supported('theme-color', site({ shows: 'name="theme-color"' })),
  supported('generator', site({ shows: '<meta name="generator" content="Offprint">' })),
  none('MCP server', 'needs a server'),
  none('assistant', 'needs a server'),
  degraded('PDF', 'each page has a print style sheet, and the page menu can print the page'),
  degraded(
    'Accept: text/markdown',
    'static files do not support content negotiation; each page links to its Markdown',
    site({ shows: 'rel="alternate" type="text/markdown"' }),
  ),
];

export const publication: readonly Row[] = [...pages, ...files, ...heads];
