import { expect, test } from 'vitest';
import {
  changedGroups,
  createDescribedPages,
  createFileLinks,
  type Described,
  emptyDescribed,
  filesLinked,
  pagesShowing,
} from './described.ts';

const size = (): number => 1;
const digestOf = (file: string): string => `digest of ${file}`;

function linked(...pairs: readonly (readonly [string, string])[]) {
  const links = createFileLinks();
  for (const [from, to] of pairs) links.link(from, to);
  return links;
}

/** Pages 0 and 1 show files that refer to a common one, page 2 another file. */
function first(): Described {
  const pages = createDescribedPages(emptyDescribed, new Set(), { size });
  pages.add(0, ['a']);
  pages.add(1, ['b']);
  pages.add(2, ['c']);
  const links = linked(['a', 'part'], ['part', 'common'], ['b', 'common'], ['unused', 'also']);
  return pages.end(links, digestOf);
}

test('files that refer to each other by any way are one group, and others are not', () => {
  const { groups, pages } = first();
  expect(groups.map(({ files }) => files)).toEqual([['a', 'b', 'common', 'part'], ['c']]);
  expect(pages).toEqual({ 0: [0], 1: [0], 2: [1] });
});

test('a file that changes, appears or is gone changes its group, and concerns the pages that show it', () => {
  const described = first();
  expect(changedGroups(described, digestOf)).toEqual(new Set());
  for (const digest of ['another', null]) {
    const changed = changedGroups(described, (file) => (file === 'part' ? digest : digestOf(file)));
    expect(changed).toEqual(new Set([0]));
    expect(pagesShowing(described, changed)).toEqual([0, 1]);
  }
});

test('pages that are kept stay in their groups, although their files are not read again', () => {
  const described = first();
  const pages = createDescribedPages(described, new Set(), { size });
  for (const page of [0, 1, 2]) pages.addKnown(page);
  const links = linked(['a', 'part']);
  expect(pages.isJoined(links)).toBe(false);
  expect(pages.end(links, digestOf)).toEqual(described);
});

test('a changed group that refers to a kept one is noticed', () => {
  const pages = createDescribedPages(first(), new Set([1]), { size });
  expect(pages.isJoined(linked(['c', 'new']))).toBe(false);
  expect(pages.isJoined(linked(['c', 'common']))).toBe(true);
  expect(pages.isJoined(linked(['common', 'c']))).toBe(true);
});

test('files of which only some are read for their size are noticed', () => {
  const large = createDescribedPages(emptyDescribed, new Set(), { size: () => 100 * 1024 * 1024 });
  large.add(0, ['a']);
  expect(large.isTooLarge(linked(['a', 'b']))).toBe(false);
  expect(large.isTooLarge(linked(['a', 'b'], ['b', 'c']))).toBe(true);
});

test('files that refer to each other in a circle are followed once', () => {
  expect(filesLinked(new Set(['a']), linked(['a', 'b'], ['b', 'a'], ['c', 'a']))).toEqual(
    new Set(['a', 'b']),
  );
});
