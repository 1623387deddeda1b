import {
  type BaseTree,
  type Change,
  type DocsCheck,
  type Finding,
  type JobEvent,
  type LocalModel,
  openLocalJob,
  type TurnResult,
} from '@offprint/server/agent-local';
import type { Files } from './fixture/fixture.ts';
import { type Attempt, demand, type HardCheck, type Task, type TurnEnd } from './task.ts';
import { collateralBytes, textOf } from './text.ts';

/** The result of one run of one task: one line of the report file. */
export interface RunRecord {
  task: number;
  name: string;
  /** Starts at 1. */
  run: number;
  model: string;
  passed: boolean;
  checks: HardCheck[];
  /** Result of the last turn: `finished`, or the code of the limit or error that ended it. */
  outcome: string;
  /** Error message of a failed run; null if it did not fail. */
  failure: string | null;
  /** Bytes of changed lines that the task does not allow to change. */
  collateralBytes: number;
  newFindings: number;
  changedFiles: number;
  /** Model calls of all turns. */
  steps: number;
  inputTokens: number;
  cacheReadTokens: number;
  outputTokens: number;
  /** US dollars; null if prices are unknown. */
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
  onRetry?(message: string, ms: number): void;
}

/** Findings of the initial docs per task; they are the same in every run. */
const baselines = new WeakMap<Task, readonly Finding[]>();

/** Runs a model on a task and checks the result. A failure of the model is a record, not an error. */
export async function runTask(options: RunOptions): Promise<{ record: RunRecord; attempt: Attempt }> {
  const { task, run, model, signal, check, onEvent, onRetry } = options;
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
    ...(onRetry === undefined ? {} : { onRetry }),
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
      blocked: (await job.scan()).blocked,
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

/** Checks an attempt. Changes that cannot be published fail every task. */
export function judge(
  task: Task,
  attempt: Attempt,
): Pick<RunRecord, 'passed' | 'checks' | 'collateralBytes' | 'newFindings'> {
  const checks = [...task.check(attempt), demand('publishable', attempt.blocked)];
  return {
    passed: checks.every(({ problem }) => problem === null),
    checks,
    collateralBytes: collateralBytes(attempt.start, attempt.end, task.allows),
    newFindings: attempt.newFindings.length,
  };
}

/** The files as a job sees them; only `readText` reads names that start with a dot. */
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
  if (result.kind !== 'finished') return { isFinished: false, response: result.message, files };
  const { summary, needsInput, stopped } = result.outcome;
  return {
    isFinished: stopped === null,
    // Without the title, which is derived from the prompt if the model sets none.
    response: [summary, needsInput ?? ''].filter((text) => text !== '').join('\n'),
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
