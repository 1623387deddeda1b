import type { DescriptionUse } from '../reference/description-use.ts';
import { firstPage, type Page, type SiteConfig, type SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { SourceError, type Warn } from '../warning.ts';
import { publicPages } from './audience.ts';
import { folderStarts } from './folders.ts';
import { findPage, type OpenPages, openPages } from './open-pages.ts';
import type { PageHeads, SourceFiles } from './page-files.ts';
import type { PageIndex } from './page-index.ts';
import { foldPath } from './path.ts';
import { placePages, pruneTree } from './place.ts';
import { publishPages } from './publication.ts';
import { withheldFiles } from './withheld-files.ts';

export interface SiteMapOptions {
  /** Only these pages (leading slash and extension tolerated); undefined = all. */
  paths?: readonly string[] | undefined;
  /** Whether to include pages that no navigation lists; default true. The index page is always included. */
  includeUnlisted?: boolean | undefined;
  /** Groups whose restricted pages are included; default none. */
  groups?: readonly string[] | undefined;
  /** Only pages that need no sign-in (`public`), and the files that they name; default false. */
  publicOnly?: boolean | undefined;
  /** Finds the pages and files of folders such as `build` that the other pages need; default none. */
  findLinked?: FindLinked | undefined;
  heads?: PageHeads | undefined;
  /** Takes which API descriptions are used; default nothing. */
  descriptionUse?: DescriptionUse | undefined;
}

/**
 * Which of the `linkable` output paths pages link to or show, directly or through each other. The site map has all of
 * them.
 */
export type FindLinked = (siteMap: SiteMap, linkable: ReadonlySet<string>) => ReadonlySet<string>;

/**
 * Every page of a source once, with its place in the navigation, and the files beside the pages.
 * Throws SourceError `unknown-page` for a path of the options that is not a page, `no-pages` when none is left.
 */
export function buildSiteMap(
  source: SourceTree,
  config: SiteConfig,
  options: SiteMapOptions,
  warn: Warn,
): SiteMap {
  for (const warning of source.warnings ?? []) warn(warning);
  const { files, index, tree, descriptions, adopt } = openPages(
    source,
    config,
    options.groups ?? [],
    warn,
    options.heads,
    options.descriptionUse,
  );
  const roots = [tree.root, ...tree.global];
  const open = publicPages(roots, tree.marks, index.pages());
  const named = options.paths === undefined ? null : keepPaths(index, options.paths, config);
  const publicOnly = options.publicOnly === true;
  const kept = publicOnly ? new Set([...(named ?? open)].filter((page) => open.has(page))) : named;
  for (const root of roots) pruneTree(root, kept);
  const global = tree.global.filter(
    ({ page, href, children }) => page !== null || href !== null || children.length > 0,
  );
  for (const node of global) node.isDefault = false;
  const placed = placePages([tree.root, ...global], tree.marks);
  const includeUnlisted = options.includeUnlisted ?? true;
  const describe = (own: readonly Page[], assets: readonly string[]): SiteMap => {
    const pages = own
      .filter(
        (page) => kept?.has(page) ?? (includeUnlisted || page.trail.length > 0 || page.path === 'index'),
      )
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    const linkPages = index.links().sort((a, b) => (a.source < b.source ? -1 : 1));
    const home = findHome(pages, tree.root, config);
    publishPages(pages, home, placed, config);
    const byPath = new Map(pages.map((page) => [page.path, page]));
    return {
      config,
      navigation: tree.root,
      global,
      globalOwners: tree.globalOwners,
      pages,
      byPath,
      schemaPages: new Map(),
      folderStarts: folderStarts(tree.root, byPath),
      home,
      assets,
      snippets: [
        ...files.snippets,
        ...files.pages.filter((page) => page.isSnippet).map(({ file }) => file),
      ].sort(),
      descriptions,
      linkPages: kept === null ? linkPages : [],
      leftOut: index.leftOut(),
      access: { ...index.groups.list(), hasPublic: open.size > 0 },
    };
  };
  if (options.findLinked !== undefined && kept === null && includeUnlisted)
    addLinked({ files, index, adopt, config, describe, find: options.findLinked, warn });
  const assets = keepAssets(files, index.pages(), warn);
  const readable = publicOnly ? [...open] : index.pages();
  const withheld = withheldFiles({
    source,
    assets,
    snippets: describe(index.pages(), []).snippets,
    kept: readable.flatMap(({ source: file }) => file ?? []),
    leftOut: index.leftOut().map(({ file }) => file),
    config: config.files,
    mustBeNamed: publicOnly,
  });
  return describe(
    index.pages(),
    assets.filter((file) => !withheld.has(file)),
  );
}

interface Linking extends Pick<OpenPages, 'files' | 'index' | 'adopt'> {
  config: SiteConfig;
  /** The site with these pages and assets. */
  describe(pages: readonly Page[], assets: readonly string[]): SiteMap;
  find: FindLinked;
  warn: Warn;
}

/** Makes pages and assets of the files in folders such as `build` that other pages need. */
function addLinked({ files, index, adopt, config, describe, find, warn }: Linking): void {
  const drafts = index.linkable();
  const linkable = new Set([...drafts.map(({ output }) => output), ...files.linkable]);
  if (linkable.size === 0) return;
  const draft = describe([...index.pages(), ...drafts], [...files.assets, ...files.linkable]);
  const linked = find(draft, linkable);
  for (const { path, output } of drafts) {
    const found = linked.has(output) ? index.find(path) : null;
    if (found?.kind === 'page') adopt(found.page, []);
  }
  files.assets = [...files.assets, ...files.linkable.filter((file) => linked.has(file))].sort();
  const leftOut = [...linkable].filter((output) => !linked.has(output));
  if (leftOut.length > 0) warnLeftOut(leftOut, config, warn);
}

/** One warning with the number of files of each folder. */
function warnLeftOut(outputs: readonly string[], config: SiteConfig, warn: Warn): void {
  const counts = new Map<string, number>();
  for (const output of outputs) {
    const folder = `${output.split('/', 1)[0]}/`;
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const parts = [...counts].sort().map(([folder, count]) => `${count} in ${JSON.stringify(folder)}`);
  const message = `Files were left out because no page links to them and their folder has a name of generated files: ${parts.join(', ')}. List them in the navigation, link to them, or add a rule such as \`!/${[...counts.keys()].sort()[0]}\` to .mintignore.`;
  warn({ file: config.file, line: null, code: 'folder-left-out', message });
}

function keepPaths(index: PageIndex, paths: readonly string[], config: SiteConfig): Set<Page> {
  const kept = new Set<Page>();
  for (const path of paths) {
    const page = findPage(index, path);
    if (page === null) {
      const message = `${JSON.stringify(path.slice(0, 200))} is not a page of this site. Write the URL path of a page without host, such as "guides/start".`;
      throw new SourceError({ file: config.file, line: null, code: 'unknown-page', message });
    }
    kept.add(page);
  }
  return kept;
}

function findHome(pages: readonly Page[], root: SiteMap['navigation'], config: SiteConfig): Page {
  const home = pages.find((page) => page.path === 'index') ?? firstPage(root) ?? pages[0];
  if (home !== undefined) return home;
  const message =
    'The docs folder has no page for this export. Add an .mdx or .md file, or change what is excluded.';
  throw new SourceError({ file: config.file, line: null, code: 'no-pages', message });
}

/** Assets, but those that a page of the same name would overwrite and those that are one file on some systems. */
function keepAssets(files: SourceFiles, pages: readonly Page[], warn: Warn): string[] {
  const taken = new Map<string, string>();
  for (const page of pages) taken.set(foldPath(page.output), page.source ?? page.path);
  return files.assets.filter((file) => {
    const key = foldPath(file);
    const owner = taken.get(key);
    if (owner === undefined) {
      taken.set(key, file);
      return true;
    }
    const message = `This file and ${owner} both are ${file} in the export (case and Unicode forms are ignored); this one was excluded. Rename it.`;
    warn({ file, line: null, code: 'file-collision', message });
    return false;
  });
}
