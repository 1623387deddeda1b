import type { Excluded } from '../excluded.ts';
import type { PageAsset } from '../page-asset.ts';
import type { IconRef } from '../site.ts';
import type { Strings } from '../theme/strings.ts';
import type { Element, Node, Props, Value } from '../tree.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Attributes, Content, View } from './markup.ts';
import { type Read, readProps, type Schema } from './schema.ts';

/**
 * A built-in component: all that the product knows about it. Everything that depends on the kind of component (the
 * registry, the Markdown output, the search, the checks, the script of pages with state, the reference, what an agent
 * receives) is derived from the definitions.
 */
export interface Component extends Facts {
  /** The element as it is shown; `props` are as written, of any type. */
  view(props: Props, children: readonly Node[], page: PageScope): View;
  readonly props: Schema;
}

/** What is the same for every use of a component. */
export interface Facts {
  /** As written in MDX: `Card`, `Tree.Folder`. */
  readonly name: string;
  /** Other names of the same component, most often those of older versions of the format. */
  readonly aliases?: readonly string[];
  /** Kept for older sites, and not suggested to anybody. */
  readonly isOlder?: boolean;
  /** `inline` components are part of a line of text. */
  readonly kind: 'block' | 'inline';
  /** What it shows, one sentence of the reference. */
  readonly about: string;
  /** One use, as MDX. The reference shows it, and tests export it and use it in a component with state. */
  readonly example: string;
  /** Its element has all attributes as written, so that a prop outside of the schema has an effect. */
  readonly keepsAttributes?: boolean;
  /** Changes the page around it, so that the reference only shows the source of the example. */
  readonly changesPage?: boolean;
  /** Text is shown as it is typed, without typographic quotation marks: readers copy it, or it names files. */
  readonly isVerbatim?: boolean;
  /** Has a title of its own, below which headings may start at any depth. */
  readonly hasTitle?: boolean;
  /** What the search knows of it besides its text. */
  readonly search?: SearchRule;
  /** Shown by the component around it, as tabs are. */
  readonly isPart?: boolean;
  /** Icons that the component itself shows. */
  readonly icons?: readonly IconRef[];
  /** Markdown for agents; default: its content, as a block or in the line. */
  readonly markdown?: WriteMarkdown;
  /** Rules of its classes, and of those of its parts: a text of `css`. */
  readonly style?: string;
  /** What it does in a browser: the name of a script in `client/`, which is part of the script of every page. */
  readonly client?: string;
}

/** A result of the search can lead to a component that has an id and one of the props of `title`. */
export interface SearchRule {
  /** Names of the props that can be its title; the first that is set is. */
  readonly title?: readonly string[];
  /** The title reads like a heading and is not the name of a field or tab. */
  readonly isHeading?: boolean;
  /** Whether the element is not shown. */
  isHidden?(props: Props): boolean;
}

/** A component by its definition. Props are given to `view` as their schema reads them, so that no other type arrives. */
export interface Definition<S extends Schema> extends Facts {
  readonly props: S;
  view(props: Read<S>, children: readonly Node[], page: PageScope): View;
}

/** The component of a definition. */
export function defineComponent<S extends Schema>(definition: Definition<S>): Component {
  return {
    ...definition,
    view: (props, children, page) => definition.view(readProps(definition.props, props), children, page),
  };
}

/** The text of a style sheet, as it is written. */
export function css({ raw }: TemplateStringsArray): string {
  return raw.join('');
}

/** Writes the Markdown of an element. */
export type WriteMarkdown = (props: Props, children: readonly Node[], markdown: MarkdownScope) => string;

/** What a component may request of the Markdown output. */
export interface MarkdownScope {
  /** Markdown of nodes as blocks that blank lines separate. */
  blocks(nodes: readonly Node[]): string;
  /** Markdown of nodes in one line. */
  inline(nodes: readonly Node[]): string;
  /** Markdown of nodes as blocks, or in the line of text that the element is part of. */
  content(nodes: readonly Node[]): string;
  /** Plain text of a prop. */
  text(value: Value): string;
  /** Plain text of nodes in one line, without marks. */
  lineText(nodes: readonly Node[]): string;
  /** Text of nodes with its line ends. */
  codeText(nodes: readonly Node[]): string;
  link(label: string, href: string): string;
}

/** One entry of the table of contents. */
export interface TocEntry {
  depth: 2 | 3 | 4;
  id: string;
  /** HTML of the label, inline elements only, no links. */
  html: string;
}

/** An `Update` that was written into the page. */
export interface WrittenUpdate {
  id: string;
  label: string;
  tags: readonly string[];
  /** The `rss` prop. */
  rss: Value;
  children: readonly Node[];
}

/** A place on a page, to which components note what those inside them need to know. */
export interface Place {
  /** The place around it, where a browser renders each component on its own. */
  readonly around: Place | null;
}

/** What a component may request of its page. The export has one per page, a browser one per element. */
export interface PageScope extends Place {
  /** Name of the component as the page wrote it. */
  readonly name: string;
  /** Nodes as the page shows them; null if that is nothing. */
  content(nodes: readonly Node[]): Content | null;
  /** A prop that may be text, Markdown text or nodes. Text is never parsed as HTML. */
  value(value: Value): View;
  /** A string of inline Markdown (captions, hints). */
  inline(markdown: string): View;
  /** Plain text of nodes or of a prop. */
  text(value: Value | readonly Node[]): string;
  /** Child elements of that name (or of any name), looking through paragraphs that hold nothing else. */
  elements(nodes: readonly Node[], ...names: string[]): Element[];
  /** Markdown of nodes, as in the twin of the page. */
  markdown(nodes: readonly Node[]): string;
  /** Makes the notes of a component known inside a view that a browser renders later; `note` adds them to the place of the view. */
  nest(view: View, note: (place: Place) => void): View;
  /** A unique id on this page for the text, by the documented anchor rule. */
  id(text: string): string;
  /** The anchor that the documented rule makes of a text, without taking it; may be empty. */
  slug(text: string): string;
  /** Takes an id as the page wrote it; a second use gets a number. Empty when no character of it is allowed. */
  takeId(id: string): string;
  /** Value of a `style` attribute: declarations for `values` and those of the author, which may be any value; null without any. */
  style(values: Readonly<Record<string, string>> | null, written: Value): Value;
  /** Adds an entry to the table of contents at the current place. */
  toc(entry: { depth: 2 | 3 | 4; id: string; label: View }): void;
  /** What `write` gives, while headings in it keep their ids but stay out of the table of contents. */
  withoutToc<T>(write: () => T): T;
  /** Whether links are text here: inside a link or a button, and in labels of the table of contents. */
  readonly noLinks: boolean;
  /** What `write` gives where links are text. */
  withoutLinks<T>(write: () => T): T;
  /** Whether the page has a column at its side, for panels, examples and filters. */
  readonly hasSide: boolean;
  /** The same object whenever a browser renders this element again; null in an export. */
  readonly element: object | null;
  /** Links, buttons and fields written so far, at which the focus stops. */
  readonly controls: number;
  /** A browser renders the element again, so that all of it stays in its place. */
  readonly isLive: boolean;
  /** Variants of the content that docs.json names; the first is the default. */
  readonly variations: readonly { id: string; label: string }[];
  /**
   * A link in the form that this page's HTML needs: relative, `.html`, unsafe schemes refused (null). `fields` is the URL of
   * the script with the fields, where it leads to the page of a schema.
   */
  link(href: string): { href: string; external: boolean; fields?: string } | null;
  /** The URL of an image or file of the source in this page's HTML; null when unsafe or missing. */
  asset(src: string): string | null;
  /** An icon; null and a warning when unknown. Size in px. */
  icon(icon: IconRef | string | Value, options?: IconOptions): View;
  /** A code block, as a fence with that info string would give. */
  code(value: string, lang: string | null, meta: string | null, attributes?: Attributes): View;
  /** The label of a fence in a group of tabs: its title, else its language, else `fallback`. */
  codeLabel(lang: string | null, meta: string | null, fallback: string): string;
  /** A formula in TeX, in a line of text or as a block. */
  math(tex: string, isBlock: boolean, attributes?: Attributes): View;
  /** Makes an update an entry of the feed of the page; its children must be written before the page ends. */
  feed(update: WrittenUpdate): void;
  /** Makes the page load a style sheet or script beyond those of every page. */
  use(asset: PageAsset): void;
  /** What the export leaves out. */
  readonly excluded: Excluded;
  /** Words of the interface in the language of the page. */
  readonly strings: Strings;
  /** Warning at the line of the element being written. */
  warn(code: WarningCode, message: string): void;
}

/** How an icon is shown. */
export interface IconOptions {
  /** Style of the library: `solid`, `regular`, `brands`. */
  style?: string | null;
  /** In px; default 16. */
  size?: number;
  className?: string;
  /** An icon of the component itself, without the public class `icon`. */
  isOwn?: boolean;
  /** A CSS color that has been checked; it paints drawings of a library. */
  color?: string | null;
  /** Attributes of its root besides. */
  attributes?: Attributes;
}
