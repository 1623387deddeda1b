/** The platform cannot start here; the message says why and what to do, in sentences for an operator. */
export class StartError extends Error {
  override name = 'StartError';
}
