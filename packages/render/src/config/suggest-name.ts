/** Longest name that is compared; longer ones are not misspellings. */
const MAX_LENGTH = 40;

/** Shortest name in which two wrong letters are still a mistake, where any name is allowed. */
const MIN_LENGTH_FOR_TWO = 8;

/**
 * The candidate that a name is a misspelling of, where any name is allowed: `created` is a word of its own, not a
 * misspelled `related`. Short names may have one wrong letter.
 */
export function suggestSpelling(name: string, candidates: Iterable<string>): string | null {
  const isShort = folded(name).length < MIN_LENGTH_FOR_TWO;
  return nearestName(name, candidates, isShort ? 2 : 3);
}

/**
 * The candidate that a misspelled name most likely means: equal but for case, hyphens and underscores, else at most
 * two letters away (one for short names). null when none is similar.
 */
export function suggestName(name: string, candidates: Iterable<string>): string | null {
  return nearestName(name, candidates, folded(name).length < 5 ? 2 : 3);
}

/** The candidate with the smallest distance below `limit`. */
function nearestName(name: string, candidates: Iterable<string>, limit: number): string | null {
  if (name.length > MAX_LENGTH) return null;
  const wanted = folded(name);
  let best: string | null = null;
  let least = limit;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, folded(candidate), least);
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

const folded = (name: string): string => name.toLowerCase().replace(/[-_\s]/g, '');

/** Insertions, deletions, replacements and swaps of adjacent characters between two words; `limit` when there are more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return Math.min(last[b.length] ?? limit, limit);
}
