/** A part of a text, by offsets. */
export interface Span {
  start: number;
  end: number;
}

/** What a page shows as code, and what of it is code that runs. */
export interface MdxParts {
  /** The text with blanks in place of code that is only shown; every offset and line stays. */
  live: string;
  /** Content of braces in prose and in attributes. */
  expressions: Span[];
  /** Statements that begin with `import` or `export`. */
  statements: Span[];
  /** Comments of HTML and of expressions. */
  comments: Span[];
}

/** Longer code on one line counts as live. */
const MAX_CODE_SPAN = 2_000;
const OPENERS = '([{';
const CLOSERS = ')]}';
/** Markers of quotes and lists in front of a line's content. */
const CONTAINER = /[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+|>)*[ \t]*/y;
const FENCE = /(`{3,})[^`\n]*$|(~{3,})[^\n]*$/my;

/**
 * Separates code that a page shows from everything else, without a parser: one pass, time linear in the text.
 * Where parsers could differ, from there on nothing counts as shown code: what is called live may be shown,
 * never the other way round.
 */
export function splitMdx(text: string, isMdx: boolean): MdxParts {
  const lists = { shown: [], expressions: [], statements: [], comments: [] };
  const scan: Scan = { text, at: 0, sure: true, htmlEnd: 0, ...lists };
  const front = /^\ufeff?---[ \t]*\n[\s\S]*?\n---[ \t]*(?:\n|$)/.exec(text);
  scan.at = front?.[0].length ?? 0;
  while (scan.at < text.length) readLine(scan, isMdx);
  const { expressions, statements, comments } = scan;
  return { live: blankOut(text, scan.shown), expressions, statements, comments };
}

interface Scan extends Omit<MdxParts, 'live'> {
  text: string;
  at: number;
  /** False once parsers could differ. */
  sure: boolean;
  /** Where the HTML of Markdown that was scanned last ends. */
  htmlEnd: number;
  shown: Span[];
}

/** From the start of a line to that of another. */
function readLine(scan: Scan, isMdx: boolean): void {
  if (readFence(scan) || (isMdx && readStatement(scan))) return;
  if (!isMdx) lookAtHtml(scan);
  const { text } = scan;
  while (scan.at < text.length) {
    const char = text[scan.at];
    if (char === '\n') {
      scan.at++;
      return;
    }
    if (char === '\\') scan.at += text[scan.at + 1] === '\n' ? 1 : 2;
    else if (char === '`') readCodeSpan(scan);
    else if (char === '{') readExpression(scan);
    else if (char === '<') readTag(scan);
    else scan.at++;
  }
}

function blankOut(text: string, spans: readonly Span[]): string {
  let result = '';
  let at = 0;
  for (const { start, end } of spans) {
    result += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, ' ');
    at = end;
  }
  return result + text.slice(at);
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** A block between fences, from the start of a line. */
function readFence(scan: Scan): boolean {
  const { text } = scan;
  CONTAINER.lastIndex = scan.at;
  const prefix = CONTAINER.exec(text)?.[0] ?? '';
  FENCE.lastIndex = scan.at + prefix.length;
  const open = FENCE.exec(text);
  if (open === null) return false;
  const fence = open[1] ?? open[2] ?? '';
  const quotes = prefix.split('>').length - 1;
  const column = prefix.length;
  const start = lineEnd(text, scan.at) + 1;
  for (let at = start; at < text.length; at = lineEnd(text, at) + 1) {
    const line = text.slice(at, lineEnd(text, at));
    const indent = /^[ \t>]*/.exec(line)?.[0] ?? '';
    const content = line.slice(indent.length).trimEnd();
    const isEnd = content.length >= fence.length && content === (fence[0] ?? '').repeat(content.length);
    // A line that stands further left may end the list, or the quote, that the block is in.
    const leaves = content !== '' && (indent.length < column || indent.split('>').length - 1 !== quotes);
    if (leaves && !(isEnd && quotes === 0 && !/[-*+\d]/.test(prefix))) scan.sure = false;
    if (isEnd || !scan.sure) {
      if (scan.sure) scan.shown.push({ start, end: at });
      scan.at = isEnd ? lineEnd(text, at) + 1 : at;
      return true;
    }
  }
  // Without an end the block is the rest of the page, unless it is in something that ends before.
  if (scan.sure && column === 0) scan.shown.push({ start: Math.min(start, text.length), end: text.length });
  scan.at = text.length;
  return true;
}

/** Code between the same number of backticks on one line. */
function readCodeSpan(scan: Scan): void {
  const { text, at } = scan;
  const ticks = /`+/y;
  ticks.lastIndex = at;
  const run = ticks.exec(text)?.[0] ?? '`';
  const line = text.slice(at + run.length, Math.min(lineEnd(text, at), at + run.length + MAX_CODE_SPAN));
  for (const match of line.matchAll(/`+/g)) {
    if (match[0].length !== run.length) continue;
    const inner = line.slice(0, match.index);
    // A bar parts the cells of a table, code or not.
    if (scan.sure && !inner.includes('|')) {
      scan.shown.push({ start: at + run.length, end: at + run.length + match.index });
    }
    scan.at = at + run.length + match.index + run.length;
    return;
  }
  scan.at = at + run.length;
}

/** JavaScript from an opening bracket to its end; or, as a statement, to a blank line outside of brackets. */
function skipScript(scan: Scan, isStatement: boolean): void {
  const { text } = scan;
  let depth = 0;
  while (scan.at < text.length) {
    if (skipToken(scan)) continue;
    const char = text[scan.at] ?? '';
    // A division or a regular expression, in which brackets are none.
    if (char === '/' && text[scan.at + 1] !== '>' && text[scan.at - 1] !== '<') scan.sure = false;
    if (OPENERS.includes(char)) depth++;
    else if (CLOSERS.includes(char)) depth--;
    scan.at++;
    if (depth > 0) continue;
    if (!isStatement || (char === '\n' && /^[ \t]*(?:\n|$)/.test(text.slice(scan.at, scan.at + 200)))) return;
  }
}

/** Goes over a string, a template or a comment, in which brackets are none. */
function skipToken(scan: Scan): boolean {
  const { text, at } = scan;
  const char = text[at] ?? '';
  if (char === '"' || char === "'") skipString(scan, char);
  else if (char === '`') skipTemplate(scan);
  else if (text.startsWith('/*', at)) skipTo(scan, '*/');
  else if (text.startsWith('//', at)) scan.at = lineEnd(text, at);
  else return false;
  return true;
}

function skipString(scan: Scan, quote: string): void {
  const { text } = scan;
  for (scan.at++; scan.at < text.length; scan.at++) {
    const char = text[scan.at];
    if (char === '\\') scan.at++;
    else if (char === quote) break;
    else if (char === '\n') {
      scan.sure = false;
      return;
    }
  }
  scan.at++;
}

function skipTemplate(scan: Scan): void {
  const { text } = scan;
  for (scan.at++; scan.at < text.length; ) {
    const char = text[scan.at];
    if (char === '\\') scan.at += 2;
    else if (char === '`') break;
    else if (char === '$' && text[scan.at + 1] === '{') {
      // The content may hold templates again; brackets in their text cannot be distinguished from others.
      scan.sure = false;
      scan.at += 2;
    } else scan.at++;
  }
  scan.at++;
}

function skipTo(scan: Scan, end: string): void {
  const to = scan.text.indexOf(end, scan.at + 2);
  scan.at = to === -1 ? scan.text.length : to + end.length;
}

function readExpression(scan: Scan): void {
  const start = scan.at;
  skipScript(scan, false);
  const span = { start: start + 1, end: Math.max(start + 1, scan.at - 1) };
  const inner = scan.text.slice(span.start, span.end).trim();
  (/^\/\*[\s\S]*\*\/$/.test(inner) ? scan.comments : scan.expressions).push(span);
}

function readStatement(scan: Scan): boolean {
  if (!/^(?:import|export)\b/.test(scan.text.slice(scan.at, scan.at + 8))) return false;
  const start = scan.at;
  skipScript(scan, true);
  scan.statements.push({ start, end: scan.at });
  return true;
}

/** In Markdown, HTML continues to a blank line, and fences in it do not count. */
function lookAtHtml(scan: Scan): void {
  const { text, at } = scan;
  if (at < scan.htmlEnd || !/^[ \t]{0,3}<[a-z/!?]/i.test(text.slice(at, at + 6))) return;
  const blank = /\n[ \t]*\n/g;
  blank.lastIndex = at;
  const end = blank.exec(text)?.index ?? text.length;
  scan.htmlEnd = end;
  if (/^[ \t]{0,3}<(?:pre|script|style|textarea|!|\?)/i.test(text.slice(at, at + 16))) scan.sure = false;
  if (/^[ \t>]*(?:`{3}|~{3})/m.test(text.slice(at, end))) scan.sure = false;
}

function readTag(scan: Scan): void {
  const { text, at } = scan;
  if (text.startsWith('<!--', at)) {
    skipTo(scan, '-->');
    scan.comments.push({ start: at, end: scan.at });
    return;
  }
  scan.at++;
  if (!/[\p{L}/>_$]/u.test(text[scan.at] ?? '')) return;
  while (scan.at < text.length) {
    const char = text[scan.at] ?? '';
    if (char === '>') {
      scan.at++;
      return;
    }
    // No tag after all, or one inside another.
    if (char === '<') return;
    if (char === '"' || char === "'") {
      const to = text.indexOf(char, scan.at + 1);
      scan.at = to === -1 ? text.length : to + 1;
    } else if (char === '{') readExpression(scan);
    else scan.at++;
  }
}
