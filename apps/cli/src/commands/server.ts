import type { Config } from '@offprint/server/config';
import { withDataFolder } from '@offprint/server/data-folder';
import type { Roles } from '@offprint/server/platform';
import type { Command } from 'commander';
import { serverEnvironment } from '../config.ts';
import { CliError } from '../errors.ts';
import { untilInterrupted } from '../process/interruption.ts';
import { whileListening } from '../process/listening.ts';

export function addServerCommands(program: Command): void {
  program
    .command('api')
    .description('run the HTTP API of the platform')
    .addHelpText(
      'after',
      '\nSettings come from the environment (OFFPRINT_*, DATABASE_URL).\n\nExample:\n  $ DATABASE_URL=postgresql://offprint@127.0.0.1/offprint OFFPRINT_SECRET_FILE=/run/secrets/offprint offprint api',
    )
    .action(() => runRoles({ api: true, worker: false }));
  program
    .command('worker')
    .description('run a worker of the platform')
    .addHelpText(
      'after',
      '\nStart one or more workers with the settings of the API.\n\nExample:\n  $ OFFPRINT_EXPORT_CONCURRENCY=4 offprint worker',
    )
    .action(() => runRoles({ api: false, worker: true }));
  program
    .command('renderer')
    .description('process docs for the API and the workers of the platform')
    .addHelpText(
      'after',
      '\nIt needs no database and no secret. Set OFFPRINT_RENDERER_URL for API and workers.\n\nExample:\n  $ OFFPRINT_HOST=0.0.0.0 OFFPRINT_RENDERER_PORT=4200 offprint renderer',
    )
    .action(runRenderer);
  program
    .command('migrate')
    .description('migrate the database to the newest schema')
    .addHelpText(
      'after',
      '\nExample:\n  $ DATABASE_URL=postgresql://offprint@127.0.0.1/offprint offprint migrate',
    )
    .action(async () => {
      const { migrateDatabase } = await import('@offprint/server/platform');
      const config = await serverConfig();
      const applied = await withDataFolder(config.dataDir, migrateDatabase(config));
      process.stdout.write(applied.length === 0 ? 'Nothing to migrate\n' : `${applied.join('\n')}\n`);
    });
}

/** The configuration of the environment with the changes applied. Throws a CliError 2 if it is not valid. */
export async function serverConfig(changes: Record<string, string> = {}): Promise<Config> {
  const { ConfigError, readConfig } = await import('@offprint/server/config');
  try {
    return readConfig({ ...serverEnvironment(), ...changes });
  } catch (error) {
    if (error instanceof ConfigError) throw new CliError(2, error.message, { cause: error });
    throw error;
  }
}

async function runRenderer(): Promise<void> {
  const { ConfigError, readRendererConfig } = await import('@offprint/server/config');
  const { startRenderer } = await import('@offprint/server/renderer');
  let config: Config;
  try {
    config = readRendererConfig(serverEnvironment());
  } catch (error) {
    if (error instanceof ConfigError) throw new CliError(2, error.message, { cause: error });
    throw error;
  }
  const choice = { port: 'OFFPRINT_RENDERER_PORT', host: 'OFFPRINT_HOST' };
  const renderer = await whileListening(choice, withDataFolder(config.dataDir, startRenderer(config)));
  await untilInterrupted();
  await renderer.stop();
}

async function runRoles(roles: Roles): Promise<void> {
  const { startPlatform } = await import('@offprint/server/platform');
  const choice = { port: 'OFFPRINT_PORT', host: 'OFFPRINT_HOST' };
  const config = await serverConfig();
  const starting = withDataFolder(config.dataDir, startPlatform(config, roles));
  const platform = await whileListening(choice, starting);
  const { signal } = await untilInterrupted();
  await platform.stop({ drain: signal === 'SIGTERM' });
}
