import { describe, expect, test } from 'vitest';
import { loadConfig } from '../config/config.ts';
import type { NavNode, SiteMap } from '../site.ts';
import { memorySource } from '../source.ts';
import type { Warning } from '../warning.ts';
import { expandRedirects } from './redirects.ts';
import { buildSiteMap, type SiteMapOptions } from './site-map.ts';

interface Built {
  map: SiteMap;
  warnings: Warning[];
  codes: string[];
}

function build(
  navigation: unknown,
  files: Record<string, string> | string[],
  options: SiteMapOptions = {},
): Built {
  const docs = JSON.stringify({ name: 'Docs', theme: 'mint', navigation }, null, 1);
  const contents = Array.isArray(files)
    ? Object.fromEntries(files.map((file) => [`${file}.mdx`, '']))
    : files;
  const source = memorySource({ 'docs.json': docs, ...contents });
  const warnings: Warning[] = [];
  const warn = (warning: Warning) => warnings.push(warning);
  const map = buildSiteMap(source, loadConfig(source, warn), options, warn);
  return { map, warnings, codes: warnings.map(({ code }) => code) };
}

/** The tree as text: `kind label` with children in brackets, defaults marked by `*`. */
function shape(node: NavNode): string {
  const own = node.page !== null ? `/${node.page.path}` : (node.href ?? '');
  const name = `${node.hidden ? '-' : ''}${node.kind}${node.isDefault ? '*' : ''}:${node.kind === 'page' ? own.slice(1) : `${node.label}${own}`}`;
  return node.children.length === 0 ? name : `${name}(${node.children.map(shape).join(' ')})`;
}

const paths = (map: SiteMap): string[] => map.pages.map(({ path }) => path);
const page = (map: SiteMap, path: string) => {
  const found = map.byPath.get(path);
  if (found === undefined) throw new Error(`no page ${path}`);
  return found;
};

describe('navigation', () => {
  test.each([
    ['collapsed', 'nested groups are collapsed'],
    ['includeTags', 'every operation of its API description'],
  ])('the warning of the ignored key "%s" gives its own reason', (key, reason) => {
    const { warnings } = build({ groups: [{ group: 'G', [key]: ['x'], pages: ['a'] }] }, ['a']);
    expect(warnings).toMatchObject([
      { code: 'config-ignored-key', message: expect.stringContaining(reason) },
    ]);
  });

  test.each([
    ['pages', { pages: ['a', 'b'] }, 'root:(page:a page:b)'],
    ['groups', { groups: [{ group: 'G', pages: ['a'] }] }, 'root:(group:G(page:a))'],
    [
      'nested groups',
      { groups: [{ group: 'G', pages: ['a', { group: 'H', pages: ['b'] }] }] },
      'root:(group:G(page:a group:H(page:b)))',
    ],
    ['a group without a name', { groups: [{ group: '', pages: ['a'] }] }, 'root:(group:(page:a))'],
    [
      'tabs',
      {
        tabs: [
          { tab: 'T', pages: ['a'] },
          { tab: 'L', href: 'https://example.com' },
        ],
      },
      'root:(tab*:T(page:a) tab:Lhttps://example.com)',
    ],
    [
      'a menu',
      {
        tabs: [
          {
            tab: 'T',
            menu: [
              { item: 'I', pages: ['a'] },
              { item: 'J', pages: ['b'] },
            ],
          },
        ],
      },
      'root:(tab*:T(item*:I(page:a) item:J(page:b)))',
    ],
    ['anchors', { anchors: [{ anchor: 'A', pages: ['a'] }] }, 'root:(anchor*:A(page:a))'],
    ['dropdowns', { dropdowns: [{ dropdown: 'D', pages: ['a'] }] }, 'root:(dropdown*:D(page:a))'],
    [
      'products',
      { products: [{ product: 'P', tabs: [{ tab: 'T', pages: ['a'] }] }] },
      'root:(product*:P(tab*:T(page:a)))',
    ],
    [
      'versions with a default',
      {
        versions: [
          { version: '1', pages: ['a'] },
          { version: '2', default: true, pages: ['b'] },
        ],
      },
      'root:(version:1(page:a) version*:2(page:b))',
    ],
    [
      'languages in anchors in tabs',
      { tabs: [{ tab: 'T', anchors: [{ anchor: 'A', languages: [{ language: 'pt-BR', pages: ['a'] }] }] }] },
      'root:(tab*:T(anchor*:A(language*:pt-BR(page:a))))',
    ],
    [
      'two kinds side by side, in key order',
      { anchors: [{ anchor: 'A', pages: ['a'] }], pages: ['b'], groups: [{ group: 'G', pages: ['c'] }] },
      'root:(anchor*:A(page:a) page:b group:G(page:c))',
    ],
    [
      'a group with a root page',
      { groups: [{ group: 'G', root: 'a', pages: ['b'] }] },
      'root:(group:G/a(page:b))',
    ],
    [
      'hidden nodes',
      {
        groups: [
          { group: 'G', hidden: true, pages: ['a'] },
          { group: 'H', pages: ['b'] },
        ],
      },
      'root:(-group:G(page:a) group:H(page:b))',
    ],
    [
      'links in pages',
      { pages: ['a', 'https://example.com/x', { title: 'L', href: '/y' }] },
      'root:(page:a link:https://example.com/xhttps://example.com/x link:L/y)',
    ],
    [
      'other kinds in pages',
      { pages: [{ tab: 'T', pages: ['a'] }, { page: 'b' }] },
      'root:(tab*:T(page:a) page:b)',
    ],
  ])('takes %s', (_name, navigation, expected) => {
    const { map, warnings } = build(navigation, ['a', 'b', 'c']);
    expect(shape(map.navigation)).toBe(expected);
    expect(warnings).toEqual([]);
  });

  test('entries may have slashes, extensions, spaces, another case, an index or escapes', () => {
    const entries = ['/A', 'b.mdx', ' c ', './d/', 'E/index', 'f%20g', 'h.md', '/e/i.mdx/'];
    const { map, warnings } = build({ pages: entries }, ['a', 'b', 'c', 'd', 'e/index', 'f g', 'h', 'e/i']);
    expect(warnings).toEqual([]);
    expect(shape(map.navigation)).toBe('root:(page:a page:b page:c page:d page:e page:f g page:h page:e/i)');
  });

  test('a missing page is skipped with a warning at its line, and empty groups go', () => {
    const { map, warnings } = build(
      {
        groups: [
          { group: 'G', pages: ['gone'] },
          { group: 'H', pages: ['a'] },
        ],
      },
      ['a'],
    );
    expect(shape(map.navigation)).toBe('root:(group:H(page:a))');
    expect(warnings).toMatchObject([
      { file: 'docs.json', line: 9, code: 'page-missing', message: expect.stringContaining('"gone"') },
    ]);
  });

  test('a page in two places has the trail of its first visible one', () => {
    const navigation = {
      tabs: [
        { tab: 'Old', hidden: true, pages: ['a'] },
        { tab: 'One', groups: [{ group: 'G', pages: ['a'] }] },
        { tab: 'Two', pages: ['a', 'b'] },
      ],
    };
    const { map } = build(navigation, ['a', 'b']);
    expect(page(map, 'a').trail.map(({ label, kind }) => `${kind} ${label}`)).toEqual([
      'root ',
      'tab One',
      'group G',
      'page A',
    ]);
    expect(page(map, 'a').noindex).toBe(false);
    expect(page(map, 'b').previous?.path).toBe('a');
    expect(page(map, 'a').next).toBeNull();
  });

  test('previous and next stay within the deepest switch and pass over hidden entries', () => {
    const navigation = {
      tabs: [
        {
          tab: 'T',
          groups: [{ group: 'G', root: 'r', pages: ['a', 'h', { group: 'N', pages: ['b'] }] }],
          anchors: [{ anchor: 'A', pages: ['x', 'y'] }],
        },
        { tab: 'U', pages: ['z'] },
      ],
    };
    const { map } = build(navigation, {
      'r.md': '',
      'a.md': '',
      'h.md': '---\nhidden: true\n---\n',
      'b.md': '',
      'x.md': '',
      'y.md': '',
      'z.md': '',
    });
    const steps = map.pages.map(
      ({ path, previous, next }) => `${previous?.path ?? ''}<${path}>${next?.path ?? ''}`,
    );
    expect(steps).toEqual(['r<a>b', 'a<b>', '<h>', '<r>a', '<x>y', 'x<y>', '<z>']);
  });

  test('pages below a hidden node are not for search engines, unless it is searchable', () => {
    const navigation = {
      tabs: [
        { tab: 'T', pages: ['a'] },
        { tab: 'H', hidden: true, pages: ['b'] },
        { tab: 'S', hidden: true, searchable: true, pages: ['c'] },
      ],
    };
    const { map } = build(navigation, ['a', 'b', 'c']);
    expect(map.pages.map(({ path, noindex }) => [path, noindex])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
    ]);
  });

  test('global links are kept outside the tree', () => {
    const { map } = build(
      { global: { anchors: [{ anchor: 'Blog', href: 'https://example.com', icon: 'pen' }] }, pages: ['a'] },
      ['a'],
    );
    expect(map.global.map(shape)).toEqual(['anchor:Bloghttps://example.com']);
    expect(shape(map.navigation)).toBe('root:(page:a)');
  });

  test('a language carries its own banner, footer and navbar', () => {
    const navigation = {
      languages: [
        {
          language: 'de',
          banner: 'Neu',
          footer: { socials: { x: 'https://x.com' } },
          navbar: { links: [{ label: 'L', href: '/l' }] },
          pages: ['a'],
        },
      ],
    };
    const node = build(navigation, ['a']).map.navigation.children[0];
    expect(node).toMatchObject({
      banner: { content: 'Neu' },
      footer: { socials: [{ platform: 'x' }] },
      navbar: { links: [{ label: 'L' }] },
    });
  });

  test('wrong types are warnings with their line', () => {
    const navigation = {
      tabs: 5,
      groups: [7, { group: 'G', pages: 'a' }, { grup: 'H', pages: ['a'] }],
      pages: [{ group: 'X', pages: [null, 3, []] }],
    };
    const { map, codes, warnings } = build(navigation, ['a']);
    expect(shape(map.navigation)).toBe('root:(group:(page:a))');
    expect(codes).toEqual([
      'navigation-type',
      'navigation-type',
      'navigation-type',
      'navigation-unknown-key',
      'navigation-type',
      'navigation-type',
    ]);
    expect(warnings.every(({ line }) => line !== null)).toBe(true);
  });

  test('a key of docs.json in the navigation is reported with its place', () => {
    const { warnings } = build({ interaction: { drilldown: true }, pages: ['a'] }, ['a']);
    expect(warnings).toMatchObject([
      { code: 'navigation-unknown-key', message: expect.stringContaining('move it out of "navigation"') },
    ]);
  });

  test('an entry without pages and without a link is reported with its line; one whose page is missing once', () => {
    const navigation = {
      tabs: [
        { tab: 'A', pages: ['a'] },
        { tab: 'B', href: 'https://example.com' },
        { tab: 'C', groups: [{ group: 'D' }, { group: 'E', pages: [] }, { group: 'F', pages: ['none'] }] },
      ],
    };
    const { warnings } = build(navigation, ['a']);
    expect(warnings.map(({ code, message }) => [code, message.split(' has ')[0]])).toEqual([
      ['navigation-empty', 'The group "D"'],
      ['navigation-empty', 'The group "E"'],
      ['page-missing', expect.stringContaining('"none"')],
    ]);
    expect(warnings.every(({ line }) => line !== null)).toBe(true);
  });

  test('entries nested too deep are reported as such, not as an entry without pages', () => {
    let group: unknown = 'a';
    for (let level = 0; level < 200; level++) group = { group: `G${level}`, pages: [group] };
    expect([...new Set(build({ pages: ['a', group] }, ['a']).codes)]).toEqual(['nested-too-deep']);
    let anchor: unknown = { anchor: 'A', pages: ['a'] };
    for (let level = 0; level < 200; level++) anchor = { anchor: `G${level}`, anchors: [anchor] };
    expect([...new Set(build({ anchors: [anchor] }, ['a']).codes)]).toEqual(['nested-too-deep']);
  });

  test('links that could run code are dropped', () => {
    const { map, codes } = build(
      { tabs: [{ tab: 'T', href: 'javascript:alert(1)' }], pages: ['javascript:alert(2)', 'a'] },
      ['a'],
    );
    expect(shape(map.navigation)).toBe('root:(page:a)');
    expect(codes).toEqual(['unsafe-link', 'unsafe-link']);
  });
});

describe('pages', () => {
  test('are all .md and .mdx files, listed or not, each at its path', () => {
    const { map } = build(
      { pages: ['a'] },
      { 'a.mdx': '', 'b/c.md': '', 'b/index.mdx': '', 'index.mdx': '', 'x.png': '', 'd.txt': '' },
    );
    expect(map.pages.map(({ path, output, source }) => [path, output, source])).toEqual([
      ['a', 'a.html', 'a.mdx'],
      ['b', 'b.html', 'b/index.mdx'],
      ['b/c', 'b/c.html', 'b/c.md'],
      ['index', 'index.html', 'index.mdx'],
    ]);
    expect(map.assets).toEqual(['d.txt', 'x.png']);
    expect(map.home.path).toBe('index');
    expect(page(map, 'b').trail).toEqual([]);
  });

  test('snippets, README and ignored files are none, unless the navigation lists them', () => {
    const files = {
      'a.mdx':
        'import Part from "/parts/part.mdx"\nimport {\n  Demo\n} from "./demo.jsx"\n\n```mdx\nimport X from "/b.mdx"\n```\n',
      'b.mdx': '',
      'parts/part.mdx': 'import Deep from "./deep"',
      'parts/deep.mdx': '',
      'demo.jsx': '',
      'other.jsx': '',
      'snippets/s.mdx': '',
      'snippets/s.jsx': '',
      'snippets/s.png': '',
      '_snippets/t.md': '',
      'README.md': '',
      'guides/readme.md': '',
      'CONTRIBUTING.md': '',
      'temp/x.mdx': '',
      'build/listed.mdx': '',
      'build/file.js': '',
      'guides/build/y.mdx': '',
      'node_modules/z.md': '',
      '.github/w.md': '',
      '.env': 'SECRET=1',
      '.well-known/security.txt': '',
      '.mintlify/skills/a/SKILL.md': '',
      '.mintlify/workflows/w.md': '',
    };
    const { map, warnings } = build({ pages: ['a', 'build/listed', 'CONTRIBUTING'] }, files);
    expect(paths(map)).toEqual(['CONTRIBUTING', 'a', 'b', 'build/listed', 'guides/build/y']);
    expect(map.snippets).toEqual([
      '_snippets/t.md',
      'demo.jsx',
      'parts/deep.mdx',
      'parts/part.mdx',
      'snippets/s.jsx',
      'snippets/s.mdx',
    ]);
    expect(map.assets).toEqual([
      '.mintlify/skills/a/SKILL.md',
      '.well-known/security.txt',
      'other.jsx',
      'snippets/s.png',
    ]);
    expect(warnings).toEqual([]);
  });

  test('.mintignore has gitignore syntax, also for assets, and can take a default back', () => {
    const files = {
      '.mintignore': '# note\ndrafts/\n*.draft.mdx\n!keep.draft.mdx\n/only.md\n!temp\n**/internal/**\n',
      'a.mdx': '',
      'drafts/x.mdx': '',
      'y.draft.mdx': '',
      'keep.draft.mdx': '',
      'only.md': '',
      'sub/only.md': '',
      'temp/t.mdx': '',
      'p/internal/q.png': '',
    };
    const { map } = build({ pages: ['a'] }, files);
    expect(paths(map)).toEqual(['a', 'keep.draft', 'sub/only', 'temp/t']);
    expect(map.assets).toEqual([]);
  });

  test('front matter gives the fields of a page', () => {
    const front =
      '---\ntitle: T\nsidebarTitle: S\ndescription: D\nicon: star\niconType: solid\ntag: NEW\nmode: wide\nnoindex: "true"\ndeprecated: true\nopenapi: /spec.json get /x\n---\nBody';
    const { map } = build({ pages: ['a'] }, { 'a.mdx': front });
    expect(page(map, 'a')).toMatchObject({
      title: 'T',
      sidebarTitle: 'S',
      description: 'D',
      icon: { name: 'star', style: 'solid', library: null },
      tag: 'NEW',
      mode: 'wide',
      hidden: false,
      noindex: true,
      deprecated: true,
      operation: { method: 'GET', path: '/x', spec: 'spec.json' },
      bodyLine: 12,
    });
    expect(page(map, 'a').readBody()).toBe('Body');
    expect(map.navigation.children[0]).toMatchObject({ label: 'S', tag: 'NEW' });
  });

  test('a title is that of the front matter, else the first heading outside of code, else the path', () => {
    const files = {
      'a.mdx': '---\ntitle: 2024\n---\n# H',
      'b.mdx': '```sh\n# comment\n```\n\n# Real `one` {#id}\n',
      'c/some-page_name.mdx': 'text',
      'd.mdx': '---\ntitle: "true"\n---\n',
      'e.mdx': '# Escaped \\{#id\\}\n',
      'f.mdx': '# Comment {/* #id */} #\n',
      'index.mdx': '---\ntitle: ""\n---\n',
    };
    const { map } = build({ pages: [] }, files);
    expect(map.pages.map(({ title }) => title)).toEqual([
      '2024',
      'Real `one`',
      'Some page name',
      'true',
      'Escaped',
      'Comment',
      'Index',
    ]);
  });

  test('invalid front matter costs the front matter only', () => {
    const { map, warnings } = build({ pages: ['a'] }, { 'a.mdx': '---\ntitle: "x\n---\n# Still here' });
    expect(page(map, 'a')).toMatchObject({ title: 'Still here', frontMatter: {} });
    expect(warnings).toMatchObject([{ file: 'a.mdx', line: 2, code: 'front-matter' }]);
  });

  test('a page with url is a link in the navigation, leads there from its path, and is not a page', () => {
    const { map } = build(
      { pages: ['a', 'b', 'evil'] },
      {
        'a.mdx': '',
        'b.mdx': '---\ntitle: Away\nurl: https://example.com\n---\n',
        'evil.mdx': '---\nurl: javascript:x\n---\n',
      },
    );
    expect(paths(map)).toEqual(['a', 'evil']);
    expect(shape(map.navigation)).toBe('root:(page:a link:Awayhttps://example.com page:evil)');
    expect(map.linkPages).toEqual([{ source: '/b', destination: 'https://example.com', permanent: false }]);
    expect(expandRedirects([], map, () => {}).exact).toEqual(map.linkPages);
  });

  test('restricted pages are left out unless the export names one of their groups', () => {
    const files = {
      'a.mdx': '',
      'admin.mdx': '---\ngroups: ["admin", "ops"]\n---\n',
      'one.mdx': '---\ngroups: pro\n---\n',
      'rule.mdx': '---\ngroups:\n  - includes: [pro]\n    excludes: [trial]\n---\n',
      'odd.mdx': '---\ngroups: 5\n---\n',
      'broken.mdx': '---\ngroups: ["admin"]\ntitle: "x\n---\n',
      'open.mdx': '---\ngroups: []\n---\n',
    };
    const navigation = { pages: ['a', 'admin', 'one'] };
    expect(paths(build(navigation, files).map)).toEqual(['a', 'open']);
    expect(paths(build(navigation, files, { groups: ['pro'] }).map)).toEqual(['a', 'one', 'open', 'rule']);
    expect(paths(build(navigation, files, { groups: ['pro', 'trial', 'ops'] }).map)).toEqual([
      'a',
      'admin',
      'one',
      'open',
    ]);
    expect(build(navigation, files).codes.filter((code) => code === 'page-restricted')).toHaveLength(5);
  });

  test('two files of one page: the first wins, also where only case or Unicode form differ', () => {
    const files = {
      'a.md': '',
      'a.mdx': '',
      'B.mdx': '',
      'b.mdx': '',
      'x.mdx': '',
      'x/index.mdx': '',
      'caf\u00e9.mdx': '',
      'cafe\u0301.mdx': '',
    };
    const { map, warnings } = build({ pages: ['a'] }, files);
    expect(map.pages.map(({ source }) => source)).toEqual(['B.mdx', 'a.md', 'cafe\u0301.mdx', 'x.mdx']);
    expect(warnings.map(({ file, code }) => `${file} ${code}`)).toEqual([
      'a.mdx page-collision',
      'b.mdx page-collision',
      'caf\u00e9.mdx page-collision',
      'x/index.mdx page-collision',
    ]);
    expect(warnings[0]?.message).toContain('a.md');
  });

  test('of two files of one page, the .mdx file wins, unless it is empty', () => {
    const files = { 'a.md': 'Old', 'a.mdx': 'New', 'b.md': 'Old', 'b.mdx': '---\ntitle: B\n---\n \n' };
    const { map, warnings } = build({ pages: ['a', 'b'] }, files);
    expect(map.pages.map(({ source }) => source)).toEqual(['a.mdx', 'b.md']);
    expect(warnings.map(({ file, code }) => `${file} ${code}`)).toEqual([
      'b.mdx page-collision',
      'a.md page-collision',
    ]);
  });

  test('a file that a page or another file would overwrite is left out', () => {
    const { map, codes } = build(
      { pages: ['a'] },
      { 'a.mdx': '', 'A.html': '', 'Logo.png': '', 'logo.png': '' },
    );
    expect(map.assets).toEqual(['Logo.png']);
    expect(codes).toEqual(['file-collision', 'file-collision']);
  });

  test('names that are not safe file names are left out', () => {
    const long = 'n'.repeat(251);
    const names = [
      'a\nb.mdx',
      'a\\b.mdx',
      'a\u0000.png',
      '../up.mdx',
      'x//y.mdx',
      `${long}.mdx`,
      `${'é'.repeat(126)}.mdx`,
    ];
    const { map, codes } = build(
      { pages: ['ok'] },
      {
        'ok.mdx': '',
        [`${'n'.repeat(250)}.mdx`]: '',
        ...Object.fromEntries(names.map((name) => [name, ''])),
      },
    );
    expect(paths(map)).toEqual(['n'.repeat(250), 'ok']);
    expect(codes).toEqual(names.map(() => 'unsafe-path'));
  });

  test('home is the index page, else the first visible page of the default switch, else any page', () => {
    const versions = [
      { version: '1', pages: ['a'] },
      {
        version: '2',
        default: true,
        groups: [
          { group: 'H', hidden: true, pages: ['b'] },
          { group: 'G', pages: ['c'] },
        ],
      },
    ];
    expect(build({ versions }, ['a', 'b', 'c']).map.home.path).toBe('c');
    expect(build({ versions }, ['a', 'b', 'c', 'index']).map.home.path).toBe('index');
    expect(build({}, ['z', 'y']).map.home.path).toBe('y');
    expect(() => build({}, {})).toThrow(expect.objectContaining({ code: 'no-pages' }));
  });

  test('unlisted pages can be left out, the index page stays', () => {
    const { map } = build({ pages: ['a'] }, ['a', 'b', 'index'], { includeUnlisted: false });
    expect(paths(map)).toEqual(['a', 'index']);
  });

  test('paths keep these pages only and name the one that is none', () => {
    const navigation = {
      groups: [
        { group: 'G', pages: ['a', 'b', 'c'] },
        { group: 'H', pages: ['d'] },
      ],
    };
    const { map } = build(navigation, ['a', 'b', 'c', 'd', 'e'], { paths: ['/a', 'c.mdx', 'E.html'] });
    expect(paths(map)).toEqual(['a', 'c', 'e']);
    expect(shape(map.navigation)).toBe('root:(group:G(page:a page:c))');
    expect(page(map, 'a').next?.path).toBe('c');
    expect(() => build(navigation, ['a'], { paths: ['nope'] })).toThrow(
      expect.objectContaining({ code: 'unknown-page', message: expect.stringContaining('"nope"') }),
    );
  });
});
