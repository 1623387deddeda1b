import type { Manifest, ManifestFile } from '../manifest.ts';
import { fileHeaders, isHashed } from './headers.ts';
import type { Coding } from './negotiation.ts';

/** A file of a release, with what responses need to know about it. */
export interface SiteFile {
  path: string;
  sha256: string;
  /** Bytes. */
  size: number;
  contentType: string;
  /** Index in the manifest: its key in tables. */
  index: number;
  /** Worth storing in a shorter content encoding. */
  isText: boolean;
  /** The Markdown version of this page; null if none exists, and for all other files. */
  twin: SiteFile | null;
}

/** From this size on, an encoding can save more than its header costs. */
const smallestText = 256;

const textTypes =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml)\b|application\/(?:javascript|wasm)\b|image\/(?:svg\+xml|bmp|x-icon)\b|font\/(?:ttf|otf)\b)/;

/** Whether a file is worth storing in a shorter content encoding. */
export function isTextFile({ size, contentType }: Pick<ManifestFile, 'size' | 'contentType'>): boolean {
  return size >= smallestText && textTypes.test(contentType);
}

/** The files of a release in the order of its manifest. */
export function siteFiles(manifest: Pick<Manifest, 'files'>): SiteFile[] {
  const files = manifest.files.map((file: ManifestFile, index) => ({
    path: file.path,
    sha256: file.sha256,
    size: file.size,
    contentType: file.contentType,
    index,
    isText: isTextFile(file),
    twin: null as SiteFile | null,
  }));
  const markdown = new Map(files.filter(({ path }) => path.endsWith('.md')).map((file) => [file.path, file]));
  for (const file of files) {
    if (file.path.endsWith('.html')) file.twin = markdown.get(file.path.replace(/html$/, 'md')) ?? null;
  }
  return files;
}

/** Files that pages of this release still request when another release is served. */
export function lastingFiles(files: readonly SiteFile[]): Map<string, SiteFile> {
  return new Map(files.filter(({ path }) => isHashed.test(path)).map((file) => [file.path, file]));
}

/** The strong ETag of a file in an encoding. */
export function tagOf(file: SiteFile, coding: Coding): string {
  return `"${file.sha256.slice(0, 32)}${coding === 'identity' ? '' : `-${coding}`}"`;
}

/**
 * Headers of a file in an encoding, without its length. `from` is the requested page if the file is its
 * Markdown version.
 */
export function headersOf(
  file: SiteFile,
  coding: Coding,
  basePath: string,
  from: SiteFile | null = null,
): Record<string, string> {
  const headers = fileHeaders(file);
  headers.ETag = tagOf(file, coding);
  if (coding !== 'identity') {
    // ranges apply to the uncompressed bytes only
    delete headers['Accept-Ranges'];
    headers['Content-Encoding'] = coding;
  }
  const varies = [
    ...(file.twin !== null || from !== null ? ['Accept'] : []),
    ...([file, file.twin, from].some((one) => one?.isText === true) ? ['Accept-Encoding'] : []),
  ];
  if (varies.length > 0) headers.Vary = varies.join(', ');
  if (from !== null) {
    // search engines should index the page at this URL
    delete headers['X-Robots-Tag'];
    headers['Content-Location'] = `${basePath}/${file.path.split('/').map(encodeURIComponent).join('/')}`;
  }
  return headers;
}
