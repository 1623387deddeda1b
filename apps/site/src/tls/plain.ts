import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CertificateSource, Certificates } from './follow.ts';

export interface PlainOptions {
  certificates: Pick<Certificates, 'has'>;
  source: Pick<CertificateSource, 'challenge'>;
  /** Port of https, for readers who use another port of http than the usual one. */
  httpsPort(): number;
}

/** Null: the request is to be served as usual. Otherwise, the kind of the response. */
export type PlainHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  host: string | null,
) => 'asset' | 'redirect' | null;

/** Time for the platform to return the response to a challenge. */
const challengeMs = 10_000;
const paths = /^\/\.well-known\/(?:acme-challenge|offprint-verification)\/([A-Za-z0-9_-]{1,200})$/;

/**
 * Handles what is special about requests over plain http: challenges of certificate authorities, checks of the ownership
 * of a domain, and redirects of hosts with a certificate to https. `host`: the host of the request, normalized; null if
 * it is not valid.
 */
export function createPlainHandler({ certificates, source, httpsPort }: PlainOptions): PlainHandler {
  return (request, response, host) => {
    if (host === null) return null;
    const [path = ''] = (request.url ?? '').split('?');
    const token = paths.exec(path)?.[1];
    if (token !== undefined && (request.method === 'GET' || request.method === 'HEAD')) {
      void respond(source, response, host, token);
      return 'asset';
    }
    // The request of a client that came by TLS is not redirected.
    if ('encrypted' in request.socket || !certificates.has(host)) return null;
    const isUsual = !/:(?!80$)\d{1,5}$/.test(request.headers.host ?? '');
    const port = isUsual ? '' : `:${httpsPort()}`;
    const target = request.url?.startsWith('/') === true ? request.url : '/';
    response.writeHead(308, { location: `https://${host}${port}${target}`, 'content-length': 0 }).end();
    return 'redirect';
  };
}

async function respond(
  source: Pick<CertificateSource, 'challenge'>,
  response: ServerResponse,
  host: string,
  token: string,
): Promise<void> {
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  try {
    const text = await source.challenge(host, token, AbortSignal.timeout(challengeMs));
    if (text === null) response.writeHead(404, headers).end();
    else response.writeHead(200, { ...headers, 'content-type': 'text/plain' }).end(text);
  } catch {
    response.writeHead(503, { ...headers, 'retry-after': '5' }).end();
  }
}
