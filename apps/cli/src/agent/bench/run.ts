import {
  type BaseTree,
  type Change,
  type DocsCheck,
  type Finding,
  type JobEvent,
  type LocalModel,
  type ModelError,
  openLocalJob,
  type TurnResult,
} from '@offprint/server/agent-local';
import type { Files } from './fixture/fixture.ts';
import { type Attempt, demand, type HardCheck, type Task, type TurnEnd } from './task.ts';
import { collateralBytes, textOf } from './text.ts';

/** What is known of one run of one task: one line of the report file. */
export interface RunRecord {
  task: number;
  name: string;
  /** From 1. */
  run: number;
  model: string;
  passed: boolean;
  checks: HardCheck[];
  /** How the last turn ended: `finished`, or the code of what stopped or failed it. */
  outcome: string;
  /** What was said when it failed; null when it did not. */
  failure: string | null;
  /** Bytes of lines that changed where the task allows nothing. */
  collateralBytes: number;
  newFindings: number;
  changedFiles: number;
  /** Calls of the model, of all turns. */
  steps: number;
  inputTokens: number;
  cacheReadTokens: number;
  outputTokens: number;
  /** US dollars; null when prices are unknown. */
  costUsd: number | null;
  seconds: number;
}

export interface RunOptions {
  task: Task;
  run: number;
  model: LocalModel;
  signal: AbortSignal;
  /** Default: sandbox children. */
  check?: DocsCheck;
  onEvent?(event: JobEvent): void;
  onFault?(fault: ModelError): void;
}

/** Findings of a start, which is the same in every run. Keyed by the task. */
const baselines = new WeakMap<Task, readonly Finding[]>();

/** Lets a model work on a task and judges what came of it. A model that fails is a record, not an error. */
export async function runTask(options: RunOptions): Promise<{ record: RunRecord; attempt: Attempt }> {
  const { task, run, model, signal, check, onEvent, onFault } = options;
  const started = performance.now();
  const start = task.start();
  const known = baselines.get(task);
  const job = await openLocalJob({
    base: treeOf(start),
    readText: async (path) => textOf(start, path) || null,
    model,
    signal,
    ...(known === undefined ? {} : { baseline: known }),
    ...(check === undefined ? {} : { check }),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(onFault === undefined ? {} : { onFault }),
  });
  if (job.baseline !== null) baselines.set(task, job.baseline);
  try {
    const turns: TurnEnd[] = [];
    let last: TurnResult | null = null;
    for (const prompt of task.prompts) {
      last = await job.run(prompt);
      turns.push(endOf(last, withChanges(start, job.changes())));
      if (last.kind !== 'finished') break;
    }
    const found = await job.findings();
    const end = withChanges(start, job.changes());
    const attempt: Attempt = {
      start,
      turns,
      end,
      newFindings: found.new,
      findings: found.now,
      blocked: job.scan().blocked,
    };
    const usage = job.usage();
    return {
      attempt,
      record: {
        task: task.id,
        name: task.name,
        run,
        model: model.name,
        ...judge(task, attempt),
        outcome: outcomeName(last),
        failure: failureOf(last),
        changedFiles: job.changes().length,
        steps: usage.calls,
        inputTokens: usage.input,
        cacheReadTokens: usage.cacheRead,
        outputTokens: usage.output,
        costUsd: usage.costUsd,
        seconds: Math.round(performance.now() - started) / 1000,
      },
    };
  } finally {
    await job.close();
  }
}

/** The verdict on an attempt. What cannot be published fails every task. */
export function judge(
  task: Task,
  attempt: Attempt,
): Pick<RunRecord, 'passed' | 'checks' | 'collateralBytes' | 'newFindings'> {
  const checks = [...task.check(attempt), demand('publishable', attempt.blocked)];
  return {
    passed: checks.every(({ fault }) => fault === null),
    checks,
    collateralBytes: collateralBytes(attempt.start, attempt.end, task.allows),
    newFindings: attempt.newFindings.length,
  };
}

/** The files as a job finds them; names with a dot in front are for nobody but `readText`. */
function treeOf(files: Files): BaseTree {
  const entries: BaseTree['entries'] = new Map(
    [...files]
      .filter(([path]) => !path.startsWith('.'))
      .map(([path, file]) => {
        const content = typeof file === 'string' ? new Uint8Array(Buffer.from(file)) : file;
        return [path, { path, kind: 'file', executable: false, bytes: content.byteLength, content }];
      }),
  );
  return { entries };
}

function withChanges(start: Files, changes: readonly Change[]): Files {
  const files = new Map(start);
  for (const { path, after } of changes) {
    if (after === null) files.delete(path);
    else files.set(path, after);
  }
  return files;
}

function endOf(result: TurnResult, files: Files): TurnEnd {
  if (result.kind !== 'finished') return { isFinished: false, answer: result.message, files };
  const { summary, needsInput, stopped } = result.outcome;
  return {
    isFinished: stopped === null,
    // Not the title: where the model gives none it is made of the prompt.
    answer: [summary, needsInput ?? ''].filter((text) => text !== '').join('\n'),
    files,
  };
}

function outcomeName(result: TurnResult | null): string {
  if (result === null) return 'none';
  if (result.kind === 'failed') return result.code;
  return result.kind === 'finished' ? (result.outcome.stopped?.code ?? 'finished') : result.kind;
}

function failureOf(result: TurnResult | null): string | null {
  if (result === null) return null;
  if (result.kind !== 'finished') return result.message;
  return result.outcome.stopped?.message ?? null;
}
