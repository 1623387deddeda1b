/** `offprint agent bench`: runs a model on the tasks and reports its results. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { CliError } from '../../errors.ts';
import { createTalk, printable } from '../../output.ts';
import { onInterruption } from '../../process/interruption.ts';
import { type ModelOptions, modelOf, retryText } from '../local.ts';

export interface BenchOptions extends ModelOptions {
  runs: number;
  /** Numbers of the tasks; default: all. */
  task?: number[];
  /** File for one line of JSON per run. */
  json?: string;
}

export async function bench(options: BenchOptions): Promise<void> {
  const [{ TASKS }, { runTask }, { tableOf }] = await Promise.all([
    import('./tasks/index.ts'),
    import('./run.ts'),
    import('./report.ts'),
  ]);
  const tasks = TASKS.filter(({ id }) => options.task === undefined || options.task.includes(id));
  const unknown = options.task?.find((id) => !TASKS.some((task) => task.id === id));
  if (unknown !== undefined)
    throw new CliError(2, `Unknown task: ${unknown}. Use a number from 1 to ${TASKS.length}.`);
  const model = await modelOf(options);
  if (options.json !== undefined) startFile(options.json);
  const talk = createTalk({ quiet: false });
  const interrupt = new AbortController();
  const release = onInterruption(() => interrupt.abort(new CliError(130, 'Interrupted')));
  const records = [];
  try {
    talk.say(`Model ${model.name}, ${tasks.length} tasks, ${options.runs} runs each`);
    for (const task of tasks) {
      for (let run = 1; run <= options.runs; run += 1) {
        const { record } = await runTask({
          task,
          run,
          model,
          signal: interrupt.signal,
          onRetry: (message, ms) => talk.say(printable(retryText(message, ms))),
        });
        records.push(record);
        if (options.json !== undefined) appendFileSync(options.json, `${JSON.stringify(record)}\n`);
        const verdict = record.passed ? 'passed' : 'failed';
        talk.say(`${String(task.id).padStart(2)} run ${run}  ${verdict}  ${record.seconds} s  ${task.name}`);
        // Without a single response the run does not measure the model, and the next run would fail, too.
        if (record.steps === 0 && record.failure !== null) throw new CliError(1, printable(record.failure));
      }
    }
    process.stdout.write(tableOf(records));
  } catch (error) {
    if (records.length > 0 && interrupt.signal.aborted) process.stdout.write(tableOf(records));
    if (interrupt.signal.aborted) throw interrupt.signal.reason;
    throw error;
  } finally {
    release();
  }
}

/** Creates the file first, so that hours of work are not lost because it cannot be written. */
function startFile(file: string): void {
  try {
    writeFileSync(file, '');
  } catch (cause) {
    throw new CliError(2, `Cannot write ${file}: ${(cause as Error).message}`, { cause });
  }
}
