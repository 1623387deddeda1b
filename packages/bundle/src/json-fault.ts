import type { BundleErrorCode } from './error.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Why a text is refused before it is parsed. */
export interface JsonFault {
  code: BundleErrorCode;
  what: string;
}

/** Text between the brackets of a long list that is a member of the root. */
export interface LongList {
  start: number;
  end: number;
  /** Positions of the commas at which the list can be divided. */
  cuts: readonly number[];
}

export interface JsonScan {
  /** Reads on by a part of the text. Null: nothing is wrong so far. */
  next(): JsonFault | null;
  isDone(): boolean;
  /** The long lists, in order. */
  lists: readonly LongList[];
}

export interface JsonLimits {
  values: number;
  depth: number;
  textUnits: number;
}

/** Characters that are read between two turns of the event loop, and those of a piece of a list. */
const [charactersAtATime, pieceLength] = [1_000_000, 100_000];

/**
 * Checks a JSON text before it is parsed: a small archive can contain millions of values, or thousands of
 * nested ones, and objects take many times the memory of their text. Null: the parser decides
 * whether it is JSON at all.
 */
export function jsonFault(text: string, limits: JsonLimits): JsonFault | null {
  const scan = scanJson(text, limits);
  while (!scan.isDone()) {
    const fault = scan.next();
    if (fault !== null) return fault;
  }
  return null;
}

/** The same check in parts, which also finds where the lists of the root can be divided. */
export function scanJson(text: string, limits: JsonLimits, { piece = pieceLength } = {}): JsonScan {
  const lists: LongList[] = [];
  let [at, depth, values] = [0, 0, 1];
  /** Start of the list of the root that `at` is in; null: in none. */
  let list: number | null = null;
  let cuts: number[] = [];

  const skip = (): JsonFault | null => {
    const begin = at;
    at = endOfText(text, at);
    return at - begin > limits.textUnits ? longText(limits.textUnits) : null;
  };
  const open = (isList: boolean): JsonFault | null => {
    values++;
    if (depth === 1) [list, cuts] = [isList ? at + 1 : null, []];
    return ++depth > limits.depth ? tooDeep(limits.depth) : null;
  };
  const close = (): null => {
    if (depth === 2 && list !== null) {
      if (at - list >= piece) lists.push({ start: list, end: at, cuts });
      list = null;
    }
    depth--;
    return null;
  };
  const divide = (): null => {
    values++;
    if (depth === 2 && list !== null && at - (cuts.at(-1) ?? list) >= piece) cuts.push(at);
    return null;
  };
  const signs = new Map<number, () => JsonFault | null>([
    [QUOTE, skip],
    [0x5b, () => open(true)],
    [0x7b, () => open(false)],
    [0x5d, close],
    [0x7d, close],
    [0x2c, divide],
  ]);
  return {
    lists,
    isDone: () => at >= text.length,
    next() {
      for (const end = at + charactersAtATime; at < text.length && at < end; at++) {
        const fault = signs.get(text.charCodeAt(at))?.() ?? null;
        if (fault !== null) return fault;
        if (values > limits.values) return tooMany(limits.values);
      }
      return null;
    },
  };
}

/** Position of the closing quote of the string that starts at `at`, or of the end. */
function endOfText(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text.charCodeAt(end) !== QUOTE)
    end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
  return end;
}

function longText(most: number): JsonFault {
  return { code: 'too_large', what: `contains a string of more than ${most} characters` };
}

function tooDeep(most: number): JsonFault {
  return { code: 'manifest_invalid', what: `is nested more than ${most} levels deep` };
}

function tooMany(most: number): JsonFault {
  return { code: 'too_large', what: `contains more than ${most} values` };
}
