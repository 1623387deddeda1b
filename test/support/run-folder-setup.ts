/** Global setup of Vitest: a folder for what several test files need and only one has to make. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Removed after the run. */
    runFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'offprint-run-'));
  project.provide('runFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
