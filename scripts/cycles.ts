/** Paths of files, each with those that it imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * Cycles of files that import each other, as paths of which the last is the first again. Every file that is in a cycle
 * is in one of those, which is the shortest one of its first file. Imports of files that are not listed are ignored.
 */
export function findCycles(imports: Imports): string[][] {
  const cycles: string[][] = [];
  const reported = new Set<string>();
  for (const file of withoutLeaves(imports)) {
    if (reported.has(file)) continue;
    const cycle = shortestCycle(file, imports);
    if (cycle === null) continue;
    cycles.push(cycle);
    for (const each of cycle) reported.add(each);
  }
  return cycles;
}

/** Files that remain, sorted, if those that import no other one are removed again and again. */
function withoutLeaves(imports: Imports): string[] {
  const left = new Set(imports.keys());
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const file of left) if (!imports.get(file)?.some((target) => left.has(target))) left.delete(file);
  }
  return [...left].sort();
}

/** The shortest way from a file back to itself, by a search in breadth; null if the file is in no cycle. */
function shortestCycle(file: string, imports: Imports): string[] | null {
  const reached = new Set<string>();
  let ways: string[][] = [[file]];
  while (ways.length > 0) {
    const next: string[][] = [];
    for (const way of ways) {
      for (const target of imports.get(way.at(-1) ?? file) ?? []) {
        if (target === file) return [...way, file];
        if (reached.has(target)) continue;
        reached.add(target);
        next.push([...way, target]);
      }
    }
    ways = next;
  }
  return null;
}
