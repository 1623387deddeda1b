import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { NetworkError } from './error.ts';
import { type HostAddress, normalizeHost } from './host.ts';

/** One request as it goes over the wire. The header `host` is of the target. */
export interface Outgoing {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
  /** PEM of the only certificate authorities that are trusted. Unset: those of Node. */
  ca?: string;
  /** Ends the request, and the response while it is read. */
  signal: AbortSignal;
}

/**
 * An address that may be asked: `https:`, or `http:` where that is allowed, a valid host, no credentials.
 *
 * Throws NetworkError: `invalid`, `host-refused`.
 */
export function parseTarget(url: string, allowsHttp: (host: string) => boolean): URL {
  const parsed = url.length > 8192 ? null : URL.parse(url);
  if (parsed === null) throw new NetworkError('invalid', 'The URL is not valid.');
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && allowsHttp(parsed.hostname))) {
    throw new NetworkError('host-refused', `Only https: URLs are fetched, not ${parsed.protocol}`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new NetworkError('invalid', 'The URL must not contain a user name or password.');
  }
  if (normalizeHost(parsed.hostname) === null)
    throw new NetworkError('invalid', 'The URL has no valid host.');
  return parsed;
}

/** Sends a request to one of the addresses that were checked, on a connection of its own, and awaits the head. */
export function connect(
  target: URL,
  addresses: readonly HostAddress[],
  outgoing: Outgoing,
): Promise<IncomingMessage> {
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  const host = normalizeHost(target.hostname) ?? target.hostname;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        protocol: target.protocol,
        host,
        ...(target.port === '' ? {} : { port: target.port }),
        path: `${target.pathname}${target.search}`,
        method: outgoing.method,
        headers: {
          host: target.host,
          ...outgoing.headers,
          ...(outgoing.body === undefined ? {} : { 'content-length': outgoing.body.byteLength }),
        },
        agent: false,
        ...(outgoing.ca === undefined ? {} : { ca: outgoing.ca }),
        // Never asks a resolver again: the addresses are the ones that were checked.
        lookup: (_name, options, callback) => {
          if (options.all === true) callback(null, [...addresses]);
          else callback(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 4);
        },
        ...(isIP(host) === 0 ? { servername: host } : {}),
      },
      resolve,
    );
    const stop = (): void => void sent.destroy(outgoing.signal.reason as Error);
    sent.on('error', reject);
    sent.on('close', () => {
      outgoing.signal.removeEventListener('abort', stop);
      // Neither a response nor an error: a change of protocol, which ends the connection.
      reject(Object.assign(new Error('The connection ended without a response.'), { code: 'ECONNRESET' }));
    });
    if (outgoing.signal.aborted) return stop();
    outgoing.signal.addEventListener('abort', stop, { once: true });
    sent.end(outgoing.body);
  });
}

/** The work, or the reason of the signal as soon as that aborts. The work itself continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
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

/** Why a connection failed, as a code that names no address. */
export function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : 'the connection failed';
}
