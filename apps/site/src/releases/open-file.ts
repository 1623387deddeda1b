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

/** Bytes of the longest note that is read. */
const longestNote = 64 * 1024;

/**
 * Reads a note that lies on a volume, which others may replace meanwhile. Null when there is none, or what is in its
 * place cannot be one: a link, a pipe, a device, a folder, something longer than a note. Throws where it cannot be read.
 */
export async function readNote(path: string): Promise<{ text: string; mtimeMs: number } | null> {
  let handle: FileHandle;
  try {
    handle = await open(path, flags);
  } catch (error) {
    if (noNote.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  try {
    const there = await handle.stat();
    if (!there.isFile()) return null;
    // what the size says may be over by now
    const bytes = Buffer.alloc(longestNote + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return length > longestNote ? null : { text: bytes.toString('utf8', 0, length), mtimeMs: there.mtimeMs };
  } finally {
    await handle.close();
  }
}

/** Nothing is there, or a link, or a socket or device that cannot be opened. */
const noNote = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENODEV']);

function placeOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}
