import { createInterface } from 'node:readline/promises';
import type { Admin } from '@offprint/server/admin';
import { serverConfig } from '../commands/server.ts';
import { ownCommand } from '../config.ts';
import { CliError } from '../errors.ts';
import { printable } from '../output.ts';

/** Opens the installation of the settings and calls `run`. Rejects with a CliError if it fails. */
export async function onInstallation<Value>(run: (admin: Admin) => Promise<Value>): Promise<Value> {
  const { databaseName, withAdmin } = await import('@offprint/server/admin');
  const config = await serverConfig();
  try {
    return await withAdmin(config, (admin) => {
      // Explains an empty table: it may be the wrong database.
      process.stderr.write(`${printable(databaseName(config))}\n`);
      return run(admin);
    });
  } catch (error) {
    throw await explainAdminError(error);
  }
}

/** Converts an AdminError to a CliError; returns any other error unchanged. */
export async function explainAdminError(error: unknown): Promise<unknown> {
  const { AdminError } = await import('@offprint/server/admin');
  if (!(error instanceof AdminError)) return error;
  return new CliError(error.fault ? 1 : 2, withOwnCommands(printable(error.message)), { cause: error });
}

/** Errors of the server name commands between backquotes. */
export function withOwnCommands(message: string): string {
  return message.replace(/`offprint ([^`]+)`/g, (_, words: string) => `\`${ownCommand(words)}\``);
}

/** Prints rows in columns below their headings, without control characters. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [headings, ...rows].map((row) => row.map(printable));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      column === line.length - 1 ? cell : cell.padEnd(widths[column] ?? 0),
    );
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

/** A time in UTC, to the minute; `none` for null. */
export function formatTime(time: string | null, none = 'never'): string {
  return time === null ? none : time.slice(0, 16).replace('T', ' ');
}

/** Asks the user to type a word before an action that cannot be undone. */
export async function confirm(warning: string, word: string): Promise<void> {
  if (process.stdin.isTTY !== true) {
    throw new CliError(2, `${printable(warning)} To confirm without a terminal, add --yes.`);
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await reader.question(`${printable(warning)}\nType ${printable(word)} to continue: `);
    if (typed.trim() !== word) throw new CliError(2, 'Not confirmed. Nothing was changed.');
  } finally {
    reader.close();
  }
}

/** The first line of standard input, for secrets, which must not be arguments. */
export async function readSecretLine(what: string): Promise<string> {
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) {
    text += piece;
    if (text.includes('\n')) break;
  }
  const line = text.split(/\r?\n/, 1)[0] ?? '';
  if (line === '') throw new CliError(2, `Missing ${what} on standard input.`);
  return line;
}
