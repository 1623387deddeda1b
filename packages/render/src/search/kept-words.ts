/** The words of an index as bytes, so that a later render adds its pages without reading their texts again. */
import { StaleRenderError } from '../page-cache/stale-render.ts';
import { closeSection, makeByteRoom, type Postings, writeVariable } from './postings.ts';
import { addWord, COUNT, factsOf, lookUp, SECOND } from './word-table.ts';

/** Words, pages, sections and bytes of records; 1 if the words are in Latin-1 and not in UTF-16. */
const HEADER = 5;
/** The two hashes of a word, and how many sections have it. */
const WORD = 3;
/** Number, sections and bytes of records of a page. */
const PAGE = 3;
/** Length of the text and of the name of a section. */
const SECTION = 2;

/** Words that no section has any more are removed once they are this share of all. */
const UNUSED_SHARE = 1 / 8;

/** The index of an earlier render, whose words are in the table of this one with the same numbers. */
export interface EarlierWords {
  /** By number. */
  pages: Map<number, EarlierPage>;
  lengths: Int32Array;
  records: Uint8Array;
}

interface EarlierPage {
  /** Its first section and number of sections. */
  from: number;
  sections: number;
  /** Its first byte of the records and the one behind the last. */
  start: number;
  end: number;
}

/**
 * The words of all pages: the header, then WORD, PAGE and SECTION numbers for each of them, all in 32 bits; the records;
 * then the words, a line each. `numbers` are those of the pages, and `sections` how many each of them has.
 */
export function takeWords(
  postings: Postings,
  numbers: readonly number[],
  sections: readonly number[],
): Uint8Array[] {
  closeSection(postings);
  const { words, facts, records, starts } = withoutUnused(postings, sections);
  const text = words.join('\n');
  const isLatin = !/[^\0-\xff]/.test(text);
  const count = postings.lengths.length;
  const head = new Int32Array(HEADER + words.length * WORD + numbers.length * PAGE + count * SECTION);
  head.set([words.length, numbers.length, count, records.length, isLatin ? 1 : 0]);
  let place = HEADER;
  for (let word = 0; word < words.length; word++) {
    const at = factsOf(word);
    head[place++] = facts[at]!;
    head[place++] = facts[at + SECOND]!;
    head[place++] = facts[at + COUNT]!;
  }
  for (const [at, number] of numbers.entries()) {
    head[place++] = number;
    head[place++] = sections[at]!;
    head[place++] = (starts[at + 1] ?? records.length) - starts[at]!;
  }
  for (let section = 0; section < count; section++) {
    head[place++] = postings.lengths[section]!;
    head[place++] = postings.nameLengths[section]!;
  }
  return [new Uint8Array(head.buffer), records, Buffer.from(text, isLatin ? 'latin1' : 'utf16le')];
}

type Records = Pick<Postings, 'words' | 'facts' | 'records' | 'starts'>;

/** The words and records of an index; without the words that no section has any more if they are many. */
function withoutUnused(postings: Postings, sections: readonly number[]): Records {
  const { words, facts, used, starts } = postings;
  const records = postings.records.subarray(0, used);
  const kept = words.flatMap((_, number) => (facts[factsOf(number) + COUNT]! > 0 ? [number] : []));
  if (words.length - kept.length <= words.length * UNUSED_SHARE) return { words, facts, records, starts };
  const after = new Int32Array(words.length);
  for (const [number, before] of kept.entries()) after[before] = number;
  return {
    words: kept.map((number) => words[number]!),
    facts: Int32Array.from(
      kept.flatMap((number) => [...facts.subarray(factsOf(number), factsOf(number + 1))]),
    ),
    ...renumber(records, sections, after),
  };
}

/** The records with other numbers of the words, none of which is larger than before. */
function renumber(
  records: Uint8Array,
  sections: readonly number[],
  after: Int32Array,
): Pick<Records, 'records' | 'starts'> {
  const renumbered = new Uint8Array(records.length);
  const starts: number[] = [];
  const reader = readerOf(records, 0);
  let end = 0;
  for (const count of sections) {
    starts.push(end);
    for (let section = 0; section < count; section++) {
      const words = reader.read();
      end = writeVariable(renumbered, end, words);
      for (let word = 0; word < words; word++) {
        end = writeVariable(renumbered, end, after[reader.read()]!);
        end = writeVariable(renumbered, end, reader.read());
      }
    }
  }
  return { records: renumbered.subarray(0, end), starts };
}

/** Reads what `takeWords` returned into an index without words. */
export function readWords(postings: Postings, bytes: Uint8Array): EarlierWords {
  const [words = 0, pages = 0, sections = 0, size = 0, isLatin = 0] = integersOf(bytes, HEADER);
  const head = integersOf(bytes, HEADER + words * WORD + pages * PAGE + sections * SECTION);
  const end = head.byteLength + size;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + end, bytes.length - end);
  const texts = text.toString(isLatin === 1 ? 'latin1' : 'utf16le').split('\n');
  let place = HEADER;
  for (let word = 0; word < words; word++, place += WORD) {
    const [first, second] = [head[place]!, head[place + 1]!];
    const number = addWord(postings, first, second, ~lookUp(postings, first, second), texts[word]!);
    postings.facts[factsOf(number) + COUNT] = head[place + 2]!;
  }
  const found: EarlierWords = {
    pages: new Map(),
    lengths: head.subarray(place + pages * PAGE),
    records: bytes.subarray(head.byteLength, end),
  };
  let [from, start] = [0, 0];
  for (let page = 0; page < pages; page++, place += PAGE) {
    const [number, count, length] = [head[place]!, head[place + 1]!, head[place + 2]!];
    found.pages.set(number, { from, sections: count, start, end: start + length });
    from += count;
    start += length;
  }
  return found;
}

/** The first numbers of 32 bits; a view of the bytes would need another alignment. */
const integersOf = (bytes: Uint8Array, count: number): Int32Array =>
  new Int32Array(new Uint8Array(bytes.subarray(0, count * 4)).buffer);

/** Adds the sections of a page of the earlier index once. Throws a StaleRenderError if it is not there. */
export function addEarlierPage(postings: Postings, earlier: EarlierWords, number: number): void {
  closeSection(postings);
  const page = earlier.pages.get(number);
  if (page === undefined) throw new StaleRenderError();
  earlier.pages.delete(number);
  postings.starts.push(postings.used);
  for (let at = 0; at < page.sections; at++) {
    const place = (page.from + at) * SECTION;
    postings.section++;
    postings.isStart.push(at === 0);
    postings.lengths.push(earlier.lengths[place]!);
    postings.nameLengths.push(earlier.lengths[place + 1]!);
  }
  const records = earlier.records.subarray(page.start, page.end);
  makeByteRoom(postings, records.length).set(records, postings.used);
  postings.used += records.length;
}

/** No longer counts the words of the pages of the earlier index that were not added. */
export function endEarlier(postings: Postings, earlier: EarlierWords): void {
  for (const { sections, start } of earlier.pages.values()) {
    const reader = readerOf(earlier.records, start);
    for (let section = 0; section < sections; section++) {
      for (let words = reader.read(); words > 0; words--) {
        postings.facts[factsOf(reader.read()) + COUNT]!--;
        reader.read();
      }
    }
  }
  earlier.pages.clear();
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
