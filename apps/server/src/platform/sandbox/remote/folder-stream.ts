import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { makeFolderSync } from '@offprint/bundle/make-folder';
import { MAX_DATA_BYTES } from './link.ts';

/** A file is the length of its name (four bytes), its size (eight bytes), its name and its content. */
const HEAD_BYTES = 12;
const MAX_NAME_BYTES = 4_096;

/** A folder cannot be sent or received as it is. The message names the file. */
export class FolderError extends Error {
  override name = 'FolderError';
}

/**
 * The regular files below a folder, as one stream in pieces for `Link.sendData`. Throws FolderError for anything else
 * than files and folders: the writer of the folder may have placed a link in it. `hardLinks`: whether files may have
 * other names, which only a folder that this process has filled itself should.
 */
export async function* packFolder(
  folder: string,
  { hardLinks = false }: { hardLinks?: boolean } = {},
): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafe(MAX_DATA_BYTES);
  let filled = 0;
  const flush = async function* (): AsyncGenerator<Buffer> {
    if (filled === 0) return;
    yield piece.subarray(0, filled);
    piece = Buffer.allocUnsafe(MAX_DATA_BYTES);
    filled = 0;
    // Files are read in place, which is fast; timers and other connections have their turn after each piece.
    await yieldToOthers();
  };
  for (const name of filesBelow(folder, '')) {
    const { descriptor, size } = openRegular(folder, name, hardLinks);
    try {
      const head = fileHead(name, size);
      if (filled + head.byteLength > piece.byteLength) yield* flush();
      filled += head.copy(piece, filled);
      for (let left = size; left > 0; ) {
        if (filled === piece.byteLength) yield* flush();
        const read = readSync(descriptor, piece, filled, Math.min(left, piece.byteLength - filled), null);
        if (read === 0) throw new FolderError(`${name} became shorter while it was read`);
        filled += read;
        left -= read;
      }
    } finally {
      closeSync(descriptor);
    }
  }
  yield* flush();
}

function* filesBelow(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, name);
    else if (entry.isFile()) yield name;
    else throw new FolderError(`${name} is not a regular file`);
  }
}

function openRegular(folder: string, name: string, hardLinks: boolean): { descriptor: number; size: number } {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const descriptor = openSync(join(folder, name), flags);
  const stat = fstatSync(descriptor);
  if (stat.isFile() && (hardLinks || stat.nlink === 1)) return { descriptor, size: stat.size };
  closeSync(descriptor);
  throw new FolderError(`${name} is not a regular file`);
}

function fileHead(name: string, size: number): Buffer {
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_NAME_BYTES) throw new FolderError(`${name} has a name of ${bytes} bytes`);
  const head = Buffer.allocUnsafe(HEAD_BYTES + bytes);
  head.writeUInt32BE(bytes, 0);
  head.writeBigUInt64BE(BigInt(size), 4);
  head.write(name, HEAD_BYTES);
  return head;
}

export interface FolderLimits {
  /** Bytes of all files. */
  bytes: number;
  files: number;
  /** Whether a file may have this name; every name is relative and leads nowhere else. */
  accepts?(name: string): boolean;
}

export interface FolderReceiver {
  /** Takes the next piece of the stream. Throws FolderError before it writes what is not allowed. */
  take(piece: Buffer): void;
  /** Throws FolderError if the stream is incomplete. */
  end(): void;
  /** Closes the file that is open, if any. */
  close(): void;
}

/**
 * Writes the files of a stream into a folder that nobody else writes. The sender is not trusted: names, sizes and
 * numbers are checked, and only new regular files are made.
 */
export function receiveFolder(folder: string, limits: FolderLimits): FolderReceiver {
  const head = Buffer.allocUnsafe(HEAD_BYTES + MAX_NAME_BYTES);
  const folders = new Set([folder]);
  const state: { file: { descriptor: number; left: number } | null } = { file: null };
  let filled = 0;
  let files = 0;
  let bytes = 0;

  const close = (): void => {
    if (state.file !== null) closeSync(state.file.descriptor);
    state.file = null;
  };
  const open = (name: string, size: bigint): void => {
    if (!isSafeName(name) || limits.accepts?.(name) === false)
      throw new FolderError(`the name ${JSON.stringify(name.slice(0, 200))} is not allowed`);
    if (size > BigInt(limits.bytes - bytes)) throw new FolderError(`more than ${limits.bytes} bytes`);
    if (++files > limits.files) throw new FolderError(`more than ${limits.files} files`);
    bytes += Number(size);
    state.file = { descriptor: create(name), left: Number(size) };
    if (state.file.left === 0) close();
  };
  const create = (name: string): number => {
    const path = join(folder, name);
    try {
      if (!folders.has(dirname(path))) makeFolderSync(dirname(path), 0o700);
      folders.add(dirname(path));
      return openSync(path, 'wx', 0o600);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' || code === 'ENOTDIR')
        throw new FolderError(`${JSON.stringify(name.slice(0, 200))} comes twice`, { cause: error });
      throw error;
    }
  };
  /** Both return the bytes that they took. */
  const takeHead = (piece: Buffer): number => {
    const nameBytes = filled < HEAD_BYTES ? 0 : head.readUInt32BE(0);
    const copied = piece.copy(head, filled, 0, HEAD_BYTES + nameBytes - filled);
    filled += copied;
    if (filled < HEAD_BYTES) return copied;
    const length = head.readUInt32BE(0);
    if (length === 0 || length > MAX_NAME_BYTES) throw new FolderError('a name has an invalid length');
    if (filled === HEAD_BYTES + length) {
      filled = 0;
      open(decode(head.subarray(HEAD_BYTES, HEAD_BYTES + length)), head.readBigUInt64BE(4));
    }
    return copied;
  };
  const takeContent = (piece: Buffer, file: { descriptor: number; left: number }): number => {
    const written = writeSync(file.descriptor, piece, 0, Math.min(file.left, piece.byteLength));
    file.left -= written;
    if (file.left === 0) close();
    return written;
  };

  return {
    take(piece) {
      for (let at = 0; at < piece.byteLength; ) {
        const rest = piece.subarray(at);
        at += state.file === null ? takeHead(rest) : takeContent(rest, state.file);
      }
    },
    end() {
      if (state.file !== null || filled > 0) throw new FolderError('the files are incomplete');
    },
    close,
  };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FolderError('a name is not valid UTF-8');
  }
}

const isSafeName = (name: string): boolean =>
  !name.includes('\0') && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
