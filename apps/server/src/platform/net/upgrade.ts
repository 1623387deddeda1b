import { request } from 'node:http';
import type { Duplex } from 'node:stream';

/** A connection that speaks another protocol from now on, and what was read of it already; or the refusal. */
export type Upgraded = { socket: Duplex; head: Buffer } | { status: number };

/**
 * Asks an HTTP server that the operator named for another protocol on a connection of its own. Throws the reason of
 * `signal`, or the error of the connection; a server without a response within `timeoutMs` is one.
 */
export function requestUpgrade(
  url: URL,
  options: {
    protocol: string;
    headers?: Readonly<Record<string, string>>;
    timeoutMs: number;
    signal: AbortSignal;
  },
): Promise<Upgraded> {
  options.signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
    const asked = request(url, {
      method: 'GET',
      headers: { ...options.headers, Connection: 'Upgrade', Upgrade: options.protocol },
      agent: false,
    });
    const settle = (act: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const onAbort = (): void => {
      asked.destroy();
      settle(() => reject(options.signal.aborted ? options.signal.reason : new Error('no response in time')));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    asked.on('upgrade', (_response, socket, head) => {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 15_000);
      settle(() => resolve({ socket, head }));
    });
    asked.on('response', (response) => {
      response.destroy();
      settle(() => resolve({ status: response.statusCode ?? 0 }));
    });
    asked.on('error', (error) => settle(() => reject(error)));
    asked.end();
  });
}

/** Status of a GET request to a server that the operator named; the body is not read. */
export function requestStatus(url: URL, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) });
    asked.on('response', (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}
