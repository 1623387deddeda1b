import type { IncomingMessage } from 'node:http';
import { connect, parseTarget, reasonOf, unlessAborted } from './connection.ts';
import { NetworkError } from './error.ts';
import { checkHost, type Lookup, type NetworkPolicy } from './host.ts';

export interface SafeFetchOptions {
  /** Most bytes of the body, as received. */
  maxBytes: number;
  /** From the first look-up to the last byte, redirects included. */
  timeoutMs: number;
  policy: NetworkPolicy & {
    /** `http:` beside `https:`; default no. */
    allowHttp?: boolean;
  };
  signal?: AbortSignal;
  /** Default `Offprint`. */
  userAgent?: string;
  /** For tests of changing names. */
  lookup?: Lookup;
}

export interface SafeResponse {
  /** After redirects. */
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

const MAX_REDIRECTS = 3;

/**
 * GETs a URL that somebody else chose. Only allowed hosts are asked, the connection goes to the very address
 * that was checked, every redirect (at most 3) is checked again, and no cookie, credential or referrer is
 * sent. Any HTTP status is a response, not an error.
 *
 * Throws NetworkError, or the reason of `signal` when it aborts.
 */
export async function safeFetch(url: string, options: SafeFetchOptions): Promise<SafeResponse> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
  const allowsHttp = (): boolean => options.policy.allowHttp === true;
  let target = parseTarget(url, allowsHttp);
  try {
    for (let hop = 0; ; hop += 1) {
      const addresses = await unlessAborted(
        checkHost(target.hostname, options.policy, options.lookup),
        signal,
      );
      const headers = {
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': options.userAgent ?? 'Offprint',
      };
      const response = await connect(target, addresses, { method: 'GET', headers, signal });
      const location = response.headers.location;
      const status = response.statusCode ?? 0;
      if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
        const body = await readBody(response, target, options.maxBytes);
        return { url: target.href, status, headers: flatten(response), body };
      }
      response.destroy();
      if (hop === MAX_REDIRECTS) {
        throw new NetworkError('unreachable', `${target.host} redirects more than ${MAX_REDIRECTS} times.`);
      }
      target = parseTarget(URL.parse(location, target.href)?.href ?? location, allowsHttp);
    }
  } catch (error) {
    if (options.signal?.aborted === true) throw options.signal.reason;
    if (deadline.aborted) {
      throw new NetworkError(
        'timeout',
        `${target.host} did not respond within ${options.timeoutMs / 1000} s.`,
      );
    }
    if (error instanceof NetworkError) throw error;
    throw new NetworkError('unreachable', `${target.host} could not be reached: ${reasonOf(error)}.`);
  }
}

async function readBody(response: IncomingMessage, target: URL, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = (): NetworkError =>
    new NetworkError('too-large', `The response of ${target.host} is larger than ${maxBytes} bytes.`);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.destroy();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  if (!response.complete) throw new NetworkError('unreachable', `${target.host} interrupted its response.`);
  return Buffer.concat(chunks);
}

function flatten(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
