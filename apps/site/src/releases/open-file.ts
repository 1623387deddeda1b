import { closeSync, constants, fstatSync, open as openLater, read as readLater, readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Flags for opening files on a volume: another process with write access could have replaced a file by a link
 * to a secret of this process, or by a pipe that blocks the reader.
 */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file below a folder for reading; `folder` is a real path, without links. Throws if it is not a
 * regular file, or is reached through a link: the kernel reports the path of the opened file, whatever
 * happened to the path meanwhile. Without `/proc`, only a link in the place of the file itself is refused.
 * `size`: the expected size in bytes.
 */
export async function openFile(folder: string, path: string, size?: number): Promise<FileHandle> {
  const wanted = join(folder, path);
  const handle = await open(wanted, flags);
  try {
    const there = await handle.stat();
    if (!there.isFile()) throw new Error('An entry of the release is not a regular file.');
    if (size !== undefined && size !== there.size) throw new Error('A file does not have the expected size.');
    // a few microseconds, because nothing is read from disk
    const place = placeOf(handle.fd);
    if (place !== null && place !== wanted) throw new Error('A file is reached through a symbolic link.');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const openRaw = promisify(openLater);
const readRaw = promisify(readLater);

/**
 * The content of a file with the checks of `openFile`. Throws if it does not have that size. Only opening and reading
 * wait for a thread of the pool, which others may block: the rest takes microseconds.
 */
export async function readWholeFile(folder: string, path: string, size: number): Promise<Buffer> {
  const wanted = join(folder, path);
  const file = await openRaw(wanted, flags);
  try {
    const there = fstatSync(file);
    if (!there.isFile()) throw new Error('An entry of the release is not a regular file.');
    if (size !== there.size) throw new Error('A file does not have the expected size.');
    const place = placeOf(file);
    if (place !== null && place !== wanted) throw new Error('A file is reached through a symbolic link.');
    const content = Buffer.allocUnsafeSlow(size);
    const { bytesRead } = await readRaw(file, content, 0, size, 0);
    if (bytesRead !== size) throw new Error('A file is shorter than expected.');
    return content;
  } finally {
    closeSync(file);
  }
}

/** Maximum size of a note in bytes. */
const longestNote = 64 * 1024;

/**
 * Reads a note on a volume, which others may replace meanwhile. Returns null if none exists, or if it is a
 * link, a pipe, a device, a folder, or longer than a note. Throws if it cannot be read.
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
    // the size may have changed since
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

/** Nothing is there, or it is a link, a socket or a device that cannot be opened. */
const noNote = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENODEV']);

function placeOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}
