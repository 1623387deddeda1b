import picomatch from 'picomatch';
import { CONFIG_FILES } from '../edit/config-tree.ts';
import { foldPath, isPage } from '../edit/page-lookup.ts';
import type { Workspace } from '../workspace/workspace.ts';
import {
  currentNames,
  type DocsFiles,
  docsFilesOf,
  folderOf,
  isData,
  isImage,
  isListed,
  isNamedDescription,
} from './docs-files.ts';
import { isLikeInstructions, nameFault, newNameFault } from './names.ts';
import type { WritePolicy } from './write-policy.ts';

export { repositoryPath } from './names.ts';

/** What is said to a model whose write is refused. */
export const WRITABLE =
  'A job writes only pages (.mdx, .md), docs.json and the files that it includes, API descriptions that docs.json names, and SVG images in folders with images.';

/** Text that a project may let jobs write besides: what pages load. Never the formats that CI and build tools read. */
const EXTRA = new Set('js jsx ts tsx css html txt csv'.split(' '));
/** The same for files that a job can only delete. */
const EXTRA_BINARY = new Set('pdf woff woff2 ttf otf'.split(' '));
const PROGRAM = /\.(?:[jt]sx?|html)$/i;
/** Folders of programs that people and machines run, not readers. */
const TOOLS = /(?:^|\/)(?:scripts?|bin|tools?|hooks|ci|tests?|__tests__|e2e|cypress|tasks)\//i;
/** What docs.json may name: text that pages show or load, or a part of itself. */
const NAMED = /\.(?:json|ya?ml|svg|css|txt|csv)$/i;

type Files = Pick<Workspace, 'read' | 'has' | 'base'>;

/**
 * Why a job may not write (create, change, move, delete) this path below the docs root; null when it may. A clause such
 * as `it is a file of Git`. What a file is decides, and for a new one what the docs have there already; a list of names
 * is the second layer. Tools ask it early to tell the model; the publisher asks it again, and that one counts.
 *
 * A new API description is allowed here; `descriptionFault` and `unnamedFault` decide about its content and its place.
 */
export function writeFault(path: string, policy: WritePolicy, files: Files): string | null {
  const name = nameFault(path, policy.docsFolder);
  if (name !== null) return `it is ${name}`;
  const docs = docsFilesOf(files.base);
  const entry = files.base.entries.get(path);
  if (entry !== undefined && entry.kind !== 'file') return `it is a ${entry.kind}`;
  const isNew = entry === undefined;
  if (isNew) {
    const fault = newNameFault(path);
    if (fault !== null) return `it is ${fault}`;
  }
  if (CONFIG_FILES.includes(path)) return null;
  if (docs.ignore.ignored(path))
    return 'it is not part of the site: .mintignore or a default rule excludes it';
  if (isPage(path)) return pageFault(path, isNew, docs, files);
  if (isAllowed(path, isNew, policy)) return null;
  if (isNew) return newFileFault(path, docs, files);
  return isDocsFile(path, docs) ? null : 'it is not a file of the docs';
}

/** Whether an existing file is more than a neighbor of the docs. */
function isDocsFile(path: string, docs: DocsFiles): boolean {
  if (isImage(path) || docs.descriptions.has(path) || docs.names.parts.has(path)) return true;
  return (
    NAMED.test(path) && (docs.names.files.has(path) || (isData(path) && isNamedDescription(path, docs.names)))
  );
}

function newFileFault(path: string, docs: DocsFiles, files: Files): string | null {
  const folder = folderOf(path);
  if (/\.svg$/.test(path)) {
    if (isBelow(folder, docs.imageFolders) || currentNames(files).files.has(path)) return null;
    const known = [...docs.imageFolders].filter((one) => one !== '').slice(0, 3);
    return `it is an image in a folder without images${known.length === 0 ? '' : ` (images are in ${known.join(', ')})`}`;
  }
  if (isImage(path)) return 'it is an image that is not text';
  if (isData(path)) {
    // A part of docs.json, or else an API description.
    return /\.(?:json|ya?ml)$/.test(path) ? null : 'it is a data file whose extension is not in lower case';
  }
  const type = /\.([^./]+)$/.exec(path.toLowerCase())?.[1] ?? '';
  return `it is ${type === '' ? 'a file without an extension' : `a .${type.slice(0, 20)} file`}`;
}

function pageFault(path: string, isNew: boolean, docs: DocsFiles, files: Files): string | null {
  const isInNavigation = (): boolean => isListed(path, docs.names) || isListed(path, currentNames(files));
  if (docs.ignore.unlisted(path) && !docs.ignore.isGenerated(path) && !isListed(path, docs.names))
    return 'it is not a page of the site, as a README is not';
  if (!isNew) return null;
  if (!/\.mdx?$/.test(path)) return 'it is a page whose extension is not .mdx or .md';
  if (isLikeInstructions(path) && !isInNavigation())
    return 'it has a name that coding agents take for instructions; choose another, or add the page to the navigation in docs.json first';
  if (path.endsWith('.mdx') || isInNavigation()) return null;
  return isBelow(folderOf(path), docs.markdownFolders)
    ? null
    : 'it is a .md file where the docs have no .md pages; end the name in .mdx, or add the page to the navigation in docs.json first';
}

/** Whether a folder is one of these, or below one that is not the docs root. */
function isBelow(folder: string, folders: ReadonlySet<string>): boolean {
  if (folders.has(folder)) return true;
  for (let above = folder; above !== ''; above = folderOf(above)) if (folders.has(above)) return true;
  return false;
}

/**
 * Whether the project lets jobs write a file besides. At the root of the repository, where tools look for their
 * settings, only an entry that names the file itself counts; programs that are run there are never among them.
 */
function isAllowed(path: string, isNew: boolean, { allow, docsFolder }: WritePolicy): boolean {
  const type = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (!EXTRA.has(type) && (isNew || !EXTRA_BINARY.has(type))) return false;
  if (PROGRAM.test(path) && TOOLS.test(path)) return false;
  if (docsFolder === '' && !path.includes('/')) return allow.includes(path);
  return allow.some((glob) => picomatch.isMatch(path, glob, { dot: true, nonegate: true }));
}

/** Whether a path is a JSON or YAML file that a job has created, which must be an API description. */
export function isNewDescription(path: string, { base }: Pick<Workspace, 'base'>): boolean {
  if (!isData(path) || base.entries.has(path) || CONFIG_FILES.includes(path)) return false;
  return !docsFilesOf(base).partFolders.has(folderOf(path)) || folderOf(path) === '' || !/\.json$/.test(path);
}

/** Characters of a page in which its front matter is looked for. */
const FRONT = 4_000;

/** Why a new API description may not stay at the end of a turn: nothing names it. Null when something does. */
export function unnamedFault(
  path: string,
  workspace: Pick<Workspace, 'read' | 'has' | 'base' | 'list'>,
): string | null {
  if (isNamedDescription(path, currentNames(workspace))) return null;
  const key = /^(?:openapi|asyncapi)["']?\s*:\s*["']?\/?([^\s"']+)/m;
  const isNamed = workspace.list().some(({ path: page, isText }) => {
    if (!isText || !isPage(page)) return false;
    const name = key.exec(workspace.read(page)?.slice(0, FRONT) ?? '')?.[1];
    return name !== undefined && (name === path || name === path.replace(/\.[^.]*$/, ''));
  });
  return isNamed
    ? null
    : 'it is an API description that docs.json does not name; add it under "openapi" or "asyncapi", or delete it';
}

/** Whether two names are one on a file system that folds case or Unicode forms. */
export function isSamePath(one: string, other: string): boolean {
  return foldPath(one) === foldPath(other);
}
