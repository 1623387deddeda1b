/** The benchmark judges rightly: a faultless model passes every task, a careless one hardly any, near misses fail. */
import { checkSite, memorySource } from '@offprint/render';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildFixture, type Files } from '../../apps/cli/src/agent/bench/fixture/fixture.ts';
import { scoreOf, tableOf } from '../../apps/cli/src/agent/bench/report.ts';
import { judge, type RunRecord, runTask } from '../../apps/cli/src/agent/bench/run.ts';
import type { Attempt } from '../../apps/cli/src/agent/bench/task.ts';
import { TASKS } from '../../apps/cli/src/agent/bench/tasks/index.ts';
import { proseOf } from '../../apps/cli/src/agent/bench/text.ts';
import { CARELESS } from './bench/careless.ts';
import { ALTERNATIVES, MUTATIONS } from './bench/mutations.ts';
import { PERFECT } from './bench/perfect.ts';
import { quickCheck } from './bench/quick-check.ts';
import { type Script, scriptedModel } from './bench/scripted-model.ts';

interface Ran {
  record: RunRecord;
  attempt: Attempt;
}

const signal = new AbortController().signal;

/** Tasks whose docs are checked by sandbox children, as in production: each check costs a process. */
const SANDBOXED = new Set([3, 7, 18]);

async function runAll(
  scripts: Readonly<Record<number, () => Script>>,
  name: string,
): Promise<Map<number, Ran>> {
  const ran = new Map<number, Ran>();
  for (const task of TASKS) {
    const script = scripts[task.id];
    if (script === undefined) throw new Error(`no script for task ${task.id}`);
    const check = SANDBOXED.has(task.id) ? {} : { check: quickCheck };
    ran.set(task.id, await runTask({ task, run: 1, model: scriptedModel(script(), name), signal, ...check }));
  }
  return ran;
}

const lookAt = (files: Files) => checkSite(memorySource(Object.fromEntries(files))).findings;

let perfect: Map<number, Ran>;

beforeAll(async () => {
  perfect = await runAll(PERFECT, 'perfect');
});

describe('the docs of the benchmark', () => {
  test('are the same bytes each time, more than 120 pages, and without a finding', () => {
    const files = buildFixture();
    expect([...buildFixture()]).toEqual([...files]);
    expect([...files.keys()].filter((path) => path.endsWith('.mdx')).length).toBeGreaterThan(120);
    expect(lookAt(files)).toEqual([]);
  });

  test('have no two pages alike but for a few words', () => {
    const seen = new Map<string, string>();
    for (const [path, text] of buildFixture()) {
      if (typeof text !== 'string' || !path.endsWith('.mdx')) continue;
      const words = [...new Set(text.toLowerCase().match(/[a-zäöüß]{4,}/g))].sort().join(' ');
      expect(seen.get(words), path).toBeUndefined();
      seen.set(words, path);
    }
  });

  test('hold the traps that tasks rely on', () => {
    const files = buildFixture();
    const all = [...files.values()].filter((text) => typeof text === 'string').join('\n');
    const traps = ['“', '’', '—', '…', '\u00a0', '  \n', '\r\n'];
    expect(traps.filter((trap) => !all.includes(trap))).toEqual([]);
    expect(Buffer.byteLength(files.get('releases.mdx') as string)).toBeGreaterThan(160_000);
    const renamed = buildFixture({ term: 'courier' });
    const left = [...renamed].filter(
      ([path, text]) =>
        typeof text === 'string' &&
        path.endsWith('.mdx') &&
        !path.startsWith('de/') &&
        path !== 'releases.mdx' &&
        /\brelays?\b/i.test(proseOf(text)),
    );
    expect(left.map(([path]) => path)).toEqual(['cli/relay.mdx']);
  });
});

describe('a model that does everything right', () => {
  test.each(TASKS.map(({ id, name }) => [id, name] as const))('passes task %i: %s', (id) => {
    const { record } = perfect.get(id) as Ran;
    expect(record.checks.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(record).toMatchObject({ passed: true, outcome: 'finished', collateralBytes: 0, newFindings: 0 });
  });
});

test('a careless model passes no task', async () => {
  const ran = await runAll(CARELESS, 'careless');
  const passed = [...ran.values()].filter(({ record }) => record.passed).map(({ record }) => record.task);
  expect(passed).toEqual([]);
  expect([...ran.values()].some(({ record }) => record.collateralBytes > 0)).toBe(true);
});

describe('near misses of a right result', () => {
  const rows = TASKS.flatMap((task) =>
    (MUTATIONS[task.id] ?? []).map(
      (mutation) => [task.id, mutation.check, mutation.what, task, mutation] as const,
    ),
  );

  test.each(rows)('task %i, %s: %s', (id, check, _what, task, mutation) => {
    const { attempt } = perfect.get(id) as Ran;
    const mutated = mutation.change(attempt);
    const findings = mutation.look === true ? lookAt(mutated.end) : mutated.findings;
    const newFindings = mutation.look === true ? findings : mutated.newFindings;
    const { passed, checks } = judge(task, { ...mutated, findings, newFindings });
    expect(passed).toBe(false);
    expect(checks.find(({ name }) => name === check)?.problem, check).not.toBeNull();
  });

  test('fail when the changes could not be published', () => {
    for (const task of TASKS) {
      const { attempt } = perfect.get(task.id) as Ran;
      expect(judge(task, { ...attempt, blocked: ['`a.mdx`: holds a secret'] }).passed).toBe(false);
    }
  });

  test('fail every check of every task at least once', () => {
    const missed = TASKS.flatMap((task) => {
      const { record } = perfect.get(task.id) as Ran;
      const killed = new Set((MUTATIONS[task.id] ?? []).map(({ check }) => check));
      return record.checks
        .filter(({ name }) => name !== 'publishable' && !killed.has(name))
        .map(({ name }) => `${task.id} ${name}`);
    });
    expect(missed).toEqual([]);
  });
});

describe('other right results', () => {
  const rows = TASKS.flatMap((task) =>
    (ALTERNATIVES[task.id] ?? []).map(
      (alternative) => [task.id, alternative.what, task, alternative] as const,
    ),
  );

  test.each(rows)('task %i passes with %s', (id, _what, task, { change }) => {
    const { attempt } = perfect.get(id) as Ran;
    const changed = change(attempt);
    expect(lookAt(changed.end)).toEqual(lookAt(attempt.end));
    expect(judge(task, changed).checks.filter(({ problem }) => problem !== null)).toEqual([]);
  });
});

describe('the report', () => {
  test('counts bytes of lines that the task does not allow', () => {
    const task = TASKS.find(({ id }) => id === 12);
    const { attempt } = perfect.get(12) as Ran;
    if (task === undefined) throw new Error('no task 12');
    const end = new Map(attempt.end).set('index.mdx', `${attempt.end.get('index.mdx')}1234567\n`);
    expect(judge(task, { ...attempt, end }).collateralBytes).toBe(8);
  });

  test('gives the interval of Wilson', () => {
    const round = (value: number): number => Math.round(value * 1000) / 1000;
    const bounds = (passed: number, runs: number): number[] => {
      const { low, high } = scoreOf(passed, runs);
      return [round(low), round(high)];
    };
    // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20.
    expect(bounds(81, 263)).toEqual([0.255, 0.366]);
    expect(bounds(15, 148)).toEqual([0.062, 0.16]);
    expect(bounds(0, 20)).toEqual([0, 0.161]);
  });

  test('has a row per task, a total, and the first error of each failed run', () => {
    const { record } = perfect.get(12) as Ran;
    const failed: RunRecord = {
      ...record,
      run: 2,
      passed: false,
      checks: [{ name: 'staging', problem: 'staging changed' }],
    };
    const table = tableOf([record, failed]);
    expect(table).toMatch(/^12 {2}Edit the correct one of two equal texts +1\/2 /m);
    expect(table).toContain('1 of 2 runs passed: 50 % (95 % interval 9 % to 91 %)');
    expect(table).toContain('12 run 2  staging: staging changed');
  });
});
