import type { PageAsset } from '../page-asset.ts';
import type { StoredFile } from '../stored-file.ts';
import type { Warn } from '../warning.ts';
import type { AssetRecord } from './page-record.ts';
import { StaleRenderError } from './stale-render.ts';
import { ownValue, type State } from './state.ts';
import type { Watch } from './watch.ts';

export type EarlierFile = (path: string) => StoredFile | null;

/** Files that only some pages load: their names contain a digest of what they are made from. */
export function createAssets(
  watch: Watch,
  earlier: State | null,
  next: State,
  earlierFile: EarlierFile,
  warn: Warn,
) {
  const restoreFile = (path: string): Pick<PageAsset, 'path' | 'content'> => ({
    path,
    content() {
      const file = earlierFile(path);
      if (file === null) throw new StaleRenderError();
      const warnings = earlier === null ? undefined : ownValue(earlier.assets, path);
      for (const warning of warnings ?? []) warn(warning);
      return file.read();
    },
  });
  return {
    restore: ({ kind, path, files }: AssetRecord): PageAsset => ({
      ...restoreFile(path),
      kind,
      files: files.map(restoreFile),
    }),
    async make({ path, content }: Pick<PageAsset, 'path' | 'content'>): Promise<string | Uint8Array> {
      const { result, warnings } = await watch.collect(async () => content());
      if (warnings.length > 0) next.assets[path] = warnings;
      return result;
    },
  };
}
