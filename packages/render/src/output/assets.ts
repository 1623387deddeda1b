import type { RemoteFiles } from '../remote/remote-files.ts';
import { replaceStyleUrls } from '../remote/style-urls.ts';
import type { SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { readTextFile } from '../text-file.ts';
import { relativeLink } from '../theme/paths.ts';
import type { Warn } from '../warning.ts';
import type { Emitter } from './emitter.ts';
import { placeRules } from './user-styles.ts';

/** Folder of generated files in the output, and the manifest that the bundle adds. */
const RESERVED = /^(?:_offprint(?:\/|$)|offprint\.json$)/i;

/**
 * Copies the files beside the pages, byte for byte. SVG and HTML files of the source are not rewritten: they
 * run scripts only when opened directly, and the policy in `_headers` forbids inline ones there. `withheld` are files that may not be
 * published.
 */
export async function emitAssets(
  siteMap: SiteMap,
  source: SourceTree,
  remote: RemoteFiles,
  withheld: ReadonlySet<string>,
  emitter: Emitter,
  warn: Warn,
): Promise<void> {
  const copies = new Set(remote.files().map(({ path }) => path));
  for (const path of siteMap.assets) {
    if (copies.has(path) || withheld.has(path)) continue;
    if (isReserved(path)) {
      warn({
        file: path,
        line: null,
        code: 'reserved-path',
        message: 'The name is reserved for files of the export, so the file was excluded. Rename it.',
      });
      continue;
    }
    await emitter.emitLarge(path, assetContent(path, source, remote, warn));
  }
}

/** The content of a file beside the pages in the output. */
export function assetContent(
  path: string,
  source: SourceTree,
  remote: RemoteFiles,
  warn: Warn,
): string | Uint8Array {
  return path.endsWith('.css')
    ? localStyles(path, readTextFile(source, path, warn), remote, warn)
    : source.read(path);
}

/** A style sheet of the source without what it would load from elsewhere: it applies to every page. */
function localStyles(path: string, text: string, remote: RemoteFiles, warn: Warn): string {
  const local = replaceStyleUrls(text, ({ url, isImport, start }) => {
    if (!/^\s*(?:https?:)?\/\//i.test(url)) return url;
    const found = remote.find(url, isImport ? 'style' : 'asset');
    if (found !== null && found !== 'wanted') return relativeLink(path, found.path);
    const fault = remote.faultOf(url);
    const why = fault === null ? '' : ` It could not be downloaded: ${fault}.`;
    warn({
      file: path,
      line: text.slice(0, start).split('\n').length,
      code: 'remote-file',
      message: `\`${url.slice(0, 120)}\` loads from another host and was removed.${why} Put the file into the docs folder.`,
    });
    return null;
  });
  return placeRules(local);
}

/** Whether the output keeps the name for itself. */
export function isReserved(path: string): boolean {
  return RESERVED.test(path);
}
