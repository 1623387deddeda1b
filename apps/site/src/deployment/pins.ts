import type { Manifest } from '@offprint/bundle';
import { DeploymentError } from '../error.ts';
import { parseLink } from '../source/link.ts';
import type { WantedBundle } from './status.ts';

/** Null for a bundle of the domain. */
export function domainError({ site }: Manifest, domain: string | null): DeploymentError | null {
  if (domain === null || site.domain === domain) return null;
  const found = site.domain === '' ? 'no domain' : `the domain ${JSON.stringify(site.domain)}`;
  return new DeploymentError(
    'domain_mismatch',
    `The bundle is for ${found}, not ${domain}. Check OFFPRINT_SITE_DOMAIN.`,
  );
}

/** Null for a bundle of the version. */
export function versionError(manifest: Manifest, version: string | null): DeploymentError | null {
  if (version === null || manifest.version === version) return null;
  return new DeploymentError(
    'version_mismatch',
    `The bundle has the version ${JSON.stringify(manifest.version)}, not ${JSON.stringify(version)}. Deploy the bundle of that version, or pin this one.`,
  );
}

/** Throws a DeploymentError for an invalid request. */
export function checkWanted({ bundleUrl, sha256, version }: WantedBundle): void {
  const refuse = (message: string) => new DeploymentError('invalid_request', message);
  if (bundleUrl === undefined && (sha256 !== undefined || version !== undefined)) {
    throw refuse('sha256 and version require a bundleUrl.');
  }
  if (bundleUrl !== undefined) parseLink(bundleUrl);
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) {
    throw refuse('sha256 must be 64 hexadecimal digits in lower case.');
  }
}
