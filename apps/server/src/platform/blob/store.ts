import type { Readable } from 'node:stream';

export interface BlobInfo {
  key: string;
  bytes: number;
  /** When the content was stored, by the clock of the store; of a copy, it can be the time of its source. */
  modifiedAt: Date;
}

/** Longest life of a link: no S3 store signs a longer one. */
export const LINK_MAX_SECONDS = 604_800;

/** Object storage. Keys are `/`-separated segments of `[A-Za-z0-9._-]`; a put under a known key is harmless. */
export interface BlobStore {
  /** Stores all of the content or nothing; returns its size. */
  put(key: string, content: Uint8Array | Readable): Promise<Pick<BlobInfo, 'key' | 'bytes'>>;
  /**
   * Stores the content of another object, without its bytes passing through this process where the store can do so. False
   * if that object is not there.
   */
  copy(from: string, to: string): Promise<boolean>;
  /**
   * A stream of the object or of the inclusive byte range; null when it is not there. Throws RangeError for a range that
   * is not within the object.
   */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | null>;
  stat(key: string): Promise<BlobInfo | null>;
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>;
  /** Keys below the prefix, in order. */
  list(prefix: string): AsyncIterable<BlobInfo>;
  /** A GET link that stops working after `expiresIn` seconds; `expiresAt` is what the signer could grant. */
  signUrl(
    key: string,
    options: { expiresIn: number; fileName: string },
  ): Promise<{ url: string; expiresAt: Date }>;
  /** Removes the remains of puts that started before the time and were cut off; returns how many. */
  removeUnfinished(before: Date): Promise<number>;
  /** Throws when the store cannot be used (readiness). */
  check(): Promise<void>;
}
