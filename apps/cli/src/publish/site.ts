/** `--apply site`: switches running site servers to the bundle through their management ports. */
import { CliError } from '../errors.ts';
import { printable } from '../printable.ts';
import {
  type Applied,
  type ApplyContext,
  ApplyError,
  type ApplyRules,
  createMask,
  secretsOf,
  type Target,
  type WantedBundle,
} from './target.ts';

export interface SiteSettings {
  /** URLs of management ports, one per replica. */
  sites: readonly string[];
  /** OFFPRINT_SITE_TOKEN of the sites. */
  token: string;
  /** Time limit for a site to serve the bundle, in seconds. */
  timeout: number;
  /** Continues without unreachable sites if at least one is reachable. */
  ignoreUnreachable: boolean;
}

/** The fields of the response to `GET /release` that publishing needs. */
interface Status {
  release: { sha256: string } | null;
  fault: { code: string; message: string; at: string } | null;
  step: { name: string } | null;
}

/** Maximum number of requests to a site that cannot be reached; it may be starting. */
const MAX_TRIES = 5;
const STATUS_TIMEOUT_SECONDS = 10;
const MAX_BYTES = 1024 * 1024;

/** A site does not respond, or a proxy responds that the site is unavailable. */
class UnreachableError extends ApplyError {}

/** Sends the link to all sites in parallel and waits until each one serves the bundle. */
export function siteTarget(settings: SiteSettings, rules: ApplyRules): Target {
  const sites = [...new Set(settings.sites.map(normalizeUrl))];
  const { ignoreUnreachable } = settings;
  return {
    async check({ signal, talk }) {
      const { done, errors, missing } = await atEach(sites, ignoreUnreachable, (site) =>
        firstStatus(site, settings.token, signal),
      );
      if (errors.length > 0) throw new CliError(2, [...errors, 'Nothing was exported'].join('\n  '));
      if (done.size > 0) for (const site of missing) talk.say(`${site}: cannot be reached, skipped`);
    },
    async apply(bundle, context): Promise<Applied[]> {
      const { done, errors, missing } = await atEach(sites, ignoreUnreachable, (site) =>
        release(site, bundle, settings, rules, context),
      );
      if (errors.length === 0)
        return sites.map((place) => done.get(place) ?? { place, changed: false, missing: true });
      const rest = done.size === 0 ? [] : [`${[...done.keys()].join(', ')}: serves the bundle`];
      const gone = missing.map((site) => `${site}: cannot be reached, skipped`);
      throw new ApplyError([...errors, ...gone, ...rest].join('\n  '));
    },
  };
}

/**
 * Calls `act` for every site. Returns the results, the messages of ApplyErrors, and the unreachable sites that may be
 * skipped. Rejects with any other error.
 */
async function atEach<Result>(
  sites: readonly string[],
  canSkip: boolean,
  act: (site: string) => Promise<Result>,
): Promise<{ done: Map<string, Result>; errors: string[]; missing: string[] }> {
  const outcomes = await Promise.allSettled(sites.map(act));
  const isNoneReachable = outcomes.every(
    (outcome) => outcome.status === 'rejected' && outcome.reason instanceof UnreachableError,
  );
  const done = new Map<string, Result>();
  const errors: string[] = [];
  const missing: string[] = [];
  for (const [at, outcome] of outcomes.entries()) {
    const site = sites[at]!;
    if (outcome.status === 'fulfilled') done.set(site, outcome.value);
    else if (!(outcome.reason instanceof ApplyError)) throw outcome.reason;
    else if (canSkip && !isNoneReachable && outcome.reason instanceof UnreachableError) missing.push(site);
    else errors.push(outcome.reason.message);
  }
  return { done, errors, missing };
}

/** The URL without a trailing slash. Throws a CliError 2. */
function normalizeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CliError(
      2,
      `Invalid URL of a management port: ${text}. Use a URL such as http://127.0.0.1:8081`,
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    throw new CliError(
      2,
      `Invalid URL of a management port: ${url.origin}. Remove the credentials and the query`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

async function release(
  site: string,
  bundle: WantedBundle,
  settings: SiteSettings,
  rules: ApplyRules,
  { talk, signal }: ApplyContext,
): Promise<Applied> {
  const deadline = Date.now() + settings.timeout * 1000;
  const secrets = [...secretsOf(bundle.bundleUrl), settings.token];
  const before = await firstStatus(site, settings.token, signal);
  if (!rules.reapply && before.release?.sha256 === bundle.sha256) return { place: site, changed: false };
  const answer = await postRelease(site, bundle, settings, rules, deadline, signal);
  if (answer !== null && !answer.ok) throw refusal(site, answer, secrets);
  if (answer === null) talk.say(`${site}: the connection was lost; polling its status`);
  for (let wait = 100; ; wait = Math.min(2000, wait * 2)) {
    const status = await laterStatus(site, settings.token, signal);
    if (status?.release?.sha256 === bundle.sha256) return { place: site, changed: true };
    if (status?.fault != null && status.step === null && status.fault.at !== before.fault?.at) {
      throw new ApplyError(`${site}: ${hide(status.fault.message, secrets)}`);
    }
    if (Date.now() + wait > deadline) {
      throw new ApplyError(`${site}: does not serve the bundle after ${settings.timeout} s`);
    }
    await pause(wait, signal);
  }
}

/** The status of a site. Retries if it cannot be reached, because it may be starting. */
async function firstStatus(site: string, token: string, signal: AbortSignal): Promise<Status> {
  for (let tries = 1; ; tries++) {
    const answer = await fetchStatus(site, token, signal).catch((error: unknown) => {
      if (!(error instanceof ApplyError) || tries === MAX_TRIES) throw error;
      return null;
    });
    const isEarly = answer === null || isGatewayError(answer);
    if (!isEarly || tries === MAX_TRIES) return statusIn(site, token, answer!);
    await pause(125 * 2 ** tries, signal);
  }
}

/** Whether a proxy responds that the site is unavailable. */
const isGatewayError = ({ status }: SiteResponse): boolean => status >= 502 && status <= 504;

/** Null if the site cannot be reached at the moment. */
async function laterStatus(site: string, token: string, signal: AbortSignal): Promise<Status | null> {
  try {
    return statusIn(site, token, await fetchStatus(site, token, signal));
  } catch (error) {
    if (error instanceof ApplyError) return null;
    throw error;
  }
}

function fetchStatus(site: string, token: string, signal: AbortSignal): Promise<SiteResponse> {
  return request(site, token, {}, STATUS_TIMEOUT_SECONDS * 1000, signal);
}

function statusIn(site: string, token: string, answer: SiteResponse): Status {
  const { body } = answer;
  if (answer.ok && typeof body === 'object' && body !== null && 'release' in body) return body as Status;
  const { code } = (body ?? {}) as { code?: unknown };
  if (code === 'token_refused' || code === 'token_unset') throw refusal(site, answer, [token]);
  const message = `${site}: GET /release returned ${answer.status}. Check that this is the management port of a site server`;
  throw isGatewayError(answer) ? new UnreachableError(message) : new ApplyError(message);
}

/** Null if the connection was lost before the response: the status shows whether the site accepted the bundle. */
async function postRelease(
  site: string,
  bundle: WantedBundle,
  settings: SiteSettings,
  rules: ApplyRules,
  deadline: number,
  signal: AbortSignal,
): Promise<SiteResponse | null> {
  const body = JSON.stringify({
    bundleUrl: bundle.bundleUrl,
    sha256: bundle.sha256,
    ...(rules.pin ? { version: bundle.version } : {}),
  });
  const left = Math.max(1000, deadline - Date.now());
  try {
    return await request(site, settings.token, { method: 'POST', body }, left, signal);
  } catch (error) {
    if (error instanceof ApplyError) return null;
    throw error;
  }
}

interface SiteResponse {
  ok: boolean;
  status: number;
  /** The parsed JSON; null if it is not valid. */
  body: unknown;
}

/** One request to `/release`. Rejects redirects, so that only the site itself gets the token. */
async function request(
  site: string,
  token: string,
  init: { method?: 'POST'; body?: string },
  limit: number,
  signal: AbortSignal,
): Promise<SiteResponse> {
  const timeout = AbortSignal.timeout(limit);
  try {
    const response = await fetch(`${site}/release`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([timeout, signal]),
    });
    return { ok: response.ok, status: response.status, body: await readJson(response) };
  } catch (error) {
    signal.throwIfAborted();
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new UnreachableError(`${site}: ${timeout.aborted ? 'timed out' : `cannot be reached: ${cause}`}`);
  }
}

async function readJson(response: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_BYTES) return null;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

function refusal(site: string, answer: SiteResponse, secrets: readonly string[]): ApplyError {
  const { error } = (answer.body ?? {}) as { error?: unknown };
  const reason =
    typeof error === 'string' ? hide(error, secrets) : `the management port returned ${answer.status}`;
  const hint = answer.status === 401 ? '. Use the OFFPRINT_SITE_TOKEN of the site' : '';
  return new ApplyError(`${site}: ${reason.replace(/\.$/, '')}${hint}`);
}

/** Text of a site without control characters and secrets. */
function hide(text: unknown, secrets: readonly string[]): string {
  return typeof text === 'string'
    ? printable(createMask(secrets)(text)).slice(0, 1000)
    : 'cannot serve the bundle (no reason given)';
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}
