import type { PageScope, TocEntry, WrittenUpdate } from '../../components/component.ts';
import type { MarkedView, PageIslands, ShownSlots } from '../../islands/page-islands.ts';
import type { PageAsset } from '../../page-asset.ts';
import type { Page } from '../../site.ts';
import type { Element, Node } from '../../tree.ts';
import type { Budget } from '../guard/budget.ts';
import type { SiteState } from '../state.ts';
import type { Anchors } from './anchors.ts';
import type { PageLink } from './links.ts';
import type { Quotes } from './punctuation.ts';

/** State of one page being written; also what components see of it. */
export interface Writer extends PageScope {
  /** HTML of nodes. */
  html(nodes: readonly Node[]): string;
  readonly page: Page;
  readonly site: SiteState;
  readonly anchors: Anchors;
  readonly entries: TocEntry[];
  readonly links: PageLink[];
  /** Content of the feed of the page. */
  readonly updates: WrittenUpdate[];
  /** Ids of headings by their content. */
  readonly headingAnchors: WeakMap<readonly Node[], string>;
  /** First id that a component took, by its element. */
  readonly elementAnchors: WeakMap<Element, string>;
  /** Component being written. */
  owner: Element | null;
  /** Name of `owner`; empty without one. */
  name: string;
  /** By output path. */
  readonly pageAssets: Map<string, PageAsset>;
  readonly footnotes: ReadonlyMap<string, Node>;
  /** Numbers of footnotes by identifier, in the order of their first mark. */
  readonly marks: Map<string, number>;
  /** Second anchors of headings with the ids of these, in the order of their marks (`<!--n-->`) in the HTML. */
  readonly aliases: { alias: string; id: string }[];
  /** Headings get ids; not on pages that bring their own layout. */
  readonly headingIds: boolean;
  /** What of the page a browser runs. */
  readonly islands: PageIslands;
  /** Class attributes of the content, as written. */
  readonly classes: Set<string>;
  /** Set in the first view of an island. */
  shownSlots: ShownSlots | null;
  /** Writes what readers may see after a change of a component, which takes nothing of the page: no id, no place. */
  readonly isAside: boolean;
  /** The writer of that kind for this page. */
  aside(): Writer;
  /** Innermost built-in component being written in the first view of an island. */
  view: MarkedView | null;
  /** Set inside a link and while the label of a contents entry is written: links in it are text. */
  noLinks: boolean;
  /** Set inside a `<picture>` of the page, which names variants of its own. */
  noPicture: boolean;
  /** Set where HTML allows parts of a table only. */
  inTable: boolean;
  /** Set where headings do not belong into the table of contents. */
  noToc: boolean;
  /** Classes that style sheets of the site and of the page give the look of code. */
  readonly codeClasses: ReadonlySet<string>;
  /** Set where text is code or data, which stays as typed. */
  verbatim: boolean;
  /** Last character of text in the current block; empty at its start. */
  lastCharacter: string;
  /** Quotation marks of the language of the page; null where typed ones stay. */
  readonly quotes: Quotes | null;
  /** Elements written so far that may not be inside `<p>`. */
  blocks: number;
  controls: number;
  /** The only node of the paragraph being written. */
  lone: Node | null;
  nodesLeft: number;
  readonly budget: Budget;
  charactersLeft: number;
  depth: number;
  file: string;
  line: number | null;
}

/** Warnings name the file and line of the construct, which in a snippet are not those of the page. */
export function enter(node: Node, writer: Writer): void {
  if (node.position !== undefined) writer.line = node.position.start.line;
  const origin =
    node.type === 'element' && node.file !== undefined ? node.file : writer.site.origins.get(node);
  if (origin !== undefined) writer.file = origin;
}

/** Runs with a flag set; a component inside that fails leaves it as it was. */
export function withFlag<T>(
  flag: 'noLinks' | 'noPicture' | 'inTable' | 'noToc' | 'verbatim',
  write: () => T,
  writer: Writer,
  value = true,
): T {
  const before = writer[flag];
  writer[flag] = value;
  const written = write();
  writer[flag] = before;
  return written;
}
