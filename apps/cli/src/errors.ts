/** 1 failed, 2 wrong usage, settings or rights, 3 timed out, 4 exported but not applied, 130 interrupted. */
export type ExitCode = 1 | 2 | 3 | 4 | 130;

/** Exits the program with a sentence instead of a stack trace. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** For a file to write in a folder that does not exist. */
export const missingFolderText = (folder: string): string =>
  `Folder not found: ${folder}. Create it first, or name a file in another folder.`;

export const missingFolder = (folder: string): CliError => new CliError(2, missingFolderText(folder));

/** Converts errors of the client to a CliError with the matching exit code; returns any other error unchanged. */
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

/** The exit code and the message for an error that ends a command. */
export async function explainFailure(error: unknown): Promise<{ exitCode: ExitCode; message: string }> {
  if (error instanceof CliError) return { exitCode: error.exitCode, message: error.message };
  const { listenErrorText, systemErrorText } = await import('@offprint/bundle');
  const known = listenErrorText(error, { port: '--port', host: '--host' }) ?? systemErrorText(error);
  if (known !== null) return { exitCode: 1, message: known };
  if (error instanceof Error && error.name === 'StartError') return { exitCode: 1, message: error.message };
  const [reason] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  return {
    exitCode: 1,
    message: `Internal error: ${reason?.replace(/\.$/, '')}. Run the command again with OFFPRINT_DEBUG=1 to see where it happens, and report it with that output.`,
  };
}
