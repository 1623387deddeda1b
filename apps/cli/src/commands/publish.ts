import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Client, ExportJob } from '@offprint/client';
import type { Command } from 'commander';
import { clientSettings } from '../config.ts';
import { CliError } from '../errors.ts';
import { createTalk, formatBytes, printJson, sayWarnings, type Talk } from '../output.ts';
import { collect, explain, parseSeconds, parseWarnings } from './shared.ts';

interface PublishOptions {
  domain: string;
  output?: string;
  server?: string;
  label?: string;
  ref?: string;
  path?: string[];
  unlisted: boolean;
  timeout: number;
  idempotencyKey?: string;
  warnings: number;
  json?: boolean;
}

export function addPublishCommand(program: Command): void {
  program
    .command('publish')
    .description('export a domain on a server, wait for it and download the bundle')
    .requiredOption('-d, --domain <domain>', 'domain of the site')
    .option('-o, --output <file>', 'bundle to write; default: <domain>.tar.gz')
    .option('--server <url>', 'address of the server; default: OFFPRINT_URL')
    .option('--label <version>', 'version label; default: of the commit')
    .option('--ref <ref>', 'branch, tag or commit instead of the published one')
    .option('--path <page>', 'export only this page; may be repeated', collect)
    .option('--no-unlisted', 'leave out pages that the navigation does not list')
    .option('--timeout <seconds>', 'how long to wait for the export', parseSeconds, 3600)
    .option('--idempotency-key <key>', 'repeat a call safely: the same key gives the same export')
    .option('--warnings <count>', 'how many warnings to show, or `all`', parseWarnings, 20)
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
The key is read from OFFPRINT_API_KEY, or from the file that OFFPRINT_API_KEY_FILE names.
Exit codes: 0 done, 1 the export failed, 2 usage, key or rights, 3 not finished in time, 130 interrupted.

Examples:
  $ offprint publish --domain docs.example.com
  $ offprint publish --domain docs.example.com --ref v2.1 --label 2.1 -o site.tar.gz --json`,
    )
    .action(publish);
}

async function publish(options: PublishOptions): Promise<void> {
  const output = resolve(options.output ?? `${options.domain}.tar.gz`);
  if (!existsSync(dirname(output))) throw new CliError(2, `no such folder: ${dirname(output)}`);
  const { createClient } = await import('@offprint/client');
  const client = createClient(clientSettings(options.server));
  const talk = createTalk({ quiet: options.json === true });
  const interrupt = new AbortController();
  const timeout = AbortSignal.timeout(options.timeout * 1000);
  const onInterrupt = () =>
    interrupt.abort(new CliError(130, 'interrupted; the export goes on at the server'));
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);
  try {
    const job = await exportDomain(client, options, talk, AbortSignal.any([timeout, interrupt.signal])).catch(
      (error: unknown) => {
        if (!timeout.aborted) throw error;
        throw new CliError(3, `not finished in ${options.timeout} s; the export goes on at the server`);
      },
    );
    if (job.status === 'failed') {
      throw new CliError(1, `export ${job.jobId} failed: ${job.error ?? 'no reason given'}`);
    }
    await download(client, job, options, output, talk, interrupt.signal);
  } catch (error) {
    talk.done();
    if (interrupt.signal.aborted) throw interrupt.signal.reason;
    throw await explain(error);
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
  }
}

/** Starts the export and waits for its end, whatever that is. */
async function exportDomain(
  client: Client,
  options: PublishOptions,
  talk: Talk,
  signal: AbortSignal,
): Promise<ExportJob> {
  const started = await client.startExport(
    {
      domain: options.domain,
      ...(options.label === undefined ? {} : { version: options.label }),
      ...(options.ref === undefined ? {} : { source: { ref: options.ref } }),
      ...(options.path === undefined ? {} : { paths: options.path }),
      ...(options.unlisted ? {} : { options: { includeUnlisted: false } }),
    },
    { signal, idempotencyKey: options.idempotencyKey ?? randomUUID() },
  );
  talk.say(`export ${started.jobId}`);
  const job = await client.waitForExport(started.jobId, {
    signal,
    onProgress: ({ progress, pageCount, totalPages }) =>
      talk.progress(progress / 100, `${pageCount}${totalPages === null ? '' : ` of ${totalPages}`} pages`),
  });
  talk.done();
  return job;
}

async function download(
  client: Client,
  job: ExportJob,
  options: PublishOptions,
  output: string,
  talk: Talk,
  signal: AbortSignal,
): Promise<void> {
  const { downloadBundle } = await import('@offprint/client/download');
  const warnings = job.warnings === 0 ? [] : await client.listExportWarnings(job.jobId);
  sayWarnings(talk, warnings, options.warnings);
  const link = await client.createBundle(job.jobId);
  await downloadBundle(link, output, {
    signal,
    renew: () => client.createBundle(job.jobId),
    onProgress: ({ bytes, total }) =>
      talk.progress(bytes / total, `${formatBytes(bytes)} of ${formatBytes(total)}`),
  });
  talk.done();
  talk.say(`${job.pageCount} pages, ${formatBytes(link.sizeBytes)}, sha256 ${link.sha256}: ${output}`);
  if (options.json) {
    printJson({
      jobId: job.jobId,
      file: output,
      version: job.version,
      commit: job.commit,
      pageCount: job.pageCount,
      sha256: link.sha256,
      sizeBytes: link.sizeBytes,
      warnings,
    });
  }
}
