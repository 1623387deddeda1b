import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type ComparableVectors,
  compareVectors,
  DamagedVectorsError,
  DIGEST_BYTES,
  openSiteSearch,
  prepareVectors,
  quantize,
  quantizeQuery,
  readRecords,
  readSectionTexts,
  readVectors,
  type SearchRecord,
  type SiteSearch,
  type Vectors,
  writeVectors,
} from '../src/index.ts';
import { DAMPING, mergeByPlace } from '../src/vectors/merge.ts';
import { config, exportSite, page, type TestSite } from './site.ts';

const RUNS = { numRuns: 300 };

/** Numbers between -1 and 1, always the same for a seed. */
function numbers(seed: number, count: number): number[] {
  let state = seed >>> 0 || 1;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

function cosineOf(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, at) => sum + value * y[at]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

function vectorsOf(rows: readonly (readonly number[] | null)[], dimensions: number): ComparableVectors {
  const values = new Int8Array(rows.length * dimensions);
  for (const [row, vector] of rows.entries())
    if (vector !== null) values.set(quantize(vector) ?? [], row * dimensions);
  return prepareVectors({
    space: 'test',
    dimensions,
    directories: [{ path: '_offprint/search.js', sections: rows.length }],
    count: rows.length,
    digests: new Uint8Array(rows.length * DIGEST_BYTES),
    values,
  });
}

function scan(vectors: ComparableVectors, query: readonly number[]): Float32Array {
  const cosines = new Float32Array(vectors.count);
  compareVectors(vectors, quantizeQuery(query)!, cosines, 0, vectors.count);
  return cosines;
}

describe('vectors of one byte for each dimension', () => {
  test('keep the cosines of the vectors that they are made of', () => {
    const dimensions = fc.integer({ min: 8, max: 1_500 });
    fc.assert(
      fc.property(
        dimensions,
        fc.integer(),
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        (length, seed, scale) => {
          const a = numbers(seed, length);
          const b = numbers(seed + 1, length).map((value) => value * scale);
          expect(scan(vectorsOf([a], length), b)[0]).toBeCloseTo(cosineOf(a, b), 1);
        },
      ),
      RUNS,
    );
  });

  test('find the same ten sections as whole vectors, but for nearly equal ones', () => {
    const rows = Array.from({ length: 2_000 }, (_, row) => numbers(row + 1, 256));
    const query = numbers(9_999, 256);
    const exact = rows.map((row) => cosineOf(row, query));
    const cosines = scan(vectorsOf(rows, 256), query);
    const best = (list: ArrayLike<number>) =>
      [...rows.keys()].sort((a, b) => list[b]! - list[a]!).slice(0, 10);
    const found = best(cosines);
    expect(found[0]).toBe(best(exact)[0]);
    expect(found.filter((row) => best(exact).includes(row)).length).toBeGreaterThanOrEqual(9);
    for (const row of found) expect(exact[row]).toBeGreaterThan(exact[best(exact)[9]!]! - 0.01);
  });

  test('that have no direction are none, and are similar to nothing', () => {
    for (const values of [
      [],
      [0, 0],
      [Number.NaN, 1],
      [Number.POSITIVE_INFINITY, 1],
      new Array(4_097).fill(1),
    ])
      expect([quantize(values), quantizeQuery(values)]).toEqual([null, null]);
    expect([...scan(vectorsOf([null, [1, 0]], 2), [1, 0])]).toEqual([0, 1]);
  });

  test('of the largest values and the most dimensions do not overflow', () => {
    const most = new Array(4_096).fill(1);
    const vectors = vectorsOf([most, most.map((value) => -value)], 4_096);
    expect([...scan(vectors, most)].map((cosine) => Math.round(cosine * 1e4) / 1e4)).toEqual([1, -1]);
  });

  test('are compared alike whatever their number, their dimensions and the part that is compared', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 14 }),
        fc.integer({ min: 1, max: 19 }),
        fc.nat(14),
        fc.integer(),
        (count, length, from, seed) => {
          const rows = Array.from({ length: count }, (_, row) => numbers(seed + row, length));
          const vectors = vectorsOf(rows, length);
          const query = quantizeQuery(numbers(seed - 1, length))!;
          const cosines = new Float32Array(count).fill(9);
          compareVectors(vectors, query, cosines, Math.min(from, count), count);
          for (const row of rows.keys()) {
            const values = [...vectors.values.subarray(row * length, (row + 1) * length)];
            if (row < from) expect(cosines[row]).toBe(9);
            else expect(cosines[row]).toBeCloseTo(cosineOf(values, [...query]), 5);
          }
        },
      ),
      RUNS,
    );
  });

  test('are not compared with a query of other dimensions', () => {
    expect(() => scan(vectorsOf([[1, 2]], 2), [1, 2, 3])).toThrow(RangeError);
  });
});

describe('a file of vectors', () => {
  const example = (rows: number, dimensions: number, seed = 1): Vectors => ({
    space: 'abc',
    dimensions,
    directories: [
      { path: '_offprint/search.en.js', sections: Math.ceil(rows / 2) },
      { path: '_offprint/search.fr.js', sections: Math.floor(rows / 2) },
    ],
    count: rows,
    digests: Uint8Array.from(numbers(seed, rows * DIGEST_BYTES), (value) => value * 127),
    values: Int8Array.from(numbers(seed, rows * dimensions), (value) => value * 127),
  });

  test('returns what was written, at any place of a buffer', () => {
    fc.assert(
      fc.property(
        fc.nat(20),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(9),
        fc.integer(),
        (rows, length, offset, seed) => {
          const vectors = example(rows, length, seed);
          const file = writeVectors(vectors);
          const moved = new Uint8Array(file.length + offset);
          moved.set(file, offset);
          expect(readVectors(moved.subarray(offset))).toEqual(vectors);
        },
      ),
      RUNS,
    );
  });

  test('has one byte for each dimension, and 16 for the name of each text', () => {
    const bytes = (rows: number) => writeVectors(example(rows, 768)).length;
    expect(bytes(80) - bytes(60)).toBe(20 * (768 + 16));
  });

  test('that is damaged, cut or from elsewhere is refused or read within its bytes', () => {
    const file = writeVectors(example(7, 12));
    const change = fc.record({
      at: fc.nat(file.length - 1),
      value: fc.nat(255),
      end: fc.nat(file.length),
      cuts: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        let damaged = Uint8Array.from(file);
        for (const { at, value, end, cuts } of changes) {
          if (cuts) damaged = damaged.slice(0, end);
          else if (at < damaged.length) damaged[at] = value;
        }
        expectRefusalOrWhole(damaged);
      }),
      { numRuns: 3_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => expectRefusalOrWhole(bytes)),
      RUNS,
    );
    const header = (text: string): Uint8Array => {
      const json = new TextEncoder().encode(text);
      const bytes = new Uint8Array(12 + json.length);
      bytes.set(new TextEncoder().encode('OFFPVEC1'));
      new DataView(bytes.buffer).setUint32(8, json.length, true);
      bytes.set(json, 12);
      return bytes;
    };
    for (const text of [
      '{}',
      '[]',
      'null',
      '{"space":"a","dimensions":0,"directories":[]}',
      '{"space":"a","dimensions":1e9,"directories":[]}',
      '{"space":"a","dimensions":2,"directories":[{"path":"x","sections":-1}]}',
      '{"space":"a","dimensions":2,"directories":[{"path":"x","sections":50001}]}',
      '{"space":1,"dimensions":2,"directories":[]}',
    ])
      expect(() => readVectors(header(text)), text).toThrow(DamagedVectorsError);
  });
});

function expectRefusalOrWhole(bytes: Uint8Array): void {
  try {
    const { count, dimensions, values, digests } = readVectors(bytes);
    expect(values.length).toBe(count * dimensions);
    expect(digests.length).toBe(count * DIGEST_BYTES);
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedVectorsError);
  }
}

test('lists are merged by places, the earlier list first among equals', () => {
  const merged = mergeByPlace([
    ['a', 'b', 'c'].map((item) => ({ item, weight: 1 })),
    ['c', 'd'].map((item) => ({ item, weight: 1 })),
    [{ item: 'e', weight: 0.5 }],
  ]);
  expect(merged.map(({ item }) => item)).toEqual(['c', 'a', 'b', 'd', 'e']);
  expect(merged[0]?.points).toBeCloseTo(1 / (DAMPING + 3) + 1 / (DAMPING + 1));
});

describe('a search with similarities', () => {
  let site: TestSite;
  let search: SiteSearch;
  let records: SearchRecord[];

  beforeAll(async () => {
    site = await exportSite({
      'docs.json': config({
        versions: ['v2', 'v1'].map((version) => ({
          version,
          groups: [
            { group: 'Start', pages: [`${version}/welcome`, `${version}/cancel`] },
            { group: 'Billing', pages: [`${version}/invoices`] },
          ],
        })),
      }),
      ...Object.fromEntries(
        ['v2', 'v1'].flatMap((version) => [
          [`${version}/welcome.mdx`, page('Welcome', `Hello to ${version}. Payments are explained.`)],
          [`${version}/cancel.mdx`, page('Cancel', 'Ends it.\n\n## End the contract\n\nNotice of a month.')],
          [`${version}/invoices.mdx`, page('Invoices', 'Sent by month.')],
        ]),
      ),
    });
    const opened = await openSiteSearch(site.read);
    if (opened === null) throw new Error('the site has no search');
    search = opened;
    records = [];
    for await (const some of readRecords(site.read)) records.push(...some);
  });

  /** Cosines by path and anchor; all others are 0.1. */
  const alike = (cosines: Readonly<Record<string, number>>) =>
    new Map([['_offprint/search.js', Float32Array.from(records, ({ id }) => cosines[id] ?? 0.1)]]);
  const find = async (query: string, cosines: Readonly<Record<string, number>>, more: object = {}) =>
    (await search.search({ query, limit: 10, similarities: alike(cosines), ...more })).hits;
  const pathsOf = async (...request: Parameters<typeof find>) =>
    (await find(...request)).map(({ path }) => path);
  const CONTRACT = { 'v2/cancel#end-the-contract': 0.9, 'v1/cancel#end-the-contract': 0.9 };

  test('the texts of vectors are in the order of the sections of the index', async () => {
    const texts: string[] = [];
    for await (const { directory, texts: ofPage } of readSectionTexts(site.read)) {
      expect(directory).toBe('_offprint/search.js');
      texts.push(...ofPage);
    }
    expect(texts).toHaveLength(records.length);
    const at = records.findIndex(({ id }) => id === 'v2/cancel#end-the-contract');
    expect(texts[at]).toBe('Start > Cancel > End the contract\nNotice of a month.');
  });

  test('finds a page of which the query has no word, with its most similar section first', async () => {
    const [first] = await find('quit the subscription', CONTRACT);
    expect(first).toMatchObject({
      path: 'v2/cancel',
      score: 1,
      isComplete: false,
      sections: [{ anchor: 'end-the-contract', text: 'Notice of a month.' }],
    });
  });

  test('puts a page first that words and vectors have found', async () => {
    expect(await pathsOf('month', { 'v2/invoices': 0.8, 'v2/cancel#end-the-contract': 0.79 })).toEqual(
      expect.arrayContaining(['v2/invoices', 'v2/cancel']),
    );
    expect((await pathsOf('payments', { ...CONTRACT, 'v2/welcome': 0.89 }))[0]).toBe('v2/welcome');
  });

  test('leaves out pages that are closer to the mean of all than to the best one', async () => {
    expect(await pathsOf('zzzzqqqq', { 'v2/cancel': 0.9, 'v2/invoices': 0.3 })).toEqual(['v2/cancel']);
  });

  test('finds the best few pages of a site on which all are similar', async () => {
    const all = Object.fromEntries(records.map(({ id }, at) => [id, 0.8 - at / 1_000]));
    expect((await pathsOf('zzzzqqqq', all)).length).toBeGreaterThanOrEqual(3);
  });

  test('applies the filters to both, and prefers the default version', async () => {
    expect(await pathsOf('quit', CONTRACT)).toEqual(['v2/cancel', 'v1/cancel']);
    expect(await pathsOf('quit', CONTRACT, { version: 'v1' })).toEqual(['v1/cancel']);
    expect(await pathsOf('quit', CONTRACT, { version: 'v9' })).toEqual([]);
    expect(await pathsOf('quit', CONTRACT, { tag: 'start', version: 'v1' })).toEqual(['v1/cancel']);
    expect(await pathsOf('quit', { ...CONTRACT, 'v1/invoices': 0.2 }, { tag: 'billing' })).not.toContain(
      'v1/cancel',
    );
    expect(await pathsOf('month', CONTRACT, { minScore: 1 })).toHaveLength(1);
  });

  test('scores fall from 1, and none is more than the one before', async () => {
    const scores = (await find('month', CONTRACT)).map(({ score }) => score);
    expect(scores[0]).toBe(1);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  test('compares all languages if it is asked to, else one', async () => {
    const languages = await exportSite({
      'docs.json': config({
        languages: ['en', 'de'].map((language) => ({
          language,
          groups: [{ group: 'G', pages: [`${language}/index`, `${language}/end`] }],
        })),
      }),
      ...Object.fromEntries(
        ['en', 'de'].flatMap((language) => [
          [`${language}/index.mdx`, page('Home', 'Text.')],
          [`${language}/end.mdx`, page('End', 'Text.')],
        ]),
      ),
    });
    const opened = await openSiteSearch(languages.read);
    const similarities = new Map([
      ['_offprint/search.en.js', Float32Array.of(0.1, 0.7)],
      ['_offprint/search.de.js', Float32Array.of(0.1, 0.9)],
    ]);
    const found = async (more: object) =>
      (await opened?.search({ query: 'finish', limit: 9, similarities, ...more }))?.hits.map(
        ({ path }) => path,
      );
    expect(await found({ everyLanguage: true })).toEqual(['de/end', 'en/end']);
    expect(await found({ language: 'de' })).toEqual(['de/end']);
    expect(await found({})).toEqual(['en/end']);
  });

  test('is the search by words where the index has no similarities', async () => {
    const words = await search.search({ query: 'month', limit: 10 });
    const other = await search.search({ query: 'month', limit: 10, similarities: new Map() });
    expect(other.hits.map(({ path }) => path)).toEqual(words.hits.map(({ path }) => path));
  });
});
