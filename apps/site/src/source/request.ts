import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { getCACertificates } from 'node:tls';
import { DeploymentError } from '../error.ts';

/** How requests are sent. */
export interface Transport {
  /** Certificates in PEM that are trusted besides the usual ones. */
  ca: string | null;
  /** An answer that brings less than `leastRate` for so long has stalled. */
  stallMs: number;
}

/** An answer whose body has not been read. */
export interface Answer {
  response: IncomingMessage;
  /** Ends the request. Must be called when no more of the body is wanted. */
  end(): void;
}

const mostRedirects = 3;
/** Bytes a second. Whoever sends less could hold a download for ever. */
export const leastRate = 8 * 1024;

/**
 * Sends a GET and follows up to three redirects: never from https to http, and `Authorization` only to the
 * origin that it was meant for. Credentials in the URL are sent as Basic, under the same rule. Throws a
 * DeploymentError, or the reason of the signal. What it tells of redirects holds no word that a host chose: that could
 * be a secret which was sent to it.
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
    const answer = await getOnce(
      { target, name: redirects === 0 ? url.host : `The host that ${url.host} redirects to` },
      mayKnow ? { ...others, authorization: secret } : others,
      transport,
      signal,
    );
    const { statusCode = 0, headers: answered } = answer.response;
    const location = [301, 302, 303, 307, 308].includes(statusCode) ? answered.location : undefined;
    if (location === undefined) return answer;
    answer.end();
    if (redirects === mostRedirects) {
      throw new DeploymentError(
        'source_failed',
        `${placeOf(url)} redirects more than ${mostRedirects} times.`,
      );
    }
    target = redirected(target, location, placeOf(url));
  }
}

/** A URL as it may be told: host and path, without query, fragment and credentials. */
export function placeOf(url: URL): string {
  return `${url.host}${url.pathname}`;
}

/** How long `Retry-After` asks to wait; null where it does not say. */
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
    throw new DeploymentError('source_failed', `${place} redirects to what is no address.`);
  }
  const to = new URL(location, from.href);
  if (to.protocol !== 'https:' && to.protocol !== 'http:') {
    throw new DeploymentError('source_failed', `${place} redirects to neither https nor http.`);
  }
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new DeploymentError(
      'source_failed',
      `${place} redirects from https to http; that is not followed.`,
    );
  }
  return to;
}

function getOnce(
  { target, name }: { target: URL; name: string },
  headers: Readonly<Record<string, string>>,
  { ca, stallMs }: Transport,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // credentials go by header, or not at all
    const plain = new URL(target.href);
    plain.username = '';
    plain.password = '';
    const options = {
      headers: { 'user-agent': 'offprint-site', 'accept-encoding': 'identity', ...headers },
      signal,
      ...(ca === null ? {} : { ca: trusted(ca) }),
    };
    const sent: ClientRequest =
      plain.protocol === 'https:' ? httpsRequest(plain, options) : httpRequest(plain, options);
    const leastBytes = (leastRate * stallMs) / 1000;
    let fresh = 0;
    let answer: IncomingMessage | null = null;
    const stalled = () => {
      const [what, seconds] = [fresh === 0 ? 'nothing' : `only ${fresh} bytes`, stallMs / 1000];
      const way = fresh === 0 ? '' : `; a download must bring ${leastRate} bytes a second`;
      const message = `${name} sends ${what} for ${seconds} s${way}.`;
      // whoever reads the answer hears of a broken connection otherwise
      (answer ?? sent).destroy(new DeploymentError('source_unreachable', message));
    };
    let timer = setTimeout(stalled, stallMs);
    sent.on('close', () => {
      clearTimeout(timer);
      // without an answer and without an error: a change of protocol, which ends the connection
      reject(told(new Error('closed'), name));
    });
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : told(error, name)));
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
        if (fresh >= leastBytes) restart();
      });
      // the reader starts it
      response.pause();
      resolve({ response, end: () => sent.destroy() });
    });
    sent.end();
  });
}

let trustedOf: { ca: string; list: string[] } | null = null;

function trusted(ca: string): string[] {
  if (trustedOf?.ca !== ca) trustedOf = { ca, list: [...getCACertificates('default'), ca] };
  return trustedOf.list;
}

/** An error of the connection to a host in words. */
export function told(error: Error, host: string): DeploymentError {
  if (error instanceof DeploymentError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const why = /CERT|_SIGNATURE|^ERR_TLS/.test(code)
    ? `its certificate is not trusted (${code}); name the authority's certificate in OFFPRINT_CA_FILE`
    : (words[code] ?? `the connection broke (${code === '' ? 'no reason given' : code})`);
  return new DeploymentError('source_unreachable', `${host} cannot be reached: ${why}.`, {
    cause: error,
  });
}

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host is known',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNREFUSED: 'nothing listens there',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'the connection broke',
  EPROTO: 'it does not speak TLS there',
};
