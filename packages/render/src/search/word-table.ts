import type { StopWords } from '@offprint/search/stop';
import { copyText } from '../copy-text.ts';

/**
 * Words by number. A word is found by two hashes of its characters, so that a known one costs no string. What is known of a
 * word is in one place, since it is used together.
 */
export interface WordTable {
  words: string[];
  /** Slot of a hash table with open addressing -> number of the word + 1. */
  slots: Int32Array;
  /** FACTS integers of each word, at the places below. */
  facts: Int32Array;
  stop: StopWords;
}

export const FACTS = 8;
/** The two hashes. */
export const FIRST = 0;
export const SECOND = 1;
/** Last section with the word, what it is there (count of the word in the text << 4 | fields), and number of sections. */
export const SEEN = 2;
export const VALUE = 3;
export const COUNT = 4;
/** 1 for a stop word. */
export const STOP = 5;

export function createWordTable(stop: StopWords): WordTable {
  return {
    words: [],
    slots: new Int32Array(1 << 14),
    facts: new Int32Array(FACTS << 13),
    stop,
  };
}

/** What the two hashes of a word start with; each character changes them. Integers of 32 bits, as all that follow. */
export const FIRST_SEED = 0x811c9dc5 | 0;
export const SECOND_SEED = 0x9747b28c | 0;
export const nextFirst = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
export const nextSecond = (hash: number, unit: number): number =>
  Math.imul(hash + unit, 0x85ebca6b) ^ (hash >>> 13);

export function firstHash(word: string): number {
  let hash = FIRST_SEED;
  for (let at = 0; at < word.length; at++) hash = nextFirst(hash, word.charCodeAt(at));
  return hash;
}

export function secondHash(word: string): number {
  let hash = SECOND_SEED;
  for (let at = 0; at < word.length; at++) hash = nextSecond(hash, word.charCodeAt(at));
  return hash;
}

export const isStopWord = ({ facts }: WordTable, number: number): boolean =>
  facts[factsOf(number) + STOP] === 1;

/** Where the facts of a word start. */
export const factsOf = (number: number): number => number << 3;

/** Number of the word with these hashes, or the complement of its free slot. */
export function lookUp({ slots, facts }: WordTable, first: number, second: number): number {
  const mask = slots.length - 1;
  let slot = (first ^ (first >>> 15)) & mask;
  while (true) {
    const number = slots[slot]! - 1;
    if (number < 0) return ~slot;
    const at = factsOf(number);
    if (facts[at] === first && facts[at + SECOND] === second) return number;
    slot = (slot + 1) & mask;
  }
}

/** Adds a word that is not known with its hashes, in a free slot; its number. */
export function addWord(table: WordTable, first: number, second: number, slot: number, word: string): number {
  const number = table.words.push(copyText(word)) - 1;
  const at = factsOf(number);
  if (at === table.facts.length) {
    const larger = new Int32Array(at * 2);
    larger.set(table.facts);
    table.facts = larger;
  }
  table.facts[at] = first;
  table.facts[at + SECOND] = second;
  table.facts[at + SEEN] = -1;
  table.facts[at + STOP] = table.stop.words.has(word) ? 1 : 0;
  table.slots[slot] = number + 1;
  if (number * 2 > table.slots.length) rehash(table);
  return number;
}

function rehash(table: WordTable): void {
  const slots = new Int32Array(table.slots.length * 2);
  const mask = slots.length - 1;
  for (let number = 0; number < table.words.length; number++) {
    const first = table.facts[factsOf(number)]!;
    let slot = (first ^ (first >>> 15)) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = number + 1;
  }
  table.slots = slots;
}
