/** How numbers and sorted words are written in the files of the index. */

export const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUES = new Uint8Array(128);
for (let index = 0; index < 64; index++) VALUES[DIGITS.charCodeAt(index)] = index;

/**
 * Numbers of any size: five bits a character, the lowest first, 32 where more follow.
 * @param {Iterable<number>} numbers
 * @returns {string}
 */
export function writeNumbers(numbers) {
  let text = '';
  for (let value of numbers) {
    while (value > 31) {
      text += DIGITS[32 + (value & 31)];
      value >>>= 5;
    }
    text += DIGITS[value];
  }
  return text;
}

/**
 * @param {string} text
 * @returns {number[]}
 */
export function readNumbers(text) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = VALUES[text.charCodeAt(at)];
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit < 32) {
      numbers.push(value);
      value = 0;
      shift = 0;
    }
  }
  return numbers;
}

/** Points that a word in the text alone gives, by the two bits of its posting. */
export const TEXT_WEIGHTS = [0.4, 0.9, 1.6];
/** Words of a name, by the three bits of a posting that say it; 0 for a word that is in no name. */
export const NAME_LENGTHS = [0, 1, 2, 3, 4, 5, 7, 10];
/** What a posting says of a word: one of three weights of a text alone, else TEXT_ONLY + six bits. */
export const TEXT_ONLY = 3;

/**
 * Calls `take(section, code)` for each posting of one word, sections in rising order. A posting is the step from the
 * one before and two bits for the weight in the text; 3 says that a character with six bits follows (`codeOf`). Lists of
 * words that are in nearly every section start with `!`.
 * @param {string} text
 * @param {(section: number, code: number) => void} take
 */
export function eachPosting(text, take) {
  let section = -1;
  let value = 0;
  let shift = 0;
  for (let at = text.startsWith('!') ? 1 : 0; at < text.length; at++) {
    const digit = VALUES[text.charCodeAt(at)];
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit > 31) continue;
    section += (value >>> 2) + 1;
    take(section, (value & 3) === 3 ? TEXT_ONLY + VALUES[text.charCodeAt(++at)] : value & 3);
    value = 0;
    shift = 0;
  }
}

/**
 * Sorted words, each without what it shares with the one before: a digit for that length, the rest, a blank.
 * @param {readonly string[]} words
 * @returns {string}
 */
export function writeWords(words) {
  let text = '';
  let before = '';
  for (const word of words) {
    let shared = 0;
    while (shared < 63 && shared < before.length && before[shared] === word[shared]) shared++;
    // Half of a surrogate pair cannot be written.
    if ((word.charCodeAt(shared) & 0xfc00) === 0xdc00) shared--;
    text += `${text === '' ? '' : ' '}${DIGITS[shared]}${word.slice(shared)}`;
    before = word;
  }
  return text;
}

/**
 * @param {string} text
 * @returns {string[]}
 */
export function readWords(text) {
  if (text === '') return [];
  let before = '';
  return text.split(' ').map((part) => {
    before = before.slice(0, VALUES[part.charCodeAt(0)]) + part.slice(1);
    return before;
  });
}
