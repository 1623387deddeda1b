import { DIGITS, NAME_LENGTHS, TEXT_WEIGHTS } from '@offprint/search/data';
import { eachContentWord, type StopWords } from '@offprint/search/stop';
import { eachToken } from '@offprint/search/tokens';
import {
  addWord,
  COUNT,
  createWordTable,
  FIRST_SEED,
  factsOf,
  firstHash,
  isStopWord,
  lookUp,
  nextFirst,
  nextSecond,
  SECOND_SEED,
  SEEN,
  secondHash,
  VALUE,
  type WordTable,
} from './word-table.ts';

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

/** Words and the sections that contain them, for one set of pages, as bytes of variable length, section by section. */
export interface Postings extends WordTable {
  /** Words of the open section, and how many there are. */
  open: Int32Array;
  opened: number;
  /** Of each closed section: how many words, then number and value of each; seven bits a byte, the lowest first. */
  records: Uint8Array;
  used: number;
  /** Where the records of each page start. */
  starts: number[];
  /** Words of the text of each section, and those of its name that are not stop words. */
  lengths: number[];
  nameLengths: number[];
  /** Sections that are the start of a page. */
  isStart: boolean[];
  /** State of the section being read. */
  section: number;
  isOpen: boolean;
  field: number;
  /** Words of the text, stop words among them, and whether all its characters are read as ASCII. */
  read: number;
  stopWords: number;
  isAscii: boolean;
  /** Characters of the text, and the same memory as bytes. */
  units: Uint16Array<ArrayBuffer>;
  bytes: Buffer<ArrayBuffer>;
}

export function createPostings(stop: StopWords): Postings {
  return {
    ...createWordTable(stop),
    open: new Int32Array(1 << 12),
    opened: 0,
    records: new Uint8Array(1 << 16),
    used: 0,
    starts: [],
    lengths: [],
    nameLengths: [],
    isStart: [],
    section: -1,
    isOpen: false,
    field: FIELD.text,
    read: 0,
    stopWords: 0,
    isAscii: true,
    units: new Uint16Array(1 << 14),
    bytes: Buffer.alloc(0),
  };
}

/** Opens the next section; its number is returned. */
export function startSection(postings: Postings, isStart = false): number {
  closeSection(postings);
  postings.isOpen = true;
  if (isStart) postings.starts.push(postings.used);
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
  const { open, opened, facts } = postings;
  const records = makeByteRoom(postings, (2 * opened + 1) * MAX_BYTES);
  let at = writeVariable(records, postings.used, opened);
  for (let index = 0; index < opened; index++) {
    const word = open[index]!;
    at = writeVariable(records, writeVariable(records, at, word), facts[factsOf(word) + VALUE]!);
  }
  postings.used = at;
  postings.opened = 0;
}

/** The records, with room for that many bytes. */
export function makeByteRoom(postings: Postings, bytes: number): Uint8Array {
  const most = postings.used + bytes;
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
  postings.stopWords = 0;
  postings.isAscii = true;
  readWords(postings, text);
  if (field === FIELD.text) postings.lengths[postings.section]! += postings.read;
}

/**
 * Nearly all words are of ASCII and are read here, where a character takes least time. Other letters and C++ are left to
 * `eachToken`.
 */
function readWords(postings: Postings, text: string): void {
  const { length } = text;
  const units = unitsOf(postings, text);
  for (let at = 0; at < length; ) {
    let unit = units[at]!;
    let lower = LOWER[unit]!;
    if (lower < WORD) {
      at = lower === OTHER ? addSpecialWords(postings, text, at) : at + 1;
      continue;
    }
    const start = at;
    let first = FIRST_SEED;
    let second = SECOND_SEED;
    /** Not 0 if there is a letter in upper case behind the first one. */
    let inner = 0;
    while (true) {
      first = nextFirst(first, lower);
      second = nextSecond(second, lower);
      unit = units[++at]!;
      lower = LOWER[unit]!;
      if (lower < WORD) break;
      inner |= unit ^ lower;
    }
    const size = at - start;
    if (lower === OTHER || (lower === SIGN && size === 1)) at = addSpecialWords(postings, text, start);
    else if (size <= MAX_WORD) {
      addPlainWord(postings, text, start, at, first, second);
      if (inner !== 0) addNameParts(postings, text, start, at);
    }
  }
}

/**
 * The text as numbers of 16 bits, with a 0 behind it. Each access to a string that was joined from others takes several
 * times as long.
 */
function unitsOf(postings: Postings, text: string): Uint16Array {
  if (text.length >= postings.units.length) postings.units = new Uint16Array(text.length * 2);
  const { units } = postings;
  if (postings.bytes.buffer !== units.buffer) postings.bytes = Buffer.from(units.buffer);
  postings.bytes.write(text, 'utf16le');
  units[text.length] = 0;
  return units;
}

const NONE = 0;
/** Characters beyond ASCII. */
const OTHER = 1;
/** What belongs to a word of one letter: C++, C#. */
const SIGN = 2;
const WORD = 3;
/** Letters and digits of ASCII in lower case, other characters as above. */
const LOWER = new Uint8Array(1 << 16).fill(OTHER);
for (let unit = 0; unit < 128; unit++) {
  const character = String.fromCharCode(unit);
  const isSign = character === '+' || character === '#';
  if (/[0-9a-z]/i.test(character)) LOWER[unit] = character.toLowerCase().charCodeAt(0);
  else LOWER[unit] = isSign ? SIGN : NONE;
}
const MAX_WORD = 40;

/** Adds a word of ASCII with its hashes. */
function addPlainWord(
  postings: Postings,
  text: string,
  start: number,
  end: number,
  first: number,
  second: number,
): void {
  const known = lookUp(postings, first, second);
  const number =
    known >= 0 ? known : addWord(postings, first, second, ~known, text.slice(start, end).toLowerCase());
  postings.read++;
  if (postings.field !== FIELD.text && isStopWord(postings, number) && !isJoined(postings.units, start, end))
    postings.stopWords++;
  record(postings, number);
}

/** As `eachContentWord` of a name: part of a name as `is_valid`, and not a word of a sentence. */
function isJoined(units: Uint16Array, start: number, end: number): boolean {
  const before = start === 0 ? 0 : units[start - 1]!;
  const after = units[end]!;
  return before === DOT || isJoint(before) || isJoint(after);
}

const DOT = 46;
const isJoint = (unit: number): boolean =>
  LOWER[unit]! >= WORD || unit === UNDERSCORE || unit === COLON || unit === SLASH;
const UNDERSCORE = 95;
const COLON = 58;
const SLASH = 47;

/** Adds the parts of a name in camelCase, as `eachToken` finds them. */
function addNameParts(postings: Postings, text: string, start: number, end: number): void {
  const { units } = postings;
  let from = start;
  for (let at = start + 1; at <= end; at++) {
    if (at < end && (at - from === 1 || !startsPart(units, at))) continue;
    if (at - from > 1 && (from !== start || at !== end)) {
      let first = FIRST_SEED;
      let second = SECOND_SEED;
      for (let place = from; place < at; place++) {
        const lower = LOWER[units[place]!]!;
        first = nextFirst(first, lower);
        second = nextSecond(second, lower);
      }
      addPlainWord(postings, text, from, at, first, second);
    }
    from = at;
  }
}

/** At the end of the word, `at + 1` is behind it. */
const startsPart = (units: Uint16Array, at: number): boolean =>
  isUpper(units[at]!) && (!isUpper(units[at - 1]!) || isLowerLetter(units[at + 1]!));
const isUpper = (unit: number): boolean => unit > 64 && unit < 91;
const isLowerLetter = (unit: number): boolean => unit > 96 && unit < 123;

/** Adds the words up to the next blank, which is in no word. */
function addSpecialWords(postings: Postings, text: string, start: number): number {
  postings.isAscii = false;
  let end = start;
  while (postings.units[end]! > 32) end++;
  const part = text.slice(start, end);
  eachToken(part, (from, to, folded) => {
    const word = folded ?? part.slice(from, to).toLowerCase();
    const first = firstHash(word);
    const second = secondHash(word);
    const known = lookUp(postings, first, second);
    postings.read++;
    record(postings, known >= 0 ? known : addWord(postings, first, second, ~known, word));
  });
  return end;
}

/** Adds the name of the open section: its title, its heading, or as a keyword the name of a field or tab. */
export function addName(postings: Postings, name: string, field: number): void {
  addText(postings, name, field);
  postings.nameLengths[postings.section]! += contentWords(postings, name);
}

/** How many words the name has that was read, without stop words if there are others. */
function contentWords({ isAscii, read, stopWords, stop }: Postings, name: string): number {
  // The phrases among the stop words are of other letters.
  if (isAscii) return read - stopWords || read;
  let words = 0;
  eachContentWord(name, stop, () => {
    words++;
  });
  return words;
}

function record(postings: Postings, word: number): void {
  const { field, section, facts } = postings;
  const at = factsOf(word);
  if (facts[at + SEEN] !== section) {
    facts[at + SEEN] = section;
    facts[at + COUNT]!++;
    if (postings.opened === postings.open.length) growOpen(postings);
    postings.open[postings.opened++] = word;
    facts[at + VALUE] = field === FIELD.text ? 1 << BITS : field;
  } else if (field !== FIELD.text) facts[at + VALUE]! |= field;
  else if (facts[at + VALUE]! >>> BITS < MAX_COUNT) facts[at + VALUE]! += 1 << BITS;
}

function growOpen(postings: Postings): void {
  const larger = new Int32Array(postings.open.length * 2);
  larger.set(postings.open);
  postings.open = larger;
}

/** Numbers of the words that sections have, in order of the words. */
export function wordsInOrder({ words, facts }: Postings): number[] {
  const used = words.flatMap((_, number) => (facts[factsOf(number) + COUNT]! > 0 ? [number] : []));
  return used.sort((a, b) => (words[a]! < words[b]! ? -1 : 1));
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
  const { facts } = postings;
  const starts = new Int32Array(postings.words.length);
  let start = 0;
  for (const word of order) {
    starts[word] = start;
    start += 2 * facts[factsOf(word) + COUNT]!;
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
  const count = postings.facts[factsOf(word) + COUNT]!;
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
