import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathFault } from '../../platform/git/tree-path.ts';
import type { Workspace, WorkspaceFile } from '../workspace/workspace.ts';

/** Files whose text the renderer reads, whether or not it is text. */
const READ_WHOLE = /\.(?:mdx?|[jt]sx?|json|css|html?|ya?ml|txt|svg)$/i;
/** Of other files the renderer reads only the size and the start, for the dimensions of an image. */
const HEAD_BYTES = 64 * 1024;
/** Files that are written at a time. */
const PARALLEL = 16;

/**
 * Writes the regular files of a workspace below an empty folder, as plain files of mode 0600. Links,
 * submodules and paths that cannot be files here are left out, as they are when the docs are exported. Large
 * files that are not text are stored as their first bytes and a hole, so that they use no space.
 */
export async function materialiseWorkspace(
  workspace: Workspace,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const files = workspace.list().filter(({ kind, path }) => kind === 'file' && pathFault(path) === null);
  const made = new Map<string, Promise<unknown>>();
  const makeFolder = (path: string): Promise<unknown> => {
    let making = made.get(path);
    if (making === undefined) {
      making = mkdir(path, { recursive: true, mode: 0o700 });
      made.set(path, making);
    }
    return making;
  };
  let next = 0;
  const work = async (): Promise<void> => {
    for (let file = files[next++]; file !== undefined; file = files[next++]) {
      signal.throwIfAborted();
      const target = join(folder, file.path);
      try {
        await makeFolder(dirname(target));
        await writeNew(target, file, workspace.readBytes(file.path));
      } catch (error) {
        // A name that is taken on this file system: by a folder, or by one that differs in case only.
        if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
          throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

/** `wx`: nothing that is there is followed or written over. */
async function writeNew(target: string, file: WorkspaceFile, bytes: Uint8Array | null): Promise<void> {
  const handle = await open(target, 'wx', 0o600);
  try {
    if (bytes === null) return;
    const isWhole = file.isText || READ_WHOLE.test(file.path);
    await handle.writeFile(isWhole ? bytes : bytes.subarray(0, HEAD_BYTES));
    if (!isWhole && bytes.byteLength > HEAD_BYTES) await handle.truncate(bytes.byteLength);
  } finally {
    await handle.close();
  }
}
