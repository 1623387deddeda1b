import { DIGITS, NAME_LENGTHS, TEXT_WEIGHTS } from '@offprint/search/data';
import { eachContentWord, type StopWords } from '@offprint/search/stop';
import { eachToken } from '@offprint/search/tokens';
import { copyText } from '../copy-text.ts';

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
 * that a known one costs no string; postings are bytes of variable length, section by section.
 */
export interface Postings {
  words: string[];
  /** Slot of a hash table with open addressing -> number of the word + 1. */
  slots: Int32Array;
  first: Int32Array;
  second: Int32Array;
  /** Last section of each word, its value there (count of the word in the text << 4 | fields), and sections of the word. */
  seen: Int32Array;
  value: Int32Array;
  count: Int32Array;
  /** Words of the open section. */
  open: number[];
  /** Of each closed section: how many words, then number and value of each; seven bits a byte, the lowest first. */
  records: Uint8Array;
  used: number;
  /** Words of the text of each section, and those of its name that are not stop words. */
  lengths: number[];
  nameLengths: number[];
  /** Sections that are the start of a page. */
  isStart: boolean[];
  stop: StopWords;
  /** State of the section being read. */
  section: number;
  isOpen: boolean;
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
    value: new Int32Array(1 << 13),
    count: new Int32Array(1 << 13),
    open: [],
    records: new Uint8Array(1 << 16),
    used: 0,
    lengths: [],
    nameLengths: [],
    isStart: [],
    stop,
    section: -1,
    isOpen: false,
    field: FIELD.text,
    read: 0,
  };
}

/** Opens the next section; its number is returned. */
export function startSection(postings: Postings, isStart = false): number {
  closeSection(postings);
  postings.isOpen = true;
  postings.isStart.push(isStart);
  postings.lengths.push(0);
  postings.nameLengths.push(0);
  return ++postings.section;
}

/** Bytes of a number of 32 bits. */
const MAX_BYTES = 5;

/** Closes the section that is open, if any. */
export function closeSection(postings: Postings): void {
  if (!postings.isOpen) return;
  postings.isOpen = false;
  const { open, value } = postings;
  const records = makeRecordRoom(postings, open.length);
  let at = writeVariable(records, postings.used, open.length);
  for (const word of open) at = writeVariable(records, writeVariable(records, at, word), value[word]!);
  postings.used = at;
  open.length = 0;
}

/** The records, with room for a section with that many words. */
export function makeRecordRoom(postings: Postings, words: number): Uint8Array {
  const most = postings.used + (2 * words + 1) * MAX_BYTES;
  if (most > postings.records.length) {
    const larger = new Uint8Array(Math.max(most, postings.records.length * 2));
    larger.set(postings.records);
    postings.records = larger;
  }
  return postings.records;
}

/** Writes a number there; where the next one goes. */
export function writeVariable(bytes: Uint8Array, start: number, number: number): number {
  let at = start;
  let rest = number;
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

/** Adds the words of a text to the open section. */
export function addText(postings: Postings, text: string, field: number): void {
  postings.field = field;
  postings.read = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code < 128 && !IN_WORDS[code]) at++;
    else at = code < 128 ? addPlainWord(postings, text, at) : addSpecialWords(postings, text, at);
  }
  if (field === FIELD.text) postings.lengths[postings.section]! += postings.read;
}

/** Letters and digits of ASCII. */
const IN_WORDS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[0-9a-z]/i.test(String.fromCharCode(code)) ? 1 : 0,
);
const MAX_WORD = 40;

/**
 * Adds a word of ASCII and returns its end. Nearly all words are such; what `eachToken` treats in another way (names
 * in camelCase, other letters, C++) is left to it.
 */
function addPlainWord(postings: Postings, text: string, start: number): number {
  let a = HASH_A;
  let b = HASH_B;
  let end = start;
  for (; end < text.length; end++) {
    let code = text.charCodeAt(end);
    if (code > 127) return addSpecialWords(postings, text, start);
    if (!IN_WORDS[code]) {
      if (end - start === 1 && (code === PLUS || code === SHARP))
        return addSpecialWords(postings, text, start);
      break;
    }
    if (code > 64 && code < 91) {
      if (end > start) return addSpecialWords(postings, text, start);
      code |= 32;
    }
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  if (end - start > MAX_WORD) return end;
  postings.read++;
  record(postings, numberOf(postings, a, b, text, start, end));
  return end;
}

const PLUS = 43;
const SHARP = 35;

/** Adds the words up to the next blank, which is in no word. */
function addSpecialWords(postings: Postings, text: string, start: number): number {
  let end = start;
  while (end < text.length && text.charCodeAt(end) > 32) end++;
  const part = text.slice(start, end);
  eachToken(part, (from, to, word) => {
    postings.read++;
    record(postings, word === null ? asciiNumber(postings, part, from, to) : wordNumber(postings, word));
  });
  return end;
}

/** Adds the name of the open section: its title, its heading, or as a keyword the name of a field or tab. */
export function addName(postings: Postings, name: string, field: number): void {
  addText(postings, name, field);
  eachContentWord(name, postings.stop, () => {
    postings.nameLengths[postings.section]!++;
  });
}

const HASH_A = 0x811c9dc5;
const HASH_B = 0x9747b28c;

function asciiNumber(postings: Postings, text: string, start: number, end: number): number {
  let a = HASH_A;
  let b = HASH_B;
  for (let at = start; at < end; at++) {
    let code = text.charCodeAt(at);
    if (code > 64 && code < 91) code |= 32;
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  return numberOf(postings, a, b, text, start, end);
}

function numberOf(
  postings: Postings,
  a: number,
  b: number,
  text: string,
  start: number,
  end: number,
): number {
  const number = lookUp(postings, a | 0, b | 0);
  if (number >= 0) return number;
  return addWord(postings, a | 0, b | 0, ~number, text.slice(start, end).toLowerCase());
}

function wordNumber(postings: Postings, word: string): number {
  let a = HASH_A;
  let b = HASH_B;
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
  let a = HASH_A;
  for (let at = 0; at < word.length; at++) a = Math.imul(a ^ word.charCodeAt(at), 0x01000193);
  return a;
}

/** Number of the word, or the complement of the free slot. */
export function lookUp(postings: Postings, a: number, b: number): number {
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

/** Adds a word that is not known with its hashes, in a free slot; its number. */
export function addWord(postings: Postings, a: number, b: number, slot: number, word: string): number {
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
  for (const key of ['first', 'second', 'seen', 'value', 'count'] as const) {
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
  const { field, section, value } = postings;
  if (postings.seen[word] !== section) {
    postings.seen[word] = section;
    postings.count[word]!++;
    postings.open.push(word);
    value[word] = field === FIELD.text ? 1 << BITS : field;
  } else if (field !== FIELD.text) value[word]! |= field;
  else if (value[word]! >>> BITS < MAX_COUNT) value[word]! += 1 << BITS;
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
  closeSection(postings);
  const { count } = postings;
  const starts = new Int32Array(order.length);
  let start = 0;
  for (const word of order) {
    starts[word] = start;
    start += 2 * count[word]!;
  }
  const lists = new Int32Array(start);
  const ends = starts.slice();
  eachRecord(postings, (section, word, value) => {
    const end = ends[word]!;
    lists[end] = section;
    lists[end + 1] = value;
    ends[word] = end + 2;
  });
  return {
    postings,
    lists,
    starts,
    damping: Float64Array.from(postings.lengths, (length) => 1.2 * (0.3 + (0.7 * length) / USUAL_LENGTH)),
    bytes: new Uint8Array(1 << 16),
    used: 0,
  };
}

/** Calls `take` for each posting, in order of the sections. */
function eachRecord(
  { records, section: last }: Postings,
  take: (section: number, word: number, value: number) => void,
): void {
  let at = 0;
  const read = (): number => {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = records[at++]!;
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
    }
  };
  for (let section = 0; section <= last; section++) {
    for (let words = read(); words > 0; words--) take(section, read(), read());
  }
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
