import type { DeploymentErrorCode } from '../error.ts';
import type { Release } from '../releases/store.ts';

/** What a deployment serves, and what keeps it from serving what is wanted. */
export interface Deployment {
  status(): DeploymentStatus;
  /**
   * Asks the source again, or switches to the bundle named here; gives what is served then. Throws a
   * DeploymentError and goes on serving the old release.
   */
  update(wanted?: WantedBundle): Promise<ReleaseStatus>;
  /** Serves the release before this one. Throws a DeploymentError when there is none, or it is damaged. */
  rollback(): Promise<ReleaseStatus>;
  /** Ends what is under way and asks no more. What is served stays on the volume. */
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
  /** Time at which this process began to serve it, or, for a release found on the volume, when it was activated. */
  activatedAt: string;
}

export interface DeploymentStatus {
  source: 'link' | 'platform' | 'file';
  /** What is served; null when nothing is. */
  release: ReleaseStatus | null;
  /** What a rollback would serve. */
  previous: { sha256: string; version: string } | null;
  /** What is under way. `total` is null when it is not known. */
  step: DeploymentStep | null;
  /** Why what is wanted is not what is served. */
  fault: { code: DeploymentErrorCode; message: string; at: string } | null;
  /** When the source answered last. */
  checkedAt: string | null;
}

export interface DeploymentStep {
  name: 'asking' | 'downloading' | 'verifying' | 'unpacking' | 'preparing';
  bytes: number;
  total: number | null;
}

/** What the deployment calls to serve a release; given by the server. */
export interface Serving {
  /**
   * Serves the release from the next request on. When it throws, the old release goes on being served. `previous`,
   * where none was served yet: the release before it, whose pages some readers still have open.
   */
  onRelease(release: Release, previous?: Release | null): Promise<void>;
  /** It is served, or its hashed files are, or requests of it are still being answered: its folder must stay. */
  isInUse(sha256: string): boolean;
}
