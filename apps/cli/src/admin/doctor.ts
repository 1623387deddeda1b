import type { Finding } from '@offprint/server/operation';
import { serverConfig } from '../commands/server.ts';
import { wantsColor } from '../config.ts';
import { printable, printJson } from '../output.ts';
import { withOwnCommands } from './run.ts';

const TONES = { ok: '32', warning: '33', error: '31' } as const;

export async function runDoctor(options: {
  read?: boolean;
  repair?: boolean;
  json?: boolean;
}): Promise<void> {
  const { read = false, repair = false, json = false } = options;
  const { examine } = await import('@offprint/server/operation');
  const show = json ? () => undefined : (finding: Finding) => process.stdout.write(lineOf(finding));
  const report = await examine(await serverConfig(), { read, repair }, show);
  if (json) printJson(report);
  if (report.status === 'error') process.exitCode = 1;
}

function lineOf({ check, status, message, action }: Finding): string {
  const isColored = process.stdout.isTTY === true && wantsColor();
  const label = status.padEnd(7);
  const shown = isColored ? `\x1b[${TONES[status]}m${label}\x1b[0m` : label;
  const wayOut = action === null ? '' : `\n${' '.repeat(9)}${withOwnCommands(printable(action))}`;
  return `${shown}  ${check}: ${withOwnCommands(printable(message))}${wayOut}\n`;
}
