import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { getCACertificates } from 'node:tls';
import { DeploymentError } from '../error.ts';

/** How requests are sent. */
export interface Transport {
  /** Certificates in PEM format to trust in addition to the default ones. */
  ca: string | null;
  /** A response slower than `minRate` for this time has stalled. */
  stallMs: number;
  /** Bytes per second; default `minRate`. */
  minRate?: number;
}

/** A response whose body has not been read. */
export interface Answer {
  response: IncomingMessage;
  /** Ends the request. Must be called when no more of the body is needed. */
  end(): void;
}

const maxRedirects = 3;
/** Bytes per second. A slower server could block a download forever. */
export const minRate = 8 * 1024;

/**
 * Sends a GET and follows up to three redirects: never from https to http, and `Authorization` only to the
 * origin it is meant for. Credentials in the URL are sent as Basic, under the same rule. Throws a
 * DeploymentError, or the reason of the signal. Error messages never include text of a redirect target: it
 * could contain a secret that was sent to it.
 */
export async function get(
  url: URL,
  headers: Readonly<Record<string, string>>,
  transport: Transport,
  signal: AbortSignal,
): Promise<Answer> {
  const { authorization, ...others } = headers;
  const secret = authorization ?? basicOf(url);
  let target = url;
  for (let redirects = 0; ; redirects++) {
    const mayKnow = secret !== null && target.origin === url.origin;
    const answer = await send(
      { method: 'GET', target, name: redirects === 0 ? url.host : `the redirect target of ${url.host}` },
      mayKnow ? { ...others, authorization: secret } : others,
      transport,
      signal,
    );
    const { statusCode = 0, headers: answered } = answer.response;
    const location = [301, 302, 303, 307, 308].includes(statusCode) ? answered.location : undefined;
    if (location === undefined) return answer;
    answer.end();
    if (redirects === maxRedirects) {
      throw new DeploymentError(
        'source_failed',
        `${placeOf(url)} redirects more than ${maxRedirects} times.`,
      );
    }
    target = redirected(target, location, placeOf(url));
  }
}

/** Sends a POST, and follows no redirects. Throws a DeploymentError, or the reason of the signal. */
export function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  transport: Transport,
  signal: AbortSignal,
): Promise<Answer> {
  return send({ target: url, name: url.host, method: 'POST', body }, headers, transport, signal);
}

/** A URL for messages: host and path, without query, fragment and credentials. */
export function placeOf(url: URL): string {
  return `${url.host}${url.pathname}`;
}

/** Value of `Retry-After` in milliseconds; null without one. */
export function retryAfterOf(response: IncomingMessage): number | null {
  const text = response.headers['retry-after'];
  if (text === undefined) return null;
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), 3_600_000) : null;
}

function basicOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const pair = `${decode(username)}:${decode(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function redirected(from: URL, location: string, place: string): URL {
  if (!URL.canParse(location, from.href)) {
    throw new DeploymentError('source_failed', `${place} redirects to an invalid URL.`);
  }
  const to = new URL(location, from.href);
  if (to.protocol !== 'https:' && to.protocol !== 'http:') {
    throw new DeploymentError('source_failed', `${place} redirects to a URL that is neither http nor https.`);
  }
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new DeploymentError(
      'source_failed',
      `${place} redirects from https to http. Such redirects are not followed.`,
    );
  }
  return to;
}

function send(
  { target, name, method, body = '' }: { target: URL; name: string; method: 'GET' | 'POST'; body?: string },
  headers: Readonly<Record<string, string>>,
  { ca, stallMs, minRate: rate = minRate }: Transport,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // credentials are sent in the header only
    const plain = new URL(target.href);
    plain.username = '';
    plain.password = '';
    const options = {
      method,
      headers: { 'user-agent': 'offprint-site', 'accept-encoding': 'identity', ...headers },
      signal,
      ...(ca === null ? {} : { ca: trusted(ca) }),
    };
    const sent: ClientRequest =
      plain.protocol === 'https:' ? httpsRequest(plain, options) : httpRequest(plain, options);
    const minBytes = (rate * stallMs) / 1000;
    let fresh = 0;
    let answer: IncomingMessage | null = null;
    const stalled = () => {
      const [what, seconds] = [fresh === 0 ? 'nothing' : `only ${fresh} bytes`, stallMs / 1000];
      const way = fresh === 0 ? '' : `; a download must reach ${rate} bytes per second`;
      const message = `Received ${what} from ${name} in ${seconds} s${way}.`;
      // otherwise the reader of the response sees a broken connection
      (answer ?? sent).destroy(new DeploymentError('source_unreachable', message));
    };
    let timer = setTimeout(stalled, stallMs);
    sent.on('close', () => {
      clearTimeout(timer);
      // no response and no error: a protocol upgrade, which ends the connection
      reject(explainConnectionError(new Error('closed'), name));
    });
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : explainConnectionError(error, name)));
    sent.on('response', (response) => {
      answer = response;
      const restart = () => {
        fresh = 0;
        clearTimeout(timer);
        timer = setTimeout(stalled, stallMs);
      };
      restart();
      response.on('close', () => clearTimeout(timer));
      response.prependListener('data', (piece: Buffer) => {
        fresh += piece.length;
        if (fresh >= minBytes) restart();
      });
      // the reader starts it
      response.pause();
      resolve({ response, end: () => sent.destroy() });
    });
    sent.end(body);
  });
}

let trustedOf: { ca: string; list: string[] } | null = null;

function trusted(ca: string): string[] {
  if (trustedOf?.ca !== ca) trustedOf = { ca, list: [...getCACertificates('default'), ca] };
  return trustedOf.list;
}

/** Explains a connection error to a host. */
export function explainConnectionError(error: Error, host: string): DeploymentError {
  if (error instanceof DeploymentError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const why = /CERT|_SIGNATURE|^ERR_TLS/.test(code)
    ? `its certificate is not trusted (${code}); add the certificate authority to OFFPRINT_CA_FILE`
    : (words[code] ?? `the connection was interrupted (${code === '' ? 'no reason given' : code})`);
  return new DeploymentError('source_unreachable', `Cannot reach ${host}: ${why}.`, {
    cause: error,
  });
}

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the DNS lookup failed',
  ECONNREFUSED: 'the connection was refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no route to host',
  ETIMEDOUT: 'the connection timed out',
  ECONNRESET: 'the connection was interrupted',
  EPROTO: 'it does not speak TLS on this port',
};
