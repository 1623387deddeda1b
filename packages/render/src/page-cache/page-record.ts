import type { PageUse } from '../mdx/guard/budget.ts';
import type { RenderedPage } from '../mdx/page.ts';
import type { PageLink } from '../mdx/write/links.ts';
import type { AnchorFact } from '../output/link-facts.ts';
import type { PageAsset } from '../page-asset.ts';
import type { KnownWarning } from '../warning.ts';

/** What is kept of a rendered page. */
export interface PageRecord {
  key: string;
  links: readonly PageLink[];
  /** Its ids, with the place of each. */
  anchors: readonly AnchorFact[];
  aliases: readonly string[];
  description: string | null;
  assets: readonly AssetRecord[];
  /** Origins of its playground; null without one. */
  connect: readonly string[] | null;
  feed: RenderedPage['feed'];
  /** Warnings about the body. */
  warnings: readonly KnownWarning[];
  use: PageUse;
  /** Characters of its sections in the search; null if readers cannot find it. */
  search: { sizes: readonly number[] } | null;
}

export interface AssetRecord {
  kind: PageAsset['kind'];
  path: string;
  files: readonly string[];
}
