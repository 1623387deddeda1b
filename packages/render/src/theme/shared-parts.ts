/** HTML that the pages of one folder share: links are relative, so it is the same for all of them. */
export interface SharedParts {
  /** The part of that kind for the key, made once for the folder of the output file. `make` may depend on nothing else. */
  of(output: string, kind: string, key: unknown, make: () => string): string;
}

/** Pages come folder by folder, so that the parts of the last folder are enough. */
export function createSharedParts(): SharedParts {
  let folder: string | null = null;
  const kinds = new Map<string, Map<unknown, string>>();
  return {
    of(output, kind, key, make) {
      const own = output.slice(0, output.lastIndexOf('/') + 1);
      if (own !== folder) {
        folder = own;
        kinds.clear();
      }
      const parts = kinds.get(kind) ?? new Map<unknown, string>();
      kinds.set(kind, parts);
      const part = parts.get(key) ?? make();
      parts.set(key, part);
      return part;
    },
  };
}
