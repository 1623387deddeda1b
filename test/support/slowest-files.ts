/**
 * Prints the slowest files of a run and, as its last line, how many tests passed, failed and were skipped.
 * `OFFPRINT_TEST_DURATIONS` names a file for the seconds of the long ones, by which a later run orders its files.
 */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

const LISTED = 20;
/** Files that take less than this go in any order. */
const LONG_SECONDS = 20;

export class SlowestFiles implements Reporter {
  #log: (text: string) => void = console.log;

  onInit(vitest: Vitest): void {
    this.#log = (text) => vitest.logger.log(text);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    if (modules.length > 1) this.#log(slowestFiles(modules));
    const { OFFPRINT_TEST_DURATIONS: file } = process.env;
    if (file !== undefined) writeFileSync(file, durationsOf(modules));
    this.#log(closingLine(modules, unhandledErrors.length));
  }
}

function durationsOf(modules: readonly TestModule[]): string {
  const long = modules
    .map((module) => [module.relativeModuleId, Math.round(elapsedSeconds(module))] as const)
    .filter(([, elapsed]) => elapsed >= LONG_SECONDS)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`;
}

function slowestFiles(modules: readonly TestModule[]): string {
  const rows = modules
    .map((module) => ({
      path: module.relativeModuleId,
      elapsed: elapsedSeconds(module),
      cpu: module.meta().cpuSeconds,
    }))
    .sort((a, b) => b.elapsed - a.elapsed)
    .slice(0, LISTED)
    .map(({ path, elapsed, cpu }) => `${seconds(elapsed)} ${seconds(cpu)}  ${path}`);
  return ['', ` Slowest ${rows.length} of ${modules.length} files`, ' elapsed     CPU', ...rows, ''].join(
    '\n',
  );
}

function elapsedSeconds(module: TestModule): number {
  const { duration, setupDuration, collectDuration } = module.diagnostic();
  return (duration + setupDuration + collectDuration) / 1_000;
}

function seconds(value: number | undefined): string {
  return (value === undefined ? '-' : `${value.toFixed(1)} s`).padStart(8);
}

function closingLine(modules: readonly TestModule[], unhandledErrors: number): string {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const count = (state: 'passed' | 'failed') => tests.filter((test) => test.result().state === state).length;
  // A file that cannot be loaded and a hook that fails have no failed test, which must not read as success.
  const groups = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  const broken = groups.filter((group) => group.errors().length > 0).length;
  const failed = count('failed') + broken + unhandledErrors;
  // Tests of a group that was skipped have no result of their own.
  const skipped = tests.length - count('passed') - count('failed');
  return `${count('passed')} passed, ${failed} failed, ${skipped} skipped`;
}
