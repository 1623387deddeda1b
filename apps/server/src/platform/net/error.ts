/**
 * - `invalid`: no URL or host that could be asked
 * - `host-refused`: the host may not be reached from here by policy
 * - `unreachable`: no response, an unknown name, or a broken connection (may work later)
 * - `timeout`, `too-large`: a limit of the call
 */
export type NetworkFault = 'invalid' | 'host-refused' | 'unreachable' | 'timeout' | 'too-large';

/** An outbound request that was not allowed or did not succeed. The message names the host and the way out. */
export class NetworkError extends Error {
  override name = 'NetworkError';
  readonly code: NetworkFault;
  /** Whether the same call may succeed later without a change by anybody. */
  readonly retryable: boolean;
  constructor(code: NetworkFault, message: string) {
    super(message);
    this.code = code;
    this.retryable = code === 'unreachable' || code === 'timeout';
  }
}
