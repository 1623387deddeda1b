/**
 * Reads a file of an exported site by its path (`guides/start.md`); null for a missing file, and for one that is larger
 * than `maxBytes`. Rejects if the file cannot be read.
 */
export type ReadFile = (path: string, maxBytes: number) => Promise<Uint8Array | null>;

/** A file as text; null if it is missing or too large. */
export async function readText(read: ReadFile, path: string, maxBytes: number): Promise<string | null> {
  const bytes = await read(path, maxBytes);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/** The fields of a JSON object; null for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null;
}

export const isText = (value: unknown): value is string => typeof value === 'string';
