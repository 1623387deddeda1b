import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { SlowestFiles } from './test/support/slowest-files.ts';
import { TimeLimit } from './test/support/time-limit.ts';

// Tests start many processes, which compile Vitest and what is installed only once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('./node_modules/.cache/offprint-tests', import.meta.url),
);

const IGNORED = ['**/node_modules/**', '**/.offprint/**'];
/** Ends a test that hangs. On a machine with a quarter of the usual speed some tests need more than 300 s. */
const HANG_MS = 900_000;
const SLOW = '**/*.slow.test.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    // Half of the suite waits for other processes, so two cores carry more than two files.
    maxWorkers: 3,
    globalSetup: [
      'test/support/run-folder-setup.ts',
      'test/support/postgres-setup.ts',
      'test/support/browser-setup.ts',
    ],
    setupFiles: ['test/support/stop-with-run.ts', 'test/support/priority.ts', 'test/support/cpu-time.ts'],
    teardownTimeout: 120_000,
    // A retry would hide the kind of fault this suite exists to find.
    retry: 0,
    sequence: { sequencer: LongestFirst },
    runner: 'test/support/time-limit.ts',
    reporters: ['default', new TimeLimit(), new SlowestFiles()],
    // The name of a file decides its project; nothing else does. `npm test` leaves the project `slow` out.
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/**/*.test.ts', 'apps/**/*.test.ts'],
          exclude: [...IGNORED, SLOW],
          isolate: false,
          // Only ends a test that hangs: a test of this project takes milliseconds, and on a slow machine a few seconds.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'acceptance',
          include: ['test/**/*.test.ts'],
          exclude: [...IGNORED, SLOW],
          testTimeout: HANG_MS,
          hookTimeout: HANG_MS,
          expect: { poll: { timeout: 240_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          // After the fast tests, so that a run with a time limit has checked those.
          sequence: { groupOrder: 1 },
          include: [SLOW],
          exclude: IGNORED,
          testTimeout: HANG_MS,
          hookTimeout: HANG_MS,
          expect: { poll: { timeout: 240_000 } },
        },
      },
    ],
  },
});
