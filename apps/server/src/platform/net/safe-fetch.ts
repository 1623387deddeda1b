import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { NetworkError } from './error.ts';
import { checkHost, type HostAddress, type Lookup, type NetworkPolicy, normalizeHost } from './host.ts';

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
 * GETs a URL that somebody else chose. Only allowed hosts are asked, the connection goes to the very address that
 * was checked, every redirect (at most 3) is checked anew, and no cookie, credential or referrer is sent.
 * Any HTTP status is an answer, not an error.
 *
 * Throws NetworkError, or the reason of `signal` when it aborts.
 */
export async function safeFetch(url: string, options: SafeFetchOptions): Promise<SafeResponse> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
  let target = parseTarget(url, options.policy.allowHttp === true);
  try {
    for (let hop = 0; ; hop += 1) {
      const addresses = await unlessAborted(
        checkHost(target.hostname, options.policy, options.lookup),
        signal,
      );
      const response = await get(target, addresses, options.userAgent ?? 'Offprint', signal);
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
      target = parseTarget(
        URL.parse(location, target.href)?.href ?? location,
        options.policy.allowHttp === true,
      );
    }
  } catch (error) {
    if (options.signal?.aborted === true) throw options.signal.reason;
    if (deadline.aborted) {
      throw new NetworkError(
        'timeout',
        `${target.host} did not answer within ${options.timeoutMs / 1000} s.`,
      );
    }
    if (error instanceof NetworkError) throw error;
    throw new NetworkError('unreachable', `${target.host} could not be reached: ${reasonOf(error)}.`);
  }
}

function parseTarget(url: string, allowHttp: boolean): URL {
  const parsed = url.length > 8192 ? null : URL.parse(url);
  if (parsed === null) throw new NetworkError('invalid', 'The address is not a valid URL.');
  if (parsed.protocol !== 'https:' && !(allowHttp && parsed.protocol === 'http:')) {
    throw new NetworkError('host-refused', `Only https: addresses are fetched, not ${parsed.protocol}`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new NetworkError('invalid', 'The address must not hold a user name or password.');
  }
  if (normalizeHost(parsed.hostname) === null)
    throw new NetworkError('invalid', 'The address has no valid host.');
  return parsed;
}

function get(
  target: URL,
  addresses: readonly HostAddress[],
  userAgent: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  const host = normalizeHost(target.hostname) ?? target.hostname;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        protocol: target.protocol,
        host,
        ...(target.port === '' ? {} : { port: target.port }),
        path: `${target.pathname}${target.search}`,
        method: 'GET',
        headers: {
          host: target.host,
          accept: '*/*',
          'accept-encoding': 'identity',
          'user-agent': userAgent,
        },
        agent: false,
        signal,
        // Never asks a resolver again: the addresses are the ones that were checked.
        lookup: (_name, options, callback) => {
          if (options.all === true) callback(null, [...addresses]);
          else callback(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 4);
        },
        ...(isIP(host) === 0 ? { servername: host } : {}),
      },
      resolve,
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

async function readBody(response: IncomingMessage, target: URL, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = (): NetworkError =>
    new NetworkError('too-large', `The answer of ${target.host} is larger than ${maxBytes} bytes.`);
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
  if (!response.complete) throw new NetworkError('unreachable', `${target.host} broke off its answer.`);
  return Buffer.concat(chunks);
}

function flatten(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : 'the connection failed';
}
