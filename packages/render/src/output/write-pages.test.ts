import { describe, expect, test } from 'vitest';
import { openSite } from '../open-site.ts';
import type { Page } from '../site.ts';
import { memorySource } from '../source.ts';
import type { Warning } from '../warning.ts';
import { createPendingPages, type PendingPage } from './pending-pages.ts';
import { createPageWriter } from './write-pages.ts';

const MARKER = 'only in the text of a page';

/** A site whose pages link to headings of the next page, of the last page and of none. */
function siteOf(count: number) {
  const files: Record<string, string> = {};
  const name = (n: number): string => `p${String(n).padStart(3, '0')}`;
  const pages = Array.from({ length: count }, (_, n) => name(n));
  for (let n = 0; n < count; n++) {
    const links = `[next](/${name(n + 1)}#Part_One) [last](/${name(count - 1)}#part-one) [none](/${name(n)}#none)`;
    files[`${name(n)}.mdx`] =
      `---\ntitle: "Title ${n} of a page"\ndescription: "What page ${n} is about"\n---\n\n## Part one\n\n${MARKER} ${n < count - 1 && n % 3 === 0 ? links : ''}\n`;
  }
  files['docs.json'] = JSON.stringify({ name: 'D', navigation: { pages } });
  return openSite({ source: memorySource(files), siteUrl: 'https://docs.example.com' }, () => {});
}

async function writeSite(count: number, maxKept?: number) {
  const site = siteOf(count);
  const files = new Map<string, unknown>();
  const warnings: Warning[] = [];
  let rendered = 0;
  const content = (page: Page) => {
    rendered++;
    return site.content(page);
  };
  const write = createPageWriter(
    { ...site, content },
    {
      emit(path, text) {
        files.set(path, text);
        return null;
      },
    },
    { maxKept },
  );
  for (const page of site.siteMap.pages) write.page(page, site.content(page));
  await write.rest(
    (warning) => void warnings.push(warning),
    async () => {},
  );
  return { files, warnings, rendered };
}

describe('pages with links to headings of later pages', () => {
  test('are the same files whether their documents were kept or rendered again', async () => {
    const kept = await writeSite(30);
    const again = await writeSite(30, 0);
    expect(kept.files.size).toBe(30);
    expect([...again.files]).toEqual([...kept.files]);
    expect(again.warnings).toEqual(kept.warnings);
    expect([kept.rendered, again.rendered]).toEqual([0, 10]);
    expect(kept.files.get('p000.html')).toContain('href="p001.html#part-one"');
    expect(kept.warnings).toHaveLength(10);
  });

  test('are written as soon as the last of these pages is rendered, in the order of the site', () => {
    const pending = createPendingPages();
    const [a, b, c] = siteOf(3).siteMap.pages as [Page, Page, Page];
    pending.add({ page: a, links: [], html: 'a', known: null }, new Set(['b', 'c']));
    pending.add({ page: b, links: [], html: 'b', known: null }, new Set(['c']));
    pending.add({ page: c, links: [], html: 'c', known: null }, new Set(['never']));
    const names = (pages: readonly PendingPage[]) => pages.map(({ page }) => page.path);
    expect(names(pending.settle('b'))).toEqual([]);
    expect(names(pending.settle('x'))).toEqual([]);
    expect(names(pending.settle('c'))).toEqual(['p000', 'p001']);
    expect(names(pending.settle('c'))).toEqual([]);
    expect(names(pending.rest())).toEqual(['p002']);
    expect(pending.rest()).toEqual([]);
  });

  test('are kept in memory up to a number of characters, which written pages give back', () => {
    const pending = createPendingPages(10);
    const [page] = siteOf(1).siteMap.pages as [Page];
    const add = (html: string, target: string): void =>
      pending.add({ page, links: [], html, known: null }, new Set([target]));
    add('12345678', 'one');
    add('12345', 'two');
    add('12', 'two');
    expect(pending.settle('one').map(({ html }) => html)).toEqual(['12345678']);
    expect(pending.settle('two').map(({ html }) => html)).toEqual([null, '12']);
    add('1234567890', 'three');
    expect(pending.rest().map(({ html }) => html)).toEqual(['1234567890']);
  });
});

test('pages of an open site do not hold their texts', () => {
  for (const page of siteOf(3).siteMap.pages) {
    const { trail: _trail, previous: _previous, next: _next, ...own } = page;
    expect(JSON.stringify(own)).not.toContain(MARKER);
    expect(page.readBody()).toContain(MARKER);
  }
});
