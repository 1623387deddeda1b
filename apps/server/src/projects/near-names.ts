/** Names compared at most, and letters of each. */
const MAX_NAMES = 2_000;
const MAX_LENGTH = 80;

/**
 * The names that are most similar to a given one, closest first, three at most; none that shares too little
 * with it.
 */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const word = fold(wanted);
  return names
    .slice(0, MAX_NAMES)
    .map((name) => ({ name, distance: distanceOf(word, fold(name)) }))
    .filter(({ distance }) => distance <= Math.max(2, word.length / 2))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

const fold = (name: string): string => name.toLowerCase().slice(0, MAX_LENGTH);

/** Insertions, deletions and replacements between two words; one inside the other is near. */
function distanceOf(a: string, b: string): number {
  if (a !== '' && b !== '' && (a.includes(b) || b.includes(a))) return 1;
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, cost));
    }
    last = row;
  }
  return last[b.length] ?? a.length;
}
