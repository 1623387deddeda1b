/** How often the search of real sites finds the page that a query was made of; `bench/relevance.ts` prints the same in full. */
import { describe, expect, test } from 'vitest';
import { type Input, readInputs } from '../../bench/relevance/model-input.ts';
import { KINDS, type Kind, makeQueries } from '../../bench/relevance/queries.ts';
import { type Outcome, score, summarize } from '../../bench/relevance/score.ts';
import { openIndex, openSearches } from '../../bench/relevance/site.ts';
import { corpora, NO_CORPORA } from '../support/corpora.ts';

const SITES = ['mem0ai__mem0', 'tursodatabase__turso-docs', 'browserbase__stagehand', 'hoppscotch__docs'];
const QUERIES = 40;

/** nDCG@10 over all sites, somewhat below what is measured. */
const MINIMUM: Readonly<Record<Kind, number>> = {
  title: 0.98,
  heading: 0.94,
  typo: 0.94,
  question: 0.93,
  unfinished: 0.96,
  words: 0.86,
};

const sites = corpora().filter(({ name }) => SITES.includes(name));

describe.skipIf(sites.length === 0)(`relevance of the search on real sites (${NO_CORPORA})`, () => {
  test('the wanted page is among the first results, by kind of query and by site', async () => {
    const all: Outcome[] = [];
    for (const { name, folder } of sites) {
      for (const search of await openSearches(folder)) {
        const outcomes = await score(search, makeQueries(search, QUERIES, '1'));
        expect(summarize(outcomes).ndcg, name).toBeGreaterThan(0.93);
        all.push(...outcomes);
      }
    }
    for (const kind of KINDS) {
      const { ndcg, queries, firstThree } = summarize(all.filter(({ query }) => query.kind === kind));
      expect(queries, kind).toBeGreaterThan(QUERIES * 2);
      expect(ndcg, kind).toBeGreaterThan(MINIMUM[kind]);
      if (kind === 'question') expect(firstThree).toBeGreaterThan(0.93);
    }
  });

  test('a model that answers a question receives the section that the question was made of', async () => {
    const all: Input[] = [];
    for (const { folder } of sites) {
      const files = openIndex(folder);
      for (const search of await openSearches(folder, files)) {
        const questions = makeQueries(search, QUERIES, '1').filter(({ kind }) => kind === 'question');
        all.push(...(await readInputs(files, questions)));
      }
    }
    expect(all.length).toBeGreaterThanOrEqual(QUERIES * sites.length);
    const found = all.filter(({ hasSection }) => hasSection).length / all.length;
    expect(found).toBeGreaterThanOrEqual(0.95);
    // Some thousand tokens at most: readers have a limit per day.
    const characters = all.reduce((sum, one) => sum + one.characters, 0) / all.length;
    expect(characters).toBeLessThan(12_000);
  });
});
