import type { IncomingMessage } from 'node:http';
import { type Found, type Reader, type SiteFile, siteHeaders } from '@offprint/bundle';
import { type Exchange, pathOf } from '../serving/handler.ts';

/**
 * What a site responds to besides the files of its release. `table.ts` lists all services. Access has been checked
 * before a service is asked, and `release` is the one that this reader gets.
 */
export interface Service {
  /** Whether this service responds to a request. `path` is below the base path, without the query: `/_offprint/search`. */
  matches(path: string, request: IncomingMessage): boolean;
  /** Responds to one request, of any method. */
  respond(call: ServiceCall): Promise<void>;
}

/** One request of a reader of a site. */
export interface ServiceCall {
  exchange: Exchange;
  /** Below the base path, without the query. */
  path: string;
  query: URLSearchParams;
  site: ServiceSite;
  /** The signed-in reader; null on public sites and for strangers on public pages. */
  reader: Reader | null;
  release: ServiceRelease;
  /** The reader uses https, also where a proxy ends TLS. */
  isSecure: boolean;
}

/** The site of a request. */
export interface ServiceSite {
  /** Lower case, without port. Null where one process serves one site under any host. */
  host: string | null;
  /** Null where no platform is followed. */
  projectId: string | null;
  /** `/docs`, or empty for the root. */
  basePath: string;
  isRestricted: boolean;
  /** Its readers may be counted. */
  isMeasured: boolean;
}

/** The files that this reader may read. */
export interface ServiceRelease {
  /** SHA-256 of the bundle. */
  sha256: string;
  /** Name of the site, as in docs.json. */
  name: string;
  /** Version label. */
  version: string;
  /** Of the site; empty if it was not known at the export. */
  url: string;
  find(target: string): Found<SiteFile> | Promise<Found<SiteFile>>;
  /** The verified content of a file by its path in the bundle; null for a missing or larger one. */
  read(path: string, maxBytes: number): Promise<Buffer | null>;
}

export interface ServiceAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  body: string | object;
}

/** The service of a request target, and the path and query in it; undefined if none responds. */
export function findService(
  services: readonly Service[],
  basePath: string,
  request: IncomingMessage,
): { service: Service; path: string; query: URLSearchParams } | undefined {
  const target = pathOf(request.url ?? '/');
  const mark = target.indexOf('?');
  const whole = mark < 0 ? target : target.slice(0, mark);
  if (!whole.startsWith(`${basePath}/`)) return undefined;
  const path = whole.slice(basePath.length);
  const service = services.find((one) => one.matches(path, request));
  const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
  return service === undefined ? undefined : { service, path, query };
}

/** Sends a response of a few kilobytes, which no cache keeps. */
export function sendAnswer({ exchange, isSecure, release }: ServiceCall, answer: ServiceAnswer): void {
  const { request, response, extra, note } = exchange;
  const isText = typeof answer.body === 'string';
  const body = Buffer.from(
    typeof answer.body === 'string' ? answer.body : `${JSON.stringify(answer.body)}\n`,
  );
  note({ kind: 'service', coding: 'identity', release: release.sha256 });
  const headers = {
    ...siteHeaders({ https: isSecure }),
    'Content-Type': `${isText ? 'text/plain' : 'application/json'}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    ...answer.headers,
  };
  response.writeHead(answer.status, [
    ...Object.entries(headers).flat(),
    'Content-Length',
    String(body.length),
    ...extra,
  ]);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** The body of a request; null if it is longer. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return null;
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    const bytes = Buffer.from(piece);
    length += bytes.length;
    if (length > maxBytes) return null;
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}
