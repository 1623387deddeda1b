import { findExpressionEnd, maxNesting, parseModule, skipBlank } from '../parse/ast.ts';
import { pickSentinels, type Sentinels, standIn } from '../parse/sentinel.ts';
import { limitTags } from './tag-limit.ts';

/**
 * The native parser recurses without a limit inside JavaScript (a few thousand brackets end the process) and takes
 * quadratic time on deep containers. Text that could do either is made harmless before the parser sees it.
 */

/** A page below this many characters that can nest is harmless: native frames overflow above 4,000. */
const safeCount = 1000;
const maxMarkers = 100;

export interface Guarded {
  text: string;
  /** Set when characters were replaced. */
  sentinels: Sentinels | null;
  /** What was taken out of force, with the offsets of its places in ascending order. */
  faults: { message: string; offsets: readonly number[] }[];
  /** Estimated cost of one parse, in characters of plain text. */
  cost: number;
  /** Statements of module code, as far as it was checked; in ascending order. */
  modules: readonly Range[];
}

/** Replaces what the native parser must not see. Costs one scan for a page that is safe by size. */
export function guard(text: string): Guarded {
  const result: Guarded = { text, sentinels: null, faults: [], cost: text.length, modules: [] };
  const braced = text.includes('{') || /^(?:import|export)\b/m.test(text);
  // Chains as long as this overflow the native parser without any nesting.
  const long = text.length > 300_000 ? text.length : 0;
  const count = braced ? countNesting(text, 0, text.length) + long : 0;
  if (count > safeCount) neutraliseDeepCode(result, count);
  limitChains(result);
  limitBlocks(result);
  applyTagLimit(result);
  limitMarkers(result);
  limitLines(result);
  return result;
}

const kind = new Uint8Array(128);
for (const char of '([{?!~:') kind[char.charCodeAt(0)] = 1;
for (const char of '<=*') kind[char.charCodeAt(0)] = 2;
for (const char of '+-') kind[char.charCodeAt(0)] = 3;

/**
 * Upper bound for the levels that JavaScript between two offsets can nest. Operators that group to the left and tags
 * that close are read in a loop and do not count.
 */
function countNesting(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128) continue;
    const what = kind[code];
    if (what === 0) continue;
    if (what === 1 || (what === 2 ? nestsWithNext(text, at, code) : isUnary(text, at))) count++;
  }
  return count + countWords(text.slice(start, end));
}

/** `<` before a name, `=` before anything but a literal, `*` before another. */
function nestsWithNext(text: string, at: number, code: number): boolean {
  const next = text.charCodeAt(at + 1);
  if (code === 42) return next === 42;
  if (code === 60) return next !== 47 && next !== 33;
  return next !== 34 && next !== 39 && next !== 123;
}

/** A sign behind a word, number or closing bracket is binary; so are dashes of rules and lists. */
function isUnary(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === 32) before--;
  const code = text.charCodeAt(before);
  return !(
    code === 10 ||
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122)
  );
}

const words = /\b(?:new|typeof|void|delete|await|yield|do|else|extends|throw|async|import|case)\b/g;

function countWords(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(words)) count++;
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
function neutraliseDeepCode(result: Guarded, total: number): void {
  const { text } = result;
  const check: DepthCheck = {
    left: Math.max(4 * text.length, 2_000_000),
    deep: [],
    unchecked: [],
  };
  result.modules = checkModules(text, check);
  const isHarmless = ({ start, end }: Range): boolean => countNesting(text, start, end) <= safeCount;
  checkBraces(text, total, result.modules.filter(isHarmless), check);
  const offsets = [...check.deep, ...check.unchecked].sort((a, b) => a - b);
  if (offsets.length === 0) return;
  reportError(
    result,
    check.deep,
    `An expression nests deeper than ${maxNesting} levels and is shown as text.`,
  );
  reportError(
    result,
    check.unchecked,
    'The page has more code in braces than can be checked for its nesting; the rest is shown as text. Split the page.',
  );
  replaceAt(result, offsets);
}

function reportError(result: Guarded, offsets: readonly number[], message: string): void {
  if (offsets.length > 0) result.faults.push({ message, offsets: [...offsets].sort((a, b) => a - b) });
}

interface DepthCheck {
  /** Characters that may still be parsed. */
  left: number;
  /** Offsets of code that nests too deep. */
  deep: number[];
  /** Offsets of code that was not parsed because nothing was left of the budget. */
  unchecked: number[];
}

/** Characters from `start` up to, not including, `end`. */
interface Range {
  start: number;
  end: number;
}

function checkBraces(text: string, total: number, modules: readonly Range[], check: DepthCheck): void {
  let left = total;
  let counted = 0;
  let next = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    while (next < modules.length && (modules[next]?.end ?? 0) <= at) next++;
    const module = modules[next];
    if (module !== undefined && module.start <= at) {
      at = module.end - 1;
      continue;
    }
    left -= countNesting(text, counted, at);
    counted = at;
    // What is left of the page is too little to nest deep.
    if (left <= safeCount) return;
    if (text[at - 1] !== '\\') checkDepth(text, at, () => expressionEnd(text, at), check);
  }
}

/** Where a parse ended: after what it read or at an error; null if the nesting is too deep. */
type ParseEnd = number | null;

/**
 * The native parser stops at the same error, so nothing after it can nest; brackets are counted all the same in case
 * it does not.
 */
function checkDepth(text: string, start: number, parse: () => ParseEnd, check: DepthCheck): void {
  if (check.left < 0) {
    check.unchecked.push(start);
    return;
  }
  const end = parse();
  if (end === null) {
    check.left -= 20_000;
    check.deep.push(start);
    return;
  }
  check.left -= end - start + 50;
  if (end >= text.length || text[end] === '}') return;
  check.left -= errorCost;
  if (bracketDepth(text, end) > maxBrackets) check.deep.push(start);
}

/**
 * Statements of module code that parsed, in ascending order. The braces of those that hold too little to nest deep need
 * no check of their own: pages that keep code samples in exports have thousands.
 */
function checkModules(text: string, check: DepthCheck): Range[] {
  const statements: Range[] = [];
  let parsedTo = 0;
  for (const { index } of text.matchAll(/^(?:import|export)\b/gm)) {
    if (index < parsedTo) continue;
    if (check.left < 0) {
      check.unchecked.push(index);
      continue;
    }
    const block = parseModuleBlock(text, index);
    check.left -= block.cost + 50;
    if (block.statements !== null) {
      parsedTo = block.end;
      // Elsewhere the parser may read it as prose, in which braces are expressions.
      if (!startsBlock(text, index)) continue;
      for (const { start, end } of block.statements)
        statements.push({ start: index + start, end: index + end });
    } else if (block.isTooDeep || bracketDepth(text, block.end) > maxBrackets) {
      check.deep.push(index);
    }
  }
  return statements;
}

/** Whether the line at an offset is the first one or follows a blank line. */
function startsBlock(text: string, line: number): boolean {
  const end = line - 1;
  const before = text.slice(end <= 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1, Math.max(0, end));
  return before.trim() === '';
}

const maxBrackets = 300;
const lookAhead = 5000;
/** An error and what is read after it, in characters that are parsed. */
const errorCost = 500;

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

function expressionEnd(text: string, brace: number): ParseEnd {
  let start = skipBlank(text, brace + 1);
  if (text.startsWith('...', start)) start += 3;
  try {
    let end = skipBlank(text, findExpressionEnd(text, start) ?? start);
    while (text[end] === ')') end = skipBlank(text, end + 1);
    return end;
  } catch (error) {
    return errorOffset(error);
  }
}

/** Offset at which a parse failed; null when it went too deep. */
function errorOffset(error: unknown): number | null {
  const at = (error as { pos?: unknown }).pos;
  return typeof at === 'number' && error instanceof SyntaxError ? at : null;
}

interface ModuleBlock {
  /** Null where it does not parse. */
  statements: readonly { start: number; end: number }[] | null;
  isTooDeep: boolean;
  /** Offset after the block, or of the error. */
  end: number;
  /** Characters that were read to find out. */
  cost: number;
}

/** A module block ends at a blank line, or at a later one when the code before it is incomplete. */
function parseModuleBlock(text: string, start: number): ModuleBlock {
  const blank = /\n[ \t]*\r?(?:\n|$)/g;
  blank.lastIndex = start;
  const block: ModuleBlock = { statements: null, isTooDeep: false, end: start, cost: 0 };
  for (let attempt = 0; attempt < 20; attempt++) {
    const end = blank.exec(text)?.index ?? text.length;
    try {
      block.statements = parseModule(text.slice(start, end));
      block.end = end;
      block.cost += end - start;
      break;
    } catch (error) {
      const at = errorOffset(error);
      block.isTooDeep = at === null;
      block.cost += at ?? 20_000;
      if (at === null) break;
      block.end = start + at;
      if (end === text.length || block.end < end) break;
    }
  }
  return block;
}

/**
 * An attribute value that is never closed and holds a tag with such a value makes the native parser read the rest
 * twice, so a chain of them takes time that doubles with each. Valid values cannot form such a chain.
 */
function limitChains(result: Guarded): void {
  const { text } = result;
  const suspects: number[] = [];
  for (const match of text.matchAll(/=(?:\s|\/\*[^*]{0,200}\*\/)*\{/g)) {
    const brace = match.index + match[0].length - 1;
    if (!isPlainValue(text, brace)) suspects.push(brace);
  }
  if (suspects.length <= maxBroken) return;
  const budget = { left: Math.max(4 * text.length, 2_000_000) };
  const broken = suspects.filter((brace) => !isClosedValue(text, brace, budget));
  if (broken.length > maxBroken) replaceAt(result, broken.slice(maxBroken));
}

const maxBroken = 4;
const plainValue =
  /\{[\w\s.$-]*\}|\{\s*(?:"[^"\\\n]*"|'[^'\\\n]*')\s*\}|\{\{(?:[^{}<`\\"'/]|"[^"\\\n]*"|'[^'\\\n]*')*\}\}/y;

/** Names, numbers, plain strings and flat objects need no parser. */
function isPlainValue(text: string, brace: number): boolean {
  plainValue.lastIndex = brace;
  return plainValue.test(text);
}

/** Whether a brace starts a complete expression, or an object of module code. */
function isClosedValue(text: string, brace: number, budget: { left: number }): boolean {
  if (budget.left < 0) return false;
  const end = expressionEnd(text, brace);
  budget.left -= (end ?? brace + 20_000) - brace + 50;
  if (end !== null && text[end] === '}') return true;
  try {
    const objectEnd = findExpressionEnd(text, brace);
    budget.left -= objectEnd === null ? 50 : objectEnd - brace;
    return objectEnd !== null;
  } catch {
    return false;
  }
}

/** A tag in characters of plain text. */
const tagCost = 100;
/** Nanoseconds that a character of plain text takes. */
const characterTime = 30;

/** Takes force from tags that would cost time beyond their number. */
function applyTagLimit(result: Guarded): void {
  const { offsets, message, tags, time } = limitTags(result.text);
  result.cost += time / characterTime + tags * tagCost;
  if (offsets.length === 0) return;
  result.faults.push({ message, offsets });
  replaceAt(result, offsets);
}

/** Squares of the weights of all marks in a block, summed over the page: about a nanosecond each. */
const maxSquares = 250_000_000;
const mark = /[{<&]|www\.|https?:/g;
const weights: Readonly<Record<string, number>> = { '{': 6, '&': 1 };
const tagWeight = 3;

/** Time is quadratic in the marks of one block of lines; ordinary blocks have a few. */
function limitBlocks(result: Guarded): void {
  const { text, modules } = result;
  const offsets: number[] = [];
  let squares = 0;
  let start = 0;
  let passed = 0;
  while (start < text.length) {
    blankLine.lastIndex = start;
    const end = blankLine.test(text) ? blankLine.lastIndex : text.length;
    if (end - start > 1000) {
      while ((modules[passed]?.end ?? text.length) <= start) passed++;
      const found = marksOf(text, start, end, modules, passed);
      const square = found.reduce((sum, at) => sum + (weights[text[at] ?? ''] ?? tagWeight), 0) ** 2;
      if (squares + square <= maxSquares) squares += square;
      else for (const at of found) offsets.push(at);
    }
    start = end;
  }
  result.cost += squares / 30;
  if (offsets.length === 0) return;
  result.faults.push({
    message:
      'A paragraph has too many tags, braces, entities or URLs; they are shown as text. Split it with blank lines.',
    offsets,
  });
  replaceAt(result, offsets);
}

const blankLine = /\n\r?\n/g;

/** Marks between two offsets that are not in module code, of which `modules` from `first` on can be there. */
function marksOf(
  text: string,
  start: number,
  end: number,
  modules: readonly Range[],
  first: number,
): number[] {
  const found: number[] = [];
  let next = first;
  for (const { index } of text.slice(start, end).matchAll(mark)) {
    const at = start + index;
    while ((modules[next]?.end ?? text.length) <= at) next++;
    if ((modules[next]?.start ?? text.length) > at) found.push(at);
  }
  return found;
}

/** Characters of a line for each of its marks, summed over the page: at most a nanosecond each. */
const maxLineWork = 300_000_000;
const inlineMark = /[*_~`![\]<>{}&$\\|@]|www\.|https?:/g;

/**
 * The columns of nodes are counted from the start of their line where it has other characters than ASCII, so time grows
 * with the marks of a line and its length.
 */
function limitLines(result: Guarded): void {
  const { text } = result;
  const offsets: number[] = [];
  let work = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const stop = end === -1 ? text.length : end;
    const length = stop - start;
    if (length > 2000) {
      const line = text.slice(start, stop);
      const found = isAscii(line) ? [] : [...line.matchAll(inlineMark)].map(({ index }) => start + index);
      if (work + found.length * length <= maxLineWork) work += found.length * length;
      else for (const at of found) offsets.push(at);
    }
    start = stop + 1;
  }
  result.cost += work / 50;
  if (offsets.length === 0) return;
  result.faults.push({
    message: 'A line is too long for its formatting, which is shown as text. Break the line.',
    offsets,
  });
  replaceAt(result, offsets);
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
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
    message: `Quotes or lists are nested more than ${maxMarkers} levels deep.`,
    offsets,
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
