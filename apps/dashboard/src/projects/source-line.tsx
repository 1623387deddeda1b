import type { Project } from '@offprint/contract';
import { Folder, FolderGit2, Upload } from 'lucide-react';
import { forgeOf, hostOf, repositoryName } from './repository-address.ts';

/** Where the docs are, in two lines: what, and the host, branch and folder. */
export function SourceLine({ source }: { source: Project['source'] }) {
  const { title, details } = wordsOf(source);
  const Icon = source.kind === 'git' ? FolderGit2 : source.kind === 'upload' ? Upload : Folder;
  return (
    <span className="flex min-w-0 items-start gap-2.5 text-start">
      <Icon aria-hidden="true" className="mt-0.75 size-4 flex-none text-muted" />
      <span className="min-w-0">
        <span className="block break-words">{title}</span>
        {details !== '' && <span className="block break-words text-muted text-xs leading-5">{details}</span>}
      </span>
    </span>
  );
}

function wordsOf(source: Project['source']): { title: string; details: string } {
  if (source.kind === 'folder') return { title: source.path, details: 'Folder on the server' };
  const folder = source.folder === '' ? null : `folder ${source.folder}`;
  if (source.kind === 'upload') {
    const state = source.sha256 === null ? 'Nothing uploaded yet' : null;
    return { title: 'Upload', details: [state, folder].filter((part) => part !== null).join(', ') };
  }
  const host = hostOf(source.repository);
  const branch = source.branch === null ? 'default branch' : `branch ${source.branch}`;
  return {
    title: repositoryName(source.repository),
    details: [forgeOf(host) ?? host, branch, folder].filter((part) => part !== null).join(', '),
  };
}
