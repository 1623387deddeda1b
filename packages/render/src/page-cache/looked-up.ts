/** Names by which the body of each page finds other pages and files, so that a changed one concerns only those pages. */

export interface LookedUp {
  names: readonly string[];
  /** For each page by its number, the numbers of its names. */
  pages: Readonly<Record<number, readonly number[]>>;
}

/** More than real sites have: names in characters, and lookups of all pages together. */
const MAX_CHARACTERS = 8_000_000;
const MAX_LOOKUPS = 2_000_000;

export interface LookedUpList {
  add(page: number, names: Iterable<string>): void;
  /** null if they are too many. */
  all(): LookedUp | null;
}

export function createLookedUp(): LookedUpList {
  const numbers = new Map<string, number>();
  const pages: Record<number, readonly number[]> = {};
  let characters = 0;
  let count = 0;
  const isTooLarge = (): boolean => characters > MAX_CHARACTERS || count > MAX_LOOKUPS;
  const numberOf = (name: string): number => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    characters += name.length;
    const number = numbers.size;
    numbers.set(name, number);
    return number;
  };
  return {
    add(page, names) {
      if (isTooLarge()) return;
      const own = Array.from(names, numberOf);
      count += own.length;
      if (own.length > 0) pages[page] = own;
    },
    all: () => (isTooLarge() ? null : { names: [...numbers.keys()], pages }),
  };
}

/** Names that a page has looked up. */
export const namesOfPage = ({ names, pages }: LookedUp, page: number): string[] =>
  (pages[page] ?? []).flatMap((number) => names[number] ?? []);

/** Numbers of the pages that have looked up one of these names. */
export function pagesThatLookedUp({ names, pages }: LookedUp, wanted: ReadonlySet<string>): number[] {
  const numbers = new Set([...names.keys()].filter((number) => wanted.has(names[number] ?? '')));
  if (numbers.size === 0) return [];
  return Object.entries(pages).flatMap(([page, own]) =>
    own.some((number) => numbers.has(number)) ? [Number(page)] : [],
  );
}
