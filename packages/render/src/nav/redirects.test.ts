import { describe, expect, test } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { memorySource } from '../source.ts';
import type { Warning } from '../warning.ts';
import { isPattern, matchPattern, parsePattern } from './path-pattern.ts';
import { expandRedirects } from './redirects.ts';
import { buildSiteMap } from './site-map.ts';

function expand(
  redirects: unknown[],
  pages: string[] = ['index', 'a', 'b', 'v2/start', 'v2/deep/page', 'new/article-1'],
  texts: Record<string, string> = {},
) {
  const docs = JSON.stringify({ name: 'D', navigation: {}, redirects }, null, 1);
  const files = Object.fromEntries(pages.map((page) => [`${page}.mdx`, texts[page] ?? '']));
  const source = memorySource({ 'docs.json': docs, 'file.pdf': '', ...files });
  const config = loadConfig(source, () => {});
  const warnings: Warning[] = [];
  const expanded = expandRedirects(
    config.redirects,
    buildSiteMap(source, config, {}, () => {}),
    (warning) => warnings.push(warning),
  );
  return {
    ...expanded,
    list: expanded.exact.map((entry) => `${entry.source} ${entry.destination}`),
    warnings,
    codes: warnings.map(({ code }) => code),
  };
}

describe('redirects', () => {
  test('exact ones stay as they are, sorted by source', () => {
    const { list, patterns, warnings, exact } = expand([
      { source: '/z', destination: '/a#part', permanent: false },
      { source: '/old/', destination: 'https://example.com/x?y' },
      { source: '/y', destination: '/file.pdf' },
    ]);
    expect(list).toEqual(['/old https://example.com/x?y', '/y /file.pdf', '/z /a#part']);
    expect(exact[2]?.permanent).toBe(false);
    expect([...patterns, ...warnings]).toEqual([]);
  });

  test.each([
    '//evil.example',
    '//evil.example/:rest*',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/a\nb',
    'ht\ttps://evil.example',
    '/a\u007f',
    'https:evil.example',
    'https:///evil.example',
    'https://:host/a',
    'https://new.example*',
    'https://',
    '/../x',
    '/a/%2e%2E/x',
    '/a/./:rest*',
  ])('a destination that hosts would read in different ways is left out: %j', (destination) => {
    const { list, patterns, warnings } = expand([
      { source: '/z', destination: '/a' },
      { source: '/old/:rest*', destination },
      { source: '/old', destination },
    ]);
    expect([list, patterns]).toEqual([['/z /a'], []]);
    expect(warnings).toMatchObject([
      { file: 'docs.json', line: 10, code: 'redirect-invalid' },
      { file: 'docs.json', line: 14, code: 'redirect-invalid' },
    ]);
  });

  test.each([
    ['a', '/a'],
    ['./a', '/a'],
    ['/v2//start', '/v2//start'],
    ['nowhere?x#y', '/nowhere?x#y'],
    ['https://new.example:8080/a b?//', 'https://new.example:8080/a%20b?//'],
    ['mailto:docs@example.com', 'mailto:docs@example.com'],
    ['#part', '#part'],
  ])('a destination %j leads to %j on every host', (destination, address) => {
    expect(expand([{ source: '/old', destination }]).list).toEqual([`/old ${address}`]);
  });

  test('a destination is the address of the page that it means, however it is written', () => {
    const pages = ['index', 'agent/index', 'Deep/Page'];
    const { list } = expand(
      [
        { source: '/1', destination: '/agent/index' },
        { source: '/2', destination: 'agent/index.mdx?x#y' },
        { source: '/3', destination: '/agent/' },
        { source: '/4', destination: '/index#top' },
        { source: '/5', destination: '/deep/page' },
        { source: '/6', destination: '/1' },
        { source: '/7', destination: '/file.pdf' },
        { source: '/8', destination: 'https://example.com/agent/index' },
        { source: '/9', destination: '/agent.md' },
      ],
      pages,
    );
    expect(list).toEqual([
      '/1 /agent',
      '/2 /agent?x#y',
      '/3 /agent',
      '/4 /#top',
      '/5 /Deep/Page',
      '/6 /1',
      '/7 /file.pdf',
      '/8 https://example.com/agent/index',
      '/9 /agent.md',
    ]);
  });

  test('a folder without a page of its own means its first page of the navigation', () => {
    const docs = {
      name: 'D',
      navigation: { pages: ['cli/start', 'cli/next'] },
      redirects: [{ source: '/tool', destination: '/cli#x' }],
    };
    const source = memorySource({
      'docs.json': JSON.stringify(docs),
      'cli/start.mdx': '',
      'cli/next.mdx': '',
    });
    const warnings: Warning[] = [];
    const config = loadConfig(source, () => {});
    const siteMap = buildSiteMap(source, config, {}, () => {});
    const { exact } = expandRedirects(config.redirects, siteMap, (warning) => warnings.push(warning));
    expect(exact.map(({ destination }) => destination)).toEqual(['/cli/start#x']);
    expect(warnings).toEqual([]);
  });

  test('one that changes the spelling of a page only is kept for hosts, without a warning', () => {
    const { list, warnings } = expand(
      [{ source: '/models/xai', destination: '/models/xAI' }],
      ['models/xAI'],
    );
    expect(list).toEqual(['/models/xai /models/xAI']);
    expect(warnings).toEqual([]);
  });

  test('patterns give one redirect for each known page that the destination can mean', () => {
    expect(expand([{ source: '/beta/:slug*', destination: '/v2/:slug*' }]).list).toEqual([
      '/beta/deep/page /v2/deep/page',
      '/beta/start /v2/start',
    ]);
    expect(expand([{ source: '/x/:id/y', destination: '/v2/:id#top' }]).list).toEqual([
      '/x/start/y /v2/start#top',
    ]);
    expect(expand([{ source: '/old/article-*', destination: '/new/article-*' }]).list).toEqual([
      '/old/article-1 /new/article-1',
    ]);
    expect(expand([{ source: '/old/*', destination: '/v2/*' }]).list).toEqual([
      '/old/deep/page /v2/deep/page',
      '/old/start /v2/start',
    ]);
  });

  test('a pattern whose sources cannot be known stays a rule for hosts', () => {
    for (const destination of ['/a', 'https://example.com/:slug*']) {
      const { list, patterns } = expand([{ source: '/gone/:slug*', destination }]);
      expect(list).toEqual([]);
      expect(patterns).toHaveLength(1);
    }
  });

  test('an exact one wins over a pattern', () => {
    const redirects = [
      { source: '/beta/:slug*', destination: '/v2/:slug*' },
      { source: '/beta/start', destination: '/a' },
    ];
    expect(expand(redirects).list).toEqual(['/beta/deep/page /v2/deep/page', '/beta/start /a']);
  });

  test('none takes the place of a page or file, in any case', () => {
    const { list, codes, warnings } = expand([
      { source: '/a', destination: '/b' },
      { source: '/A', destination: '/b' },
      { source: '/v2/start.mdx', destination: '/b' },
      { source: '/file.pdf', destination: '/b' },
      { source: '/', destination: '/b' },
      { source: '/:slug*', destination: '/:slug*' },
    ]);
    expect(list).toEqual([]);
    expect(codes).toEqual([...Array(5).fill('redirect-over-page'), 'redirect-loop']);
    expect(warnings[0]).toMatchObject({ file: 'docs.json', line: 6 });
  });

  test('the root can lead to a page when there is no index', () => {
    expect(expand([{ source: '/', destination: '/a' }], ['a']).list).toEqual(['/ /a']);
  });

  test('circles are dropped, what leads into them stays', () => {
    const { list, codes } = expand([
      { source: '/x', destination: '/y' },
      { source: '/y', destination: '/z?q' },
      { source: '/z', destination: '/x/' },
      { source: '/self', destination: '/self#a' },
      { source: '/in', destination: '/fine' },
      { source: '/fine', destination: '/a' },
    ]);
    expect(list).toEqual(['/fine /a', '/in /fine']);
    expect(codes).toEqual(Array(4).fill('redirect-loop'));
  });

  test('below /docs, where a host serves the site, lead to its pages from both URLs', () => {
    const { list, codes } = expand([
      { source: '/docs/old', destination: '/docs/a#part' },
      { source: '/docs/b', destination: '/docs/a' },
      { source: '/docs/a', destination: '/a' },
      { source: '/docs/x', destination: '/y' },
    ]);
    expect(list).toEqual(['/docs/a /a', '/docs/b /a', '/docs/old /a#part', '/docs/x /y', '/old /a#part']);
    expect(codes).toEqual(['redirect-target']);
    const own = expand([{ source: '/docs/old', destination: '/docs/new' }], ['docs/new']);
    expect(own.list).toEqual(['/docs/old /docs/new']);
  });

  test('a target that is not a page is a warning, and so is a source that is not a file name', () => {
    expect(expand([{ source: '/x', destination: '/nope' }]).codes).toEqual(['redirect-target']);
    expect(expand([{ source: '/x', destination: '/a/rss.xml' }]).codes).toEqual(['redirect-target']);
    expect(expand([{ source: '/x/../y', destination: '/a' }]).codes).toEqual(['redirect-invalid']);
    expect(expand([{ source: `/${'x'.repeat(300)}`, destination: '/a' }]).codes).toEqual([
      'redirect-invalid',
    ]);
  });

  test('files that the export makes are targets: the feed of a page with updates, llms.txt', () => {
    const redirects = ['/a/rss.xml', '/llms.txt', '/rss.xml'].map((destination, at) => ({
      source: `/old-${at}`,
      destination,
    }));
    const update = '<Update label="1.0">Text</Update>';
    expect(expand(redirects, ['index', 'a'], { index: update, a: update }).codes).toEqual([]);
  });

  test('a pattern is expanded over redirects, too, over those of other patterns, and never over its own', () => {
    const { list, codes } = expand(
      [
        { source: '/docs/:slug*', destination: '/:slug*' },
        { source: '/a/intro', destination: '/b' },
        { source: '/gone', destination: 'https://example.com/new' },
        { source: '/help/:slug*', destination: '/docs/:slug*#top' },
      ],
      ['b', 'index'],
    );
    expect(list).toEqual([
      '/a/intro /b',
      '/docs/a/intro /a/intro',
      '/docs/b /b',
      '/docs/gone /gone',
      '/docs/index /index',
      '/gone https://example.com/new',
      '/help/a/intro /docs/a/intro#top',
      '/help/b /docs/b#top',
      '/help/gone /docs/gone#top',
      '/help/index /docs/index#top',
    ]);
    expect(codes).toEqual([]);
  });

  test('from a page and from its index file are two rules if both are written, and one for both if one is', () => {
    const redirects = [
      { source: '/x/index', destination: '/a' },
      { source: '/y', destination: '/a' },
      { source: '/y/index', destination: '/b' },
      { source: '/z/index', destination: '/b' },
      { source: '/z', destination: '/a' },
    ];
    const { list, codes } = expand(redirects, ['a', 'b']);
    expect(list).toEqual(['/x /a', '/x/index /a', '/y /a', '/y/index /b', '/z /a', '/z/index /b']);
    expect(codes).toEqual([]);
  });

  test('from the index file to its page is a file where the page exists, and a circle where it does not', () => {
    const { list, codes } = expand([
      { source: '/a/index', destination: '/a' },
      { source: '/gone/index', destination: '/gone' },
    ]);
    expect(list).toEqual(['/a/index /a']);
    expect(codes).toEqual(['redirect-loop']);
  });

  test('that are patterns and send every path in a circle are not written for hosts, but lead to the pages', () => {
    const { list, patterns, codes } = expand(
      [
        { source: '/old/:slug*', destination: '/new/:slug*' },
        { source: '/new/:slug*', destination: '/old/:slug*' },
        { source: '/fine/:slug*', destination: '/v2/:slug*' },
      ],
      ['new/a', 'old/b', 'v2/c'],
    );
    expect(list).toEqual(['/fine/c /v2/c', '/new/b /old/b', '/old/a /new/a']);
    expect(patterns.map(({ source }) => source)).toEqual(['/fine/:slug*']);
    expect(codes).toEqual(['redirect-loop', 'redirect-loop']);
  });

  test('to a target that has a redirect by a pattern are not reported', () => {
    const redirects = [
      { source: '/x', destination: '/gone/deep' },
      { source: '/gone/:slug*', destination: 'https://example.com/:slug*' },
    ];
    expect(expand(redirects).codes).toEqual([]);
  });

  test('a thousand patterns are expanded, the rest stay rules', () => {
    const many = Array.from({ length: 1002 }, (_, index) => ({
      source: `/p${index}/:x`,
      destination: '/v2/:x',
    }));
    const { exact, patterns, codes } = expand(many);
    expect([exact.length, patterns.length]).toEqual([1000, 1002]);
    expect(codes).toEqual(['redirect-too-many', 'redirect-too-many']);
  });

  test('ten thousand redirects in one chain take no stack', () => {
    const chain = Array.from({ length: 10_000 }, (_, index) => ({
      source: `/r${index}`,
      destination: index === 9999 ? '/a' : `/r${index + 1}`,
    }));
    expect(expand(chain).exact).toHaveLength(10_000);
  });
});

describe('patterns', () => {
  test.each([
    ['/a/:x/c', 'a/b/c', { x: 'b' }],
    ['/a/:x*', 'a/b/c', { x: 'b/c' }],
    ['/a/:x*', 'a', { x: '' }],
    ['/a/:x*/z', 'a/b/c/z', { x: 'b/c' }],
    ['/a/pre-*', 'a/pre-x', { '*': 'x' }],
    ['/a/pre-*', 'a/pre-', null],
    ['/a/pre-*', 'a/pre-x/y', null],
    ['/a/:x', 'a', null],
    ['/a/:x', 'a/b/c', null],
    ['/a/:x*/z', 'a', null],
    ['/a/:x*/a', 'a', null],
  ])('%s on %s', (written, path, expected) => {
    const pattern = parsePattern(written);
    const captures = pattern === null ? null : matchPattern(pattern, path);
    expect(captures === null ? null : Object.fromEntries(captures)).toEqual(expected);
  });

  test('a colon inside a segment is not a capture, two captures of any length are rejected', () => {
    expect(isPattern('/a:b/c')).toBe(false);
    expect(isPattern('/a/:b')).toBe(true);
    expect(parsePattern('/:a*/:b*')).toBeNull();
    expect(parsePattern('/:a/:a')).toBeNull();
  });
});
