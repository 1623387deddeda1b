/** A file host and the endpoint of a platform for the newest bundle; both can be made to fail. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestBundle } from './bundle.ts';

export interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
  /** When it came. */
  at: number;
}

export interface BundleServer {
  url: string;
  /** Requests so far. */
  seen: Seen[];
  /** Responds instead of the default handler; undefined falls through to it. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean | undefined) | null;
  stop(): Promise<void>;
}

/** Starts a host whose requests all go to `usual` unless `answer` handles them. */
export async function startServer(
  usual: (request: IncomingMessage, response: ServerResponse) => void,
  tls?: { key: string; cert: string },
): Promise<BundleServer> {
  const host: BundleServer = { url: '', seen: [], answer: null, stop: async () => {} };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    host.seen.push({ path: request.url ?? '', headers: request.headers, at: Date.now() });
    if (host.answer?.(request, response) !== true) usual(request, response);
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host.url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  host.stop = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return host;
}

/** Sends a bundle as object stores do: with a tag, ranges and If-Range. */
export function sendBundle(
  bundle: TestBundle,
  request: IncomingMessage,
  response: ServerResponse,
  options: { etag?: string | null; cutAt?: number; stallAt?: number } = {},
): void {
  const etag = options.etag === undefined ? `"${bundle.sha256}"` : options.etag;
  if (etag !== null && request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  if (sendRange(bundle, request, response)) return;
  const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
  const condition = request.headers['if-range'];
  const from = asked !== null && (condition === undefined || condition === etag) ? Number(asked[1]) : 0;
  const rest = bundle.bytes.subarray(from);
  const total = bundle.bytes.length;
  response.writeHead(from === 0 ? 200 : 206, {
    'content-type': 'application/gzip',
    'content-length': rest.length,
    ...(etag === null ? {} : { etag }),
    ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${total - 1}/${total}` }),
  });
  const stopAt = options.cutAt ?? options.stallAt;
  if (stopAt === undefined || stopAt <= from) {
    response.end(rest);
    return;
  }
  response.write(rest.subarray(0, stopAt - from), () => {
    if (options.cutAt !== undefined) response.socket?.destroy();
  });
}

/** Sends a range with both ends. */
function sendRange({ bytes }: TestBundle, request: IncomingMessage, response: ServerResponse): boolean {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (from === undefined || to === undefined) return false;
  const part = bytes.subarray(Number(from), Number(to) + 1);
  response
    .writeHead(206, {
      'content-length': part.length,
      'content-range': `bytes ${from}-${to}/${bytes.length}`,
    })
    .end(part);
  return true;
}

/** The response of a platform, with links to `links`. */
export function sendLatest(
  bundle: TestBundle,
  links: string,
  request: IncomingMessage,
  response: ServerResponse,
  hasIndex = false,
): void {
  const etag = `"${bundle.sha256}"`;
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  const body = JSON.stringify({
    jobId: 'se_3f9a2c1b8e7d4a063f9a2c1b8e7d4a06',
    bundleUrl: `${links}/${bundle.sha256}.tar.gz?signature=s3cret-of-the-link`,
    sizeBytes: bundle.bytes.length,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    sha256: bundle.sha256,
    version: bundle.version,
    ...(hasIndex ? { indexUrl: `${links}/${bundle.sha256}.json?signature=s3cret-of-the-link` } : {}),
  });
  response.writeHead(200, { etag, 'content-type': 'application/json' }).end(body);
}

/** An error of the API. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  error: string,
  headers: Record<string, string> = {},
): true {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify({ error, code }));
  return true;
}
