/** A text without blanks around it; null if it is empty or no text. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** Members of a list; none of any other value. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Whether a content type is JSON, such as `application/problem+json; charset=utf-8`. */
export const isJsonType = (type: string): boolean =>
  /^application\/(?:json|[^;]*\+json)\s*(?:;|$)/i.test(type);

/** Whether values of a JSON type have no parts. */
export const isScalarType = (type: string): boolean => type !== 'object' && type !== 'array';

/** Text of a value without parts, and JSON of one with parts. */
export const scalarText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
