// separate from the one of the renderer, which the site server does not depend on

/** Suggests the name that a mistyped one most likely means; null if none is close. */
export function suggestName(mistyped: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.max(2, Math.floor(mistyped.length / 5)) + 1;
  for (const name of names) {
    const edits = editsBetween(mistyped, name);
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}

/** The number of letters to add, remove or change to turn one text into the other. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
