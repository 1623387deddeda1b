/** What is kept of rendered pages, in groups. */
import type { PageUse } from '../mdx/guard/budget.ts';
import type { RenderedPage } from '../mdx/page.ts';
import type { PageLink } from '../mdx/write/links.ts';
import type { AnchorFact } from '../output/link-facts.ts';
import type { PageAsset } from '../page-asset.ts';
import type { KnownWarning } from '../warning.ts';

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

/** A page of a group with its words; null for one that is not kept. */
export type Kept = { record: PageRecord; readWords(): Uint8Array } | null;

interface GroupHead {
  records: readonly (PageRecord | null)[];
  /** Bytes of the words of each page. */
  sizes: readonly number[];
}

/** The length of the head as JSON, the head, then the words of each page. */
export function writeGroup(pages: readonly Kept[]): Uint8Array[] {
  const words = pages.map((page) => page?.readWords() ?? new Uint8Array());
  const head: GroupHead = {
    records: pages.map((page) => page?.record ?? null),
    sizes: words.map((each) => each.length),
  };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return [length, text, ...words];
}

export function readGroup(content: Uint8Array): Kept[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const end = 4 + bytes.readUInt32LE(0);
  const { records, sizes }: GroupHead = JSON.parse(bytes.toString('utf8', 4, end));
  let at = end;
  return records.map((record, place) => {
    const words = bytes.subarray(at, at + (sizes[place] ?? 0));
    at += words.length;
    return record === null ? null : { record, readWords: () => words };
  });
}
