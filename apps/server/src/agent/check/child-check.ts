import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { temporaryName } from '../../platform/jobs/folders.ts';
import type { Logger } from '../../platform/log.ts';
import { ChildError, type ChildLimits } from '../../platform/sandbox/child.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { isReadWhole } from '../workspace/contents.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type {
  CheckResult,
  DocsCheck,
  InspectAnswer,
  InspectQuestion,
  OperationAnswer,
  OperationQuestion,
} from './docs-check.ts';
import { createGate } from './gate.ts';
import { materialiseWorkspace } from './materialise.ts';
import {
  type CheckRequest,
  MAX_FINDINGS,
  readFindings,
  readInspected,
  readOperationAnswer,
} from './request.ts';

export type CheckLimits = Omit<ChildLimits, 'outputBytes'>;

export interface DocsCheckAdapters {
  sandbox: Sandbox;
  /** Folder of the work folders, one for each question; made when it is not there. */
  workDir: string;
  log: Logger;
  /**
   * Limits for a check of the whole docs, and for the code in all changes; default 120 s of CPU time and 1 GB. A check of
   * the docs has 30 ms of CPU time more for each file.
   */
  siteLimits?: CheckLimits;
  /**
   * Limits for a check of one page or operation; default 20 s of CPU time and 512 MB. An API description has 5 s of
   * CPU time more for each MB.
   */
  pageLimits?: CheckLimits;
}

const SITE_LIMITS: CheckLimits = { cpuMs: 120_000, wallMs: 600_000, memoryMb: 1024 };
/** Several times what a page needs on a slow machine. */
const CPU_MS_PER_FILE = 30;
const CPU_MS_PER_MB = 5_000;
const PAGE_LIMITS: CheckLimits = { cpuMs: 20_000, wallMs: 100_000, memoryMb: 512 };
/** Children at a time in this process, of either kind; more wait. */
const PARALLEL_SITES = 2;
const PARALLEL_PAGES = 4;

/**
 * A DocsCheck that runs every check in a separate sandbox child: the parser is native code and the content
 * hostile. A child without a result is started once more, unless it met a limit of its input; a second one is
 * `not_checked`. Only an abort throws, the reason of the signal.
 */
export function createDocsCheck(adapters: DocsCheckAdapters): DocsCheck {
  const { sandbox, workDir, log, siteLimits = SITE_LIMITS, pageLimits = PAGE_LIMITS } = adapters;
  const sites = createGate(PARALLEL_SITES);
  const pages = createGate(PARALLEL_PAGES);

  const ask = (
    request: CheckRequest,
    { limits, ...grant }: { source?: string; limits: CheckLimits; signal: AbortSignal },
  ): Promise<unknown> =>
    sandbox.run<CheckRequest>({
      program: 'check',
      input: request,
      limits: { ...limits, outputBytes: 0 },
      ...grant,
    });

  /** Runs the work in a folder of its own; a second time when the first has no result that says why. */
  const within = async <Result>(
    signal: AbortSignal,
    work: (folder: string) => Promise<Result>,
    failed: (reason: string) => Result,
    isRetry = false,
  ): Promise<Result> => {
    signal.throwIfAborted();
    const folder = join(workDir, temporaryName('check'));
    try {
      return await work(folder);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, isRetry }, 'a check of docs had no result');
      if (isRetry || (error instanceof ChildError && error.isLimit)) return failed(reasonOf(error));
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
        log.warn({ err: error }, 'the work folder of a check could not be removed'),
      );
    }
    return within(signal, work, failed, true);
  };

  const readPage = <Result>(
    request: CheckRequest,
    signal: AbortSignal,
    read: (answer: unknown) => Result,
    failed: (reason: string) => Result,
    limits: CheckLimits,
  ): Promise<Result> =>
    pages(signal, () => within(signal, async () => read(await ask(request, { limits, signal })), failed));

  return {
    check: (workspace: Workspace, signal: AbortSignal): Promise<CheckResult> =>
      sites(signal, () => {
        const unread = unreadFile(workspace);
        if (unread !== null) return Promise.resolve(notChecked(unread));
        return within(
          signal,
          async (folder) => {
            const source = join(folder, 'source');
            await makeFolder(source, 0o700);
            await materialiseWorkspace(workspace, source, signal);
            const limits = limitsFor(workspace.list().length, siteLimits);
            return checked(await ask({ kind: 'site' }, { source, limits, signal }));
          },
          notChecked,
        );
      }),

    parse: (path: string, text: string, signal: AbortSignal): Promise<CheckResult> =>
      readPage({ kind: 'page', path, text }, signal, checked, notChecked, pageLimits),

    describeOperation: (question: OperationQuestion, signal: AbortSignal): Promise<OperationAnswer> =>
      readPage(
        { kind: 'operation', ...question },
        signal,
        readOperationAnswer,
        (reason) => ({ fault: `${question.file} was not read: ${reason}` }),
        limitsForDescription(lengthOf(question), pageLimits),
      ),

    inspect: (question: InspectQuestion, signal: AbortSignal): Promise<InspectAnswer> =>
      readPage<InspectAnswer>(
        { kind: 'code', ...question },
        signal,
        (answer) => ({ status: 'inspected', ...readInspected(answer, question) }),
        (reason) => ({ status: 'not_inspected', reason }),
        siteLimits,
      ),
  };
}

/** The limits for docs of this number of files: the time of a check grows with them, so a fixed one leaves large sites unchecked. */
export function limitsFor(files: number, limits: CheckLimits): CheckLimits {
  return longer(limits, files * CPU_MS_PER_FILE);
}

/** The limits for an API description of this length, for the same reason. */
export function limitsForDescription(length: number, limits: CheckLimits): CheckLimits {
  return longer(limits, Math.round((length / 1e6) * CPU_MS_PER_MB));
}

/** Characters of a description and of the files that belong to it. */
function lengthOf({ text, files }: OperationQuestion): number {
  return Object.values(files).reduce((length, file) => length + file.length, text.length);
}

function longer(limits: CheckLimits, more: number): CheckLimits {
  const wallFactor = limits.wallMs / limits.cpuMs;
  return { ...limits, cpuMs: limits.cpuMs + more, wallMs: Math.round(limits.wallMs + more * wallFactor) };
}

/** Findings that were cut cannot be compared: what is missing would count as fixed, or as new. */
function checked(answer: unknown): CheckResult {
  const { findings, stopped } = readFindings(answer);
  if (findings.length > MAX_FINDINGS) return notChecked(`the docs have more than ${MAX_FINDINGS} findings.`);
  return { status: 'checked', findings, ...(stopped === null ? {} : { stopped }) };
}
const notChecked = (reason: string): CheckResult => ({ status: 'not_checked', reason });

/** A file that is too large for a workspace would count as an empty one, and hide what it holds. */
function unreadFile(workspace: Workspace): string | null {
  const file = workspace
    .list()
    .find(({ path, kind }) => kind === 'file' && isReadWhole(path) && workspace.readBytes(path) === null);
  if (file === undefined) return null;
  return `${file.path} has ${file.bytes} bytes and was not read: the files over 1 MB of the docs are too large for a job.`;
}

/** One sentence without anything of this machine. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ChildError)) return 'the check could not run.';
  switch (error.fault) {
    case 'cpu-limit':
    case 'memory-limit':
    case 'output-limit':
      return error.message.replace(/^The work/, 'the check');
    case 'wall-limit':
      return 'the server is busy, or the check hangs.';
    case 'killed':
      return 'the process of the check was stopped from outside.';
    default:
      return 'the process of the check ended without a result.';
  }
}
