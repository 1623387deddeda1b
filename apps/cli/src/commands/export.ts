import { createReadStream, realpathSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { systemErrorText } from '@offprint/bundle';
import { counted } from '@offprint/contract/counted';
import { type DirectorySource, directorySource } from '@offprint/render/source-directory';
import { severityOf } from '@offprint/render/warning-codes';
import type { BundleCache, ExportSummary } from '@offprint/server/export-site';
import { type Command, InvalidArgumentError } from 'commander';
import { exportCacheFolder, ownCommand } from '../config.ts';
import { CliError } from '../errors.ts';
import type { Cache } from '../export-cache/cache-folder.ts';
import type { ExportOutcome } from '../export-cache/export-cache.ts';
import type { MadeExport, NewExport } from '../export-cache/obtain-export.ts';
import { createTalk, formatBytes, formatDuration, printJson, sayWarnings, type Talk } from '../output.ts';
import { createPageGuard } from '../process/page-guard.ts';
import { createWorkFolder } from '../process/work-folder.ts';
import { requireDocs } from './docs-folder.ts';
import { checkOutput, STANDARD_OUTPUT } from './output-file.ts';
import { collect, parseWarnings } from './shared.ts';

interface ExportOptions {
  output: string;
  siteUrl?: string;
  label?: string;
  commit?: string;
  path?: string[];
  unlisted: boolean;
  fetchRemote?: boolean;
  cache: boolean;
  warnings: number;
  json?: boolean;
}

export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('render a docs folder and pack it into one bundle, without a server')
    .argument('[dir]', 'folder that contains docs.json', '.')
    .requiredOption('-o, --output <file>', 'bundle to write: .tar.gz or .tgz; `-` for standard output')
    .option(
      '--site-url <url>',
      'URL of the published site, for canonical links and the sitemap',
      parseSiteUrl,
    )
    .option(
      '--label <version>',
      'version label in the manifest; default: derived from the commit or the content',
    )
    .option('--commit <sha>', 'commit of the folder, for the manifest')
    .option('--path <page>', 'export only this page; can be repeated', collect)
    .option('--no-unlisted', 'exclude pages that are not in the navigation')
    .option(
      '--fetch-remote',
      'include copies of images, fonts, styles, scripts and API descriptions of other hosts in the bundle',
    )
    .option('--no-cache', 'render all pages, and neither read nor write the cache')
    .option('--warnings <count>', 'how many warnings to show, or `all`', parseWarnings, 20)
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ offprint export docs -o site.tar.gz\n  $ offprint export docs -o - | ssh web tar xz -C /srv/docs\n  $ offprint export -o site.tar.gz --site-url https://docs.example.com --label 2.1',
    )
    .action(runExport);
}

function parseSiteUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Use a URL such as https://docs.example.com.');
  }
  return url.href.replace(/\/+$/, '');
}

async function runExport(dir: string, options: ExportOptions): Promise<void> {
  const started = performance.now();
  const talk = createTalk({ quiet: options.json === true });
  checkOutput(options.output, options.json === true);
  requireDocs(dir, (folder) => ownCommand(`export ${folder} -o ${options.output}`));
  const isPiped = options.output === STANDARD_OUTPUT;
  const output = resolve(options.output);
  const work = createWorkFolder(
    isPiped ? tmpdir() : dirname(output),
    isPiped ? 'offprint-export-' : '.offprint-export-',
  );
  const file = join(work.path, 'bundle.tar.gz');
  try {
    const readSource = () => sourceWithout(dir, [output, work.path]);
    const made = await obtainBundle({ dir, readSource, file, options, talk });
    talk.done();
    // Written beside its destination and renamed, so that a reader never sees a partial bundle.
    if (isPiped) await pipeline(createReadStream(file), process.stdout, { end: false });
    else await rename(file, output);
    await conclude(made, options, performance.now() - started, talk);
  } catch (error) {
    talk.done();
    throw explainExport(error, isPiped ? tmpdir() : dirname(output));
  } finally {
    work.remove();
  }
}

/** An export to make. `readSource` lists the files of the folder each time. */
interface ExportTask {
  dir: string;
  readSource(): DirectorySource;
  file: string;
  options: ExportOptions;
  talk: Talk;
}

/** The files of a docs folder without what this command writes there: else a bundle would contain the one before it. */
function sourceWithout(dir: string, written: readonly string[]): DirectorySource {
  const source = directorySource(dir);
  const root = realpathSync(dir);
  const own = written.map((path) => relative(root, join(realpathSync(dirname(path)), basename(path))));
  const isOther = (path: string): boolean =>
    own.every((each) => path !== each && !path.startsWith(`${each}${sep}`));
  const paths = source.paths.filter(isOther);
  return { ...source, paths, has: (path) => source.has(path) && isOther(path) };
}

/** Writes the bundle: that of an earlier export of the same files with the same options, else a new one. */
async function obtainBundle(task: ExportTask): Promise<MadeExport> {
  const { dir, readSource, file, options, talk } = task;
  talk.progress(0, 'reading the docs');
  // Files of other hosts can change at any time.
  if (!options.cache || options.fetchRemote === true) {
    const { outcome, renderedPages } = await makeBundle(task, readSource(), await readDates(dir, null));
    return { ...outcome, cached: false, renderedPages };
  }
  const [{ obtainExport }, { cacheFolder }] = await Promise.all([
    import('../export-cache/obtain-export.ts'),
    import('../export-cache/cache-folder.ts'),
  ]);
  const { siteUrl, label, commit, path, unlisted } = options;
  const cache = cacheFolder(exportCacheFolder());
  return obtainExport({
    folder: dir,
    file,
    readSource,
    readDates: (wanted) => readDates(dir, wanted),
    pageOptions: { siteUrl, path, unlisted, encoders: (await openEncoders(dir))?.encoderNames() },
    bundleOptions: { label, commit },
    cache,
    make: (source, dates, pages) => makeBundle(task, source, dates, pages, cache),
  });
}

/** What encodes images, if the docs may ask for it. */
async function openEncoders(dir: string) {
  const { mayWantVariants } = await import('@offprint/server/wants-variants');
  return (await mayWantVariants(dir)) ? await import('@offprint/server/local-encoder') : null;
}

async function openFetcher(work: string) {
  return (await import('@offprint/server/local-fetcher')).localFetcher(work);
}

async function readDates(dir: string, wanted: boolean | null) {
  return (await import('@offprint/server/local-dates')).localDates(dir, wanted);
}

async function makeBundle(
  { dir, file, options, talk }: ExportTask,
  source: DirectorySource,
  dates: Awaited<ReturnType<typeof readDates>>,
  cache?: BundleCache,
  records: Cache | null = null,
): Promise<NewExport> {
  const encoders = await openEncoders(dir);
  const { exportBundle } = await import('@offprint/server/export-site');
  const fetching = options.fetchRemote === true ? { fetchRemote: await openFetcher(dirname(file)) } : {};
  const siteUrl = options.siteUrl ?? null;
  const guard = createPageGuard();
  const { kept, renderedPages, ...summary } = await exportBundle({
    source,
    file,
    domain: siteUrl === null ? '' : new URL(siteUrl).hostname,
    siteUrl,
    commit: options.commit ?? null,
    committedAt: null,
    includeUnlisted: options.unlisted,
    groups: [],
    ...(cache === undefined ? {} : { cache }),
    ...(dates === undefined ? {} : { modified: dates }),
    ...fetching,
    ...(encoders === null
      ? {}
      : {
          openEncoder: encoders.localEncoder({
            source,
            work: join(dirname(file), 'images'),
            cache: records,
          }),
        }),
    ...(options.label === undefined ? {} : { version: options.label }),
    ...(options.path === undefined ? {} : { paths: options.path }),
    onProgress: ({ rendered, total }) =>
      talk.progress(
        total === 0 ? 0 : rendered / total,
        `rendering: ${rendered} of ${counted(total, 'page')}`,
      ),
    onPage: guard.onPage,
  }).finally(guard.end);
  return { outcome: outcomeOf(summary), renderedPages, kept };
}

function outcomeOf({ pageCount, version, index, site, warnings }: ExportSummary): ExportOutcome {
  const { sha256, bytes } = index.bundle;
  return { pageCount, version, sha256, sizeBytes: bytes, siteUrl: site.url, warnings };
}

async function conclude(
  made: MadeExport,
  options: ExportOptions,
  elapsed: number,
  talk: Talk,
): Promise<void> {
  const warnings = made.warnings.map((warning) => ({ ...warning, severity: severityOf(warning.code) }));
  sayWarnings(talk, warnings, options.warnings);
  if (made.siteUrl === null) {
    talk.say(
      'note: The URL of the site is not known, so the export has no canonical links, sitemap, structured data, preview images and links to assistants. Set the URL with --site-url.',
    );
  }
  const name = options.output === STANDARD_OUTPUT ? 'standard output' : options.output;
  const time = made.cached ? 'unchanged since an earlier export' : `in ${formatDuration(elapsed)}`;
  talk.say(
    `${counted(made.pageCount, 'page')}, ${formatBytes(made.sizeBytes)}, ${time}, ${counted(made.warnings.length, 'warning')}: ${name}`,
  );
  const linked = linkedText(made.warnings, options.fetchRemote === true);
  if (linked !== null && process.stderr.isTTY === true) talk.say(linked);
  if (options.json) printJson(result(made, options.output));
}

/** Counts the files of other hosts that pages link to instead of showing them; null for none. */
export function linkedText(
  warnings: readonly { file: string; code: string }[],
  isFetching: boolean,
): string | null {
  const images = warnings.filter(({ code, file }) => code === 'remote-file' && /\.mdx?$/.test(file)).length;
  const frames = warnings.filter(({ code }) => code === 'remote-frame').length;
  if (images + frames === 0) return null;
  const parts = [
    ...(images === 0 ? [] : [counted(images, 'image')]),
    ...(frames === 0 ? [] : [counted(frames, 'iframe')]),
  ];
  const hint =
    images === 0
      ? ' A bundle cannot contain iframes of other hosts.'
      : isFetching
        ? ' The images could not be fetched; the warnings contain the reasons.'
        : ' --fetch-remote includes the images.';
  return `${parts.join(' and ')} of other hosts became links.${hint}`;
}

/** Converts errors of an export to a CliError; `place` is the folder that it writes to. */
function explainExport(error: unknown, place: string): unknown {
  if (error instanceof Error && error.name === 'SourceError')
    return new CliError(1, error.message, { cause: error });
  const text = systemErrorText(error, place);
  return text === null ? error : new CliError(1, text, { cause: error });
}

function result(made: MadeExport, file: string) {
  const { pageCount, version, sha256, sizeBytes, cached, renderedPages, warnings } = made;
  return { file, pageCount, version, sha256, sizeBytes, cached, renderedPages, warnings };
}
