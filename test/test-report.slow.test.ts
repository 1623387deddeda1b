/** The last lines of a test run, which people and the pipeline read. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const DURATIONS = join(root, 'test/support/durations.json');
const VITEST = join(root, 'node_modules/vitest/vitest.mjs');
const IMPORT = `import { beforeAll, describe, expect, test } from 'vitest';\n`;

let folder: string;

beforeEach(() => {
  // Below the project, so that the files find Vitest.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'test-report-'));
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import { SlowestFiles } from ${JSON.stringify(join(root, 'test/support/slowest-files.ts'))};
     import { LongestFirst } from ${JSON.stringify(join(root, 'test/support/longest-first.ts'))};
     import { TimeLimit } from ${JSON.stringify(join(root, 'test/support/time-limit.ts'))};
     export default { test: {
       include: ['**/*.test.ts'], exclude: [], maxWorkers: 1, sequence: { sequencer: LongestFirst }, reporters: [new TimeLimit(), new SlowestFiles()],
       runner: ${JSON.stringify(join(root, 'test/support/time-limit.ts'))},
       setupFiles: [${JSON.stringify(join(root, 'test/support/cpu-time.ts'))}],
     } };`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(
  files: Record<string, string>,
  settings: Record<string, string> = {},
): { code: number | null; lines: string[] } {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), IMPORT + text);
  }
  const { status, stdout } = spawnSync(process.execPath, [VITEST, 'run', '--root', folder], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NO_COLOR: '1',
      ...settings,
    },
  });
  return { code: status, lines: stdout.trimEnd().split('\n') };
}

const PASSES = `test('passes', () => {});`;

test('lists the slowest files with their CPU time and ends with the number of tests', () => {
  const { code, lines } = run({
    'quick.test.ts': PASSES,
    'slow.test.ts': `test('computes', () => { const end = performance.now() + 500; while (performance.now() < end); });
      test.skip('is skipped', () => {});`,
  });
  const at = lines.findIndex((line) => line.includes('Slowest 2 of 2 files')) + 2;
  const rows = lines.slice(at, at + 2).map((line) => /^ +([\d.]+) s +[\d.]+ s {2}(\S+)$/.exec(line));
  expect(rows.map((row) => row?.[2]).sort()).toEqual(['quick.test.ts', 'slow.test.ts']);
  expect(Number(rows[0]?.[1])).toBeGreaterThanOrEqual(Number(rows[1]?.[1]));
  expect(lines.at(-1)).toBe('2 passed, 0 failed, 1 skipped');
  expect(code).toBe(0);
});

test.each([
  ['a test', `test('fails', () => expect(1).toBe(2));`],
  ['the import of a file', `import './missing.ts';`],
  [
    'a hook',
    `describe('group', () => { beforeAll(() => { throw new Error('no'); }); test('never runs', () => {}); });`,
  ],
  ['a promise that nobody awaits', `test('passes', () => { void Promise.reject(new Error('lost')); });`],
])('never reports zero failures when %s fails', (_what, text) => {
  const { code, lines } = run({ 'good.test.ts': PASSES, 'bad.test.ts': text });
  expect(lines.at(-1)).toMatch(/^[12] passed, 1 failed, [01] skipped$/);
  expect(code).toBe(1);
});

test('starts files that are known to take long before others, and larger ones before smaller ones', () => {
  const [longest] = Object.keys(JSON.parse(readFileSync(DURATIONS, 'utf8')));
  if (longest === undefined) throw new Error(`${DURATIONS} names no file`);
  const order = join(folder, 'order.txt');
  const noted = `import { appendFileSync } from 'node:fs';
    test('passes', () => appendFileSync(${JSON.stringify(order)}, expect.getState().testPath + '\\n'));`;
  const { code } = run({
    'a.test.ts': noted,
    'large.test.ts': `${noted}\n// ${'.'.repeat(2_000)}`,
    [longest]: noted,
  });
  expect(code).toBe(0);
  const names = readFileSync(order, 'utf8').trim().split('\n');
  expect(names).toEqual([longest, 'large.test.ts', 'a.test.ts'].map((name) => join(folder, name)));
});

test('writes the seconds of long files for later runs', () => {
  const file = join(folder, 'durations.json');
  run({ 'quick.test.ts': PASSES }, { OFFPRINT_TEST_DURATIONS: file });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({});
});

test('a time limit starts no further test, and lists what was not checked', () => {
  const { code, lines } = run(
    {
      'a.test.ts': `test('waits past the limit', { timeout: 60_000 }, () => {
          const left = Number(process.env.OFFPRINT_TEST_DEADLINE) - Date.now();
          return new Promise((resolve) => setTimeout(resolve, left + 50)); });
        test('comes too late', () => { throw new Error('ran'); });
        test.skip('is skipped', () => {});`,
      'b.test.ts': `describe('group', () => { beforeAll(() => { throw new Error('ran'); });
        test('one', () => {}); test('two', () => {}); });`,
    },
    // Files of the same size run in any order: the one that waits is the larger.
    { OFFPRINT_TEST_MINUTES: '0.2' },
  );
  const at = lines.findIndex((line) => line.includes('Not checked: the limit of 0.2 minutes was reached'));
  expect(lines.slice(at + 1, at + 3)).toEqual(['  1 of 3  a.test.ts', '  2 of 2  b.test.ts']);
  expect(lines.at(-1)).toBe('1 passed, 0 failed, 4 skipped');
  expect(code).toBe(0);
});
