import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ArchiveLimits, BundleError, readArchive } from '@offprint/bundle';
import { makeFolder } from '@offprint/bundle/make-folder';
import type { Warning } from '@offprint/render';
import type { SourceKind } from '../platform/db/database.ts';
import type { CommitDetails } from '../platform/git/commit-details.ts';
import { GitError } from '../platform/git/error.ts';
import type { GitCredential, GitLimits, GitPolicy } from '../platform/git/policy.ts';
import { isCommitId } from '../platform/git/repository.ts';
import { snapshotRepository } from '../platform/git/snapshot.ts';
import { checkFolder } from '../platform/git/tree-path.ts';
import { FOLDERS_DISABLED, type FolderRoot, findAllowedFolder } from './allowed-folder.ts';

/** Where the docs of a project come from, credential opened. */
export interface SnapshotSource {
  sourceKind: SourceKind;
  /** git: address; folder: absolute path. */
  repository: string | null;
  branch: string | null;
  /** Folder of the docs inside the repository or archive, '' for the root. */
  folder: string;
  credential: GitCredential | null;
  /** The uploaded archive; null when nothing was uploaded yet. */
  uploadArchive(): Promise<Readable | null>;
}

export interface SnapshotOptions {
  /** Another branch, tag or commit than the published branch; only for git. */
  ref: string | null;
  /** The work folder of one attempt; `source` inside it is made. */
  into: string;
  policy: GitPolicy;
  gitLimits: GitLimits;
  archiveLimits: Partial<ArchiveLimits>;
  /** Folders of this machine may be read below this one (development). */
  folderRoot: FolderRoot;
  signal: AbortSignal;
  /** As in SnapshotRequest; only for git. */
  mirror?: string | undefined;
  /** Whether the docs in that folder need the dates of their files; default no. */
  wantsDates?(root: string): Promise<boolean>;
}

export interface SnapshotCommit extends Pick<CommitDetails, 'subject' | 'author' | 'authoredAt'> {
  /** Branch or tag that was read; null when a commit was asked for. */
  ref: string | null;
  /** As in SnapshotSource. */
  repository: string;
}

export interface Snapshot {
  /** Absolute path of the docs; regular files and folders only. */
  root: string;
  commit: string | null;
  /** RFC 3339, UTC. */
  committedAt: string | null;
  /** What the commit says of itself, and where it is; null for sources without Git. */
  commitInfo: SnapshotCommit | null;
  /**
   * Dates (RFC 3339) of the last change of files by path, as far as the history shows them; undefined without
   * one.
   */
  modified?: Readonly<Record<string, string>>;
  /** What was left out, as warnings of the export. */
  skipped: Warning[];
}

export type SnapshotFault =
  | 'source_invalid'
  | 'source_missing'
  | 'source_too_large'
  | 'source_refused'
  | 'source_unreachable';

/** The source cannot be read. The message is for the owner of the project. */
export class SnapshotError extends Error {
  override name = 'SnapshotError';
  readonly code: SnapshotFault;
  /** Whether the same call may succeed later without a change by anybody. */
  readonly retryable: boolean;
  constructor(code: SnapshotFault, message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
  }
}

/**
 * Copies the docs of a project into the work folder of one attempt, whatever their source: plain files only, so
 * that nothing read later can lead out of it.
 *
 * Throws SnapshotError, or the reason of `signal` when it aborts.
 */
export async function snapshotSource(source: SnapshotSource, options: SnapshotOptions): Promise<Snapshot> {
  options.signal.throwIfAborted();
  await makeFolder(options.into);
  switch (source.sourceKind) {
    case 'git':
      return snapshotGit(source, options);
    case 'upload':
      return snapshotUpload(source, options);
    case 'folder':
      return snapshotFolder(source, options);
  }
}

async function snapshotGit(source: SnapshotSource, options: SnapshotOptions): Promise<Snapshot> {
  if (source.repository === null) throw invalid('The project has no repository. Set one.');
  const root = join(options.into, 'source');
  try {
    const { commit, details, ref, skipped, dates } = await snapshotRepository({
      repository: source.repository,
      ref: options.ref ?? source.branch,
      folder: source.folder,
      into: root,
      policy: options.policy,
      limits: options.gitLimits,
      signal: options.signal,
      ...(source.credential === null ? {} : { credential: source.credential }),
      mirror: options.mirror,
      ...(options.wantsDates === undefined ? {} : { wantsDates: options.wantsDates }),
    });
    const warnings = skipped.map(({ path, reason, message }) => warningOf(path, reason, message));
    return {
      root,
      commit,
      committedAt: details.committedAt,
      commitInfo: {
        subject: details.subject,
        author: details.author,
        authoredAt: details.authoredAt,
        ref: isCommitId(ref) || ref === 'HEAD' ? null : ref,
        repository: source.repository,
      },
      skipped: warnings,
      ...(dates === undefined ? {} : { modified: dates }),
    };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const { message, retryable } = error;
    throw new SnapshotError(FAULT_OF_GIT[error.code], message, { retryable, cause: error });
  }
}

const FAULT_OF_GIT: Readonly<Record<GitError['code'], SnapshotFault>> = {
  invalid: 'source_invalid',
  'host-refused': 'source_refused',
  'not-found': 'source_missing',
  'ref-not-found': 'source_missing',
  'folder-not-found': 'source_missing',
  auth: 'source_refused',
  'too-large': 'source_too_large',
  timeout: 'source_unreachable',
  unreachable: 'source_unreachable',
  refused: 'source_refused',
};

async function snapshotUpload(source: SnapshotSource, options: SnapshotOptions): Promise<Snapshot> {
  if (options.ref !== null)
    throw invalid('The project has no repository, so a branch, tag or commit cannot be used.');
  const archive = await source.uploadArchive();
  if (archive === null) {
    throw new SnapshotError(
      'source_missing',
      'Nothing was uploaded to the project yet. Upload its docs folder first.',
      {
        retryable: false,
      },
    );
  }
  const unpacked = join(options.into, 'upload');
  const folder = docsFolder(source.folder);
  try {
    await mkdir(unpacked);
    const summary = await readArchive(
      archive,
      async (file) => {
        options.signal.throwIfAborted();
        const target = join(unpacked, file.path);
        await makeFolder(dirname(target));
        const handle = await open(target, 'wx', 0o644);
        await pipeline(file.content, handle.createWriteStream());
      },
      { links: 'skip', limits: options.archiveLimits },
    );
    const inside = await uploadRoot(unpacked, folder, summary.topFolder);
    const prefix = inside === '' ? '' : `${inside}/`;
    const root = join(options.into, 'source');
    await rename(join(unpacked, inside), root);
    const skipped = summary.skipped
      .filter(({ path }) => path.startsWith(prefix))
      .map(({ path, reason }) => warningOf(path.slice(prefix.length), 'symlink', `Excluded: ${reason}`));
    return { root, commit: null, committedAt: null, commitInfo: null, skipped };
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof BundleError)) throw error;
    const code = error.code === 'too_large' ? 'source_too_large' : 'source_invalid';
    throw new SnapshotError(code, `The uploaded archive cannot be used. ${error.message}`, {
      retryable: false,
      cause: error,
    });
  } finally {
    archive.destroy();
    await rm(unpacked, { recursive: true, force: true });
  }
}

/** The folder as named, or below the one top folder that archives of a repository have. */
async function uploadRoot(unpacked: string, folder: string, topFolder: string | null): Promise<string> {
  const candidates =
    topFolder === null || topFolder === folder ? [folder] : [folder, join(topFolder, folder)];
  for (const candidate of folder === '' && topFolder !== null ? [topFolder] : candidates) {
    if (await isFolder(join(unpacked, candidate))) return candidate;
  }
  throw new SnapshotError('source_missing', `The uploaded archive has no folder "${folder}".`, {
    retryable: false,
  });
}

async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true;
}

function docsFolder(folder: string): string {
  try {
    return checkFolder(folder);
  } catch (error) {
    if (error instanceof GitError) throw invalid(error.message);
    throw error;
  }
}

const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);

async function snapshotFolder(source: SnapshotSource, options: SnapshotOptions): Promise<Snapshot> {
  if (options.folderRoot === null) throw invalid(FOLDERS_DISABLED);
  if (options.ref !== null)
    throw invalid('The project has no repository, so a branch, tag or commit cannot be used.');
  if (source.repository === null) throw invalid('The project has no folder. Set one.');
  const found = await findAllowedFolder(
    join(source.repository, docsFolder(source.folder)),
    options.folderRoot,
  );
  if ('fault' in found && found.fault === 'outside') {
    throw invalid(
      `The folder of the project is outside of ${found.root}, the only folder that this server allows. Move the docs there, or start the server for the folder of the docs, which OFFPRINT_ALLOW_FOLDER_SOURCES names.`,
    );
  }
  if ('fault' in found) {
    throw new SnapshotError('source_missing', 'The folder of the project does not exist.', {
      retryable: false,
    });
  }
  const from = found.path;
  const root = join(options.into, 'source');
  const skipped: Warning[] = [];
  const left = { files: options.gitLimits.files, bytes: options.gitLimits.totalBytes };
  const copy = async (path: string): Promise<void> => {
    options.signal.throwIfAborted();
    await mkdir(join(root, path));
    const entries = await readdir(join(from, path), { withFileTypes: true });
    for (const entry of entries) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (LEFT_OUT.has(entry.name)) continue;
      if (entry.isDirectory()) await copy(inner);
      else if (entry.isFile()) await copyRegular(join(from, inner), join(root, inner), left);
      else skipped.push(warningOf(inner, entry.isSymbolicLink() ? 'symlink' : 'special-file', notPlain));
    }
  };
  await copy('');
  return { root, commit: null, committedAt: null, commitInfo: null, skipped };
}

const notPlain = 'Excluded: only regular files are copied. Replace it with a file.';

async function copyRegular(from: string, to: string, left: { files: number; bytes: number }): Promise<void> {
  left.files -= 1;
  left.bytes -= (await lstat(from)).size;
  if (left.files < 0 || left.bytes < 0) {
    throw new SnapshotError(
      'source_too_large',
      'The folder contains more files or bytes than the limit of one export.',
      {
        retryable: false,
      },
    );
  }
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

function warningOf(file: string, reason: string, message: string): Warning {
  return { file, line: null, code: `source-${reason}`, message };
}

function invalid(message: string): SnapshotError {
  return new SnapshotError('source_invalid', message, { retryable: false });
}
