import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CliError } from '../errors.ts';
import { createTalk, printJson } from '../output.ts';
import { parsePort, untilInterrupted } from './shared.ts';

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
    .argument('<bundle>', 'a bundle made by `offprint export` or `offprint publish`')
    .option('-p, --port <port>', 'port to listen on; 0 picks a free one', parsePort, 4200)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--base-path <path>', 'serve below this path, such as /docs')
    .option('--json', 'print one line of JSON when ready')
    .addHelpText(
      'after',
      '\nExamples:\n  $ offprint serve site.tar.gz\n  $ offprint serve site.tar.gz --port 8080 --base-path /docs',
    )
    .action(serve);
}

async function serve(bundle: string, options: ServeOptions): Promise<void> {
  if (!existsSync(bundle)) throw new CliError(2, `no such file: ${bundle}`);
  const [{ BundleError }, { serveBundle }] = await Promise.all([
    import('@offprint/bundle'),
    import('@offprint/site'),
  ]);
  const talk = createTalk({ quiet: options.json === true });
  const releasesDir = await mkdtemp(join(tmpdir(), 'offprint-serve-'));
  try {
    const site = await serveBundle({
      bundle,
      releasesDir,
      port: options.port,
      host: options.host,
      ...(options.basePath === undefined ? {} : { basePath: options.basePath }),
    }).catch((error: unknown) => {
      if (error instanceof BundleError)
        throw new CliError(1, `${bundle} is not a sound bundle: ${error.message}`);
      throw error;
    });
    if (options.json) printJson({ url: site.url });
    talk.say(`Serving ${bundle} at ${site.url} (Ctrl-C stops)`);
    await untilInterrupted();
    await site.stop();
  } finally {
    await rm(releasesDir, { recursive: true, force: true });
  }
}
