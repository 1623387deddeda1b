/**
 * The order of results. A page has points for each word of the query: the rarer the word, and the closer to the name of
 * the page, the more. The points count in full for a page with all words, and less the more is missing of what the words
 * say together. Names that consist of the words of the query count more still.
 */
import { eachPosting, NAME_LENGTHS, TEXT_ONLY, TEXT_WEIGHTS } from './search-data.js';
import { eachContentWord } from './search-stop.js';

/** Points of a word by where it is; one in a text has TEXT_WEIGHTS. */
const POINTS = { title: 14, heading: 7, label: 4, keyword: 4, context: 1.5, startText: 1.2 };
/** Share of the points for a word of a very long name. */
const LONG_NAME = 0.2;
/** Share of a word of a question that no title and no heading has. */
const ASIDE = 0.25;
/** Every word counts a little, even one that is on every page. */
const LEAST_RARITY = 0.2;
/** Weight of the best section beside the whole page, and how much less a section counts that lacks words. */
const SECTION = 4;
const SECTION_COVERAGE = 2;
/** How much less a page counts that lacks words. */
const COVERAGE = 2.5;
/** What a name adds that consists of the words of the query, as a share of the points. */
const NAMED = { title: 0.6, heading: 0.5, label: 0.15 };
/** The same if the words are in the order of the query, and if they are next to each other. */
const SAME_TITLE = 0.3;
const SAME_HEADING = 0.15;
const NEIGHBORS_IN_TITLE = 0.2;
const NEIGHBORS_IN_HEADING = 0.14;
const MAX_HITS = 3;
const IS_LABEL = 8;

/** Points by the code of a posting (`codeOf` in postings.ts), for the start of a page and for any other section. */
const AT_START = pointsOf((bits) => ({
  name: POINTS.title,
  rest: (bits & 1 && POINTS.context) + (bits & 2 && POINTS.keyword) + (bits & 4 && POINTS.startText),
}));
const ELSEWHERE = pointsOf((bits) => ({
  name: bits & 4 ? POINTS.label : POINTS.heading,
  rest: bits & 3 ? TEXT_WEIGHTS[(bits & 3) - 1] : 0,
}));

/** A word of a short name says more than one of a long name. */
function pointsOf(read) {
  const points = new Float32Array(TEXT_ONLY + 64);
  points.set(TEXT_WEIGHTS);
  for (let code = 0; code < 64; code++) {
    const length = NAME_LENGTHS[code >> 3];
    const { name, rest } = read(code & 7);
    const share = length === 0 ? 0 : LONG_NAME + (1 - LONG_NAME) / Math.sqrt(length);
    points[TEXT_ONLY + code] = name * share + rest;
  }
  return points;
}

/**
 * @typedef {{ term: string, factor: number, list: string }} Match
 * @typedef {{ word: { term: string, isWhole: boolean, isInQuestion: boolean, weight: number }, matches: Match[], isCommon: boolean }} Hit
 */

/**
 * Points of sections and pages over all words.
 * @param {any} engine
 * @param {Hit[]} hits
 */
export function sumUp({ pageCount, pageOf, isStart }, hits) {
  const count = pageOf.length;
  const sums = {
    points: new Float32Array(count),
    /** What the words in a section say together, those in its name, and how many these are. */
    shares: new Float32Array(count),
    nameShares: new Float32Array(count),
    nameWords: new Float32Array(count),
    /** Class of the length of each name that has a word, and IS_LABEL. */
    names: new Uint8Array(count),
    pagePoints: new Float32Array(pageCount),
    pageShares: new Float32Array(pageCount),
    pageWords: new Uint8Array(pageCount),
    pages: [],
    sections: [],
    share: 0,
    /** Words that a page must have, not to be called partial. */
    required: 0,
  };
  const asked = hits.filter(({ word, isCommon }) => !word.isWhole && !isCommon && word.weight === 1);
  const required = new Set(asked.length > 0 ? asked : hits);
  sums.required = required.size;
  const one = {
    points: new Float32Array(count),
    names: new Float32Array(count),
    pages: new Float32Array(pageCount),
  };
  for (const hit of hits) {
    const found = readMatches(hit, sums.names, one, pageOf, isStart);
    addWord(hit.word, found, sums, one, pageCount, required.has(hit));
  }
  return sums;
}

/** Best points of one word in each section and page. */
function readMatches({ matches }, names, one, pageOf, isStart) {
  const sections = [];
  const pages = [];
  for (const { factor, list } of matches) {
    eachPosting(list, (section, code) => {
      if (code >= TEXT_ONLY + 8) {
        const isLabel = isStart[section] === 0 && ((code - TEXT_ONLY) & 4) !== 0;
        names[section] = ((code - TEXT_ONLY) >> 3) | (isLabel ? IS_LABEL : 0);
        one.names[section] = Math.max(one.names[section], factor);
      }
      const points = (isStart[section] === 1 ? AT_START : ELSEWHERE)[code] * factor;
      if (raise(one.points, section, points, sections)) raise(one.pages, pageOf[section], points, pages);
    });
  }
  return { sections, pages };
}

/** Keeps the larger value, and lists the places that have one. */
function raise(values, at, value, places) {
  if (value <= values[at]) return false;
  if (values[at] === 0) places.push(at);
  values[at] = value;
  return true;
}

/** Adds the points of one word, more for a rare one, and clears them. */
function addWord(word, { sections, pages }, sums, one, pageCount, isRequired) {
  const rarity = LEAST_RARITY + Math.log(1 + (pageCount - pages.length + 0.5) / (pages.length + 0.5));
  // A word of a sentence that no name has says little of what the sentence is about.
  const isAside = word.isInQuestion && !sections.some((section) => one.names[section] > 0);
  const value = rarity * word.weight * (isAside ? ASIDE : 1);
  const share = word.isWhole ? 0 : value;
  sums.share += share;
  for (const section of sections) {
    if (sums.points[section] === 0) sums.sections.push(section);
    sums.points[section] += value * one.points[section];
    sums.shares[section] += share;
    sums.nameShares[section] += share * one.names[section];
    sums.nameWords[section] += one.names[section];
    one.points[section] = 0;
    one.names[section] = 0;
  }
  for (const page of pages) {
    if (sums.pagePoints[page] === 0) sums.pages.push(page);
    sums.pagePoints[page] += value * one.pages[page];
    sums.pageShares[page] += share;
    if (isRequired) sums.pageWords[page]++;
    one.pages[page] = 0;
  }
}

/** Points of the best section of each page, and of the pages themselves. */
export function scorePages({ pageOf, isStart, pageCount, boosts }, sums) {
  const best = new Float32Array(pageCount);
  const named = new Float32Array(pageCount);
  const all = sums.share || 1;
  for (const section of sums.sections) {
    const page = pageOf[section];
    // Words that are close together count more than the same words far apart.
    sums.points[section] *= (sums.shares[section] / all) ** SECTION_COVERAGE;
    if (sums.points[section] > best[page]) best[page] = sums.points[section];
    const name = sums.names[section];
    if (name === 0) continue;
    const worth = isStart[section] === 1 ? NAMED.title : name & IS_LABEL ? NAMED.label : NAMED.heading;
    const words = Math.min(1, sums.nameWords[section] / NAME_LENGTHS[name & 7]);
    const points = worth * (sums.nameShares[section] / all) ** 2 * words;
    if (points > named[page]) named[page] = points;
  }
  const scores = new Float32Array(pageCount);
  for (const page of sums.pages) {
    const points = sums.pagePoints[page] + SECTION * best[page];
    const coverage = (sums.pageShares[page] / all) ** COVERAGE;
    scores[page] = points * coverage * (1 + named[page]) * Math.sqrt(boosts[page]);
  }
  return { scores, best };
}

/** Sections of a page to show, best first. */
export function bestSections({ pageStarts }, { points }, best, page) {
  const start = pageStarts[page];
  const found = [];
  for (let section = start; section < pageStarts[page + 1]; section++) {
    const own = points[section];
    if (own > 0 && (section === start || own > 0.3 * best[page])) found.push({ section, points: own });
  }
  return found
    .sort((a, b) => b.points - a.points || a.section - b.section)
    .slice(0, MAX_HITS + 1)
    .map(({ section }) => section);
}

/**
 * What the order of the words in the names of a page and its sections adds: a factor of its points, and whether its
 * title is the query.
 * @param {ReadonlySet<string>[]} words terms of each word, in order of the query
 * @param {import('./search-stop.js').StopWords} stop
 * @param {{ title: string, heading: string }[]} entries of one page
 */
export function compareWithNames(words, stop, entries) {
  const title = readOrder(words, stop, entries[0].title);
  let ofHeadings = 0;
  for (const { heading } of entries) {
    if (heading === '') continue;
    const order = readOrder(words, stop, heading);
    ofHeadings = Math.max(
      ofHeadings,
      (order.isSame ? SAME_HEADING : 0) + NEIGHBORS_IN_HEADING * order.neighbors,
    );
  }
  const ofTitle = (title.isSame ? SAME_TITLE : 0) + NEIGHBORS_IN_TITLE * title.neighbors;
  return { factor: 1 + ofTitle + ofHeadings, isSame: title.isSame };
}

/** Share of the neighbors of a query that are neighbors in a name, and whether the name is the query word by word. */
function readOrder(words, stop, name) {
  const found = [];
  eachContentWord(name, stop, (_start, _end, term) => {
    found.push(term);
  });
  const pairs = words
    .slice(1)
    .filter((terms, index) =>
      found.some((term, at) => at > 0 && terms.has(term) && words[index].has(found[at - 1])),
    );
  return {
    isSame: found.length === words.length && found.every((term, at) => words[at].has(term)),
    neighbors: words.length < 2 ? 0 : pairs.length / (words.length - 1),
  };
}
