import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Corpus, corpora, NO_CORPORA, pageFiles } from '../../../test/support/corpora.ts';
import { isFull } from '../../../test/support/size.ts';
import { openSite } from '../src/open-site.ts';
import type { Page } from '../src/site.ts';
import { directorySource } from '../src/source-directory.ts';
import { stringsFor } from '../src/theme/words/index.ts';
import { type Reading, readPage, wordsOf } from './differential.ts';
import { differences, linkTarget, pathOf, shownTarget, siteNames } from './differential-compare.ts';
import { readHtml } from './differential-html.ts';

const sites = corpora();
/** One of this number of pages is compared; all with OFFPRINT_TEST=full. */
const EVERY = isFull ? 1 : 3;

/** Pages that differ, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'jlowin__fastmcp/python-sdk/fastmcp-cli-client.mdx':
    'a brace in the prose is no expression, so the other parser refuses the page; ours shows the brace as text',
};

/** Words of components in the language of the page, and places of parameters. */
function vocabularyOf(page: Page): Set<string> {
  const words = [stringsFor('en'), stringsFor(page.path.split('/')[0] ?? 'en')].flatMap(Object.values);
  return new Set(wordsOf(`path query body header Request Response ${words.join(' ')}`).split(' '));
}

/** What differs on each page of a site, by file; pages without a difference are not in it. */
function compareSite({ name, folder }: Corpus): { total: number; faults: Map<string, string[]> } {
  const site = openSite({ source: directorySource(folder), siteUrl: 'https://docs.example.com' }, () => {});
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const names = siteNames(folder, pageFiles(folder), files);
  const all = site.siteMap.pages.filter((page) => page.source !== null);
  const isException = ({ source }: Page) => `${name}/${source}` in EXCEPTIONS;
  const pages = all.filter((page, index) => index % EVERY === 0 || isException(page));
  const paths = new Map(all.map((page) => [page.output, pathOf(page.source ?? '')]));
  const faults = new Map<string, string[]>();
  for (const page of pages) {
    const file = page.source ?? '';
    const isOwnLayout = page.mode === 'custom' || page.mode === 'frame';
    let reading: Reading;
    try {
      reading = readPage(folder, file, isOwnLayout ? null : page.title, isOwnLayout);
    } catch (error) {
      faults.set(file, [`the other parser: ${String(error)}`]);
      continue;
    }
    // What an API description adds is not in the file, nor are samples of a request.
    const content = site.content({ ...page, lead: null, operation: null, channel: null });
    const shown = readHtml(content.html + (content.side?.html ?? ''));
    const targets = {
      written: reading.links.map((link) => linkTarget(link.href, file, pathOf(file), names)),
      shown: shown.links.map((href) => shownTarget(href, page.output, paths)),
    };
    const found = differences(reading, shown, targets, vocabularyOf(page));
    if (found.length > 0) faults.set(file, found);
  }
  return { total: pages.length, faults };
}

describe.skipIf(sites.length === 0)(
  sites.length === 0 ? NO_CORPORA : 'pages of the corpora beside the parser of the MDX project',
  () => {
    let total = 0;
    let different = 0;

    test.each(sites)('$name: text, links, headings and anchors are the same', (site) => {
      const result = compareSite(site);
      total += result.total;
      different += result.faults.size;
      const unexplained = [...result.faults].filter(([file]) => !(`${site.name}/${file}` in EXCEPTIONS));
      expect(unexplained).toEqual([]);
      for (const key of Object.keys(EXCEPTIONS)) {
        const [name, file = ''] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
        if (name === site.name) expect(result.faults.has(file), `${key} is equal now`).toBe(true);
      }
    });

    test('of every thousand pages at least 998 are the same', () => {
      expect(total).toBeGreaterThan(1000 / EVERY);
      expect(different).toBeLessThanOrEqual(Math.max(Object.keys(EXCEPTIONS).length, 0.002 * total));
    });
  },
);

describe('the comparison', () => {
  const reading: Reading = {
    blocks: ['Some text', 'More'],
    links: [],
    headings: [{ depth: 2, text: 'Title', id: 'title' }],
    sources: ['Some text More Title [a](/x)'],
  };
  const html = (text: string) => readHtml(`<h2 id="title">Title</h2><p>${text}</p>`);
  const compare = (text: string, written: string[] = [], shown: string[] = []) =>
    differences(reading, html(text), { written, shown }, new Set());

  test('finds what is lost, added or elsewhere', () => {
    expect(compare('Some text</p><p>More')).toEqual([]);
    expect(compare('Some text')).toEqual(['text lost: More']);
    expect(compare('Some text More undefined')).toEqual(['text added: undefined']);
    expect(compare('Some text More', ['/x'], ['/y'])).toEqual(['link lost: /x', 'link added: /y']);
    expect(
      differences(
        reading,
        readHtml('<h2 id="other">Title</h2>Some text More'),
        { written: [], shown: [] },
        new Set(),
      ),
    ).toEqual(['heading lost: 2 #title Title']);
  });
});
