import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import {
  type Coding,
  createPaths,
  type Found,
  type HeaderOptions,
  lastingFiles,
  type Manifest,
  moveNotFoundPage,
  type SiteFile,
  siteFiles,
  siteHeaders,
} from '@offprint/bundle';
import type { Release } from '../releases/store.ts';
import { createPieceCache, type PieceCache, readContent } from './content.ts';
import { type EncodedFiles, openEncodings } from './encodings.ts';

export interface SiteOptions extends HeaderOptions {
  /** `/docs`, or empty for the root. */
  basePath: string;
}

/** A release in memory: everything that responses need. */
export interface LoadedSite {
  sha256: string;
  folder: string;
  manifest: Manifest;
  basePath: string;
  find(target: string): Found<SiteFile>;
  /** The file of this name, if pages of the release may still request it when another release is served. */
  findLasting(target: string): SiteFile | null;
  /** Headers of every response. */
  headers: Record<string, string>;
  encoded: EncodedFiles;
  cache: PieceCache;
  notFound: { headers: Record<string, string>; bodies: Record<Coding, Buffer> };
  /** Responses in progress. */
  inFlight: number;
}

/** Maximum size of an error page, which is held in memory in every encoding; a larger one is not used. */
const longestNotFound = 1024 * 1024;

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);

/** Reads what responses from a release need. Throws if its error page cannot be read. */
export async function loadSite(release: Release, options: SiteOptions): Promise<LoadedSite> {
  const { sha256, folder, manifest } = release;
  const { basePath } = options;
  const files = siteFiles(manifest);
  const lasting = lastingFiles(files);
  const headers = {
    ...siteHeaders({ ...options, connect: manifest.connect }),
    'Offprint-Release': sha256.slice(0, 16),
  };
  return {
    sha256,
    folder,
    manifest,
    basePath,
    find: createPaths({ files, redirects: manifest.redirects }, basePath),
    findLasting: (target) =>
      target.startsWith(`${basePath}/`)
        ? (lasting.get(target.slice(basePath.length + 1).replace(/\?.*$/s, '')) ?? null)
        : null,
    headers: { ...headers, ...discoveryHeaders(manifest, basePath) },
    encoded: await openEncodings(release, files),
    cache: createPieceCache(),
    notFound: await loadNotFound(release, files, basePath, headers),
    inFlight: 0,
  };
}

/** Where agents find the texts of the site. */
function discoveryHeaders(manifest: Manifest, basePath: string): Record<string, string> {
  const names = ['llms.txt', 'llms-full.txt'].filter((name) =>
    manifest.files.some(({ path }) => path === name),
  );
  if (names.length === 0) return {};
  return {
    Link: names.map((name) => `<${basePath}/${name}>; rel="${name.replace('.', '-')}"`).join(', '),
    ...(names.includes('llms.txt') ? { 'X-Llms-Txt': `${basePath}/llms.txt` } : {}),
  };
}

/** The site's own error page, whose links must stay inside the site under any base path. */
async function loadNotFound(
  { manifest, folder }: Release,
  files: readonly SiteFile[],
  basePath: string,
  headers: Record<string, string>,
): Promise<LoadedSite['notFound']> {
  const page = files.find(({ path, size }) => path === '404.html' && size <= longestNotFound);
  const identity = Buffer.from(
    page !== undefined
      ? moveNotFoundPage((await readContent(folder, page)).toString(), manifest.site.url, basePath)
      : '<!doctype html><title>Page not found</title><h1>Page not found</h1>\n',
  );
  return {
    headers: {
      ...headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      Vary: 'Accept-Encoding',
    },
    bodies: {
      identity,
      gzip: await compressGzip(identity),
      br: await compressBrotli(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    },
  };
}
