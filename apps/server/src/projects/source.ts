import { isAbsolute } from 'node:path';
import type { GitCredential, ProjectSource, ProjectSourceInput } from '@offprint/contract';
import { GitError } from '../platform/git/error.ts';
import type { HttpHosts } from '../platform/git/policy.ts';
import { parseRepository } from '../platform/git/repository.ts';
import { AppError } from '../platform/http/error.ts';
import { seal, unseal } from '../platform/secret.ts';
import { FOLDERS_DISABLED, type FolderRoot, findAllowedFolder } from './allowed-folder.ts';
import type { ProjectRow, SourceColumns } from './store.ts';

export interface SourceRules {
  /** Folders of this machine may be sources below this one. */
  folderRoot: FolderRoot;
  /** Git hosts that may be reached by `http:`. */
  allowHttp: HttpHosts;
  /** Seals credentials. */
  key: Buffer;
}

/**
 * The columns of a source as sent. `before` is the project being updated. Throws the 400 for what cannot be a source.
 */
export async function sourceColumns(
  input: ProjectSourceInput,
  projectId: string,
  before: ProjectRow | undefined,
  rules: SourceRules,
): Promise<SourceColumns> {
  if (input.kind === 'upload') return columns('upload', { folder: input.folder ?? '' });
  if (input.kind === 'folder') {
    await checkFolder(input.path, rules);
    return columns('folder', { repository: input.path });
  }
  const repository = checkRepository(input.repository, rules);
  const kept =
    before?.source_kind === 'git' && before.repository === repository ? before.credential_sealed : null;
  const { credential } = input;
  return columns('git', {
    repository,
    branch: input.branch ?? null,
    folder: input.folder ?? '',
    credential_sealed:
      credential === undefined
        ? kept
        : credential === null
          ? null
          : sealCredential(rules.key, projectId, credential),
  });
}

/** A credential as it is stored. */
export function sealCredential(key: Buffer, projectId: string, credential: GitCredential): Buffer {
  return seal(key, JSON.stringify(credential), contextOf(projectId));
}

/** The stored credential of a project; null when it has none. */
export function openCredential(
  key: Buffer,
  project: Pick<ProjectRow, 'id' | 'credential_sealed'>,
): GitCredential | null {
  if (project.credential_sealed === null) return null;
  return JSON.parse(unseal(key, project.credential_sealed, contextOf(project.id))) as GitCredential;
}

export function presentSource(row: ProjectRow): ProjectSource {
  switch (row.source_kind) {
    case 'git':
      return {
        kind: 'git',
        repository: row.repository ?? '',
        branch: row.branch,
        folder: row.folder,
        hasCredential: row.credential_sealed !== null,
      };
    case 'upload':
      return { kind: 'upload', folder: row.folder, sha256: row.upload_sha256 };
    case 'folder':
      return { kind: 'folder', path: row.repository ?? '' };
  }
}

const contextOf = (projectId: string) => `credential/${projectId}`;

function columns(kind: SourceColumns['source_kind'], set: Partial<SourceColumns>): SourceColumns {
  return { source_kind: kind, repository: null, branch: null, folder: '', credential_sealed: null, ...set };
}

function checkRepository(address: string, { allowHttp }: SourceRules): string {
  try {
    return parseRepository(address, { allowHttp }).url;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new AppError('invalid_request', error.message, { param: '/source/repository' });
  }
}

async function checkFolder(path: string, rules: SourceRules): Promise<void> {
  const param = '/source/path';
  if (rules.folderRoot === null) {
    throw new AppError('invalid_request', FOLDERS_DISABLED, { param: '/source/kind' });
  }
  if (!isAbsolute(path))
    throw new AppError('invalid_request', 'source.path must be an absolute path.', { param });
  const found = await findAllowedFolder(path, rules.folderRoot);
  if ('fault' in found && found.fault === 'outside') {
    const message = `source.path must be at or below ${found.root}, the only folder that this server allows. An operator can allow another one with OFFPRINT_ALLOW_FOLDER_SOURCES.`;
    throw new AppError('invalid_request', message, { param });
  }
  if ('fault' in found) {
    throw new AppError('invalid_request', `/source/path: the folder ${path} does not exist on the server.`, {
      param,
    });
  }
}
