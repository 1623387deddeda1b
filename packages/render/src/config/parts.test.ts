import { describe, expect, test } from 'vitest';
import { memorySource } from '../source.ts';
import type { Warning } from '../warning.ts';
import { loadConfig } from './config.ts';
import { readPageKeys } from './page-keys.ts';
import { suggestName, suggestSpelling } from './suggest-name.ts';

function load(keys: Record<string, unknown>) {
  const docs = { name: 'D', theme: 'mint', colors: { primary: '#0b6e4f' }, navigation: {}, ...keys };
  const warnings: Warning[] = [];
  const source = memorySource({ 'docs.json': JSON.stringify(docs, null, 1), 'a.json': '{}', 'o.yaml': '' });
  const config = loadConfig(source, (warning) => warnings.push(warning));
  return {
    config,
    codes: warnings.map(({ code }) => code),
    messages: warnings.map(({ message }) => message),
  };
}

describe('parts of docs.json', () => {
  test('one font is that of headings and body; each may have its own', () => {
    const face = { family: 'A', weight: 400, source: '/a.woff2', format: 'woff2' };
    expect(load({ fonts: face }).config.fonts).toEqual({ heading: face, body: face });
    const both = load({ fonts: { ...face, heading: { family: 'B' } } }).config.fonts;
    expect(both.body).toEqual(face);
    expect(both.heading).toEqual({ family: 'B', weight: null, source: null, format: null });
  });

  test('contextual keeps actions and links in order, with what their addresses are made of', () => {
    const href = { base: 'https://x.example', query: [{ key: 'q', value: '$page' }] };
    const { config, codes } = load({
      contextual: { options: ['copy', { title: 'Ask', href }, 'view'], display: 'toc' },
    });
    expect(config.contextual).toEqual({
      display: 'toc',
      options: [
        { kind: 'action', name: 'copy' },
        {
          kind: 'link',
          title: 'Ask',
          description: null,
          icon: null,
          href: 'https://x.example',
          query: href.query,
        },
        { kind: 'action', name: 'view' },
      ],
    });
    expect(codes).toEqual([]);
  });

  test('tags of folders are laid over each other from the shortest path to the longest', () => {
    const paths = [
      { path: '/a/b/*', metatags: { x: '2', canonical: 'https://y.example' } },
      { path: 'a', metatags: { x: '1', flag: true } },
    ];
    const read = load({ seo: { paths } }).config.seo.paths;
    expect(read.map(({ path, metatags }) => [path, { ...metatags }])).toEqual([
      ['a', { x: '1', flag: 'true' }],
      ['a/b', { x: '2' }],
    ]);
  });

  test('descriptions keep their folders and overlays', () => {
    const { api } = load({
      api: { openapi: [{ source: 'a.json', directory: 'pets', overlays: ['o.yaml'] }] },
    }).config;
    expect(api.openapi).toEqual(['a.json']);
    expect([...api.directories]).toEqual([['a.json', 'pets']]);
    expect([...api.overlays]).toEqual([['a.json', ['o.yaml']]]);
  });

  test.each([
    [{ appearance: { defaults: 'dark' } }, 'config-unknown-key', 'Did you mean "default"?'],
    [{ navbar: { link: [] } }, 'config-unknown-key', 'Did you mean "links"?'],
    [{ modeToggle: { default: 'dark' } }, 'config-unknown-key', 'key of mint.json; use "appearance"'],
    [{ seo: { indexHiddenPages: true } }, 'config-unknown-key', 'key of mint.json; use "seo.indexing"'],
    [
      { api: { playground: { mode: 'show' } } },
      'config-unknown-key',
      'key of mint.json; use "api.playground.display"',
    ],
    [{ footer: { links: [{ headr: 'x', items: [] }] } }, 'config-unknown-key', 'Did you mean "header"?'],
    [{ metadata: { 'og:title': 'x' } }, 'config-unknown-key', 'key of mint.json; use "seo.metatags"'],
    [{ metadata: { timestmap: true } }, 'config-unknown-key', 'Did you mean "timestamp"?'],
    [{ fonts: { famly: 'x' } }, 'config-unknown-key', 'Did you mean "family"?'],
    [{ fonts: { family: 'x', weight: 'bold' } }, 'config-value', 'from 1 to 1000'],
    [{ fonts: { family: 'x', source: 'http://x.example/a.woff2' } }, 'unsafe-link', 'https'],
    [{ fonts: { weight: 400 } }, 'config-value', 'needs "family"'],
    [{ background: { decoration: 'waves' } }, 'config-value', 'gradient, grid, windows'],
    [{ background: { color: { light: 'red' } } }, 'config-value', 'such as "#0d9373"'],
    [{ background: { image: 'javascript:1' } }, 'unsafe-link', 'must be a path'],
    [{ banner: { content: 'x', color: 'red' } }, 'config-value', 'such as "#0d9373"'],
    [{ contextual: { options: 'copy' } }, 'config-type', 'list of names'],
    [{ contextual: { options: ['clade'] } }, 'config-value', 'Did you mean "claude"?'],
    [{ contextual: { options: ['mcp'] } }, 'config-no-effect', 'server'],
    [{ contextual: { options: [{ title: 'x' }] } }, 'config-value', 'needs "title" and "href"'],
    [{ contextual: { options: [{ title: 'x', href: 'javascript:1' }] } }, 'unsafe-link', 'http, https'],
    [{ contextual: { options: [{ title: 'x', href: { base: 'data:x' } }] } }, 'unsafe-link', 'http, https'],
    [{ contextual: { options: [5] } }, 'config-type', 'must be an object'],
    [{ interaction: { drilldown: 'maybe' } }, 'config-type', 'true or false'],
    [{ metadata: { timestamps: true } }, 'config-unknown-key', 'Did you mean "timestamp"?'],
    [{ seo: { indexing: 'none' } }, 'config-value', 'navigable, all'],
    [{ seo: { paths: [{ metatags: {} }] } }, 'config-value', 'needs "path"'],
    [{ seo: { organization: { nam: 'x' } } }, 'config-unknown-key', 'Did you mean "name"?'],
    [{ seo: { organization: { url: 'javascript:1' } } }, 'unsafe-link', 'must be a path'],
    [{ thumbnails: { appearance: 'blue' } }, 'config-value', 'light, dark'],
    [{ styling: { css: 'x.css' } }, 'config-ignored-key', 'every .css file'],
    [{ styling: { codeblocks: { them: 'x' } } }, 'config-unknown-key', 'Did you mean "theme"?'],
    [{ variations: { options: [{ label: 'x' }] } }, 'config-value', 'a unique "id"'],
    [{ api: { playground: { display: 'big' } } }, 'config-value', 'interactive, simple'],
    [{ api: { asyncapi: 5 } }, 'config-type', 'must be a path'],
    [{ api: { examples: { default: 'all' } } }, 'config-unknown-key', 'Did you mean "defaults"?'],
    [{ public: false }, 'config-no-effect', 'no sign-in'],
    [{ footer: { socials: { github: 'http://github.com/x' } } }, 'config-value', 'https URL'],
    [{ integrations: { ga5: {} } }, 'config-unknown-key', 'Did you mean "ga4"?'],
    [{ integrations: { telemetry: { enable: true, enabled: true } } }, 'config-unknown-key', '"enabled"'],
    [
      { navbar: { links: [{ label: 'x', href: '/', icon: 'no-such-icon' }] } },
      'unknown-icon',
      'no-such-icon',
    ],
    [{ navbar: { links: [{ label: 'x', href: '/', icon: 7 }] } }, 'config-type', 'a name, a path'],
  ])('%j is one warning, %s', (keys, code, part) => {
    const { codes, messages } = load(keys);
    expect(codes).toContain(code);
    expect(messages.find((_message, at) => codes[at] === code)).toContain(part);
    expect(codes.filter((other) => other !== code && other !== 'config-value')).toEqual([]);
  });

  test('integrations load nothing and are reported once; their identifiers are checked', () => {
    const { codes, messages } = load({
      integrations: { ga4: { measurementId: 'X-1' }, posthog: { apiKey: 'phc_1' }, gtm: {} },
    });
    expect(codes).toEqual(['config-value', 'config-value', 'config-no-effect']);
    expect(messages[2]).toContain('"integrations.ga4", "integrations.gtm", "integrations.posthog"');
  });
});

const errorsOf = (frontMatter: Record<string, unknown>) => readPageKeys(frontMatter).errors;

describe('keys of a page', () => {
  test.each([
    [{ sidebar_title: 'x' }, 'sidebarTitle'],
    [{ Title: 'x' }, 'title'],
    [{ desciption: 'x' }, 'description'],
    [{ noIndex: true }, 'noindex'],
    [{ hideFooterPaginaton: true }, 'hideFooterPagination'],
  ])('%j is taken for %s', (frontMatter, key) => {
    expect(errorsOf(frontMatter)).toMatchObject([
      { code: 'front-matter-key', message: expect.stringContaining(`Did you mean "${key}"?`) },
    ]);
  });

  test('keys of other generators and of the site itself are none of our business', () => {
    const own = { tags: [], author: 'x', date: 'x', slug: 'x', sidebar_position: 1, cover: 'x', team: 'y' };
    expect(errorsOf({ ...own, 'og:title': 'x', 'x:y': 1, layout: 'x', image: 'x' })).toEqual([]);
  });

  test.each([
    [{ mode: 'full' }, 'front-matter-value', 'default, wide'],
    [{ hidden: 'yes' }, 'front-matter-value', 'true or false'],
    [{ boost: 'high' }, 'front-matter-value', 'a number, 0 or greater'],
    [{ boost: -1 }, 'front-matter-value', 'a number, 0 or greater'],
    [{ title: {} }, 'front-matter-value', 'text'],
    [{ canonical: '/x' }, 'front-matter-value', 'http or https URL'],
    [{ related: 'x' }, 'front-matter-value', 'false or a list'],
    [{ contextual: 'copy' }, 'front-matter-value', 'an object'],
    [{ icon: 'no-such-icon' }, 'unknown-icon', 'no-such-icon'],
  ])('%j is a %s', (frontMatter, code, part) => {
    expect(errorsOf(frontMatter)).toMatchObject([{ code, message: expect.stringContaining(part) }]);
  });

  test('valid keys are not reported', () => {
    const page = { title: 5, hidden: 'true', boost: '2', mode: 'wide', related: false, deprecated: 'soon' };
    expect(errorsOf({ ...page, icon: { name: 'star' }, contextual: { options: [] }, tag: null })).toEqual([]);
  });
});

describe('the suggested name', () => {
  test.each([
    ['naviagtion', 'navigation'],
    ['Colors', 'colors'],
    ['code_blocks', 'codeblocks'],
    ['logos', 'logo'],
    ['nav', null],
    ['', null],
    ['x'.repeat(5000), null],
  ])('of %s is %s', (written, near) => {
    expect(suggestName(written, ['navigation', 'colors', 'codeblocks', 'logo'])).toBe(near);
  });

  test.each([
    ['created', null],
    ['relatd', 'related'],
    ['sidebarTitel', 'sidebarTitle'],
    ['Sidebar_title', 'sidebarTitle'],
    ['descriptoin', 'description'],
  ])('of %s, where any name is allowed, is %s', (written, near) => {
    expect(suggestSpelling(written, ['related', 'sidebarTitle', 'description'])).toBe(near);
  });
});
