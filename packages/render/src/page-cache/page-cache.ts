import type { StoredFile } from '../stored-file.ts';

/** Where a render keeps what it has made of each page, and finds what the one before has made. */
export interface PageCache {
  /** Identifies the program: another one may write other bytes for the same source. */
  program: string;
  /** SHA-256 of the content of each file of the source, in the order of its paths. */
  digests: readonly string[];
  /** An entry by its key; null without one. What it returns is what was put. */
  get(key: string): Uint8Array | null;
  put(key: string, content: readonly Uint8Array[]): void;
  /** The render before this one; null without one. */
  earlier: EarlierRender | null;
}

export interface EarlierRender {
  /** What it returned as `state`. */
  state: string;
  /** A file that it emitted; null without one. */
  file(path: string): StoredFile | null;
}
