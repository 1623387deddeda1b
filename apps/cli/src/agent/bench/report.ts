import type { RunRecord } from './run.ts';

/** What all runs of one task, or of all, come to. */
export interface Score {
  runs: number;
  passed: number;
  /** 95 % interval of the share that pass, by Wilson; 0 to 1. */
  low: number;
  high: number;
}

const Z = 1.96;

/** The 95 % interval of Wilson for a share: right for few runs, and for none or all passed. */
export function scoreOf(passed: number, runs: number): Score {
  if (runs === 0) return { runs, passed, low: 0, high: 1 };
  const share = passed / runs;
  const scale = 1 + Z ** 2 / runs;
  const middle = (share + Z ** 2 / (2 * runs)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / runs + Z ** 2 / (4 * runs ** 2));
  return { runs, passed, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** The table at the end: a row a task, then the sum, then what failed. */
export function tableOf(records: readonly RunRecord[]): string {
  const tasks = [...new Set(records.map(({ task }) => task))].sort((a, b) => a - b);
  const rows = [
    ['#', 'task', 'passed', 'collateral', 'new', 'steps', 'tokens in', 'out', 'cost', 'seconds'],
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
  return [...lines, '', summary, ...faultsOf(records), ''].join('\n');
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

/** The first fault of each run that did not pass. */
function faultsOf(records: readonly RunRecord[]): string[] {
  const failed = records.filter(({ passed }) => !passed);
  if (failed.length === 0) return [];
  return [
    '',
    'Not passed:',
    ...failed.map(({ task, run, checks, failure }) => {
      const faults = checks.filter(({ fault }) => fault !== null);
      const first = faults[0] === undefined ? '' : `${faults[0].name}: ${faults[0].fault}`;
      const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
      return `  ${task} run ${run}  ${failure === null ? '' : `${failure} `}${first}${more}`;
    }),
  ];
}
