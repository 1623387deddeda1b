import type { Readable } from 'node:stream';
import type { Coding, Encoding, SiteFile } from '@offprint/bundle';
import type { Piece } from './content.ts';

/** A part of a file: first and last byte, both included. */
export interface Part {
  start: number;
  end: number;
}

/** What responses from one release need. */
export interface ServedSite {
  /** SHA-256 of the bundle. */
  sha256: string;
  /** `/docs`, or empty for the root. */
  basePath: string;
  /** Headers of every response. */
  headers: Readonly<Record<string, string>>;
  notFound(): NotFoundPage | Promise<NotFoundPage>;
  /** Size of a file in a content encoding; 0 while it does not exist, or if it would not be shorter. */
  length(file: SiteFile, encoding: Encoding): number;
  /** A small file, with headers that are made once if it is kept in memory. */
  piece(
    file: SiteFile,
    coding: Coding,
    from: SiteFile | null,
    headers: () => string[],
  ): Piece | Promise<Piece>;
  /** The bytes of a file, or a part of it. Rejects before the first byte if it cannot be opened. */
  stream(file: SiteFile, coding: Coding, part: Part | null): Promise<Readable>;
}

export interface NotFoundPage {
  headers: Readonly<Record<string, string>>;
  bodies: Readonly<Record<Coding, Buffer>>;
}
