import type { SourceMark } from '../releases/pointer.ts';

/** Where bundles come from. */
export interface Source {
  kind: 'link' | 'platform' | 'file';
  /**
   * Asks which bundle is wanted. `known` is the offer dealt with last: null is answered while it still is the
   * one. Throws a DeploymentError.
   */
  ask(known: SourceMark | null, reason: AskReason, signal: AbortSignal): Promise<Offer | null>;
  /** Version that bundles of other sources must name as well, where this one says. Throws a DeploymentError. */
  version?(): string | null;
}

/**
 * `start`: the process has just begun. `interval`: the time has come. `request`: somebody asked for it, or the
 * look before failed.
 */
export type AskReason = 'start' | 'interval' | 'request';

/** A bundle that the source names. */
export interface Offer {
  /** What tells this offer from others; holds no secret. */
  id: string;
  /** How people are told of it: host and path, or a path. */
  place: string;
  /** Digest of the bundle; null where the source does not say. */
  sha256: string | null;
  /** Version that its manifest must name, where the source says. */
  version?: string | null;
  /** Bytes of the bundle; null where the source does not say. */
  bytes: number | null;
  from: { file: string } | Download;
  /** For the mark, once the bundle is dealt with. */
  tag: string | null;
}

export interface Download {
  url: URL;
  /** Tag of the bundle dealt with last, for a conditional request. */
  etag: string | null;
  /** Gives a fresh link when this one is refused; null where there is none to be had. */
  renew: ((signal: AbortSignal) => Promise<URL>) | null;
  /** The mark's tag, given the tag of the answer. */
  tagOf(etag: string | null): string | null;
}
