/**
 * The site as the renderer sees it after config/ and nav/ have run: one normalized configuration, every page
 * once, and the navigation as one tree of nodes of any nesting.
 */

import type { SiteConfig } from './config/config.ts';
import type { Banner, Footer } from './config/keys/chrome.ts';
import type { Contextual } from './config/keys/contextual.ts';
import type { PageValues } from './config/keys/page.ts';
import type { Redirect } from './config/keys/publication.ts';
import type { IconRef } from './icon-ref.ts';
import type { Descriptions } from './nav/description.ts';
import type { Channel, Operation } from './nav/operation.ts';
import type { LeftOutPage, PageAccess } from './nav/page-access.ts';
import type { At } from './reference/resolver.ts';

export type { SiteConfig } from './config/config.ts';
export type { Banner, LinkItem } from './config/keys/chrome.ts';
export type { Contextual, ContextualOption } from './config/keys/contextual.ts';
export type { CodeBlocks, FontFace } from './config/keys/look.ts';
export type { Redirect } from './config/keys/publication.ts';
export type { IconLibrary, IconRef } from './icon-ref.ts';
export type { Channel, Operation } from './nav/operation.ts';

export type ThemeName = SiteConfig['theme'];

/** `#rrggbb`, lower case, for each appearance. */
interface ThemedColor {
  light: string;
  dark: string;
}

export type PageMode = PageValues['mode'];

export interface Page {
  /** URL path without slashes at the ends and without extension: `guides/start`; the home page is `index`. */
  path: string;
  /** File in the output: `guides/start.html`. */
  output: string;
  /** File in the source; null for a page that an API operation generates. */
  source: string | null;
  /** Body after the front matter, before variables; empty without a source. Reads the file each time. */
  readBody(): string;
  /** Lines of the source before the body, so that body line n is file line n + bodyLine. */
  bodyLine: number;
  frontMatter: Record<string, unknown>;
  /** Its values by key. */
  front: PageValues;
  title: string;
  /** Whether the page says its title itself; false = made from its path or from its operation. */
  hasTitle: boolean;
  /** Title of the sidebar entry. */
  sidebarTitle: string;
  description: string | null;
  /** Markdown of an API description that is shown in place of `description`, which is then its text; else null. */
  lead: string | null;
  icon: IconRef | null;
  tag: string | null;
  mode: PageMode;
  /** Hidden from the navigation by its own front matter. */
  hidden: boolean;
  /** Asks search engines to leave the page out (meta robots). */
  noindex: boolean;
  /** In sitemap.xml, llms.txt and llms-full.txt. */
  indexable: boolean;
  /** In the search of the site. */
  searchable: boolean;
  /** Factor of its rank in the search of the site: its own, else that of the closest group, else 1. */
  boost: number;
  /** Menu of this page; null = that of the site. */
  contextual: Contextual | null;
  /** Deprecated API page. */
  deprecated: boolean;
  operation: Operation | null;
  /** Set for a page that documents a channel. */
  channel: Channel | null;
  /**
   * When it was last changed, `2026-08-14` or `2026-08-14T09:30:00Z` (UTC): `lastUpdatedDate` of the front matter,
   * else the date that Git knows of the file, else that of the commit; null where nobody knows.
   */
  modified: string | null;
  /** Nodes from the root of the navigation to this page's first entry, page node last; empty when unlisted. */
  trail: readonly NavNode[];
  previous: Page | null;
  next: Page | null;
}

export type NavKind =
  | 'root'
  | 'language'
  | 'version'
  | 'product'
  | 'tab'
  | 'item'
  | 'dropdown'
  | 'anchor'
  | 'group'
  | 'page'
  | 'link';

/** One node of the navigation; any kind may hold any other. */
export interface NavNode {
  kind: NavKind;
  /** What the reader sees; for `language` the code (`en`, `pt-BR`). */
  label: string;
  icon: IconRef | null;
  tag: string | null;
  description: string | null;
  /** Hidden nodes keep their pages but are not shown. */
  hidden: boolean;
  /** The default language, version... among its siblings; exactly one where any is of a switch kind. */
  isDefault: boolean;
  /** A nested group that starts open. */
  expanded: boolean;
  /** How the root page of a group lists its children; inherited from the nodes above. */
  directory: 'none' | 'accordion' | 'card';
  /** Color of an anchor, product or dropdown. */
  color: ThemedColor | null;
  /** Side of a tab in its row. */
  align: 'start' | 'end';
  /** Link target of a node that leads elsewhere (external URL or absolute path); null otherwise. */
  href: string | null;
  /** The page of a `page` node, or the root page of a group. */
  page: Page | null;
  /** Overrides of a language node. */
  banner: Banner | null;
  footer: Footer | null;
  navbar: SiteConfig['navbar'] | null;
  children: NavNode[];
}

/** What the label and the address of a reference page are: of its operation or its channel; null for other pages. */
export function endpointOf({ operation, channel }: Page): Operation | null {
  if (channel === null) return operation;
  return { method: channel.protocol, path: channel.address, spec: channel.spec };
}

/** The first page that a reader reaches by opening the node, in document order; null when no page exists. */
export function firstPage(node: NavNode): Page | null {
  if (node.page !== null) return node.page;
  const preferred = node.children.find((child) => child.isDefault && !child.hidden);
  const order = preferred === undefined ? node.children : [preferred, ...node.children];
  for (const [index, child] of order.entries()) {
    if (child.hidden || (index > 0 && child === preferred)) continue;
    const page = firstPage(child);
    if (page !== null) return page;
  }
  return null;
}

/** The page of a schema of an API description. */
export interface SchemaPage {
  page: Page;
  /** File and name of the schema. */
  file: string;
  name: string;
  schema(): At | null;
}

export interface SiteMap {
  config: SiteConfig;
  navigation: NavNode;
  /** Links that all pages below the node with `global` show: all of the site for `navigation.global`. */
  global: NavNode[];
  /** That node, by link. */
  globalOwners: ReadonlyMap<NavNode, NavNode>;
  /** Every page once, sorted by path (code unit). */
  pages: readonly Page[];
  /** By URL path. */
  byPath: ReadonlyMap<string, Page>;
  /** Pages of schemas to which pages of operations refer, by URL path: added while those are rendered. */
  schemaPages: Map<string, SchemaPage>;
  /** First page of each folder that has no page of its own path, by path without slashes at its ends. */
  folderStarts: ReadonlyMap<string, Page>;
  /** Where `/` leads: the index page itself, or the first navigable page. */
  home: Page;
  /** Source files that are neither pages, snippets, configuration nor ignored: copied as they are. */
  assets: readonly string[];
  /** Source files that are imported or in a folder for snippets. */
  snippets: readonly string[];
  /** API descriptions of the source. */
  descriptions: Descriptions;
  /** Page files that are only a link (`url` in the front matter): their path leads to that URL. */
  linkPages: readonly Redirect[];
  /** Pages for members of other groups. */
  leftOut: readonly LeftOutPage[];
  access: PageAccess;
}
