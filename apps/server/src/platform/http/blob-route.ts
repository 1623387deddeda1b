import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FsBlobStore } from '../blob/fs.ts';
import { AppError } from './error.ts';
import { matchesEtag } from './etag.ts';
import type { LimitAnonymous } from './server.ts';

/**
 * Serves `/blobs/<key>` of the local blob store to anyone who has a link: no key is required, the signature
 * is the grant. Ranges as in RFC 9110, section 14: one range; for any other valid value the whole content is
 * returned.
 */
export function registerBlobRoute(
  app: FastifyInstance,
  blobs: FsBlobStore,
  limitAnonymous: LimitAnonymous,
): void {
  // HEAD by ourselves: Fastify's own would replace the length by that of the empty body.
  const methods: ('GET' | 'HEAD')[] = ['GET', 'HEAD'];
  const url = '/blobs/*';
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url,
    // Before the body, which may be of any kind.
    onRequest: async (request) => {
      await limitAnonymous(request);
      throw new AppError('method_not_allowed', 'A link supports GET and HEAD only.', {
        headers: { Allow: 'GET, HEAD' },
      });
    },
    handler: async () => undefined,
  });
  app.route({
    method: methods,
    url,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { key, fileName, expiresAt } = await requireLink(request, blobs, limitAnonymous);
      const info = await blobs.stat(key);
      if (info === null) {
        throw new AppError('not_found', 'The file is no longer stored. Request a new link.');
      }
      const etag = `"${/[0-9a-f]{64}/.exec(key)?.[0] ?? key}"`;
      const isKnown = matchesEtag(request.headers['if-none-match'], etag);
      const range = isKnown ? null : requestedRange(request, etag, info.bytes);
      // Before the headers below, which must not be set on an error.
      if (range === 'unsatisfiable') {
        throw new AppError('range_not_satisfiable', `The file has ${info.bytes} bytes.`, {
          param: 'Range',
          headers: { 'Content-Range': `bytes */${info.bytes}` },
        });
      }
      const seconds = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000));
      reply.headers({
        ETag: etag,
        'Accept-Ranges': 'bytes',
        'Cache-Control': `private, max-age=${seconds}, immutable`,
        'Content-Disposition': `attachment; filename="${fileName}"`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
      });
      if (isKnown) return reply.code(304).send();
      reply.type(fileName.endsWith('.gz') ? 'application/gzip' : 'application/octet-stream');
      reply.header('Content-Length', range === null ? info.bytes : range.end - range.start + 1);
      if (range !== null) {
        reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${info.bytes}`);
      }
      if (request.method === 'HEAD') return reply.send();
      const content = info.bytes === 0 ? null : await blobs.get(key, range ?? undefined);
      return content === null ? reply.send() : reply.send(content);
    },
  });
}

async function requireLink(request: FastifyRequest, blobs: FsBlobStore, limitAnonymous: LimitAnonymous) {
  const [path = '', query = ''] = request.raw.url?.split('?') ?? [];
  const verdict = blobs.verifySignedUrl(path.slice('/blobs/'.length), new URLSearchParams(query));
  if (verdict.ok) return verdict.link;
  await limitAnonymous(request);
  throw new AppError(
    'link_invalid',
    verdict.fault === 'expired'
      ? 'The link has expired. Request a new one.'
      : 'The link is invalid: it was altered or truncated. Request a new one.',
  );
}

type Range = { start: number; end: number };

/** One range of a GET; null = the whole. */
function requestedRange(
  request: FastifyRequest,
  etag: string,
  bytes: number,
): Range | 'unsatisfiable' | null {
  const header = request.headers.range;
  if (header === undefined || request.method !== 'GET') return null;
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== etag) return null;
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  if (match === null || (match[1] === '' && match[2] === '')) return null;
  const [, first = '', last = ''] = match;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= bytes) return 'unsatisfiable';
  return { start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
}
