import type { Check } from './check.ts';
import { pageRow } from './defined-keys.ts';
import { degraded, type Row } from './row.ts';

const OTHER = { 'other.mdx': '---\ntitle: Other\n---\nText.' };
const PAIR = { pages: ['index', 'other'] };
const front = (name: string, lines: string, check: Check, note = ''): Row =>
  pageRow(name, { front: lines, ...check }, note);
const mode = (name: string, check: Check, note = ''): Row =>
  front(`mode: ${name}`, `title: Home\nmode: ${name}`, { body: '## One\n\n## Two', ...check }, note);
const meta = (name: string, value: string, shows: string): Row =>
  front(name, `title: Home\n"${name}": "${value}"`, { files: { 'x.png': 'image' }, shows });

const names: Row[] = [
  front('title', 'title: Welcome', { shows: /<h1 id="page-title"[^>]*>Welcome</ }),
  front('sidebarTitle', 'title: Welcome to us\nsidebarTitle: Hello', {
    shows: /sidebar-link[^>]*><span>Hello</,
  }),
  front('description', 'title: Home\ndescription: All **you** need', {
    shows: [/page-description">All <strong>you<\/strong> need/, 'name="description" content="All you need"'],
  }),
  front('icon', 'title: Home\nicon: rocket', {
    in: { '*.js': /sidebar-link[^>]*><svg class=\\"op-icon\\"/ },
  }),
  front('iconType', 'title: Home\nicon: star\niconType: regular', {
    in: { '*.js': [/sidebar-link[^>]*><svg class=\\"op-icon\\"/, 'M288.1-32'] },
  }),
  front('tag', 'title: Home\ntag: NEW', { shows: /nav-tag-pill-text">NEW</ }),
  mode('default', { shows: ['id="sidebar"', 'id="table-of-contents"'] }),
  mode('wide', { shows: 'data-page-mode="wide"', lacks: 'id="table-of-contents"' }),
  mode('custom', { shows: 'id="navbar"', lacks: ['id="table-of-contents"', 'id="page-title"', '<h2 id='] }),
  mode('frame', {
    shows: 'id="sidebar-content"',
    lacks: ['id="table-of-contents"', 'id="page-title"', '<h2 id='],
  }),
  mode('center', { shows: 'data-page-mode="center"', lacks: 'id="table-of-contents"' }),
  degraded('mode: assistant', 'an ordinary page; a chat requires a server', {
    front: 'title: Home\nmode: assistant',
    shows: 'id="page-title"',
  }),
];

const publication: Row[] = [
  front('hidden', 'title: Home\nhidden: true', {
    nav: PAIR,
    files: OTHER,
    shows: 'content="noindex"',
    in: { 'sitemap.xml': '/other<' },
    notIn: {
      'sitemap.xml': '<loc>https://docs.example.com/<',
      'other.html': 'sidebar-link" href="index.html"',
    },
  }),
  front('noindex', 'title: Home\nnoindex: true', {
    nav: PAIR,
    files: OTHER,
    shows: 'content="noindex"',
    in: { 'other.html': 'href="index.html"' },
    notIn: { 'sitemap.xml': '<loc>https://docs.example.com/<', 'llms.txt': 'index.md' },
  }),
  front('searchable', 'title: Home\nsearchable: false', {
    nav: PAIR,
    files: OTHER,
    body: 'Zanzibar.',
    shows: 'Zanzibar.',
    in: { 'sitemap.xml': '<loc>https://docs.example.com/<' },
    notIn: { '*.js': /zanzibar/i },
  }),
  front('boost', 'title: Home\nboost: 3', { in: { '_offprint/search.js': /"boosts":"[^"]+"/ } }),
  front('robots', 'title: Home\nrobots: noindex, nofollow', {
    shows: 'name="robots" content="noindex, nofollow"',
  }),
  front('keywords', 'title: Home\nkeywords: ["one", "two"]', { shows: 'name="keywords" content="one, two"' }),
  pageRow('url', {
    nav: PAIR,
    files: { 'other.mdx': '---\ntitle: Blog\nurl: https://example.com/blog\n---\n' },
    shows: /sidebar-link" href="https:\/\/example\.com\/blog"/,
    in: { 'other.html': 'url=https://example.com/blog' },
  }),
  front(
    'groups',
    'title: Home',
    {
      nav: PAIR,
      files: { 'other.mdx': '---\ntitle: Staff\ngroups: ["staff"]\n---\nSecret.' },
      omits: ['other.html'],
      lacks: 'Staff',
      warns: ['page-restricted'],
    },
    'left out, unless the export names one of the groups',
  ),
  pageRow('public', {
    front: 'title: Home\npublic: true',
  }),
];

const SPEC = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: { summary: 'List pets', description: 'All of them.', responses: {} } } },
  components: {
    schemas: { Pet: { type: 'object', properties: { name: { description: 'Name of the pet' } } } },
  },
});
const endpoint = (key: string, value: string, shown: string | RegExp = /api-endpoint[\s\S]*POST/): Row =>
  pageRow(key, {
    front: `title: Home\napi: POST https://api.example.com/v1/things\n${key}: ${value}`,
    body: '<ParamField body="name" type="string" required>Name</ParamField>',
    shows: shown,
  });

const api: Row[] = [
  pageRow('openapi', {
    front: 'openapi: get /pets/',
    files: { 'openapi.json': SPEC },
    shows: [/<h1 id="page-title"[^>]*>List pets/, 'All of them.', /method-pill[^>]*>GET/, '/pets'],
  }),
  pageRow('openapi-schema', {
    front: 'openapi-schema: openapi.json Pet',
    files: { 'openapi.json': SPEC },
    shows: [/<h1 id="page-title"[^>]*>Pet</, 'Name of the pet'],
  }),
  pageRow('asyncapi', {
    front: 'asyncapi: asyncapi.yaml sold',
    files: {
      'asyncapi.yaml':
        'asyncapi: 3.0.0\nservers: {main: {host: api.example.com, protocol: wss}}\nchannels: {sold: {address: /sold, title: Sold pets}}',
    },
    shows: [/<h1 id="page-title"[^>]*>Sold pets/, /method-pill[^>]*>WS/, '/sold', 'wss://api.example.com'],
  }),
  pageRow('graphql', {
    front: 'title: Home\ngraphql: {source: schema.graphql, kind: query, name: pets}',
    shows: 'Text.',
    warns: ['unsupported-source'],
  }),
  pageRow('api', {
    front: 'title: Home\napi: POST https://api.example.com/v1/{thing}',
    shows: [/method-pill[^>]*>POST/, 'https://api.example.com/v1/'],
  }),
  endpoint('authMethod', 'bearer', 'Authorization: Bearer'),
  endpoint('auth', 'bearer'),
  endpoint('contentType', 'application/xml', 'Content-Type: application/xml'),
  endpoint('playground', 'simple', '"display":"simple"'),
  pageRow('hideApiMarker', {
    front: 'title: Things\napi: POST https://api.example.com/v1/things\nhideApiMarker: true',
    shows: { tag: 'a', text: 'Things' },
  }),
  endpoint('version', 'v2'),
  front('deprecated', 'title: Home\ndeprecated: true', { shows: /data-kind="deprecated"/ }),
];

const extras: Row[] = [
  front('timestamp', 'title: Home\ntimestamp: true\nlastUpdatedDate: "2024-05-17"', { shows: '2024-05-17' }),
  front('lastUpdatedDate', 'title: Home\ntimestamp: true\nlastUpdatedDate: "2024-05-17"', {
    shows: '2024-05-17',
  }),
  front('createdDate', 'title: Home\ncreatedDate: "2023-01-02"', { shows: '"datePublished":"2023-01-02"' }),
  front('authors', 'title: Home\ntimestamp: true\nlastUpdatedDate: "2024-05-17"\nauthors: ["Ada Lovelace"]', {
    shows: 'Ada Lovelace',
  }),
  front('rss', 'title: Home\nrss: true', {
    body: '<Update label="May">News.</Update>',
    shows: 'class="op-page-feed" href="rss.xml"',
    in: { 'rss.xml': '<title>May</title>' },
  }),
  front('related', 'title: Home\nrelated: ["/other", {"Elsewhere": "https://example.com/x"}]', {
    files: OTHER,
    shows: ['href="other.html"', 'Elsewhere'],
  }),
  front('contextual', 'title: Home\ncontextual: {options: ["view"]}', {
    docs: { contextual: { options: ['copy'] } },
    shows: 'href="index.md"',
    lacks: 'data-op-copy-page',
  }),
  front('hideFooterPagination', 'title: Home\nhideFooterPagination: true', {
    nav: PAIR,
    files: OTHER,
    shows: 'href="other.html"',
    lacks: 'id="pagination"',
  }),
  front('canonical', 'title: Home\ncanonical: https://acme.com/home', {
    shows: 'rel="canonical" href="https://acme.com/home"',
  }),
  meta('og:title', 'Open', 'property="og:title" content="Open"'),
  meta('og:description', 'Graph', 'property="og:description" content="Graph"'),
  meta('og:image', '/x.png', 'property="og:image" content="https://docs.example.com/x.png"'),
  meta('og:url', 'https://acme.com', 'property="og:url" content="https://acme.com"'),
  meta('og:type', 'article', 'property="og:type" content="article"'),
  meta('og:image:width', '1111', 'property="og:image:width" content="1111"'),
  meta('og:image:height', '555', 'property="og:image:height" content="555"'),
  meta('twitter:title', 'Tweet', 'name="twitter:title" content="Tweet"'),
  meta('twitter:description', 'Short', 'name="twitter:description" content="Short"'),
  meta('twitter:image', '/x.png', 'name="twitter:image" content="https://docs.example.com/x.png"'),
  meta('twitter:card', 'summary', 'name="twitter:card" content="summary"'),
  meta('twitter:site', '@acme', 'name="twitter:site" content="@acme"'),
  front('article:*', 'title: Home\n"article:section": Guides', {
    shows: 'property="article:section" content="Guides"',
  }),
  front('viewport', 'title: Home\nviewport: width=1200', { shows: 'name="viewport" content="width=1200"' }),
  pageRow('TOML', {
    files: { 'index.mdx': '+++\ntitle = "Tom"\ntags = ["a", "b"]\n\n[extra]\nweight = 3\n+++\n\nText.' },
    shows: /<h1 id="page-title"[^>]*>Tom</,
  }),
  front(
    'invalid YAML',
    'title: "Home',
    { shows: 'Text.', warns: ['front-matter'] },
    'the page is rendered without its front matter, with a warning',
  ),
  front('keys with a colon, unquoted', 'title: Home\nog:title: Open', {
    shows: 'property="og:title" content="Open"',
  }),
  front('booleans as text', 'title: Home\nnoindex: "true"', { shows: 'content="noindex"' }),
  front(
    'any other key',
    'title: Kept\nslug: x\nsidebar_position: 3\nlayout: doc',
    { shows: '>Kept<' },
    'kept, without effect',
  ),
  pageRow('no title', {
    files: { 'index.mdx': 'Text.', 'first-steps.mdx': 'Text.' },
    in: { 'first-steps.html': /<h1 id="page-title"[^>]*>First steps</ },
  }),
];

export const frontMatter: readonly Row[] = [...names, ...publication, ...api, ...extras];
