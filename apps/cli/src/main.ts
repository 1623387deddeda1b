import { readFileSync } from 'node:fs';
import { assetPath } from '@offprint/render/assets';
import { Command, CommanderError } from 'commander';
import { addAdminCommand } from './commands/admin.ts';
import { addAgentCommand } from './commands/agent.ts';
import { addCheckCommand } from './commands/check.ts';
import { addDevCommand } from './commands/dev.ts';
import { addExportCommand } from './commands/export.ts';
import { addPublishCommand } from './commands/publish.ts';
import { addServeCommand } from './commands/serve.ts';
import { addServerCommands } from './commands/server.ts';
import { addUpCommand } from './commands/up.ts';
import { CliError } from './errors.ts';

const { version: VERSION } = JSON.parse(readFileSync(assetPath('apps/cli/package.json'), 'utf8')) as {
  version: string;
};

/** Runs the command named by the arguments and sets the exit code: 0, 1, 2, 3 or 130 as errors.ts says. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  const program = new Command('offprint')
    .description('Turn a docs.json repository into a static site, here or on an Offprint server.')
    .version(VERSION, '-v, --version')
    .showHelpAfterError('(run with --help for usage and examples)')
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false })
    .exitOverride();
  for (const add of [
    addDevCommand,
    addCheckCommand,
    addExportCommand,
    addServeCommand,
    addUpCommand,
    addPublishCommand,
    addAgentCommand,
    addServerCommands,
    addAdminCommand,
  ]) {
    add(program);
  }
  for (const command of program.commands) command.exitOverride();
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CliError) {
    process.stderr.write(`offprint: ${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(`offprint: unexpected fault, please report it\n${(error as Error)?.stack ?? error}\n`);
  return 1;
}
