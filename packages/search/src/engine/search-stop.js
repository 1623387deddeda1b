/**
 * Words that say nothing about what is looked for ("how do I"). The export and the reader's browser use this same file:
 * the length of a name and the words of a query are counted alike.
 */
import { eachToken } from './search-tokens.js';

/**
 * @typedef {{ words: ReadonlySet<string>, weak: ReadonlySet<string>, phrases: readonly string[] }} StopWords
 * `weak` ones count little in a question; `phrases` are parts of a text without spaces, the longest first.
 */

/**
 * Reads lists as they are in the directory of an index: words, weak words and phrases, each with blanks between them.
 * @param {readonly string[]} lists
 * @returns {StopWords}
 */
export function readStopWords(lists) {
  const [words, weak, phrases] = lists.map((list) => list.split(' ').filter((each) => each !== ''));
  return { words: new Set(words), weak: new Set(weak), phrases };
}

/** The text with a blank for each character of a phrase; as it is if nothing else is in it. */
function withoutPhrases(text, { phrases }) {
  let rest = text;
  for (const phrase of phrases) {
    if (rest.includes(phrase)) rest = rest.replaceAll(phrase, ' '.repeat(phrase.length));
  }
  return rest.trim() === '' ? text : rest;
}

/** Part of a name as `is_valid`, and not a word of a sentence. */
const isJoined = (text, start, end) =>
  /[\w.:/]/.test(text[start - 1] ?? ' ') || /[\w:/]/.test(text[end] ?? ' ');

/**
 * Calls `emit(start, end, word)` for each word of the text (see `eachToken`) that is not a stop word; for all of them
 * if there are no others. Returns whether any was left out.
 * @param {string} text
 * @param {StopWords} stop
 * @param {(start: number, end: number, word: string) => void} emit
 * @returns {boolean}
 */
export function eachContentWord(text, stop, emit) {
  const rest = withoutPhrases(text, stop);
  const all = [];
  eachToken(rest, (start, end, word) => {
    const term = word ?? rest.slice(start, end).toLowerCase();
    all.push({ start, end, term, isStop: stop.words.has(term) && !isJoined(rest, start, end) });
  });
  const some = all.filter(({ isStop }) => !isStop);
  const kept = some.length > 0 ? some : all;
  for (const { start, end, term } of kept) emit(start, end, term);
  return rest !== text || kept.length < all.length;
}
