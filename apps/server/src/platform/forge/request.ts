import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { redact } from '../git/error.ts';
import { NetworkError } from '../net/error.ts';
import { ForgeError } from './port.ts';

export interface ForgeOptions {
  /** Guarded: forges are addresses that a tenant has set. */
  fetch: typeof fetch;
  now: () => Date;
  /** Waits between tries; default by the clock of the machine. */
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** Below the API's address, encoded: `/repos/a/b`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** The permission that the request needs, in the words of the forge; reported when it is refused. */
  needs: string;
  /** It is not repeated if its response may be lost: the forge would do it twice. */
  once?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON; null if the body was empty. */
  body: unknown;
}

export interface Api {
  /** Name for people, such as `GitHub`. */
  name: string;
  /** Without a slash at the end. */
  url: string;
  /** Headers of every call, the credential among them. */
  headers(signal: AbortSignal): Promise<Record<string, string>>;
  /** Returns the meaning of a response that is not a success. The text goes through `conceal` afterwards. */
  explain(answer: Answer, call: Call): ForgeError;
  /** Values that no message may hold. */
  secrets(): readonly string[];
}

export type Send = (call: Call, signal: AbortSignal) => Promise<Answer>;

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 2 * 2 ** 20;
const RETRY_WAITS_MS = [200, 1000];
const LONGEST_WAIT_MS = 30_000;
/** When a forge says "slow down" and not for how long. */
const USUAL_LIMIT_MS = 60_000;

/**
 * The HTTP client of all forges: JSON both ways, responses of at most 2 MiB, two retries if the host was
 * unavailable, and a wait of up to 30 s if it asks for one. Resolves with a response in the 200s.
 *
 * A call may thus reach the forge twice; those that create are refused as duplicates the second time.
 */
export function createSend(api: Api, options: ForgeOptions): Send {
  const fail = (error: ForgeError): never => {
    error.message = conceal(error.message, api.secrets());
    throw error;
  };
  return async (call, signal) => {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await ask(api, options.fetch, call, signal);
      if (!(answer instanceof ForgeError) && answer.status >= 200 && answer.status < 300) return answer;
      const error = answer instanceof ForgeError ? answer : judge(api, answer, call, options.now());
      const isDone = call.once === true && error.fault === 'unavailable';
      const pause = isDone ? null : pauseBefore(answer, error, attempt);
      if (pause === null) return fail(error);
      await waitFor(options, pause, signal);
    }
  };
}

/** Throws the reason of `signal` when it aborts. */
export async function waitFor(
  { wait }: ForgeOptions,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (wait === undefined) await sleep(milliseconds, undefined, { signal });
    else await wait(milliseconds, signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** Milliseconds until the next try; null if not given. */
function pauseBefore(answer: Answer | ForgeError, error: ForgeError, attempt: number): number | null {
  const usual = RETRY_WAITS_MS[attempt];
  if (usual === undefined || !error.retryable) return null;
  if (error.retryAfterMs !== null)
    return error.retryAfterMs <= LONGEST_WAIT_MS ? Math.max(error.retryAfterMs, usual) : null;
  const wasAway = answer instanceof ForgeError || [502, 503, 504].includes(answer.status);
  return wasAway ? usual : null;
}

function judge(api: Api, answer: Answer, call: Call, now: Date): ForgeError {
  const { status } = answer;
  const retryAfterMs = readRetryAfter(answer.headers, now);
  if (isLimit(answer)) {
    return new ForgeError('rate-limited', `${api.name} accepts no more requests at the moment (${status}).`, {
      retryAfterMs: retryAfterMs ?? USUAL_LIMIT_MS,
    });
  }
  if (status >= 500) {
    return new ForgeError('unavailable', `${api.name} failed at ${api.url} with status ${status}.`, {
      retryAfterMs,
    });
  }
  if (status >= 300 && status < 400) {
    return new ForgeError(
      'rejected',
      `${api.name} redirects ${call.path}. The repository may have been renamed: set its new URL on the project.`,
    );
  }
  return api.explain(answer, call);
}

function isLimit({ status, headers, body }: Answer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers.has('retry-after') ||
    headers.get('x-ratelimit-remaining') === '0' ||
    /rate limit|abuse detection/i.test(textOf(body))
  );
}

/** Seconds or a date by `retry-after`, else the moment at which a used-up quota is reset. */
function readRetryAfter(headers: Headers, now: Date): number | null {
  const after = headers.get('retry-after');
  if (after !== null) {
    const moment = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now.getTime();
    return Number.isFinite(moment) ? bounded(moment) : null;
  }
  const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? Number.NaN);
  const isUsedUp = (headers.get('x-ratelimit-remaining') ?? headers.get('ratelimit-remaining')) === '0';
  return isUsedUp && Number.isFinite(reset) ? bounded(reset * 1000 - now.getTime()) : null;
}

/** A forge is believed for a day. */
function bounded(milliseconds: number): number {
  return Math.min(Math.max(0, milliseconds), 24 * 3_600_000);
}

async function ask(
  api: Api,
  send: typeof fetch,
  call: Call,
  signal: AbortSignal,
): Promise<Answer | ForgeError> {
  const headers = await api.headers(signal);
  const query = call.query === undefined ? '' : `?${new URLSearchParams(call.query)}`;
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await send(`${api.url}${call.path}${query}`, {
      method: call.method,
      headers: call.body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    });
    const text = await readText(response);
    const { status } = response;
    const body = parse(text);
    if (body === undefined && status >= 200 && status < 300) {
      return new ForgeError(
        'rejected',
        `${api.name} did not return JSON at ${api.url}. Check the API URL of the project's forge.`,
      );
    }
    return { status, headers: response.headers, body: body ?? null };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ForgeError) return error;
    if (error instanceof NetworkError && !error.retryable)
      return new ForgeError('rejected', error.message, { cause: error });
    const why = deadline.aborted
      ? `did not respond within ${TIMEOUT_MS / 1000} s`
      : 'could not be reached, or closed the connection early';
    if (error instanceof NetworkError) return new ForgeError('unavailable', error.message, { cause: error });
    // Not as a cause: errors of a platform's fetch quote headers.
    return new ForgeError('unavailable', `${api.name} ${why}: ${api.url}.`);
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the rest.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) {
      throw new ForgeError(
        'rejected',
        `The forge sent more than ${MAX_BYTES / 2 ** 20} MiB in one response.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Undefined if it is not JSON. */
function parse(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** All items of a list endpoint, page by page, until `enough` returns true. At most `maxPages` pages. */
export async function listAll<T>(
  send: Send,
  call: Call,
  item: z.ZodType<T>,
  options: { maxPages: number; enough?: (items: readonly T[]) => boolean },
  signal: AbortSignal,
): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; page <= options.maxPages; page += 1) {
    const answer = await send({ ...call, query: { ...call.query, page: String(page) } }, signal);
    items.push(...read(item.array(), answer, call));
    // The address of the next page is not followed: it is the forge's word, and the credential would go with it.
    if (!/\brel="?next"?/.test(answer.headers.get('link') ?? '') || options.enough?.(items) === true) break;
  }
  return items;
}

/** Reads the required fields of a response; it may contain anything. Throws ForgeError `rejected`. */
export function read<T>(schema: z.ZodType<T>, answer: Answer, call: Call): T {
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new ForgeError(
    'rejected',
    `The forge returned an unexpected response to ${call.method} ${call.path}${place === '' ? '' : `, at "${place}"`}. Check the kind and API URL of the project's forge.`,
  );
}

/** What a forge says, short and on one line: `message`, `error`, `error_description` and the messages of `errors`. */
export function textOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return '';
  const { message, error, error_description, errors } = body as Record<string, unknown>;
  const parts = [message, error, error_description, errors];
  const texts = parts.flatMap((part) => textsOf(part, 0)).slice(0, 8);
  return redact([...new Set(texts)].join('; '))
    .replace(/\s+/g, ' ')
    .slice(0, 400);
}

/** A text, several, `{ message }`, or texts by the name of a field. Whatever is deeper than that says nothing. */
function textsOf(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value.slice(0, 400)];
  if (typeof value !== 'object' || value === null || depth > 3) return [];
  if (Array.isArray(value)) return value.slice(0, 8).flatMap((one) => textsOf(one, depth + 1));
  if ('message' in value) return textsOf(value.message, depth + 1);
  return Object.entries(value)
    .slice(0, 8)
    .filter(([, texts]) => Array.isArray(texts))
    .flatMap(([name, texts]) => textsOf(texts, depth + 1).map((text) => `${name.slice(0, 40)} ${text}`));
}

function conceal(text: string, secrets: readonly string[]): string {
  let concealed = text;
  for (const secret of secrets) if (secret !== '') concealed = concealed.replaceAll(secret, '***');
  return concealed;
}
