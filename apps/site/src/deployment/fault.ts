import { BundleError, manifestPath } from '@offprint/bundle';
import { DeploymentError } from '../error.ts';

/** Any error as one that can be told; `dir` is the volume. */
export function faultOf(error: unknown, dir: string): DeploymentError {
  if (error instanceof DeploymentError) return error;
  if (error instanceof BundleError) return bundleFault(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new DeploymentError('disk_full', `The volume at ${dir} is full.`, { cause: error });
  }
  if (syscall !== undefined) {
    const way = code === 'EROFS' || code === 'EACCES' || code === 'EPERM' ? ' Make it writable.' : '';
    return new DeploymentError(
      'volume_failed',
      `The volume at ${dir} cannot be read or written (${code}).${way}`,
      { cause: error },
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  return new DeploymentError('volume_failed', `The release could not be made: ${message}`, { cause: error });
}

/** What helps where a bundle is refused, with a space before it. */
function wayOut({ code, path }: BundleError): string {
  if (code === 'gzip_invalid') return ' Check that link or path lead to a bundle, or generate it again.';
  if (code !== 'too_large') return ' Generate the bundle again.';
  return path === manifestPath
    ? ' A manifest may have a 48th of the memory of the container: give it more, or take files out of the site.'
    : '';
}

function bundleFault(error: BundleError): DeploymentError {
  if (error.code === 'no_space') return new DeploymentError('disk_full', error.message, { cause: error });
  if (error.code === 'digest_mismatch' && error.path === null)
    return new DeploymentError('sha256_mismatch', error.message, { cause: error });
  const code = error.code === 'too_large' ? 'bundle_too_large' : 'bundle_refused';
  return new DeploymentError(code, `The bundle is refused: ${error.message}${wayOut(error)}`, {
    cause: error,
  });
}

/** Faults of a bundle itself: the same one again would be refused again. */
export function isRefusal({ code }: DeploymentError): boolean {
  return refusals.has(code);
}

const refusals = new Set<string>([
  'bundle_refused',
  'bundle_too_large',
  'sha256_mismatch',
  'version_mismatch',
  'domain_mismatch',
  'serving_failed',
]);
