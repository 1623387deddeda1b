import type { SignInRequest, SignInResponse } from '../access/sign-in.ts';
import type { Secret } from '../config.ts';
import { DeploymentError } from '../error.ts';
import { type LinkedBundle, readBundleLink, readJson, readKey, sentence } from './platform.ts';
import { get, placeOf, post, retryAfterOf, type Transport } from './request.ts';

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
  /** The response to a request of a reader who signs in. Throws a DeploymentError. */
  signIn(request: SignInRequest): Promise<SignInResponse>;
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
/** Time for the platform to respond to a reader: it may ask another provider. */
const signInMs = 20_000;
const maxSignInBytes = 256 * 1024;
/** At the same time: anyone can request the sign-in, so that requests of readers could occupy the platform. */
const maxSignIns = 64;

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
  let signIns = 0;
  const postSignIn = async (request: SignInRequest): Promise<SignInResponse> => {
    const target = new URL('v1/hosting/sign-in', url);
    const key = readKey(token, 'hosting token');
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'application/json',
      'content-type': 'application/json',
    };
    const signal = AbortSignal.timeout(signInMs);
    const answer = await post(target, headers, JSON.stringify(request), transport, signal);
    const { statusCode = 0 } = answer.response;
    const retryAfterMs = retryAfterOf(answer.response);
    const body = await readJson(answer, target, signal, maxSignInBytes);
    if (statusCode !== 200) throw refusal(target, statusCode, body, key, retryAfterMs);
    return parseSignIn(body) ?? Promise.reject(unexpected(target));
  };
  return {
    async signIn(request) {
      if (signIns >= maxSignIns)
        throw new DeploymentError('source_unreachable', 'Too many readers are signing in.');
      signIns += 1;
      try {
        return await postSignIn(request);
      } finally {
        signIns -= 1;
      }
    },
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

/** Null if it is not a response for a reader. */
function parseSignIn({ status, headers, body }: Record<string, unknown>): SignInResponse | null {
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) return null;
  if (typeof headers !== 'object' || headers === null || typeof body !== 'string') return null;
  const parsed: SignInResponse['headers'] = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') parsed[name] = value;
    else if (Array.isArray(value) && value.every((one) => typeof one === 'string')) parsed[name] = value;
    else return null;
  }
  return { status, headers: parsed, body };
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
