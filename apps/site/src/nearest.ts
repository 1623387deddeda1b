// apart from that of the renderer, of which the site server knows nothing

/** The name that a mistyped one is most likely meant to be; null when none is near. */
export function nearest(mistyped: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.max(2, Math.floor(mistyped.length / 5)) + 1;
  for (const name of names) {
    const edits = editsBetween(mistyped, name);
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}

/** How many letters must be added, left out or changed to make one text of the other. */
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
