import { listenErrorText, systemErrorText } from '@offprint/bundle';
import { ConfigError, printConfig, readConfig, readRendererConfig } from './config.ts';
import { withDataFolder } from './data-folder.ts';
import { stopOnSignal } from './platform/shutdown.ts';
import { StartError } from './platform/start-error.ts';
import { migrateDatabase, startPlatform } from './platform.ts';
import { startRenderer } from './renderer.ts';

const usage = `usage: main.ts [role ...]
  api      serve HTTP requests
  worker   render exports
  renderer process docs for API and workers; needs no database and no secret
  migrate  update the database to the latest schema and exit
Without a role: api and worker in one process.
`;

/** Starts the roles named by the arguments, which run until SIGTERM or SIGINT; resolves with an exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const known = ['api', 'worker', 'renderer', 'migrate'];
  const isAlone = argv.length === 1;
  const unknown = argv.find((role) => !known.includes(role));
  if (unknown !== undefined || (!isAlone && ['migrate', 'renderer'].some((role) => argv.includes(role)))) {
    process.stderr.write(unknown === undefined ? usage : `unknown role: ${unknown}\n${usage}`);
    return 2;
  }
  if (argv.includes('renderer')) {
    const config = readRendererConfig();
    const renderer = await withDataFolder(config.dataDir, startRenderer(config));
    renderer.log.debug({ config: printConfig(config) }, 'configuration');
    stopOnSignal({
      stop: () => renderer.stop(),
      onFault: () => undefined,
      exit: (code) => process.exit(code),
    });
    return 0;
  }
  const config = readConfig();
  if (argv.includes('migrate')) {
    const applied = await withDataFolder(config.dataDir, migrateDatabase(config));
    process.stdout.write(
      applied.length === 0 ? 'nothing to migrate\n' : applied.map((name) => `${name}\n`).join(''),
    );
    return 0;
  }
  const roles = {
    api: argv.length === 0 || argv.includes('api'),
    worker: argv.length === 0 || argv.includes('worker'),
  };
  const platform = await withDataFolder(config.dataDir, startPlatform(config, roles));
  platform.log.debug({ config: printConfig(config) }, 'configuration');
  stopOnSignal({
    // Ctrl-C is a person who waits; SIGTERM is a rollout.
    stop: (signal) => platform.stop({ drain: signal === 'SIGTERM' }),
    onFault: () => undefined,
    exit: (code) => process.exit(code),
  });
  return 0;
}

function failureText(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  const choice = { port: 'OFFPRINT_PORT', host: 'OFFPRINT_HOST' };
  return (
    listenErrorText(error, choice) ??
    systemErrorText(error) ??
    (error instanceof Error ? (error.stack ?? error.message) : String(error))
  );
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${failureText(error)}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  },
);
