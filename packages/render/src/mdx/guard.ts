import { parseExpressionPrefix, parseModule, skipBlank } from './ast.ts';
import { pickSentinels, type Sentinels, standIn } from './sentinel.ts';

/**
 * The native parser recurses without a limit inside JavaScript (a few thousand brackets end the process) and takes
 * quadratic time on deep containers. Text that could do either is made harmless before the parser sees it.
 */

/** A page below this many characters that can nest cannot hurt: native frames overflow above 4,000. */
const safeCount = 1000;
const maxTags = 20_000;
const maxMarkers = 100;

export interface Guarded {
  text: string;
  /** Set when characters were replaced. */
  sentinels: Sentinels | null;
  /** What was taken out of force, with the offset of the first place. */
  faults: { message: string; offset: number }[];
}

const nesting = new Uint8Array(128);
for (const char of '([{<?=!~+*&|:^%@/') nesting[char.charCodeAt(0)] = 1;
const nestingWords =
  /\b(?:new|typeof|void|delete|await|yield|do|else|extends|throw|async|import|case)\b|-[\s-]*-|-\s*(?=[\w(])/g;

/** Replaces what the native parser must not see. Costs one scan for a page that is safe by size. */
export function guard(text: string): Guarded {
  const result: Guarded = { text, sentinels: null, faults: [] };
  const braced = text.includes('{') || /^(?:import|export)\b/m.test(text);
  if (braced && countNesting(text) > safeCount) neutraliseDeepCode(result);
  limitTags(result);
  limitMarkers(result);
  return result;
}

function countNesting(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128 && nesting[code] === 1) count++;
  }
  if (count > safeCount) return count;
  for (const _ of text.matchAll(nestingWords)) if (++count > safeCount) break;
  return count;
}

function sentinelsOf(result: Guarded): Sentinels {
  result.sentinels ??= pickSentinels(result.text);
  return result.sentinels;
}

/** Replaces the characters at ascending offsets by their stand-ins. */
function replaceAt(result: Guarded, offsets: readonly number[]): void {
  const sentinels = sentinelsOf(result);
  let text = '';
  let from = 0;
  for (const at of offsets) {
    text += result.text.slice(from, at) + standIn(sentinels, result.text[at] ?? '');
    from = at + 1;
  }
  result.text = text + result.text.slice(from);
}

/**
 * Tries every brace as the start of an expression, with a parser that bounds its nesting. Which braces are live (and
 * not inside code) only the native parser knows, so all that are too deep are taken out of force.
 */
function neutraliseDeepCode(result: Guarded): void {
  const { text } = result;
  const offsets: number[] = [];
  const budget = { left: Math.max(4 * text.length, 2_000_000) };
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    if (text[at - 1] !== '\\' && isTooDeep(text, at, expressionFault, budget)) offsets.push(at);
  }
  for (const match of text.matchAll(/^(?:import|export)\b/gm)) {
    if (isTooDeep(text, match.index, moduleFault, budget)) offsets.push(match.index);
  }
  if (offsets.length === 0) return;
  offsets.sort((a, b) => a - b);
  result.faults.push({
    message: 'An expression is nested too deep and is shown as text.',
    offset: offsets[0] ?? 0,
  });
  replaceAt(result, offsets);
}

/**
 * Where a parse ended: behind what it read, at a fault, or too deep (null). The native parser stops at the same
 * fault, so nothing behind it can nest; brackets are counted all the same in case it does not.
 */
type Fault = (text: string, start: number) => number | null;

function isTooDeep(text: string, start: number, fault: Fault, budget: { left: number }): boolean {
  if (budget.left < 0) return true;
  const end = fault(text, start);
  if (end === null) {
    budget.left -= 20_000;
    return true;
  }
  budget.left -= end - start + 50;
  if (end >= text.length || text[end] === '}') return false;
  budget.left -= lookAhead / 20;
  return bracketDepth(text, end) > maxBrackets;
}

const maxBrackets = 300;
const lookAhead = 5000;

/** Deepest nesting of brackets in what follows an offset, by plain counting. */
function bracketDepth(text: string, start: number): number {
  let depth = 0;
  let deepest = 0;
  const stop = Math.min(text.length, start + lookAhead);
  for (let at = start; at < stop; at++) {
    const code = text.charCodeAt(at);
    if (code === 40 || code === 91 || code === 123) deepest = Math.max(deepest, ++depth);
    else if ((code === 41 || code === 93 || code === 125) && depth > 0) depth--;
  }
  return deepest;
}

function expressionFault(text: string, brace: number): number | null {
  let start = skipBlank(text, brace + 1);
  if (text.startsWith('...', start)) start += 3;
  try {
    const expression = parseExpressionPrefix(text, start);
    let end = skipBlank(text, expression === null ? start : expression.end);
    while (text[end] === ')') end = skipBlank(text, end + 1);
    return end;
  } catch (error) {
    return faultOffset(error);
  }
}

/** Offset at which a parse failed; null when it went too deep. */
function faultOffset(error: unknown): number | null {
  const at = (error as { pos?: unknown }).pos;
  return typeof at === 'number' && error instanceof SyntaxError ? at : null;
}

/** A module block ends at a blank line, or at a later one when what stands before it is not complete. */
function moduleFault(text: string, start: number): number | null {
  const blank = /\n[ \t]*\r?(?:\n|$)/g;
  blank.lastIndex = start;
  let fault = start;
  for (let attempt = 0; attempt < 20; attempt++) {
    const end = blank.exec(text)?.index ?? text.length;
    try {
      parseModule(text.slice(start, end));
      return text.length;
    } catch (error) {
      const at = faultOffset(error);
      if (at === null) return null;
      fault = start + at;
      if (end === text.length || fault < end) break;
    }
  }
  return fault;
}

const tagStart = /<[A-Za-z_$>]/g;

function limitTags(result: Guarded): void {
  let count = 0;
  const offsets: number[] = [];
  for (const match of result.text.matchAll(tagStart)) {
    if (++count > maxTags) offsets.push(match.index);
  }
  if (offsets.length === 0) return;
  result.faults.push({
    message: `The page has more than ${maxTags} tags; the rest are shown as text. Split the page.`,
    offset: offsets[0] ?? 0,
  });
  replaceAt(result, offsets);
}

/** Quote and list markers at the start of one line. */
function limitMarkers(result: Guarded): void {
  const { text } = result;
  const offsets: number[] = [];
  for (let line = 0; line < text.length; ) {
    const end = text.indexOf('\n', line);
    const stop = end === -1 ? text.length : end;
    if (stop - line > 2 * maxMarkers) collectMarkers(text, line, stop, offsets);
    line = stop + 1;
  }
  if (offsets.length === 0) return;
  result.faults.push({
    message: `Quotes or lists are nested deeper than ${maxMarkers} levels.`,
    offset: offsets[0] ?? 0,
  });
  replaceAt(result, offsets);
}

function collectMarkers(text: string, start: number, stop: number, offsets: number[]): void {
  let count = 0;
  let at = start;
  for (;;) {
    while (at < stop && (text[at] === ' ' || text[at] === '\t')) at++;
    const marker = markerAt(text, at);
    if (at >= stop || marker === -1) return;
    if (++count > maxMarkers) offsets.push(marker);
    at = marker + 1;
  }
}

/** Offset of the last character of a quote or list marker that starts at an offset; -1 when none does. */
function markerAt(text: string, at: number): number {
  const char = text[at] ?? '';
  if (char === '>') return at;
  if (char === '-' || char === '*' || char === '+')
    return text[at + 1] === ' ' || text[at + 1] === '\t' ? at : -1;
  let end = at;
  while (end - at < 9 && /[0-9]/.test(text[end] ?? '')) end++;
  return end > at && (text[end] === '.' || text[end] === ')') ? end : -1;
}
