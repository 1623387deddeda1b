import { readFileSync } from 'node:fs';
import { assetPath } from '@offprint/render/assets';
import { Command, CommanderError } from 'commander';
import { addAdminCommand } from './commands/admin.ts';
import { addAgentCommand } from './commands/agent.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addCheckCommand } from './commands/check.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDevCommand } from './commands/dev.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addExportCommand } from './commands/export.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addNewCommand } from './commands/new.ts';
import { addPublishCommand } from './commands/publish.ts';
import { addSchemaCommand } from './commands/schema.ts';
import { addServeCommand } from './commands/serve.ts';
import { addServerCommands } from './commands/server.ts';
import { addUpCommand } from './commands/up.ts';
import { isDebug } from './config.ts';
import { explainFailure } from './errors.ts';
import { brokenPipeCode, watchOutput } from './process/interruption.ts';

const { version: VERSION } = JSON.parse(readFileSync(assetPath('apps/cli/package.json'), 'utf8')) as {
  version: string;
};

/** Runs the command named by the arguments and sets the exit code: 0, 1, 2, 3, 4 or 130 as listed in errors.ts. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  watchOutput((error, name) => {
    process.exitCode = 1;
    if (name === 'standard output')
      process.stderr.write(`offprint: Cannot write to ${name} (${error.code}).\n`);
    process.exit();
  });
  try {
    await createProgram().parseAsync([...argv]);
  } catch (error) {
    process.exitCode = await report(error);
  }
  process.exitCode = brokenPipeCode() ?? process.exitCode;
}

/** The commands with their options and arguments. */
export function createProgram(): Command {
  const program = new Command('offprint')
    .description('Turn a docs.json repository into a static site, here or on an Offprint server.')
    .version(VERSION, '-v, --version')
    .showHelpAfterError('(run with --help for usage and examples)')
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false })
    .exitOverride();
  for (const add of [
    addNewCommand,
    addDevCommand,
    addCheckCommand,
    addExportCommand,
    addServeCommand,
    addMcpCommand,
    addUpCommand,
    addPublishCommand,
    addAgentCommand,
    addServerCommands,
    addAdminCommand,
    addBackupCommands,
    addDoctorCommand,
    addSchemaCommand,
    addCompletionCommand,
  ]) {
    add(program);
  }
  for (const command of program.commands) command.exitOverride();
  return program;
}

async function report(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const { exitCode, message } = await explainFailure(error);
  // Nobody reads standard error any longer, so there is nothing to report.
  if (brokenPipeCode() !== null) return exitCode;
  process.stderr.write(`offprint: ${message}\n`);
  if (isDebug() && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`);
  return exitCode;
}
