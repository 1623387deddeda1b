/**
 * A file that only the pages which need it load, such as a style sheet or classic script (math, diagrams, islands). Made by the module that
 * needs it and handed over with `PageScope.use`; the export writes each path once.
 */
export interface PageAsset {
  /** The page loads style sheets and scripts; a script of it loads a `part` when it is used; its content names images. */
  kind: 'style' | 'script' | 'part' | 'image';
  /** Output path below `_offprint/`, named by a digest of what the content is made from. */
  path: string;
  /** Asked for once a render, after all pages are written. */
  content(): string | Uint8Array | Promise<string | Uint8Array>;
  /** Files that the content refers to, by output path. */
  files?: readonly Pick<PageAsset, 'path' | 'content'>[];
}

/** Adds an asset to those of other pages, which may name other files with the same script. */
export function addAsset(assets: Map<string, PageAsset>, asset: PageAsset): void {
  const { files = [] } = assets.get(asset.path) ?? {};
  if (files.length === 0) {
    assets.set(asset.path, asset);
    return;
  }
  const all = new Map([...files, ...(asset.files ?? [])].map((file) => [file.path, file]));
  assets.set(asset.path, { ...asset, files: [...all.values()] });
}
