/** `offprint agent run --local`: one folder, no server. */

import { resolve } from 'node:path';
import { counted } from '@offprint/contract/counted';
import type {
  BaseTree,
  diffOfChanges,
  JobEvent,
  JobUsage,
  LocalJob,
  LocalModel,
  TurnResult,
} from '@offprint/server/agent-local';
import { requireFolder } from '../commands/docs-folder.ts';
import { agentEnvironment } from '../config.ts';
import { CliError } from '../errors.ts';
import { createTalk, printable, printDiff, printJson, type Talk } from '../output.ts';
import { onInterruption } from '../process/interruption.ts';
import { createProgress, oneLine, type Progress, subjectOf } from './progress.ts';

export interface ModelOptions {
  provider?: string;
  model?: string;
  baseUrl?: string;
}

export interface LocalOptions extends ModelOptions {
  local: string;
  dryRun?: boolean;
  allowCode?: boolean;
  timeout: number;
  json?: boolean;
}

/** A longer timer ends immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The model of the options and the environment. Throws a CliError 2 if it is not configured. */
export async function modelOf(options: ModelOptions): Promise<LocalModel> {
  const { ConfigError, ModelError, openModel } = await import('@offprint/server/agent-local');
  try {
    return openModel(agentEnvironment(), options);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof ModelError)) throw error;
    const hint =
      'Set the model with --provider, --model and --base-url, or with OFFPRINT_AGENT_PROVIDER, OFFPRINT_AGENT_MODEL and OFFPRINT_AGENT_BASE_URL. Set its key with OFFPRINT_AGENT_API_KEY.';
    throw new CliError(2, `${error.message}\n${hint}`, { cause: error });
  }
}

/** Runs the agent on a folder, shows the changes and writes all of them or none. */
export async function runLocal(prompt: string, options: LocalOptions): Promise<void> {
  const folder = resolve(options.local);
  requireFolder(options.local);
  const model = await modelOf(options);
  const { FolderError } = await import('@offprint/server/agent-local');
  const talk = createTalk({ quiet: options.json === true });
  const stop = new AbortController();
  const stopWith = (code: 3 | 130, text: string) => () =>
    stop.abort(new CliError(code, `${text} Nothing was written.`));
  const release = onInterruption(stopWith(130, 'Interrupted.'));
  const ms = Math.min(options.timeout * 1000, MAX_TIMER_MS);
  const timer = setTimeout(stopWith(3, `Timed out after ${options.timeout} s.`), ms);
  try {
    await work(folder, prompt, model, options, talk, stop.signal);
  } catch (error) {
    talk.done();
    if (error instanceof CliError) throw error;
    if (stop.signal.aborted) throw stop.signal.reason;
    if (error instanceof FolderError) throw new CliError(1, error.message, { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
    release();
  }
}

async function work(
  folder: string,
  prompt: string,
  model: LocalModel,
  options: LocalOptions,
  talk: Talk,
  signal: AbortSignal,
): Promise<void> {
  const local = await import('@offprint/server/agent-local');
  const base = await local.readFolder(folder);
  const { root, docsFolder } = await local.repositoryOf(folder);
  const progress = createProgress(talk);
  progress.say(`${counted(base.entries.size, 'file')} in ${folder}, model ${model.name}`);
  const onEvent = reportTo(progress);
  const job = await local.openLocalJob({
    base,
    docsFolder,
    readText: (path) => local.readText(root, path),
    model,
    signal,
    onEvent,
    onRetry: (message, ms) => progress.say(retryText(message, ms)),
  });
  try {
    if (job.instructionsPath !== null) progress.say(`Project rules: ${job.instructionsPath}`);
    await finish({ folder, base, job, options, progress }, await job.run(prompt));
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    if (!(reason instanceof CliError || reason instanceof local.FolderError)) throw reason;
    talk.done();
    const exitCode = reason instanceof CliError ? reason.exitCode : 1;
    const place = await printUnwritten(job, model, options, reason.message);
    const gap = place === '' ? '' : reason.message.includes('\n') ? '\n' : ' ';
    throw new CliError(exitCode, `${reason.message}${gap}${place}`, { cause: error });
  } finally {
    await job.close();
  }
}

interface FinishRequest {
  folder: string;
  base: BaseTree;
  job: LocalJob;
  options: LocalOptions;
  progress: Progress;
}

/** Writes the changes of a turn and prints its result. Throws a CliError 1 if nothing may be written. */
async function finish({ folder, base, job, options, progress }: FinishRequest, result: TurnResult) {
  const local = await import('@offprint/server/agent-local');
  const outcome = outcomeOf(result, job);
  const changes = job.changes();
  const { blocked, held, notes } = await job.scan();
  for (const note of notes) progress.say(`Review ${note}`);
  if (blocked.length > 0) {
    const list = blocked.map((line) => `\n  ${printable(line)}`).join('');
    throw new CliError(
      1,
      `Nothing was written, because the changes contain content that a job must not write:${list}`,
    );
  }
  for (const line of held) progress.say(`New code for the browsers of readers: ${printable(line)}`);
  if (held.length > 0 && options.dryRun !== true && options.allowCode !== true) {
    throw new CliError(
      1,
      'Nothing was written, because the changes contain new code for the browsers of readers. Review it, and run the command again with --allow-code to write it.',
    );
  }
  const writes = changes.length > 0 && options.dryRun !== true;
  if (writes) await local.writeChanges(folder, base, changes);
  const { files, diff } = local.diffOfChanges(changes);
  if (options.json !== true) printDiff(diff);
  for (const line of outcome.lines) progress.say(line);
  progress.say(
    `${files.length === 0 ? 'No files changed' : `${files.length} ${files.length === 1 ? 'file' : 'files'} ${writes ? 'written' : 'would be written (--dry-run)'}`}; ${usageText(job.usage())}`,
  );
  if (options.json !== true) return;
  const { title, summary, needsInput, stopped, checks } = outcome;
  const known = { title, summary, needsInput, stopped, checks, heldCode: held, notes };
  printJson({ ...known, isWritten: writes, usage: job.usage(), ...changedFiles(files), diff });
}

/**
 * Prints the changes of a job that wrote none of them, so that no work of the model is lost; a sentence that names the
 * place, for the error.
 */
async function printUnwritten(
  job: LocalJob,
  { secrets }: LocalModel,
  options: LocalOptions,
  reason: string,
): Promise<string> {
  const { diffOfChanges } = await import('@offprint/server/agent-local');
  const { files, diff: written } = diffOfChanges(job.changes());
  // A reason to write nothing: the model has put its key into a page.
  const diff = secrets.reduce((text, secret) => text.replaceAll(secret, '[key]'), written);
  if (files.length === 0) return '';
  if (options.json === true) {
    printJson({ error: reason, isWritten: false, usage: job.usage(), ...changedFiles(files), diff });
    return 'The changes so far are in the JSON on standard output.';
  }
  printDiff(diff);
  return 'The changes so far are the diff on standard output.';
}

const changedFiles = (files: ReturnType<typeof diffOfChanges>['files']) => ({
  files: files.map(({ path, kind, additions, deletions }) => ({ path, kind, additions, deletions })),
});

/** Reports the events of a job in this process as lines. */
function reportTo(progress: Progress): (event: JobEvent) => void {
  let inputs = new Map<string, unknown>();
  const onAssistant = (parts: Extract<JobEvent, { kind: 'assistant' }>['parts']): void => {
    inputs = new Map();
    for (const part of parts) {
      if (part.type === 'text' && part.text.trim() !== '') progress.text(part.text);
      if (part.type === 'tool-call') inputs.set(part.id, part.input);
    }
  };
  const onResult = ({ id, name, output, isError }: ToolResult): void => {
    const input = inputs.get(id);
    const items = (input as { items?: unknown } | null | undefined)?.items;
    if (name === 'update_plan' && !isError && Array.isArray(items)) progress.plan(items);
    progress.tool(name, subjectOf(input), output, isError);
  };
  return (event) => {
    if (event.kind === 'assistant') onAssistant(event.parts);
    if (event.kind === 'results') event.results.forEach(onResult);
    if (event.kind === 'notice') progress.say(`Note to the model: ${oneLine(event.text)}`);
  };
}

type ToolResult = Extract<JobEvent, { kind: 'results' }>['results'][number];

/** Throws a CliError 1 for a turn that failed. */
function outcomeOf(result: TurnResult, job: LocalJob) {
  if (result.kind !== 'finished') {
    const code = result.kind === 'failed' ? result.code : 'waiting';
    const text = `The job failed (${code}): ${sentence(result.message)}${adviceFor(code, job)}`;
    throw new CliError(1, `${text} Nothing was written.`);
  }
  const { outcome, checks, blocking } = result;
  const lines = [
    ...(outcome.stopped === null ? [] : [`Stopped early: ${outcome.stopped.message}`]),
    ...(checks.status === 'not_checked'
      ? [`The docs were not checked: ${checks.reason ?? 'The check returned no result.'}`]
      : []),
    ...blocking.map(
      ({ file, line, code, message }) =>
        `New finding: ${file}${line === null ? '' : `:${line}`} ${code}: ${message}`,
    ),
    ...(outcome.title === '' ? [] : [outcome.title]),
    ...outcome.summary.split('\n').filter((line) => line.trim() !== ''),
    ...(outcome.needsInput === null ? [] : [`Question: ${outcome.needsInput}`]),
  ];
  return { ...outcome, checks, lines };
}

function adviceFor(code: string, job: LocalJob): string {
  if (code === 'model_auth') return ' Check OFFPRINT_AGENT_API_KEY and the name of the model.';
  if (code !== 'model_unavailable' || job.usage().calls > 0) return '';
  return ' Check that the model is running and that its URL is correct (--base-url or OFFPRINT_AGENT_BASE_URL).';
}

/** Messages of model servers often have no final period. */
const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Why the model is asked again, and when. */
export const retryText = (message: string, ms: number): string =>
  `${sentence(message)} Retrying in ${Math.ceil(ms / 1000)} s.`;

/** `12 model calls, 34000 input tokens, 1200 output tokens, 0.12 USD`. */
export function usageText({
  calls,
  input,
  output,
  costUsd,
}: Pick<JobUsage, 'calls' | 'input' | 'output' | 'costUsd'>): string {
  const cost = costUsd === null ? '' : `, ${costUsd.toFixed(costUsd < 1 ? 4 : 2)} USD`;
  return `${counted(calls, 'model call')}, ${input} input tokens, ${output} output tokens${cost}`;
}
