import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ExportSummary } from '@offprint/server/export-site';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError } from '../errors.ts';
import { createTalk, formatBytes, formatDuration, printJson, sayWarnings } from '../output.ts';
import { collect, parseWarnings } from './shared.ts';

interface ExportOptions {
  output: string;
  siteUrl?: string;
  label?: string;
  commit?: string;
  path?: string[];
  unlisted: boolean;
  fetchRemote?: boolean;
  warnings: number;
  json?: boolean;
}

export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('render a docs folder and pack it into one bundle, without a server')
    .argument('[dir]', 'folder that holds docs.json', '.')
    .requiredOption('-o, --output <file>', 'bundle to write (.tar.gz)')
    .option(
      '--site-url <url>',
      'address of the published site, for canonical links and the sitemap',
      parseSiteUrl,
    )
    .option('--label <version>', 'version label in the manifest; default: of the commit or the content')
    .option('--commit <sha>', 'commit the folder is at, for the manifest')
    .option('--path <page>', 'export only this page; may be repeated', collect)
    .option('--no-unlisted', 'leave out pages that the navigation does not list')
    .option(
      '--fetch-remote',
      'fetch images, fonts, styles, scripts and API descriptions of other hosts, and put copies into the bundle',
    )
    .option('--warnings <count>', 'how many warnings to show, or `all`', parseWarnings, 20)
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ offprint export docs -o site.tar.gz\n  $ offprint export -o site.tar.gz --site-url https://docs.example.com --label 2.1',
    )
    .action(runExport);
}

function parseSiteUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('an address such as https://docs.example.com.');
  }
  return url.href.replace(/\/+$/, '');
}

async function runExport(dir: string, options: ExportOptions): Promise<void> {
  const started = performance.now();
  const talk = createTalk({ quiet: options.json === true });
  const output = resolve(options.output);
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    throw new CliError(2, `no such folder: ${dir}`);
  if (!existsSync(dirname(output))) throw new CliError(2, `no such folder: ${dirname(options.output)}`);
  const [{ directorySource, SourceError }, { exportBundle }, { localDates, localFetcher }] =
    await Promise.all([
      import('@offprint/render'),
      import('@offprint/server/export-site'),
      import('@offprint/server/local-export'),
    ]);
  const siteUrl = options.siteUrl ?? 'https://docs.example.com';
  const work = await mkdtemp(join(dirname(output), '.offprint-export-'));
  const file = join(work, 'bundle.tar.gz');
  try {
    const modified = await localDates(dir);
    const summary = await exportBundle({
      source: directorySource(dir),
      file,
      domain: new URL(siteUrl).hostname,
      siteUrl,
      commit: options.commit ?? null,
      committedAt: null,
      includeUnlisted: options.unlisted,
      groups: [],
      ...(modified === undefined ? {} : { modified }),
      ...(options.fetchRemote === true ? { fetchRemote: localFetcher(work) } : {}),
      ...(options.label === undefined ? {} : { version: options.label }),
      ...(options.path === undefined ? {} : { paths: options.path }),
      onProgress: ({ rendered, total }) =>
        talk.progress(total === 0 ? 0 : rendered / total, `${rendered} of ${total} pages`),
    });
    talk.done();
    // Written beside its place and renamed, so that a reader never sees half a bundle.
    await rename(file, output);
    const elapsed = performance.now() - started;
    sayWarnings(talk, summary.warnings, options.warnings);
    if (options.siteUrl === undefined) {
      talk.say(
        'note: canonical links and the sitemap say https://docs.example.com; --site-url sets the real address',
      );
    }
    talk.say(
      `${summary.pageCount} pages, ${formatBytes(summary.index.bundle.bytes)} in ${formatDuration(elapsed)}, ${summary.warnings.length} warnings: ${options.output}`,
    );
    if (options.json) printJson(result(summary, options.output));
  } catch (error) {
    talk.done();
    if (error instanceof SourceError) throw new CliError(1, error.message, { cause: error });
    throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function result(summary: ExportSummary, file: string) {
  return {
    file,
    pageCount: summary.pageCount,
    version: summary.version,
    sha256: summary.index.bundle.sha256,
    sizeBytes: summary.index.bundle.bytes,
    warnings: summary.warnings,
  };
}
