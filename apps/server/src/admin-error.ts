/** The request cannot be done; the message says why and what to do. `fault`: the installation is at fault. */
export class AdminError extends Error {
  override name = 'AdminError';
  readonly fault: boolean;
  constructor(message: string, options: { fault?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.fault = options.fault === true;
  }
}
