/** Takes what pages look up in the site, so that a later render knows which of them another site concerns. */
export interface Lookups {
  /** A name that leads to nothing, or that may lead elsewhere once the site has more pages or files. */
  note(name: string): void;
  /** The page that is rendered has a link that the redirects decide. */
  noteRedirects(): void;
  /** What is rendered depends on the text of this file of the source, although it does not show it. */
  noteText(file: string): void;
}

export const noLookups: Lookups = { note() {}, noteRedirects() {}, noteText() {} };

/** Finds values by name. */
export interface Lookup<T> {
  get(name: string): T | undefined;
  has(name: string): boolean;
}

/** Finds values, and notes the names that have none. */
export function noteMisses<T>(values: ReadonlyMap<string, T>, { note }: Lookups): Lookup<T> {
  return {
    get(name) {
      const found = values.get(name);
      if (found === undefined) note(name);
      return found;
    },
    has(name) {
      const isThere = values.has(name);
      if (!isThere) note(name);
      return isThere;
    },
  };
}

/** Whether a list contains a name; notes those that it does not contain. */
export function containing(names: readonly string[], { note }: Lookups): (name: string) => boolean {
  const known = new Set(names);
  return (name) => {
    const isThere = known.has(name);
    if (!isThere) note(name);
    return isThere;
  };
}
