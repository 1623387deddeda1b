import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addKnownPage,
  addPage,
  createIndexSet,
  type IndexFile,
  indexFiles,
  type KeptIndex,
} from './index-set.ts';
import type { SearchPage } from './search-page.ts';
import { stopWordsOf } from './stop-words.ts';

interface TestPage {
  name: string;
  texts: readonly string[];
}

const about = ({ name }: TestPage) =>
  ({
    page: {
      output: `${name}.html`,
      path: name,
      title: name,
      sidebarTitle: name,
      operation: null,
      channel: null,
    },
    title: name,
    description: '',
    keywords: [],
    operationId: null,
    boost: 1,
    crumbs: [],
    facets: [null, null, null],
  }) as unknown as SearchPage;

const sectionsOf = ({ name, texts }: TestPage) =>
  texts.map((text, at) => ({
    id: at === 0 ? '' : `part-${at}`,
    title: `${name} ${at}`,
    isHeading: true,
    text,
  }));

interface Made {
  files: IndexFile[];
  words: Uint8Array;
  pages: readonly TestPage[];
}

/** The index of these pages; those that the earlier one has are taken from its words. */
function makeIndex(pages: readonly TestPage[], earlier: Made | null): Made {
  let words = new Uint8Array();
  const kept: KeptIndex = {
    words: earlier?.words ?? null,
    keepWords: (parts) => {
      words = new Uint8Array(Buffer.concat(parts));
    },
    reuseChunk: () => null,
    keepChunk: () => {},
  };
  const files: IndexFile[] = [];
  const set = createIndexSet(stopWordsOf(null), (file) => files.push(file), kept);
  for (const [number, page] of pages.entries()) {
    const id = { key: JSON.stringify(page), number };
    const before = earlier?.pages.indexOf(page) ?? -1;
    if (before < 0) addPage(set, about(page), sectionsOf(page), id);
    else {
      const entries = sectionsOf(page).map((one) => JSON.stringify([one.id, one.title, one.text.trim()]));
      const sizes = entries.map(({ length }) => length);
      addKnownPage(set, about(page), { ...id, before, sizes, readEntries: () => entries });
    }
  }
  files.push(...indexFiles(set, 'search.js', {}));
  return { files, words, pages };
}

const wordsOf = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `word${from + at}`).join(' ');

const WORDS = ['alpha', 'Beta', 'getUser', 'C++', '認証', 'Über', '\ud800x', 'the', 'x1'];
const texts = fc.array(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' ')),
  { minLength: 1, maxLength: 3 },
);
const pages = fc.array(texts, { maxLength: 5 });

test('an index with pages of an earlier one has the files of one without it', () => {
  fc.assert(
    fc.property(
      fc.array(pages, { minLength: 2, maxLength: 4 }),
      fc.infiniteStream(fc.boolean()),
      (rounds, keeps) => {
        let earlier: Made | null = null;
        for (const [round, lists] of rounds.entries()) {
          const kept: TestPage[] =
            earlier === null ? [] : earlier.pages.filter(() => keeps.next().value === true);
          const added = lists.map((list, at) => ({ name: `page-${round}-${at}`, texts: list }));
          const all = [...added.slice(0, 1), ...kept, ...added.slice(1)];
          earlier = makeIndex(all, earlier);
          expect(earlier.files).toEqual(makeIndex(all, null).files);
        }
      },
    ),
  );
});

test('words that no page has any more are removed from what is kept', () => {
  const page = { name: 'page', texts: ['Some words.'] };
  const others = [{ name: 'others', texts: [wordsOf(0, 1000)] }];
  const first = makeIndex([page, ...others], null);
  const second = makeIndex([page], first);
  expect(second.files).toEqual(makeIndex([page], null).files);
  expect(second.words).toEqual(makeIndex([page], null).words);
  expect(makeIndex([page, ...others], second).files).toEqual(first.files);
});

test('a page that the words of the earlier index do not have makes them stale', () => {
  const [one, other] = ['one', 'other'].map((name) => ({ name, texts: ['Text.'] }));
  if (one === undefined || other === undefined) throw new Error('there are two pages');
  const first = makeIndex([one], null);
  expect(() => makeIndex([one, other], { ...first, pages: [one, other] })).toThrow(
    expect.objectContaining({ name: 'StaleRenderError' }),
  );
});
