/**
 * The steps of `offprint publish` and of the GitHub Action: export a domain, wait for the export, stop if it fails,
 * create a link to the bundle, deploy the bundle.
 */

import { randomUUID } from 'node:crypto';
import type { Client, ExportBundle, ExportJob, ExportWarning } from '@offprint/client';
import { counted } from '@offprint/contract/counted';
import { CliError, explain } from '../errors.ts';
import type { Talk } from '../output.ts';
import { printable } from '../printable.ts';
import { outageText, throughOutages } from '../process/outage.ts';
import { type Applied, ApplyError, createMask, secretsOf, type Target } from './target.ts';

/** A new export of a domain, or an export that was started earlier. */
export type ExportOrder = { jobId: string } | NewExport;

export interface NewExport {
  domain: string;
  /** Version label; default: derived from the commit. */
  version?: string | undefined;
  ref?: string | undefined;
  paths?: string[] | undefined;
  includeUnlisted: boolean;
  /** Default: a random key, so that every call starts a separate export. */
  idempotencyKey?: string | undefined;
}

export interface LoopOptions {
  order: ExportOrder;
  /** Maximum time to wait for the export, in seconds. */
  timeout: number;
  /** Validity of the link in seconds; default: set by the server. */
  expiresIn?: number | undefined;
  /** Writes the bundle to this file. */
  output?: string | undefined;
  /** Null: the bundle is not deployed. */
  target: Target | null;
  talk: Talk;
  /** Aborts when a user or a pipeline cancels the command. */
  interrupt: AbortSignal;
  /** How to resume an export later, such as a command. */
  resumeHint: (jobId: string) => string;
  /** Called when the export has started. */
  onStart?: (jobId: string) => void;
  /** Called with the link before it is used. */
  onLink?: (exported: Exported) => void;
}

/** A completed export with a link to its bundle. */
export interface Exported {
  job: ExportJob;
  bundle: ExportBundle;
  warnings: ExportWarning[];
}

export interface Published extends Exported {
  applied: Applied[];
}

/** Runs all steps. Rejects with a CliError whose exit code identifies the step that failed. */
export async function publish(client: Client, options: LoopOptions): Promise<Published> {
  const { talk, interrupt } = options;
  let exported: Exported | null = null;
  let job: ExportJob | null = null;
  try {
    await options.target?.check({ talk, signal: interrupt });
    job = await completed(client, options);
    exported = await bundleOf(client, job, options);
    options.onLink?.(exported);
    if (options.output !== undefined) await download(client, exported, options.output, options);
    if (options.target === null) return { ...exported, applied: [] };
    const applied = await options.target.apply(exported.bundle, { talk, signal: interrupt });
    return { ...exported, applied };
  } catch (error) {
    talk.done();
    if (error instanceof CliError) throw error;
    if (interrupt.aborted) throw interrupted(exported, options);
    if (error instanceof ApplyError && exported !== null) throw notApplied(exported, error, options);
    const known = await explain(error);
    throw job !== null && known instanceof CliError ? afterExport(known, job, options) : known;
  }
}

async function completed(client: Client, options: LoopOptions): Promise<ExportJob> {
  const { order, timeout, talk } = options;
  const limit = AbortSignal.timeout(Math.ceil(timeout * 1000));
  const signal = AbortSignal.any([limit, options.interrupt]);
  let jobId = 'jobId' in order ? order.jobId : null;
  try {
    jobId ??= (await start(client, order as NewExport, signal)).jobId;
    options.onStart?.(jobId);
    talk.say(`Export ${jobId}`);
    const job = await waitForExport(client, jobId, talk, signal);
    talk.done();
    if (job.status === 'completed') return job;
    throw new CliError(1, `Export ${job.jobId} failed: ${printable(job.error ?? 'no reason given')}`);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (options.interrupt.aborted) throw new CliError(130, unfinishedText('Interrupted', jobId, options));
    if (limit.aborted) throw new CliError(3, unfinishedText(`Timed out after ${timeout} s`, jobId, options));
    const outage = jobId === null ? null : await outageText(error);
    if (outage === null) throw error;
    throw new CliError(1, unfinishedText(outage, jobId, options), { cause: error });
  }
}

/** Waits until the export ends, also while the server restarts. */
function waitForExport(client: Client, jobId: string, talk: Talk, signal: AbortSignal): Promise<ExportJob> {
  return throughOutages({
    attempt: (onContact) =>
      client.waitForExport(jobId, {
        signal,
        onProgress({ progress, pageCount, totalPages }) {
          onContact();
          const pages = counted(totalPages ?? pageCount, 'page');
          talk.progress(progress / 100, totalPages === null ? pages : `${pageCount} of ${pages}`);
        },
      }),
    onOutage: (reason) => talk.say(`${printable(reason)}. The export is not lost. Trying again.`),
  });
}

function start(client: Client, order: NewExport, signal: AbortSignal): Promise<ExportJob> {
  return client.startExport(
    {
      domain: order.domain,
      ...(order.version === undefined ? {} : { version: order.version }),
      ...(order.ref === undefined ? {} : { source: { ref: order.ref } }),
      ...(order.paths === undefined ? {} : { paths: order.paths }),
      ...(order.includeUnlisted ? {} : { options: { includeUnlisted: false } }),
    },
    { signal, idempotencyKey: order.idempotencyKey ?? randomUUID() },
  );
}

async function bundleOf(client: Client, job: ExportJob, options: LoopOptions): Promise<Exported> {
  const calls = { signal: options.interrupt };
  const warnings = job.warnings === 0 ? [] : await client.listExportWarnings(job.jobId, calls);
  const body = options.expiresIn === undefined ? {} : { expiresIn: options.expiresIn };
  return { job, warnings, bundle: await client.createBundle(job.jobId, body, calls) };
}

async function download(client: Client, exported: Exported, file: string, options: LoopOptions) {
  const { downloadBundle } = await import('@offprint/client/download');
  const { talk } = options;
  await downloadBundle(exported.bundle, file, {
    signal: options.interrupt,
    renew: () => client.createBundle(exported.job.jobId),
    onProgress: ({ bytes, total }) =>
      talk.progress(bytes / total, `${(bytes / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`),
  });
  talk.done();
}

function unfinishedText(what: string, jobId: string | null, { resumeHint }: LoopOptions): string {
  if (jobId === null) return `${what}. If the export was started, it continues on the server`;
  return `${what}. The export continues on the server. To resume: ${resumeHint(jobId)}`;
}

function interrupted(exported: Exported | null, { resumeHint }: LoopOptions): CliError {
  if (exported === null) return new CliError(130, 'Interrupted');
  const { jobId } = exported.job;
  return new CliError(
    130,
    `Interrupted after export ${jobId} was complete. It may or may not be applied. To resume: ${resumeHint(jobId)}`,
  );
}

/** An error that occurred between the export and its deployment. */
function afterExport(error: CliError, { jobId }: ExportJob, { resumeHint }: LoopOptions): CliError {
  const reason = error.message.replace(/\.$/, '');
  return new CliError(
    error.exitCode,
    `${reason}. Export ${jobId} is complete. To resume without another export: ${resumeHint(jobId)}`,
    { cause: error },
  );
}

function notApplied({ job, bundle }: Exported, error: ApplyError, { resumeHint }: LoopOptions): CliError {
  const mask = createMask(secretsOf(bundle.bundleUrl));
  return new CliError(
    4,
    `Exported, but not applied: ${mask(error.message)}\n  Export ${job.jobId} is complete and its link is valid until ${bundle.expiresAt}. To resume without another export: ${resumeHint(job.jobId)}`,
    { cause: error },
  );
}
