import { TOKEN_CLASSES as T, type TokenClass } from '../spans.ts';
import {
  add,
  endOf,
  isDigit,
  isName,
  lineEnd,
  nameEnd,
  numberEnd,
  quotedEnd,
  type Scan,
  skipBlanks,
} from './scan.ts';

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);
const CONSTANTS: ReadonlySet<string> = new Set(['True', 'False', 'None']);
/** Keywords only where a block starts. */
const SOFT: ReadonlySet<string> = new Set(['match', 'case']);
const PREFIX = /^(?:[rbuft]|br|rb|fr|rf|tr|rt)$/i;
/** Levels of code in texts, which is code that can have texts. */
const MAX_LEVELS = 4;

interface Reading extends Scan {
  readonly level: number;
  /** The word before, where only blanks are between. */
  word: string;
  /** In the names of an import. */
  isImport: boolean;
}

export function lexPython(scan: Scan, level = 0): void {
  const reading: Reading = { ...scan, level, word: '', isImport: false };
  while (reading.at < reading.end) readToken(reading);
}

function readToken(reading: Reading): void {
  const { code, at: from } = reading;
  const first = code.charCodeAt(from);
  if (isDigit(first) || (first === 46 && isDigit(code.charCodeAt(from + 1)))) {
    reading.at = numberEnd(reading, from);
    add(reading, from, T.number);
  } else if (isName(first)) {
    readName(reading);
    return;
  } else if (first === 34 || first === 39) text(reading, from, '');
  else if (first === 35) {
    reading.at = lineEnd(reading, from);
    add(reading, from, T.comment);
  } else {
    reading.at++;
    if (first === 32 || first === 9) return;
    if (first === 10 || first === 59) reading.isImport = false;
    else if (first === 64 && isLineStart(reading, from)) add(reading, from, T.builtin);
  }
  reading.word = '';
}

function readName(reading: Reading): void {
  const { code, at: from } = reading;
  reading.at = nameEnd(reading, from);
  const name = code.slice(from, reading.at);
  const quote = code[reading.at];
  if ((quote === '"' || quote === "'") && PREFIX.test(name)) text(reading, from, name);
  else if (!reading.isImport || code[from - 1] !== '.')
    add(reading, from, classOfName(reading, from, name, reading.word));
  if (name === 'import' || (name === 'from' && isLineStart(reading, from))) reading.isImport = true;
  reading.word = name;
}

function isLineStart({ code }: Scan, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (code[before] === ' ' || code[before] === '\t')) before--;
  return before < 0 || code[before] === '\n';
}

function classOfName(scan: Scan, from: number, name: string, word: string): TokenClass | null {
  const { code } = scan;
  const isMember = code[from - 1] === '.';
  if (!isMember) {
    if (KEYWORDS.has(name)) return T.keyword;
    if (CONSTANTS.has(name)) return T.number;
    if (word === 'def') return T.function;
    if (word === 'class') return T.type;
    if (SOFT.has(name) && isBlock(scan, from)) return T.keyword;
  }
  const isCall = code[skipBlanks(scan, scan.at)] === '(';
  if (isMember) return isCall ? T.function : T.property;
  return isCall ? T.function : null;
}

/** `match x:` and `case 1:`, not a name. */
function isBlock(scan: Scan, from: number): boolean {
  if (!isLineStart(scan, from)) return false;
  const line = scan.code.slice(scan.at, lineEnd(scan, scan.at)).trimEnd();
  return /^\s+[^\s=]/.test(line) && line.endsWith(':');
}

/** A text with its prefix; in `f"{name}"`, the braces hold code. */
function text(scan: Reading, from: number, prefix: string): void {
  const { code } = scan;
  const start = from + prefix.length;
  const mark = code[start] ?? '';
  const isLong = code.startsWith(mark.repeat(3), start);
  const close = isLong ? longEnd(scan, mark.repeat(3), start + 3) : quotedEnd(scan, start);
  scan.at = close;
  if (!/[ft]/i.test(prefix) || scan.level >= MAX_LEVELS) add(scan, from, T.string);
  else template(scan, from, close);
}

function longEnd(scan: Scan, mark: string, start: number): number {
  let at = start;
  for (;;) {
    const found = endOf(scan, mark, at);
    let slashes = 0;
    while (scan.code[found - 4 - slashes] === '\\') slashes++;
    if (found >= scan.end || slashes % 2 === 0) return found;
    at = found;
  }
}

function template(scan: Reading, from: number, close: number): void {
  const { code } = scan;
  let start = from;
  for (let at = from; at < close; at++) {
    if (code[at] !== '{') continue;
    if (code[at + 1] === '{') {
      at++;
      continue;
    }
    const end = fieldEnd(code, at, close);
    scan.at = at;
    add(scan, start, T.string);
    const inner: Scan = { code, end, at: at + 1, spans: scan.spans };
    lexPython(inner, scan.level + 1);
    start = Math.min(end + 1, close);
    at = end;
  }
  scan.at = close;
  add(scan, start, T.string);
}

/** The brace that closes a field. */
function fieldEnd(code: string, open: number, close: number): number {
  let depth = 0;
  for (let at = open; at < close; at++) {
    if (code[at] === '{') depth++;
    else if (code[at] === '}' && --depth === 0) return at;
  }
  return close;
}
