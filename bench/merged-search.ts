/**
 * What vectors change in the search of a site, by their quality: known-item queries of `relevance/queries.ts`, by words and
 * merged with vectors. No model is needed:
 *
 *   node bench/merged-search.ts FOLDER... [--count 60] [--seed 1]
 *
 * - `random`: vectors that mean nothing: what a bad model can cost.
 * - `weak`: hashed trigrams, which know no meaning and find fewer pages than the words do.
 * - `good`: the weak ones, but the wanted page is on the first place for 75 of 100 queries, on the second to fourth for 17,
 *   and missing for 8.
 * - `other words`: good vectors, while the words of the query are those of two other pages: nothing but the meaning is left.
 */
import { parseArgs } from 'node:util';
import {
  type ComparableVectors,
  compareVectors,
  openSiteSearch,
  prepareVectors,
  quantize,
  quantizeQuery,
  readRecords,
  readSectionTexts,
} from '@offprint/search';
import { makeQueries, type Query, wordsIn } from './relevance/queries.ts';
import { openIndex, openSearches } from './relevance/site.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const DIMENSIONS = 256;

/** Numbers between -1 and 1, always the same for a text. */
function numbersOf(text: string): () => number {
  let state = 2_166_136_261;
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0)!, 16_777_619) >>> 0;
  state ||= 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 31 - 1;
  };
}
const vectorOf = (text: string): number[] => Array.from({ length: DIMENSIONS }, numbersOf(text));

/** Words and their trigrams. */
const gramsIn = (text: string): string[] =>
  wordsIn(text).flatMap((word) => [
    word,
    ...Array.from({ length: word.length }, (_, at) => ` ${word} `.slice(at, at + 3)),
  ]);

/** A model that adds a vector for each gram, rare ones with more weight. */
function weakModel(texts: readonly string[]): (text: string) => number[] {
  const sections = new Map<string, number>();
  for (const text of texts)
    for (const gram of new Set(gramsIn(text))) sections.set(gram, (sections.get(gram) ?? 0) + 1);
  const known = new Map<string, number[]>();
  return (text) => {
    const sum = new Array<number>(DIMENSIONS).fill(0);
    for (const gram of new Set(gramsIn(text))) {
      const vector = known.get(gram) ?? vectorOf(gram);
      known.set(gram, vector);
      const weight = Math.log(1 + texts.length / (1 + (sections.get(gram) ?? 0)));
      for (let at = 0; at < DIMENSIONS; at++) sum[at]! += vector[at]! * weight;
    }
    return sum;
  };
}

function pack(vectors: readonly (readonly number[])[]): ComparableVectors {
  const packed = new Int8Array(vectors.length * DIMENSIONS);
  for (const [row, vector] of vectors.entries()) packed.set(quantize(vector) ?? [], row * DIMENSIONS);
  return prepareVectors({
    space: '',
    dimensions: DIMENSIONS,
    directories: [],
    count: vectors.length,
    digests: new Uint8Array(),
    values: packed,
  });
}

function compare(vectors: ComparableVectors, query: readonly number[]): Float32Array {
  const cosines = new Float32Array(vectors.count);
  const quantized = quantizeQuery(query);
  if (quantized !== null) compareVectors(vectors, quantized, cosines, 0, vectors.count);
  return cosines;
}

/** The cosines with a section of a wanted page at the place that a good model gives it. */
function improve(cosines: Float32Array, rows: readonly number[], chance: number): Float32Array {
  const better = cosines.slice();
  for (const row of rows) better[row] = 0;
  const place = chance < 0.75 ? 0 : chance < 0.84 ? 1 : chance < 0.92 ? 3 : null;
  const [first] = rows;
  if (place === null || first === undefined) return better;
  const sorted = [...better].sort((a, b) => b - a);
  better[first] = place === 0 ? sorted[0]! * 1.05 : (sorted[place - 1]! + sorted[place]!) / 2;
  return better;
}

const gain = (paths: readonly string[], { wanted }: Query): number => {
  const at = paths.findIndex((path) => wanted.has(`${path}.html`));
  return at < 0 ? 0 : 1 / Math.log2(2 + at);
};

process.stdout.write('| site | sections | queries | words | random | weak | good | good, other words |\n');
process.stdout.write('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n');
for (const folder of positionals) {
  const files = openIndex(folder);
  const read = async (path: string) => files.get(path) ?? null;
  const texts: string[] = [];
  const paths: string[] = [];
  let directory = '';
  for await (const { directory: own, texts: some } of readSectionTexts(read)) {
    directory ||= own;
    if (own === directory) texts.push(...some);
  }
  for await (const records of readRecords(read)) paths.push(...records.map(({ path }) => `${path}.html`));
  const search = await openSiteSearch(read);
  const [site] = await openSearches(folder, files);
  if (search === null || site === undefined) continue;
  const model = weakModel(texts);
  const weak = pack(texts.map(model));
  const random = pack(texts.map((_, row) => vectorOf(`row ${row}`)));
  const queries = makeQueries(site, Number(values.count), values.seed);
  const find = async (query: string, cosines: Float32Array | null) => {
    const similarities = cosines === null ? undefined : new Map([[directory, cosines]]);
    const { hits } = await search.search({ query, limit: 10, excerpt: 100, similarities });
    return hits.map(({ path }) => path);
  };
  const sums = [0, 0, 0, 0, 0];
  for (const [at, query] of queries.entries()) {
    const { text, wanted } = query;
    const rows = paths.slice(0, texts.length).flatMap((path, row) => (wanted.has(path) ? [row] : []));
    const own = compare(weak, model(text));
    const good = improve(own, rows, (numbersOf(`chance ${text}`)() + 1) / 2);
    const others = [at + 7, at + 31].map((other) => queries[other % queries.length]?.text ?? '');
    const lists = [
      await find(text, null),
      await find(text, compare(random, vectorOf(text))),
      await find(text, own),
      await find(text, good),
      await find(others.join(' '), good),
    ];
    for (const [column, list] of lists.entries()) sums[column]! += gain(list, query);
  }
  const columns = sums.map((sum) => (sum / queries.length).toFixed(3));
  process.stdout.write(`| ${site.site} | ${texts.length} | ${queries.length} | ${columns.join(' | ')} |\n`);
}
