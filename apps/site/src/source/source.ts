import type { SourceMark } from '../releases/pointer.ts';

/** Where bundles come from. */
export interface Source {
  kind: 'link' | 'platform' | 'file';
  /**
   * Asks which bundle is wanted. `known` is the last offer processed: returns null while it is still current.
   * Throws a DeploymentError.
   */
  ask(known: SourceMark | null, reason: AskReason, signal: AbortSignal): Promise<Offer | null>;
  /**
   * Version that bundles of other sources must also name, if this source names one. Throws a DeploymentError.
   */
  version?(): string | null;
}

/**
 * `start`: the process has just started. `interval`: the interval has passed. `request`: a request asked for
 * it, or the previous check failed.
 */
export type AskReason = 'start' | 'interval' | 'request';

/** A bundle named by the source. */
export interface Offer {
  /** Identifies this offer; contains no secret. */
  id: string;
  /** Name of the source in messages: host and path, or a path. */
  place: string;
  /** Digest of the bundle; null if the source does not name it. */
  sha256: string | null;
  /** Version that its manifest must name, if the source names one. */
  version?: string | null;
  /** Size of the bundle in bytes; null if the source does not name it. */
  bytes: number | null;
  from: { file: string } | Download;
  /** Data for the mark, once the bundle is processed. */
  tag: string | null;
}

export interface Download {
  url: URL;
  /** ETag of the last bundle processed, for a conditional request. */
  etag: string | null;
  /** Returns a fresh link after this one was refused; null if none exists. */
  renew: ((signal: AbortSignal) => Promise<URL>) | null;
  /** Link to the index of the chunks of the bundle, if the source has one. */
  indexUrl: URL | null;
  /** The mark for the ETag of the response. */
  tagOf(etag: string | null): string | null;
}
