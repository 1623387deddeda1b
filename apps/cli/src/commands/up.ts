import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { counted } from '@offprint/contract/counted';
import type { Config } from '@offprint/server/config';
import { withDataFolder } from '@offprint/server/data-folder';
import type { Platform } from '@offprint/server/platform';
import type { Site } from '@offprint/site';
import type { Command } from 'commander';
import { introduce } from '../banner.ts';
import { ownCommand, serverEnvironment } from '../config.ts';
import { CliError } from '../errors.ts';
import { createTalk, formatBytes, formatDuration, printJson, sayWarnings, type Talk } from '../output.ts';
import { untilInterrupted } from '../process/interruption.ts';
import { whileListening } from '../process/listening.ts';
import { requireDocs } from './docs-folder.ts';
import { serverConfig } from './server.ts';
import { parsePort, parseWarnings } from './shared.ts';

interface UpOptions {
  port?: number;
  sitePort: number;
  once?: boolean;
  json?: boolean;
  defaultDir?: string;
  warnings: number;
}

/** The line that `--json` prints for scripts. */
interface Ready {
  url: string;
  dashboardUrl: string;
  organizationId: string;
  projectId: string;
  domain: string;
  adminKey: string;
  operatorEmail: string | null;
  /** Created at the first start of the data folder and shown only then. */
  operatorPassword?: string;
  siteUrl?: string;
  jobId?: string;
  bundleUrl?: string;
  sha256?: string;
  pageCount?: number;
}

export function addUpCommand(program: Command): void {
  program
    .command('up')
    .description('run the whole platform on this machine and export a docs folder through its API')
    .argument('[dir]', 'folder that contains docs.json')
    .option('-p, --port <port>', 'port of the API; 0 selects a free port; default: OFFPRINT_PORT', parsePort)
    .option('--site-port <port>', 'port of the exported site; default: a free port', parsePort, 0)
    .option('--once', 'exit after the export')
    .option('--warnings <count>', 'how many warnings to show, or `all`', parseWarnings, 10)
    .option('--json', 'print one line of JSON when ready')
    .option('--default-dir <dir>', 'folder to export if [dir] is missing')
    .addHelpText(
      'after',
      '\nExamples:\n  $ offprint up docs\n  $ offprint up --once --json docs\n  $ offprint up --port 8080 docs',
    )
    .action(up);
}

async function up(given: string | undefined, options: UpOptions): Promise<void> {
  const dir = given ?? options.defaultDir;
  if (dir !== undefined) requireDocs(dir, (folder) => ownCommand(`up ${folder}`));
  if (dir === undefined && options.once) throw new CliError(2, '--once requires a folder to export.');
  const { startPlatform } = await import('@offprint/server/platform');
  const config = await serverConfig({
    OFFPRINT_ALLOW_FOLDER_SOURCES: resolve(dir ?? '.'),
    // People read the messages of this command; the log only adds warnings.
    ...(options.port === undefined ? {} : { OFFPRINT_PORT: `${options.port}` }),
    ...quietLog(),
    // On the machine of a developer, with docs of the developer.
    ...(serverEnvironment().OFFPRINT_SANDBOX === undefined ? { OFFPRINT_SANDBOX: 'preferred' } : {}),
  });
  const talk = createTalk({ quiet: options.json === true });
  talk.say(
    config.databaseUrl === undefined
      ? `Starting the database, the API and a worker. Data folder: ${config.dataDir}`
      : 'Starting the API and a worker',
  );
  let operatorPassword: string | undefined;
  let isReported = false;
  let platform: Platform | undefined;
  let site: Site | null = null;
  try {
    const starting = startPlatform(config, { api: true, worker: true }, ({ madePassword }) => {
      operatorPassword = madePassword ?? undefined;
    });
    const choice = { port: '--port or OFFPRINT_PORT', host: 'OFFPRINT_HOST' };
    platform = await whileListening(choice, withDataFolder(config.dataDir, starting));
    const ready = {
      ...(await prepare(platform, dir)),
      ...(operatorPassword === undefined ? {} : { operatorPassword }),
    };
    const made = dir === undefined ? null : await exportOnce(ready, config, options, talk);
    if (made !== null && !options.once) {
      const { serveBundle } = await import('@offprint/site');
      const serving = serveBundle({
        bundle: made.file,
        releasesDir: join(config.dataDir, 'releases', ready.domain),
        port: options.sitePort,
        host: '127.0.0.1',
        compress: true,
      });
      site = await whileListening({ port: '--site-port', host: '--site-port' }, serving);
    }
    const result: Ready = { ...ready, ...made?.result, ...(site === null ? {} : { siteUrl: site.url }) };
    // before the text that offers Ctrl-C: a reader or a program may send the signal immediately
    const interrupted = options.once ? null : untilInterrupted();
    if (options.json) printJson(result);
    else {
      introduce(talk, {
        ...result,
        file: made?.file,
        dataDir: config.dataDir,
        databaseLog:
          config.databaseUrl === undefined ? join(config.dataDir, 'postgres', 'postgres.log') : null,
        isOnce: options.once === true,
      });
    }
    isReported = true;
    if (interrupted !== null) {
      const { signal } = await interrupted;
      // After SIGHUP, the terminal may accept no more output.
      if (signal === 'SIGINT')
        talk.say(`Stopping. Running exports have up to ${config.shutdownSeconds} s to finish.`);
    }
  } finally {
    // The account exists even if a later step failed, and its password is shown only once.
    if (!isReported && operatorPassword !== undefined) {
      process.stderr.write(`${config.operatorEmail} signs in with the password ${operatorPassword}\n`);
    }
    await site?.stop();
    await platform?.stop();
  }
}

function quietLog(): Record<string, string> {
  return serverEnvironment().OFFPRINT_LOG_LEVEL === undefined
    ? { OFFPRINT_LOG_LEVEL: 'warn', OFFPRINT_LOG_FORMAT: 'text' }
    : {};
}

async function prepare(platform: Platform, dir: string | undefined): Promise<Ready> {
  if (platform.url === null) throw new Error('the platform has no API');
  const folder = resolve(dir ?? '.');
  const made = await platform.bootstrap({
    organizationName: 'Demo',
    projectName: basename(folder),
    domain: domainOf(folder),
    source: { kind: 'folder', path: folder },
  });
  return { url: platform.url, dashboardUrl: `${platform.url}/`, ...made };
}

/** `my-docs.localhost`: a name that can never be a site on the internet (RFC 6761). */
function domainOf(folder: string): string {
  const own = basename(folder);
  const name = own === 'docs' ? basename(dirname(folder)) : own;
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
  return `${label || 'docs'}.localhost`;
}

/** The phase of an export; counts pages only once the total is known. */
function phaseOf(status: string, pages: number, total: number | null): string {
  if (status === 'queued') return 'waiting for the worker';
  if (total === null) return 'reading the docs';
  return pages < total
    ? `rendering: ${pages} of ${counted(total, 'page')}`
    : `packing ${counted(total, 'page')}`;
}

async function exportOnce(ready: Ready, config: Config, options: UpOptions, talk: Talk) {
  const [{ createClient }, { downloadBundle }] = await Promise.all([
    import('@offprint/client'),
    import('@offprint/client/download'),
  ]);
  const started = performance.now();
  const client = createClient({ url: ready.url, key: ready.adminKey });
  const { jobId } = await client.startExport({ domain: ready.domain });
  const job = await client.waitForExport(jobId, {
    onProgress: ({ status, progress, pageCount, totalPages }) =>
      talk.progress(progress / 100, phaseOf(status, pageCount, totalPages)),
  });
  talk.done();
  if (job.status === 'failed') throw new CliError(1, `The export failed: ${job.error ?? 'no reason given'}`);
  const elapsed = performance.now() - started;
  const link = await client.createBundle(jobId);
  const folder = join(config.dataDir, 'downloads');
  await makeFolder(folder);
  const file = join(folder, `${ready.domain}.tar.gz`);
  await downloadBundle(link, file);
  if (!existsSync(file)) throw new Error('the downloaded file is missing');
  const warnings = job.warnings === 0 ? [] : await client.listExportWarnings(jobId);
  sayWarnings(talk, warnings, options.warnings);
  talk.say(
    `Exported ${counted(job.pageCount, 'page')}, ${formatBytes(link.sizeBytes)}, in ${formatDuration(elapsed)} with ${counted(warnings.length, 'warning')}`,
  );
  const result = { jobId, bundleUrl: link.bundleUrl, sha256: link.sha256, pageCount: job.pageCount };
  return { file, result };
}
