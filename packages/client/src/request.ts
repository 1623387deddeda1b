import { fillPath, type Route } from '@offprint/contract';
import { ApiError, ConnectionError, readApiError, retryAfterOf } from './error.ts';

export interface ClientOptions {
  /** Address of the server: `https://offprint.example.com`. */
  url: string;
  /** Admin API key. Without one, requests carry the session cookie of the page they are sent from. */
  key?: string;
  /** Organization that a session speaks in; a key has its own. */
  organization?: string;
  /** Default: the `fetch` of the platform. */
  fetch?: typeof fetch;
  /** How often a request is repeated after 429, 503 or an interrupted connection; default 5. */
  retries?: number;
  /** Timeout of a request in seconds; default 60. */
  timeout?: number;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Makes a repeated request safe across processes; default: a random one per call. */
  idempotencyKey?: string;
}

/** The content of one request. */
export interface CallInput {
  params?: Record<string, string>;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  /** Binary body of a request. A stream is sent once and never repeated. */
  bytes?: Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  headers?: Record<string, string>;
  /** Seconds that the server may delay the response. */
  wait?: number;
}

export type Send = (route: Route, input: CallInput, options?: CallOptions) => Promise<Response>;

const longestDelay = 60;

/**
 * The function that sends calls: with the key, with retries, with a time limit. Throws ApiErrors and
 * ConnectionErrors.
 */
export function createSend(options: ClientOptions): Send {
  const base = baseUrl(options.url);
  const send = options.fetch ?? globalThis.fetch;
  const retries = options.retries ?? 5;
  return async (route, input, callOptions = {}) => {
    const { signal } = callOptions;
    const target = targetOf(base, route, input);
    const init = initOf(route, input, options, callOptions);
    const once = input.bytes instanceof ReadableStream;
    const repeatable = !once && (route.method !== 'POST' || route.idempotent === true);
    const milliseconds = 1000 * ((options.timeout ?? 60) + (input.wait ?? 0));
    for (let attempt = 0; ; attempt++) {
      const last = once || attempt >= retries;
      const limit = AbortSignal.timeout(milliseconds);
      const answer = await send(target, { ...init, signal: anySignal(limit, signal) }).catch(
        (error: unknown) => {
          signal?.throwIfAborted();
          if (last || !repeatable) throw connectionError(base, error, limit);
          return null;
        },
      );
      if (answer !== null) {
        if (answer.ok || answer.status === 304) return answer;
        if (last || !isTemporary(answer, repeatable)) throw await readApiError(answer);
        await answer.body?.cancel();
      }
      await sleep(delayOf(answer, attempt), signal);
    }
  };
}

function anySignal(limit: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

function targetOf(base: string, route: Route, input: CallInput): URL {
  const target = new URL(base + fillPath(route.path, input.params ?? {}));
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null) target.searchParams.set(name, String(value));
  }
  return target;
}

function initOf(route: Route, input: CallInput, client: ClientOptions, options: CallOptions): RequestInit {
  const headers: Record<string, string> = { ...input.headers };
  if (client.key !== undefined) headers.authorization = `Bearer ${client.key}`;
  else if (client.organization !== undefined && route.scope !== null)
    headers['offprint-organization'] = client.organization;
  const init: RequestInit & { duplex?: 'half' } = { method: route.method, headers, redirect: 'error' };
  if (route.idempotent === true) headers['idempotency-key'] = options.idempotencyKey ?? crypto.randomUUID();
  if (input.body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(input.body);
  } else if (input.bytes !== undefined) {
    headers['content-type'] = route.bytes?.[0] ?? 'application/octet-stream';
    init.body = input.bytes;
    if (input.bytes instanceof ReadableStream) init.duplex = 'half';
  }
  return init;
}

function baseUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError(
      `${JSON.stringify(url)} is not the URL of a server, such as https://offprint.example.com.`,
    );
  }
  return url.replace(/\/+$/, '');
}

function isTemporary(answer: Response, repeatable: boolean): boolean {
  if (answer.status === 429) return true;
  if (answer.status === 409) return answer.headers.has('retry-after');
  return repeatable && (answer.status === 503 || answer.status === 502 || answer.status === 504);
}

/** Seconds: what the server says, else doubling from half a second with jitter. */
function delayOf(answer: Response | null, attempt: number): number {
  const asked = answer === null ? null : retryAfterOf(answer);
  return Math.min(longestDelay, asked ?? 2 ** attempt * (0.25 + Math.random() * 0.25));
}

function connectionError(base: string, error: unknown, limit: AbortSignal): ConnectionError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = limit.aborted
    ? 'no response in time'
    : cause instanceof Error
      ? cause.message
      : String(cause);
  return new ConnectionError(`Cannot reach ${base}: ${reason}`, { cause: error });
}

/** Waits for a number of seconds; rejects with the reason of the signal when it aborts. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** The validated body of a response. Fields that this version does not know are removed. */
export async function readBody<Body>(route: Route, response: Response): Promise<Body> {
  const schema = route.responses[response.status]?.schema;
  if (schema === undefined) {
    await response.body?.cancel();
    return undefined as Body;
  }
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data as Body;
  throw new ApiError(
    `The response to ${route.method} ${route.path} is not what this version expects (${parsed.error.issues[0]?.path.join('.')}). Update the client or check the URL.`,
    { status: response.status, requestId: response.headers.get('x-request-id') },
  );
}
