import type { Warning } from '@offprint/render';
import type { Failure } from '../platform/jobs/jobs.ts';
import { outageOfWork } from '../platform/outage.ts';
import { ChildError, type ChildFault } from '../platform/sandbox/child.ts';
import { SnapshotError } from '../projects/service.ts';

/** The renderer refused the source: the error names file and line. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  readonly code: string;
  constructor(fault: Warning) {
    super(`${fault.file}${fault.line === null ? '' : `:${fault.line}`}: ${fault.message}`);
    this.code = fault.code.replaceAll('-', '_');
  }
}

/** Limits that the same source meets again. */
const limits: Partial<Record<ChildFault, { code: string; advice: string }>> = {
  'cpu-limit': {
    code: 'cpu_limit',
    advice:
      'Export fewer pages with paths, or ask the operator for more CPU time (OFFPRINT_EXPORT_CPU_SECONDS).',
  },
  'step-limit': {
    code: 'page_cpu_limit',
    advice: 'Other pages are not affected: make this one smaller, or exclude it with .mintignore.',
  },
  'memory-limit': {
    code: 'out_of_memory',
    advice: 'Look for a very large page, or ask the operator for more memory.',
  },
  'output-limit': {
    code: 'output_too_large',
    advice: 'Remove large files, or ask the operator for a higher limit.',
  },
};

/** Sorts what an attempt threw into errors of the source, which fail at once, and internal errors. */
export function failureOf(error: unknown): Failure {
  if (error instanceof RefusedError) return { code: error.code, message: error.message, retryable: false };
  if (error instanceof SnapshotError) {
    return { code: error.code, message: error.message, retryable: error.retryable };
  }
  if (error instanceof ChildError && error.fault === 'wall-limit') {
    const advice =
      'Start a new export when the server has less to do. If it happens again, ask the operator.';
    return { code: 'timeout', message: `${error.message} ${advice}`, retryable: false };
  }
  const limit = error instanceof ChildError ? limits[error.fault] : undefined;
  if (limit !== undefined) {
    return {
      code: limit.code,
      message: `${(error as ChildError).message} ${limit.advice}`,
      retryable: false,
    };
  }
  const outage = outageOfWork(error);
  if (outage !== null) return { ...outage, retryable: true };
  return {
    code: 'internal',
    message: 'The export failed because of an internal server error.',
    retryable: true,
  };
}
