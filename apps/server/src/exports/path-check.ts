import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryName } from '../platform/jobs/folders.ts';
import type { Logger } from '../platform/log.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import { type SnapshotAdapters, snapshotProject } from '../projects/service.ts';
import type { PathInput } from './path-child.ts';

export interface PathQuestion {
  project: { organizationId: string; id: string };
  /** Another branch, tag or commit than the published one. */
  ref: string | null;
  paths: readonly string[];
  groups: readonly string[];
  signal: AbortSignal;
}

/**
 * Position of the first path that is not a page of the project's docs as they are now; null if all are pages,
 * and if the check has no result: the source cannot be read, a limit is met, too many checks run. Never
 * throws.
 */
export type FindUnknownPath = (question: PathQuestion) => Promise<number | null>;

export interface PathCheckAdapters {
  snapshot: SnapshotAdapters;
  sandbox: Sandbox;
  /** Folder of the work folders, one for each check. */
  workDir: string;
  log: Logger;
  /** Whether exports may fetch what a site names on other hosts; default no. */
  canFetch?: boolean;
  /** What all of a check may take, for a client is waiting. Default 20 s. */
  wallMs?: number;
}

const WALL_MS = 20_000;
const CPU_MS = 20_000;
const MEMORY_MB = 512;
/** A client waits: without a slot by then, nothing is checked. */
const SLOT_WAIT_MS = 5_000;
/** Checks at a time in this process. */
const PARALLEL = 2;

export function createPathCheck({
  snapshot,
  sandbox,
  workDir,
  log,
  canFetch = false,
  wallMs = WALL_MS,
}: PathCheckAdapters): FindUnknownPath {
  let running = 0;

  async function ask({ project, ref, paths, groups, signal }: PathQuestion, folder: string) {
    const { root } = await snapshotProject(snapshot, project, { ref, into: folder, signal });
    const answer = await sandbox.run<PathInput>({
      program: 'paths',
      input: { paths, groups, canFetch },
      source: root,
      limits: { cpuMs: CPU_MS, wallMs, memoryMb: MEMORY_MB, outputBytes: 0 },
      waitMs: SLOT_WAIT_MS,
      signal,
    });
    // It comes from a process that has read hostile content.
    return typeof answer === 'number' && Object.hasOwn(paths, answer) ? answer : null;
  }

  return async (question) => {
    if (running >= PARALLEL) return null;
    running += 1;
    const folder = join(workDir, temporaryName('paths'));
    const signal = AbortSignal.any([question.signal, AbortSignal.timeout(wallMs)]);
    try {
      return await ask({ ...question, signal }, folder);
    } catch (error) {
      log.info(
        { err: error, projectId: question.project.id },
        'paths were not checked; the export will tell',
      );
      return null;
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
        log.warn({ err: error }, 'the work folder of a check could not be removed'),
      );
      running -= 1;
    }
  };
}
