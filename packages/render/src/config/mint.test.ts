import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../source.ts';
import type { Warning } from '../warning.ts';
import { loadConfig } from './config.ts';

const IMAGES = { 'favicon.png': '', 'l.png': '', 'd.png': '', 'bg.png': '' };

function load(mint: unknown) {
  const warnings: Warning[] = [];
  const text = typeof mint === 'string' ? mint : JSON.stringify(mint, null, 1);
  const source = memorySource({ 'mint.json': text, 'openapi.json': '{}', ...IMAGES });
  const config = loadConfig(source, (warning) => warnings.push(warning));
  return { config, raw: config.raw, codes: warnings.map(({ code }) => code), warnings };
}

const GROUPS = [
  { group: 'Start', pages: ['intro'] },
  { group: 'API', icon: 'code', pages: ['api/one', { group: 'Deep', pages: ['api/two', 'sdk/x'] }] },
  { group: 'SDK', pages: ['sdk/y', 'sdk/beta/z'] },
];
const upgrade = (mint: object) => load({ name: 'N', navigation: GROUPS, ...mint });

describe('mint.json', () => {
  test('a whole file becomes a configuration without a complaint but its age and what loads from elsewhere', () => {
    const path = new URL('../../test/fixtures/config/mint.json', import.meta.url);
    const { config, codes, raw } = load(readFileSync(path, 'utf8'));
    expect(codes).toEqual(['mint-json', 'config-no-effect']);
    expect(config).toMatchObject({
      file: 'mint.json',
      name: 'Acme',
      theme: 'willow',
      colors: { primary: '#eab308', light: '#eab309', dark: '#eab30a' },
      logo: { light: '/l.png', dark: '/d.png', href: null },
      appearance: { default: 'dark', strict: true },
      navbar: {
        links: [
          { label: 'Community', href: 'https://example.com/c', type: 'link' },
          { label: 'GitHub', href: 'https://github.com/a/b', type: 'github' },
        ],
        primary: { label: 'Start now', href: 'https://example.com', type: 'button' },
      },
      footer: {
        socials: [{ platform: 'github', href: 'https://github.com/a' }],
        columns: [{ header: 'Company', items: [{ label: 'Jobs', href: 'https://example.com/jobs' }] }],
      },
      styling: { eyebrows: 'breadcrumbs' },
      search: { prompt: 'Search...' },
      redirects: [{ source: '/a', destination: '/b', permanent: true }],
      seo: { indexing: 'all' },
      api: { openapi: ['openapi.json'], mdx: { server: ['https://api.example.com'] } },
    });
    expect({ ...config.seo.metatags }).toEqual({ 'og:site_name': 'Acme' });
    expect(raw).toMatchObject({
      styling: { codeblocks: 'system', eyebrows: 'breadcrumbs' },
      background: { color: { dark: '#09090B' }, decoration: 'grid', image: '/bg.png' },
      fonts: {
        family: 'Inter',
        source: '/inter.woff2',
        heading: { family: 'Serif', source: '/serif.woff2' },
      },
      api: {
        mdx: { server: 'https://api.example.com', auth: { method: 'bearer' } },
        playground: { display: 'interactive', proxy: false },
        examples: { languages: ['curl'] },
        params: { expanded: 'all' },
      },
      integrations: { gtm: { tagId: 'GTM-X' }, intercom: { appId: 'abc' }, frontchat: { snippetId: 'def' } },
    });
    for (const key of [
      'feedback',
      'rounded',
      'sidebar',
      'topbar',
      'isWhiteLabeled',
      'layout',
      'analytics',
      'modeToggle',
    ]) {
      expect(raw).not.toHaveProperty(key);
    }
    expect(raw.colors).not.toHaveProperty('anchors');
  });

  test.each([
    [{ theme: 'venus' }, 'palm'],
    [{ theme: 'quill' }, 'willow'],
    [{ theme: 'prism' }, 'mint'],
    [{ theme: 'maple' }, 'maple'],
    [{}, 'mint'],
    [{ layout: 'sidenav' }, 'maple'],
    [{ layout: 'solidSidenav', theme: 'venus' }, 'willow'],
    [{ layout: 'topnav' }, 'mint'],
  ])('theme and layout %j give %s', (mint, theme) => {
    expect(upgrade(mint).config.theme).toBe(theme);
  });

  test.each([
    ['show', 'interactive'],
    ['simple', 'simple'],
    ['hide', 'none'],
  ])('playground mode %s is %s', (mode, display) => {
    expect(upgrade({ api: { playground: { mode } } }).raw.api).toMatchObject({ playground: { display } });
  });

  test('without tabs and anchors the groups stay as they are', () => {
    expect(upgrade({}).raw.navigation).toEqual({ groups: GROUPS });
  });

  test('anchors own the pages below their prefix, the longest first; nested groups are split; the rest is the first anchor', () => {
    const anchors = [
      { name: 'API', url: 'api', icon: 'terminal', color: '#fff' },
      { name: 'SDK', url: '/sdk/' },
      { name: 'Beta', url: 'sdk/beta' },
      { name: 'Blog', url: 'https://example.com' },
    ];
    expect(upgrade({ anchors, topAnchor: { name: 'Guides', icon: 'book' } }).raw.navigation).toEqual({
      global: { anchors: [{ anchor: 'Blog', href: 'https://example.com' }] },
      anchors: [
        { anchor: 'Guides', icon: 'book', groups: [{ group: 'Start', pages: ['intro'] }] },
        {
          anchor: 'API',
          icon: 'terminal',
          color: { light: '#fff', dark: '#fff' },
          groups: [{ group: 'API', icon: 'code', pages: ['api/one', { group: 'Deep', pages: ['api/two'] }] }],
        },
        {
          anchor: 'SDK',
          groups: [
            { group: 'API', icon: 'code', pages: [{ group: 'Deep', pages: ['sdk/x'] }] },
            { group: 'SDK', pages: ['sdk/y'] },
          ],
        },
        { anchor: 'Beta', groups: [{ group: 'SDK', pages: ['sdk/beta/z'] }] },
      ],
    });
  });

  test('tabs own pages in the same way; external ones are links; a description keeps its folder', () => {
    const tabs = [
      { name: 'API', url: 'api', openapi: '/openapi.json' },
      { name: 'Status', url: 'https://example.com/status' },
    ];
    expect(upgrade({ tabs, primaryTab: { name: 'Docs' } }).raw.navigation).toMatchObject({
      tabs: [
        {
          tab: 'Docs',
          groups: [{ group: 'Start' }, { group: 'API', pages: [{ pages: ['sdk/x'] }] }, { group: 'SDK' }],
        },
        { tab: 'API', openapi: { source: '/openapi.json', directory: 'api' }, groups: [{ group: 'API' }] },
        { tab: 'Status', href: 'https://example.com/status' },
      ],
    });
  });

  test('tabs and anchors together: the anchors are in the first tab', () => {
    const navigation = upgrade({
      tabs: [{ name: 'API', url: 'api' }],
      anchors: [{ name: 'SDK', url: 'sdk' }],
    }).raw.navigation;
    expect(navigation).toMatchObject({
      tabs: [
        { tab: 'Documentation', anchors: [{ anchor: 'Documentation' }, { anchor: 'SDK' }] },
        { tab: 'API' },
      ],
    });
  });

  test('versions hold the groups, tabs and anchors of their name and those of none', () => {
    const navigation = [
      { group: 'Both', pages: ['a'] },
      { group: 'One', version: 'v1', pages: ['b'] },
      { group: 'Two', version: 'v2', pages: ['c'] },
    ];
    const { raw } = load({ name: 'N', versions: ['v2', { name: 'v1', default: true }], navigation });
    expect(raw.navigation).toMatchObject({
      versions: [
        { version: 'v2', groups: [{ group: 'Both' }, { group: 'Two' }] },
        { version: 'v1', default: true, groups: [{ group: 'Both' }, { group: 'One' }] },
      ],
    });
  });

  test('versions with a locale are languages', () => {
    const { raw } = upgrade({
      versions: [
        { name: 'English', locale: 'en' },
        { name: 'Deutsch', locale: 'de' },
      ],
    });
    expect(raw.navigation).toMatchObject({ languages: [{ language: 'en' }, { language: 'de' }] });
  });

  test('socials may be a list', () => {
    const { config } = upgrade({ footerSocials: [{ type: 'x', url: 'https://x.com/a' }] });
    expect(config.footer.socials).toEqual([{ platform: 'x', href: 'https://x.com/a' }]);
  });

  test('warnings keep the lines of mint.json', () => {
    const { warnings } = load(
      '{\n"name": "N",\n"colors": {\n"primary": "red" },\n"topbarLinks": [\n{ "name": "x" }],\n"navigation": [],\n"zzz": 1 }',
    );
    expect(warnings.map(({ code, line }) => [code, line])).toEqual([
      ['mint-json', 1],
      ['config-unknown-key', 8],
      ['config-value', 4],
      ['config-value', 6],
    ]);
  });

  test('a file without a list of groups is refused', () => {
    expect(() => load({ name: 'N' })).toThrow(
      expect.objectContaining({ code: 'navigation-missing', file: 'mint.json' }),
    );
  });
});
