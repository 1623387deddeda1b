/** Where a value of the configuration is written. */
export interface Place {
  file: string;
  /** 1-based. */
  line: number;
}

interface Members {
  file: string;
  line: number;
  /** Keys in the order of `lines`; null for arrays, whose lines are indexed by position. */
  keys: readonly string[] | null;
  lines: readonly number[];
  /** Holds the places of the other members, for a container merged from two. */
  base?: object;
}

/**
 * Places of parsed objects and arrays, by identity, so that a value keeps its place through `$ref` and the
 * mint.json upgrade. A side table: the values themselves stay plain JSON.
 */
const members = new WeakMap<object, Members>();

/** Records the places of a container and its members. */
export function setPlace(container: object, place: Members): void {
  members.set(container, place);
}

/** Place of a member of a container, or of the container itself without a key; null when it was not parsed. */
export function placeOf(container: unknown, key?: string | number): Place | null {
  if (typeof container !== 'object' || container === null) return null;
  const known = members.get(container);
  if (known === undefined) return null;
  let index = -1;
  if (typeof key === 'number') index = key;
  else if (key !== undefined) index = known.keys === null ? -1 : known.keys.lastIndexOf(key);
  if (index < 0 && key !== undefined && known.base !== undefined) return placeOf(known.base, key);
  return { file: known.file, line: known.lines[index] ?? known.line };
}

/** Gives a container merged from two the places of both; a member of `first` has the place from `first`. */
export function mergePlaces<T extends object>(first: object, base: object, to: T): T {
  const known = members.get(first);
  if (known !== undefined) members.set(to, { ...known, base });
  return to;
}

/** Gives a container made from another one the place of its origin. */
export function copyPlace<T extends object>(from: unknown, to: T): T {
  const known = typeof from === 'object' && from !== null ? members.get(from) : undefined;
  if (known !== undefined) members.set(to, known);
  return to;
}
