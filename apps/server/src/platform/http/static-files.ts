import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { matchesEtag } from './etag.ts';

/** What a page served from here may do: its own files, no inline script, no frame around it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Folder whose names carry a digest of their content. */
const IMMUTABLE = 'assets/';

/**
 * Serves the files of a folder that the operator has built, `index.html` at `/`. They are read once, so a request
 * can reach nothing but them. Does nothing when the folder is not there.
 */
export function registerStaticFiles(app: FastifyInstance, folder: string): void {
  if (!existsSync(join(folder, 'index.html'))) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).split(sep).join('/');
    const bytes = readFileSync(file);
    const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
    const caching = path.startsWith(IMMUTABLE) ? 'public, max-age=31536000, immutable' : 'no-cache';
    app.get(path === 'index.html' ? '/' : `/${path}`, (request, reply) => {
      reply.headers({ 'Content-Security-Policy': POLICY, 'Cache-Control': caching, ETag: etag });
      const known = request.headers['if-none-match'];
      if (matchesEtag(known, etag)) return reply.code(304).send();
      return reply.type(type).send(bytes);
    });
  }
}
