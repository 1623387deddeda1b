import type { TarFile } from './tar.ts';

/** What a picked folder holds of docs. */
export interface PickedDocs {
  files: TarFile[];
  bytes: number;
  /** Folder below the picked one that is packed; empty for the picked one itself. */
  root: string;
  /** Files left out: those of tools, and those beside the docs. */
  leftOut: number;
}

const TOOLS = /(^|\/)(\.git|\.hg|\.svn|node_modules|\.DS_Store|Thumbs\.db|\.env[^/]*)(\/|$)/;

/**
 * The docs in a picked folder: the topmost folder that contains docs.json (or mint.json), with everything
 * below it, without files of version control, installed packages and environment files. An error message if
 * none contains it. `files` have paths below the picked folder.
 */
export function docsIn(files: readonly TarFile[]): PickedDocs | string {
  const kept = files.filter((file) => !TOOLS.test(file.path));
  const roots = kept
    .filter((file) => /(^|\/)(docs|mint)\.json$/.test(file.path))
    .map((file) => file.path.replace(/\/?[^/]+$/, ''));
  if (roots.length === 0)
    return 'No docs.json found in this folder or its subfolders. Choose the folder that contains it.';
  const depth = (root: string) => (root === '' ? 0 : root.split('/').length);
  const least = Math.min(...roots.map(depth));
  const nearest = [...new Set(roots.filter((root) => depth(root) === least))];
  if (nearest.length > 1)
    return `Found more than one docs.json: in ${nearest.slice(0, 5).join(', ')}. Choose one of these folders.`;
  const root = nearest[0]!;
  const below = root === '' ? kept : kept.filter((file) => file.path.startsWith(`${root}/`));
  const packed = below
    .map((file) => ({
      path: root === '' ? file.path : file.path.slice(root.length + 1),
      content: file.content,
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    files: packed,
    bytes: packed.reduce((sum, file) => sum + file.content.size, 0),
    root,
    leftOut: files.length - packed.length,
  };
}

/** The files of an input with `webkitdirectory`, without the name of the picked folder. */
export function pickedFiles(list: Iterable<File>): TarFile[] {
  return [...list].map((file) => ({
    path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath.replace(/^[^/]+\//, ''),
    content: file,
  }));
}

/** The files below a dropped folder, without its name. */
export async function droppedFiles(folder: FileSystemDirectoryEntry): Promise<TarFile[]> {
  const files: TarFile[] = [];
  const walk = async (directory: FileSystemDirectoryEntry, path: string): Promise<void> => {
    const reader = directory.createReader();
    for (;;) {
      const entries = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (entries.length === 0) return;
      for (const entry of entries) {
        const below = path === '' ? entry.name : `${path}/${entry.name}`;
        if (TOOLS.test(below)) continue;
        if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, below);
        else {
          const content = await new Promise<File>((done, fail) =>
            (entry as FileSystemFileEntry).file(done, fail),
          );
          files.push({ path: below, content });
        }
      }
    }
  };
  await walk(folder, '');
  return files;
}
