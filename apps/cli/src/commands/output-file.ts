import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CliError, missingFolder } from '../errors.ts';

export const STANDARD_OUTPUT = '-';

const EXTENSIONS = /\.(?:tar\.gz|tgz)$/i;

/** Throws a CliError 2 if a bundle cannot be written there. */
export function checkOutput(name: string, isJson: boolean): void {
  if (name === STANDARD_OUTPUT) {
    if (isJson) throw new CliError(2, '--json and -o - both write to standard output. Use one of them.');
    if (process.stdout.isTTY === true)
      throw new CliError(
        2,
        'A bundle is binary and is not written to a terminal. Use a pipe, or name a file with -o.',
      );
    return;
  }
  if (statSync(name, { throwIfNoEntry: false })?.isDirectory())
    throw new CliError(
      2,
      `${name} is a folder. Name a file in it, such as ${name.replace(/\/+$/, '')}/site.tar.gz.`,
    );
  if (!EXTENSIONS.test(name))
    throw new CliError(
      2,
      `Unknown extension: ${name}. A bundle is a gzipped tar archive; use .tar.gz or .tgz.`,
    );
  const folder = dirname(resolve(name));
  if (!existsSync(folder)) throw missingFolder(dirname(name));
}
