/** `offprint agent run --local`: one folder, no server. */
import { resolve } from 'node:path';
import type { JobEvent, JobUsage, LocalModel, TurnResult } from '@offprint/server/agent-local';
import { requireFolder } from '../commands/docs-folder.ts';
import { agentEnvironment } from '../config.ts';
import { CliError } from '../errors.ts';
import { createTalk, printable, printDiff, printJson, type Talk } from '../output.ts';
import { onInterruption } from '../process/interruption.ts';
import { aboutOf, createProgress, oneLine, type Progress } from './progress.ts';

export interface ModelOptions {
  provider?: string;
  model?: string;
  baseUrl?: string;
}

export interface LocalOptions extends ModelOptions {
  local: string;
  dryRun?: boolean;
  timeout: number;
  json?: boolean;
}

/** The model that options and environment name; a fault of them is one of usage. */
export async function modelOf(options: ModelOptions): Promise<LocalModel> {
  const { ConfigError, ModelError, openModel } = await import('@offprint/server/agent-local');
  try {
    return openModel(agentEnvironment(), options);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof ModelError)) throw error;
    const hint =
      'Name a model by --provider, --model and --base-url, or by OFFPRINT_AGENT_PROVIDER, OFFPRINT_AGENT_MODEL and OFFPRINT_AGENT_BASE_URL; its key by OFFPRINT_AGENT_API_KEY.';
    throw new CliError(2, `${error.message}\n${hint}`, { cause: error });
  }
}

/** Works on a folder, shows what came of it and writes it, all or nothing. */
export async function runLocal(prompt: string, options: LocalOptions): Promise<void> {
  const folder = resolve(options.local);
  requireFolder(options.local);
  const model = await modelOf(options);
  const { FolderError } = await import('@offprint/server/agent-local');
  const talk = createTalk({ quiet: options.json === true });
  const interrupt = new AbortController();
  const timeout = AbortSignal.timeout(Math.ceil(options.timeout * 1000));
  const release = onInterruption(() =>
    interrupt.abort(new CliError(130, 'interrupted; nothing was written')),
  );
  try {
    await work(folder, prompt, model, options, talk, AbortSignal.any([timeout, interrupt.signal]));
  } catch (error) {
    talk.done();
    if (interrupt.signal.aborted) throw interrupt.signal.reason;
    if (timeout.aborted) throw new CliError(3, `not finished in ${options.timeout} s; nothing was written`);
    if (error instanceof FolderError) throw new CliError(1, error.message, { cause: error });
    throw error;
  } finally {
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
  progress.say(`${base.entries.size} files of ${folder}, model ${model.name}`);
  const tell = teller(progress);
  const job = await local.openLocalJob({
    base,
    docsFolder,
    readText: (path) => local.readText(root, path),
    model,
    signal,
    onEvent: tell,
    onFault: ({ message }) => progress.say(`${message} It is asked again in a while.`),
  });
  try {
    if (job.instructionsPath !== null) progress.say(`rules of the project: ${job.instructionsPath}`);
    const result = await job.run(prompt);
    const outcome = outcomeOf(result);
    const { files, diff } = local.diffOfChanges(job.changes());
    const { blocked, notes } = job.scan();
    if (options.json !== true) printDiff(diff);
    for (const note of notes) progress.say(`please look at ${note}`);
    if (blocked.length > 0) {
      const list = blocked.map((line) => `\n  ${printable(line)}`).join('');
      throw new CliError(1, `nothing was written, for the changes hold what no job may write:${list}`);
    }
    const writes = files.length > 0 && options.dryRun !== true;
    if (writes) await local.writeChanges(folder, base, job.changes());
    for (const line of outcome.told) progress.say(line);
    progress.say(
      `${files.length === 0 ? 'no file changed' : `${files.length} ${files.length === 1 ? 'file' : 'files'} ${writes ? 'written' : 'would be written (--dry-run)'}`}; ${usageText(job.usage())}`,
    );
    if (options.json) {
      printJson({
        title: outcome.title,
        summary: outcome.summary,
        needsInput: outcome.needsInput,
        stopped: outcome.stopped,
        files: files.map(({ path, kind, additions, deletions }) => ({ path, kind, additions, deletions })),
        isWritten: writes,
        checks: outcome.checks,
        notes,
        usage: job.usage(),
        diff,
      });
    }
  } finally {
    await job.close();
  }
}

/** Events of a job in this process, as lines. */
function teller(progress: Progress): (event: JobEvent) => void {
  let inputs = new Map<string, unknown>();
  const said = (parts: Extract<JobEvent, { kind: 'assistant' }>['parts']): void => {
    inputs = new Map();
    for (const part of parts) {
      if (part.type === 'text' && part.text.trim() !== '') progress.text(part.text);
      if (part.type === 'tool-call') inputs.set(part.id, part.input);
    }
  };
  const answered = ({ id, name, output, isError }: ToolResult): void => {
    const input = inputs.get(id);
    const items = (input as { items?: unknown } | null | undefined)?.items;
    if (name === 'update_plan' && !isError && Array.isArray(items)) progress.plan(items);
    progress.tool(name, aboutOf(input), output, isError);
  };
  return (event) => {
    if (event.kind === 'assistant') said(event.parts);
    if (event.kind === 'results') event.results.forEach(answered);
    if (event.kind === 'notice') progress.say(`note to the model: ${oneLine(event.text)}`);
  };
}

type ToolResult = Extract<JobEvent, { kind: 'results' }>['results'][number];

function outcomeOf(result: TurnResult) {
  if (result.kind !== 'finished') {
    throw new CliError(
      1,
      `the job failed (${result.kind === 'failed' ? result.code : 'waiting'}): ${result.message} Nothing was written.`,
    );
  }
  const { outcome, checks, blocking } = result;
  const told = [
    ...(outcome.stopped === null ? [] : [`stopped early: ${outcome.stopped.message}`]),
    ...(checks.status === 'not_checked'
      ? [`the docs were not checked: ${checks.reason ?? 'the check had no result.'}`]
      : []),
    ...blocking.map(
      ({ file, line, code, message }) =>
        `new finding: ${file}${line === null ? '' : `:${line}`} ${code}: ${message}`,
    ),
    ...(outcome.title === '' ? [] : [outcome.title]),
    ...outcome.summary.split('\n').filter((line) => line.trim() !== ''),
    ...(outcome.needsInput === null ? [] : [`question: ${outcome.needsInput}`]),
  ];
  return { ...outcome, checks, told };
}

/** `12 calls, 34000 tokens in, 1200 out, 0.12 USD`. */
export function usageText({
  calls,
  input,
  output,
  costUsd,
}: Pick<JobUsage, 'calls' | 'input' | 'output' | 'costUsd'>): string {
  const cost = costUsd === null ? '' : `, ${costUsd.toFixed(costUsd < 1 ? 4 : 2)} USD`;
  return `${calls} calls of the model, ${input} tokens in, ${output} out${cost}`;
}
