import { Buffer } from 'node:buffer';
import { counted } from '@offprint/contract/counted';
import { pathFault } from '../../platform/git/tree-path.ts';
import { MAX_CHANGED_FILES, maxBytes } from '../policy/limits.ts';
import { isNewDescription, isSamePath, WRITABLE, writeFault } from '../policy/paths.ts';
import { decodeText } from '../workspace/overlay.ts';
import type { Workspace, WorkspaceFile } from '../workspace/workspace.ts';
import type { ToolContext } from './tool.ts';

/** A path that may be used, or why not: a sentence for the model. `rule`: the same without what is allowed. */
export type Target =
  | { path: string; fault?: undefined; rule?: undefined }
  | { path?: undefined; fault: string; rule?: string };

/** What paths are resolved against. */
type Place = Pick<ToolContext, 'workspace' | 'policy'>;

/**
 * A path as the model gives it, relative to the docs root. One slash at its start counts as the docs root, and the
 * folder of the docs in the repository is removed, unless a folder below the docs root has that path. `''` and `.`
 * are the docs root where a folder is meant.
 */
export function plainPath(given: string, { workspace, policy }: Place): Target {
  const path = given.replace(/^(?:\.\/+)+/, '').replace(/^\/(?!\/)|\/+$/g, '');
  const fault = given.isWellFormed() ? pathFault(path) : 'a name that is not valid Unicode';
  if (fault !== null) {
    const shown = JSON.stringify(given.slice(0, 200).toWellFormed());
    return { fault: `The path ${shown} cannot be used: ${fault}. Pass a path below the docs root.` };
  }
  const root = `${policy.docsFolder}/`;
  const isFromRepository = policy.docsFolder !== '' && `${path}/`.startsWith(root);
  if (!isFromRepository || workspace.list().some((file) => file.path.startsWith(root))) return { path };
  return { path: path.slice(root.length) };
}

/** What the URL of a page may be in files. */
const PAGE_ENDS = ['.mdx', '.md', '/index.mdx', '/index.md'];

/** As `plainPath`; the path of a page as links have it (`/guides/start`) becomes that of its file. */
export function filePath(given: string, place: Place): Target {
  const target = plainPath(given, place);
  if (target.path === undefined || place.workspace.has(target.path)) return target;
  const end = PAGE_ENDS.find((one) => place.workspace.has(`${target.path}${one}`));
  return end === undefined ? target : { path: `${target.path}${end}` };
}

/** An existing text file, or why it cannot be read, with what may have been meant. */
export function readTarget(given: string, place: Place): Target & { text?: string } {
  const { workspace } = place;
  const target = filePath(given, place);
  if (target.path === undefined) return target;
  const { path } = target;
  const text = workspace.read(path);
  if (text !== null) return { path, text };
  const files = workspace.list();
  const file = files.find((one) => one.path === path);
  if (file === undefined) return { fault: missing(path, files) };
  return { fault: `${path} ${unreadReason(file, workspace)}.` };
}

/** Why the text of a file that exists cannot be read, after its path. */
export function unreadReason({ path, kind, bytes }: WorkspaceFile, workspace: Workspace): string {
  if (kind !== 'file') return `is a ${kind}, which is never followed`;
  const content = workspace.readBytes(path);
  const isText = content === null || decodeText(content) !== null;
  if (isText) return `has ${bytes} bytes, more than can be read here`;
  return `is not a text file in UTF-8 (${bytes} bytes)`;
}

/** A path that may be written, or why not. Whether something is there already is the tool's affair. */
export function writeTarget(given: string, place: Place): Target {
  const { workspace, policy } = place;
  const target = filePath(given, place);
  if (target.path === undefined) return target;
  const { path } = target;
  const fault = writeFault(path, policy, workspace);
  if (fault !== null) {
    const rule = `${path} cannot be written: ${fault}.`;
    return { fault: `${rule} ${WRITABLE}`, rule };
  }
  const overlay = workspace.overlay();
  if (!overlay.has(path) && overlay.size >= MAX_CHANGED_FILES) {
    return {
      fault: `This job has changed ${overlay.size} files, which is the maximum. ${path} was not changed.`,
    };
  }
  const files = workspace.list();
  const file = files.find((one) => one.path === path);
  if (file !== undefined) {
    return file.kind === 'file' ? { path } : { fault: `${path} is a ${file.kind}, which is never changed.` };
  }
  for (const { path: other, kind } of files) {
    if (other.startsWith(`${path}/`)) return { fault: `${path} is a folder.` };
    if (path.startsWith(`${other}/`)) {
      return { fault: `${path} cannot be created: ${other} is a ${kind}, not a folder.` };
    }
    if (isSamePath(other, path)) {
      return {
        fault: `${other} exists, and many systems do not support two names that differ only in case or Unicode form.`,
      };
    }
  }
  return { path };
}

/** First line of a file that stands for one in Git LFS. */
const LFS_POINTER = /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\//;

/** Why a text cannot become the content of a file; null when it can. */
export async function contentFault(
  path: string,
  text: string,
  { workspace, check, signal }: Pick<ToolContext, 'workspace' | 'check' | 'signal'>,
): Promise<string | null> {
  if (text.includes('\0'))
    return `The text for ${path} contains a NUL character, which is not allowed in text files.`;
  const bytes = Buffer.byteLength(text);
  const before = workspace.readBase(path);
  const limit = maxBytes(before);
  if (bytes > limit) return `${path} would have ${bytes} bytes; the limit of a file is ${limit}. Split it.`;
  if (LFS_POINTER.test(text) || LFS_POINTER.test(before ?? ''))
    return `${path} cannot be written: it is a pointer of Git LFS, whose content is elsewhere.`;
  if (!isNewDescription(path, workspace)) return null;
  const answer = await check.inspect({ files: [], markup: [], descriptions: [{ path, text }] }, signal);
  if (answer.status === 'not_inspected')
    return `${path} cannot be written now, because its content was not checked: ${answer.reason}`;
  const [fault = null] = answer.descriptions;
  if (fault === null) return null;
  return `${path} cannot be written: a new JSON or YAML file must be an API description (OpenAPI or AsyncAPI), and ${fault}. ${WRITABLE}`;
}

function missing(path: string, files: readonly { path: string }[]): string {
  if (path === '')
    return `The docs root is a folder of ${counted(files.length, 'file')}. List them with list_files.`;
  const below = files.filter((one) => one.path.startsWith(`${path}/`)).length;
  if (below > 0) return `${path} is a folder of ${counted(below, 'file')}. List them with list_files.`;
  const bare = (one: string): string => one.toLowerCase().replace(/\.[^./]*$/, '');
  const name = (one: string): string => bare(one).split('/').at(-1)!;
  const near = [
    ...files.filter((one) => bare(one.path) === bare(path) || one.path.toLowerCase() === path.toLowerCase()),
    ...files.filter((one) => one.path.endsWith(`/${path}`)),
    ...files.filter((one) => name(one.path) === name(path)),
  ].map((one) => one.path);
  const some = [...new Set(near)].slice(0, 3);
  const hint = some.length === 0 ? 'See list_files.' : `Did you mean ${some.join(' or ')}?`;
  return `File ${path} not found. ${hint}`;
}
