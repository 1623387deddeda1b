import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag } from './etag.ts';

/**
 * What a page served from here may do: its own files and nothing else, no inline script or style, no frame around it,
 * no text made into script. Scripts come from here only, so nothing needs a trusted type.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Folder whose names carry a digest of their content. */
const IMMUTABLE = 'assets/';

const ORGANIZATION = '/org_[0-9a-f]{32}';

/** Addresses of pages: the script of `index.html` shows them. `router.tsx` of the dashboard has the same list. */
const PAGES = [
  '/(?:sign-in|sign-up|forgot-password|reset-password|invitation|reader-sign-in|account|new-organization)?',
  '/operator/(?:organizations|users)',
  `${ORGANIZATION}(?:/(?:projects|exports|agent|keys|members|audit|usage|settings))?/?`,
  `${ORGANIZATION}/projects/[^/]+`,
  `${ORGANIZATION}/exports/[^/]+`,
  `${ORGANIZATION}/agent/[^/]+/[^/]+`,
].map((pattern) => new RegExp(`^${pattern}$`));

/** URLs whose unknown parts are handled as the API does, for every client. */
const API = /^\/v\d+\//;

const COMPRESSIONS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [zlib.BROTLI_PARAM_QUALITY]: 9, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};
type Encoding = keyof typeof COMPRESSIONS;

/** Shorter than this, a body is not worth compressing. */
const WORTHWHILE_BYTES = 1024;

/** A file of the folder, in memory. */
interface StaticFile {
  type: string;
  bytes: Buffer;
  /** Digest of the content. */
  digest: string;
  caching: string;
  /** Compressed forms, made when they are first asked for. */
  compressed: Partial<Record<Encoding, Promise<Buffer>>>;
}

/**
 * Serves the files of a folder that the operator has built, `index.html` at the addresses of pages. They are
 * read once, so a request can reach nothing but them. Another URL that a browser opens shows the page too,
 * which reports that it does not exist, with status 404. Does nothing when the folder is not there.
 */
export function registerStaticFiles(app: FastifyInstance, folder: string): void {
  if (!existsSync(join(folder, 'index.html'))) return;
  const files = readFiles(folder);
  const index = files.get('index.html')!;
  for (const [path, file] of files) {
    if (path !== 'index.html') app.get(`/${path}`, (request, reply) => send(file, request, reply));
  }
  app.get('/*', (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    if (PAGES.some((pattern) => pattern.test(path))) return send(index, request, reply);
    if (API.test(path) || !takesHtml(request)) return reply.callNotFound();
    return send(index, request, reply.code(404));
  });
}

function readFiles(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).split(sep).join('/');
    const bytes = readFileSync(file);
    files.set(path, {
      type,
      bytes,
      digest: createHash('sha256').update(bytes).digest('base64url'),
      caching: path.startsWith(IMMUTABLE) ? 'public, max-age=31536000, immutable' : 'no-cache',
      compressed: {},
    });
  }
  return files;
}

async function send(file: StaticFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const encoding = encodingOf(file, request);
  const etag = `"${file.digest}${encoding === null ? '' : `-${encoding}`}"`;
  reply.headers({ 'Cache-Control': file.caching, ETag: etag, Vary: 'Accept-Encoding' });
  // Responses other than pages keep the policy of the API, which allows nothing.
  if (file.type === TYPES['.html']) {
    reply.headers({ 'Content-Security-Policy': POLICY, 'Cross-Origin-Opener-Policy': 'same-origin' });
  }
  if (reply.statusCode === 200 && matchesEtag(request.headers['if-none-match'], etag)) {
    return reply.code(304).send();
  }
  reply.type(file.type);
  if (encoding === null) return reply.send(file.bytes);
  file.compressed[encoding] ??= COMPRESSIONS[encoding](file.bytes);
  return reply.header('Content-Encoding', encoding).send(await file.compressed[encoding]);
}

/** The compression that the browser takes and the file is worth; null: none. */
function encodingOf({ bytes, type }: StaticFile, request: FastifyRequest): Encoding | null {
  if (type === TYPES['.woff2'] || bytes.length < WORTHWHILE_BYTES) return null;
  const accepted = String(request.headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => item.trim())
    .filter((item) => !/;\s*q=0(?:\.0*)?$/.test(item))
    .map((item) => item.split(';', 1)[0]);
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding)) ?? null;
}

function takesHtml({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}
