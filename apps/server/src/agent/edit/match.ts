import { diffArrays } from 'diff';
import { type Folded, foldText } from './fold.ts';

/** `text` instead of the original's `start` to `end`, in UTF-16 units. */
export interface Splice {
  start: number;
  end: number;
  text: string;
}

/** A line that resembles what was looked for; counted from 1. */
export interface NearLine {
  line: number;
  text: string;
}

export type EditResult =
  | {
      kind: 'done';
      text: string;
      /** `folded`: found only after typographic marks, blanks and line ends were taken as typed. */
      matched: 'exact' | 'folded';
      count: number;
      /** In order; a last one may reach over a line end that the file does not have. */
      splices: readonly Splice[];
      /** Lines of places that differ from the old text in such things only and were left as they are. */
      left: readonly number[];
    }
  | { kind: 'missing'; wanted: string; closest: readonly NearLine[] }
  | { kind: 'ambiguous'; matched: 'exact' | 'folded'; count: number; lines: readonly number[] };

interface Range {
  start: number;
  end: number;
}

/**
 * Puts `newText` where `oldText` is. The old text is looked for as it is, else folded (see fold.ts); it must be there
 * once, or `all` are meant. Nothing outside the found range changes, and of a folded match only what differs
 * between old and new text does. Likeness is never enough. Line ends of the new text become those of the file.
 */
export function editText(text: string, oldText: string, newText: string, all = false): EditResult {
  const eol = lineEnd(text);
  const exact = occurrences(unitsOf(text), unitsOf(oldText)).map((start) => ({
    start,
    end: start + oldText.length,
  }));
  if (exact.length > 1 && !all) return ambiguous(text, 'exact', exact);
  if (exact.length > 0) {
    const ranges = apart(exact);
    const replacement = withLineEnd(newText, eol);
    const splices = ranges.map((range) => ({ ...range, text: replacement }));
    const left = all ? leftOver(text, oldText, ranges) : [];
    return {
      kind: 'done',
      text: splice(text, splices),
      matched: 'exact',
      count: ranges.length,
      splices,
      left,
    };
  }
  const folded = foldText(text, true);
  const typed = withLineEnd(oldText, '\n');
  const found = foldedMatches(text, folded, typed);
  if (found.length > 1 && !all) return ambiguous(text, 'folded', found);
  if (found.length === 0) {
    return (
      lastLineEdit(text, oldText, newText, all, eol) ?? { kind: 'missing', ...closestLines(text, oldText) }
    );
  }
  const hunks = changedParts(typed, withLineEnd(newText, '\n'));
  const ranges = apart(found);
  const splices = ranges
    .flatMap((match) => spliceOf(folded, match, hunks, { start: match.start, end: match.end, text: newText }))
    .map((one) => ({ ...one, text: withLineEnd(one.text, eol) }));
  return {
    kind: 'done',
    text: splice(text, splices),
    matched: 'folded',
    count: ranges.length,
    splices,
    left: [],
  };
}

/** The edit of a last line that was typed with a line end, which the file does not have; null when it is none. */
function lastLineEdit(
  text: string,
  oldText: string,
  newText: string,
  all: boolean,
  eol: '\n' | '\r\n',
): EditResult | null {
  if (text === '' || text.endsWith('\n') || !oldText.endsWith('\n')) return null;
  const result = editText(text + eol, oldText, newText, all);
  if (result.kind !== 'done') return result.kind === 'missing' ? null : result;
  const borrowed = newText.endsWith('\n') && result.text.endsWith(eol);
  return borrowed ? { ...result, text: result.text.slice(0, -eol.length) } : result;
}

/** Text with parts replaced; the splices are in order and do not overlap. */
export function splice(text: string, splices: readonly Splice[]): string {
  let out = '';
  let at = 0;
  for (const { start, end, text: replacement } of splices) {
    out += text.slice(at, start) + replacement;
    at = end;
  }
  return out + text.slice(at);
}

/** The line end that most lines of a text have. */
export function lineEnd(text: string): '\n' | '\r\n' {
  let windows = 0;
  let all = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    all += 1;
    if (text.charCodeAt(at - 1) === 0x0d) windows += 1;
  }
  return windows * 2 > all ? '\r\n' : '\n';
}

/** Text with every line end made the given one. */
export function withLineEnd(text: string, eol: '\n' | '\r\n'): string {
  return text.replace(/\r?\n/g, () => eol);
}

/** Line numbers, from 1, of rising offsets. */
export function linesAt(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let next = text.indexOf('\n');
  return offsets.map((offset) => {
    while (next >= 0 && next < offset) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  });
}

interface FoldedMatch extends Range {
  /** First folded unit of the match. */
  from: number;
  pattern: Folded;
}

/** Where the folded old text is in a folded text, overlaps included. */
function foldedMatches(text: string, folded: Folded, oldText: string): FoldedMatch[] {
  const matches: FoldedMatch[] = [];
  const whole = foldText(oldText, false);
  const trimmed = foldText(oldText, true);
  const add = (pattern: Folded, atLineEnd: boolean): void => {
    for (const from of occurrences(folded.units, pattern.units)) {
      const to = from + pattern.units.length;
      // Never cut inside an ellipsis.
      if (!isBoundary(folded, from) || !isBoundary(folded, to)) continue;
      if (atLineEnd && to < folded.units.length && folded.units[to] !== 0x0a) continue;
      matches.push({ start: folded.starts[from]!, end: folded.ends[to - 1]!, from, pattern });
    }
  };
  add(whole, false);
  // Blanks at the end of the old text are blanks of the file, or line-end blanks that it may lack.
  if (trimmed.units.length < whole.units.length) add(trimmed, true);
  return matches
    .filter(({ start, end }) => end > start && end <= text.length)
    .sort((a, b) => a.start - b.start);
}

const isBoundary = ({ units, starts }: Folded, at: number): boolean =>
  at === 0 || at >= units.length || starts[at] !== starts[at - 1];

/** A part of the old text, and its replacement in the new. */
interface Hunk extends Range {
  text: string;
}

/** Most pieces that may differ before two texts are taken as wholly different. */
const MAX_EDITS = 400;

/** Where old and new text differ, as typed. What they share keeps the bytes that the file has. */
function changedParts(oldText: string, newText: string): Hunk[] {
  return hunksOf(oldText, newText, lines).flatMap((hunk) => {
    const before = oldText.slice(hunk.start, hunk.end);
    return hunksOf(before, hunk.text, words).map((part) =>
      trimmedHunk(hunk.start + part.start, before.slice(part.start, part.end), part.text),
    );
  });
}

const lines = (text: string): string[] => text.split(/(?<=\n)/);
const words = (text: string): string[] => text.match(/[\p{L}\p{N}\p{M}]+|\n|[^\S\n]+|./gsu) ?? [];

function hunksOf(before: string, after: string, split: (text: string) => string[]): Hunk[] {
  const parts = diffArrays(split(before), split(after), { maxEditLength: MAX_EDITS });
  if (parts === undefined) return [{ start: 0, end: before.length, text: after }];
  const hunks: Hunk[] = [];
  let at = 0;
  let open: Hunk | null = null;
  for (const { added, removed, value } of parts) {
    const text = value.join('');
    if (added || removed) {
      open ??= { start: at, end: at, text: '' };
      if (added) open.text += text;
    } else open = null;
    if (!added) at += text.length;
    if (open === null) continue;
    open.end = at;
    if (hunks.at(-1) !== open) hunks.push(open);
  }
  return hunks;
}

/** Leaves off what both sides begin and end with. */
function trimmedHunk(start: number, before: string, after: string): Hunk {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;
  return {
    start: start + head,
    end: start + before.length - tail,
    text: after.slice(head, after.length - tail),
  };
}

/** The splices that make the change of old to new text at one folded match. */
function spliceOf(folded: Folded, match: FoldedMatch, hunks: readonly Hunk[], whole: Splice): Splice[] {
  const { pattern, from } = match;
  const splices: Splice[] = [];
  for (const hunk of hunks) {
    const i = unitAt(pattern, hunk.start);
    const j = unitAt(pattern, hunk.end);
    if (!isBoundary(folded, from + i) || !isBoundary(folded, from + j)) return [whole];
    // Where the hunk starts or ends with characters that folding drops, those of the file are removed too.
    const before = i > 0 ? folded.ends[from + i - 1]! : match.start;
    const after = j < pattern.starts.length ? folded.starts[from + j]! : match.end;
    // Blanks before a line end are part of it, and go when it does.
    const joins = i < j && pattern.units[i] === 0x0a;
    const dropsHead = joins || i >= pattern.starts.length || pattern.starts[i]! > hunk.start;
    const dropsTail = j > 0 && pattern.ends[j - 1]! < hunk.end;
    const start = dropsHead || i === j ? before : folded.starts[from + i]!;
    const end = hunk.start === hunk.end ? start : dropsTail ? after : folded.ends[from + j - 1]!;
    splices.push({ start, end, text: hunk.text });
  }
  return splices;
}

/** Index of the first unit at or after an offset of the unfolded text. */
function unitAt({ starts }: Folded, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return units;
}

/** Every place of a pattern, overlaps included, in linear time: Knuth, Morris and Pratt. */
function occurrences(text: Uint16Array, pattern: Uint16Array): number[] {
  const found: number[] = [];
  if (pattern.length === 0 || pattern.length > text.length) return found;
  const fallback = new Uint32Array(pattern.length);
  for (let at = 1, length = 0; at < pattern.length; at++) {
    while (length > 0 && pattern[at] !== pattern[length]) length = fallback[length - 1]!;
    if (pattern[at] === pattern[length]) length += 1;
    fallback[at] = length;
  }
  for (let at = 0, length = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== pattern[length]) length = fallback[length - 1]!;
    if (text[at] === pattern[length]) length += 1;
    if (length < pattern.length) continue;
    found.push(at + 1 - length);
    length = fallback[length - 1]!;
  }
  return found;
}

/** Ranges without those that overlap one before. */
function apart<T extends Range>(ranges: readonly T[]): T[] {
  const kept: T[] = [];
  let at = 0;
  for (const range of ranges) {
    if (range.start < at) continue;
    kept.push(range);
    at = range.end;
  }
  return kept;
}

function ambiguous(text: string, matched: 'exact' | 'folded', ranges: readonly Range[]): EditResult {
  const lines = linesAt(
    text,
    ranges.map(({ start }) => start),
  );
  return { kind: 'ambiguous', matched, count: ranges.length, lines };
}

/** Lines of folded matches that no exact one covers. */
function leftOver(text: string, oldText: string, taken: readonly Range[]): number[] {
  const found = foldedMatches(text, foldText(text, true), oldText);
  let at = 0;
  const rest = found.filter(({ start, end }) => {
    while (at < taken.length && taken[at]!.end <= start) at += 1;
    return at >= taken.length || taken[at]!.start >= end;
  });
  return linesAt(
    text,
    rest.map(({ start }) => start),
  );
}

const MAX_COMPARED = 400;

/** The three lines most like the line of the old text that the file does not have. */
function closestLines(text: string, oldText: string): { wanted: string; closest: NearLine[] } {
  const lines = text.split('\n');
  const there = new Set(lines.map(plainLine));
  const sought = oldText.split('\n').filter((line) => plainLine(line) !== '');
  const wanted = sought.find((line) => !there.has(plainLine(line))) ?? sought[0] ?? '';
  const target = pairs(plainLine(wanted));
  const scored: (NearLine & { score: number })[] = [];
  for (const [index, line] of lines.entries()) {
    const score = likeness(target, pairs(plainLine(line)));
    if (score > 0.15) scored.push({ line: index + 1, text: line.replace(/\r$/, ''), score });
  }
  scored.sort((a, b) => b.score - a.score || a.line - b.line);
  return { wanted, closest: scored.slice(0, 3).map(({ line, text: near }) => ({ line, text: near })) };
}

function plainLine(line: string): string {
  const { units } = foldText(line.slice(0, MAX_COMPARED), true);
  return String.fromCharCode(...units)
    .trim()
    .toLowerCase();
}

function pairs(line: string): Set<string> {
  const set = new Set<string>();
  for (let at = 0; at + 1 < line.length; at++) set.add(line.slice(at, at + 2));
  return set;
}

/** Dice's coefficient, 0 to 1. Only ever shown to the model, never acted on. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const pair of a) if (b.has(pair)) both += 1;
  return (2 * both) / (a.size + b.size);
}
