import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SlowestFiles } from './test/support/slowest-files.ts';

// Tests start many processes, which compile Vitest and what is installed only once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('./node_modules/.cache/offprint-tests', import.meta.url),
);

const IGNORED = ['**/node_modules/**', '**/.offprint/**'];
/** How many times as long as on an idle machine everything takes: a busy machine is no fault of a test. */
const busy = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
/** Ends a test that hangs. On a machine with a quarter of the usual speed some tests need more than 300 s. */
const HANG_MS = 900_000;
const SLOW = '**/*.slow.test.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    // Half of the suite waits for other processes, so two cores carry more than two files.
    maxWorkers: 3,
    globalSetup: ['test/support/postgres-setup.ts', 'test/support/browser-setup.ts'],
    setupFiles: ['test/support/stop-with-run.ts', 'test/support/priority.ts', 'test/support/cpu-time.ts'],
    teardownTimeout: 120_000,
    // A retry would hide the kind of fault this suite exists to find.
    retry: 0,
    reporters: ['default', new SlowestFiles()],
    // The name of a file decides its project; nothing else does. `npm test` leaves the project `slow` out.
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/**/*.test.ts', 'apps/**/*.test.ts'],
          exclude: [...IGNORED, SLOW],
          isolate: false,
          testTimeout: 10_000 * busy,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 8_000 * busy } },
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
