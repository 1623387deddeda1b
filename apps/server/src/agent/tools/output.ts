import { Buffer } from 'node:buffer';
import { structuredPatch } from 'diff';

/** Maximum bytes of one result; the note on what was cut is not counted. */
export const MAX_OUTPUT_BYTES = 50 * 1024;

/** Maximum lines of one result. */
export const MAX_OUTPUT_LINES = 2000;

/** Most characters of one line of a diff. */
const MAX_DIFF_LINE = 2000;

/** The head of a text within a number of bytes of UTF-8, never half a character. */
export function headOf(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text.slice(0, maxBytes));
  let end = maxBytes;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

/** As many of the lines as one result holds. */
export function fitLines(
  lines: readonly string[],
  maxLines = MAX_OUTPUT_LINES,
): { lines: string[]; cut: number } {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_OUTPUT_BYTES || count >= maxLines) break;
    count += 1;
  }
  return { lines: lines.slice(0, count), cut: lines.length - count };
}

/** Lines as one result; `how` says what to do about lines that are left out. */
export function answerOf(lines: readonly string[], how: string): string {
  const fitted = fitLines(lines);
  if (fitted.cut === 0) return fitted.lines.join('\n');
  return [...fitted.lines, `[${fitted.cut} more lines omitted. ${how}]`].join('\n');
}

/** A long line around the place that matters, marked where it is cut. */
export function windowOf(line: string, at: number, width: number): string {
  if (line.length <= width) return line;
  const start = Math.max(0, Math.min(at - Math.floor(width / 4), line.length - width));
  const end = start + width;
  return `${start > 0 ? '…' : ''}${line.slice(start, end).toWellFormed()}${end < line.length ? '…' : ''}`;
}

/** Text that any store and any provider takes: no NUL, no halves of characters. */
export const storable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

/** Words that are shown to people: without control characters, but for line ends and tabs. */
export const plain = (text: string): string =>
  text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '').toWellFormed();

/** Why something failed, for the model: in short, and without paths of this machine. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason.replace(/(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+){2,}[\\/]?/g, '(a path)').slice(0, 300);
}

/** Lines of a text; a line break at its end does not start another. */
export const lineCount = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

/** Line numbers for people: `3, 8, 12 and 40 more`. */
export function listOf(numbers: readonly number[], most = 10): string {
  const shown = numbers.slice(0, most).join(', ');
  return numbers.length > most ? `${shown} and ${numbers.length - most} more` : shown;
}

/** Maximum number of changed lines that are compared; beyond it, the changed middle is shown as one block. */
const MAX_EDITS = 800;

/** Lines of a unified diff without its file header. */
export function diffLines(before: string, after: string, context: number): string[] {
  const old = before.split('\n');
  const now = after.split('\n');
  let head = 0;
  while (head < old.length - 1 && head < now.length - 1 && old[head] === now[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  // Only the part that differs, with its context, is compared: cheap for one word in a long page.
  const from = Math.max(0, head - context);
  const oldTo = Math.min(old.length, old.length - tail + context);
  const nowTo = Math.min(now.length, now.length - tail + context);
  const oldPart = partOf(old, from, oldTo);
  const nowPart = partOf(now, from, nowTo);
  const patch = structuredPatch('', '', oldPart, nowPart, undefined, undefined, {
    context,
    maxEditLength: MAX_EDITS,
  });
  if (patch === undefined) {
    return [
      `@@ -${rangeOf(from + 1, oldTo - from)} +${rangeOf(from + 1, nowTo - from)} @@`,
      ...old.slice(from, oldTo).map((line) => cut(`-${line}`)),
      ...now.slice(from, nowTo).map((line) => cut(`+${line}`)),
    ];
  }
  return patch.hunks.flatMap((hunk) => [
    `@@ -${rangeOf(hunk.oldStart + from, hunk.oldLines)} +${rangeOf(hunk.newStart + from, hunk.newLines)} @@`,
    ...hunk.lines.map(cut),
  ]);
}

/** No lines at all are said to be after the line before them. */
const rangeOf = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;

/** Some lines of a text, with the line end that follows them there. */
function partOf(lines: readonly string[], from: number, to: number): string {
  const part = lines.slice(from, to).join('\n');
  return to < lines.length ? `${part}\n` : part;
}

function cut(line: string): string {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (plain.length <= MAX_DIFF_LINE) return plain;
  return `${plain.slice(0, MAX_DIFF_LINE).toWellFormed()}… [${plain.length - MAX_DIFF_LINE} more characters]`;
}
