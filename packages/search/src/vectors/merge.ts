/** Damps the first places, so that one list alone does not decide; 60 is what the literature uses. */
const DAMPING = 60;

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
