import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { pathFault } from '../../platform/git/tree-path.ts';
import { isReadWhole } from '../workspace/contents.ts';
import type { Workspace, WorkspaceFile } from '../workspace/workspace.ts';

/** Of files that it does not read whole the renderer reads only the size and the start, for the dimensions of an image. */
const HEAD_BYTES = 64 * 1024;
/** Files that are written at a time. */
const PARALLEL = 16;

/**
 * Writes the regular files of a workspace below an empty folder, as plain files of mode 0600. Links,
 * submodules and paths that cannot be files here are left out, as they are when the docs are exported. Large
 * files that the renderer does not read whole are stored as their first bytes, if known, and a hole, so that they use
 * no space. Throws for a file that it reads whole and whose content is not known.
 */
export async function materialiseWorkspace(
  workspace: Workspace,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const files = workspace.list().filter(({ kind, path }) => kind === 'file' && pathFault(path) === null);
  const made = new Map<string, Promise<unknown>>();
  const makeOnce = (path: string): Promise<unknown> => {
    let making = made.get(path);
    if (making === undefined) {
      making = makeFolder(path, 0o700);
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
        await makeOnce(dirname(target));
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
    const isWhole = file.isText || isReadWhole(file.path);
    if (bytes === null && isWhole) throw new Error(`the content of ${file.path} is missing`);
    if (bytes !== null) await handle.writeFile(isWhole ? bytes : bytes.subarray(0, HEAD_BYTES));
    if (!isWhole && file.bytes > Math.min(HEAD_BYTES, bytes?.byteLength ?? 0))
      await handle.truncate(file.bytes);
  } finally {
    await handle.close();
  }
}
