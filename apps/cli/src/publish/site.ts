/** `--apply site`: the bundle to running site servers, by their management port. */
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
  /** Addresses of management ports, one for each replica. */
  sites: readonly string[];
  /** OFFPRINT_SITE_TOKEN of the sites. */
  token: string;
  /** Seconds until a site must serve the bundle. */
  timeout: number;
  /** Goes on without sites that cannot be reached, as long as there is one. */
  ignoreUnreachable: boolean;
}

/** What `GET /release` tells, as far as publishing needs it. */
interface Status {
  release: { sha256: string } | null;
  fault: { code: string; message: string; at: string } | null;
  step: { name: string } | null;
}

/** Times that a site which cannot be reached is tried; it may be starting. */
const TRIES = 5;
const ASK_SECONDS = 10;
const MOST_BYTES = 1024 * 1024;

/** A site gives no answer, or a proxy answers for one that is not there. */
class UnreachableError extends ApplyError {}

/** Hands the link to every site at once and waits until each one serves the bundle. */
export function siteTarget(settings: SiteSettings, rules: ApplyRules): Target {
  const sites = [...new Set(settings.sites.map(addressOf))];
  const { ignoreUnreachable } = settings;
  return {
    async check({ signal, talk }) {
      const { done, faults, missing } = await atEach(sites, ignoreUnreachable, (site) =>
        firstStatus(site, settings.token, signal),
      );
      if (faults.length > 0) throw new CliError(2, [...faults, 'nothing was exported'].join('\n  '));
      if (done.size > 0) for (const site of missing) talk.say(`${site}: cannot be reached, left out`);
    },
    async apply(bundle, context): Promise<Applied[]> {
      const { done, faults, missing } = await atEach(sites, ignoreUnreachable, (site) =>
        release(site, bundle, settings, rules, context),
      );
      if (faults.length === 0)
        return sites.map((place) => done.get(place) ?? { place, changed: false, missing: true });
      const rest = done.size === 0 ? [] : [`${[...done.keys()].join(', ')}: serves the bundle`];
      const gone = missing.map((site) => `${site}: cannot be reached, left out`);
      throw new ApplyError([...faults, ...gone, ...rest].join('\n  '));
    },
  };
}

/**
 * What came of the sites, what ApplyErrors say of others, and those that are missing and may be. Rejects with any other
 * error.
 */
async function atEach<Result>(
  sites: readonly string[],
  mayMiss: boolean,
  act: (site: string) => Promise<Result>,
): Promise<{ done: Map<string, Result>; faults: string[]; missing: string[] }> {
  const ends = await Promise.allSettled(sites.map(act));
  const isNoneThere = ends.every(
    (end) => end.status === 'rejected' && end.reason instanceof UnreachableError,
  );
  const done = new Map<string, Result>();
  const faults: string[] = [];
  const missing: string[] = [];
  for (const [at, end] of ends.entries()) {
    const site = sites[at]!;
    if (end.status === 'fulfilled') done.set(site, end.value);
    else if (!(end.reason instanceof ApplyError)) throw end.reason;
    else if (mayMiss && !isNoneThere && end.reason instanceof UnreachableError) missing.push(site);
    else faults.push(end.reason.message);
  }
  return { done, faults, missing };
}

/** The address without a slash at the end. Throws a CliError 2. */
function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CliError(
      2,
      `not the address of a site's management port, such as http://127.0.0.1:8081: ${text}`,
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    throw new CliError(2, `the address of a site is to hold no account and no query: ${url.origin}`);
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
  const answer = await hand(site, bundle, settings, rules, deadline, signal);
  if (answer !== null && !answer.ok) throw refusal(site, answer, secrets);
  if (answer === null) talk.say(`${site}: the connection broke; asking what is served`);
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

/** The status of a site that takes the token. One that cannot be reached is asked again: it may be starting. */
async function firstStatus(site: string, token: string, signal: AbortSignal): Promise<Status> {
  for (let tries = 1; ; tries++) {
    const answer = await askStatus(site, token, signal).catch((error: unknown) => {
      if (!(error instanceof ApplyError) || tries === TRIES) throw error;
      return null;
    });
    const isEarly = answer === null || isOfProxy(answer);
    if (!isEarly || tries === TRIES) return statusIn(site, token, answer!);
    await pause(125 * 2 ** tries, signal);
  }
}

/** A proxy answers so for a site that is not there. */
const isOfProxy = ({ status }: Answer): boolean => status >= 502 && status <= 504;

/** Null: the site cannot say at the moment. */
async function laterStatus(site: string, token: string, signal: AbortSignal): Promise<Status | null> {
  try {
    return statusIn(site, token, await askStatus(site, token, signal));
  } catch (error) {
    if (error instanceof ApplyError) return null;
    throw error;
  }
}

function askStatus(site: string, token: string, signal: AbortSignal): Promise<Answer> {
  return ask(site, token, {}, ASK_SECONDS * 1000, signal);
}

function statusIn(site: string, token: string, answer: Answer): Status {
  const { body } = answer;
  if (answer.ok && typeof body === 'object' && body !== null && 'release' in body) return body as Status;
  const { code } = (body ?? {}) as { code?: unknown };
  if (code === 'token_refused' || code === 'token_unset') throw refusal(site, answer, [token]);
  const why = `${site}: answers ${answer.status} to GET /release; is this the management port of a site server?`;
  throw isOfProxy(answer) ? new UnreachableError(why) : new ApplyError(why);
}

/** Null: no answer came before the connection broke, so what became of it has to be asked. */
async function hand(
  site: string,
  bundle: WantedBundle,
  settings: SiteSettings,
  rules: ApplyRules,
  deadline: number,
  signal: AbortSignal,
): Promise<Answer | null> {
  const body = JSON.stringify({
    bundleUrl: bundle.bundleUrl,
    sha256: bundle.sha256,
    ...(rules.pin ? { version: bundle.version } : {}),
  });
  const left = Math.max(1000, deadline - Date.now());
  try {
    return await ask(site, settings.token, { method: 'POST', body }, left, signal);
  } catch (error) {
    if (error instanceof ApplyError) return null;
    throw error;
  }
}

interface Answer {
  ok: boolean;
  status: number;
  /** The parsed JSON; null when there is none. */
  body: unknown;
}

/** One request to `/release`. The token goes to the site itself only: a redirect is refused. */
async function ask(
  site: string,
  token: string,
  init: { method?: 'POST'; body?: string },
  limit: number,
  signal: AbortSignal,
): Promise<Answer> {
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
    throw new UnreachableError(
      `${site}: ${timeout.aborted ? 'no answer in time' : `cannot be reached: ${cause}`}`,
    );
  }
}

async function readJson(response: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MOST_BYTES) return null;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

function refusal(site: string, answer: Answer, secrets: readonly string[]): ApplyError {
  const { error } = (answer.body ?? {}) as { error?: unknown };
  const said = typeof error === 'string' ? hide(error, secrets) : `answers ${answer.status}`;
  const way = answer.status === 401 ? '. It has to be the OFFPRINT_SITE_TOKEN of the site' : '';
  return new ApplyError(`${site}: ${said.replace(/\.$/, '')}${way}`);
}

/** What a site says, harmless for a terminal and without secrets. */
function hide(text: unknown, secrets: readonly string[]): string {
  return typeof text === 'string'
    ? printable(createMask(secrets)(text)).slice(0, 1000)
    : 'cannot serve the bundle and does not say why';
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
