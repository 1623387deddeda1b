import { createHash } from 'node:crypto';
import { chmodSync, constants, copyFileSync, linkSync, readFileSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeFolder } from '@offprint/bundle/make-folder';

/**
 * Small files that snapshots have written, by object id, in a folder of the mirror. A later snapshot gives a file a
 * second name instead of creating it: on a busy disk a new file takes a millisecond, and a second name a fiftieth of
 * that. Nothing is trusted: a file is used only if its content has its object id.
 */
export interface KeptFiles {
  has(objectId: string): boolean;
  /** Gives a file that is here a name at `target`, or copies it. Throws EEXIST, as creating a file would. */
  take(objectId: string, target: string): void;
  /** Keeps a file that is complete, if there is room. */
  add(objectId: string, target: string): void;
}

/** Larger files are not kept: what they save is not in proportion to the space. */
export const MAX_KEPT_BYTES = 64 * 1024;
/** Files of one folder: with the bytes of each, a limit for the disk of a worker. */
const MAX_KEPT = 20_000;
/** Files that are read without a turn for others. */
const FILES_PER_TURN = 20;

/** Finds which of the files are kept and undamaged. The folder is made when it is not there. */
export async function openKeptFiles(
  folder: string,
  files: readonly { objectId: string; bytes: number }[],
): Promise<KeptFiles> {
  await makeFolder(folder, 0o700);
  const names = new Set(await readdir(folder));
  const usable = new Set<string>();
  let room = MAX_KEPT - names.size;
  let read = 0;
  for (const { objectId, bytes } of files) {
    if (!names.has(objectId) || usable.has(objectId)) continue;
    if (++read % FILES_PER_TURN === 0) await nextTurn();
    if (isIntact(join(folder, objectId), objectId, bytes)) usable.add(objectId);
    else rmSync(join(folder, objectId), { force: true });
  }
  return {
    has: (objectId) => usable.has(objectId),
    take(objectId, target) {
      try {
        linkSync(join(folder, objectId), target);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
        // A file has a limited number of names.
        copyFileSync(join(folder, objectId), target, constants.COPYFILE_EXCL);
      }
    },
    add(objectId, target) {
      if (room <= 0) return;
      try {
        // The two names are one file: nobody is to write to it.
        chmodSync(target, 0o444);
        linkSync(target, join(folder, objectId));
        room -= 1;
      } catch {
        // Another job has it, or the file system has no second names: the next snapshot writes the file.
      }
    },
  };
}

function isIntact(path: string, objectId: string, bytes: number): boolean {
  try {
    const content = readFileSync(path);
    const digest = createHash(objectId.length === 64 ? 'sha256' : 'sha1');
    return (
      content.length === bytes && digest.update(`blob ${bytes}\0`).update(content).digest('hex') === objectId
    );
  } catch {
    return false;
  }
}
