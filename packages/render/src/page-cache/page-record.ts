/** What is kept of rendered pages, in groups. */
import type { PageUse } from '../mdx/guard/budget.ts';
import type { RenderedPage } from '../mdx/page.ts';
import type { PageLink } from '../mdx/write/links.ts';
import type { AnchorFact } from '../output/link-facts.ts';
import type { PageAsset } from '../page-asset.ts';
import type { Warning } from '../warning.ts';

/** Pages of a group. */
export const GROUP = 64;

/** What is kept of a page as JSON. */
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
  /** Whether it shows the preview image of its own or of the site. */
  hasPreview: boolean;
  warnings: readonly Warning[];
  use: PageUse;
  /** Characters of its sections in the search, and bytes of their words; null if readers cannot find it. */
  search: { sizes: readonly number[]; words: number } | null;
}

export interface AssetRecord {
  kind: PageAsset['kind'];
  path: string;
  files: readonly string[];
}

/** A page of a group; null for one that is not kept. */
export type Kept = { record: PageRecord; words: Uint8Array } | null;

/** The length of the records as JSON, the records, then the words of each page. */
export function writeGroup(pages: readonly Kept[]): Uint8Array[] {
  const head = Buffer.from(JSON.stringify(pages.map((page) => page?.record ?? null)));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return [length, head, ...pages.map((page) => page?.words ?? new Uint8Array())];
}

export function readGroup(content: Uint8Array): Kept[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const end = 4 + bytes.readUInt32LE(0);
  const records: (PageRecord | null)[] = JSON.parse(bytes.toString('utf8', 4, end));
  let at = end;
  return records.map((record) => {
    if (record === null) return null;
    const words = bytes.subarray(at, at + (record.search?.words ?? 0));
    at += words.length;
    return { record, words };
  });
}
