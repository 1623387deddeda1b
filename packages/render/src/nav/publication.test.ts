import { describe, expect, test } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { memorySource } from '../source.ts';
import { buildSiteMap } from './site-map.ts';

function build(navigation: unknown, pages: Record<string, string>, seo: unknown = {}) {
  const files = Object.fromEntries(Object.entries(pages).map(([path, front]) => [`${path}.mdx`, front]));
  const source = memorySource({ 'docs.json': JSON.stringify({ name: 'D', navigation, seo }), ...files });
  return buildSiteMap(
    source,
    loadConfig(source, () => {}),
    {},
    () => {},
  );
}

/** What knows a page: n = meta noindex, i = sitemap and llms.txt, s = the search of the site. */
function known(map: ReturnType<typeof build>): Record<string, string> {
  const letters = (page: (typeof map.pages)[number]): string =>
    [page.noindex ? 'n' : '', page.indexable ? 'i' : '', page.searchable ? 's' : ''].join('');
  return Object.fromEntries(map.pages.map((page) => [page.path, letters(page)]));
}

const front = (lines: string): string => `---\n${lines}\n---\n`;
const PAGES = {
  index: '',
  listed: '',
  unlisted: '',
  hidden: front('hidden: true'),
  'hidden-listed': front('hidden: true'),
  noindex: front('noindex: "true"'),
  robots: front('robots: noindex, nofollow'),
  unsearched: front('searchable: false'),
  quiet: '',
  'quiet-found': '',
  'quiet-noindex': front('noindex: true'),
  unfound: '',
  both: '',
};
const NAVIGATION = {
  pages: ['listed', 'hidden-listed', 'noindex', 'robots', 'unsearched', 'both'],
  groups: [
    { group: 'Quiet', hidden: true, pages: ['quiet', 'both'] },
    { group: 'Found', hidden: true, searchable: true, pages: ['quiet-found', 'quiet-noindex'] },
    { group: 'Unfound', searchable: false, pages: ['unfound'] },
  ],
};

describe('who knows a page', () => {
  test('by its front matter and its places in the navigation', () => {
    expect(known(build(NAVIGATION, PAGES))).toEqual({
      index: 'is',
      listed: 'is',
      unlisted: '',
      hidden: 'n',
      'hidden-listed': 'n',
      noindex: 'n',
      robots: 'n',
      unsearched: 'i',
      quiet: 'n',
      'quiet-found': 'is',
      'quiet-noindex': 'n',
      unfound: 'i',
      both: 'is',
    });
  });

  test('seo.indexing "all" takes in hidden and unlisted pages, but none that refuses', () => {
    expect(known(build(NAVIGATION, PAGES, { indexing: 'all' }))).toMatchObject({
      unlisted: 'is',
      hidden: 'is',
      'hidden-listed': 'is',
      quiet: 'is',
      noindex: 'n',
      robots: 'n',
      unsearched: 'i',
    });
  });

  test('the home page is known where no navigation lists it', () => {
    expect(known(build({ pages: ['listed'] }, { index: '', listed: '' })).index).toBe('is');
  });

  test('boost is that of the page, else of the closest node, within bounds', () => {
    const map = build(
      { groups: [{ group: 'A', boost: 2, pages: ['a', 'own', { group: 'B', boost: '0.5', pages: ['b'] }] }] },
      { index: front('boost: 1e9'), a: '', own: front('boost: 3'), b: '' },
    );
    const boosts = Object.fromEntries(map.pages.map(({ path, boost }) => [path, boost]));
    expect(boosts).toEqual({ a: 2, b: 0.5, index: 100, own: 3 });
  });

  test('a directory holds for all nodes below it until one says otherwise', () => {
    const map = build(
      {
        directory: 'card',
        groups: [
          { group: 'A', pages: ['a', { group: 'B', directory: 'accordion', pages: ['b'] }] },
          { group: 'C', directory: 'none', pages: ['c', { group: 'D', pages: ['d'] }] },
        ],
      },
      { a: '', b: '', c: '', d: '' },
    );
    const [a, c] = map.navigation.children;
    const inner = (node: typeof a) => node?.children.find(({ kind }) => kind === 'group')?.directory;
    expect([a?.directory, inner(a), c?.directory, inner(c)]).toEqual(['card', 'accordion', 'none', 'none']);
  });
});
