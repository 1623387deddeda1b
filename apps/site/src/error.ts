/** Why a bundle could not be had or served. Stable. */
export const deploymentErrorCodes = [
  /** The link has expired, was altered or was taken back. */
  'link_expired',
  /** The host of the link asks for a sign-in that the link does not hold. */
  'link_refused',
  /** No connection: unknown host, nobody listens, a certificate that is not trusted, an answer that stalls. */
  'source_unreachable',
  /** The source answered what it should not. */
  'source_failed',
  /** The API key is unknown, expired or revoked. */
  'key_refused',
  /** The API key may not ask for bundles, or the plan does not include them. */
  'not_allowed',
  /** The platform knows no completed export of the domain, or none with the version. */
  'no_export',
  /** There is no bundle at the link or the path. */
  'bundle_missing',
  /** The bundle is damaged, or no bundle. */
  'bundle_refused',
  'bundle_too_large',
  'sha256_mismatch',
  'version_mismatch',
  'domain_mismatch',
  /** There is no release to roll back to. */
  'no_previous',
  /** A release on the volume is not whole. */
  'release_damaged',
  'disk_full',
  /** The volume cannot be read or written. */
  'volume_failed',
  /** The process was killed each time that it took the bundle. */
  'attempts_unfinished',
  /** The server could not take the release. */
  'serving_failed',
  /** What was asked for is malformed. */
  'invalid_request',
  /** The deployment is stopping, or another call came in between. */
  'stopped',
] as const;

export type DeploymentErrorCode = (typeof deploymentErrorCodes)[number];

/** A bundle could not be had or served. The message is a sentence for people and holds no secret. */
export class DeploymentError extends Error {
  override name = 'DeploymentError';
  readonly code: DeploymentErrorCode;
  /** How long the source asks not to be asked again; null where it does not say. */
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
