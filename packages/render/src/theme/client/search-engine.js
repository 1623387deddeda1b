/**
 * Finds and ranks pages. Knows no document and no network: `load(name)` brings the data of one file of the index, so
 * that the same code runs in a page and in a test.
 */
import { eachPosting, readNumbers, readWords } from './search-data.js';
import { eachToken, stemOf } from './search-tokens.js';

const FACETS = ['version', 'product', 'tab'];
const MAX_WORDS = 12;
/** Files of words that one word of a query may ask for: its own, and those that begin or stem like it. */
const MAX_SHARDS = 4;
const MAX_EXPANSIONS = 80;
const MAX_GUESSES = 6;
/** Fewer pages than this, and the word may be mistyped. */
const FEW_PAGES = 3;
/** Fewer pages with all words than this, and pages with some of them follow. */
const FEW_RESULTS = 4;
/** Share of the points for a word one slip away; less where what was typed is a word of the site too. */
const GUESSED = 0.6;
const RATHER_NOT = 0.15;
const MAX_HITS = 3;
/** Share of the points for a page of another version than the default one, if the reader has chosen none. */
const OTHER_VERSION = 0.894;
const LAST = '\uffff';

/**
 * @typedef {{ term: string, isLast: boolean, isWhole: boolean }} QueryWord
 * @typedef {{ page: number, score: number, sections: number[], isPartial: boolean }} Result
 * @typedef {{ output: string, title: string, crumbs: string[], method: string, id: string, heading: string, text: string }} Entry
 */

/**
 * Words of what was typed. The last one may be the beginning of a word; a camelCase name is wished for as a whole,
 * and its parts are asked for.
 * @param {string} query
 * @returns {QueryWord[]}
 */
export function readQuery(query) {
  const found = new Map();
  let whole = null;
  eachToken(query, (start, end, word) => {
    const term = word ?? query.slice(start, end).toLowerCase();
    const isPart = whole !== null && start >= whole.start && end <= whole.end;
    if (isPart) whole.entry.isWhole = true;
    const entry = { term, isLast: end === query.length, isWhole: false };
    if (!isPart) whole = { start, end, entry };
    const known = found.get(term);
    if (known === undefined && found.size < MAX_WORDS) found.set(term, entry);
    else if (known !== undefined && entry.isLast) known.isLast = true;
  });
  return [...found.values()];
}

/**
 * @param {Record<string, any>} directory content of the directory file
 * @param {(name: string) => Promise<any>} load data of `t0`, `v0`, `c0`...
 */
export function createEngine(directory, load) {
  const engine = {
    load,
    files: new Map(),
    shardStarts: readWords(directory.shards),
    letters: directory.letters,
    labels: directory.labels,
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
  for (let page = 0; page < sections.length; page++)
    pageOf.fill(page, pageStarts[page], pageStarts[page + 1]);
  const facets = FACETS.map(() => new Uint16Array(sections.length));
  const runs = readNumbers(directory.runs);
  let page = 0;
  for (let at = 0; at < runs.length; at += FACETS.length + 1) {
    for (const [index, values] of facets.entries()) values.fill(runs[at + 1 + index], page, page + runs[at]);
    page += runs[at];
  }
  const boosts = new Float32Array(sections.length).fill(1);
  const versions = directory.versions.map((label) => directory.labels[0].indexOf(label) + 1);
  const given = readNumbers(directory.boosts);
  for (let at = 0; at < given.length; at += 2) boosts[given[at]] = given[at + 1] / 10;
  const chunkStarts = sums(readNumbers(directory.chunks));
  return { pageStarts, pageOf, facets, boosts, versions, chunkStarts, pageCount: sections.length };
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
  return Promise.all([...numbers].map((number) => file(engine, `t${number}`, readShard)));
}

async function search(engine, query, filters) {
  const words = readQuery(query);
  const hits = await Promise.all(words.map((word) => findWord(engine, word)));
  const ranked = rank(engine, hits, readFilters(engine, filters));
  return {
    results: ranked.results,
    /** Pages that the filters keep out. */
    outside: ranked.outside,
    /** Words of the index that stand for those of the query. */
    terms: new Set(hits.flatMap((hit) => [...hit.terms])),
    corrections: hits.flatMap((hit) => (hit.guess === null ? [] : [{ from: hit.word.term, to: hit.guess }])),
  };
}

async function findWord(engine, word) {
  const hit = {
    word,
    /** Best points in each section and page, and those that have any. */
    scores: new Float32Array(engine.pageOf.length),
    sections: [],
    pageScores: new Float32Array(engine.pageCount),
    pages: [],
    terms: new Set(),
    isCommon: false,
    guess: null,
  };
  const stem = word.term.length > 3 ? stemOf(word.term) : word.term;
  const numbers = new Set([
    ...shardsBetween(engine, word.term, word.isLast ? word.term + LAST : word.term),
    ...(word.term.length > 3 ? shardsBetween(engine, stem, stem + LAST) : []),
  ]);
  const shards = await loadShards(engine, numbers);
  const found = shards.flatMap((shard) => expand(shard, word, stem));
  found.sort((a, b) => b.factor - a.factor || (a.term < b.term ? -1 : 1));
  for (const each of found.slice(0, MAX_EXPANSIONS)) addTerm(engine, hit, each);
  if (!hit.isCommon && hit.pages.length < FEW_PAGES && /^\p{L}{4,}$/u.test(word.term))
    await guess(engine, hit);
  return hit;
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

function addTerm({ pageOf }, hit, { term, factor, list }) {
  const { scores, sections, pageScores, pages } = hit;
  if (factor === 1 && list.startsWith('!')) hit.isCommon = true;
  hit.terms.add(term);
  eachPosting(list, (section, weight) => {
    const points = weight * factor;
    if (points <= scores[section]) return;
    if (scores[section] === 0) sections.push(section);
    scores[section] = points;
    const page = pageOf[section];
    if (points <= pageScores[page]) return;
    if (pageScores[page] === 0) pages.push(page);
    pageScores[page] = points;
  });
}

/** Words of the site that are one slip of the hand away, two for long ones. */
async function guess(engine, hit) {
  const { term, isLast } = hit.word;
  const isUnknown = hit.pages.length === 0;
  const most = term.length > 7 && isUnknown ? 2 : 1;
  const [first, second] = term;
  const numbers = [
    ...new Set([first, second].map((letter) => engine.letters.findIndex((group) => group.includes(letter)))),
  ].filter((number) => number >= 0);
  const lists = await Promise.all(numbers.map((number) => file(engine, `v${number}`, readWords)));
  const near = [];
  for (const word of lists.flat()) {
    if (word === term || hit.terms.has(word)) continue;
    const distance = editDistance(term, word, most, isLast);
    if (distance <= most) near.push({ word, distance, length: Math.abs(word.length - term.length) });
  }
  near.sort((a, b) => a.distance - b.distance || a.length - b.length || (a.word < b.word ? -1 : 1));
  const best = near.filter(({ distance }) => distance === near[0].distance).slice(0, MAX_GUESSES);
  if (best.length === 0) return;
  const share = isUnknown ? GUESSED / best[0].distance : RATHER_NOT;
  const numbersOfShards = new Set(best.flatMap(({ word }) => shardsBetween(engine, word, word)));
  const shards = await loadShards(engine, numbersOfShards);
  for (const { word } of best) {
    for (const shard of shards) {
      const at = lowerBound(shard.words, word);
      if (shard.words[at] !== word) continue;
      addTerm(engine, hit, { term: word, factor: share, list: shard.lists[at] });
    }
  }
  if (isUnknown) hit.guess = best[0].word;
}

/**
 * Insertions, deletions, replacements and swaps of adjacent characters between two words; above `most` any larger number.
 * With `isStart` the first may be the beginning of the second.
 * @param {string} asked
 * @param {string} word
 * @param {number} most
 * @param {boolean} isStart
 * @returns {number}
 */
export function editDistance(asked, word, most, isStart) {
  const width = isStart ? Math.min(word.length, asked.length + most) : word.length;
  if (Math.abs(width - asked.length) > most) return most + 1;
  let before = null;
  let row = Array.from({ length: width + 1 }, (_, at) => at);
  for (let i = 1; i <= asked.length; i++) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= width; j++) {
      const same = asked[i - 1] === word[j - 1];
      let cost = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1));
      if (before !== null && j > 1 && asked[i - 1] === word[j - 2] && asked[i - 2] === word[j - 1])
        cost = Math.min(cost, before[j - 2] + 1);
      next.push(cost);
      if (cost < least) least = cost;
    }
    if (least > most) return most + 1;
    before = row;
    row = next;
  }
  return isStart ? Math.min(...row.slice(Math.max(0, asked.length - most))) : row[width];
}

function readFilters(engine, filters) {
  return FACETS.flatMap((name, index) => {
    const label = filters[name];
    const number = label === undefined || label === null ? 0 : engine.labels[index].indexOf(label) + 1;
    return number === 0 ? [] : [{ values: engine.facets[index], number }];
  });
}

/** A page outside of all versions belongs to each of them. */
const passes = (filters, page) =>
  filters.every(({ values, number }) => values[page] === 0 || values[page] === number);

function rank(engine, hits, filters) {
  const asked = hits.filter((hit) => !hit.word.isWhole && !hit.isCommon);
  const required = new Set(asked.length > 0 ? asked : hits);
  const sums = sumUp(engine, hits, required);
  const found = sums.pages.filter((page) => passes(filters, page));
  const ranked = found
    .map((page) => resultOf(engine, sums, page, required.size))
    .sort((a, b) => b.score - a.score || a.page - b.page);
  const all = ranked.filter(({ isPartial }) => !isPartial);
  const results = all.length >= FEW_RESULTS ? all : [...all, ...ranked.filter(({ isPartial }) => isPartial)];
  return { results, outside: sums.pages.length - found.length };
}

/** Points of sections and pages over all words; rare words count more. */
function sumUp({ pageCount, pageOf }, hits, required) {
  const points = new Float32Array(pageOf.length);
  const words = new Uint8Array(pageOf.length);
  const pagePoints = new Float32Array(pageCount);
  const pageWords = new Uint8Array(pageCount);
  const best = new Float32Array(pageCount);
  const pages = [];
  for (const hit of hits) {
    const rarity = 0.2 + Math.log(1 + (pageCount - hit.pages.length + 0.5) / (hit.pages.length + 0.5));
    for (const section of hit.sections) {
      points[section] += rarity * hit.scores[section];
      words[section]++;
    }
    for (const page of hit.pages) {
      if (pagePoints[page] === 0) pages.push(page);
      pagePoints[page] += rarity * hit.pageScores[page];
      if (required.has(hit)) pageWords[page]++;
    }
  }
  // Words that stand close together count more than the same words far apart.
  const closeness = Float32Array.from(hits.concat(0), (_, count) => (count / hits.length) ** 1.5);
  const pointsOf = (section) => points[section] * closeness[words[section]];
  for (const hit of hits) {
    for (const section of hit.sections) {
      const page = pageOf[section];
      best[page] = Math.max(best[page], pointsOf(section));
    }
  }
  return { pages, pagePoints, pageWords, best, pointsOf };
}

/** @returns {Result} */
function resultOf(engine, sums, page, requiredCount) {
  const words = sums.pageWords[page];
  const share = requiredCount === 0 ? 1 : words / requiredCount;
  const points = sums.pagePoints[page] + 0.8 * sums.best[page];
  return {
    page,
    score: points * Math.sqrt(engine.boosts[page]) * share ** 2 * (engine.facets[0][page] === 0 || engine.versions.includes(engine.facets[0][page]) ? 1 : OTHER_VERSION),
    isPartial: words < requiredCount,
    get sections() {
      return bestSections(engine, sums, page);
    },
  };
}

function bestSections({ pageStarts }, { best, pointsOf }, page) {
  const start = pageStarts[page];
  const found = [];
  for (let section = start; section < pageStarts[page + 1]; section++) {
    const points = pointsOf(section);
    if (points > 0 && (section === start || points > 0.3 * best[page])) found.push({ section, points });
  }
  return found
    .sort((a, b) => b.points - a.points || a.section - b.section)
    .slice(0, MAX_HITS + 1)
    .map(({ section }) => section);
}

function readChunk(parts) {
  return parts.flatMap(([output, title, crumbs, method, sections]) =>
    sections.map(([id, heading, text]) => ({ output, title, crumbs, method, id, heading, text })),
  );
}

async function readEntry(engine, section) {
  const chunk = placeIn(engine.chunkStarts, section);
  const entries = await file(engine, `c${chunk}`, readChunk);
  return entries[section - engine.chunkStarts[chunk]];
}

/**
 * Pieces of a text, those that are hits marked. Without `size` the whole text, else the stretch of about that length
 * with the most different hits.
 * @param {string} text
 * @param {ReadonlySet<string>} terms
 * @param {number} [size]
 * @returns {{ text: string, isHit: boolean }[]}
 */
export function markHits(text, terms, size) {
  const ranges = findHits(text, terms);
  const [from, to] = size === undefined ? [0, text.length] : stretch(text, ranges, size);
  const pieces = [];
  let done = from;
  const add = (end, isHit) => {
    const piece = text.slice(done, end).replace(/\s+/g, ' ');
    if (piece !== '') pieces.push({ text: piece, isHit });
    done = end;
  };
  for (const { start, end } of ranges) {
    if (start < done || end > to) continue;
    add(start, false);
    add(end, true);
  }
  add(to, false);
  if (pieces.length > 0) {
    if (from > 0) pieces[0].text = `…${pieces[0].text.trimStart()}`;
    const last = pieces[pieces.length - 1];
    if (to < text.length) last.text = `${last.text.trimEnd()}…`;
  }
  return pieces;
}

/**
 * Positions of the words in a text, in order and without overlap.
 * @param {string} text
 * @param {ReadonlySet<string>} terms
 * @returns {{ start: number, end: number, term: string }[]}
 */
export function findHits(text, terms) {
  const ranges = [];
  eachToken(text, (start, end, word) => {
    const term = word ?? text.slice(start, end).toLowerCase();
    if (!terms.has(term)) return;
    const last = ranges[ranges.length - 1];
    // Parts of a name and pairs of characters overlap.
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else ranges.push({ start, end, term });
  });
  return ranges;
}

function stretch(text, ranges, size) {
  let best = 0;
  let from = 0;
  for (const [at, { start }] of ranges.entries()) {
    const seen = new Set();
    for (let next = at; next < ranges.length && ranges[next].end <= start + size * 0.8; next++)
      seen.add(ranges[next].term);
    if (seen.size <= best) continue;
    best = seen.size;
    from = start;
  }
  if (from < size * 0.5) from = 0;
  else from = wordStart(text, from - Math.round(size * 0.25));
  let to = Math.min(text.length, from + size);
  if (to < text.length) {
    const gap = text.slice(from, to).search(/\s\S*$/);
    if (gap > size * 0.7) to = from + gap;
  }
  return [from, to];
}

/** The next beginning of a word, so that no excerpt starts within one. */
function wordStart(text, from) {
  const gap = text.slice(from, from + 30).search(/\s/);
  return gap < 0 ? from : from + gap + 1;
}
