import type { RunRecord } from './run.ts';

/** Results of all runs of one task or of all tasks. */
export interface Score {
  runs: number;
  passed: number;
  /** Wilson score interval (95 %) of the pass rate; 0 to 1. */
  low: number;
  high: number;
}

const Z = 1.96;

/** The Wilson score interval (95 %) of a rate, which is valid for few runs and for rates of 0 and 1. */
export function scoreOf(passed: number, runs: number): Score {
  if (runs === 0) return { runs, passed, low: 0, high: 1 };
  const share = passed / runs;
  const scale = 1 + Z ** 2 / runs;
  const middle = (share + Z ** 2 / (2 * runs)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / runs + Z ** 2 / (4 * runs ** 2));
  return { runs, passed, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** The final table: one row per task, the total, and the failed runs. */
export function tableOf(records: readonly RunRecord[]): string {
  const tasks = [...new Set(records.map(({ task }) => task))].sort((a, b) => a - b);
  const rows = [
    ['#', 'task', 'passed', 'collateral', 'new', 'steps', 'input tokens', 'output', 'cost', 'seconds'],
    ...tasks.map((task) => rowOf(records.filter((record) => record.task === task))),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 1 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  const all = scoreOf(records.filter(({ passed }) => passed).length, records.length);
  const costs = records.map(({ costUsd }) => costUsd);
  const cost = costs.some((value) => value === null)
    ? ''
    : `, ${costs.reduce((sum: number, value) => sum + (value ?? 0), 0).toFixed(2)} USD`;
  const summary = `${all.passed} of ${all.runs} runs passed: ${percent(all.passed / Math.max(1, all.runs))} (95 % interval ${percent(all.low)} to ${percent(all.high)})${cost}`;
  return [...lines, '', summary, ...failuresOf(records), ''].join('\n');
}

function rowOf(records: readonly RunRecord[]): string[] {
  const first = records[0];
  const mean = (pick: (record: RunRecord) => number): number =>
    records.reduce((sum, record) => sum + pick(record), 0) / records.length;
  const costs = records.map(({ costUsd }) => costUsd);
  return [
    String(first?.task ?? ''),
    first?.name ?? '',
    `${records.filter(({ passed }) => passed).length}/${records.length}`,
    `${Math.round(mean(({ collateralBytes }) => collateralBytes))} B`,
    mean(({ newFindings }) => newFindings).toFixed(1),
    mean(({ steps }) => steps).toFixed(1),
    String(Math.round(mean(({ inputTokens }) => inputTokens))),
    String(Math.round(mean(({ outputTokens }) => outputTokens))),
    costs.some((value) => value === null) ? '-' : mean(({ costUsd }) => costUsd ?? 0).toFixed(3),
    mean(({ seconds }) => seconds).toFixed(1),
  ];
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The first failed check of each run that did not pass. */
function failuresOf(records: readonly RunRecord[]): string[] {
  const failedRuns = records.filter(({ passed }) => !passed);
  if (failedRuns.length === 0) return [];
  return [
    '',
    'Not passed:',
    ...failedRuns.map(({ task, run, checks, failure }) => {
      const failed = checks.filter(({ problem }) => problem !== null);
      const first = failed[0] === undefined ? '' : `${failed[0].name}: ${failed[0].problem}`;
      const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : '';
      return `  ${task} run ${run}  ${failure === null ? '' : `${failure} `}${first}${more}`;
    }),
  ];
}
