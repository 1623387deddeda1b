import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { ownCommand } from '../config.ts';
import { CliError } from '../errors.ts';
import { shellWord } from '../printable.ts';

/** Throws for a path that cannot be a bundle. */
export function requireBundle(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new CliError(2, `File not found: ${path}`);
  if (found.isDirectory())
    throw new CliError(
      2,
      `Not a bundle: ${path} is a folder. Run: ${ownCommand(`export ${shellWord(path)} -o site.tar.gz`)}`,
    );
}

/** For commander: a port number, 0 to 65535. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('Use a port from 0 to 65535.');
  return port;
}

/** For commander: a time in seconds, with fractions. */
export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds <= 0)
    throw new InvalidArgumentError('Use a number of seconds greater than 0.');
  return seconds;
}

/** For commander: collects a repeatable option. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** For commander: the number of warnings to show. */
export function parseWarnings(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw new InvalidArgumentError('Use a number or `all`.');
  return count;
}
