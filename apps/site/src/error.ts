/** Why a bundle could not be fetched or served. Stable. */
export const deploymentErrorCodes = [
  /** The link has expired, was altered or was revoked. */
  'link_expired',
  /** The host of the link requires a sign-in. */
  'link_refused',
  /** No connection: unknown host, connection refused, untrusted certificate, or a stalled response. */
  'source_unreachable',
  /** The source returned an unexpected response. */
  'source_failed',
  /** The API key is unknown, expired or revoked. */
  'key_refused',
  /** The API key may not fetch bundles, or the plan does not include them. */
  'not_allowed',
  /** The platform has no completed export of the domain, or none with the version. */
  'no_export',
  /** There is no bundle at the link or the path. */
  'bundle_missing',
  /** The bundle is damaged, or the file is not a bundle. */
  'bundle_refused',
  'bundle_too_large',
  'sha256_mismatch',
  'version_mismatch',
  'domain_mismatch',
  /** There is no release to roll back to. */
  'no_previous',
  /** A release on the volume is incomplete or damaged. */
  'release_damaged',
  'disk_full',
  /** The volume cannot be read or written. */
  'volume_failed',
  /** The process was killed during each attempt to deploy the bundle. */
  'attempts_unfinished',
  /** The server could not serve the release. */
  'serving_failed',
  /** The request is malformed. */
  'invalid_request',
  /** The deployment is stopping, or another request replaced this one. */
  'stopped',
] as const;

export type DeploymentErrorCode = (typeof deploymentErrorCodes)[number];

/** A bundle could not be fetched or served. The message is a sentence for people and contains no secret. */
export class DeploymentError extends Error {
  override name = 'DeploymentError';
  readonly code: DeploymentErrorCode;
  /** The value of `Retry-After`; null if the source sends none. */
  readonly retryAfterMs: number | null;
  constructor(
    code: DeploymentErrorCode,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
