import { ForgeError } from '../../platform/forge/port.ts';
import { GitError } from '../../platform/git/error.ts';
import type { FailureCode } from '../record.ts';
import { PublishError } from './request.ts';

/**
 * Maps an error of Git or of the forge to its meaning for the job that publishes; anything else is passed on
 * unchanged.
 */
export function publishFault(error: unknown): unknown {
  if (error instanceof GitError) {
    return new PublishError(codeOf(error), error.message, { retryable: error.retryable, cause: error });
  }
  if (error instanceof ForgeError) {
    // A branch that was pushed a moment ago is not known to every part of a forge at once.
    const retryable = error.retryable || error.fault === 'branch-missing';
    const code = error.fault === 'auth' ? 'repo_auth' : 'pr_rejected';
    return new PublishError(code, error.message, {
      retryable,
      retryAfterMs: error.retryAfterMs,
      cause: error,
    });
  }
  return error;
}

function codeOf({ code }: GitError): FailureCode {
  if (code === 'auth') return 'repo_auth';
  if (code === 'refused') return 'push_rejected';
  return code === 'too-large' ? 'repo_too_large' : 'repo_unreachable';
}
