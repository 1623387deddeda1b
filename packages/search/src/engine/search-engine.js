/**
 * Finds and ranks pages. Knows no document and no network: `load(name)` brings the data of one file of the index, so
 * that the same code runs in a page and in a test.
 */
import { eachPosting, readNumbers, readWords } from './search-data.js';
import { guessWords } from './search-guess.js';
import { namesOf } from './search-names.js';
import { bestSections, compareWithNames, scorePages, sumUp } from './search-rank.js';
import { eachContentWord, readStopWords } from './search-stop.js';
import { stemOf } from './search-tokens.js';

const FACETS = ['version', 'product', 'tab'];
const MAX_WORDS = 12;
/** Files of words that one word of a query may ask for: its own, and those that begin or stem like it. */
const MAX_SHARDS = 4;
const MAX_EXPANSIONS = 80;
/** Fewer places than this, and the word may be mistyped. */
const FEW_PLACES = 3;
/** Share of the points for a word one slip away; less where what was typed is a word of the site too. */
const GUESSED = 0.6;
const RATHER_NOT = 0.15;
/** Share of a word that says little in a question. */
const WEAK = 0.25;
/** Best pages whose names are compared with the query word by word: those whose texts are shown first. */
const COMPARED = 6;
/** Share of the points for a page of a version that is neither the default one nor chosen. */
const OTHER_VERSION = 0.85;
/** A page that a filter keeps out is mentioned if it has this many times the points of the first result. */
const MUCH_BETTER = 1.5;
const MAX_PLACES = 2;
/** Times the points of the best page: more than its names can add. */
const FIRST = 3;
const LAST = '\uffff';
/** Hexadecimal digits of a digest, and how many are in one list. */
const DIGEST = 12;
const LIST = 1024;

/**
 * @typedef {{ term: string, isLast: boolean, isWhole: boolean, whole: QueryWord | null, isInQuestion: boolean, weight: number }} QueryWord
 * @typedef {{ page: number, score: number, sections: number[], isPartial: boolean }} Result
 * @typedef {{ output: string, title: string, crumbs: string[], method: string, id: string, heading: string, text: string }} Entry
 */

/**
 * Words of what was typed, without stop words. The last one may be the beginning of a word; a camelCase name is wished
 * for as a whole, and its parts are asked for.
 * @param {string} query
 * @param {import('./search-stop.js').StopWords} stop
 * @returns {QueryWord[]}
 */
export function readQuery(query, stop) {
  const found = new Map();
  let whole = null;
  const isQuestion = eachContentWord(query, stop, (start, end, term) => {
    const isPart = whole !== null && start >= whole.start && end <= whole.end;
    if (isPart) whole.entry.isWhole = true;
    const entry = {
      term,
      isLast: end === query.length,
      isWhole: false,
      whole: isPart ? whole.entry : null,
      isInQuestion: false,
      weight: 1,
    };
    if (!isPart) whole = { start, end, entry };
    const known = found.get(term);
    if (known === undefined && found.size < MAX_WORDS) found.set(term, entry);
    else if (known !== undefined && entry.isLast) known.isLast = true;
  });
  const words = [...found.values()];
  for (const word of words) word.isInQuestion = isQuestion;
  const isWeak = ({ term }) => isQuestion && stop.weak.has(term);
  if (words.every(isWeak)) return words;
  for (const word of words) if (isWeak(word)) word.weight = WEAK;
  return words;
}

/**
 * @param {Record<string, any>} directory content of the directory file
 * @param {(name: string) => Promise<any>} load data of a file, by kind and digest (`t-0123456789ab`)
 */
export function createEngine(directory, load) {
  const engine = {
    load,
    files: new Map(),
    digests: directory.digests,
    shardStarts: readWords(directory.shards),
    letters: directory.letters,
    nameStarts: readWords(directory.names ?? ''),
    labels: directory.labels,
    stop: readStopWords(directory.stop),
    versions: directory.versions.map((label) => directory.labels[0].indexOf(label) + 1),
    pageCount: 0,
    ...readLayout(directory),
  };
  return {
    /**
     * @param {string} query
     * @param {Record<string, string | null>} [filters] labels by facet
     */
    search: (query, filters = {}) => search(engine, query, filters),
    /** @param {number} section @returns {Promise<Entry>} */
    entry: (section) => readEntry(engine, section),
    /** First section of a page. @param {number} page @returns {number} */
    startOf: (page) => engine.pageStarts[page],
    /** @param {number} page @param {string} name @returns {string | null} label of a page */
    facetOf: (page, name) => {
      const at = FACETS.indexOf(name);
      return engine.labels[at][engine.facets[at][page] - 1] ?? null;
    },
    /** @returns {Record<string, string[]>} labels by facet */
    facets: () => Object.fromEntries(FACETS.map((name, index) => [name, directory.labels[index]])),
  };
}

function readLayout(directory) {
  const sections = readNumbers(directory.pages);
  const pageStarts = sums(sections);
  const pageOf = new Int32Array(pageStarts[sections.length]);
  const isStart = new Uint8Array(pageOf.length);
  for (let page = 0; page < sections.length; page++) {
    pageOf.fill(page, pageStarts[page], pageStarts[page + 1]);
    isStart[pageStarts[page]] = 1;
  }
  const facets = FACETS.map(() => new Uint16Array(sections.length));
  const runs = readNumbers(directory.runs);
  let page = 0;
  for (let at = 0; at < runs.length; at += FACETS.length + 1) {
    for (const [index, values] of facets.entries()) values.fill(runs[at + 1 + index], page, page + runs[at]);
    page += runs[at];
  }
  const boosts = new Float32Array(sections.length).fill(1);
  const given = readNumbers(directory.boosts);
  for (let at = 0; at < given.length; at += 2) boosts[given[at]] = given[at + 1] / 10;
  const chunkStarts = sums(readNumbers(directory.chunks));
  return { pageStarts, pageOf, isStart, facets, boosts, chunkStarts, pageCount: sections.length };
}

function sums(counts) {
  const starts = new Int32Array(counts.length + 1);
  for (let at = 0; at < counts.length; at++) starts[at + 1] = starts[at] + counts[at];
  return starts;
}

/** Index of the last start that is not beyond the value. */
function placeIn(starts, value) {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const digestAt = (digests, number) => digests.slice(number * DIGEST, (number + 1) * DIGEST);

/** A file of the index by its kind and number. */
const numbered = (engine, kind, number, read) =>
  file(engine, `${kind}-${digestAt(engine.digests[kind], number)}`, read);

/** A file of the index, asked for once; a failed one is asked for again. */
function file(engine, name, read) {
  let asked = engine.files.get(name);
  if (asked === undefined) {
    asked = engine.load(name).then(read);
    asked.catch(() => engine.files.delete(name));
    engine.files.set(name, asked);
  }
  return asked;
}

const readShard = ([words, lists]) => ({ words: readWords(words), lists: lists.split(' ') });

function shardsBetween(engine, from, to) {
  const first = Math.max(0, placeIn(engine.shardStarts, from));
  const last = Math.max(first, placeIn(engine.shardStarts, to));
  const names = [];
  for (let at = first; at <= last && names.length < MAX_SHARDS; at++) names.push(at);
  return engine.shardStarts.length === 0 ? [] : names;
}

async function loadShards(engine, numbers) {
  return Promise.all([...numbers].map((number) => numbered(engine, 't', number, readShard)));
}

async function search(engine, query, filters) {
  const words = readQuery(query, engine.stop);
  const [named, ...found] = await Promise.all([
    findNamed(engine, query),
    ...words.map((word) => findWord(engine, word)),
  ]);
  const hits = withoutWrongParts(found);
  const ranked = await rank(engine, hits, named, readFilters(engine, filters));
  return {
    results: ranked.results,
    /** Index of the first result from which on none has all words. */
    partialFrom: ranked.results.findLastIndex(({ isPartial }) => !isPartial) + 1,
    /** Pages that the filters keep out. */
    outside: ranked.outside,
    /** Where filters keep out pages that fit much better than the first result. */
    places: ranked.places,
    /** Words of the index that stand for those of the query. */
    terms: new Set(hits.flatMap((hit) => hit.matches.map(({ term }) => term))),
    corrections: hits.flatMap((hit) => (hit.guess === null ? [] : [{ from: hit.word.term, to: hit.guess }])),
  };
}

/** Pages of which the query is the name: a path with or without the method, or an operation id. */
async function findNamed(engine, query) {
  const found = new Set();
  if (engine.nameStarts.length === 0) return found;
  for (const name of namesOf(query)) {
    // Several methods of one path may begin in the file after it.
    const first = Math.max(0, placeIn(engine.nameStarts, name));
    const last = Math.max(0, placeIn(engine.nameStarts, name + LAST));
    for (let at = first; at <= last; at++) {
      const { words, pages } = await numbered(engine, 'n', at, readNames);
      for (let index = lowerBound(words, name); words[index]?.startsWith(name); index++)
        if (words[index] === name || name.endsWith('#')) found.add(pages[index]);
    }
  }
  return found;
}

const readNames = ([names, pages]) => ({ words: readWords(names), pages: readNumbers(pages) });

/** A mistyped word with capitals looks like a name (MSyQL), whose parts are not words of the site: it stands for itself. */
function withoutWrongParts(hits) {
  const isKnown = ({ matches }) => matches.some(({ factor }) => factor === 1);
  const wrong = new Set(
    hits
      .filter((hit) => hit.guess !== null && hit.word.isWhole)
      .map(({ word }) => word)
      .filter((word) => hits.some((hit) => hit.word.whole === word && !isKnown(hit))),
  );
  for (const word of wrong) word.isWhole = false;
  return hits.filter(({ word }) => !wrong.has(word.whole));
}

async function findWord(engine, word) {
  const stem = word.term.length > 3 ? stemOf(word.term) : word.term;
  const numbers = new Set([
    ...shardsBetween(engine, word.term, word.isLast ? word.term + LAST : word.term),
    ...(word.term.length > 3 ? shardsBetween(engine, stem, stem + LAST) : []),
  ]);
  const shards = await loadShards(engine, numbers);
  const found = shards.flatMap((shard) => expand(shard, word, stem));
  found.sort((a, b) => b.factor - a.factor || (a.term < b.term ? -1 : 1));
  const matches = found.slice(0, MAX_EXPANSIONS);
  const isCommon = matches.some(({ factor, list }) => factor === 1 && list.startsWith('!'));
  const hit = { word, matches, isCommon, guess: null };
  if (!isCommon && /^\p{L}{4,}$/u.test(word.term) && isRare(matches)) await guess(engine, hit);
  return hit;
}

function isRare(matches) {
  // A posting has at least one character.
  if (matches.some(({ list }) => list.length > 8 * FEW_PLACES)) return false;
  let places = 0;
  for (const { list } of matches)
    eachPosting(list, () => {
      places++;
    });
  return places < FEW_PLACES;
}

/** Words of a shard that the word may stand for, each with its share of the points. */
function expand(shard, word, stem) {
  const found = [];
  const from = stem < word.term ? stem : word.term;
  for (let at = lowerBound(shard.words, from); at < shard.words.length; at++) {
    const term = shard.words[at];
    if (!term.startsWith(from)) break;
    const factor = likeness(term, word, stem);
    if (factor > 0) found.push({ term, factor, list: shard.lists[at] });
  }
  return found;
}

function likeness(term, { term: asked, isLast }, stem) {
  if (term === asked) return 1;
  const goesOn = term.startsWith(asked);
  if (asked.length > 3 && stemOf(term) === stem) return goesOn || asked.startsWith(term) ? 0.85 : 0.7;
  if (!goesOn) return 0;
  if (isLast) return Math.max(0.35, 0.75 - 0.04 * (term.length - asked.length));
  return /^\d+$/.test(term.slice(asked.length)) ? 0.6 : 0;
}

function lowerBound(words, value) {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function guess(engine, hit) {
  const { term, isLast } = hit.word;
  const isUnknown = hit.matches.length === 0;
  const most = term.length > 7 && isUnknown ? 2 : 1;
  const near = await guessWords(term, isLast, most, engine.letters, (number) =>
    numbered(engine, 'v', number, readWords),
  );
  const known = new Set(hit.matches.map((match) => match.term));
  const best = near.filter(({ word }) => !known.has(word));
  if (best.length === 0) return;
  const factor = isUnknown ? GUESSED / best[0].distance : RATHER_NOT;
  const shards = await loadShards(
    engine,
    new Set(best.flatMap(({ word }) => shardsBetween(engine, word, word))),
  );
  for (const { word } of best) {
    for (const shard of shards) {
      const at = lowerBound(shard.words, word);
      if (shard.words[at] === word) hit.matches.push({ term: word, factor, list: shard.lists[at] });
    }
  }
  if (isUnknown) hit.guess = best[0].word;
}

function readFilters(engine, filters) {
  return FACETS.flatMap((name, index) => {
    const label = filters[name];
    const number = label === undefined || label === null ? 0 : engine.labels[index].indexOf(label) + 1;
    return number === 0 ? [] : [{ facet: index, values: engine.facets[index], number }];
  });
}

/** A page outside of all versions belongs to each of them. */
const passes = (filters, page) =>
  filters.every(({ values, number }) => values[page] === 0 || values[page] === number);

async function rank(engine, hits, named, filters) {
  const sums = sumUp(engine, hits);
  const { scores, best } = scorePages(engine, sums);
  preferNamed(named, sums, scores);
  preferVersions(engine, filters, sums.pages, scores);
  const byScore = (a, b) => scores[b] - scores[a] || a - b;
  // A page with nothing but a whole name of which the query has parts as well has no points.
  const pages = sums.pages.filter((page) => scores[page] > 0);
  const found = pages.filter((page) => passes(filters, page)).sort(byScore);
  const places = findPlaces(engine, pages, filters, scores, found.length === 0 ? 0 : scores[found[0]]);
  const results = found.map((page) => ({
    page,
    score: scores[page],
    isPartial: sums.pageWords[page] < sums.required && !named.has(page),
    isNamed: named.has(page),
    get sections() {
      const sections = bestSections(engine, sums, best, page);
      return sections.length > 0 ? sections : [engine.pageStarts[page]];
    },
  }));
  await compareNames(engine, hits, results);
  return { results, outside: pages.length - found.length, places };
}

/** Pages of which the query is the name come before all others. */
function preferNamed(named, { pages }, scores) {
  let most = 0;
  for (const page of pages) most = Math.max(most, scores[page]);
  for (const page of named) {
    if (scores[page] === 0 && !pages.includes(page)) pages.push(page);
    scores[page] += FIRST * most + 1;
  }
}

/** Pages of the version that the reader chose, and of the default one, come before their older copies. */
function preferVersions({ facets, versions }, filters, pages, scores) {
  if (versions.length === 0) return;
  const preferred = [
    0,
    ...versions,
    ...filters.filter(({ facet }) => facet === 0).map(({ number }) => number),
  ];
  for (const page of pages) if (!preferred.includes(facets[0][page])) scores[page] *= OTHER_VERSION;
}

/** Other versions, products or tabs with better pages than the best one that the filters let through, best first. */
function findPlaces({ facets, labels }, pages, filters, scores, atBest) {
  const places = new Map();
  const better = pages.filter((page) => scores[page] > MUCH_BETTER * atBest && !passes(filters, page));
  for (const page of better.sort((a, b) => scores[b] - scores[a] || a - b)) {
    const changes = filters
      .filter((filter) => !passes([filter], page))
      .map(({ facet }) => [FACETS[facet], labels[facet][facets[facet][page] - 1]]);
    const key = JSON.stringify(changes);
    const place = places.get(key) ?? { filters: Object.fromEntries(changes), count: 0 };
    place.count++;
    places.set(key, place);
  }
  return [...places.values()].slice(0, MAX_PLACES);
}

/** Words that stand for one of the query in names: other forms of it only if the site does not have it as typed. */
function termsOf({ word, matches }) {
  const isKnown = matches.some(({ factor }) => factor === 1);
  const terms = matches.map(({ term }) => term);
  return new Set(isKnown ? terms.filter((term) => term.startsWith(word.term)) : terms);
}

/** Orders the first results again by the names of their pages and sections, word by word. */
async function compareNames(engine, hits, results) {
  const first = results.slice(0, COMPARED);
  const words = hits.map(termsOf);
  const compared = await Promise.all(
    first.map(async (result) => {
      const entries = await Promise.all(result.sections.map((section) => readEntry(engine, section)));
      const { factor, isSame } = compareWithNames(words, engine.stop, entries);
      result.score *= factor;
      const isOperation = entries[0].method !== '';
      return { result, isOperation, isSame: isSame || (isOperation && result.isNamed) };
    }),
  );
  // A guide comes before an operation or event of its name.
  const guides = compared.filter(({ isSame, isOperation }) => isSame && !isOperation);
  const limit = Math.max(0, ...guides.map(({ result }) => result.score)) * 0.99;
  for (const { result, isSame, isOperation } of compared)
    if (isSame && isOperation && limit > 0) result.score = Math.min(result.score, limit);
  first.sort((a, b) => b.score - a.score || a.page - b.page);
  for (const [at, result] of first.entries()) results[at] = result;
}

function readChunk(parts) {
  return parts.flatMap(([output, title, crumbs, method, sections]) =>
    sections.map(([id, heading, text]) => ({ output, title, crumbs, method, id, heading, text })),
  );
}

async function readEntry(engine, section) {
  const chunk = placeIn(engine.chunkStarts, section);
  const list = await numbered(engine, 'l', Math.floor(chunk / LIST), String);
  const entries = await file(engine, `c-${digestAt(list, chunk % LIST)}`, readChunk);
  return entries[section - engine.chunkStarts[chunk]];
}
