import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '../../platform/blob/store.ts';
import type { Logger } from '../../platform/log.ts';
import { KEPT_PREFIX } from '../page-stock.ts';
import type { ExportRow } from '../store.ts';
import { readOutput } from '../summary.ts';
import { keptImagesFile, maxKeptImageBytes } from './kept-images.ts';

/** Encoded images of the last exports of each project, in the store that all workers share. */
export interface ImageStock {
  /** Null: this export uses and leaves nothing. */
  open(row: ExportRow): Promise<OpenImageStock | null>;
}

export interface OpenImageStock {
  /** Writes what the last exports have left into a folder. False if there is nothing. */
  provide(folder: string, signal: AbortSignal): Promise<boolean>;
  /** Stores what a render has left in its folder. A store that fails is logged: only the next export is slower. */
  keep(artifactDir: string): Promise<void>;
}

export function createImageStock({
  blobs,
  isTrusted,
  log,
}: {
  blobs: BlobStore;
  /** Whether the docs are those of the project: what strangers have written must not leave anything for others. */
  isTrusted(exportId: string): Promise<boolean>;
  log: Logger;
}): ImageStock {
  return {
    async open(row) {
      if (row.project_id === null || !(await isTrusted(row.id))) return null;
      const key = `${KEPT_PREFIX}${row.organization_id}/${row.project_id}/images`;
      return {
        async provide(folder, signal) {
          try {
            const stream = await blobs.get(key);
            if (stream === null) return false;
            await writeFile(join(folder, keptImagesFile), await buffer(stream));
            return true;
          } catch (error) {
            signal.throwIfAborted();
            log.warn({ err: error, exportId: row.id }, 'the images of the last export cannot be read');
            return false;
          }
        },
        async keep(artifactDir) {
          try {
            const kept = await readOutput(artifactDir, keptImagesFile, maxKeptImageBytes);
            if (kept !== null) await blobs.put(key, kept);
          } catch (error) {
            log.warn({ err: error, exportId: row.id }, 'the images of an export were not kept');
          }
        },
      };
    },
  };
}
