import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../source.ts';
import type { Warning } from '../warning.ts';
import { loadConfig } from './config.ts';

function load(docs: unknown, files: Record<string, string> = {}) {
  const warnings: Warning[] = [];
  const text = typeof docs === 'string' ? docs : JSON.stringify(docs, null, 1);
  const config = loadConfig(memorySource({ 'docs.json': text, ...files }), (warning) =>
    warnings.push(warning),
  );
  return { config, warnings, codes: warnings.map(({ code }) => code) };
}

const MINIMAL = {
  theme: 'mint',
  name: 'Docs',
  colors: { primary: '#0D9373' },
  navigation: { pages: ['index'] },
};

describe('files and names of docs.json', () => {
  test.each([
    [{ favicon: '/none.svg' }, 'favicon', '/none.svg'],
    [{ logo: { light: '/a.svg', dark: 'none.svg' } }, 'logo.dark', 'none.svg'],
    [{ background: { image: './none.png?v=2' } }, 'background.image', './none.png?v=2'],
  ])('a file that the docs folder does not have is reported with its line: %j', (keys, name, path) => {
    const { warnings } = load({ ...MINIMAL, ...keys }, { 'a.svg': '<svg/>' });
    expect(warnings).toMatchObject([{ file: 'docs.json', line: expect.any(Number), code: 'missing-asset' }]);
    expect(warnings[0]?.message).toContain(`"${path}" of "${name}" is not in the docs folder. Add it`);
  });

  test('files in the docs folder and URLs of other hosts are not reported', () => {
    const keys = {
      favicon: '/a.svg?v=1',
      logo: 'https://example.com/logo.svg',
      background: { image: './a.svg' },
    };
    expect(load({ ...MINIMAL, ...keys }, { 'a.svg': '<svg/>' }).codes).toEqual([]);
  });

  test('a misspelled value is reported with the names and a suggestion', () => {
    const { warnings } = load({ ...MINIMAL, theme: 'mapel' });
    expect(warnings).toMatchObject([
      {
        code: 'config-value',
        message: expect.stringMatching(/must be one of mint, maple, .*\. Did you mean "maple"\?$/),
      },
    ]);
    expect(load({ ...MINIMAL, theme: 'corporate' }).warnings[0]?.message).toMatch(/luma\.$/);
  });

  test('a misspelled profile is reported with a suggestion; other profiles and meta tags are not', () => {
    const url = 'https://example.com/acme';
    const { warnings } = load({
      ...MINIMAL,
      footer: { socials: { githubb: url, mastodon: url, x: url } },
      seo: { metatags: { 'twitter:title': 'Acme' } },
    });
    expect(warnings).toMatchObject([
      {
        code: 'config-unknown-key',
        message: 'Unknown key "githubb" in "footer.socials". Did you mean "github"?',
      },
    ]);
  });
});

describe('docs.json', () => {
  test('a minimal file has defaults and no warning', () => {
    const { config, warnings } = load(MINIMAL);
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      file: 'docs.json',
      files: ['docs.json'],
      name: 'Docs',
      description: null,
      theme: 'mint',
      colors: { primary: '#0d9373', light: '#0d9373', dark: '#0d9373' },
      logo: null,
      favicon: null,
      appearance: { default: 'system', strict: false },
      icons: { library: 'fontawesome' },
      navbar: { links: [], primary: null },
      footer: { socials: [], columns: [] },
      banner: null,
      styling: { eyebrows: null, latex: null },
      search: { prompt: null },
      redirects: [],
      errors: { 404: { redirect: true, title: null, description: null } },
      markdown: { instructions: [] },
      api: { openapi: [], mdx: { server: [] } },
    });
  });

  test('every normalized key is read', () => {
    const { config, warnings } = load(
      {
        ...MINIMAL,
        $schema: 'https://example.com/docs.json',
        theme: 'Aspen',
        description: 'About',
        colors: { primary: '#abc', light: '#ABCDEF', dark: '#11223344' },
        logo: { light: '/l.svg', dark: '/d.svg', href: 'https://example.com' },
        favicon: '/f.svg',
        appearance: { default: 'dark', strict: true },
        icons: { library: 'lucide' },
        navbar: {
          links: [
            { label: 'Blog', href: '/blog', icon: 'pen' },
            { type: 'discord', href: 'https://discord.gg/x' },
          ],
          primary: { type: 'github', href: 'https://github.com/a/b' },
        },
        footer: {
          socials: { x: 'https://x.com/a' },
          links: [{ header: 'More', items: [{ label: 'Mail', href: 'mailto:a@example.com' }] }],
        },
        banner: { content: '**New**', dismissible: true, type: 'warning' },
        styling: { eyebrows: 'breadcrumbs', latex: true },
        search: { prompt: 'Find' },
        redirects: [{ source: 'old/', destination: '/new#a', permanent: false }],
        errors: { 404: { redirect: false, title: 'Lost', description: 'Gone' } },
        variables: { version: '1.2<b>', 'a.b': 'x' },
        seo: {
          indexing: 'all',
          metatags: { canonical: 'https://example.com/docs/', robots: 'noindex', n: 5 },
        },
        markdown: { instructions: ['One', 'Two'] },
        api: { openapi: ['/openapi.json', { source: 'b.yaml' }], mdx: { server: 'https://api.example.com' } },
      },
      { 'openapi.json': '{}', 'b.yaml': '', 'l.svg': '', 'd.svg': '', 'f.svg': '' },
    );
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      theme: 'aspen',
      description: 'About',
      colors: { primary: '#aabbcc', light: '#abcdef', dark: '#112233' },
      logo: { light: '/l.svg', dark: '/d.svg', href: 'https://example.com' },
      favicon: { light: '/f.svg', dark: '/f.svg' },
      appearance: { default: 'dark', strict: true },
      icons: { library: 'lucide' },
      navbar: {
        links: [
          { label: 'Blog', href: '/blog', icon: { name: 'pen', style: null, library: null }, type: 'link' },
          { label: 'Discord', href: 'https://discord.gg/x', icon: null, type: 'discord' },
        ],
        primary: { label: 'GitHub', href: 'https://github.com/a/b', type: 'github' },
      },
      footer: {
        socials: [{ platform: 'x', href: 'https://x.com/a' }],
        columns: [{ header: 'More', items: [{ label: 'Mail', href: 'mailto:a@example.com' }] }],
      },
      banner: { content: '**New**', dismissible: true, type: 'warning' },
      styling: { eyebrows: 'breadcrumbs', latex: true },
      search: { prompt: 'Find' },
      redirects: [{ source: '/old', destination: '/new#a', permanent: false }],
      errors: { 404: { redirect: false, title: 'Lost', description: 'Gone' } },
      seo: { indexing: 'all', canonical: 'https://example.com/docs' },
      markdown: { instructions: ['One', 'Two'] },
      api: { openapi: ['openapi.json', 'b.yaml'], mdx: { server: ['https://api.example.com'] } },
    });
    expect({ ...config.variables }).toEqual({ version: '1.2', 'a.b': 'x' });
    expect({ ...config.seo.metatags }).toEqual({
      canonical: 'https://example.com/docs/',
      robots: 'noindex',
      n: '5',
    });
  });

  test('a missing file, a broken file, another root and a missing navigation are fatal and say what to do', () => {
    const nowhere = () => loadConfig(memorySource({ 'readme.md': '' }), () => {});
    expect(nowhere).toThrow(expect.objectContaining({ code: 'config-missing' }));
    const nested = () => loadConfig(memorySource({ 'site/docs.json': '{}' }), () => {});
    expect(nested).toThrow('set the folder of the project to "site"');
    expect(() => load('{')).toThrow(expect.objectContaining({ code: 'invalid-json', line: 1 }));
    for (const root of ['[]', '5', '"x"', 'null']) {
      expect(() => load(root)).toThrow(expect.objectContaining({ code: 'config-type' }));
    }
    expect(() => load({ name: 'A' })).toThrow(expect.objectContaining({ code: 'navigation-missing' }));
    expect(() => load('{\n"navigation": 5}')).toThrow(
      expect.objectContaining({ code: 'navigation-missing', line: 2 }),
    );
  });

  test('docs.json wins over mint.json', () => {
    const { config } = load(MINIMAL, { 'mint.json': '{ "name": "Other", "navigation": [] }' });
    expect(config.name).toBe('Docs');
  });

  test('an unknown key is a warning with its line, at most fifty of them; the warning for an ignored key is different', () => {
    const { warnings } = load(
      '{\n"name": "A",\n"Colors": {},\n"zzz": 1,\n"feedback": {},\n"navigation": {}}',
    );
    expect(warnings).toMatchObject([
      { code: 'config-unknown-key', line: 3, message: expect.stringContaining('Did you mean "colors"?') },
      { code: 'config-unknown-key', line: 4, message: expect.stringContaining('"zzz"') },
      { code: 'config-ignored-key', line: 5 },
    ]);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, index]));
    expect(load({ ...MINIMAL, ...many }).warnings).toHaveLength(50);
  });

  test.each([
    [{ colors: 'red' }, 'colors'],
    [{ colors: { primary: 'red' } }, 'colors.primary'],
    [{ colors: { primary: 5 } }, 'colors.primary'],
    [{ theme: 'venus' }, 'theme'],
    [{ theme: {} }, 'theme'],
    [{ logo: 5 }, 'logo'],
    [{ favicon: [] }, 'favicon'],
    [{ appearance: { default: 'night' } }, 'appearance.default'],
    [{ appearance: { strict: 'maybe' } }, 'appearance.strict'],
    [{ navbar: { links: {} } }, 'navbar.links'],
    [{ navbar: { links: [5] } }, 'navbar.links[0]'],
    [{ navbar: { links: [{ label: 'x' }] } }, 'navbar.links[0]'],
    [{ footer: { socials: 5 } }, 'footer.socials'],
    [{ banner: { content: [] } }, 'banner.content'],
    [{ redirects: {} }, 'redirects'],
    [{ redirects: [{ source: '/a' }] }, 'redirects[0]'],
    [{ redirects: [{ source: '/a#b', destination: '/c' }] }, 'redirects[0]'],
    [{ errors: { 404: 5 } }, 'errors.404'],
    [{ variables: { 'a b': 'x' } }, 'a b'],
    [{ variables: { a: {} } }, 'variables.a'],
    [{ seo: { metatags: { canonical: 'javascript:1' } } }, 'canonical'],
    [{ markdown: { instructions: [1] } }, 'markdown.instructions[0]'],
    [{ api: { openapi: 5 } }, 'api.openapi'],
    [{ api: { openapi: 'gone.json' } }, 'gone.json'],
    [{ api: { openapi: 'https://example.com/x.json' } }, 'https://example.com/x.json'],
    [{ fonts: 5 }, 'fonts'],
    [{ integrations: [] }, 'integrations'],
  ])('a wrong value is one warning at its line and its default: %j', (value, name) => {
    const { warnings, config } = load({ ...MINIMAL, ...value });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toContain(name);
    expect(warnings[0]?.line).toBeGreaterThan(1);
    expect(config.name).toBe('Docs');
  });

  test('links that could run code are dropped', () => {
    const evil = [
      'javascript:alert(1)',
      ' JaVaScRiPt:alert(1)',
      'java\tscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
    ];
    for (const href of evil) {
      const { config, codes } = load({
        ...MINIMAL,
        logo: { light: '/a.svg', href },
        navbar: { links: [{ label: 'x', href }], primary: { label: 'x', href } },
        footer: { socials: { x: href }, links: [{ items: [{ label: 'x', href }] }] },
        redirects: [{ source: '/a', destination: href }],
      });
      expect(codes).toContain('unsafe-link');
      expect(JSON.stringify({ ...config, raw: null })).not.toMatch(/script:|data:/i);
    }
  });

  test('variables and meta tags inherit nothing', () => {
    const { config } = load(
      '{"navigation": {}, "name": "x", "variables": {"__proto__": {"a": "b"}, "x": "y"}}',
    );
    expect(config.variables.constructor).toBeUndefined();
    expect(config.variables.a).toBeUndefined();
    expect(config.seo.metatags.toString).toBeUndefined();
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  test('the first of two redirects from one path counts', () => {
    const redirects = [
      { source: '/a', destination: '/b' },
      { source: 'a/', destination: '/c' },
    ];
    const { config, warnings } = load({ ...MINIMAL, redirects });
    expect(config.redirects).toEqual([{ source: '/a', destination: '/b', permanent: true }]);
    expect(warnings).toMatchObject([{ code: 'redirect-duplicate' }]);
  });

  test('a navigation that is still a list is taken as groups', () => {
    const { config, codes } = load({ ...MINIMAL, navigation: [{ group: 'A', pages: ['a'] }] });
    expect(config.raw.navigation).toEqual({ groups: [{ group: 'A', pages: ['a'] }] });
    expect(codes).toEqual(['config-type']);
  });

  test('no JSON value of any key makes it throw anything but a SourceError', () => {
    const keys = [
      'theme',
      'name',
      'colors',
      'logo',
      'favicon',
      'appearance',
      'navbar',
      'footer',
      'banner',
      'styling',
    ];
    keys.push(
      'search',
      'redirects',
      'errors',
      'variables',
      'seo',
      'markdown',
      'api',
      'icons',
      'description',
      'x',
    );
    const members = [
      'primary',
      'light',
      'links',
      'socials',
      'items',
      'content',
      '404',
      'metatags',
      'openapi',
      'source',
    ];
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('any'), { maxLength: 3 }),
        tie('object'),
      ),
      object: fc.dictionary(
        fc.constantFrom(...members, '$ref', '__proto__', 'href', 'destination'),
        tie('any'),
        { maxKeys: 4 },
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), value), (docs) => {
        try {
          load({ ...docs, navigation: {} });
        } catch (fault) {
          expect(fault).toMatchObject({ name: 'SourceError' });
        }
      }),
      { numRuns: 500 },
    );
  });
});
