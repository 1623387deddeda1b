/**
 * The site as the renderer sees it after config/ and nav/ have run: one normalized configuration, every page
 * once, and the navigation as one tree of nodes of any nesting.
 */

import type { Excluded } from './excluded.ts';

export type ThemeName =
  | 'mint'
  | 'maple'
  | 'palm'
  | 'willow'
  | 'linden'
  | 'almond'
  | 'aspen'
  | 'sequoia'
  | 'luma';
export type IconLibrary = 'fontawesome' | 'lucide' | 'tabler';

/** An icon as written: a library name, a path in the source, a URL, or inline SVG markup. */
export interface IconRef {
  name: string;
  /** Font Awesome style: solid, regular, brands... null = the default of the library. */
  style: string | null;
  library: IconLibrary | null;
}

export interface ThemedPath {
  light: string;
  dark: string;
}

export interface LinkItem {
  label: string;
  href: string;
  icon: IconRef | null;
  /** `button` for navbar.primary, `github` and `discord` for links with a brand icon. */
  type: 'link' | 'button' | 'github' | 'discord';
}

export interface FooterColumn {
  header: string | null;
  items: { label: string; href: string }[];
}

export interface Footer {
  socials: { platform: string; href: string }[];
  columns: FooterColumn[];
}

export interface Banner {
  /** Inline Markdown. */
  content: string;
  dismissible: boolean;
  type: 'info' | 'warning' | 'critical';
  /** Background, `#rrggbb`; null = that of the type. */
  color: ThemedColor | null;
}

/** `#rrggbb`, lower case, for each appearance. */
export interface ThemedColor {
  light: string;
  dark: string;
}

/** A font of docs.json. */
export interface FontFace {
  family: string;
  /** 1 to 1000; null = all that the font has. */
  weight: number | null;
  /** A path in the source or an https URL; null = a font that the family names. */
  source: string | null;
  format: 'woff' | 'woff2' | null;
}

export interface Background {
  decoration: 'gradient' | 'grid' | 'windows' | null;
  color: { light: string | null; dark: string | null };
  image: ThemedPath | null;
}

/** `styling.codeblocks`. */
export interface CodeBlocks {
  /** Background of the blocks: that of the page, or always light or dark. */
  mode: 'system' | 'light' | 'dark';
  /** Names of Shiki themes as written; null = none. */
  themes: ThemedPath | null;
  /** TextMate grammars (JSON) in the source. */
  grammars: readonly string[];
}

/** An entry of the menu of a page: a known action by its name, or a link of the site. */
export type ContextualOption =
  | { kind: 'action'; name: string }
  | {
      kind: 'link';
      title: string;
      description: string | null;
      icon: IconRef | null;
      /** May hold `$page`, `$path` and `$mcp`. */
      href: string;
      query: readonly { key: string; value: string }[];
    };

export interface Contextual {
  /** The first is the default; empty = no menu. */
  options: readonly ContextualOption[];
  display: 'header' | 'toc';
}

/** `seo.organization`, for structured data. */
export interface Organization {
  id: string | null;
  name: string | null;
  legalName: string | null;
  url: string | null;
  logo: string | null;
  sameAs: readonly string[];
}

/** `api`, as pages of the API reference need it. */
export interface ApiConfig {
  /** Local description files of `api.openapi`. */
  openapi: string[];
  /** Overlay files by the description file that they change. */
  overlays: ReadonlyMap<string, readonly string[]>;
  /** Folders of generated pages by description file, where docs.json names one. */
  directories: ReadonlyMap<string, string>;
  servers: string[];
  auth: { method: 'bearer' | 'basic' | 'key' | 'cobo' | 'none'; name: string | null } | null;
  playground: { display: 'interactive' | 'simple' | 'none' | 'auth'; proxy: boolean; credentials: boolean };
  params: { expanded: 'all' | 'closed' | null; post: readonly string[] };
  /** Whether pages show the whole URL of an operation. */
  fullUrl: boolean;
  examples: {
    /** Languages of generated samples, as written; empty = the default set. */
    languages: readonly string[];
    defaults: 'required' | 'all';
    prefill: boolean;
    autogenerate: boolean;
  };
}

export interface Redirect {
  /** As written, with a leading slash; may hold `:name`, `:name*` and `*`. */
  source: string;
  destination: string;
  permanent: boolean;
}

export interface SiteConfig {
  /** `docs.json` or `mint.json`. */
  file: string;
  /** That file, then the files it pulls in by `$ref`, each once. */
  files: readonly string[];
  name: string;
  description: string | null;
  theme: ThemeName;
  /** `#rrggbb`, lower case. */
  colors: { primary: string; light: string; dark: string };
  logo: (ThemedPath & { href: string | null }) | null;
  favicon: ThemedPath | null;
  appearance: { default: 'system' | 'light' | 'dark'; strict: boolean };
  icons: { library: IconLibrary };
  navbar: { links: LinkItem[]; primary: LinkItem | null };
  footer: Footer;
  banner: Banner | null;
  /** Above the title; null = by the layout. */
  eyebrows: 'section' | 'breadcrumbs' | null;
  /** true, false, or null where the page decides. */
  latex: boolean | null;
  codeBlocks: CodeBlocks;
  /** null = the fonts of the theme. */
  fonts: { body: FontFace | null; heading: FontFace | null };
  background: Background;
  /** Look of generated preview images. */
  thumbnails: { appearance: 'light' | 'dark' | null; background: string | null; font: string | null };
  /** Menu of a page; null = not configured, the theme decides. */
  contextual: Contextual | null;
  /** Whether opening a group leads to its first page; null = by the layout. */
  drilldown: boolean | null;
  /** Whether pages show when they were last changed. */
  timestamp: boolean;
  /** Variants of the content that a reader picks; the first is the default. */
  variations: readonly { id: string; label: string }[];
  /** Placeholder of the search box. */
  searchPrompt: string | null;
  redirects: Redirect[];
  notFound: { redirect: boolean; title: string | null; description: string | null };
  /** `{{name}}` -> value, replaced in page text before the parse. */
  variables: Record<string, string>;
  seo: {
    indexing: 'navigable' | 'all';
    metatags: Record<string, string>;
    /** Base of canonical URLs from metatags.canonical, else null = the domain of the export. */
    canonical: string | null;
    /** Tags of folders, by path without slashes at its ends; the longest path comes last. */
    paths: readonly { path: string; metatags: Record<string, string> }[];
    organization: Organization | null;
    /** Whether public URLs end with a slash. */
    trailingSlash: boolean;
  };
  /** Lines for agents in llms.txt and the Markdown twins. */
  markdownInstructions: string[];
  /** Whether Markdown twins of API pages hold the description of their operation. */
  markdownSchema: boolean;
  api: ApiConfig;
  /** What the export leaves out although the source may set it up. */
  excluded: Excluded;
  /** docs.json after `$ref` and the mint.json upgrade, for parts that read rarer keys. */
  raw: Record<string, unknown>;
}

export type PageMode = 'default' | 'wide' | 'custom' | 'frame' | 'center' | 'assistant';

/** `METHOD /path` of an API description, from front matter or a navigation entry. */
export interface Operation {
  method: string;
  path: string;
  /** Description file in the source or its URL; null = the closest one of the navigation. */
  spec: string | null;
}

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
  /** First page of each folder that has no page of its own path, by path without slashes at its ends. */
  folderStarts: ReadonlyMap<string, Page>;
  /** Where `/` leads: the index page itself, or the first navigable page. */
  home: Page;
  /** Source files that are neither pages, snippets, configuration nor ignored: copied as they are. */
  assets: readonly string[];
  /** Source files that are imported or in a folder for snippets. */
  snippets: readonly string[];
  /** Page files that are only a link (`url` in the front matter): their path leads to that URL. */
  linkPages: readonly Redirect[];
}
