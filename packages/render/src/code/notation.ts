import type { FenceMeta, LineRange } from './fence.ts';

/** What marks a line: `hl` highlighted, `ins` and `del` diff, `focus`, `error`, `warning`. */
export type LineMark = 'hl' | 'ins' | 'del' | 'focus' | 'error' | 'warning';

/** Marks by 0-based line. */
export type LineMarks = Map<number, LineMark[]>;

const NOTATION = /\[!code ([a-z+-]{1,12})(?::(\d{1,5}))?\]/g;
const MARKS: Readonly<Record<string, LineMark | undefined>> = {
  '++': 'ins',
  '--': 'del',
  hl: 'hl',
  highlight: 'hl',
  focus: 'focus',
  error: 'error',
  warning: 'warning',
};
const OPENERS = ['{/*', '<!--', '/*', '//', '--', '#', ';', '%'];
const CLOSERS = ['*/}', '-->', '*/'];

/**
 * Removes `// [!code ++]` and its kind (`--`, `hl`, `focus`, `error`, `warning`, with `:n` for n lines) from the
 * code and says which lines they mark. A notation alone on its line takes the line with it and marks the next
 * ones. Linear in the length of the code.
 */
export function readNotations(code: string, marks: LineMarks): string {
  if (!code.includes('[!code ')) return code;
  const lines: string[] = [];
  const written = code.split('\n');
  /** The line before which each mark has been added already: ranges that overlap cost no more than their union. */
  const addedBefore = new Map<LineMark, number>();
  for (const line of written) {
    if (!line.includes('[!code ')) {
      lines.push(line);
      continue;
    }
    const found: [LineMark, number][] = [];
    const rest = line.replace(NOTATION, (whole: string, word: string, count: string | undefined) => {
      const mark = MARKS[word];
      if (mark === undefined) return whole;
      found.push([mark, Math.max(1, Number(count ?? 1))]);
      return '';
    });
    const kept = found.length === 0 ? line : withoutComment(rest);
    const isAlone = found.length > 0 && kept.trim() === '';
    for (const [mark, count] of found) {
      const end = Math.min(lines.length + Math.min(count, 10_000), written.length);
      const start = Math.max(lines.length, addedBefore.get(mark) ?? 0);
      for (let at = start; at < end; at++) addMark(marks, at, mark);
      addedBefore.set(mark, Math.max(start, end));
    }
    if (!isAlone) lines.push(kept);
  }
  return lines.join('\n');
}

/** The line without the comment that is empty once its notation is gone. */
function withoutComment(line: string): string {
  let text = line.trimEnd();
  const closer = CLOSERS.find((mark) => text.endsWith(mark));
  if (closer !== undefined) text = text.slice(0, -closer.length).trimEnd();
  const opener = OPENERS.find((mark) => text.endsWith(mark));
  if (opener !== undefined) return text.slice(0, -opener.length).trimEnd();
  return closer === undefined ? text : line.trimEnd();
}

function addMark(marks: LineMarks, line: number, mark: LineMark): void {
  const present = marks.get(line);
  if (present === undefined) marks.set(line, [mark]);
  else if (!present.includes(mark)) present.push(mark);
}

/** Adds the lines that the fence's options name; `lineCount` bounds the work. */
export function addFenceMarks(marks: LineMarks, meta: FenceMeta, lineCount: number): void {
  addRanges(marks, meta.highlight, 'hl', lineCount);
  addRanges(marks, meta.focus, 'focus', lineCount);
}

function addRanges(marks: LineMarks, ranges: readonly LineRange[], mark: LineMark, lineCount: number): void {
  if (ranges.length === 0) return;
  const isMarked = new Uint8Array(lineCount);
  for (const [first, last] of ranges) isMarked.fill(1, first - 1, Math.min(last, lineCount));
  for (let line = 0; line < lineCount; line++) if (isMarked[line] === 1) addMark(marks, line, mark);
}
