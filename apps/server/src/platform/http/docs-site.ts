import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  acceptedCodings,
  artifactIndexFile,
  createPaths,
  type Found,
  headersOf,
  type OpenArtifact,
  openArtifactFolder,
  prefersMarkdown,
  type SiteFile,
  siteFiles,
  siteHeaders,
  sitePolicy,
  tagOf,
} from '@offprint/bundle';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { missingPage, refuseWrites, sendArtifactFile } from './artifact-file.ts';
import { AppError } from './error.ts';
import { matchesEtag } from './etag.ts';
import { callerOf, createRateLimiter } from './rate-limit.ts';
import type { LimitAnonymous } from './server.ts';

/** Where the documentation is, below the URL of the API. */
export const DOCS_PATH = '/docs';

/** Files per minute of one IP address: a page with everything on it is some tens. */
const FILES_PER_MINUTE = 6_000;
/** Creating the documentation takes some seconds. */
const RETRY_SECONDS = 10;

/** The documentation as it was exported. Its files stay in the folder; only their list is in memory. */
interface DocsSite {
  artifact: OpenArtifact;
  find(target: string): Found<SiteFile>;
  /** Headers of every response. */
  headers: Record<string, string>;
}

/**
 * Serves the exported documentation of the product in `folder` at `/docs/`, to everyone. It was rendered when the
 * package or the image was built, or by `npm start`: the API reads its files and renders nothing. Until the folder has
 * an export, the response is 503; a newer export replaces the one before.
 */
export function registerDocs(app: FastifyInstance, folder: string, limitAnonymous: LimitAnonymous): void {
  const perAddress = createRateLimiter(FILES_PER_MINUTE);
  const open = createOpener(folder);
  for (const url of [DOCS_PATH, `${DOCS_PATH}/*`]) {
    refuseWrites(app, url, 'The documentation supports only GET and HEAD.', limitAnonymous);
    app.route({
      method: ['GET', 'HEAD'],
      url,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const wait = perAddress.take(callerOf(request.ip));
        if (wait > 0) {
          throw new AppError('rate_limited', `Too many requests from this address. Try again in ${wait} s.`, {
            headers: { 'Retry-After': String(wait) },
          });
        }
        const site = await open();
        return site === null ? sendLater(request, reply) : answer(site, request, reply);
      },
    });
  }
}

async function answer(site: DocsSite, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const found = site.find(request.raw.url ?? '');
  if (found.kind === 'malformed') throw new AppError('invalid_request', 'The URL is not valid.');
  if (found.kind === 'file') return sendFile(site, request, reply, found.file);
  reply.headers({ ...site.headers, 'Cache-Control': 'no-cache' });
  if (found.kind === 'redirect') {
    return reply
      .code(found.permanent ? 308 : 307)
      .header('Location', found.location)
      .send();
  }
  return reply
    .code(404)
    .type('text/html; charset=utf-8')
    .send(await missingPage(site.artifact, DOCS_PATH));
}

function sendFile(
  site: DocsSite,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: SiteFile,
): FastifyReply {
  const { headers } = request;
  const twin = asked.twin !== null && prefersMarkdown(headers.accept) ? asked.twin : null;
  const file = twin ?? asked;
  const accepted = acceptedCodings(headers['accept-encoding']);
  // A client may have the file in one encoding although it prefers another: its copy is still current.
  const known = accepted.find((each) => matchesEtag(headers['if-none-match'], tagOf(file, each)));
  const isPlain = !file.isText || headers.range !== undefined;
  const coding = known ?? (isPlain ? 'identity' : accepted[0]) ?? 'identity';
  const ETag = tagOf(file, coding);
  return sendArtifactFile(request, reply, site.artifact, {
    file: site.artifact.manifest.files[file.index]!,
    headers: { ...site.headers, ...headersOf(file, coding, DOCS_PATH, twin === null ? null : asked), ETag },
    coding,
  });
}

/** Opens the export in a folder, and again when another one has replaced it; null if the folder has none. */
function createOpener(folder: string): () => Promise<DocsSite | null> {
  let opened: { version: string; site: Promise<DocsSite> } | null = null;
  return async () => {
    const index = await stat(join(folder, artifactIndexFile)).catch(() => null);
    if (index === null) return null;
    const version = `${index.ino} ${index.mtimeMs} ${index.size}`;
    if (opened?.version !== version) opened = { version, site: openSite(folder) };
    const { site } = opened;
    return site.catch((error: unknown) => {
      if (opened?.site === site) opened = null;
      throw error;
    });
  };
}

async function openSite(folder: string): Promise<DocsSite> {
  const artifact = await openArtifactFolder(folder);
  const { redirects, connect = [] } = artifact.manifest;
  const files = siteFiles(artifact.manifest);
  // HSTS is a matter of the API, which sends it with every response if it is served over https.
  const { 'Permissions-Policy': permissions = '', 'Referrer-Policy': referrer = '' } = siteHeaders({
    https: false,
  });
  return {
    artifact,
    find: createPaths({ files, redirects }, DOCS_PATH),
    headers: {
      'Content-Security-Policy': sitePolicy({ ancestors: "'none'", connect }),
      'Permissions-Policy': permissions,
      'Referrer-Policy': referrer,
      'Cross-Origin-Opener-Policy': 'same-origin',
      // Every installation has a copy.
      'X-Robots-Tag': 'noindex',
    },
  };
}

const LATER = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="${RETRY_SECONDS}">
<title>Documentation</title>
<h1>The documentation is being created</h1>
<p>This takes some seconds after the first start. The page reloads by itself.</p>
<p>If it does not appear: <code>npm run build</code> creates the documentation in a clone of the repository.</p>
</html>
`;

/** Nothing is there yet. */
function sendLater(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const headers = { 'Retry-After': String(RETRY_SECONDS) };
  if (request.headers.accept?.includes('text/html') !== true)
    throw new AppError('unavailable', 'The documentation is being created.', { headers });
  return reply.code(503).headers(headers).type('text/html; charset=utf-8').send(LATER);
}
