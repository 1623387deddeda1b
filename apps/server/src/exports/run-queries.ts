import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '@offprint/bundle/make-folder';
import { searchDirectories } from '@offprint/render';
import { temporaryName } from '../platform/jobs/folders.ts';
import type { Logger } from '../platform/log.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { QueryResults } from './change-report.ts';
import type { QueryInput } from './query-child.ts';
import type { StoredArtifact } from './stored-artifact.ts';

/**
 * Pages that the search of each artifact finds for each query. Without results if they cannot be had: too many runs, an
 * index that is too large or damaged. Never throws for these.
 */
export type RunQueries = (
  artifacts: readonly StoredArtifact[],
  queries: readonly string[],
) => Promise<readonly QueryResults[]>;

/** Bytes of the index of one export. */
const MAX_INDEX = 200 * 1024 * 1024;
const MAX_PAGES = 50;
const MAX_PATH = 2_000;
const LIMITS = { cpuMs: 20_000, wallMs: 30_000, memoryMb: 512, outputBytes: 0 };
const SLOT_WAIT_MS = 10_000;
/** Runs at a time in this process. */
const PARALLEL = 2;

export function createQueryRuns(adapters: {
  sandbox: Sandbox;
  /** Folder of the work folders, one for each run. */
  workDir: string;
  log: Logger;
}): RunQueries {
  const { sandbox, workDir, log } = adapters;
  let running = 0;
  return async (artifacts, queries) => {
    if (queries.length === 0 || running >= PARALLEL) return [];
    running += 1;
    const folder = join(workDir, temporaryName('queries'));
    try {
      await makeFolder(folder, 0o700);
      for (const [number, artifact] of artifacts.entries())
        await writeIndex(artifact, join(folder, String(number)));
      const sides = artifacts.map(({ manifest }) =>
        searchDirectories(manifest.files.map(({ path }) => path)),
      );
      const answer = await sandbox.run<QueryInput>({
        program: 'queries',
        input: { queries, sides },
        source: folder,
        limits: LIMITS,
        waitMs: SLOT_WAIT_MS,
        signal: AbortSignal.timeout(LIMITS.wallMs),
      });
      return readAnswer(answer);
    } catch (error) {
      log.warn({ err: error }, 'test queries were not run');
      return [];
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      running -= 1;
    }
  };
}

async function writeIndex({ manifest, read }: StoredArtifact, folder: string): Promise<void> {
  const files = manifest.files.filter(({ path }) => /^_offprint\/search(?:\/|\.|\.js$)/.test(path));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_INDEX) throw new Error(`the search index has ${bytes} bytes`);
  for (const file of files) {
    const target = join(folder, file.path);
    await makeFolder(dirname(target));
    await pipeline(Readable.from(file.size === 0 ? [] : read(file)), createWriteStream(target));
  }
}

/** Checks the form: it comes from a process that has read hostile content. */
function readAnswer(answer: unknown): QueryResults[] {
  const list = (value: unknown): unknown[] => {
    if (!Array.isArray(value)) throw new TypeError('the child returned an invalid result');
    return value;
  };
  return list(answer).map((results) =>
    list(results).map((pages) =>
      list(pages)
        .slice(0, MAX_PAGES)
        .map((page) => String(page).slice(0, MAX_PATH)),
    ),
  );
}
