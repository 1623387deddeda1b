/** A description of a part of a schema. */
export interface Description {
  readonly text: string;
  /** Named schemas around it, seen from the schema that extends them. */
  readonly level: number;
}

/** Descriptions of one schema that are compared. */
const MAX_TEXTS = 10;

/**
 * The descriptions that apply to a schema, its own ones first. Those of named schemas that an object extends say what these
 * are, not what the object is: they count only if it has none.
 */
export function descriptionsOf(written: readonly Description[], isObject: boolean): readonly string[] {
  if (written.length < 2) return written.map(({ text }) => text);
  const ordered = [...written].sort((a, b) => a.level - b.level);
  const shown = isObject ? ordered.filter(({ level }) => level === ordered[0]?.level) : ordered;
  const texts = shown.slice(0, MAX_TEXTS).map(({ text }) => ({ text, words: wordsOf(text) }));
  return texts
    .filter(({ words }, index) => texts.every((other, place) => !repeats(other.words, words, place < index)))
    .map(({ text }) => text);
}

/** Whether a text says all of another one; of two equal ones, the first is kept. */
const repeats = (other: string, words: string, isFirst: boolean): boolean =>
  other === words ? isFirst : other.includes(words);

const wordsOf = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').replace(/\.$/, '');
