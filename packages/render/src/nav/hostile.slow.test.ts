import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuTime, growth, LINEAR } from '../../test/cpu-time.ts';
import { loadConfig } from '../config/config.ts';
import { firstPage, type NavNode, type SiteMap } from '../site.ts';
import { memorySource } from '../source.ts';
import type { Warning } from '../warning.ts';
import { readIgnoreRules } from './ignore.ts';
import { isSafePath } from './path.ts';
import { expandRedirects } from './redirects.ts';
import { buildSiteMap } from './site-map.ts';

function build(files: Record<string, string>): { map: SiteMap; warnings: Warning[] } {
  const source = memorySource(files);
  const warnings: Warning[] = [];
  const warn = (warning: Warning) => warnings.push(warning);
  const config = loadConfig(source, warn);
  const map = buildSiteMap(source, config, {}, warn);
  expandRedirects(config.redirects, map, warn);
  return { map, warnings };
}

function allNodes(map: SiteMap): NavNode[] {
  const found: NavNode[] = [];
  const open = [map.navigation, ...map.global];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node);
    open.push(...node.children);
  }
  return found;
}

/** What holds for every site map, whatever it was made from. */
function checkMap(map: SiteMap): void {
  expect(map.pages.length).toBe(map.byPath.size);
  expect(map.pages).toContain(map.home);
  const outputs = new Set(map.pages.map(({ output }) => output.normalize('NFC').toLowerCase()));
  expect(outputs.size).toBe(map.pages.length);
  const known = new Set(map.pages);
  for (const page of map.pages) {
    expect(isSafePath(page.output)).toBe(true);
    if (page.trail.length > 0) {
      expect(page.trail.at(-1)?.page).toBe(page);
      expect([map.navigation, ...map.global]).toContain(page.trail[0]);
    }
    if (page.next !== null) expect(known.has(page.next)).toBe(true);
  }
  for (const node of allNodes(map)) {
    if (node.page !== null) expect(known.has(node.page)).toBe(true);
    expect(node.children.filter((child) => child.isDefault).length).toBeLessThanOrEqual(1);
  }
}

const FILES = {
  'index.mdx': '---\ntitle: Home\n---\n',
  'a.mdx': '# A',
  'b/index.md': '',
  'hidden.mdx': '---\nhidden: true\n---\n',
  'spec.json': JSON.stringify({ openapi: '3.1.0', paths: { '/x': { get: { summary: 'X' } } } }),
  'part.json': '{"pages": ["a"], "$ref": "other.json"}',
  'other.json': '[1, {"group": "G", "pages": ["b"]}]',
};

describe('hostile configuration', () => {
  test('no JSON in docs.json makes it throw anything but a SourceError', () => {
    const key = fc.constantFrom(
      ...[
        'navigation',
        'pages',
        'groups',
        'tabs',
        'anchors',
        'menu',
        'versions',
        'languages',
        'dropdowns',
        'products',
      ],
      ...[
        'group',
        'tab',
        'anchor',
        'item',
        'version',
        'language',
        'page',
        'root',
        'href',
        'hidden',
        'default',
        'icon',
      ],
      ...[
        'openapi',
        'asyncapi',
        'source',
        'directory',
        'global',
        'banner',
        'footer',
        'navbar',
        '$ref',
        '__proto__',
      ],
      ...[
        'constructor',
        'redirects',
        'destination',
        'colors',
        'name',
        'searchable',
        'expanded',
        'tag',
        'length',
      ],
    );
    const leaf = fc.oneof(
      fc.constantFrom<unknown>(
        'a',
        '/b',
        'index',
        'hidden',
        'gone',
        'GET /x',
        'spec.json get /x',
        'spec.json',
        '../x',
      ),
      fc.constantFrom<unknown>(
        'part.json',
        './other.json',
        'https://example.com',
        'javascript:x',
        '/a/:b*',
        '',
        ' ',
        true,
      ),
      fc.constantFrom<unknown>(null, 0, -1, [], {}, '\u0000', '../../etc/passwd', '%', '%00', '/'.repeat(50)),
    );
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 7, depthSize: 'large' }, leaf, tie('list'), tie('object')),
      list: fc.array(tie('any'), { maxLength: 4 }),
      object: fc.dictionary(key, tie('any'), { maxKeys: 5 }),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, any, { maxKeys: 5 }), any, fc.boolean(), (docs, navigation, isMint) => {
        const text = JSON.stringify({ ...docs, navigation });
        try {
          const { map } = build({ ...FILES, [isMint ? 'mint.json' : 'docs.json']: text });
          checkMap(map);
        } catch (fault) {
          expect(fault).toMatchObject({ name: 'SourceError' });
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  test('no bytes in docs.json, a page, .mintignore or a description make it throw anything but a SourceError', () => {
    const docs = JSON.stringify({
      name: 'D',
      navigation: { groups: [{ group: 'G', openapi: 'spec.yaml' }], pages: ['a'] },
    });
    const unit = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\n',
      '---\n',
      'a',
      '*',
      '!',
      '/',
      '\\',
      '&a',
      '*a',
      '#',
      '- ',
      'openapi: 3.0.0\n',
      'paths:',
      ' ',
      '\u0000',
      '\ud800',
    );
    fc.assert(
      fc.property(
        fc.constantFrom('docs.json', 'a.mdx', '.mintignore', 'spec.yaml'),
        fc.array(unit, { maxLength: 40 }),
        (file, parts) => {
          try {
            checkMap(build({ ...FILES, 'docs.json': docs, [file]: parts.join('') }).map);
          } catch (fault) {
            expect(fault).toMatchObject({ name: 'SourceError' });
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('no file name makes it throw or leave the site', () => {
    const segment = fc.string({
      unit: fc.constantFrom(
        'a',
        'B',
        '.',
        ' ',
        '\\',
        '\u0000',
        '%',
        '?',
        '#',
        'é',
        'e\u0301',
        '\ud83d',
        'CON',
        'index',
        '\n',
      ),
      minLength: 0,
      maxLength: 6,
    });
    const name = fc
      .tuple(
        fc.array(segment, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('.mdx', '.md', '.png', '.html', ''),
      )
      .map(([parts, ending]) => parts.join('/') + ending);
    fc.assert(
      fc.property(fc.array(name, { maxLength: 8 }), (names) => {
        const files = Object.fromEntries(names.map((file) => [file, '']));
        const { map } = build({ 'index.mdx': '', ...files, 'docs.json': '{"name": "D", "navigation": {}}' });
        checkMap(map);
        for (const asset of map.assets) expect(isSafePath(asset)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('a navigation a thousand deep is cut with a warning', () => {
    let navigation: unknown = { group: 'deep', pages: ['a'] };
    for (let level = 0; level < 1000; level++) navigation = { group: `G${level}`, pages: ['a', navigation] };
    const { map, warnings } = build({
      ...FILES,
      'docs.json': JSON.stringify({ name: 'D', navigation: { groups: [navigation] } }),
    });
    checkMap(map);
    expect(warnings.map(({ code }) => code)).toContain('nested-too-deep');
    expect(firstPage(map.navigation)?.path).toBe('a');
  });

  test('nested switches without pages do not double the search for the first page at each level', () => {
    let node: unknown = { tab: 'T', href: '/x' };
    for (let level = 0; level < 60; level++) node = { tab: `T${level}`, tabs: [node] };
    const { map } = build({
      ...FILES,
      'index.mdx': '',
      'docs.json': JSON.stringify({ name: 'D', navigation: { tabs: [node] } }),
    });
    // the number of ways doubles sixty times
    expect(cpuTime(() => expect(firstPage(map.navigation)).toBeNull())).toBeLessThan(60_000);
  });

  test('rules with many stars are ignored with a warning, and the dearest that are left cost little', () => {
    const warnings: Warning[] = [];
    const text = `${'*a'.repeat(20)}\n*a*a*a*b\n**/**/**/x\n**/a/**/b\n*a*a*b\n${'x'.repeat(600)}\nfine/\n`;
    const rules = readIgnoreRules(memorySource({ '.mintignore': text }), (warning) => warnings.push(warning));
    expect(warnings.map(({ code, line }) => [code, line])).toEqual(
      [1, 2, 3, 6].map((line) => ['ignore-rule', line]),
    );
    // some milliseconds; the rules that were left out take hours
    expect(cpuTime(() => rules.ignored(`x/${'a'.repeat(250)}`))).toBeLessThan(20_000);
    expect(cpuTime(() => rules.ignored(`${'a/'.repeat(99)}c`))).toBeLessThan(20_000);
    expect(rules.ignored('fine/x.mdx')).toBe(true);
  });
});

describe('size', () => {
  test('ten thousand pages of eight kilobytes take time in line with their number', () => {
    const body = `# Title\n\n${'Some words of a paragraph, and `code`.\n\n```js\nimport x from "y";\n```\n\n'.repeat(100)}`;
    const sourceOf = (length: number) => {
      const files: Record<string, string> = {};
      const groups = Array.from({ length }, (_, group) => ({
        group: `G${group}`,
        pages: Array.from({ length: 100 }, (_, page) => {
          const path = `section-${group}/page-${page}`;
          files[`${path}.mdx`] = `---\ntitle: "Page ${page}"\ndescription: What it is about\n---\n\n${body}`;
          return path;
        }),
      }));
      files['docs.json'] = JSON.stringify({ name: 'D', navigation: { groups } }, null, 2);
      return memorySource(files);
    };
    const sources = new Map([13, 104].map((length) => [length, sourceOf(length)]));
    const load = (length: number) => {
      const source = sources.get(length)!;
      const config = loadConfig(source, () => {});
      return buildSiteMap(source, config, {}, () => {});
    };
    expect(growth(load, 13)).toBeLessThan(LINEAR);
    const map = load(104);
    expect(map.pages).toHaveLength(10_400);
    expect(map.pages.every(({ trail }) => trail.length === 3)).toBe(true);
  });

  test('fifty thousand entries, missing ones too, take time in line with their number', () => {
    const load = (length: number) => {
      const pages = Array.from({ length }, (_, index) => (index % 2 === 0 ? `gone/${index}` : 'a'));
      return build({ ...FILES, 'docs.json': JSON.stringify({ name: 'D', navigation: { pages } }, null, 1) });
    };
    expect(growth(load, 6_250)).toBeLessThan(LINEAR);
    const { map, warnings } = load(50_000);
    expect(warnings.filter(({ code }) => code === 'page-missing')).toHaveLength(25_000);
    expect(warnings[1]?.line).toBe(7);
    expect(map.byPath.get('a')?.next).toBeNull();
  });

  test('more entries than anyone can read are cut with one warning', () => {
    const pages = Array.from({ length: 250_000 }, () => 'a');
    const { warnings } = build({
      ...FILES,
      'docs.json': JSON.stringify({ name: 'D', navigation: { pages } }),
    });
    expect(warnings.map(({ code }) => code)).toEqual(['navigation-too-large']);
  });

  test('patterns of redirects that multiply each other stay within the limits of an export', () => {
    const redirects = Array.from({ length: 200 }, (_, index) => ({
      source: `/p${index}/:x*`,
      destination: '/:x*',
    }));
    const docs = {
      name: 'D',
      navigation: { pages: ['a'] },
      redirects: [...redirects, { source: '/b', destination: '/a' }],
    };
    const source = memorySource({ ...FILES, 'docs.json': JSON.stringify(docs) });
    const config = loadConfig(source, () => {});
    const siteMap = buildSiteMap(source, config, {}, () => {});
    const { exact } = expandRedirects(config.redirects, siteMap, () => {});
    expect(exact.length).toBeGreaterThan(200);
    expect(exact.length).toBeLessThanOrEqual(100_000);
  });
});
