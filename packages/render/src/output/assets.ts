import { posix } from 'node:path';
import { cleanCss } from '../clean/css.ts';
import { cleanDataUrl, cleanFile } from '../clean/files.ts';
import { isLocalUrl } from '../clean/url.ts';
import { MEDIA } from '../media.ts';
import { splitUrl } from '../nav/follow-redirects.ts';
import { decodePath, withoutBase } from '../nav/path.ts';
import { isRemoteUrl, type RemoteFiles } from '../remote/remote-files.ts';
import type { SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { readTextFile } from '../text-file.ts';
import { relativeLink } from '../theme/paths.ts';
import type { Warn } from '../warning.ts';
import { isSmallImage, maskInliner } from './mask-images.ts';
import { placeRules } from './user-styles.ts';

/** Folder of generated files in the output, and the manifest that the bundle adds. */
const RESERVED = /^(?:_offprint(?:\/|$)|offprint\.json$)/i;

/** A file beside the pages, to copy to the same path. */
export interface Asset {
  path: string;
  isMedium: boolean;
  content(): string | Uint8Array;
}

/**
 * The files beside the pages. What could run or load from another host is left out of SVG, XML and CSS, and HTML gets the
 * policy of pages; every other file stays byte for byte. `withheld` are files that may not be published.
 */
export function assetsOf(
  siteMap: SiteMap,
  source: SourceTree,
  remote: RemoteFiles,
  withheld: ReadonlySet<string>,
  warn: Warn,
): Asset[] {
  const copies = new Set(remote.files().map(({ path }) => path));
  const assets = new Set(siteMap.assets);
  const isPublic = (path: string): boolean => assets.has(path) && !withheld.has(path);
  return siteMap.assets.flatMap((path) => {
    if (copies.has(path) || withheld.has(path)) return [];
    if (!isReserved(path)) {
      const content = () => assetContent(path, source, remote, isPublic, warn);
      return [{ path, isMedium: MEDIA.test(path), content }];
    }
    warn({
      file: path,
      line: null,
      code: 'reserved-path',
      message: 'The name is reserved for files of the export, so the file was excluded. Rename it.',
    });
    return [];
  });
}

/** The content of a file beside the pages in the output. `isPublic`: whether the output contains another such file. */
export function assetContent(
  path: string,
  source: SourceTree,
  remote: RemoteFiles,
  isPublic: (path: string) => boolean,
  warn: Warn,
): string | Uint8Array {
  if (/\.css$/i.test(path)) return localStyles(path, { source, remote, isPublic, warn });
  const { content, removed, fault } = cleanFile(path, source.read(path));
  if (fault !== null) {
    const [, line = null, reason = fault] = /^(\d+):\d+: (.*)$/.exec(fault) ?? [];
    const message = `The file is not well-formed XML: ${reason.replace(/\.$/, '')}. The export contains what could be read of it. Correct the file.`;
    warn({ file: path, line: line === null ? null : Number(line), code: 'invalid-xml', message });
  }
  if (removed.size > 0) {
    const message = `The export leaves out parts of the file that could run code or load from other hosts, or that are not known elements of its format: ${listOf(removed)}. Remove them from the file.`;
    warn({ file: path, line: null, code: 'file-cleaned', message });
  }
  return content;
}

const MAX_NAMED = 8;

function listOf(removed: ReadonlyMap<string, number>): string {
  const names = [...removed].map(([name, count]) => `\`${name}\`${count > 1 ? ` (${count} times)` : ''}`);
  const rest = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

interface Site {
  source: SourceTree;
  remote: RemoteFiles;
  isPublic(path: string): boolean;
  warn: Warn;
}

/** A style sheet of the source without what it would load from elsewhere: it applies to every page. */
function localStyles(path: string, { source, remote, isPublic, warn }: Site): string {
  const report = (url: string, line: number, what: string): void => {
    const message = `\`${url.slice(0, 120)}\` ${what} Put the file into the docs folder.`;
    warn({ file: path, line, code: 'remote-file', message });
  };
  const inline = maskInliner();
  const readImage = (file: string): Uint8Array | null =>
    isPublic(file) && isSmallImage(source.size(file)) ? cleanFile(file, source.read(file)).content : null;
  const localUrl = (url: string, property: string): string => {
    const file = url.includes('#') ? null : namedFile(url, path, source);
    const image = file === null ? null : inline(property, file, () => readImage(file));
    return image ?? relativeAsset(url, path, source);
  };
  return cleanCss(placeRules(readTextFile(source, path, warn)), {
    resolve({ url, isImport, property, line }) {
      if (isLocalUrl(url)) return localUrl(url, property);
      const found = isRemoteUrl(url) ? remote.find(url, isImport ? 'style' : 'asset') : null;
      if (found !== null && found !== 'wanted')
        return inline(property, found.path, () => found.content) ?? relativeLink(path, found.path);
      const data = isImport ? null : cleanDataUrl(url);
      if (data !== null) return data;
      const fault = remote.faultOf(url);
      const why = fault === null ? '' : ` It could not be downloaded: ${fault}.`;
      if (isRemoteUrl(url)) report(url, line, `loads from another host and was removed.${why}`);
      else report(url, line, 'is not a file that a style sheet can load and was removed.');
      return null;
    },
  });
}

/** The file of the source that a URL of a style sheet names. */
function namedFile(url: string, from: string, source: SourceTree): string | null {
  const { path } = splitUrl(url);
  const found = path.startsWith('/')
    ? [path, withoutBase(path)].map((each) => decodePath(each).slice(1))
    : [posix.join(posix.dirname(from), decodePath(path))];
  return found.find((each) => source.has(each)) ?? null;
}

/** A URL from the root of the site counts from the style sheet instead, since the site works below any path. */
function relativeAsset(url: string, from: string, source: SourceTree): string {
  const { path, query, hash } = splitUrl(url);
  const file = path.startsWith('/') ? namedFile(url, from, source) : null;
  return file === null ? url : relativeLink(from, file) + query + (hash && `#${hash}`);
}

/** Whether the output keeps the name for itself. */
export function isReserved(path: string): boolean {
  return RESERVED.test(path);
}
