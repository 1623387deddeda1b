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

/** The first place of every text below a value that was asked about, and what was found before. */
const textPlaces = new WeakMap<object, Map<string, Place | null>>();

/** Place of the first text in a parsed value that equals another one, or else contains it; null when none does. */
export function placeOfText(root: object, text: string): Place | null {
  const places = textPlaces.get(root) ?? collectTexts(root);
  textPlaces.set(root, places);
  const found = places.get(text);
  if (found !== undefined) return found;
  const around = [...places].find(([written, place]) => place !== null && written.includes(text));
  // Every page asks about the same links.
  places.set(text, around?.[1] ?? null);
  return around?.[1] ?? null;
}

function collectTexts(root: object): Map<string, Place | null> {
  const places = new Map<string, Place | null>();
  const seen = new Set<object>();
  const containers: object[] = [root];
  for (let container = containers.pop(); container !== undefined; container = containers.pop()) {
    if (seen.has(container)) continue;
    seen.add(container);
    const keys: readonly (string | number)[] = Array.isArray(container)
      ? Array.from(container, (_, index) => index)
      : Object.keys(container);
    const inner: object[] = [];
    for (const key of keys) {
      const value = (container as Record<string | number, unknown>)[key];
      if (typeof value === 'object' && value !== null) inner.push(value);
      if (typeof value !== 'string' || places.has(value)) continue;
      const place = placeOf(container, key);
      if (place !== null) places.set(value, place);
    }
    containers.push(...inner.reverse());
  }
  return places;
}
