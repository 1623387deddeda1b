import { type DescriptionUse, unnotedUse } from '../reference/description-use.ts';

/** Takes what pages look up in the site, so that a later render knows which of them another site concerns. */
export interface Lookups {
  /** A name of a page or file, whether it leads to something or not. */
  note(name: string): void;
  /** The page that is rendered has a link that the redirects decide. */
  noteRedirects(): void;
  /** What is rendered depends on the text of this file of the source, although it does not show it. */
  noteText(file: string): void;
  descriptions: DescriptionUse;
}

export const noLookups: Lookups = { note() {}, noteRedirects() {}, noteText() {}, descriptions: unnotedUse };

/** Lookups of which some can be repeated: those of a result that is kept in memory and that several pages use. */
export interface RecordableLookups extends Lookups {
  record<T>(step: () => T): Recorded<T>;
}

export interface Recorded<T> {
  result: T;
  /** Notes again what the step has looked up. */
  repeat(): void;
}

export function recordable(lookups: Lookups): RecordableLookups {
  let taken: (() => void)[] | null = null;
  const take = (note: () => void): void => {
    taken?.push(note);
    note();
  };
  return {
    note: (name) => take(() => lookups.note(name)),
    noteRedirects: () => take(lookups.noteRedirects),
    noteText: (file) => take(() => lookups.noteText(file)),
    descriptions: {
      ...lookups.descriptions,
      used: (file) => take(() => lookups.descriptions.used(file)),
    },
    record(step) {
      const before = taken;
      const notes: (() => void)[] = [];
      taken = notes;
      try {
        return { result: step(), repeat: () => notes.forEach(take) };
      } finally {
        taken = before;
        for (const note of notes) before?.push(note);
      }
    },
  };
}

/** Finds values by name. */
export interface Lookup<T> {
  get(name: string): T | undefined;
  has(name: string): boolean;
}

/** Finds values, and notes the names. */
export function noting<T>(values: ReadonlyMap<string, T>, { note }: Lookups): Lookup<T> {
  return {
    get(name) {
      note(name);
      return values.get(name);
    },
    has(name) {
      note(name);
      return values.has(name);
    },
  };
}

/** Whether a list contains a name; notes the names. */
export function containing(names: readonly string[], { note }: Lookups): (name: string) => boolean {
  const known = new Set(names);
  return (name) => {
    note(name);
    return known.has(name);
  };
}
