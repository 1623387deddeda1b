import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect, parseTarget, reasonOf, unlessAborted } from './connection.ts';
import { NetworkError } from './error.ts';
import { checkHost, isAllowedHost, type Lookup, type NetworkPolicy } from './host.ts';

export interface GuardedFetchOptions {
  policy: NetworkPolicy & {
    /** `http:` to every host; default only to `allowedHosts`. */
    allowHttp?: boolean;
  };
  /** PEM file of the only certificate authorities that are trusted. Unset: those of Node. */
  caFile?: string;
  /** Where the request names none; default `Offprint`. */
  userAgent?: string;
  /** Most bytes of one body; default 64 MiB. */
  maxBytes?: number;
  /** For tests of changing names. */
  lookup?: Lookup;
}

const MAX_BYTES = 64 * 2 ** 20;
const REDIRECTS = [301, 302, 303, 307, 308];
const WITHOUT_BODY = [204, 205, 304];

/** What decides how bytes travel is decided here. A cookie is never ours to send. */
const OWN_HEADERS = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'cookie',
];

/**
 * A `fetch` for URLs that a tenant or an operator has set: any method, with a body of text or bytes, and a
 * response that streams. Only allowed hosts are asked, the connection goes to the very address that was
 * checked, no redirect is followed, and nothing is kept between requests. It has no timeout of its own: give
 * it a signal, which ends the body too.
 *
 * The returned function and its body streams throw NetworkError, or the reason of the signal.
 */
export function createGuardedFetch(options: GuardedFetchOptions): typeof fetch {
  const { policy, lookup } = options;
  const ca = options.caFile === undefined ? undefined : readFileSync(options.caFile, 'utf8');
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  return async (input, init) => {
    const asked = await readRequest(input, init);
    const { signal } = asked;
    signal.throwIfAborted();
    const target = parseTarget(asked.url, (host) => policy.allowHttp === true || isAllowedHost(host, policy));
    try {
      const addresses = await unlessAborted(checkHost(target.hostname, policy, lookup), signal);
      const headers = wireHeaders(asked.headers, options.userAgent ?? 'Offprint');
      const response = await connect(target, addresses, {
        method: asked.method,
        headers,
        signal,
        ...(asked.body === undefined ? {} : { body: asked.body }),
        ...(ca === undefined ? {} : { ca }),
      });
      return toResponse(response, target, maxBytes, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof NetworkError) throw error;
      throw new NetworkError('unreachable', `${target.host} could not be reached: ${reasonOf(error)}.`);
    }
  };
}

interface Asked {
  url: string;
  method: string;
  headers: Headers;
  body: Uint8Array | undefined;
  signal: AbortSignal;
}

async function readRequest(input: string | URL | Request, init: RequestInit = {}): Promise<Asked> {
  const request = input instanceof Request ? input : null;
  const headers = new Headers(request?.headers);
  try {
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
  } catch {
    // The message of the platform quotes the value, and that may be a key.
    throw new NetworkError('invalid', 'A request header contains invalid characters.');
  }
  const ownBody = init.body ?? null;
  const body =
    ownBody === null && request?.body != null
      ? new Uint8Array(await request.arrayBuffer())
      : readBody(ownBody);
  return {
    url: request?.url ?? String(input),
    method: (init.method ?? request?.method ?? 'GET').toUpperCase(),
    headers,
    body,
    signal: init.signal ?? request?.signal ?? new AbortController().signal,
  };
}

function readBody(body: NonNullable<RequestInit['body']> | null): Uint8Array | undefined {
  if (body === null) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof URLSearchParams) return Buffer.from(body.toString());
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw new NetworkError('invalid', 'The body of a request must be a string or bytes.');
}

function wireHeaders(headers: Headers, userAgent: string): Record<string, string> {
  const sent: Record<string, string> = { accept: '*/*', 'user-agent': userAgent };
  for (const [name, value] of headers) if (!OWN_HEADERS.includes(name)) sent[name] = value;
  return { ...sent, 'accept-encoding': 'identity' };
}

function toResponse(response: IncomingMessage, target: URL, maxBytes: number, signal: AbortSignal): Response {
  const status = response.statusCode ?? 0;
  const encoding = response.headers['content-encoding'] ?? 'identity';
  let refused: NetworkError | null = null;
  if (REDIRECTS.includes(status)) {
    const place = URL.parse(response.headers.location ?? '', target.href)?.host;
    refused = new NetworkError(
      'invalid',
      `${target.host} redirects ${place === undefined ? 'elsewhere' : `to ${place}`}, and redirects are not followed. Set the URL of the redirect target.`,
    );
  } else if (status < 200 || status > 599) {
    refused = new NetworkError('unreachable', `${target.host} returned the invalid status ${status}.`);
  } else if (encoding !== 'identity') {
    refused = new NetworkError(
      'unreachable',
      `${target.host} compressed its response, which the request did not allow.`,
    );
  } else if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    refused = tooLarge(target, maxBytes);
  }
  if (refused !== null) {
    response.destroy();
    throw refused;
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headersDistinct)) {
    for (const one of value ?? []) headers.append(name, one);
  }
  const isEmpty = WITHOUT_BODY.includes(status);
  if (isEmpty) response.resume();
  return new Response(isEmpty ? null : toStream(response, target, maxBytes, signal), { status, headers });
}

/** The body, chunk by chunk as it is asked for. */
function toStream(
  response: IncomingMessage,
  target: URL,
  maxBytes: number,
  signal: AbortSignal,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = (response as AsyncIterable<Buffer<ArrayBuffer>>)[Symbol.asyncIterator]();
  let size = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const next = await chunks.next();
          if (next.done === true) {
            if (!response.complete) throw new Error('incomplete');
            controller.close();
            return;
          }
          size += next.value.byteLength;
          if (size > maxBytes) {
            response.destroy();
            controller.error(tooLarge(target, maxBytes));
            return;
          }
          controller.enqueue(new Uint8Array(next.value));
        } catch {
          response.destroy();
          controller.error(
            signal.aborted
              ? signal.reason
              : new NetworkError('unreachable', `${target.host} interrupted its response.`),
          );
        }
      },
      cancel() {
        response.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

function tooLarge(target: URL, maxBytes: number): NetworkError {
  return new NetworkError('too-large', `The response of ${target.host} is larger than ${maxBytes} bytes.`);
}
