import { escapeText } from '../escape.ts';
import type { LineMarks } from './notation.ts';
import type { Span } from './spans.ts';

/** Highlighted code as one run of text; spans may go over line ends. */
export function writeCode(code: string, spans: readonly Span[]): string {
  return writeRange(code, spans, 0, code.length, { at: 0 });
}

/** Highlighted code with one element a line, for line numbers and marked lines. */
export function writeLines(code: string, spans: readonly Span[], marks: LineMarks): string {
  let html = '';
  const cursor = { at: 0 };
  let start = 0;
  for (let line = 0; ; line++) {
    const found = code.indexOf('\n', start);
    const end = found < 0 ? code.length : found + 1;
    const classes = ['line', ...(marks.get(line) ?? [])].join(' ');
    html += `<span class="${classes}">${writeRange(code, spans, start, end, cursor)}</span>`;
    if (found < 0) return html;
    start = end;
  }
}

/** `cursor.at` is the first span that may reach into the range; it moves on as ranges follow each other. */
function writeRange(
  code: string,
  spans: readonly Span[],
  from: number,
  to: number,
  cursor: { at: number },
): string {
  let html = '';
  let at = from;
  for (; cursor.at < spans.length; cursor.at++) {
    const span = spans[cursor.at]!;
    if (span.from >= to) break;
    const start = Math.max(span.from, at);
    const end = Math.min(span.to, to);
    if (start > at) html += escapeText(code.slice(at, start));
    if (end > start) {
      html += `<i class="${span.className}">${escapeText(code.slice(start, end))}</i>`;
      at = end;
    }
    if (span.to > to) break;
  }
  return at < to ? html + escapeText(code.slice(at, to)) : html;
}
