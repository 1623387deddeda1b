import type { Span, TokenClass } from '../spans.ts';

/** Code that is being read, and its spans so far. */
export interface Scan {
  readonly code: string;
  /** End of the part that is read. */
  readonly end: number;
  at: number;
  readonly spans: Span[];
}

/** Characters of names by their code: letters, digits, `_`, `$` and everything beyond ASCII. */
const NAME = new Uint8Array(128);
const DIGIT = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$')
  NAME[character.charCodeAt(0)] = 1;
for (const character of '0123456789') DIGIT[character.charCodeAt(0)] = 1;

/** Whether a name can contain the character; digits are included. */
export const isName = (code: number): boolean => (code < 128 ? NAME[code] === 1 : code > 160);

export const isDigit = (code: number): boolean => code < 128 && DIGIT[code] === 1;

export const isBlank = (code: number): boolean => code === 32 || code === 9 || code === 13;

/** Adds the text from `from` to the current place; without a class it stays plain. */
export function add(scan: Scan, from: number, className: TokenClass | null): void {
  if (className === null || from >= scan.at) return;
  const last = scan.spans.at(-1);
  if (last !== undefined && last.to === from && last.className === className) last.to = scan.at;
  else scan.spans.push({ from, to: scan.at, className });
}

/** End of the name that starts at `at`. */
export function nameEnd({ code, end }: Scan, at: number): number {
  let to = at;
  while (to < end && isName(code.charCodeAt(to))) to++;
  return to;
}

export function lineEnd({ code, end }: Scan, at: number): number {
  const found = code.indexOf('\n', at);
  return found < 0 || found > end ? end : found;
}

/** Where a text ends that starts at `at`; the end of the part where it does not. */
export function endOf({ code, end }: Scan, text: string, at: number): number {
  const found = code.indexOf(text, at);
  return found < 0 || found + text.length > end ? end : found + text.length;
}

/** Place of the next character that is not blank, in the same line or over line ends. */
export function skipBlanks({ code, end }: Scan, at: number, overLines = false): number {
  let to = at;
  while (to < end && (isBlank(code.charCodeAt(to)) || (overLines && code.charCodeAt(to) === 10))) to++;
  return to;
}

/** End of a number: digits, letters of exponents and suffixes, dots before digits. */
export function numberEnd({ code, end }: Scan, at: number): number {
  let to = at;
  while (to < end) {
    const character = code.charCodeAt(to);
    const isSign =
      (character === 43 || character === 45) && /[eE]/.test(code[to - 1] ?? '') && code[at + 1] !== 'x';
    const isDot = character === 46 && code[to + 1] !== '.';
    if (!isName(character) && !isSign && !isDot) break;
    to++;
  }
  return to;
}

/** End of a text between quotes in one line; a backslash takes the next character with it. */
export function quotedEnd({ code, end }: Scan, at: number, overLines = false): number {
  const quote = code.charCodeAt(at);
  for (let to = at + 1; to < end; to++) {
    const character = code.charCodeAt(to);
    if (character === 92) to++;
    else if (character === quote) return to + 1;
    else if (character === 10 && !overLines) return to;
  }
  return end;
}
