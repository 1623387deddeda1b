import { createHash, hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { openFile, readWholeFile } from '../releases/open-file.ts';
import { streamBytes } from '../serving/content.ts';

/** A file whose content is known by its digest. */
interface Known {
  /** Digest of the content. */
  sha256: string;
  size: number;
}

/** Bytes of the digest at the start of a compressed copy. */
export const copyHeaderBytes = 32;

/** A file of a release is missing, or not the one that was installed. */
export class DamagedFileError extends Error {
  override name = 'DamagedFileError';
}

/** What failing to read a file of a release means: not every error is one of the file. */
export function damageOf(error: unknown): Error {
  const code = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : null;
  const isSystem = code !== null && !['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(String(code));
  if (error instanceof Error && (isSystem || error instanceof DamagedFileError)) return error;
  return new DamagedFileError('A file of the release is missing or damaged.', { cause: error });
}

/** The content of a file, which is compared with its digest. Throws if it differs. */
export async function readVerified(folder: string, name: string, { sha256, size }: Known): Promise<Buffer> {
  const content = await readWhole(folder, name, size);
  if (hash('sha256', content) !== sha256) throw new DamagedFileError('A file of the release is damaged.');
  return content;
}

/** The content of a compressed copy of this size, without its header. Throws if it is damaged. */
export async function readCopy(folder: string, name: string, size: number): Promise<Buffer> {
  const all = await readWhole(folder, name, size + copyHeaderBytes);
  const content = all.subarray(copyHeaderBytes);
  if (!hash('sha256', content, 'buffer').equals(all.subarray(0, copyHeaderBytes)))
    throw new DamagedFileError('A compressed copy is damaged.');
  return content;
}

/** Whether a file has the content that its digest names. */
export async function verifyContent(folder: string, name: string, { sha256, size }: Known): Promise<boolean> {
  const handle = await openFile(folder, name, size).catch(() => null);
  if (handle === null) return false;
  const digest = createHash('sha256');
  try {
    const pieces: AsyncIterable<Buffer> = handle.createReadStream({ autoClose: false });
    for await (const piece of pieces) digest.update(piece);
    return digest.digest('hex') === sha256;
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}

/** A part of a file, first and last byte included. Rejects if the file is not the expected one. */
export async function streamFile(
  folder: string,
  name: string,
  size: number,
  part: { start: number; end?: number },
): Promise<Readable> {
  const handle = await open(folder, name, size);
  return handle.createReadStream({ ...part, highWaterMark: streamBytes });
}

async function open(folder: string, name: string, size: number): Promise<FileHandle> {
  try {
    return await openFile(folder, name, size);
  } catch (error) {
    throw damageOf(error);
  }
}

async function readWhole(folder: string, name: string, size: number): Promise<Buffer> {
  try {
    return await readWholeFile(folder, name, size);
  } catch (error) {
    throw damageOf(error);
  }
}
