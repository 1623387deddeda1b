import { BundleError, type BundleLimits, bundleLimits, manifestPath } from '@offprint/bundle';
import { DeploymentError } from '../error.ts';

/** Any error as one that can be told; `dir` is the volume, `limits` what its bundles are held to. */
export function faultOf(error: unknown, dir: string, limits: Partial<BundleLimits>): DeploymentError {
  if (error instanceof DeploymentError) return error;
  if (error instanceof BundleError) return bundleFault(error, limits);
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
function wayOut({ code, path, limit }: BundleError, limits: Partial<BundleLimits>): string {
  if (code === 'gzip_invalid') return ' Check that link or path lead to a bundle, or generate it again.';
  if (code !== 'too_large') return ' Generate the bundle again.';
  if (path !== manifestPath) return '';
  return limit !== null && (limits[limit] ?? bundleLimits[limit]) < bundleLimits[limit]
    ? ' The memory of the container allows no more: give it more, or take files out of the site.'
    : ' Take redirects or files out of the site.';
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
