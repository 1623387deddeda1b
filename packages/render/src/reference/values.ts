/** A text without blanks around it; null if it is empty or no text. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** Members of a list; none of any other value. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
