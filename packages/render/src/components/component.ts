import type { Excluded } from '../excluded.ts';
import type { WrittenUpdate } from '../mdx/feed.ts';
import type { PageAsset } from '../page-asset.ts';
import type { IconRef } from '../site.ts';
import type { Strings } from '../theme/strings.ts';
import type { Element, Node, Props, Value } from '../tree.ts';

/** A built-in component: props and children in, HTML out. One file each, pure but for the page scope. */
export type Component = (props: Props, children: readonly Node[], page: PageScope) => string;

/** One entry of the table of contents. */
export interface TocEntry {
  depth: 2 | 3 | 4;
  id: string;
  /** HTML of the label, inline elements only, no links. */
  html: string;
}

/** What a component may request of its page. Made by mdx/write.ts, one per page. */
export interface PageScope {
  /** HTML of nodes. */
  html(nodes: readonly Node[]): string;
  /** HTML of a prop that may be text, Markdown text or nodes. Text is escaped, never parsed as HTML. */
  value(value: Value): string;
  /** HTML of a string of inline Markdown (captions, hints). */
  inline(markdown: string): string;
  /** Plain text of nodes or of a prop. */
  text(value: Value | readonly Node[]): string;
  /** Child elements of that name (or of any name), looking through paragraphs that hold nothing else. */
  elements(nodes: readonly Node[], ...names: string[]): Element[];
  /** Markdown of nodes, as in the twin of the page. */
  markdown(nodes: readonly Node[]): string;
  /** A unique id on this page for the text, by the documented anchor rule. */
  id(text: string): string;
  /** The anchor that the documented rule makes of a text, without taking it; may be empty. */
  slug(text: string): string;
  /** Takes an id as the page wrote it; a second use gets a number. Empty when no character of it is allowed. */
  takeId(id: string): string;
  /** Adds an entry to the table of contents at the current place. */
  toc(entry: TocEntry): void;
  /** What `write` gives, while headings in it keep their ids but stay out of the table of contents. */
  withoutToc(write: () => string): string;
  /** Whether links are text here: inside a link or a button, and in labels of the table of contents. */
  readonly noLinks: boolean;
  /** What `write` gives where links are text. */
  withoutLinks(write: () => string): string;
  /** Whether the page has a column at its side, for panels, examples and filters. */
  readonly hasSide: boolean;
  /** Variants of the content that docs.json names; the first is the default. */
  readonly variations: readonly { id: string; label: string }[];
  /** A link in the form that this page's HTML needs: relative, `.html`, unsafe schemes refused (null). */
  link(href: string): { href: string; external: boolean } | null;
  /** The URL of an image or file of the source in this page's HTML; null when unsafe or missing. */
  asset(src: string): string | null;
  /** Inline SVG (or img) of an icon; empty string and a warning when unknown. Size in px. */
  icon(
    icon: IconRef | string | Value,
    options?: { style?: string | null; size?: number; className?: string },
  ): string;
  /** HTML of a code block, as a fence with that info string would give. */
  code(value: string, lang: string | null, meta: string | null): string;
  /** Makes an update an entry of the feed of the page; its children must be written before the page ends. */
  feed(update: WrittenUpdate): void;
  /** Makes the page load a style sheet or script beyond those of every page. */
  use(asset: PageAsset): void;
  /** What the export leaves out. */
  readonly excluded: Excluded;
  /** Words of the interface in the language of the page. */
  readonly strings: Strings;
  /** Warning at the line of the element being written. */
  warn(code: string, message: string): void;
}
