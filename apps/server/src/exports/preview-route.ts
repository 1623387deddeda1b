import { Readable } from 'node:stream';
import {
  type ArtifactFile,
  documentPolicy,
  isForeignDocument,
  isHashed,
  moveNotFoundPage,
  parseRange,
  siteHeaders,
  sitePolicy,
} from '@offprint/bundle';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../platform/http/error.ts';
import { matchesEtag } from '../platform/http/etag.ts';
import { createRateLimiter } from '../platform/http/rate-limit.ts';
import type { LimitAnonymous } from '../platform/http/server.ts';
import type { OpenPreview } from './preview.ts';
import type { ExportService } from './service.ts';

/** Where previews are, below the address of the API. Code that logs paths masks what follows. */
export const PREVIEW_PATH = '/preview/';

/** Files per minute of one export: a page with everything on it is some tens. */
const FILES_PER_MINUTE = 6_000;

/**
 * What pages of a preview may do. `sandbox` without `allow-same-origin` gives each an opaque origin: it reads
 * no cookie and no storage, its requests carry no cookie, and no page may read another. Their files are named
 * by URL, since 'self' of such a page matches nothing.
 */
function previewPolicy(own: string): string {
  const sandbox = 'sandbox allow-scripts allow-forms allow-popups allow-downloads';
  return `${sandbox}; ${sitePolicy({ own, ancestors: "'none'" })}`;
}

/** Of the site: what it may use of the browser. The rest is set here, or by the API for every response. */
const PERMISSIONS = siteHeaders({ https: false })['Permissions-Policy'] ?? '';

/** Serves `/preview/<token>/…` to anyone who has the token of a preview, as the live site would. */
export function registerPreviewRoute(
  app: FastifyInstance,
  exports: ExportService,
  limitAnonymous: LimitAnonymous,
): void {
  const perExport = createRateLimiter(FILES_PER_MINUTE);
  const url = `${PREVIEW_PATH}:token/*`;
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url,
    // Before the body, which may be of any kind.
    onRequest: async (request) => {
      limitAnonymous(request);
      throw new AppError('method_not_allowed', 'A preview takes GET and HEAD only.', {
        headers: { Allow: 'GET, HEAD' },
      });
    },
    handler: async () => undefined,
  });
  app.route<{ Params: { token: string } }>({
    method: ['GET', 'HEAD'],
    url,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { token } = request.params;
      const preview = await openPreview(request, token);
      const wait = perExport.take(preview.exportId);
      if (wait > 0) {
        throw new AppError('rate_limited', `Too many requests for this preview. Try again in ${wait} s.`, {
          headers: { 'Retry-After': String(wait) },
        });
      }
      const prefix = PREVIEW_PATH + token;
      const found = preview.artifact.find((request.raw.url ?? '').slice(prefix.length));
      if (found.kind === 'malformed') throw new AppError('invalid_request', 'The address is not valid.');
      const own = `${preview.url}/`;
      reply.headers({
        'Content-Security-Policy': previewPolicy(own),
        'Permissions-Policy': PERMISSIONS,
        // Fonts, modules and what scripts fetch are asked for across origins here, always without credentials.
        'Access-Control-Allow-Origin': '*',
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'Cache-Control': 'private, no-cache',
        'X-Robots-Tag': 'noindex',
      });
      if (found.kind === 'redirect') {
        const { location, permanent } = found;
        const target = location.startsWith('/') ? prefix + location : location;
        return reply
          .code(permanent ? 308 : 307)
          .header('Location', target)
          .send();
      }
      if (found.kind === 'file') return sendFile(request, reply, preview, found.file);
      return reply
        .code(404)
        .type('text/html; charset=utf-8')
        .send(await missingPage(preview, prefix));
    },
  });

  async function openPreview(request: FastifyRequest, token: string): Promise<OpenPreview> {
    // As it was given out: in another spelling of the same address it would not be known for a secret everywhere.
    const isPlain = request.raw.url?.startsWith(`${PREVIEW_PATH}${token}/`) === true;
    const preview = isPlain ? await exports.openPreview(token) : 'invalid';
    if (typeof preview !== 'string') return preview;
    limitAnonymous(request);
    throw new AppError(
      'link_invalid',
      preview === 'expired'
        ? 'The preview has expired. Ask for a new one.'
        : 'Invalid preview URL, or its export was deleted. Request a new preview.',
    );
  }
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { artifact, secondsLeft }: OpenPreview,
  file: ArtifactFile,
): FastifyReply {
  const etag = `"${file.sha256.slice(0, 32)}"`;
  const isKnown = matchesEtag(request.headers['if-none-match'], etag);
  const condition = request.headers['if-range'];
  const isRanged = request.method === 'GET' && !isKnown && (condition === undefined || condition === etag);
  const range = isRanged ? parseRange(request.headers.range, file.size) : null;
  // Before the headers below, which must not be set on an error.
  if (range === 'unsatisfiable') {
    throw new AppError(
      'range_not_satisfiable',
      `The requested range is outside the file, which has ${file.size} bytes.`,
      {
        param: 'Range',
        headers: { 'Content-Range': `bytes */${file.size}` },
      },
    );
  }
  reply.headers({ ETag: etag, 'Accept-Ranges': 'bytes' });
  if (isHashed.test(file.path)) {
    reply.header('Cache-Control', `private, max-age=${secondsLeft}, immutable`);
  }
  if (isForeignDocument.test(file.contentType)) {
    reply.header('Content-Security-Policy', `${documentPolicy}; frame-ancestors 'none'`);
  }
  if (isKnown) return reply.code(304).send();
  if (range !== null) {
    reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${file.size}`);
  }
  reply.type(file.contentType);
  reply.header('Content-Length', range === null ? file.size : range.end - range.start + 1);
  if (request.method === 'HEAD' || file.size === 0) return reply.send();
  return reply.send(Readable.from(artifact.read(file, range ?? undefined), { objectMode: false }));
}

/** The site's own page, whose links must stay inside the preview. */
async function missingPage({ artifact }: OpenPreview, prefix: string): Promise<string> {
  const file = artifact.manifest.files.find(({ path }) => path === '404.html');
  if (file === undefined) return '<!doctype html><title>Page not found</title><h1>Page not found</h1>\n';
  const pieces: Uint8Array[] = [];
  for await (const piece of artifact.read(file)) pieces.push(piece);
  return moveNotFoundPage(Buffer.concat(pieces).toString(), artifact.manifest.site.url, prefix);
}
