import { posix } from 'node:path';
import { type IgnoreRules, readIgnoreRules } from '@offprint/render/ignore';
import { CONFIG_FILES, type ConfigTree, openConfig } from '../edit/config-tree.ts';
import { eachText, openParts } from '../edit/links.ts';
import { entryPath, foldPath, pagePath } from '../edit/page-lookup.ts';
import { readText } from '../workspace/overlay.ts';
import type { BaseTree, Workspace } from '../workspace/workspace.ts';

/** What the docs at the base commit are made of. Nothing that a job does changes it. */
export interface DocsFiles {
  ignore: IgnoreRules;
  /** Folders with pages in Markdown (`.md`) that the navigation lists; '' is the docs root. */
  markdownFolders: ReadonlySet<string>;
  /** Folders with images. */
  imageFolders: ReadonlySet<string>;
  /** API descriptions. */
  descriptions: ReadonlySet<string>;
  /** Folders of files that docs.json includes with `$ref`. */
  partFolders: ReadonlySet<string>;
  names: ConfigNames;
}

/** What docs.json and the files that it includes name. */
export interface ConfigNames {
  /** Folded paths of pages. */
  pages: ReadonlySet<string>;
  /** Paths of files and folders as written, from the docs root. */
  files: ReadonlySet<string>;
  /** The same under `openapi` and `asyncapi`, and of operations. */
  descriptions: ReadonlySet<string>;
  /** Files that are part of the configuration. */
  parts: ReadonlySet<string>;
}

const IMAGE = /\.(?:png|jpe?g|gif|webp|avif|ico|svg|mp4|webm|mp3)$/i;
/** Characters of a file in which the version of an API description stands. */
const HEAD = 20_000;
const VERSION = /(?:^|[{,])\s{0,8}["']?(?:openapi|asyncapi|swagger)["']?\s{0,8}:\s{0,8}["']?\d/m;

export const isImage = (path: string): boolean => IMAGE.test(path);
export const isData = (path: string): boolean => /\.(?:json|ya?ml)$/i.test(path);
export const folderOf = (path: string): string => {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
};

const known = new WeakMap<BaseTree, DocsFiles>();

/** Reads the base once. */
export function docsFilesOf(base: BaseTree): DocsFiles {
  const before = known.get(base);
  if (before !== undefined) return before;
  const read = (path: string): string | null => {
    const entry = base.entries.get(path);
    return entry === undefined ? null : readText(entry);
  };
  const has = (path: string): boolean => base.entries.has(path);
  const names = namesOf({ read, has });
  const found = {
    markdownFolders: new Set<string>(),
    imageFolders: new Set<string>(),
    descriptions: new Set<string>(),
    partFolders: new Set<string>(
      [...names.parts].filter((path) => !CONFIG_FILES.includes(path)).map(folderOf),
    ),
  };
  for (const { path, kind } of base.entries.values()) {
    if (kind !== 'file') continue;
    if (isImage(path)) found.imageFolders.add(folderOf(path));
    else if (/\.md$/i.test(path) && (isListed(path, names) || /(?:^|\/)_?snippets\//.test(path)))
      found.markdownFolders.add(folderOf(path));
    else if (isData(path) && VERSION.test(read(path)?.slice(0, HEAD) ?? '')) found.descriptions.add(path);
  }
  const ignore = readIgnoreRules(sourceOf(base, read), () => {});
  const files: DocsFiles = { ...found, ignore, names };
  known.set(base, files);
  return files;
}

function sourceOf(base: BaseTree, read: (path: string) => string | null) {
  return {
    paths: [...base.entries.keys()],
    has: (path: string) => base.entries.has(path),
    size: (path: string) => base.entries.get(path)?.bytes ?? 0,
    read: (path: string) => base.entries.get(path)?.content ?? new Uint8Array(),
    readText: (path: string) => read(path) ?? '',
  };
}

/** Whether the navigation lists a page. */
export function isListed(path: string, names: ConfigNames): boolean {
  return names.pages.has(foldPath(pagePath(path)));
}

/** Whether docs.json names a file as an API description: by its path, without its extension, or by its folder. */
export function isNamedDescription(path: string, { descriptions }: ConfigNames): boolean {
  if (descriptions.has(path) || descriptions.has(path.replace(/\.[^.]*$/, ''))) return true;
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder))
    if (descriptions.has(folder)) return true;
  return false;
}

const NONE: ConfigNames = { pages: new Set(), files: new Set(), descriptions: new Set(), parts: new Set() };
const SPEC_KEYS = new Set(['openapi', 'asyncapi', 'source', 'overlays']);

const current = new WeakMap<object, { texts: ReadonlyMap<string, string | null>; names: ConfigNames }>();

/** What the configuration of a workspace names now; read again only when one of its files has changed. */
export function currentNames(workspace: Pick<Workspace, 'read' | 'has' | 'base'>): ConfigNames {
  const before = current.get(workspace);
  if (before !== undefined && [...before.texts].every(([path, text]) => workspace.read(path) === text))
    return before.names;
  const names = namesOf(workspace);
  const texts = new Map([...CONFIG_FILES, ...names.parts].map((path) => [path, workspace.read(path)]));
  current.set(workspace, { texts, names });
  return names;
}

function namesOf(files: Pick<Workspace, 'read' | 'has'>): ConfigNames {
  let config: ConfigTree;
  try {
    config = openConfig(files);
  } catch {
    return NONE;
  }
  const pages = new Set<string>();
  const named = new Set<string>();
  const descriptions = new Set<string>();
  const parts = openParts(config);
  for (const file of parts) {
    eachText(config, file, ({ value }, keys) => {
      const text = String(value).trim();
      if (text === '' || text.length > 1_000 || /^[a-z][a-z0-9+.-]*:/i.test(text)) return;
      const words = text.split(/\s+/);
      const path = pathOf(words[0] ?? '', keys.at(-1) === '$ref' ? file : '');
      if (words.length === 3) descriptions.add(path);
      if (words.length !== 1 || path === '') return;
      named.add(path);
      if (SPEC_KEYS.has(keys.at(-1) ?? '')) descriptions.add(path);
      if (keys.includes('navigation') || !CONFIG_FILES.includes(file) || file === 'mint.json')
        pages.add(foldPath(entryPath(text)));
    });
  }
  return { pages, files: named, descriptions, parts: new Set(parts) };
}

/** A path as it is written in a file of the configuration, from the docs root; '' when it leads out. */
function pathOf(written: string, from: string): string {
  const path = posix.normalize(
    written.startsWith('/') || from === ''
      ? written.replace(/^\/+/, '')
      : posix.join(posix.dirname(from), written),
  );
  return path.startsWith('..') ? '' : path.replace(/^\.\/|\/$/g, '');
}
