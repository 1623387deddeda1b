import { copyText } from '../copy-text.ts';
import { DIGITS, NAME_LENGTHS, TEXT_WEIGHTS } from '../theme/client/search-data.js';
import { eachContentWord, type StopWords } from '../theme/client/search-stop.js';
import { eachToken } from '../theme/client/search-tokens.js';

/**
 * Kinds of places of a word; the bits that a posting has in addition to the count of the word in the text. A keyword of a
 * section other than the first one of a page is its name: of a field or a tab.
 */
export const FIELD = { text: 0, title: 1, heading: 2, keyword: 4, context: 8 } as const;

const DIGIT_CODES = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0));

/** Words of a usual section; longer ones count a word less. */
const USUAL_LENGTH = 80;
/** A word in more sections than this occurs nearly everywhere: only the places that name it are kept. */
const COMMON_COUNT = 4000;
const COMMON_SHARE = 0.25;

const BITS = 4;
const MAX_COUNT = 1 << 20;

/**
 * Words and the sections that contain them, for one set of pages. Words are found by two hashes of their characters, so
 * that a known one costs no string; postings are records of three numbers in one array, in order of the sections.
 */
export interface Postings {
  words: string[];
  /** Slot of a hash table with open addressing -> number of the word + 1. */
  slots: Int32Array;
  first: Int32Array;
  second: Int32Array;
  /** Section of the last posting of each word, that posting, and how many. */
  seen: Int32Array;
  last: Int32Array;
  count: Int32Array;
  /** Number of the word, section, count of the word in the text << 4 | fields. */
  records: Int32Array;
  used: number;
  /** Words of the text of each section, and those of its name that are not stop words. */
  lengths: number[];
  nameLengths: number[];
  /** Sections that are the start of a page. */
  isStart: boolean[];
  stop: StopWords;
  /** State of the section being read. */
  section: number;
  field: number;
  read: number;
}

export function createPostings(stop: StopWords): Postings {
  return {
    words: [],
    slots: new Int32Array(1 << 14),
    first: new Int32Array(1 << 13),
    second: new Int32Array(1 << 13),
    seen: new Int32Array(1 << 13),
    last: new Int32Array(1 << 13),
    count: new Int32Array(1 << 13),
    records: new Int32Array(3 << 15),
    used: 0,
    lengths: [],
    nameLengths: [],
    isStart: [],
    stop,
    section: -1,
    field: FIELD.text,
    read: 0,
  };
}

/** Opens the next section; its number is returned. */
export function startSection(postings: Postings, isStart = false): number {
  postings.isStart.push(isStart);
  postings.lengths.push(0);
  postings.nameLengths.push(0);
  return ++postings.section;
}

/** Adds the words of a text to the open section; how many they are. */
export function addText(postings: Postings, text: string, field: number): void {
  postings.field = field;
  postings.read = 0;
  eachToken(text, (start, end, word) => {
    postings.read++;
    record(postings, word === null ? asciiNumber(postings, text, start, end) : wordNumber(postings, word));
  });
  if (field === FIELD.text) postings.lengths[postings.section]! += postings.read;
}

/** Adds the name of the open section: its title, its heading, or as a keyword the name of a field or tab. */
export function addName(postings: Postings, name: string, field: number): void {
  addText(postings, name, field);
  eachContentWord(name, postings.stop, () => {
    postings.nameLengths[postings.section]!++;
  });
}

function asciiNumber(postings: Postings, text: string, start: number, end: number): number {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let at = start; at < end; at++) {
    let code = text.charCodeAt(at);
    if (code > 64 && code < 91) code |= 32;
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  const number = lookUp(postings, a | 0, b | 0);
  if (number >= 0) return number;
  return addWord(postings, a | 0, b | 0, ~number, text.slice(start, end).toLowerCase());
}

function wordNumber(postings: Postings, word: string): number {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  const number = lookUp(postings, a | 0, b | 0);
  return number >= 0 ? number : addWord(postings, a | 0, b | 0, ~number, word);
}

/** The first hash of a word. */
export function hashWord(word: string): number {
  let a = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) a = Math.imul(a ^ word.charCodeAt(at), 0x01000193);
  return a;
}

/** Number of the word, or the complement of the free slot. */
function lookUp(postings: Postings, a: number, b: number): number {
  const { slots, first, second } = postings;
  const mask = slots.length - 1;
  let slot = (a ^ (a >>> 15)) & mask;
  while (true) {
    const number = slots[slot]! - 1;
    if (number < 0) return ~slot;
    if (first[number] === a && second[number] === b) return number;
    slot = (slot + 1) & mask;
  }
}

function addWord(postings: Postings, a: number, b: number, slot: number, word: string): number {
  const number = postings.words.push(copyText(word)) - 1;
  if (number === postings.first.length) growWords(postings);
  postings.first[number] = a;
  postings.second[number] = b;
  postings.seen[number] = -1;
  postings.slots[slot] = number + 1;
  if (number * 2 > postings.slots.length) rehash(postings);
  return number;
}

function growWords(postings: Postings): void {
  for (const key of ['first', 'second', 'seen', 'last', 'count'] as const) {
    const larger = new Int32Array(postings[key].length * 2);
    larger.set(postings[key]);
    postings[key] = larger;
  }
}

function rehash(postings: Postings): void {
  const slots = new Int32Array(postings.slots.length * 2);
  const mask = slots.length - 1;
  for (let number = 0; number < postings.words.length; number++) {
    const a = postings.first[number]!;
    let slot = (a ^ (a >>> 15)) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = number + 1;
  }
  postings.slots = slots;
}

function record(postings: Postings, word: number): void {
  const { field, section } = postings;
  const step = field === FIELD.text ? 1 << BITS : field;
  if (postings.seen[word] === section) {
    const last = postings.last[word]!;
    const value = postings.records[last + 2]!;
    if (field !== FIELD.text) postings.records[last + 2] = value | step;
    else if (value >>> BITS < MAX_COUNT) postings.records[last + 2] = value + step;
    return;
  }
  if (postings.used + 3 > postings.records.length) {
    const larger = new Int32Array(postings.records.length * 2);
    larger.set(postings.records);
    postings.records = larger;
  }
  const at = postings.used;
  postings.used += 3;
  postings.records[at] = word;
  postings.records[at + 1] = section;
  postings.records[at + 2] = step;
  postings.seen[word] = section;
  postings.last[word] = at;
  postings.count[word]!++;
}

/** Lists of postings as bytes of text; one buffer serves a whole index. */
export interface PostingWriter {
  postings: Postings;
  /** Section and value of each posting, word by word in the order of writing. */
  lists: Int32Array;
  /** Where the list of each word starts. */
  starts: Int32Array;
  /** What the length of each section takes from its words. */
  damping: Float64Array;
  bytes: Uint8Array;
  used: number;
}

/** Prepares the lists of all words, which are written in that order. */
export function createPostingWriter(postings: Postings, order: readonly number[]): PostingWriter {
  const { records, used, count } = postings;
  const starts = new Int32Array(order.length);
  let start = 0;
  for (const word of order) {
    starts[word] = start;
    start += 2 * count[word]!;
  }
  // One pass in the order of memory: to follow each word through the records would wait for memory each time.
  const lists = new Int32Array(start);
  const ends = starts.slice();
  for (let at = 0; at < used; at += 3) {
    const end = ends[records[at]!]!;
    lists[end] = records[at + 1]!;
    lists[end + 1] = records[at + 2]!;
    ends[records[at]!] = end + 2;
  }
  return {
    postings,
    lists,
    starts,
    damping: Float64Array.from(postings.lengths, (length) => 1.2 * (0.3 + (0.7 * length) / USUAL_LENGTH)),
    bytes: new Uint8Array(1 << 16),
    used: 0,
  };
}

const BANG = 33;
const BLANK = 32;

/**
 * Appends the postings of a word (`readPostings`) and a blank. A word that occurs nearly everywhere starts with `!`
 * and has only the places that name it.
 */
export function writePostings(writer: PostingWriter, word: number): void {
  const { postings, damping, lists, starts } = writer;
  const count = postings.count[word]!;
  const isCommon = count > COMMON_COUNT && count > damping.length * COMMON_SHARE;
  // Seven digits hold any step, one the weight.
  makeRoom(writer, count * 8 + 2);
  if (isCommon) writer.bytes[writer.used++] = BANG;
  let before = -1;
  const end = starts[word]! + 2 * count;
  for (let at = starts[word]!; at < end; at += 2) {
    const section = lists[at]!;
    const value = lists[at + 1]!;
    const fields = value & 15;
    if (isCommon && fields === 0) continue;
    const inText = value >>> BITS;
    const points = inText === 0 ? 0 : (2.2 * inText) / (inText + damping[section]!);
    const level = fields === 0 ? levelOf(points) : 3;
    writeStep(writer, (section - before - 1) * 4 + level);
    before = section;
    if (level === 3) writer.bytes[writer.used++] = DIGIT_CODES[codeOf(postings, section, fields, points)]!;
  }
  writer.bytes[writer.used++] = BLANK;
}

function makeRoom(writer: PostingWriter, more: number): void {
  if (writer.used + more <= writer.bytes.length) return;
  const larger = new Uint8Array(Math.max(writer.bytes.length * 2, writer.used + more));
  larger.set(writer.bytes);
  writer.bytes = larger;
}

function writeStep(writer: PostingWriter, step: number): void {
  let rest = step;
  while (rest > 31) {
    writer.bytes[writer.used++] = DIGIT_CODES[32 + (rest & 31)]!;
    rest >>>= 5;
  }
  writer.bytes[writer.used++] = DIGIT_CODES[rest]!;
}

function levelOf(points: number): number {
  if (points < LOW) return 0;
  return points < HIGH ? 1 : 2;
}

const LOW = (TEXT_WEIGHTS[0]! + TEXT_WEIGHTS[1]!) / 2;
const HIGH = (TEXT_WEIGHTS[1]! + TEXT_WEIGHTS[2]!) / 2;

/** Six bits: the length of the name that has the word, and what else has it. `search-rank.js` reads them. */
function codeOf(
  { isStart: starts, nameLengths }: Postings,
  section: number,
  fields: number,
  points: number,
): number {
  if (starts[section]) {
    const name = (fields & FIELD.title) === 0 ? 0 : lengthClass(nameLengths[section]!);
    const inContext = (fields & FIELD.context) === 0 ? 0 : 1;
    const inKeywords = (fields & FIELD.keyword) === 0 ? 0 : 2;
    return (name << 3) | (points >= LOW ? 4 : 0) | inKeywords | inContext;
  }
  const isLabel = (fields & FIELD.heading) === 0;
  return (
    (lengthClass(nameLengths[section]!) << 3) | (isLabel ? 4 : 0) | (points === 0 ? 0 : levelOf(points) + 1)
  );
}

function lengthClass(length: number): number {
  const at = NAME_LENGTHS.findLastIndex((least) => least <= length);
  return Math.max(1, at);
}
