import type { KnownWarning } from './warning.ts';

/**
 * A read-only tree of source files, the only input of a render. Paths are POSIX, relative to the docs root,
 * without a leading slash and sorted by code unit.
 */
export interface SourceTree {
  readonly paths: readonly string[];
  /** What the listing left out (symbolic links, devices), one warning each. */
  readonly warnings?: readonly KnownWarning[];
  has(path: string): boolean;
  /** Bytes; 0 for a path that is not there. */
  size(path: string): number;
  /** Throws for a path that is not there. */
  read(path: string): Uint8Array;
  /** At most that many bytes from its start. */
  readStart?(path: string, bytes: number): Uint8Array;
  /** UTF-8 text without a byte order mark; invalid bytes become U+FFFD. */
  readText(path: string): string;
}

/** A source tree held in memory, for tests and previews. */
export function memorySource(files: Record<string, string | Uint8Array>): SourceTree {
  const contents = new Map<string, Uint8Array>();
  for (const [path, content] of Object.entries(files)) {
    contents.set(path, typeof content === 'string' ? new TextEncoder().encode(content) : content);
  }
  const decoder = new TextDecoder();
  const read = (path: string): Uint8Array => {
    const content = contents.get(path);
    if (content === undefined) throw new Error(`source file not found: ${path}`);
    return content;
  };
  return {
    paths: [...contents.keys()].sort(),
    has: (path) => contents.has(path),
    size: (path) => contents.get(path)?.byteLength ?? 0,
    read,
    readStart: (path, bytes) => read(path).subarray(0, bytes),
    readText: (path) => decoder.decode(read(path)),
  };
}
