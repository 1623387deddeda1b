import type { DeploymentErrorCode } from '../error.ts';
import type { Release } from '../releases/store.ts';

/** What a deployment serves, and the error that keeps it from serving what is wanted. */
export interface Deployment {
  status(): DeploymentStatus;
  /**
   * Checks the source again, or deploys the bundle named here, and returns what is served then. Throws a
   * DeploymentError and keeps serving the old release.
   */
  update(wanted?: WantedBundle): Promise<ReleaseStatus>;
  /** Serves the previous release. Throws a DeploymentError if none exists, or if it is damaged. */
  rollback(): Promise<ReleaseStatus>;
  /** Aborts the current step and sends no more requests. The release stays on the volume. */
  stop(): Promise<void>;
}

export interface WantedBundle {
  bundleUrl?: string;
  /** Lower-case hex digest the bundle must have. */
  sha256?: string;
  /** Version that the manifest of the bundle must name. */
  version?: string;
}

export interface ReleaseStatus {
  /** SHA-256 of the bundle. */
  sha256: string;
  version: string;
  commit: string | null;
  domain: string;
  files: number;
  /** Bytes of the files, unpacked. */
  bytes: number;
  /**
   * Time at which this process started to serve it, or, for a release found on the volume, when it was
   * activated.
   */
  activatedAt: string;
}

export interface DeploymentStatus {
  source: 'link' | 'platform' | 'file';
  /** The release that is served; null if none exists. */
  release: ReleaseStatus | null;
  /** The release that a rollback would serve. */
  previous: { sha256: string; version: string } | null;
  /** The current step. `total` is null if unknown. */
  step: DeploymentStep | null;
  /** Why the wanted release is not served. */
  fault: { code: DeploymentErrorCode; message: string; at: string } | null;
  /** Time of the last response of the source. */
  checkedAt: string | null;
}

export interface DeploymentStep {
  name: 'asking' | 'downloading' | 'verifying' | 'unpacking' | 'preparing';
  bytes: number;
  total: number | null;
}

/** What the deployment calls to serve a release; provided by the server. */
export interface Serving {
  /**
   * Serves the release from the next request on. If it throws, the old release keeps serving. `previous`, if
   * none was served yet: the previous release, whose pages some readers still have open.
   */
  onRelease(release: Release, previous?: Release | null): Promise<void>;
  /**
   * The release or its hashed files are served, or responses from it are still being sent: its folder must
   * stay.
   */
  isInUse(sha256: string): boolean;
}
