import { hash } from 'node:crypto';
import { writeNumbers, writeWords } from '@offprint/search/data';
import { endpointName, idName } from '@offprint/search/names';
import { readStopWords } from '@offprint/search/stop';
import { endpointOf, type NavKind } from '../site.ts';
import { readWords, takeWords } from './kept-words.ts';
import { createPageWords, type PageWords, startText } from './page-words.ts';
import {
  createPostings,
  createPostingWriter,
  type Postings,
  wordsInOrder,
  writePostings,
} from './postings.ts';
import type { SearchPage } from './search-page.ts';
import type { Section } from './sections.ts';
import type { Synonyms } from './synonyms.ts';
import { factsOf, firstHash } from './word-table.ts';

/** Characters of a chunk of texts that is closed at the end of a page, and of one that is closed within it. */
const CHUNK = 5000;
const MAX_CHUNK = 10_000;
/** Characters of a section that are kept for excerpts; its words are found beyond them too. */
const MAX_EXCERPT_TEXT = 6000;
/**
 * Characters of a shard of words or names: from the minimum on, it ends before one of 16 words, which their hash
 * selects, so that a word more or less moves the limits of no other shard.
 */
const SHARD = { min: 6500, max: 12_000, mask: 15 };
/** Text files whose digests are in one list. */
const LIST = 1024;
/** Hexadecimal digits of the digest in a name. */
const DIGEST = 12;
/** Characters of a file of words that mistyped ones may mean. */
const VOCABULARY = 6000;

/** Kinds of navigation nodes that readers can filter by. */
export const FACETS: readonly NavKind[] = ['version', 'product', 'tab'];

/** The index of one language while its pages are added. */
export interface IndexSet {
  stopWords: readonly string[];
  postings: Postings;
  words: PageWords;
  /** Sections of each page. */
  pages: number[];
  /** Number of each page in the render; none where nothing is kept. */
  numbers: number[];
  /** Runs of pages with the same facets: pages, then the number of each label + 1. */
  runs: number[];
  labels: Map<string, number>[];
  /** Pages with a rank of their own: number of the page, ten times its factor. */
  boosts: number[];
  /** Names that stand for one page (`search-names.js`), each with the number of the page. */
  names: (readonly [string, number])[];
  /** Takes each file of texts as soon as it is full. */
  emit(file: IndexFile): void;
  /** Where what a later render can use is kept, and found of the earlier one. */
  kept: KeptIndex | null;
  /** Digest of each chunk. */
  chunks: string[];
  /** Sections of each chunk. */
  chunkSections: number[];
  /** The chunk being filled: parts of pages, with what identifies their content. */
  parts: { key: string | null; read(): string }[];
  size: number;
  filled: number;
}

export interface IndexFile {
  path: string;
  content: string;
}

/** Texts of the sections of a page. */
export interface SectionTexts {
  /** Characters of each, as it is written. */
  sizes: readonly number[];
  readEntries(): readonly string[];
}

/** What identifies a page for a later render: the key of its content, and its number in this one. */
export interface PageId {
  key: string;
  number: number;
}

/** What an earlier render knows of the sections of a page. */
export interface KnownSections extends SectionTexts, PageId {
  /** The number of the page in that render. */
  before: number;
}

/** What is kept of an index, and of that of the earlier render. */
export interface KeptIndex {
  /** Emits the file of texts that the earlier render has written from this content; its digest, null if it is not there. */
  reuseChunk(key: string): string | null;
  keepChunk(key: string, digest: string): void;
  /** What was kept of the words of the earlier render; null if it has nothing to use. */
  words: Uint8Array | null;
  keepWords(words: readonly Uint8Array[]): void;
}

/** `stopWords`: the lists that `readStopWords` reads. */
export function createIndexSet(
  stopWords: readonly string[],
  emit: (file: IndexFile) => void,
  kept: KeptIndex | null = null,
  synonyms: Synonyms | null = null,
): IndexSet {
  const postings = createPostings(readStopWords(stopWords));
  const earlier = kept?.words == null ? null : readWords(postings, kept.words);
  return {
    stopWords,
    emit,
    kept,
    postings,
    words: createPageWords(postings, synonyms, earlier),
    pages: [],
    numbers: [],
    runs: [],
    labels: FACETS.map(() => new Map()),
    boosts: [],
    names: [],
    chunks: [],
    chunkSections: [],
    parts: [],
    size: 0,
    filled: 0,
  };
}

/** Adds a page with its sections; the first one is the start of the page. Returns what a later render needs of them. */
export function addPage(
  set: IndexSet,
  about: SearchPage,
  sections: readonly Section[],
  id: PageId | null,
): SectionTexts {
  addAbout(set, about, sections.length, id);
  const entries = sections.map(({ id: anchor, title, text }, index) => {
    const shown = index === 0 ? startText(about, text) : text;
    return JSON.stringify([anchor, title, shown.trim().slice(0, MAX_EXCERPT_TEXT)]);
  });
  const texts = { sizes: entries.map(({ length }) => length), readEntries: () => entries };
  addTexts(set, about, texts, id);
  set.words.add(about, sections);
  return texts;
}

/** Adds a page of the earlier render. Throws a StaleRenderError if its words are not there. */
export function addKnownPage(set: IndexSet, about: SearchPage, known: KnownSections): void {
  addAbout(set, about, known.sizes.length, known);
  set.words.addKnown(known.before);
  addTexts(set, about, known, known);
}

function addAbout(set: IndexSet, about: SearchPage, sections: number, id: PageId | null): void {
  if (id !== null) set.numbers.push(id.number);
  addFacets(set, about.facets);
  if (about.boost !== 1) set.boosts.push(set.pages.length, Math.round(about.boost * 10));
  addNames(set, about);
  set.pages.push(sections);
}

function addTexts(set: IndexSet, about: SearchPage, texts: SectionTexts, id: PageId | null): void {
  const { sizes } = texts;
  const close = (from: number, to: number): void => closePart(set, about, texts, id, from, to);
  let from = 0;
  for (const [index, size] of sizes.entries()) {
    set.size += size;
    set.filled++;
    if (set.size > MAX_CHUNK && index < sizes.length - 1) {
      close(from, index + 1);
      closeChunk(set);
      from = index + 1;
    }
  }
  close(from, sizes.length);
  if (set.size > CHUNK) closeChunk(set);
}

function addNames(set: IndexSet, { page, operationId }: SearchPage): void {
  const endpoint = endpointOf(page);
  if (endpoint === null) return;
  const names = [
    endpointName(endpoint.method, endpoint.path),
    operationId === null ? '' : idName(operationId),
  ];
  for (const name of names) if (name !== '') set.names.push([name, set.pages.length]);
}

function addFacets(set: IndexSet, facets: readonly (string | null)[]): void {
  const numbers = facets.map((label, index) => {
    if (label === null) return 0;
    const labels = set.labels[index]!;
    const known = labels.get(label) ?? labels.size + 1;
    labels.set(label, known);
    return known;
  });
  const width = numbers.length + 1;
  const last = set.runs.length - width;
  if (last >= 0 && numbers.every((number, index) => set.runs[last + 1 + index] === number)) set.runs[last]!++;
  else set.runs.push(1, ...numbers);
}

function closePart(
  set: IndexSet,
  about: SearchPage,
  texts: SectionTexts,
  id: PageId | null,
  from: number,
  to: number,
): void {
  const { page } = about;
  const head = JSON.stringify([page.output, about.title, about.crumbs, endpointOf(page)?.method ?? '']);
  set.parts.push({
    key: id === null ? null : `${id.key} ${from} ${to}`,
    read: () => `[${head.slice(1, -1)},[${texts.readEntries().slice(from, to).join(',')}]]`,
  });
  set.size += head.length;
}

function closeChunk(set: IndexSet): void {
  if (set.parts.length === 0) return;
  const keys = set.parts.map(({ key }) => key);
  const key = keys.includes(null) ? null : hash('sha256', keys.join('\n')).slice(0, 32);
  const known = key === null ? null : (set.kept?.reuseChunk(key) ?? null);
  const digest = known ?? emitChunk(set);
  if (key !== null) set.kept?.keepChunk(key, digest);
  set.chunks.push(digest);
  set.chunkSections.push(set.filled);
  set.parts = [];
  set.size = 0;
  set.filled = 0;
}

function emitChunk(set: IndexSet): string {
  const { digest, file } = indexFile('c', `[${set.parts.map((part) => part.read()).join(',\n')}]`);
  set.emit(file);
  return digest;
}

/**
 * Files of a finished set, those of its texts left out; `extra` is what the directory contains in addition to the index
 * itself. Every file but the directory is named by its own content, so that a change renames no other file.
 */
export function indexFiles(
  set: IndexSet,
  path: string,
  extra: Readonly<Record<string, unknown>>,
): IndexFile[] {
  closeChunk(set);
  set.words.end();
  set.kept?.keepWords(takeWords(set.postings, set.numbers, set.pages));
  const order = wordsInOrder(set.postings);
  const { words } = set.postings;
  const { shards, starts } = makeShards(set.postings, order);
  const vocabulary = makeVocabulary(order.map((number) => words[number]!));
  const names = makeNames(set.names);
  const lists: string[] = [];
  for (let at = 0; at < set.chunks.length; at += LIST)
    lists.push(JSON.stringify(set.chunks.slice(at, at + LIST).join('')));
  const bodies = {
    t: shards,
    v: vocabulary.map(({ body }) => body),
    n: names.map(({ body }) => body),
    l: lists,
  };
  const files: IndexFile[] = [];
  const digests = Object.entries(bodies).map(([kind, all]): [string, string] => {
    const made = all.map((body) => indexFile(kind, body));
    files.push(...made.map(({ file }) => file));
    return [kind, made.map(({ digest }) => digest).join('')];
  });
  const directory = {
    digests: Object.fromEntries(digests),
    pages: writeNumbers(set.pages),
    chunks: writeNumbers(set.chunkSections),
    runs: writeNumbers(set.runs),
    labels: set.labels.map((labels) => [...labels.keys()]),
    boosts: writeNumbers(set.boosts),
    shards: writeWords(starts),
    stop: set.stopWords,
    letters: vocabulary.map(({ letters }) => letters),
    ...(names.length === 0 ? {} : { names: writeWords(names.map(({ first }) => first)) }),
    ...extra,
  };
  return [{ path, content: registered(path, JSON.stringify(directory)) }, ...files];
}

/** A file of the index with its data, named by its kind and content. */
function indexFile(kind: string, body: string): { digest: string; file: IndexFile } {
  const content = registered(kind, body);
  const digest = hash('sha256', content).slice(0, DIGEST);
  return { digest, file: { path: indexPath(kind, digest), content } };
}

const indexPath = (kind: string, digest: string): string => `_offprint/search/${kind}-${digest}.js`;

/** Output path of the file of texts with that digest. */
export const textsPath = (digest: string): string => indexPath('c', digest);

/** A classic script that hands its data to the one function that waits for it. */
function registered(name: string, body: string): string {
  return `offprintSearch(${JSON.stringify(name)},${body});\n`;
}

/** Words in order with their postings, cut where SHARD says. */
function makeShards(postings: Postings, order: readonly number[]): { shards: string[]; starts: string[] } {
  const writer = createPostingWriter(postings, order);
  const shards: string[] = [];
  const starts: string[] = [];
  let words: string[] = [];
  const close = (): void => {
    if (words.length === 0) return;
    const lists = Buffer.from(writer.bytes.buffer, 0, writer.used - 1).toString('latin1');
    starts.push(words[0]!);
    shards.push(`[${JSON.stringify(writeWords(words))},"${lists}"]`);
    words = [];
    writer.used = 0;
  };
  for (const number of order) {
    if (endsShard(writer.used + words.length * 5, postings.facts[factsOf(number)]!)) close();
    writePostings(writer, number);
    words.push(postings.words[number]!);
  }
  close();
  return { shards, starts };
}

/** Whether a shard of that size ends before the word with that hash. */
function endsShard(size: number, wordHash: number): boolean {
  return size > SHARD.max || (size > SHARD.min && ((wordHash ^ (wordHash >>> 16)) & SHARD.mask) === 0);
}

/** Names in order with their pages, in files of bounded size. */
function makeNames(all: readonly (readonly [string, number])[]): { first: string; body: string }[] {
  const sorted = [...all].sort(([a, one], [b, other]) => (a < b ? -1 : a > b ? 1 : one - other));
  const files: { first: string; body: string }[] = [];
  let part: (readonly [string, number])[] = [];
  let size = 0;
  const close = (): void => {
    const [first] = part;
    if (first === undefined) return;
    const body = [writeWords(part.map(([name]) => name)), writeNumbers(part.map(([, page]) => page))];
    files.push({ first: first[0], body: JSON.stringify(body) });
    part = [];
    size = 0;
  };
  for (const entry of sorted) {
    // Equal names stay in one file.
    if (entry[0] !== part.at(-1)?.[0] && endsShard(size, firstHash(entry[0]))) close();
    part.push(entry);
    size += entry[0].length;
  }
  close();
  return files;
}

/** Words that a mistyped one may mean, in files of a few first letters each. */
function makeVocabulary(words: readonly string[]): { letters: string; body: string }[] {
  const files: { letters: string; body: string }[] = [];
  let list: string[] = [];
  let letters = '';
  let size = 0;
  const close = (): void => {
    if (list.length > 0) files.push({ letters, body: JSON.stringify(writeWords(list)) });
    list = [];
    letters = '';
    size = 0;
  };
  for (const word of words) {
    if (word.length < 4 || word.length > 24 || !/^\p{L}+$/u.test(word)) continue;
    const letter = String.fromCodePoint(word.codePointAt(0)!);
    if (!letters.endsWith(letter)) {
      if (size > VOCABULARY) close();
      letters += letter;
    }
    list.push(word);
    size += word.length;
  }
  close();
  return files;
}
