/**
 * Known-item queries: each is made of one page, and that page is what the reader wants.
 *
 * Several pages can be the one that is wanted, because the same query could have been made of each of them:
 * - a query made of a title: every page with that title;
 * - of a heading: every page with that heading or title. Headings of more than three pages are not used;
 * - of a sentence or of words: every page with the same title, if its text has them too.
 * Pages of versions other than the default one are never wanted, and no query is made of them.
 */
import { eachToken } from '@offprint/search/tokens';
import { askAbout, askFrom, asksIn } from './questions.ts';
import { createRandom, type Random } from './random.ts';
import type { Section, SitePage, SiteSearch } from './site.ts';

export const KINDS = ['title', 'heading', 'typo', 'question', 'unfinished', 'words'] as const;
export type Kind = (typeof KINDS)[number];

export interface Query {
  kind: Kind;
  /** Of a page in Chinese, Japanese, Korean or another script without spaces. */
  isUnspaced: boolean;
  text: string;
  /** Output paths of the pages that are wanted. */
  wanted: ReadonlySet<string>;
  /** The sections of these pages that the query was made of; empty where it was made of words of a text. */
  sections: readonly WantedSection[];
}

export interface WantedSection extends Section {
  page: SitePage;
}

const MAX_HEADING_PAGES = 3;
const MIN_TYPO = 5;
const WORDS = 3;

/** What queries are made of: the names of the pages and who has them. */
interface Names {
  language: string;
  pages: SitePage[];
  byTitle: Map<string, SitePage[]>;
  byHeading: Map<string, SitePage[]>;
  /** Pages that contain a word. */
  frequency: Map<string, number>;
  wordsOf: Map<SitePage, Set<string>>;
}

/** The words of a text as the search reads them, in order. */
export function wordsIn(text: string): string[] {
  const words: string[] = [];
  eachToken(text, (start, end, word) => {
    words.push(word ?? text.slice(start, end).toLowerCase());
  });
  return words;
}

const keyOf = (name: string): string => wordsIn(name).join(' ');

const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]/gu;

const isUnspaced = (text: string): boolean => (text.match(UNSPACED)?.length ?? 0) > text.length * 0.2;

/** Up to `count` queries of each kind, the same ones for the same site, seed and count. */
export function makeQueries(search: SiteSearch, count: number, seed: string): Query[] {
  const names = readNames(search);
  return [false, true].flatMap((unspaced) => {
    const pages = names.pages.filter((page) => isUnspaced(page.title) === unspaced);
    return KINDS.flatMap((kind) => {
      const random = createRandom(`${seed} ${search.site} ${search.language} ${kind} ${unspaced}`);
      const found: Query[] = [];
      const texts = new Set<string>();
      // More rounds than one for a small site: each makes other typos, questions and words of a page.
      for (let round = 0; round < 4 && found.length < count; round++) {
        for (const page of random.shuffle(pages)) {
          const made = MAKERS[kind](names, page, random);
          if (made === null || made.wanted.length === 0 || texts.has(made.text)) continue;
          texts.add(made.text);
          const wanted = new Set(made.wanted.map(({ output }) => output));
          const sections = made.wanted.flatMap((one) => sectionsNamed(one, made.name));
          if (found.push({ kind, isUnspaced: unspaced, text: made.text, wanted, sections }) === count) break;
        }
      }
      return found;
    });
  });
}

function readNames({ pages, language, versions }: SiteSearch): Names {
  const isCurrent = ({ version }: SitePage): boolean => version === null || versions.includes(version);
  const names: Names = {
    language: (language ?? 'en').toLowerCase().split('-')[0]!.replace('cn', 'zh').replace('jp', 'ja'),
    pages: pages.filter(isCurrent),
    byTitle: new Map(),
    byHeading: new Map(),
    frequency: new Map(),
    wordsOf: new Map(),
  };
  const put = (map: Map<string, SitePage[]>, key: string, page: SitePage): void => {
    const list = map.get(key) ?? [];
    if (!list.includes(page)) list.push(page);
    map.set(key, list);
  };
  for (const page of names.pages) {
    put(names.byTitle, keyOf(page.title), page);
    for (const { heading } of page.sections) if (heading !== '') put(names.byHeading, keyOf(heading), page);
    const words = new Set(wordsIn(`${page.title} ${page.sections.map(textOf).join(' ')}`));
    names.wordsOf.set(page, words);
    for (const word of words) names.frequency.set(word, (names.frequency.get(word) ?? 0) + 1);
  }
  return names;
}

const textOf = ({ heading, text }: { heading: string; text: string }): string => `${heading} ${text}`;

interface Made {
  text: string;
  /** Title or heading that the query was made of; null: words of a text. */
  name: string | null;
  wanted: SitePage[];
}

type Maker = (names: Names, page: SitePage, random: Random) => Made | null;

const sameTitle = (names: Names, page: SitePage): SitePage[] => names.byTitle.get(keyOf(page.title)) ?? [];

const MAKERS: Readonly<Record<Kind, Maker>> = {
  title: (names, page) => made(page.title, sameTitle(names, page), page.title),
  heading: (names, page, random) => pickHeading(names, page, random),
  typo(names, page, random) {
    const text = mistype(page.title, random);
    return text === null ? null : made(text, sameTitle(names, page));
  },
  question: (names, page, random) => makeQuestion(names, page, random),
  unfinished(names, page, random) {
    const text = cutLastWord(page.title, random);
    return text === null ? null : made(text, sameTitle(names, page));
  },
  words: (names, page, random) => pickWords(names, page, random),
};

const made = (text: string, wanted: SitePage[], name: string | null = null): Made | null =>
  keyOf(text) === '' ? null : { text: text.trim(), wanted, name };

/** The start of a page for its title, else the sections with that heading. */
function sectionsNamed(page: SitePage, name: string | null): WantedSection[] {
  if (name === null) return [];
  const isNamed = ({ heading }: Section): boolean => heading !== '' && keyOf(heading) === keyOf(name);
  const start = keyOf(page.title) === keyOf(name) ? page.sections.slice(0, 1) : [];
  return [...start, ...page.sections.filter(isNamed)].map((section) => ({ ...section, page }));
}

function pickHeading(names: Names, page: SitePage, random: Random): Made | null {
  const usable = page.sections.filter(({ heading }) => {
    const words = heading === '' ? [] : wordsIn(heading);
    return words.length >= 2 && words.length <= 10 && pagesNamed(names, heading).length <= MAX_HEADING_PAGES;
  });
  if (usable.length === 0) return null;
  const { heading } = random.pick(usable);
  return made(heading, pagesNamed(names, heading), heading);
}

function pagesNamed(names: Names, name: string): SitePage[] {
  const key = keyOf(name);
  return [...new Set([...(names.byHeading.get(key) ?? []), ...(names.byTitle.get(key) ?? [])])];
}

/** The text with one slip in one of its longer words; null without such a word. */
function mistype(text: string, random: Random): string | null {
  const long = [...text.matchAll(/\p{L}+/gu)].filter(([word]) => word.length >= MIN_TYPO);
  if (long.length === 0 || isUnspaced(text)) return null;
  const { 0: word, index } = random.pick(long);
  const at = random.below(word.length - 1);
  const letter = 'abcdefghijklmnopqrstuvwxyz'[random.below(26)]!;
  const slips = [
    word.slice(0, at) + word.slice(at + 1),
    word.slice(0, at) + letter + word.slice(at),
    word.slice(0, at) + letter + word.slice(at + 1),
    word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2),
  ];
  const slip = random.pick(slips);
  return slip.toLowerCase() === word.toLowerCase()
    ? null
    : text.slice(0, index) + slip + text.slice(index + word.length);
}

/** The text with half to nine tenths of its last word, at least three letters; of an unspaced text, without its last character. */
function cutLastWord(text: string, random: Random): string | null {
  const trimmed = text.trim();
  if (isUnspaced(trimmed)) return trimmed.length > 2 ? trimmed.slice(0, -1) : null;
  const last = /[\p{L}\p{N}]+$/u.exec(trimmed)?.[0] ?? '';
  const least = Math.max(3, Math.ceil(last.length / 2));
  const most = Math.min(last.length - 1, Math.floor(last.length * 0.9));
  if (most < least) return null;
  return (
    trimmed.slice(0, trimmed.length - last.length) + last.slice(0, least + random.below(most - least + 1))
  );
}

function makeQuestion(names: Names, page: SitePage, random: Random): Made | null {
  const { language } = names;
  if (!asksIn(language)) return null;
  const source = random.below(3);
  if (source === 0) {
    const sentence = firstSentence(page);
    const text = sentence === '' ? null : askFrom(sentence, language, random);
    const others = sameTitle(names, page).filter((other) => firstSentence(other) === sentence);
    if (text !== null) return made(text, others, page.title);
  }
  if (source === 1) {
    const heading = pickHeading(names, page, random);
    const text =
      heading === null || heading.wanted.length > 1 ? null : askAbout(heading.text, language, random);
    if (heading !== null && text !== null) return made(text, heading.wanted, heading.name);
  }
  const pages = sameTitle(names, page);
  // Nobody asks "what is overview": a title that several pages share says nothing.
  if (pages.length > 1) return null;
  const text = askAbout(page.title, language, random);
  return text === null ? null : made(text, pages, page.title);
}

function firstSentence(page: SitePage): string {
  const [line = ''] = page.sections[0]!.text.split('\n');
  return /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
}

/** Three words of one section that are rare on the site, in order of the text. */
function pickWords(names: Names, page: SitePage, random: Random): Made | null {
  const section = random.pick(page.sections);
  const isUsual = (word: string): boolean => /^\p{L}{4,20}$/u.test(word) || isUnspaced(word);
  const words = [...new Set(wordsIn(section.text))].filter(isUsual);
  const byRarity = words.sort((a, b) => names.frequency.get(a)! - names.frequency.get(b)!);
  const rare = byRarity.slice(0, Math.ceil(byRarity.length / 3));
  if (rare.length < WORDS) return null;
  const chosen = random.shuffle(rare).slice(0, WORDS);
  const wanted = sameTitle(names, page).filter((other) =>
    chosen.every((word) => names.wordsOf.get(other)!.has(word)),
  );
  return made(chosen.join(' '), wanted);
}
