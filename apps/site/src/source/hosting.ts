import type { SignInRequest, SignInResponse } from '../access/sign-in.ts';
import type { EventSink } from '../analytics/send.ts';
import type { Secret } from '../config.ts';
import { DeploymentError } from '../error.ts';
import { type LinkedBundle, readBundleLink, readJson, readKey, sentence } from './platform.ts';
import { type Answer, get, placeOf, post, retryAfterOf, type Transport } from './request.ts';

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
  sendEvents: EventSink['sendEvents'];
  /**
   * Sends a request of a reader to the assistant, at a path below `/v1/hosting/`. The response is read as it arrives,
   * whatever its status. Throws a DeploymentError, or the reason of the signal.
   */
  assistant(path: string, body: object, signal: AbortSignal): Promise<Answer>;
}

export interface SiteList {
  cursor: string;
  /** Not validated. */
  sites: readonly unknown[];
  /** Not validated. */
  visitorKeys: unknown;
}

/** Below the time after which a response without data has stalled. */
const waitSeconds = 20;
/** A site has about 500 bytes. */
const maxListBytes = 32 * 1024 * 1024;
/** Time for the platform to respond to a reader: it may ask another provider. */
const signInMs = 20_000;
/** Time for the platform to store a batch of events. */
const eventsMs = 30_000;
const maxSignInBytes = 256 * 1024;
/** A model can think for minutes before its first word. */
const answerStallMs = 150_000;
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
  /** Status and body of the response to JSON, which is 200 or one of `expected`. */
  const postJson = async (
    target: URL,
    text: string,
    signal: AbortSignal,
    { maxBytes, expected = [] }: { maxBytes: number; expected?: readonly number[] },
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const key = readKey(token, 'hosting token');
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'application/json',
      'content-type': 'application/json',
    };
    const answer = await post(target, headers, text, transport, signal);
    const { statusCode: status = 0 } = answer.response;
    const retryAfterMs = retryAfterOf(answer.response);
    const body = await readJson(answer, target, signal, maxBytes);
    if (status !== 200 && !expected.includes(status)) throw refusal(target, status, body, key, retryAfterMs);
    return { status, body };
  };
  const postSignIn = async (request: SignInRequest): Promise<SignInResponse> => {
    const target = new URL('v1/hosting/sign-in', url);
    const signal = AbortSignal.timeout(signInMs);
    const { body } = await postJson(target, JSON.stringify(request), signal, { maxBytes: maxSignInBytes });
    return parseSignIn(body) ?? Promise.reject(unexpected(target));
  };
  return {
    assistant(path, body, signal) {
      const headers = {
        authorization: `Bearer ${readKey(token, 'hosting token')}`,
        'content-type': 'application/json',
      };
      const slow = { ...transport, stallMs: answerStallMs, minRate: 0 };
      return post(new URL(`v1/hosting/${path}`, url), headers, JSON.stringify(body), slow, signal);
    },
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
    async sendEvents({ id, lines }, ended) {
      const target = new URL('v1/hosting/events', url);
      const text = `{"id":${JSON.stringify(id)},"events":[${lines.join(',')}]}`;
      const signal = AbortSignal.any([ended, AbortSignal.timeout(eventsMs)]);
      const { status, body } = await postJson(target, text, signal, {
        maxBytes: 64 * 1024,
        // what another attempt would not change
        expected: [400, 413, 415],
      });
      if (status !== 200) return 'refused';
      if (typeof body.stored !== 'number') throw unexpected(target);
      return 'stored';
    },
    async sites(after, signal) {
      const target = new URL('v1/hosting/sites', url);
      if (after !== null) target.searchParams.set('after', after);
      if (after !== null) target.searchParams.set('waitSeconds', String(waitSeconds));
      const body = await read(target, maxListBytes, signal);
      if (body === null) return null;
      const { cursor, sites, visitorKeys } = body;
      if (typeof cursor === 'string' && Array.isArray(sites)) return { cursor, sites, visitorKeys };
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
