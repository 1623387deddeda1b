import { pipeline, Readable } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import {
  type ArtifactFile,
  type Coding,
  moveNotFoundPage,
  type OpenArtifact,
  parseRange,
} from '@offprint/bundle';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from './error.ts';
import { matchesEtag } from './etag.ts';
import type { LimitAnonymous } from './server.ts';

/** A file of an artifact, and how it is sent. */
export interface SentFile {
  file: ArtifactFile;
  /** Headers of the file in this encoding, without its length. */
  headers: Readonly<Record<string, string>> & { ETag: string };
  /** The file is compressed while it is sent. Default `identity`. */
  coding?: Coding;
}

/**
 * Sends a file of an artifact: 304 to a client that has it, the requested range of an uncompressed one. Throws the 416.
 * Keeps one chunk of the artifact in memory at a time.
 */
export function sendArtifactFile(
  request: FastifyRequest,
  reply: FastifyReply,
  artifact: Pick<OpenArtifact, 'read'>,
  { file, headers, coding = 'identity' }: SentFile,
): FastifyReply {
  const isKnown = matchesEtag(request.headers['if-none-match'], headers.ETag);
  const range = isKnown || coding !== 'identity' ? null : rangeOf(request, file, headers.ETag);
  // Before the headers below, which must not be set on an error.
  if (range === 'unsatisfiable') {
    throw new AppError(
      'range_not_satisfiable',
      `The requested range is outside the file, which has ${file.size} bytes.`,
      { param: 'Range', headers: { 'Content-Range': `bytes */${file.size}` } },
    );
  }
  reply.headers(headers);
  if (isKnown) return reply.code(304).removeHeader('Content-Encoding').send();
  reply.type(file.contentType);
  if (range !== null) {
    reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${file.size}`);
  }
  if (coding === 'identity') {
    reply.header('Content-Length', range === null ? file.size : range.end - range.start + 1);
  }
  if (request.method === 'HEAD' || file.size === 0) return reply.send();
  const content = Readable.from(artifact.read(file, range ?? undefined), { objectMode: false });
  if (coding === 'identity') return reply.send(content);
  // An error of either stream destroys the other, and Fastify ends the response.
  return reply.send(pipeline(content, compressor(coding, file.size), () => {}));
}

function rangeOf({ method, headers }: FastifyRequest, file: ArtifactFile, etag: string) {
  const condition = headers['if-range'];
  const isRanged = method === 'GET' && (condition === undefined || condition === etag);
  return isRanged ? parseRange(headers.range, file.size) : null;
}

/** Levels that take some milliseconds for a page, and little memory. */
function compressor(coding: Exclude<Coding, 'identity'>, size: number) {
  if (coding === 'gzip') return createGzip({ level: 6 });
  return createBrotliCompress({
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_LGWIN]: 18,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  });
}

/** The error page of a site below `prefix`, whose links stay inside the site. */
export async function missingPage(artifact: OpenArtifact, prefix: string): Promise<string> {
  const file = artifact.manifest.files.find(({ path }) => path === '404.html');
  if (file === undefined) return '<!doctype html><title>Page not found</title><h1>Page not found</h1>\n';
  const pieces: Uint8Array[] = [];
  for await (const piece of artifact.read(file)) pieces.push(piece);
  return moveNotFoundPage(Buffer.concat(pieces).toString(), artifact.manifest.site.url, prefix);
}

/** Refuses requests that change something, at the URL of files that can only be read. */
export function refuseWrites(
  app: FastifyInstance,
  url: string,
  message: string,
  limitAnonymous: LimitAnonymous,
): void {
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url,
    // Before the body, which may be of any kind.
    onRequest: async (request) => {
      await limitAnonymous(request);
      throw new AppError('method_not_allowed', message, { headers: { Allow: 'GET, HEAD' } });
    },
    handler: async () => undefined,
  });
}
