import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  acceptedCodings,
  type Coding,
  type Found,
  hasTag,
  headersOf,
  parseRange,
  prefersMarkdown,
  type SiteFile,
  tagOf,
} from '@offprint/bundle';
import { maxCachedFileBytes, type Piece } from './content.ts';
import type { NotFoundPage, Part, ServedSite } from './served-site.ts';
import type { LoadedSite } from './site.ts';
import type { Answer, AnswerKind } from './traffic.ts';

/** Longer paths cannot name a file: 1,024 bytes, each escaped as three characters, below a base path. */
const longestTarget = 4096;

/** Details of a response, recorded while it is built, for the metrics. */
export type NoteAnswer = (answer: Answer) => void;

/** One request and what is needed to respond to it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Headers of every response on this connection: whether it ends. */
  extra: readonly string[];
  note: NoteAnswer;
}

/**
 * Responds to a request from one release, or for hashed files from the previous release. Everything that a
 * response needs is read before it starts, so that no response mixes two releases.
 */
export function answer(
  current: LoadedSite,
  previous: LoadedSite | null,
  exchange: Exchange,
): Promise<void> | undefined {
  const target = targetOf(current, exchange);
  if (target === null) return undefined;
  const found = current.find(target);
  if (found.kind === 'file') return sendFile(current, exchange, found.file);
  const lasting = previous?.findLasting(target) ?? null;
  if (previous !== null && lasting !== null) return sendFile(previous, exchange, lasting);
  return answerFound(current, exchange, found);
}

/** The path and query of a request; null after a response to one that names no file. */
export function targetOf(site: ServedSite, exchange: Exchange): string | null {
  const { request } = exchange;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    refuse(site, exchange, 405, 'This site supports GET and HEAD only.', { Allow: 'GET, HEAD' });
    return null;
  }
  const target = pathOf(request.url ?? '/');
  if (withoutQuery(target).length <= longestTarget) return target;
  refuse(site, exchange, 414, 'The URL is too long.');
  return null;
}

/** Responds with what a search has found. */
export function answerFound(
  site: ServedSite,
  exchange: Exchange,
  found: Found<SiteFile>,
): Promise<void> | undefined {
  if (found.kind === 'file') return sendFile(site, exchange, found.file);
  if (found.kind === 'redirect') {
    const headers = { Location: found.location, 'Cache-Control': 'no-cache' };
    return sendText(site, exchange, {
      kind: 'redirect',
      status: found.permanent ? 308 : 307,
      text: `See ${found.location}`,
      headers,
    });
  }
  if (found.kind === 'malformed') return refuse(site, exchange, 400, 'The URL is not valid.');
  return sendNotFound(site, exchange);
}

/** The path and query of a request target, also of one with scheme and host, as proxies send it. */
export function pathOf(url: string): string {
  if (url.startsWith('/')) return url;
  return url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

function withoutQuery(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}

function refuse(
  site: ServedSite,
  exchange: Exchange,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): undefined {
  return sendText(site, exchange, { kind: 'refused', status, text, headers });
}

function sendText(
  site: ServedSite,
  { request, response, extra, note }: Exchange,
  {
    kind,
    status,
    text,
    headers,
  }: { kind: AnswerKind; status: number; text: string; headers: Record<string, string> },
): undefined {
  const body = Buffer.from(`${text}\n`);
  note({ kind, coding: 'identity', release: site.sha256 });
  const all = {
    ...site.headers,
    'Content-Type': 'text/plain; charset=utf-8',
    // a cache that stored the error response to an unusual request would return it to everyone
    'Cache-Control': 'no-store',
    ...headers,
  };
  response.writeHead(status, [...flat(all), 'Content-Length', String(body.length), ...extra]);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function sendNotFound(site: ServedSite, exchange: Exchange): Promise<void> | undefined {
  const { request, response, extra, note } = exchange;
  const send = ({ headers, bodies }: NotFoundPage): undefined => {
    const coding = acceptedCodings(request.headers['accept-encoding'])[0] ?? 'identity';
    const body = bodies[coding];
    note({ kind: 'missing', coding, release: site.sha256 });
    response.writeHead(404, [
      ...flat(headers),
      ...(coding === 'identity' ? [] : ['Content-Encoding', coding]),
      'Content-Length',
      String(body.length),
      ...extra,
    ]);
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const page = site.notFound();
  return page instanceof Promise ? page.then(send) : send(page);
}

function sendFile(site: ServedSite, exchange: Exchange, asked: SiteFile): Promise<void> | undefined {
  const { headers } = exchange.request;
  const twin = asked.twin !== null && prefersMarkdown(headers.accept) ? asked.twin : null;
  const file = twin ?? asked;
  const from = twin === null ? null : asked;
  const kind = twin !== null ? 'markdown' : file.path.endsWith('.html') ? 'page' : 'asset';
  const isThere = (coding: Coding) => coding === 'identity' || site.length(file, coding) > 0;
  const codings = acceptedCodings(headers['accept-encoding']).filter(isThere);
  const [best] = codings;
  if (best === undefined) {
    return refuse(
      site,
      exchange,
      406,
      'This file is not available in a content encoding that the request accepts.',
      {
        Vary: headersOf(file, 'identity', site.basePath, from).Vary ?? 'Accept-Encoding',
      },
    );
  }
  const match = headers['if-match'];
  if (
    match !== undefined &&
    !matchesTag(
      match,
      codings.map((coding) => tagOf(file, coding)),
    )
  ) {
    return refuse(site, exchange, 412, 'The file has changed. Request it again without If-Match.');
  }
  // A client may have the file in one encoding while a better one exists now: its copy is still current.
  const none = headers['if-none-match'];
  const known = none === undefined ? undefined : codings.find((coding) => hasTag(none, tagOf(file, coding)));
  if (known !== undefined) return sendNotModified(site, exchange, file, known, from, kind);
  if (headers.range !== undefined && exchange.request.method === 'GET' && codings.includes('identity')) {
    // If-Range needs a strong ETag; a date never matches, because no Last-Modified is sent
    const condition = headers['if-range'];
    const isSame = condition === undefined || condition === tagOf(file, 'identity');
    const range = isSame ? parseRange(headers.range, file.size) : null;
    if (range === 'unsatisfiable') {
      return refuse(
        site,
        exchange,
        416,
        `The requested range is outside the file, which has ${file.size} bytes.`,
        {
          'Content-Range': `bytes */${file.size}`,
        },
      );
    }
    if (range !== null) return sendRange(site, exchange, file, range, from, kind);
  }
  return sendWhole(site, exchange, file, best, from, kind);
}

/** Whether `If-Match` names one of the ETags: strong comparison, lists and `*` (RFC 9110, 13.1.1). */
function matchesTag(header: string, tags: readonly string[]): boolean {
  return header.trim() === '*' || header.split(',').some((part) => tags.includes(part.trim()));
}

function sendNotModified(
  site: ServedSite,
  { response, extra, note }: Exchange,
  file: SiteFile,
  coding: Coding,
  from: SiteFile | null,
  kind: AnswerKind,
): undefined {
  const headers = fileHeadersOf(site, file, coding, from);
  delete headers['Content-Encoding'];
  note({ kind, coding, release: site.sha256 });
  response.writeHead(304, [...flat(headers), ...extra]).end();
}

async function sendRange(
  site: ServedSite,
  { response, extra, note }: Exchange,
  file: SiteFile,
  range: Part,
  from: SiteFile | null,
  kind: AnswerKind,
): Promise<void> {
  note({ kind, coding: 'identity', release: site.sha256 });
  const source = await site.stream(file, 'identity', range);
  response.writeHead(206, [
    ...flat(fileHeadersOf(site, file, 'identity', from)),
    'Content-Range',
    `bytes ${range.start}-${range.end}/${file.size}`,
    'Content-Length',
    String(range.end - range.start + 1),
    ...extra,
  ]);
  await send(source, response);
}

function sendWhole(
  site: ServedSite,
  { request, response, extra, note }: Exchange,
  file: SiteFile,
  coding: Coding,
  from: SiteFile | null,
  kind: AnswerKind,
): Promise<void> | undefined {
  note({ kind, coding, release: site.sha256 });
  const length = coding === 'identity' ? file.size : site.length(file, coding);
  const headers = () => [...flat(fileHeadersOf(site, file, coding, from)), 'Content-Length', String(length)];
  if (request.method === 'HEAD' || length === 0) {
    response.writeHead(200, [...headers(), ...extra]).end();
    return;
  }
  if (length > maxCachedFileBytes) {
    return site.stream(file, coding, null).then((source) => {
      response.writeHead(200, [...headers(), ...extra]);
      return send(source, response);
    });
  }
  const finish = ({ headers, body }: Piece) => {
    response.writeHead(200, extra.length === 0 ? headers : [...headers, ...extra]).end(body);
  };
  const piece = site.piece(file, coding, from, headers);
  if (piece instanceof Promise) return piece.then(finish);
  finish(piece);
  return undefined;
}

function fileHeadersOf(
  site: ServedSite,
  file: SiteFile,
  coding: Coding,
  from: SiteFile | null,
): Record<string, string> {
  return { ...site.headers, ...headersOf(file, coding, site.basePath, from) };
}

/** A client that disconnects ends the stream; that is not an error. */
async function send(source: Readable, response: ServerResponse): Promise<void> {
  await pipeline(source, response).catch((error: NodeJS.ErrnoException) => {
    // a client that disconnected before the stream started would leave its file open
    source.destroy();
    if (!/^ERR_STREAM_(?:PREMATURE_CLOSE|UNABLE_TO_PIPE)$/.test(error.code ?? '')) throw error;
  });
}

function flat(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flat();
}
