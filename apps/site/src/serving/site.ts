import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import {
  type Coding,
  createPaths,
  type Encoding,
  encodings,
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
import { createPieceCache, openContent, type PieceCache, readContent, streamBytes } from './content.ts';
import { type EncodedFiles, openEncodings } from './encodings.ts';
import type { NotFoundPage, Part, ServedSite } from './served-site.ts';

export interface SiteOptions extends HeaderOptions {
  /** `/docs`, or empty for the root. */
  basePath: string;
}

/** A release in memory: everything that responses need. */
export interface LoadedSite extends ServedSite {
  folder: string;
  manifest: Manifest;
  find(target: string): Found<SiteFile>;
  /** The content of a file by its path; null for a missing or larger one. */
  read(path: string, maxBytes: number): Promise<Buffer | null>;
  /** The file of this name, if pages of the release may still request it when another release is served. */
  findLasting(target: string): SiteFile | null;
  encoded: EncodedFiles;
  cache: PieceCache;
  /** Responses in progress. */
  inFlight: number;
}

/** Maximum size of an error page, which is held in memory in every encoding; a larger one is not used. */
export const longestNotFound = 1024 * 1024;

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
  const encoded = await openEncodings(release, files);
  const cache = createPieceCache();
  const page = files.find(({ path, size }) => path === '404.html' && size <= longestNotFound);
  const notFound = await makeNotFound(
    page === undefined ? null : (await readContent(folder, page)).toString(),
    manifest.site.url,
    basePath,
    headers,
  );
  const find = createPaths({ files, redirects: manifest.redirects }, basePath);
  return {
    sha256,
    folder,
    manifest,
    basePath,
    find,
    async read(path, maxBytes) {
      // looked up as a request would be: a second list of the files would take memory
      const found = find(`${basePath}/${path.split('/').map(encodeURIComponent).join('/')}`);
      if (found.kind !== 'file' || found.file.path !== path || found.file.size > maxBytes) return null;
      return readContent(folder, found.file);
    },
    findLasting: (target) =>
      target.startsWith(`${basePath}/`)
        ? (lasting.get(target.slice(basePath.length + 1).replace(/\?.*$/s, '')) ?? null)
        : null,
    headers: {
      ...headers,
      ...discoveryHeaders((name) => files.some(({ path }) => path === name), basePath),
    },
    encoded,
    cache,
    notFound: () => notFound,
    inFlight: 0,
    length: encoded.length,
    piece(file, coding, from, make) {
      const key = keyOf(file, coding, from);
      const load = async () => ({
        headers: make(),
        body: await (coding === 'identity' ? readContent(folder, file) : encoded.read(file, coding)),
      });
      return cache.get(key) ?? cache.load(key, load);
    },
    stream: (file, coding, part) =>
      coding === 'identity'
        ? streamContent(folder, file, part)
        : Promise.resolve(streamEncoded(encoded, file, coding)),
  };
}

/** Identifies a file in an encoding, and whether it is sent in place of its page. */
function keyOf(file: SiteFile, coding: Coding, from: SiteFile | null): number {
  const place = coding === 'identity' ? 2 : encodings.indexOf(coding);
  return (file.index * 2 + (from === null ? 0 : 1)) * 3 + place;
}

async function streamContent(folder: string, file: SiteFile, part: Part | null): Promise<Readable> {
  const handle = await openContent(folder, file);
  return handle.createReadStream({ ...part, highWaterMark: streamBytes });
}

function streamEncoded(encoded: EncodedFiles, file: SiteFile, encoding: Encoding): Readable {
  const { fd, position } = encoded.place(file, encoding);
  const end = position + encoded.length(file, encoding) - 1;
  return createReadStream('', { fd, start: position, end, autoClose: false, highWaterMark: streamBytes });
}

/** Where agents find the texts of the site. */
export function discoveryHeaders(has: (name: string) => boolean, basePath: string): Record<string, string> {
  const names = ['llms.txt', 'llms-full.txt'].filter(has);
  if (names.length === 0) return {};
  return {
    Link: names.map((name) => `<${basePath}/${name}>; rel="${name.replace('.', '-')}"`).join(', '),
    ...(names.includes('llms.txt') ? { 'X-Llms-Txt': `${basePath}/llms.txt` } : {}),
  };
}

/**
 * The error page of a site in every encoding. The links of its own page, if it has one, must stay inside the site
 * under any base path.
 */
export async function makeNotFound(
  page: string | null,
  siteUrl: string,
  basePath: string,
  headers: Readonly<Record<string, string>>,
): Promise<NotFoundPage> {
  const identity = Buffer.from(
    page !== null
      ? moveNotFoundPage(page, siteUrl, basePath)
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
