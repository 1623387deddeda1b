import { foldCase, foldMarks } from './fold.ts';
import type { Span } from './mdx-scope.ts';
import { isWholeWord } from './word.ts';

/** What is looked for. */
export interface Sought {
  find: string;
  whole_word: boolean;
  /** `preserve`: in any case. */
  case: 'exact' | 'preserve';
}

/** Places of a literal text, in order and apart. */
export function placesOf(text: string, { find, ...options }: Sought): Span[] {
  const preserve = options.case === 'preserve';
  const hay = preserve ? foldCase(text) : text;
  const sought = preserve ? foldCase(find) : find;
  const places: Span[] = [];
  for (let at = hay.indexOf(sought); at >= 0; ) {
    const end = at + sought.length;
    const fits = !options.whole_word || isWholeWord(text, at, end);
    if (fits) places.push({ start: at, end });
    at = hay.indexOf(sought, fits ? end : at + 1);
  }
  return places;
}

/** Most blanks and line ends between two words of one phrase. */
const MAX_GAP = 40;

/**
 * Places that read like the text but are not it: in another case, with typographic marks, or over a line end.
 * They are only reported, so that nobody assumes an incomplete replacement to be complete.
 */
export function lookalikes(text: string, sought: Sought, places: readonly Span[]): Span[] {
  const words = foldCase(foldMarks(sought.find))
    .split(/\s+/)
    .filter((word) => word !== '');
  const [first = '', ...rest] = words;
  if (first === '') return [];
  const hay = foldCase(foldMarks(text));
  const taken = new Set(places.map(({ start }) => start));
  const found: Span[] = [];
  for (let at = hay.indexOf(first); at >= 0; at = hay.indexOf(first, at + first.length)) {
    const end = phraseEnd(hay, at + first.length, rest);
    if (end < 0 || taken.has(at)) continue;
    if (sought.whole_word && !isWholeWord(text, at, end)) continue;
    found.push({ start: at, end });
  }
  return found;
}

/** Offset after the words that follow with blanks or one line end between them; -1 when they do not. */
function phraseEnd(hay: string, from: number, words: readonly string[]): number {
  let at = from;
  for (const word of words) {
    const gap = /^(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*)/.exec(hay.slice(at, at + MAX_GAP))?.[0];
    if (gap === undefined || !hay.startsWith(word, at + gap.length)) return -1;
    at += gap.length + word.length;
  }
  return at;
}

/** Those places that are in one of the spans as a whole; both are in order. */
export function within(places: readonly Span[], spans: readonly Span[]): Span[] {
  let index = 0;
  return places.filter(({ start, end }) => {
    while (index < spans.length && spans[index]!.end <= start) index += 1;
    const span = spans[index];
    return span !== undefined && span.start <= start && end <= span.end;
  });
}
