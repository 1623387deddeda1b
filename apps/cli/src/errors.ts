/**
 * Ends the program with a sentence instead of a stack. Exit codes: 1 the work failed, 2 wrong usage, settings or
 * rights, 3 it did not finish in time, 130 interrupted.
 */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: 1 | 2 | 3 | 130;
  constructor(exitCode: 1 | 2 | 3 | 130, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
