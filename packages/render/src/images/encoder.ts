import type { ImageFormat } from './record.ts';

/** An image to encode. */
export interface ImageRequest {
  /** Of the source. */
  path: string;
  /** Digest of its content. */
  sha256: string;
  format: ImageFormat;
  /** Widths of variants in pixels, in ascending order. One that the image does not have becomes its own width. */
  widths: readonly number[];
}

export interface EncodedImages {
  /** Records, or why an image was not encoded: the end of "... could not be encoded: ", by path. */
  images: ReadonlyMap<string, { record: Uint8Array } | { fault: string }>;
  /** Why images were not encoded that have no entry; null if all have one. */
  fault: string | null;
}

/** Encodes images, and keeps what it has made by key. */
export interface ImageEncoder {
  /** Versions of everything that decides the bytes, as the manifest shows them. */
  name: string;
  /** A record that was put; null without one. */
  get(key: string): Uint8Array | null;
  put(key: string, record: Uint8Array): void;
  encode(requests: readonly ImageRequest[]): Promise<EncodedImages>;
}

/** Called once for a site that asks for variants; the reason if this machine has no encoder. */
export type OpenEncoder = (format: ImageFormat) => Promise<ImageEncoder | { missing: string }>;
