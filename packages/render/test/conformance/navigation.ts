import type { Check } from './check.ts';
import { nodeRow } from './defined-keys.ts';
import type { Row } from './row.ts';

const page = (title: string): string => `---\ntitle: ${title}\n---\nText of ${title}.`;
const PAGES = {
  'index.mdx': page('Home'),
  'a.mdx': page('Alpha'),
  'b.mdx': page('Beta'),
  'c.mdx': page('Gamma'),
  'api/one.mdx': page('One'),
};
const SPEC = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  tags: [{ name: 'pets' }],
  paths: { '/pets/{id}': { get: { summary: 'Get a pet', tags: ['pets'], responses: {} } } },
  webhooks: { petSold: { post: { summary: 'Pet sold', responses: {} } } },
});
const ASYNC = JSON.stringify({
  asyncapi: '3.0.0',
  info: { title: 'Pets', version: '1' },
  servers: { main: { host: 'api.example.com', protocol: 'wss' } },
  channels: { sold: { address: '/sold', title: 'Sold pets', tags: [{ name: 'Pets' }] } },
});
const SPECS = {
  ...PAGES,
  'openapi.json': SPEC,
  'asyncapi.yaml': ASYNC,
  'schema.graphql': 'type Query',
};

const over = (nav: Record<string, unknown>, check: Check): Check => ({ nav, files: PAGES, ...check });
const shown = (name: string, nav: Record<string, unknown>, check: Check, note = ''): Row =>
  nodeRow(name, over(nav, check), note);

const tab = (keys: object = {}): Record<string, unknown> => ({
  tabs: [
    { tab: 'Guides', pages: ['index'] },
    { tab: 'Reference', pages: ['a'], ...keys },
  ],
});
const group = (keys: object = {}): Record<string, unknown> => ({
  groups: [{ group: 'Start', pages: ['index', 'a'], ...keys }],
});
const nested = (keys: object = {}): Record<string, unknown> => ({
  groups: [
    { group: 'Start', pages: ['index', { group: 'Deeper', pages: ['a', 'b'], ...keys }] },
    { group: 'Else', pages: ['c'] },
  ],
});
const version = (keys: object = {}): Record<string, unknown> => ({
  versions: [
    { version: 'v2', pages: ['index'] },
    { version: 'v1', pages: ['a'], ...keys },
  ],
});
const product = (keys: object = {}): Record<string, unknown> => ({
  products: [
    { product: 'Cloud', pages: ['index'] },
    { product: 'Edge', pages: ['a'], ...keys },
  ],
});
const anchor = (keys: object = {}): Record<string, unknown> => ({
  anchors: [
    { anchor: 'Docs', icon: 'book', pages: ['index'] },
    { anchor: 'Blog', icon: 'newspaper', href: 'https://example.com/blog', ...keys },
  ],
});
const dropdown = (keys: object = {}): Record<string, unknown> => ({
  dropdowns: [
    { dropdown: 'Users', pages: ['index'] },
    { dropdown: 'Developers', pages: ['a'], ...keys },
  ],
});
const language = (keys: object = {}, code = 'de'): Record<string, unknown> => ({
  languages: [
    { language: 'en', pages: ['index'] },
    { language: code, pages: ['a'], ...keys },
  ],
});
const global = (kind: string, label: string): Row =>
  shown(
    `global.${kind}`,
    {
      global: {
        [kind]: [{ [label]: label === 'language' ? 'fr' : 'Elsewhere', href: 'https://example.com/else' }],
      },
      pages: ['index', 'a'],
    },
    { shows: 'href="https://example.com/else"', in: { 'a.html': 'href="https://example.com/else"' } },
  );

const kinds: Row[] = [
  shown('languages', language(), { shows: ['hreflang="de"', 'Deutsch'] }),
  shown('versions', version(), { shows: ['v1', 'v2'] }),
  shown('products', product(), { shows: ['Cloud', 'Edge'] }),
  shown('tabs', tab(), {
    shows: /class="nav-tabs-item op-nav-tabs-item"[^>]*href="a\.html"|href="a\.html"[^>]*nav-tabs-item/,
  }),
  shown(
    'menu',
    {
      tabs: [
        {
          tab: 'Guides',
          menu: [
            { item: 'First', pages: ['index'] },
            { item: 'Second', pages: ['a'] },
          ],
        },
      ],
    },
    { shows: ['First', 'Second', 'href="a.html"'] },
  ),
  shown('dropdowns', dropdown(), { shows: ['Users', 'Developers', 'href="a.html"'] }),
  shown('anchors', anchor(), { shows: ['Docs', 'Blog', 'href="https://example.com/blog"'] }),
  shown('groups', group(), { shows: ['Start', 'Alpha'] }),
  shown('pages', { pages: ['index', 'a'] }, { shows: 'href="a.html"' }),
  shown(
    'global',
    { global: { anchors: [{ anchor: 'Blog', href: 'https://example.com/blog' }] }, pages: ['index'] },
    {
      shows: 'href="https://example.com/blog"',
    },
  ),
  global('tabs', 'tab'),
  global('anchors', 'anchor'),
  global('dropdowns', 'dropdown'),
  global('languages', 'language'),
  global('versions', 'version'),
  global('products', 'product'),
];

const ICON = /sidebar-title\\"><svg class=\\"op-icon sidebar-group-icon\\"/;
const keys: Row[] = [
  shown('icon', group({ icon: 'rocket' }), { in: { '*.js': ICON } }),
  shown('icon.name', group({ icon: { name: 'rocket' } }), { in: { '*.js': ICON } }),
  shown('icon.style', group({ icon: { name: 'star', style: 'regular' } }), { in: { '*.js': ICON } }),
  shown('icon.library', group({ icon: { name: 'rocket', library: 'lucide' } }), {
    in: { '*.js': /sidebar-title\\"><svg class=\\"op-icon sidebar-group-icon\\"[^>]*stroke=\\"currentColor/ },
  }),
  shown('iconType', group({ icon: 'star', iconType: 'regular' }), { in: { '*.js': [ICON, 'M288.1-32'] } }),
  shown(
    'hidden',
    {
      groups: [
        { group: 'Start', pages: ['index'] },
        { group: 'Secret', hidden: true, pages: ['a'] },
      ],
    },
    {
      lacks: 'Secret',
      in: { 'a.html': 'content="noindex"' },
      notIn: { 'sitemap.xml': '/a<' },
    },
  ),
  shown(
    'href',
    { groups: [{ group: 'Start', pages: ['index', { group: 'Out', href: 'https://example.com/out' }] }] },
    {
      shows: 'href="https://example.com/out"',
    },
  ),
  shown(
    'openapi',
    { groups: [{ group: 'API', openapi: 'openapi.json' }], pages: ['index'] },
    {
      files: SPECS,
      shows: 'href="api-reference/pets/get-a-pet.html"',
      in: { 'api-reference/pets/get-a-pet.html': 'Get a pet' },
    },
  ),
  nodeRow(
    'asyncapi',
    over(
      { groups: [{ group: 'Events', asyncapi: 'asyncapi.yaml' }], pages: ['index'] },
      {
        files: SPECS,
        shows: 'href="api-reference/pets/sold-pets.html"',
        in: {
          'api-reference/pets/sold-pets.html': [/method-pill[^>]*>WS/, '/sold', 'wss://api.example.com'],
        },
      },
    ),
  ),
  shown(
    'directory: none',
    { directory: 'card', ...group({ root: 'c', directory: 'none' }) },
    {
      in: { 'c.html': 'Text of Gamma' },
      notIn: { 'c.html': 'class="directory op-directory' },
    },
  ),
  shown('directory: accordion', nested({ root: 'c', directory: 'accordion' }), {
    in: { 'c.html': /class="directory op-directory op-directory-list">[\s\S]*Alpha[\s\S]*Beta/ },
  }),
  shown('directory: card', group({ root: 'c', directory: 'card' }), {
    in: { 'c.html': /class="directory op-directory op-directory-cards">[\s\S]*Home[\s\S]*Alpha/ },
  }),
  shown(
    'directory: inherited',
    { directory: 'card', ...group({ root: 'c' }) },
    {
      in: { 'c.html': 'class="directory op-directory op-directory-cards"' },
    },
  ),
];

const LANGUAGES =
  'ar ca cn cs da de en es fi fr fr-CA he hi hu id it ja ja-JP jp ko lv nl no pl pt pt-BR ro ru sv tr uk uz vi zh zh-CN zh-Hans zh-Hant zh-TW';
const TAGS: Readonly<Record<string, string>> = { cn: 'zh-CN', jp: 'ja' };

const switches: Row[] = [
  shown('languages.language', language(), { in: { 'a.html': '<html lang="de"' } }),
  shown('languages.default', language({ default: true }), {
    in: { 'en/a.html': 'hreflang="x-default" href="https://docs.example.com/de/a"' },
    files: { 'a.mdx': page('A'), 'b.mdx': page('B'), 'en/a.mdx': page('A'), 'de/a.mdx': page('A') },
    nav: {
      languages: [
        { language: 'en', pages: ['en/a'] },
        { language: 'de', default: true, pages: ['de/a'] },
      ],
    },
  }),
  shown('languages.banner', language({ banner: { content: 'Neu!' } }), {
    docs: { banner: { content: 'New!' } },
    shows: 'New!',
    in: { 'a.html': 'Neu!' },
  }),
  shown('languages.footer', language({ footer: { socials: { github: 'https://github.com/de' } } }), {
    docs: { footer: { socials: { github: 'https://github.com/en' } } },
    shows: 'https://github.com/en',
    in: { 'a.html': 'https://github.com/de' },
  }),
  shown(
    'languages.navbar',
    language({ navbar: { links: [{ label: 'Hilfe', href: 'https://example.com/de' }] } }),
    {
      docs: { navbar: { links: [{ label: 'Help', href: 'https://example.com/en' }] } },
      shows: 'Help',
      in: { 'a.html': 'Hilfe' },
    },
  ),
  ...LANGUAGES.split(' ').map((code) =>
    shown(`languages.language: ${code}`, language({}, code === 'en' ? 'en-GB' : code), {
      shows: '<html lang="en"',
      in: { 'a.html': `<html lang="${code === 'en' ? 'en-GB' : (TAGS[code] ?? code)}"` },
    }),
  ),
  shown('versions.version', version(), { shows: 'v2', in: { 'a.html': 'v1' } }),
  shown(
    'versions.default',
    {
      versions: [
        { version: 'v1', pages: ['a'] },
        { version: 'v2', default: true, pages: ['b'] },
      ],
    },
    {
      in: { 'llms.txt': 'Beta' },
      notIn: { 'llms.txt': 'Alpha' },
    },
  ),
  shown('versions.tag', version({ tag: 'Legacy' }), { shows: 'Legacy' }),
  shown('products.product', product(), { shows: 'Edge' }),
  shown(
    'products.name',
    {
      products: [
        { product: 'cloud', name: 'Cloud', pages: ['index'] },
        { product: 'Edge', pages: ['a'] },
      ],
    },
    { shows: /cloud/i },
  ),
  shown(
    'products.default',
    {
      products: [
        { product: 'Cloud', pages: ['a'] },
        { product: 'Edge', default: true, pages: ['b'] },
      ],
    },
    { files: { ...PAGES, 'index.mdx': '' }, shows: 'url=b.html' },
  ),
  shown('products.description', product({ description: 'Near users' }), { shows: 'Near users' }),
  shown('products.color', product({ icon: 'cloud', color: { light: '#aa2211', dark: '#ffbbaa' } }), {
    shows: /#aa2211/,
  }),
  shown(
    'products.menu',
    {
      products: [
        {
          product: 'Cloud',
          menu: [
            { item: 'First', pages: ['index'] },
            { item: 'Second', pages: ['a'] },
          ],
        },
      ],
    },
    { shows: ['First', 'Second'] },
  ),
  shown('tabs.tab', tab(), { shows: 'Reference' }),
  shown(
    'tabs.menu',
    {
      tabs: [
        {
          tab: 'Guides',
          menu: [
            { item: 'First', pages: ['index'] },
            { item: 'Second', pages: ['a'] },
          ],
        },
        { tab: 'More', pages: ['b'] },
      ],
    },
    { shows: ['First', 'Second'] },
  ),
  shown(
    'tabs.searchable',
    {
      tabs: [
        { tab: 'Guides', pages: ['index'] },
        { tab: 'Secret', hidden: true, searchable: true, pages: ['a'] },
      ],
    },
    {
      lacks: 'Secret',
      in: { 'sitemap.xml': '/a<' },
      notIn: { 'a.html': 'content="noindex"' },
    },
  ),
  shown('tabs.align', tab({ align: 'end' }), { shows: /data-align="end"/ }),
  nodeRow(
    'tabs.graphql',
    over(tab({ graphql: 'schema.graphql' }), { files: SPECS, warns: ['unsupported-source'] }),
  ),
  nodeRow(
    'tabs.sdk',
    over(tab({ sdk: { format: 'typedoc', source: 'x.json', directory: 'sdk' } }), {
      warns: ['unsupported-source'],
    }),
  ),
  shown(
    'menu.item',
    {
      tabs: [
        {
          tab: 'Guides',
          menu: [
            { item: 'First', pages: ['index'] },
            { item: 'Second', pages: ['a'] },
          ],
        },
      ],
    },
    { shows: 'Second' },
  ),
  shown(
    'menu.description',
    {
      tabs: [
        {
          tab: 'Guides',
          menu: [
            { item: 'First', description: 'For a start', pages: ['index'] },
            { item: 'Second', pages: ['a'] },
          ],
        },
      ],
    },
    { shows: 'For a start' },
  ),
  shown('anchors.anchor', anchor(), { shows: 'Blog' }),
  shown('anchors.color', anchor({ color: { light: '#aa2211', dark: '#ffbbaa' } }), { shows: /#aa2211/ }),
  shown('dropdowns.dropdown', dropdown(), { shows: 'Developers' }),
  shown('dropdowns.description', dropdown({ description: 'Build on it' }), { shows: 'Build on it' }),
  shown('dropdowns.color', dropdown({ icon: 'code', color: { light: '#aa2211', dark: '#ffbbaa' } }), {
    shows: /#aa2211/,
  }),
];

const groups: Row[] = [
  shown('groups.group', group(), { shows: 'Start' }),
  shown('groups.pages', group(), { shows: 'href="a.html"' }),
  shown('groups.root', group({ root: 'c' }), { shows: /sidebar-title"><a[^>]*href="c\.html"/ }),
  shown('groups.tag', group({ tag: 'New' }), {
    shows: /<span class="nav-tag-pill op-nav-tag"[^>]*><span class="nav-tag-pill-text">New</,
  }),
  shown('groups.expanded', nested({ expanded: true }), { in: { '*.js': /aria-expanded=\\"true\\"/ } }),
  shown('groups.boost', group({ boost: 3 }), { in: { '_offprint/search.js': /"boosts":"[^"]+"/ } }),
  shown(
    'groups.searchable',
    {
      groups: [
        { group: 'Start', pages: ['index'] },
        { group: 'Secret', hidden: true, searchable: true, pages: ['a'] },
      ],
    },
    {
      lacks: 'Secret',
      in: { 'sitemap.xml': '/a<' },
    },
  ),
  nodeRow('groups.public', over(group({ public: true }), {})),
  shown('pages: path', { pages: ['index', 'api/one'] }, { shows: 'href="api/one.html"' }),
  shown(
    'pages: slash, extension, spaces, case',
    { pages: ['/index', ' /A.mdx ', './b.md', 'API/One/'] },
    {
      shows: ['href="a.html"', 'href="b.html"', 'href="api/one.html"'],
    },
  ),
  shown(
    'pages: METHOD /path',
    { openapi: 'openapi.json', pages: ['index', 'get /pets/{id}/'] },
    {
      files: SPECS,
      emits: ['api-reference/pets/get-a-pet.html'],
    },
  ),
  shown(
    'pages: file METHOD /path',
    { pages: ['index', 'openapi.json GET /pets/{id}'] },
    {
      files: SPECS,
      emits: ['api-reference/pets/get-a-pet.html'],
    },
  ),
  shown(
    'pages: file webhook name',
    { pages: ['index', 'openapi.json webhook petSold'] },
    {
      files: SPECS,
      emits: ['api-reference/pet-sold.html'],
    },
  ),
  shown('pages: nested group', nested(), { shows: '>Deeper<' }),
  shown(
    'pages: listed twice',
    {
      groups: [
        { group: 'One', pages: ['index', 'a'] },
        { group: 'Two', pages: ['b', 'a'] },
      ],
    },
    {
      in: { 'a.html': '<div class="eyebrow op-eyebrow">One</div>' },
    },
  ),
  nodeRow(
    'pages: without a file',
    over(
      { pages: ['index', 'gone', 'a'] },
      { shows: 'href="a.html"', lacks: 'gone', warns: ['page-missing'] },
    ),
    'left out, with a warning',
  ),
  shown(
    'any kind in any other',
    {
      products: [
        {
          product: 'P',
          languages: [
            {
              language: 'en',
              versions: [
                {
                  version: 'v1',
                  tabs: [
                    {
                      tab: 'T',
                      anchors: [
                        {
                          anchor: 'A',
                          dropdowns: [{ dropdown: 'D', groups: [{ group: 'G', pages: ['index', 'a'] }] }],
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
    { shows: ['href="a.html"', '>G<'] },
  ),
  shown(
    'two kinds side by side',
    { groups: [{ group: 'G', pages: ['index'] }], pages: ['a'] },
    { shows: 'href="a.html"' },
  ),
  shown(
    'a start page without an index',
    { pages: ['guide/a', 'guide/b'] },
    {
      files: { 'index.mdx': '', 'guide/a.mdx': page('A'), 'guide/b.mdx': page('B') },
      shows: 'url=guide/a.html',
    },
  ),
  shown(
    'previous and next',
    { pages: ['index', 'a', 'b'] },
    {
      in: { 'a.html': [/rel="prev" href="index\.html"/, /rel="next" href="b\.html"/] },
    },
  ),
  ...['collapsed', 'expandable', 'includeTags'].map((key) =>
    nodeRow(key, over(group({ [key]: true }), { warns: ['config-ignored-key'] })),
  ),
];

export const navigation: readonly Row[] = [...kinds, ...keys, ...switches, ...groups];
