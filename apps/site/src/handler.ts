import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  createPaths,
  fileHeaders,
  type HeaderOptions,
  hasTag,
  type ManifestFile,
  notFoundPolicy,
  parseRange,
  siteHeaders,
  withBase,
} from '@offprint/bundle';
import type { Release } from './releases/store.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Files up to this size are sent in one piece, which is cheaper than a stream. */
const wholeFileBytes = 128 * 1024;

/** Answers requests from the files of a release. */
export async function createHandler(
  release: Release,
  options: HeaderOptions & { basePath: string },
): Promise<Handler> {
  const { manifest, folder } = release;
  const find = createPaths(manifest, options.basePath);
  const common = siteHeaders(options);
  const notFound = await notFoundPage(release, options.basePath);
  const notFoundHeaders = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': notFoundPolicy(),
  };

  return async (request, response) => {
    for (const [name, value] of Object.entries(common)) response.setHeader(name, value);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return sendText(response, request, 405, 'This site answers GET and HEAD.');
    }
    const found = find(request.url ?? '/');
    if (found.kind === 'file') return sendFile(request, response, found.file, folder);
    if (found.kind === 'redirect') {
      response.setHeader('Location', found.location);
      response.setHeader('Cache-Control', 'no-cache');
      return sendText(response, request, found.permanent ? 308 : 307, `See ${found.location}`);
    }
    if (found.kind === 'malformed') return sendText(response, request, 400, 'The address is not valid.');
    response.writeHead(404, { ...notFoundHeaders, 'Content-Length': notFound.length });
    response.end(request.method === 'HEAD' ? undefined : notFound);
  };
}

/** The site's own page, with a base element: its relative links must work wherever it is shown. */
async function notFoundPage({ manifest, folder }: Release, basePath: string): Promise<Buffer> {
  if (!manifest.files.some((file) => file.path === '404.html')) {
    return Buffer.from('<!doctype html><title>Page not found</title><h1>Page not found</h1>\n');
  }
  const page = await readFile(join(folder, '404.html'), 'utf8');
  return Buffer.from(withBase(page, `${basePath}/`));
}

function sendText(response: ServerResponse, request: IncomingMessage, status: number, text: string): void {
  const body = `${text}\n`;
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: ManifestFile,
  folder: string,
): Promise<void> {
  const headers = fileHeaders(file);
  const tag = headers.ETag!;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (hasTag(request.headers['if-none-match'], tag)) {
    response.writeHead(304).end();
    return;
  }
  // If-Range holds a strong tag; a date never matches, as no Last-Modified is sent
  const condition = request.headers['if-range'];
  const ranged = request.method === 'GET' && (condition === undefined || condition === tag);
  const range = ranged ? parseRange(request.headers.range, file.size) : null;
  if (range === 'unsatisfiable') {
    response.removeHeader('ETag');
    response.setHeader('Content-Range', `bytes */${file.size}`);
    return sendText(response, request, 416, `The file has ${file.size} bytes.`);
  }
  if (range !== null) response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${file.size}`);
  const length = range === null ? file.size : range.end - range.start + 1;
  response.setHeader('Content-Length', length);
  const path = join(folder, file.path);
  if (request.method === 'HEAD' || length === 0) {
    response.writeHead(200).end();
    return;
  }
  if (range === null && file.size <= wholeFileBytes) {
    const content = await readFile(path);
    response.writeHead(200).end(content);
    return;
  }
  response.writeHead(range === null ? 200 : 206);
  // a reader that goes away ends the stream; that is no fault
  await pipeline(createReadStream(path, range ?? {}), response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}
