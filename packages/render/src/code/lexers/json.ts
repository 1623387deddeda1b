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

/** JSON, with comments and names without quotes, as configuration files have them. */
export function lexJson(scan: Scan): void {
  while (scan.at < scan.end) {
    const from = scan.at;
    add(scan, from, readToken(scan, from));
  }
}

function readToken(scan: Scan, from: number): TokenClass | null {
  const { code } = scan;
  const first = code.charCodeAt(from);
  if (first === 34 || first === 39) {
    scan.at = quotedEnd(scan, from);
    return isKey(scan) ? T.property : T.string;
  }
  if (isDigit(first) || (first === 45 && isDigit(code.charCodeAt(from + 1)))) {
    scan.at = numberEnd(scan, from + 1);
    return T.number;
  }
  if (isName(first)) {
    scan.at = nameEnd(scan, from);
    if (isKey(scan)) return T.property;
    return CONSTANTS.has(code.slice(from, scan.at)) ? T.number : null;
  }
  if (first === 47 && (code[from + 1] === '/' || code[from + 1] === '*')) {
    scan.at = code[from + 1] === '/' ? lineEnd(scan, from) : endOf(scan, '*/', from + 2);
    return T.comment;
  }
  scan.at++;
  return null;
}

const CONSTANTS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'NaN', 'Infinity', 'undefined']);

const isKey = (scan: Scan): boolean => scan.code[skipBlanks(scan, scan.at, true)] === ':';
