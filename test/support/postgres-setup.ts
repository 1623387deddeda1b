import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { guardSocket, layoutOf } from '../../apps/server/src/platform/db/embedded/layout.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Data folder of the PostgreSQL that all tests of this run share; started by the first that needs it. */
    postgresDataDir: string | undefined;
  }
}

/** Vitest's global set-up: one folder for the run, removed after it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'offprint-test-'));
  project.provide('postgresDataDir', dataDir);
  return async () => {
    // The server ends by itself soon after the last test process.
    const { root, data } = layoutOf(dataDir);
    // The socket is removed when the shutdown starts, the lock file when it ends: until then files are written.
    const signs = [guardSocket(join(root, 'run')), join(data, 'postmaster.pid')];
    for (let wait = 0; wait < 600 && signs.some(existsSync); wait++) await sleep(100);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
  };
}
