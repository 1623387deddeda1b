/** Why the store did not do what was asked. */
export type BlobFault =
  | 'no-bucket'
  | 'denied'
  | 'credentials'
  | 'clock'
  | 'wrong-region'
  | 'unreachable'
  | 'busy'
  | 'refused'
  /** What was read is not what was stored. */
  | 'incomplete';

/**
 * A store elsewhere refused a request or could not be asked. The message names the bucket, the host and the way out, and
 * holds no key, signature or link.
 */
export class BlobStoreError extends Error {
  override name = 'BlobStoreError';
  readonly fault: BlobFault;
  constructor(fault: BlobFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
