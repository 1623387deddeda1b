import { TOKEN_CLASSES as T, type TokenClass } from '../spans.ts';
import { add, isBlank, lineEnd, quotedEnd, type Scan, skipBlanks } from './scan.ts';

interface Reading extends Scan {
  /** Brackets and braces around the place. */
  depth: number;
  /** Column of the last key or dash: a literal block below it is indented more. */
  column: number;
  lineStart: number;
}

/** YAML: keys, quoted texts, comments, tags, anchors and the signs of literal blocks. Values without quotes stay plain. */
export function lexYaml(scan: Scan): void {
  const reading: Reading = { ...scan, depth: 0, column: -1, lineStart: scan.at };
  while (reading.at < reading.end) {
    const from = reading.at;
    add(reading, from, readToken(reading, from));
  }
  scan.at = reading.at;
}

function readToken(reading: Reading, from: number): TokenClass | null {
  const { code } = reading;
  const first = code.charCodeAt(from);
  if (first === 10) return startLine(reading, from + 1);
  if (isBlank(first)) {
    reading.at = skipBlanks(reading, from);
    return null;
  }
  const character = code[from] ?? '';
  if (character === '#') {
    reading.at = lineEnd(reading, from);
    return T.comment;
  }
  if (from === reading.lineStart && (character === '%' || isMark(reading, from)))
    return readDocument(reading);
  if (character === '"' || character === "'") return readQuoted(reading, character);
  if ('&*!'.includes(character)) {
    reading.at = wordEnd(reading, from);
    return character === '!' ? T.type : T.property;
  }
  if ('[]{},'.includes(character) && isFlowSign(reading, character)) return readFlowSign(reading, character);
  if ('-?:'.includes(character) && endsWord(reading, from + 1)) {
    if (character !== ':') reading.column = from - reading.lineStart;
    reading.at++;
    return null;
  }
  if ((character === '|' || character === '>') && reading.depth === 0) return readBlock(reading);
  return readPlain(reading, from);
}

function startLine(reading: Reading, at: number): null {
  reading.at = at;
  reading.lineStart = at;
  return null;
}

/** `---` and `...` at the start of a line. */
function isMark(reading: Reading, at: number): boolean {
  const { code } = reading;
  return (code.startsWith('---', at) || code.startsWith('...', at)) && endsWord(reading, at + 3);
}

function readDocument(reading: Reading): TokenClass {
  const isDirective = reading.code[reading.at] === '%';
  reading.at = isDirective ? wordEnd(reading, reading.at) : reading.at + 3;
  reading.depth = 0;
  return isDirective ? T.keyword : T.builtin;
}

function readQuoted(reading: Reading, quote: string): TokenClass {
  const { code, at: from } = reading;
  // Two single quotes stand for one, and a backslash for itself; the next text follows without a gap.
  reading.at = quote === '"' ? quotedEnd(reading, from, true) : singleEnd(reading, from);
  const last = code.lastIndexOf('\n', reading.at - 1);
  if (last >= from) reading.lineStart = last + 1;
  const colon = skipBlanks(reading, reading.at);
  const isKey = code[colon] === ':' && (reading.depth > 0 || endsWord(reading, colon + 1));
  if (isKey && last < from) reading.column = from - reading.lineStart;
  return isKey ? T.property : T.string;
}

function singleEnd({ code, end }: Reading, from: number): number {
  for (let at = code.indexOf("'", from + 1); at >= 0 && at < end; at = code.indexOf("'", at + 2)) {
    if (code[at + 1] !== "'") return at + 1;
  }
  return end;
}

/** Closing signs and commas are signs only inside of brackets. */
const isFlowSign = ({ depth }: Reading, sign: string): boolean => depth > 0 || sign === '[' || sign === '{';

function readFlowSign(reading: Reading, sign: string): null {
  if (sign === '[' || sign === '{') reading.depth++;
  else if (sign !== ',') reading.depth--;
  reading.at++;
  return null;
}

const BLOCK = /[|>][-+\d]*[ \t\r]*(?:#[^\n]*)?(?=\n|$)/y;

/** The sign of a literal block, after which its lines are skipped: they are text, whatever they contain. */
function readBlock(reading: Reading): TokenClass | null {
  const { code, at: from, end } = reading;
  BLOCK.lastIndex = from;
  if (!BLOCK.test(code)) return readPlain(reading, from);
  const headerEnd = wordEnd(reading, from);
  add({ ...reading, at: headerEnd }, from, T.string);
  let at = lineEnd(reading, from);
  while (at < end) {
    const next = lineEnd(reading, at + 1);
    const text = skipBlanks(reading, at + 1);
    if (text < next && text - at - 1 <= reading.column) break;
    at = next;
  }
  reading.at = at;
  return null;
}

/** A text without quotes up to `: `, ` #`, the end of the line or, in brackets, their signs. */
function readPlain(reading: Reading, from: number): TokenClass | null {
  const { code, end, depth } = reading;
  let at = from + 1;
  for (; at < end; at++) {
    const character = code.charCodeAt(at);
    if (character === 10) break;
    if (character === 35 && isBlank(code.charCodeAt(at - 1))) break;
    if (depth > 0 && ',[]{}'.includes(code[at] ?? '')) break;
    if (character !== 58 || !(endsWord(reading, at + 1) || isFlowEnd(reading, at + 1))) continue;
    if (depth === 0) reading.column = from - reading.lineStart;
    reading.at = at;
    return T.property;
  }
  reading.at = at;
  return null;
}

const isFlowEnd = ({ code, depth }: Reading, at: number): boolean =>
  depth > 0 && ',[]{}'.includes(code[at] ?? '');

/** Whether a blank, a line end or the end of the code is there. */
function endsWord({ code, end }: Scan, at: number): boolean {
  const character = code.charCodeAt(at);
  return at >= end || character === 10 || isBlank(character);
}

function wordEnd(reading: Reading, from: number): number {
  let at = from;
  while (at < reading.end && !endsWord(reading, at) && !isFlowEnd(reading, at)) at++;
  return at;
}
