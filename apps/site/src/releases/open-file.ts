import { constants, readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Flags for what lies on a volume: whoever else may write to it could have put a link to a secret of this process in
 * the place of a file, or a pipe that holds up whoever opens it.
 */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file below a folder for reading; `folder` is a real path, without links. Throws when it is no file, or is
 * reached through a link: the kernel says where what was opened lies, whatever happened to the path meanwhile. Where
 * there is no `/proc`, only a link in the place of the file itself is refused. `size`: the bytes that it must have.
 */
export async function openFile(folder: string, path: string, size?: number): Promise<FileHandle> {
  const wanted = join(folder, path);
  const handle = await open(wanted, flags);
  try {
    const there = await handle.stat();
    if (!there.isFile()) throw new Error('What is in the place of a file is none.');
    if (size !== undefined && size !== there.size)
      throw new Error('A file has not the size that it should have.');
    // a few microseconds, since nothing is read from a disk
    const place = placeOf(handle.fd);
    if (place !== null && place !== wanted) throw new Error('A file is reached through a link.');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function placeOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}
