import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../platform/log.ts';
import { ChildError } from '../../platform/sandbox/child.ts';
import { runChild } from '../../platform/sandbox/run-child.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { DocsCheck, Finding, OperationAnswer, OperationQuestion } from './docs-check.ts';
import { createGate } from './gate.ts';
import { materialiseWorkspace } from './materialise.ts';
import { type CheckRequest, readFindings, readOperationAnswer } from './request.ts';

export interface CheckLimits {
  wallMs: number;
  memoryMb: number;
}

export interface DocsCheckAdapters {
  /** Folder of the work folders, one for each question; made when it is not there. */
  workDir: string;
  log: Logger;
  /** What a look at the whole docs may take; default 110 s and 1 GB. */
  siteLimits?: CheckLimits;
  /** What a look at one page or operation may take; default 20 s and 512 MB. */
  pageLimits?: CheckLimits;
}

/** Less than the time of a call that asks, so that it gets the answer. */
const SITE_LIMITS: CheckLimits = { wallMs: 110_000, memoryMb: 1024 };
const PAGE_LIMITS: CheckLimits = { wallMs: 20_000, memoryMb: 512 };
/** Children at a time in this process, of either kind; more wait. */
const PARALLEL_SITES = 2;
const PARALLEL_PAGES = 4;

const CHILD = fileURLToPath(new URL('./check-child.ts', import.meta.url));

/**
 * A DocsCheck whose every question is answered by a sandbox child of its own: the parser is native code and the
 * content hostile. A child that dies or takes too long is a finding `check-failed`; only an abort throws, the reason
 * of the signal.
 */
export function createDocsCheck(adapters: DocsCheckAdapters): DocsCheck {
  const { workDir, log, siteLimits = SITE_LIMITS, pageLimits = PAGE_LIMITS } = adapters;
  const sites = createGate(PARALLEL_SITES);
  const pages = createGate(PARALLEL_PAGES);

  const ask = async (
    request: CheckRequest,
    grant: { folder: string; readable: string[]; limits: CheckLimits; signal: AbortSignal },
  ): Promise<unknown> => {
    const writable = join(grant.folder, 'output');
    await mkdir(writable, { recursive: true, mode: 0o700 });
    return runChild<CheckRequest, never, unknown>({
      module: CHILD,
      input: request,
      readable: grant.readable,
      writable,
      limits: { ...grant.limits, outputBytes: 0 },
      signal: grant.signal,
      onMessage: () => undefined,
    });
  };

  /** Runs the work in a folder of its own. What fails is told as `failed`, but for an abort. */
  const within = async <Result>(
    signal: AbortSignal,
    work: (folder: string) => Promise<Result>,
    failed: (reason: string) => Result,
  ): Promise<Result> => {
    signal.throwIfAborted();
    const folder = join(workDir, `check-${randomBytes(8).toString('hex')}`);
    try {
      return await work(folder);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error }, 'a check of docs had no result');
      return failed(reasonOf(error));
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
        log.warn({ err: error }, 'the work folder of a check could not be removed'),
      );
    }
  };

  const lookAt = <Result>(
    request: CheckRequest,
    signal: AbortSignal,
    read: (answer: unknown) => Result,
    failed: (reason: string) => Result,
  ): Promise<Result> =>
    pages(signal, () =>
      within(
        signal,
        async (folder) => read(await ask(request, { folder, readable: [], limits: pageLimits, signal })),
        failed,
      ),
    );

  return {
    check: (workspace: Workspace, signal: AbortSignal): Promise<Finding[]> =>
      sites(signal, () =>
        within(
          signal,
          async (folder) => {
            const source = join(folder, 'source');
            await mkdir(source, { recursive: true, mode: 0o700 });
            await materialiseWorkspace(workspace, source, signal);
            const request: CheckRequest = { kind: 'site', folder: source };
            return readFindings(
              await ask(request, { folder, readable: [source], limits: siteLimits, signal }),
            );
          },
          (reason) => [failure('.', `The docs could not be checked: ${reason}`)],
        ),
      ),

    parse: (path: string, text: string, signal: AbortSignal): Promise<Finding[]> =>
      lookAt({ kind: 'page', path, text }, signal, readFindings, (reason) => [
        failure(path, `The file could not be checked: ${reason} Write it in a simpler way.`),
      ]),

    describeOperation: (question: OperationQuestion, signal: AbortSignal): Promise<OperationAnswer> =>
      lookAt({ kind: 'operation', ...question }, signal, readOperationAnswer, (reason) => ({
        fault: `${question.file} could not be read: ${reason}`,
      })),
  };
}

const failure = (file: string, message: string): Finding => ({
  file,
  line: null,
  code: 'check-failed',
  message,
  severity: 'error',
});

/** One sentence without anything of this machine. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ChildError)) return 'the check could not run.';
  switch (error.fault) {
    case 'timeout':
      return 'it took too long.';
    case 'memory':
      return 'it took too much memory.';
    default:
      return 'the renderer ended without a result.';
  }
}
