/** 1 the work failed, 2 wrong usage, settings or rights, 3 not in time, 4 exported but not applied, 130 interrupted. */
export type ExitCode = 1 | 2 | 3 | 4 | 130;

/** Ends the program with a sentence instead of a stack. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The client's errors as sentences with the exit code of their kind; anything else as it is. */
export async function explain(error: unknown): Promise<unknown> {
  const { ApiError, ConnectionError } = await import('@offprint/client');
  const { DigestError } = await import('@offprint/client/download');
  if (error instanceof ApiError) {
    const id = error.requestId === null ? '' : ` (request ${error.requestId})`;
    return new CliError(error.status >= 500 ? 1 : 2, `${error.message}${id}`, { cause: error });
  }
  if (error instanceof ConnectionError || error instanceof DigestError) {
    return new CliError(1, error.message, { cause: error });
  }
  return error;
}
