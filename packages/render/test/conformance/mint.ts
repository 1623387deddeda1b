import type { Check } from './check.ts';
import { none, type Row, supported } from './row.ts';

const page = (title: string): string => `---\ntitle: ${title}\n---\nText.`;
const PAGES = { 'index.mdx': page('Home'), 'api/one.mdx': page('One'), 'sdk/one.mdx': page('Kit') };
const GROUPS = [
  { group: 'Start', pages: ['index'] },
  { group: 'Reference', pages: ['api/one', 'sdk/one'] },
];
const SPEC =
  '{"openapi":"3.0.0","info":{"title":"x","version":"1"},"paths":{"/pets":{"get":{"summary":"List pets"}}}}';

/** A site whose only configuration is a mint.json with these keys. */
const old = (keys: Record<string, unknown>, check: Check = {}): Check => ({
  ...check,
  files: {
    'docs.json': '',
    ...PAGES,
    'mint.json': JSON.stringify({
      name: 'Docs',
      colors: { primary: '#0b6e4f' },
      navigation: GROUPS,
      metadata: { 'og:image': 'https://example.com/preview.png' },
      ...keys,
    }),
    ...check.files,
  },
  warns: ['mint-json', ...(check.warns ?? [])],
});
const upgrades = (name: string, keys: Record<string, unknown>, check: Check): Row =>
  supported(name, old(keys, check));
const dropped = (name: string, keys: Record<string, unknown>): Row =>
  none(name, 'no effect, as in docs.json', old(keys, { shows: 'Text.' }));
const reference = (name: string, keys: Record<string, unknown>): Row =>
  supported(name, old(keys, { shows: 'Text.' }), 'see the key of docs.json that it becomes');

const loads = (name: string, keys: Record<string, unknown>): Row =>
  none(
    name,
    'would load code from another host; a warning reports it',
    old(keys, { warns: ['config-no-effect'] }),
  );

export const mint: readonly Row[] = [
  upgrades('navigation', {}, { shows: ['Start', 'Reference'] }),
  upgrades('tabs', { tabs: [{ name: 'API', url: 'api' }] }, { shows: ['>API<', 'Documentation'] }),
  upgrades(
    'anchors',
    {
      anchors: [
        { name: 'Kit', url: 'sdk', icon: 'star' },
        { name: 'Blog', url: 'https://example.com/b', icon: 'book' },
      ],
    },
    { shows: ['>Kit<', 'href="https://example.com/b"'] },
  ),
  upgrades(
    'primaryTab',
    { tabs: [{ name: 'API', url: 'api' }], primaryTab: { name: 'Handbook' } },
    { shows: 'Handbook' },
  ),
  upgrades(
    'topAnchor',
    { anchors: [{ name: 'Kit', url: 'sdk' }], topAnchor: { name: 'Handbook' } },
    { shows: 'Handbook' },
  ),
  upgrades(
    'versions',
    {
      versions: ['v2', 'v1'],
      navigation: [
        { group: 'A', version: 'v2', pages: ['index'] },
        { group: 'B', version: 'v1', pages: ['api/one'] },
      ],
    },
    { shows: ['v2', 'v1'] },
  ),
  upgrades(
    'versions.locale',
    {
      versions: [
        { name: 'English', locale: 'en' },
        { name: 'Deutsch', locale: 'de' },
      ],
      navigation: [
        { group: 'A', version: 'English', pages: ['index'] },
        { group: 'B', version: 'Deutsch', pages: ['api/one'] },
      ],
    },
    { in: { 'api/one.html': '<html lang="de"' } },
  ),
  upgrades(
    'topbarLinks',
    { topbarLinks: [{ name: 'Help', url: 'https://example.com/h' }] },
    { shows: ['Help', 'href="https://example.com/h"'] },
  ),
  upgrades(
    'topbarCtaButton',
    { topbarCtaButton: { name: 'Sign up', url: 'https://example.com/s' } },
    { shows: /op-button-primary"[^>]*>.*Sign up/ },
  ),
  upgrades('modeToggle.default', { modeToggle: { default: 'dark' } }, { shows: 'data-appearance="dark"' }),
  upgrades('modeToggle.isHidden', { modeToggle: { isHidden: true } }, { lacks: 'id="theme-toggle"' }),
  reference('codeBlock.mode', { codeBlock: { mode: 'auto' } }),
  upgrades(
    'eyebrow.display',
    { eyebrow: { display: 'breadcrumbs' } },
    { shows: 'class="breadcrumb-list op-breadcrumb-list"' },
  ),
  upgrades(
    'font.family',
    { font: { family: 'Acme Sans', url: '/a.woff2' } },
    { files: { 'a.woff2': 'f' }, in: { '*.css': 'Acme Sans' } },
  ),
  upgrades(
    'font.url',
    { font: { family: 'Acme Sans', url: '/a.woff2' } },
    { files: { 'a.woff2': 'f' }, in: { '*.css': 'a.woff2' } },
  ),
  upgrades(
    'font.headings',
    { font: { headings: { family: 'Acme Head', url: '/a.woff2' } } },
    { files: { 'a.woff2': 'f' }, in: { '*.css': /--font-heading:"Acme Head"/ } },
  ),
  upgrades(
    'font.body',
    { font: { body: { family: 'Acme Body', url: '/a.woff2' } } },
    { files: { 'a.woff2': 'f' }, in: { '*.css': /--font-body:"Acme Body"/ } },
  ),
  upgrades(
    'colors.background',
    { colors: { primary: '#0b6e4f', background: { light: '#fafaf0' } } },
    { in: { '*.css': '#fafaf0' } },
  ),
  upgrades(
    'background.style',
    { background: { style: 'grid' } },
    { in: { '*.css': /block-size:520px;background:linear-gradient/ } },
  ),
  upgrades(
    'backgroundImage',
    { backgroundImage: '/bg.svg' },
    { files: { 'bg.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>' }, in: { '*.css': 'bg.svg' } },
  ),
  dropped('colors.anchors', { colors: { primary: '#0b6e4f', anchors: { from: '#111111', to: '#222222' } } }),
  reference('api.baseUrl', { api: { baseUrl: 'https://api.example.com' } }),
  reference('api.auth', { api: { auth: { method: 'bearer' } } }),
  reference('api.playground.mode', { api: { playground: { mode: 'simple' } } }),
  reference('api.playground.disableProxy', { api: { playground: { disableProxy: true } } }),
  reference('api.request.example.languages', { api: { request: { example: { languages: ['bash'] } } } }),
  reference('api.paramFields.expanded', { api: { paramFields: { expanded: 'all' } } }),
  upgrades(
    'openapi',
    { openapi: 'openapi.json', navigation: [...GROUPS, { group: 'API', pages: ['GET /pets'] }] },
    { files: { 'openapi.json': SPEC }, emits: ['api-reference/list-pets.html'] },
  ),
  upgrades(
    'tabs.openapi',
    { tabs: [{ name: 'API', url: 'pets', openapi: 'openapi.json' }] },
    { files: { 'openapi.json': SPEC }, emits: ['pets/list-pets.html'] },
  ),
  upgrades(
    'anchors.openapi',
    { anchors: [{ name: 'API', url: 'pets', openapi: 'openapi.json' }] },
    { files: { 'openapi.json': SPEC }, emits: ['pets/list-pets.html'] },
  ),
  upgrades(
    'metadata',
    { metadata: { 'og:site_name': 'Acme' } },
    { shows: 'property="og:site_name" content="Acme"' },
  ),
  upgrades(
    'seo.indexHiddenPages',
    { seo: { indexHiddenPages: true } },
    { files: { 'unlisted.mdx': page('Un') }, in: { 'sitemap.xml': '/unlisted<' } },
  ),
  loads('analytics', { analytics: { ga4: { measurementId: 'G-XXXXXXXX' } } }),
  loads('integrations.intercom', { integrations: { intercom: 'abc' } }),
  loads('integrations.frontchat', { integrations: { frontchat: 'abc' } }),
  upgrades(
    'footerSocials',
    { footerSocials: { github: 'https://github.com/acme' } },
    { shows: 'href="https://github.com/acme"' },
  ),
  upgrades(
    'footer.links',
    { footer: { links: [{ title: 'Company', links: [{ label: 'Jobs', url: 'https://example.com/j' }] }] } },
    { shows: ['Company', 'Jobs'] },
  ),
  dropped('feedback', { feedback: { thumbsRating: true } }),
  dropped('rounded', { rounded: 'sharp' }),
  dropped('sidebar.items', { sidebar: { items: 'card' } }),
  dropped('topbar.style', { topbar: { style: 'gradient' } }),
  dropped('search.location', { search: { location: 'top' } }),
  dropped('isWhiteLabeled', { isWhiteLabeled: true }),
  upgrades('layout', { layout: 'sidenav' }, { shows: 'data-theme="maple"' }),
  upgrades('theme', { theme: 'venus' }, { shows: 'data-theme="palm"' }),
  upgrades(
    '_snippets',
    {},
    {
      body: '',
      files: {
        '_snippets/a.mdx': 'Old snippet.',
        'index.mdx': '---\ntitle: Home\n---\n\n<Snippet file="a.mdx" />',
      },
      shows: 'Old snippet.',
    },
  ),
];
