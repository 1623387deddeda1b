/**
 * A style sheet or classic script that only the pages which need it load (math, diagrams, islands). Made by the module that
 * needs it and handed over with `PageScope.use`; the export writes each path once.
 */
export interface PageAsset {
  kind: 'style' | 'script';
  /** Output path below `_offprint/`, named by a digest of what the content is made from. */
  path: string;
  /** Asked for once a render, after all pages are written. */
  content(): string | Uint8Array | Promise<string | Uint8Array>;
  /** Files that the content refers to, by output path. */
  files?: readonly Pick<PageAsset, 'path' | 'content'>[];
}
