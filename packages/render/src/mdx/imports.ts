/** The files of the source that pages and snippets show or run. */
export interface Imports {
  add(from: string, file: string): void;
  /** All files that one has imported, directly or through each other, sorted; without itself. */
  reachedFrom(file: string): string[];
}

export function createImports(): Imports {
  const direct = new Map<string, Set<string>>();
  return {
    add(from, file) {
      const known = direct.get(from);
      if (known === undefined) direct.set(from, new Set([file]));
      else known.add(file);
    },
    reachedFrom(file) {
      const reached = new Set([file]);
      for (const each of reached) for (const next of direct.get(each) ?? []) reached.add(next);
      reached.delete(file);
      return [...reached].sort();
    },
  };
}
