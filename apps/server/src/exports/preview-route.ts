import {
  type ArtifactFile,
  documentPolicy,
  isForeignDocument,
  isHashed,
  siteHeaders,
  sitePolicy,
} from '@offprint/bundle';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { missingPage, refuseWrites, sendArtifactFile } from '../platform/http/artifact-file.ts';
import { AppError } from '../platform/http/error.ts';
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
  refuseWrites(app, url, 'A preview takes GET and HEAD only.', limitAnonymous);
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
        .send(await missingPage(preview.artifact, prefix));
    },
  });

  async function openPreview(request: FastifyRequest, token: string): Promise<OpenPreview> {
    // As it was given out: in another spelling of the same address it would not be known for a secret everywhere.
    const isPlain = request.raw.url?.startsWith(`${PREVIEW_PATH}${token}/`) === true;
    const preview = isPlain ? await exports.openPreview(token) : 'invalid';
    if (typeof preview !== 'string') return preview;
    await limitAnonymous(request);
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
  return sendArtifactFile(request, reply, artifact, {
    file,
    headers: {
      ETag: `"${file.sha256.slice(0, 32)}"`,
      'Accept-Ranges': 'bytes',
      ...(isHashed.test(file.path) ? { 'Cache-Control': `private, max-age=${secondsLeft}, immutable` } : {}),
      ...(isForeignDocument.test(file.contentType)
        ? { 'Content-Security-Policy': `${documentPolicy}; frame-ancestors 'none'` }
        : {}),
    },
  });
}
