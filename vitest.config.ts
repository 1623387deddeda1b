import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Each test file has a process of its own, and these start others: they compile Vitest and what is installed but once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('./node_modules/.cache/offprint-tests', import.meta.url),
);

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/.offprint/**'],
    pool: 'forks',
    // Half of the suite waits for other processes, so two cores carry more than one file.
    maxWorkers: 2,
    globalSetup: ['test/support/postgres-setup.ts'],
    setupFiles: ['test/support/priority.ts'],
    // They only end what hangs: a busy machine may take many times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    // A retry would hide the kind of fault this suite exists to find.
    retry: 0,
    reporters: ['default'],
  },
});
