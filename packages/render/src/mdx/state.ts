import type { Diagram } from '../diagrams/check.ts';
import type { SiteImages } from '../images/site-images.ts';
import type { RedirectRules } from '../nav/follow-redirects.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import type { Page } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Node } from '../tree.ts';
import type { Warn } from '../warning.ts';
import type { BodySite } from './body-site.ts';
import type { Instance } from './evaluate/run.ts';
import type { SiteBudget } from './guard/budget.ts';
import type { Imports } from './imports.ts';
import type { LinkedPage } from './linked-page.ts';
import type { Lookup, RecordableLookups, Recorded } from './lookups.ts';
import type { Expression } from './parse/ast.ts';
import type { Module } from './parse/modules.ts';

/** What all pages of one render share, with its caches. Pages are rendered one after the other. */
export interface SiteState {
  readonly source: SourceTree;
  readonly siteMap: BodySite;
  readonly redirects: RedirectRules;
  readonly lookups: RecordableLookups;
  /** Base of links in Markdown twins, without a slash at its end; null = they are relative. */
  readonly siteUrl: string | null;
  /** URL of the MCP server that the site is served with; null without one. */
  readonly mcpUrl: string | null;
  /** Copies of files of other hosts. */
  readonly remote: RemoteFiles;
  /** Variants of images of the source. */
  images: SiteImages;
  /** Reports each defect once, however many pages show it. */
  readonly warn: Warn;
  /** Set while something is rendered that readers may never see: its defects are not reported. */
  isQuiet: boolean;
  /** Snippets and scripts by file. */
  readonly modules: Map<string, Module>;
  readonly instances: Map<string, Instance>;
  readonly imports: Imports;
  readonly expressions: Map<string, Expression | null>;
  /** Original file of nodes that are in the tree of another file. */
  readonly origins: WeakMap<Node, string>;
  /** Pages by path in lower case, for links that differ in case only. */
  readonly foldedPaths: Lookup<LinkedPage>;
  /** Resolved Markdown of API descriptions, by its text. */
  readonly apiTexts: Map<string, Recorded<Node[]>>;
  /** What the pages may take together. */
  readonly budget: SiteBudget;
  /** Classes that the style sheets of the site give the look of code. */
  readonly codeClasses: ReadonlySet<string>;
  /** Whether code is highlighted; not when the HTML is discarded. */
  readonly highlight: boolean;
  /** Takes the output path of each page and file that a link or an image of a page leads to. */
  readonly visit: ((output: string) => void) | null;
  /** Sees the tree of each page before it is written. */
  readonly inspect: ((page: InspectedPage) => void) | null;
  readonly onDiagram: ((diagram: Diagram) => void) | null;
}

/** A page as evaluated and not yet written. */
export interface InspectedPage {
  page: Page;
  children: readonly Node[];
  /** File that a node was written in, where it is not that of the node around it. */
  fileOf(node: Node): string | undefined;
}
