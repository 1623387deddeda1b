import { tmpdir } from 'node:os';
import type { Command } from 'commander';
import { CliError } from '../errors.ts';
import { createTalk, printJson } from '../output.ts';
import { untilInterrupted } from '../process/interruption.ts';
import { whileListening } from '../process/listening.ts';
import { createWorkFolder } from '../process/work-folder.ts';
import { parsePort, requireBundle } from './shared.ts';

interface ServeOptions {
  port: number;
  host: string;
  basePath?: string;
  json?: boolean;
}

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('verify a bundle and serve it as a site')
    .argument('<bundle>', 'bundle from `offprint export` or `offprint publish`')
    .option('-p, --port <port>', 'port to listen on; 0 selects a free port', parsePort, 4200)
    .option('--host <host>', 'IP address or host name to listen on', '127.0.0.1')
    .option('--base-path <path>', 'serve below this path, such as /docs')
    .option('--json', 'print one line of JSON when ready')
    .addHelpText(
      'after',
      '\nExamples:\n  $ offprint serve site.tar.gz\n  $ offprint serve site.tar.gz --port 8080 --base-path /docs',
    )
    .action(serve);
}

async function serve(bundle: string, options: ServeOptions): Promise<void> {
  requireBundle(bundle);
  const [{ BundleError }, { serveBundle }] = await Promise.all([
    import('@offprint/bundle'),
    import('@offprint/site'),
  ]);
  const talk = createTalk({ quiet: options.json === true });
  const work = createWorkFolder(tmpdir(), 'offprint-serve-');
  try {
    const started = serveBundle({
      bundle,
      releasesDir: work.path,
      port: options.port,
      host: options.host,
      durable: false,
      compress: true,
      ...(options.basePath === undefined ? {} : { basePath: options.basePath }),
    });
    const site = await whileListening({ port: '--port', host: '--host' }, started).catch((error: unknown) => {
      if (error instanceof BundleError)
        throw new CliError(1, `${bundle} is not a valid bundle: ${error.message}`);
      throw error;
    });
    const interrupted = untilInterrupted();
    if (options.json) printJson({ url: site.url });
    talk.say(`Serving ${bundle} at ${site.url} (press Ctrl-C to stop)`);
    await interrupted;
    await site.stop();
  } finally {
    work.remove();
  }
}
