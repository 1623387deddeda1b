import { ForgeError } from '../platform/forge/port.ts';
import { GitError } from '../platform/git/error.ts';
import type { Failure } from '../platform/jobs/jobs.ts';
import { outageOfWork } from '../platform/outage.ts';
import { PublishError } from './publish/publish.ts';
import type { FailureCode } from './record.ts';

export interface JobFailure extends Failure {
  code: FailureCode;
}

const FAILURE_OF_GIT: Readonly<Record<GitError['code'], FailureCode>> = {
  invalid: 'repo_unreachable',
  'host-refused': 'repo_unreachable',
  'not-found': 'repo_unreachable',
  'ref-not-found': 'repo_unreachable',
  'folder-not-found': 'repo_unreachable',
  auth: 'repo_auth',
  'too-large': 'repo_too_large',
  timeout: 'repo_unreachable',
  unreachable: 'repo_unreachable',
  refused: 'push_rejected',
};

/** An error that ends a job with a specific name. */
export class JobError extends Error {
  override name = 'JobError';
  readonly code: FailureCode;
  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Sorts what an attempt threw into errors that a person can fix and internal errors. */
export function failureOf(error: unknown): Failure {
  if (error instanceof JobError) return { code: error.code, message: error.message, retryable: false };
  if (error instanceof PublishError) {
    return {
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      ...(error.retryAfterMs === null ? {} : { retryAfterMs: error.retryAfterMs }),
    };
  }
  if (error instanceof GitError) {
    return {
      code: FAILURE_OF_GIT[error.code],
      message: error.message,
      retryable: error.retryable,
    };
  }
  if (error instanceof ForgeError) {
    return {
      code: error.fault === 'auth' ? 'repo_auth' : 'pr_rejected',
      message: error.message,
      retryable: error.retryable,
      ...(error.retryAfterMs === null ? {} : { retryAfterMs: error.retryAfterMs }),
    };
  }
  const reason = outageOfWork(error)?.message ?? 'The job failed because of an internal error.';
  return { code: 'internal', message: reason, retryable: true };
}
