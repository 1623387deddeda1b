/**
 * Damps the first places. The usual 60 is for lists of the same quality: a page on the tenth place of two lists then comes
 * before the first one of either. Here, first places count: `bench/merged-search.ts` measures it.
 */
export const DAMPING = 2;

/** An item at its place in a list. */
export interface Placed<Item> {
  item: Item;
  /** Share of what a place in this list counts. */
  weight: number;
}

/**
 * Merges lists by places (reciprocal rank fusion): points of different kinds have no common scale. Among items with the
 * same points, those of the earlier list come first.
 */
export function mergeByPlace<Item>(
  lists: readonly (readonly Placed<Item>[])[],
): { item: Item; points: number }[] {
  const points = new Map<Item, number>();
  for (const list of lists)
    for (const [place, { item, weight }] of list.entries())
      points.set(item, (points.get(item) ?? 0) + weight / (DAMPING + place + 1));
  return [...points].map(([item, sum]) => ({ item, points: sum })).sort((a, b) => b.points - a.points);
}
