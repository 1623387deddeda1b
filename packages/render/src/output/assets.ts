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
    emitter.emit(path, source.read(path));
  }
}

/** Whether the output keeps the name for itself. */
export function isReserved(path: string): boolean {
  return RESERVED.test(path);
}
