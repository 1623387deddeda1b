import { type MarkedLine, PairedTags, withoutHarmless } from './paired-tags.ts';

/**
 * The native parser takes linear time for most tags, of which generated pages have tens of thousands. Two kinds take more. A
 * paragraph of nothing but tags or expressions is replaced by its children, for which all children of its parent are
 * copied. The place of a tag that is not closed is counted from the start of the page.
 */

const maxTags = 50_000;
const maxBraces = 20_000;
/** Nanoseconds of one parse that such tags can take. */
const maxTime = 500_000_000;
/** Nanoseconds to copy a child, to count a line and to count a character. */
const childTime = 20;
const lineTime = 10;
const characterTime = 0.06;
/** Pages that cannot take more than this many nanoseconds are not examined. */
const harmlessTime = 3_000_000;

export interface TagLimit {
  /** Of tags and braces that must not have force, in ascending order. */
  offsets: number[];
  message: string;
  /** Tags that have force. */
  tags: number;
  /** Nanoseconds that they can take beyond linear time. */
  time: number;
}

interface Size {
  tags: number;
  braces: number;
  lines: number;
}

/** Finds the tags and braces that would take the native parser too long. */
export function limitTags(text: string): TagLimit {
  const size = sizeOf(text);
  const limit: TagLimit = {
    offsets: [],
    message: `The page has more than ${maxTags} tags, more than ${maxBraces} braces, or too many tags that are a paragraph or are not closed; the rest are shown as text. Split the page.`,
    tags: Math.min(size.tags, maxTags),
    time: 0,
  };
  const openTime = size.lines * lineTime + text.length * characterTime;
  const isSmall = size.tags <= maxTags && size.braces <= maxBraces;
  const marks = size.tags + size.braces;
  if (isSmall && marks * ((size.lines + marks) * childTime + openTime) <= harmlessTime) return limit;
  const pairs = new PairedTags(text, maxTime / 2 / childTime);
  const lines = markedLines(text, pairs);
  const flowTime = (mostChildren(text) - pairs.children) * childTime;
  limit.time = pairs.pairs * childTime;
  let tags = 0;
  for (const { offsets, flow, open, isTagged } of lines) {
    const time = (flow ? flowTime : 0) + open * openTime;
    if (isTagged) tags += offsets.length;
    if (tags > maxTags || (time > 0 && limit.time + time > maxTime)) {
      for (const at of offsets) limit.offsets.push(at);
    } else limit.time += time;
  }
  if (size.braces > maxBraces) limitBraces(text, limit.offsets);
  limit.offsets = [...new Set(limit.offsets)].sort((a, b) => a - b);
  return limit;
}

function limitBraces(text: string, offsets: number[]): void {
  let braces = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    if (++braces > maxBraces) offsets.push(at);
  }
}

const mark = /<[A-Za-z_$>]|\{/g;
const tag = /<[A-Za-z_$>]/y;

/** Each page needs it, so it reads no line that has no marks. */
function sizeOf(text: string): Size {
  const size: Size = { tags: 0, braces: 0, lines: 1 };
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    tag.lastIndex = at;
    if (tag.test(text)) size.tags++;
  }
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) size.braces++;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) size.lines++;
  return size;
}

/** Most children that one node can have. */
function mostChildren(text: string): number {
  let children = 0;
  for (const line of linesOf(text))
    if (line.text !== '') children += Math.max(1, line.text.match(mark)?.length ?? 0);
  return children;
}

function* linesOf(text: string): Generator<{ start: number; text: string }> {
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start);
    const stop = end === -1 ? text.length : end;
    yield { start, text: text.slice(start, stop) };
    start = stop + 1;
  }
}

type TaggedLine = MarkedLine & { readonly isTagged: boolean };

const tagStart = /<[A-Za-z_$>]/g;
/** Expressions side by side, or beside a tag. */
const besideExpression = /\}[ \t]*[{<]/;

function markedLines(text: string, pairs: PairedTags): TaggedLine[] {
  const lines: TaggedLine[] = [];
  for (const { start, text: line } of linesOf(text)) {
    const marked = markedLine(start, line);
    if (marked !== null) lines.push(marked);
    pairs.take(line, marked);
  }
  return lines;
}

function markedLine(start: number, line: string): TaggedLine | null {
  if (line.includes('<')) {
    const offsets = Array.from(line.matchAll(tagStart), ({ index }) => start + index);
    if (offsets.length > 0) {
      const flow = flowStart.test(line) || besideExpression.test(line);
      return { offsets, flow, open: openTags(line, offsets.length), isTagged: true };
    }
  }
  if (!besideExpression.test(line)) return null;
  const offsets = Array.from(line.matchAll(/\{/g), ({ index }) => start + index);
  return { offsets, flow: true, open: 0, isTagged: false };
}

/** A line whose tag is outside of a paragraph, or can be: behind marks of quotes and lists, a blank or an expression. */
const flowStart = /^[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*[<{&]/;
/** What can make text of a tag: an escape, code, an expression, a formula, a link. */
const uncertain = /[\\`{$[]/;
/** A tag whose end is certain. */
const plainTag = /<(\/?)([A-Za-z][\w.:-]*|)(?:\s+[\w:-]+(?:="[^"<>{}]*")?)*\s*(\/?)>/g;

/** Tags that a line opens and may not close; all of them where that is not certain. */
function openTags(written: string, tags: number): number {
  const line = withoutHarmless(written);
  if (uncertain.test(line)) return tags;
  const open: string[] = [];
  let plain = 0;
  for (const [, closes, name = '', closed] of line.matchAll(plainTag)) {
    plain++;
    if (closes === '' && closed === '') open.push(name);
    // One that closes a tag of an earlier line changes nothing here.
    else if (closes !== '' && open.length > 0 && open.pop() !== name) return tags;
  }
  return plain === line.split('<').length - 1 ? Math.min(tags, open.length) : tags;
}
