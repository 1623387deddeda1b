/** The words of a page as bytes, so that a later render adds them without reading the text again. */
import { closeSection, makeRecordRoom, type Postings, writeVariable } from './postings.ts';
import { addWord, COUNT, factsOf, lookUp, SECOND } from './word-table.ts';

/** A place in the postings: where the record of the next section starts, and its number. */
export interface PostingPlace {
  used: number;
  section: number;
}

/** Where the next page starts. */
export function placeOf(postings: Postings): PostingPlace {
  closeSection(postings);
  return { used: postings.used, section: postings.section + 1 };
}

/** Bytes of the largest number of a header. */
const HEADER = 3;

/**
 * The words of the sections from that place on: how many words, sections and bytes of records, in 32 bits each; the two
 * hashes of each word and its length; length of text and name of each section; the records, with numbers of the words of
 * this page; then the words as UTF-8.
 */
export function takeWords(postings: Postings, { used, section }: PostingPlace): Uint8Array {
  closeSection(postings);
  const sections = postings.section + 1 - section;
  const { words, records } = takeRecords(postings, used, sections);
  const texts = words.map((number) => writeText(postings.words[number]!));
  const size = texts.reduce((sum, text) => sum + text.length * 3, 0);
  const headLength = HEADER + words.length * 3 + sections * 2;
  const bytes = new Uint8Array(headLength * 4 + records.length + size);
  const head = new Int32Array(bytes.buffer, 0, headLength);
  head[0] = words.length;
  head[1] = sections;
  head[2] = records.length;
  let end = headLength * 4;
  bytes.set(records, end);
  end += records.length;
  let place = HEADER;
  for (const [at, number] of words.entries()) {
    const { written } = encoder.encodeInto(texts[at]!, bytes.subarray(end));
    end += written;
    head[place++] = postings.facts[factsOf(number)]!;
    head[place++] = postings.facts[factsOf(number) + SECOND]!;
    head[place++] = written;
  }
  for (let at = section; at < section + sections; at++) {
    head[place++] = postings.lengths[at]!;
    head[place++] = postings.nameLengths[at]!;
  }
  return bytes.subarray(0, end);
}

/** Numbers of the words of the last sections in order of their first use, and the records with places in this list. */
function takeRecords(
  postings: Postings,
  used: number,
  sections: number,
): { words: number[]; records: Uint8Array } {
  const places = new Map<number, number>();
  const words: number[] = [];
  const records = new Uint8Array((postings.used - used) * 3 + 16);
  let end = 0;
  const reader = readerOf(postings.records, used);
  for (let left = sections; left > 0; left--) {
    const count = reader.read();
    end = writeVariable(records, end, count);
    for (let word = count; word > 0; word--) {
      const number = reader.read();
      let place = places.get(number);
      if (place === undefined) {
        place = words.push(number) - 1;
        places.set(number, place);
      }
      end = writeVariable(records, writeVariable(records, end, place), reader.read());
    }
  }
  return { words, records: records.subarray(0, end) };
}

const encoder = new TextEncoder();

/** Adds the sections of a page as `takeWords` returned them. */
export function addWords(postings: Postings, bytes: Uint8Array): void {
  closeSection(postings);
  const [count = 0, sections = 0, size = 0] = integersOf(bytes, HEADER);
  const headLength = HEADER + count * 3 + sections * 2;
  const head = integersOf(bytes, headLength);
  const start = headLength * 4;
  const numbers = readNumbers(postings, head, count, bytes, start + size);
  const reader = readerOf(bytes, start);
  for (let at = 0; at < sections; at++) {
    const lengths = HEADER + count * 3 + at * 2;
    postings.section++;
    postings.isStart.push(at === 0);
    postings.lengths.push(head[lengths]!);
    postings.nameLengths.push(head[lengths + 1]!);
    const words = reader.read();
    const records = makeRecordRoom(postings, words);
    let end = writeVariable(records, postings.used, words);
    for (let word = words; word > 0; word--) {
      const number = numbers[reader.read()]!;
      postings.facts[factsOf(number) + COUNT]!++;
      end = writeVariable(records, writeVariable(records, end, number), reader.read());
    }
    postings.used = end;
  }
}

/** The first numbers of 32 bits; a view of the bytes would need another alignment. */
const integersOf = (bytes: Uint8Array, count: number): Int32Array =>
  new Int32Array(new Uint8Array(bytes.subarray(0, count * 4)).buffer);

/** Numbers in the whole index of the words of a page, whose texts start there. */
function readNumbers(
  postings: Postings,
  head: Int32Array,
  count: number,
  bytes: Uint8Array,
  start: number,
): Int32Array {
  const numbers = new Int32Array(count);
  let at = start;
  for (let word = 0; word < count; word++) {
    const place = HEADER + word * 3;
    const first = head[place]!;
    const second = head[place + 1]!;
    const length = head[place + 2]!;
    const known = lookUp(postings, first, second);
    numbers[word] =
      known >= 0
        ? known
        : addWord(postings, first, second, ~known, readText(bytes.subarray(at, at + length)));
    at += length;
  }
  return numbers;
}

const decoder = new TextDecoder();

/** UTF-8 has no halves of surrogate pairs. No word contains a backslash. */
const writeText = (word: string): string => (word.isWellFormed() ? word : JSON.stringify(word).slice(1, -1));

function readText(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  if (!text.includes('\\')) return text;
  const word: string = JSON.parse(`"${text}"`);
  return word;
}

function readerOf(bytes: Uint8Array, start: number): { read(): number } {
  let at = start;
  return {
    read() {
      let number = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++]!;
        number |= (byte & 127) << shift;
        if (byte < 128) return number;
      }
    },
  };
}
