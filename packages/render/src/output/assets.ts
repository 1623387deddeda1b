import type { SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import type { Emitter } from './emitter.ts';

/** Folder of our own files in the output, and the manifest that the bundle adds. */
const RESERVED = /^(?:_offprint(?:\/|$)|offprint\.json$)/i;

/**
 * Copies the files beside the pages, byte for byte. SVG and HTML files of the source are not rewritten: they
 * run scripts only when opened directly, and the policy in `_headers` forbids inline ones there.
 */
export function emitAssets(siteMap: SiteMap, source: SourceTree, emitter: Emitter, warn: Warn): void {
  for (const path of siteMap.assets) {
    if (isReserved(path)) {
      warn({
        file: path,
        line: null,
        code: 'reserved-path',
        message: 'The name is reserved for files of the export, so this one was left out. Rename it.',
      });
      continue;
    }
    emitter.emit(path, assetContent(path, source, warn));
  }
}

/** A file beside the pages as it stands in the output. */
export function assetContent(path: string, source: SourceTree, warn: Warn): string | Uint8Array {
  return path.endsWith('.css') ? localStyles(path, source.readText(path), warn) : source.read(path);
}

const REMOTE_STYLE =
  /@import\s+(?:url\(\s*)?["']?(?:https?:)?\/\/[^;]*;?|url\(\s*["']?(?:https?:)?\/\/[^)]*\)/gi;

/** A style sheet of the source without what it would load from elsewhere: it applies to every page. */
function localStyles(path: string, text: string, warn: Warn): string {
  return text.replace(REMOTE_STYLE, (found, offset: number) => {
    warn({
      file: path,
      line: text.slice(0, offset).split('\n').length,
      code: 'remote-file',
      message: `\`${found.slice(0, 120)}\` loads from another host and was removed. Put the file into the docs folder.`,
    });
    return found.startsWith('@') ? '' : 'none';
  });
}

/** Whether the output keeps the name for itself. */
export function isReserved(path: string): boolean {
  return RESERVED.test(path);
}
