import type { WarningCode } from '../../warning-codes.ts';
import type { Repair } from './syntax.ts';

/** Text after a repair; lines keep their numbers. */
export interface Repaired {
  text: string;
  repair: Repair;
}

/** Offset of a 1-based line and column (UTF-16) in the text. */
export function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let current = 1; current < line; current++) {
    const end = text.indexOf('\n', at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return Math.min(at + column - 1, text.length);
}

/** 1-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

export function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

export function repaired(
  text: string,
  original: string,
  offset: number,
  code: WarningCode,
  message: string,
): Repaired {
  return { text, repair: { line: lineOf(original, offset), code, message } };
}

/** Offset of the closest such character at or around the place that the parser names. */
export function findNear(text: string, offset: number, char: string): number {
  if (text[offset] === char) return offset;
  const before = text.lastIndexOf(char, offset);
  return before === -1 ? text.indexOf(char, offset) : before;
}

export function quote(source: string): string {
  const line = source.replace(/\s+/g, ' ');
  return `\`${line.length > 60 ? `${line.slice(0, 60)}…` : line}\``;
}

export function count(text: string, part: string): number {
  let total = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    if (!/[\w.-]/.test(text[at + part.length] ?? '')) total++;
  }
  return total;
}

/** End of a tag that starts at an offset: the `>` outside quotes and braces; -1 when it is not nearby. */
export function tagEnd(text: string, start: number): number {
  let quoteChar = '';
  let depth = 0;
  const stop = Math.min(text.length, start + 20_000);
  for (let at = start + 1; at < stop; at++) {
    const char = text[at] ?? '';
    if (quoteChar !== '') {
      if (char === quoteChar) quoteChar = '';
    } else if (char === '"' || char === "'") quoteChar = char;
    else if (char === '{') depth++;
    else if (char === '}') depth--;
    else if (char === '>' && depth <= 0) return at;
  }
  return -1;
}
