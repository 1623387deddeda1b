/**
 * Words of a text. The export and the reader's browser use this same file, so that both cut a text alike.
 * Latin and other spaced scripts give words and the parts of camelCase names; scripts without spaces (Chinese,
 * Japanese, Korean, Thai...) give pairs of characters.
 */

/** Longer runs of letters and digits are keys and encoded data, which nobody types. */
const MAX_WORD = 40;

const NONE = 1;
const WORD = 2;
const UNSPACED = 3;

/** Of ASCII: 0 none, 1 lower case, 2 upper case, 3 digit. */
const ASCII = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  if (code >= 97 && code <= 122) ASCII[code] = 1;
  else if (code >= 65 && code <= 90) ASCII[code] = 2;
  else if (code >= 48 && code <= 57) ASCII[code] = 3;
}

const IN_WORDS = /[\p{L}\p{N}\p{M}]/u;
const NO_SPACES =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]/u;

/** Class of each character of the basic plane, filled as they come. */
const CLASSES = new Uint8Array(65536);

function classOf(point) {
  const known = point < 65536 ? CLASSES[point] : 0;
  if (known !== 0) return known;
  const character = String.fromCodePoint(point);
  const found = !IN_WORDS.test(character) ? NONE : NO_SPACES.test(character) ? UNSPACED : WORD;
  if (point < 65536) CLASSES[point] = found;
  return found;
}

/** Letters that decompose to no plain one. */
const LETTERS = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ı: 'i', þ: 'th', ς: 'σ', ـ: '' };
const SPECIAL = /[ßæœøđðłıþςـ]/g;
/** Accents, and the vowel points of Hebrew and Arabic. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u0670]/g;
const OUTSIDE = /[^\p{L}\p{N}\p{M}]/gu;

/**
 * Lower case without accents, in one Unicode form: what two ways to write a word have in common.
 * @param {string} text
 * @returns {string}
 */
export function fold(text) {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(SPECIAL, (letter) => LETTERS[letter])
    .replace(OUTSIDE, '')
    .normalize('NFC');
}

/**
 * Calls `emit(start, end, word)` for each word of the text, in order. `word` is null for ASCII, whose word is the
 * lower case of that range, else the folded word. Parts of a camelCase name come after the whole name, and are inside its range.
 * @param {string} text
 * @param {(start: number, end: number, word: string | null) => void} emit
 */
export function eachToken(text, emit) {
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code < 128) at = ASCII[code] === 0 ? at + 1 : asciiWord(text, at, emit);
    else at = otherRun(text, at, emit);
  }
}

function asciiWord(text, start, emit) {
  let end = start + 1;
  let upper = false;
  let code = 0;
  for (; end < text.length; end++) {
    code = text.charCodeAt(end);
    if (code >= 128 || ASCII[code] === 0) break;
    if (ASCII[code] === 2) upper = true;
  }
  if (end < text.length && code >= 128 && classOf(text.codePointAt(end)) === WORD) {
    return mixedWord(text, start, end, emit);
  }
  if (end - start > MAX_WORD) return end;
  if (end - start === 1) {
    // C++, C#, F#.
    while (
      end < text.length &&
      (text[end] === '+' || text[end] === '#') &&
      ASCII[text.charCodeAt(start)] !== 3
    )
      end++;
    emit(start, end, null);
    return end;
  }
  emit(start, end, null);
  if (upper) nameParts(text, start, end, emit);
  return end;
}

/** `getHTTPServer2` -> get, HTTP, Server2. Parts of one letter are left out. */
function nameParts(text, start, end, emit) {
  let from = start;
  for (let at = start + 1; at <= end; at++) {
    // OAuth and iPhone are one word.
    if (at < end && (at - from === 1 || !startsPart(text, at, end))) continue;
    if (at - from > 1 && !(from === start && at === end)) emit(from, at, null);
    from = at;
  }
}

function startsPart(text, at, end) {
  if (ASCII[text.charCodeAt(at)] !== 2) return false;
  if (ASCII[text.charCodeAt(at - 1)] !== 2) return true;
  return at + 1 < end && ASCII[text.charCodeAt(at + 1)] === 1;
}

function otherRun(text, start, emit) {
  const point = text.codePointAt(start);
  const kind = classOf(point);
  const next = start + (point > 65535 ? 2 : 1);
  if (kind === NONE) return next;
  return kind === WORD ? mixedWord(text, start, next, emit) : unspacedRun(text, start, emit);
}

function mixedWord(text, start, from, emit) {
  let end = from;
  while (end < text.length) {
    const point = text.codePointAt(end);
    if (point < 128 ? ASCII[point] === 0 : classOf(point) !== WORD) break;
    end += point > 65535 ? 2 : 1;
  }
  if (end - start <= MAX_WORD * 2) {
    const word = fold(text.slice(start, end));
    if (word !== '') emit(start, end, word);
  }
  return end;
}

function unspacedRun(text, start, emit) {
  let before = -1;
  let at = start;
  while (at < text.length) {
    const point = text.codePointAt(at);
    if (point < 128 || classOf(point) !== UNSPACED) break;
    const next = at + (point > 65535 ? 2 : 1);
    if (before >= 0) emitFolded(text, before, next, emit);
    before = at;
    at = next;
  }
  if (before === start) emitFolded(text, start, at, emit);
  return at;
}

function emitFolded(text, start, end, emit) {
  const word = fold(text.slice(start, end));
  if (word !== '') emit(start, end, word);
}

/** Endings of English that change little of what a word means, longest first. */
const ENDINGS =
  'izations ization ations ation ating ated ates ate ments ment ings ing ions ion ied ies ed es s'.split(' ');

/**
 * The word without a common ending; words of one stem stand for each other. Never shorter than four letters.
 * @param {string} word
 * @returns {string}
 */
export function stemOf(word) {
  if (/\d/.test(word)) return word;
  const ending = ENDINGS.find((each) => word.length - each.length >= 4 && word.endsWith(each));
  let stem = word;
  if (ending !== undefined && !word.endsWith('ss')) stem = word.slice(0, -ending.length);
  return stem.length > 4 && /[ey]$/.test(stem) ? stem.slice(0, -1) : stem;
}
