import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../render/src/theme/words/index.ts';
import { openSearch } from '../../render/test/search-site.ts';
import { LANGUAGE_KEYS } from '../src/directory.ts';
import {
  createSearchCache,
  DamagedIndexError,
  openSiteSearch,
  pagePathOf,
  readPage,
  readRecords,
  type SearchRecord,
  type SiteSearch,
  urlOf,
} from '../src/index.ts';
import { config, exportSite, page, siteOf, type TestSite } from './site.ts';

let site: TestSite;
let search: SiteSearch;

const VERSIONS = ['v2', 'v1'].map((version) => ({
  version,
  groups: [
    { group: 'Start', pages: [`${version}/welcome`, `${version}/webhooks`] },
    { group: 'Billing', pages: [`${version}/invoices`] },
  ],
}));

beforeAll(async () => {
  const pages = ['v2', 'v1'].flatMap((version) => [
    [`${version}/welcome.mdx`, page('Welcome', `Hello to ${version}. Webhooks are old news.`)],
    [`${version}/webhooks.mdx`, page('Webhooks', 'Events.\n\n## Retry policy\n\nA webhook is sent again.')],
    [
      `${version}/invoices.mdx`,
      page('Invoices', `Paid by month. ${'Filler text. '.repeat(80)} A webhook tells.`),
    ],
  ]);
  site = await exportSite({
    'docs.json': config({ versions: VERSIONS }),
    ...Object.fromEntries(pages),
  });
  const opened = await openSiteSearch(site.read);
  if (opened === null) throw new Error('the site has no search');
  search = opened;
});

const paths = async (query: string, more: object = {}): Promise<string[]> =>
  (await search.search({ query, limit: 50, ...more })).hits.map(({ path }) => path);

describe('the search of a site', () => {
  test('returns the pages of the search in browsers, in its order', async () => {
    const browser = openSearch({ files: new Map(site.files) });
    for (const query of ['webhook', 'retry policy', 'welc', 'inovices', 'news of month']) {
      const { pages } = await browser.find(query);
      expect(pages.length, query).toBeGreaterThan(0);
      expect(await paths(query)).toEqual(pages.map((path) => path.replace(/\.html$/, '')));
    }
  });

  test('returns sections with their anchors, and a score that never rises', async () => {
    const { hits, total } = await search.search({ query: 'retry policy', limit: 2 });
    expect(hits[0]).toMatchObject({
      path: 'v2/webhooks',
      title: 'Webhooks',
      crumbs: ['Start'],
      version: 'v2',
      score: 1,
      isComplete: true,
    });
    expect(hits[0]?.sections[0]).toMatchObject({ anchor: 'retry-policy', heading: 'Retry policy' });
    expect(hits[1]?.score).toBeLessThanOrEqual(1);
    expect(hits).toHaveLength(2);
    expect(total).toBe(2);
  });

  test('shortens texts around the words of the query', async () => {
    const { hits } = await search.search({ query: 'invoices webhook tells', limit: 1, excerpt: 100 });
    const [section] = hits[0]?.sections ?? [];
    expect(section?.text.length).toBeLessThan(140);
    expect(section?.text).toContain('webhook tells');
  });

  test.each([
    [{ version: 'v1' }, ['v1/webhooks', 'v1/welcome', 'v1/invoices']],
    [{ version: 'V1' }, ['v1/webhooks', 'v1/welcome', 'v1/invoices']],
    [{ version: 'v9' }, []],
    [{ tag: 'billing' }, ['v2/invoices', 'v1/invoices']],
    [{ tag: 'nothing' }, []],
    [{ minScore: 1 }, ['v2/webhooks']],
    // the site has neither languages nor products
    [{ language: 'de', product: 'x', version: 'v1' }, ['v1/webhooks', 'v1/welcome', 'v1/invoices']],
  ])('with %j finds %j', async (filters, expected) => {
    expect(await paths('webhooks', filters)).toEqual(expected);
  });

  test('any text is a query', async () => {
    const anything = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 5_000 }));
    await fc.assert(
      fc.asyncProperty(anything, async (query) => {
        const { hits, total } = await search.search({ query, limit: 5 });
        expect(hits.length).toBeLessThanOrEqual(Math.min(5, total));
      }),
      { numRuns: 200 },
    );
    expect(await paths('')).toEqual([]);
    expect(await paths('webhook '.repeat(100_000))).toEqual(await paths('webhook '));
  });

  test('is null for a site without one', async () => {
    expect(await openSiteSearch(siteOf(new Map([['index.html', '<p>Hello</p>']])).read)).toBeNull();
  });
});

describe('a site with languages', () => {
  const languages = (codes: readonly string[]) =>
    exportSite({
      'docs.json': config({ languages: codes.map((language) => ({ language, pages: [`${language}/a`] })) }),
      ...Object.fromEntries(codes.map((code) => [`${code}/a.mdx`, page(`Page ${code}`, 'The same token.')])),
    });

  test('is searched in the language of the request', async () => {
    const { read } = await languages(['en', 'de']);
    const opened = await openSiteSearch(read);
    expect(opened?.languages).toEqual(['en', 'de']);
    const find = async (language?: string) =>
      (await opened?.search({ query: 'token', limit: 9, language }))?.hits.map(
        ({ path, language: label }) => [path, label],
      );
    expect(await find()).toEqual([['en/a', 'en']]);
    expect(await find('DE')).toEqual([['de/a', 'de']]);
    expect(await find('fr')).toEqual([]);
  });

  test('is searched in all languages at once, pages with all words first', async () => {
    const files = ['en', 'de'].flatMap((language) => [
      [`${language}/a.mdx`, page('Token', `Text of ${language}.`)],
      [`${language}/b.mdx`, page('Other', language === 'de' ? 'Token drehen.' : 'A token.')],
    ]);
    const codes = ['en', 'de'].map((language) => ({ language, pages: [`${language}/a`, `${language}/b`] }));
    const { read } = await exportSite({
      'docs.json': config({ languages: codes }),
      ...Object.fromEntries(files),
    });
    const opened = await openSiteSearch(read);
    const find = async (query: string, limit: number) => {
      const answer = await opened?.search({ query, limit, everyLanguage: true });
      return [answer?.hits.map(({ path }) => path), answer?.total];
    };
    expect(await find('token', 9)).toEqual([['en/a', 'de/a', 'en/b', 'de/b'], 4]);
    expect(await find('token', 3)).toEqual([['en/a', 'de/a', 'en/b'], 4]);
    expect(await find('token drehen', 1)).toEqual([['de/b'], 4]);
  });

  test('every language of the interface is found without a list of the files', () => {
    expect(LANGUAGE_KEYS).toEqual(expect.arrayContaining(LANGUAGES.map((code) => code.toLowerCase())));
  });
});

describe('a damaged index', () => {
  const directory = (): Record<string, unknown> => {
    const script = String(site.files.get('_offprint/search.js'));
    return JSON.parse(script.slice(script.indexOf(',') + 1, -3));
  };
  const withFile = (path: string, content: string): TestSite =>
    siteOf(new Map([...site.files, [path, content]]));
  const written = (data: unknown): string => `offprintSearch("x",${JSON.stringify(data)});\n`;

  test.each([
    ['no script', 'hello'],
    ['not JSON', 'offprintSearch("x",{);\n'],
    ['a list', written([])],
    ['null', written(null)],
    ['without words', written({})],
  ])('%s is reported', async (_, content) => {
    await expect(openSiteSearch(withFile('_offprint/search.js', content).read)).rejects.toThrow(
      DamagedIndexError,
    );
  });

  test('sizes that no site has are not allocated', async () => {
    for (const pages of ['9999999', '-______f', '_'.repeat(50_000), 'f'.repeat(200_000)]) {
      const damaged = withFile('_offprint/search.js', written({ ...directory(), pages }));
      await expect(openSiteSearch(damaged.read)).rejects.toThrow(DamagedIndexError);
    }
  });

  test('missing and changed files of words and texts are reported', async () => {
    for (const kind of ['t', 'c', 'l']) {
      const path = [...site.files.keys()].find((each) => each.startsWith(`_offprint/search/${kind}-`)) ?? '';
      for (const content of [null, 'x', written(1), written([[1]]), written([['a', [], {}, 1, null]])]) {
        const files = new Map(site.files);
        if (content === null) files.delete(path);
        else files.set(path, content);
        const opened = await openSiteSearch(siteOf(files).read);
        await expect(opened?.search({ query: 'webhook', limit: 5 }), `${path} ${content}`).rejects.toThrow(
          DamagedIndexError,
        );
      }
    }
  });
});

describe('searches in memory', () => {
  test('a site is opened once, also for requests at the same time', async () => {
    const one = siteOf(site.files);
    const cache = createSearchCache(64 * 1024 * 1024);
    const ask = () => cache.search('a', one.read, { query: 'webhook', limit: 5 });
    await Promise.all(Array.from({ length: 50 }, ask));
    const before = one.asked.length;
    const again = await ask();
    expect(again?.hits).toHaveLength(5);
    expect(one.asked).toHaveLength(before);
    expect(new Set(one.asked).size).toBe(before);
  });

  test('sites that were not used last are removed', async () => {
    const cache = createSearchCache(400_000);
    for (let at = 0; at < 200; at++) {
      await cache.search(`${at}`, siteOf(site.files).read, { query: 'webhook', limit: 5 });
      expect(cache.size()).toBeLessThanOrEqual(400_000);
    }
    const first = siteOf(site.files);
    await cache.search('0', first.read, { query: 'webhook', limit: 5 });
    expect(first.asked).not.toEqual([]);
    const last = siteOf(site.files);
    await cache.search('199', last.read, { query: 'webhook', limit: 5 });
    expect(last.asked).toEqual([]);
  });

  test('a site that cannot be read is asked again', async () => {
    const cache = createSearchCache(1_000_000);
    const fail = async (): Promise<null> => {
      throw new Error('disk');
    };
    await expect(cache.search('a', fail, { query: 'x', limit: 1 })).rejects.toThrow('disk');
    expect(await cache.search('a', site.read, { query: 'webhook', limit: 1 })).toMatchObject({ total: 6 });
  });
});

describe('pages', () => {
  test.each([
    ['v2/welcome', 'v2/welcome'],
    ['/docs/v2/welcome.html#a', 'v2/welcome'],
    ['https://docs.example.com/docs/v2/welcome?x=1', 'v2/welcome'],
    ['/docs', 'index'],
    ['', 'index'],
    ['a%20b.md', 'a b'],
    ['docs2/x', 'docs2/x'],
    ['../secret', null],
    ['a/%2e%2e/b', null],
    ['a\\b', null],
    ['%zz', null],
    ['\0', null],
    ['x'.repeat(5_000), null],
  ])('%j is the page %j', (text, expected) => {
    expect(pagePathOf(text, '/docs')).toBe(expected);
  });

  test('are read as Markdown', async () => {
    const found = await readPage(site.read, 'v2/webhooks');
    expect(found?.content).toContain('# Webhooks');
    expect(found?.content).toContain('## Retry policy');
    expect(await readPage(site.read, 'v3/webhooks')).toBeNull();
    expect(await readPage(siteOf(new Map([['a/index.md', 'x']])).read, 'a')).toEqual({
      path: 'a/index',
      content: 'x',
    });
  });

  test('have URLs', () => {
    expect(urlOf('index', '/docs')).toBe('/docs/');
    expect(urlOf('a/index', '')).toBe('/a/');
    expect(urlOf('a b/c', '/docs', 'x y')).toBe('/docs/a%20b/c#x%20y');
  });
});

test('records contain every section once', async () => {
  const records: SearchRecord[] = [];
  for await (const some of readRecords(site.read)) records.push(...some);
  expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
  expect(records).toHaveLength(8);
  expect(records.find(({ id }) => id === 'v1/webhooks#retry-policy')).toEqual({
    id: 'v1/webhooks#retry-policy',
    path: 'v1/webhooks',
    anchor: 'retry-policy',
    title: 'Webhooks',
    heading: 'Retry policy',
    breadcrumbs: ['Start'],
    method: '',
    language: null,
    version: 'v1',
    product: null,
    tab: null,
    content: 'A webhook is sent again.',
  });
});
