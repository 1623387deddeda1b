import { randomUUID } from 'node:crypto';
import { type JsonFault, type JsonLimits, type LongList, scanJson } from './json-fault.ts';

/** A JSON text whose root is parsed, but not the long lists in it. */
export interface PiecedJson {
  root: unknown;
  /** The items of a value of the root, in parts if it is a long list; null if it is not a list. Throws if it is not JSON. */
  itemsOf(value: unknown): Iterable<readonly unknown[]> | null;
  /** The long lists that `itemsOf` was not called for, in parts: what nobody reads must be JSON, too. */
  others(): Iterable<readonly unknown[]>;
}

/** The text is refused, or is not JSON. */
export class JsonError extends Error {
  override name = 'JsonError';
  readonly fault: JsonFault;
  constructor(fault: JsonFault) {
    super(fault.what);
    this.fault = fault;
  }
}

/** Characters of the text without its long lists, which are parsed at a time: more than any valid manifest has. */
const maxRest = 8 * 1024 * 1024;

/**
 * Parses a text as `JSON.parse` does, with a yield wherever others may have a turn: a list is parsed in pieces, each of which
 * is a list in brackets. In the text of the root, a list with a name that nobody could guess takes the place of each long
 * list. The result is that of the whole text: a piece, or the root, is JSON only if it is at its place in the text.
 */
export function* parseInPieces(
  text: string,
  limits: JsonLimits,
  sizes: { piece?: number } = {},
): Generator<undefined, PiecedJson> {
  const scan = scanJson(text, limits, sizes);
  while (!scan.isDone()) {
    const fault = scan.next();
    if (fault !== null) throw new JsonError(fault);
    yield;
  }
  const { lists } = scan;
  const mark = `${randomUUID()} `;
  const parts: string[] = [];
  let end = 0;
  for (const [number, list] of lists.entries()) {
    parts.push(text.slice(end, list.start), JSON.stringify(`${mark}${number}`));
    end = list.end;
  }
  const rest = [...parts, text.slice(end)].join('');
  if (rest.length > maxRest)
    throw new JsonError({
      code: 'too_large',
      what: `contains more than ${maxRest} characters beside its lists`,
    });
  const read = new Set<LongList>();
  return {
    root: parse(rest),
    itemsOf(value) {
      if (!Array.isArray(value)) return null;
      const [only] = value;
      const isLong = value.length === 1 && typeof only === 'string' && only.startsWith(mark);
      const list = isLong ? lists[Number(only.slice(mark.length))] : undefined;
      if (list === undefined) return [value];
      read.add(list);
      return piecesOf(text, list);
    },
    *others() {
      for (const list of lists) if (!read.has(list)) yield* piecesOf(text, list);
    },
  };
}

function* piecesOf(text: string, { start, end, cuts }: LongList): Generator<readonly unknown[]> {
  let from = start;
  for (const to of [...cuts, end]) {
    const items = parse(`[${text.slice(from, to)}]`);
    // nothing between two commas
    if (!Array.isArray(items) || (items.length === 0 && cuts.length > 0)) throw notJson();
    yield items;
    from = to + 1;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

function notJson(): JsonError {
  return new JsonError({ code: 'manifest_invalid', what: 'is not JSON' });
}
