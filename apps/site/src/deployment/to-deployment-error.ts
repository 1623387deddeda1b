import { BundleError, type BundleLimits, bundleLimits, manifestPath } from '@offprint/bundle';
import { DeploymentError } from '../error.ts';

/**
 * Converts any error to a DeploymentError that can be reported. `dir` is the volume, `limits` are the limits
 * of its bundles.
 */
export function toDeploymentError(
  error: unknown,
  dir: string,
  limits: Partial<BundleLimits>,
): DeploymentError {
  if (error instanceof DeploymentError) return error;
  if (error instanceof BundleError) return bundleFault(error, limits);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new DeploymentError('disk_full', `The volume at ${dir} is full. Free space or enlarge it.`, {
      cause: error,
    });
  }
  if (syscall !== undefined) {
    const way = code === 'EROFS' || code === 'EACCES' || code === 'EPERM' ? ' Make it writable.' : '';
    return new DeploymentError(
      'volume_failed',
      `Cannot read or write the volume at ${dir} (${code}).${way}`,
      { cause: error },
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  return new DeploymentError('volume_failed', `Cannot create the release: ${message}`, { cause: error });
}

/** What to do about a refused bundle, with a leading space. */
function wayOut({ code, path, limit }: BundleError, limits: Partial<BundleLimits>): string {
  if (code === 'gzip_invalid')
    return ' Check that the link or path leads to a bundle, or generate the bundle again.';
  if (code !== 'too_large') return ' Generate the bundle again.';
  if (path !== manifestPath) return '';
  return limit !== null && (limits[limit] ?? bundleLimits[limit]) < bundleLimits[limit]
    ? ' It does not fit the memory of the container: raise its memory limit, or remove files from the site.'
    : ' Remove redirects or files from the site.';
}

function bundleFault(error: BundleError, limits: Partial<BundleLimits>): DeploymentError {
  if (error.code === 'no_space') return new DeploymentError('disk_full', error.message, { cause: error });
  if (error.code === 'digest_mismatch' && error.path === null)
    return new DeploymentError('sha256_mismatch', error.message, { cause: error });
  const code = error.code === 'too_large' ? 'bundle_too_large' : 'bundle_refused';
  return new DeploymentError(code, `The bundle is refused: ${error.message}${wayOut(error, limits)}`, {
    cause: error,
  });
}

/** Errors of the bundle itself: the same bundle would be refused again. */
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
