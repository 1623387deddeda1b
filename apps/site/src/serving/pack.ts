import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Encoding } from '@offprint/bundle';
import { makeFolder } from '@offprint/bundle/make-folder';
import { openFile } from '../releases/open-file.ts';

/**
 * The files of a release in one content encoding, concatenated in one file on the volume. It is filled under
 * a temporary name and renamed when it is complete, so several servers can share a volume; the index follows
 * the contents.
 */
export interface Pack {
  encoding: Encoding;
  handle: FileHandle;
  /** Temporary name; null when it is complete. */
  temporary: string | null;
  /** Bytes of contents. */
  end: number;
  /** By index of the file: size in bytes; -1: would not be shorter; 0: not encoded yet. */
  lengths: Int32Array;
  positions: Float64Array;
}

/** Identifies the contents; the last bytes of a complete pack. */
interface Trailer {
  version: number;
  /** SHA-256 of the bundle. */
  sha256: string;
  files: number;
  end: number;
}

/**
 * Changes with the format of a pack and with the settings of the encodings: older packs are created again.
 */
const packVersion = 1;
const trailerBytes = 256;

/** Opens the complete pack of a release. Null if none exists, or if it has another version. */
export async function openPack(
  folder: string,
  encoding: Encoding,
  release: { sha256: string; files: number },
): Promise<Pack | null> {
  const handle = await openFile(folder, encoding).catch(() => null);
  if (handle === null) return null;
  const pack = await readPack(handle, encoding, release).catch(() => null);
  if (pack === null) await handle.close();
  return pack;
}

async function readPack(
  handle: FileHandle,
  encoding: Encoding,
  release: { sha256: string; files: number },
): Promise<Pack | null> {
  const { size } = await handle.stat();
  const trailer = Buffer.alloc(trailerBytes);
  await handle.read(trailer, 0, trailerBytes, Math.max(0, size - trailerBytes));
  const { version, sha256, files, end } = JSON.parse(trailer.toString()) as Trailer;
  if (version !== packVersion || sha256 !== release.sha256 || files !== release.files) return null;
  const lengths = new Int32Array(files);
  const positions = new Float64Array(files);
  if (end + lengths.byteLength + positions.byteLength + trailerBytes !== size) return null;
  await handle.read(new Uint8Array(lengths.buffer), 0, lengths.byteLength, end);
  await handle.read(new Uint8Array(positions.buffer), 0, positions.byteLength, end + lengths.byteLength);
  const isSound = lengths.every((length, index) => length <= 0 || (positions[index] ?? end) + length <= end);
  return isSound ? { encoding, handle, temporary: null, end, lengths, positions } : null;
}

/** Starts an empty pack. Leftovers of a killed process are removed. */
export async function createPack(folder: string, encoding: Encoding, files: number): Promise<Pack> {
  await makeFolder(folder);
  for (const name of await readdir(folder)) {
    if (name.startsWith(`.${encoding}.`)) await rm(join(folder, name), { force: true });
  }
  const temporary = join(folder, `.${encoding}.${randomBytes(8).toString('hex')}.tmp`);
  return {
    encoding,
    handle: await open(temporary, 'wx+', 0o644),
    temporary,
    end: 0,
    lengths: new Int32Array(files),
    positions: new Float64Array(files),
  };
}

/** Renames a filled pack to its final name, once it is synced. */
export async function finishPack(pack: Pack, sha256: string): Promise<void> {
  const { handle, temporary, end, lengths, positions } = pack;
  if (temporary === null) return;
  const trailer: Trailer = { version: packVersion, sha256, files: lengths.length, end };
  await handle.truncate(end);
  const tail = [
    new Uint8Array(lengths.buffer),
    new Uint8Array(positions.buffer),
    Buffer.from(JSON.stringify(trailer).padEnd(trailerBytes)),
  ];
  await handle.writev(tail, end);
  await handle.sync();
  await rename(temporary, join(dirname(temporary), pack.encoding));
  pack.temporary = null;
}

/** The contents of a file; it must be in the pack. */
export async function readPacked({ handle, lengths, positions }: Pack, index: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(lengths[index] ?? 0);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, positions[index] ?? 0);
  if (bytesRead !== buffer.length) throw new Error('A pack of compressed files is shorter than expected.');
  return buffer;
}

/** Closes a pack and removes it if it is incomplete. */
export async function closePack({ handle, temporary }: Pack): Promise<void> {
  await handle.close();
  if (temporary !== null) await rm(temporary, { force: true });
}
