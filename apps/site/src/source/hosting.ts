import type { Secret } from '../config.ts';
import { DeploymentError } from '../error.ts';
import { type LinkedBundle, readBundleLink, readJson, readKey, sentence } from './platform.ts';
import { get, placeOf, retryAfterOf, type Transport } from './request.ts';

export interface HostingPlatformOptions {
  /** URL of the platform, with a trailing slash. */
  url: URL;
  token: Secret;
  transport: Transport;
}

/** The platform whose sites are served. */
export interface HostingPlatform {
  /**
   * The list of sites, as received, and its cursor. With a cursor, it waits some seconds for a change and returns null
   * without one. Throws a DeploymentError.
   */
  sites(after: string | null, signal: AbortSignal): Promise<SiteList | null>;
  /** The link to the bundle of a deployment. Throws a DeploymentError. */
  bundle(deploymentId: string, signal: AbortSignal): Promise<LinkedBundle>;
}

export interface SiteList {
  cursor: string;
  /** Not validated. */
  sites: readonly unknown[];
}

/** Below the time after which a response without data has stalled. */
const waitSeconds = 20;
/** A site has about 500 bytes. */
const maxListBytes = 32 * 1024 * 1024;

export function createHostingPlatform({ url, token, transport }: HostingPlatformOptions): HostingPlatform {
  const read = async (
    target: URL,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Record<string, unknown> | null> => {
    const key = readKey(token, 'hosting token');
    const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
    const answer = await get(target, headers, transport, signal);
    const { statusCode = 0 } = answer.response;
    if (statusCode === 304 || statusCode === 204) {
      answer.end();
      return null;
    }
    const retryAfterMs = retryAfterOf(answer.response);
    const body = await readJson(answer, target, signal, maxBytes);
    if (statusCode !== 200) throw refusal(target, statusCode, body, key, retryAfterMs);
    return body;
  };
  return {
    async sites(after, signal) {
      const target = new URL('v1/hosting/sites', url);
      if (after !== null) target.searchParams.set('after', after);
      if (after !== null) target.searchParams.set('waitSeconds', String(waitSeconds));
      const body = await read(target, maxListBytes, signal);
      if (body === null) return null;
      const { cursor, sites } = body;
      if (typeof cursor === 'string' && Array.isArray(sites)) return { cursor, sites };
      throw unexpected(target);
    },
    async bundle(deploymentId, signal) {
      const target = new URL(`v1/hosting/deployments/${encodeURIComponent(deploymentId)}/bundle`, url);
      const body = await read(target, 64 * 1024, signal);
      if (body === null) throw unexpected(target);
      return readBundleLink(body, target);
    },
  };
}

function unexpected(url: URL): DeploymentError {
  return new DeploymentError(
    'source_failed',
    `${placeOf(url)} did not respond like an Offprint server. Check OFFPRINT_URL.`,
  );
}

function refusal(
  url: URL,
  status: number,
  body: Record<string, unknown>,
  key: string,
  retryAfterMs: number | null,
): DeploymentError {
  const said = sentence(body.error, key);
  if (status === 401 || status === 403)
    return new DeploymentError(
      'key_refused',
      `${url.host} rejected the hosting token. Set the same OFFPRINT_HOSTING_TOKEN here and on the platform.${said}`,
    );
  if (status === 404 || status === 410)
    return new DeploymentError(
      'no_export',
      `${placeOf(url)} does not exist. Check that OFFPRINT_HOSTING_TOKEN is set on the platform, and that the deployment still exists.${said}`,
    );
  if (status === 429 || status >= 500)
    return new DeploymentError(
      'source_unreachable',
      `${url.host} currently returns status ${status}. The request is retried.${said}`,
      { retryAfterMs },
    );
  return new DeploymentError('source_failed', `${placeOf(url)} returned status ${status}.${said}`);
}
