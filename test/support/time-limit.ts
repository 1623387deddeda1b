/**
 * Starts no test after `OFFPRINT_TEST_MINUTES`, and lists the files that were left out or cut off. This way a pipeline
 * with a time limit gets a result on any machine, and on a fast one the result of every test. Tests that are running
 * finish, since to stop one in the middle would look like a failure.
 */
import { type RunnerTask, type RunnerTestSuite, TestRunner } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

declare module 'vitest' {
  interface TaskMeta {
    afterTimeLimit?: true;
  }
}

const DEADLINE = 'OFFPRINT_TEST_DEADLINE';

export default class RunnerWithTimeLimit extends TestRunner {
  readonly #deadline = Number(process.env[DEADLINE] ?? Number.POSITIVE_INFINITY);

  override onBeforeRunTask(test: RunnerTask): Promise<void> {
    this.#leaveOutLate(test);
    return super.onBeforeRunTask(test);
  }

  /** A suite that is left out runs no hooks, and its tests are not reported one by one. */
  override onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    this.#leaveOutLate(suite);
    return super.onBeforeRunSuite(suite);
  }

  #leaveOutLate(task: RunnerTask): void {
    if (Date.now() < this.#deadline || task.mode === 'skip' || task.mode === 'todo') return;
    task.meta.afterTimeLimit = true;
    task.mode = 'skip';
  }
}

export class TimeLimit implements Reporter {
  readonly #minutes = Number(process.env.OFFPRINT_TEST_MINUTES ?? Number.NaN);
  #log: (text: string) => void = console.log;

  onInit(vitest: Vitest): void {
    this.#log = (text) => vitest.logger.log(text);
    // Processes of tests inherit the environment.
    if (this.#minutes > 0) process.env[DEADLINE] = String(Date.now() + this.#minutes * 60_000);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.map(rowOf).filter((row) => row !== undefined);
    if (rows.length === 0) return;
    this.#log(`\n Not checked: the limit of ${this.#minutes} minutes was reached before these tests`);
    this.#log(rows.sort().join('\n'));
  }
}

function rowOf(module: TestModule): string | undefined {
  const tests = [...module.children.allTests()];
  const late = tests.filter(isLate).length;
  return late === 0 ? undefined : `  ${late} of ${tests.length}  ${module.relativeModuleId}`;
}

function isLate(task: TestCase | TestSuite | TestModule): boolean {
  if (task.meta().afterTimeLimit) return true;
  return task.type !== 'module' && isLate(task.parent);
}
