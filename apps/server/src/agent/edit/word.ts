/** Scripts that put no blank between words: there every place may begin a word. */
const RUNNING =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;

const isLetter = (character: string): boolean => LETTER.test(character) && !RUNNING.test(character);

/** The whole character that ends before an offset, '' at the start. */
function before(text: string, at: number): string {
  const low = text.charCodeAt(at - 1);
  const wide = low >= 0xdc00 && low <= 0xdfff && at >= 2;
  return text.slice(Math.max(0, at - (wide ? 2 : 1)), at);
}

/** The whole character at an offset, '' at the end. */
function after(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/**
 * Whether a part of a text is a whole word. An underscore joins words (`user_id`), unless it marks emphasis
 * (`_word_`), with no letter on its other side.
 */
export function isWholeWord(text: string, start: number, end: number): boolean {
  if (isLetter(after(text, start))) {
    const left = before(text, start);
    if (isLetter(left) || (left === '_' && isLetter(before(text, start - 1)))) return false;
  }
  if (isLetter(before(text, end))) {
    const right = after(text, end);
    if (isLetter(right) || (right === '_' && isLetter(after(text, end + 1)))) return false;
  }
  return true;
}

const capital = (word: string): string => {
  const first = after(word, 0);
  return first.toUpperCase() + word.slice(first.length);
};

/** The new text in the case of what was found: as typed, all capitals, each word or the first with one, or none. */
export function recased(found: string, find: string, replace: string): string {
  if (found === find) return replace;
  const upper = found.toUpperCase();
  const lower = found.toLowerCase();
  if (found === upper && found !== lower && [...found].length > 1) return replace.toUpperCase();
  const words = found.split(/[\s-]+/).filter((word) => word !== '');
  const capitals = words.filter((word) => after(word, 0) !== after(word, 0).toLowerCase()).length;
  if (words.length > 1 && capitals === words.length) {
    return replace.replace(/[^\s-]+/g, (word) => capital(word));
  }
  if (capitals > 0 && after(found, 0) !== after(found, 0).toLowerCase()) return capital(replace);
  if (found !== lower) return replace;
  // `API` stays what it is in the middle of a sentence.
  return replace.replace(/\S+/g, (word) => (/\p{Lu}.*\p{Lu}/u.test(word) ? word : word.toLowerCase()));
}
