import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SourceTree } from './source.ts';
import { type KnownWarning, SourceError } from './warning.ts';

/** Files of one source; more is refused, since a listing that size is a mistake or an attack. */
const MAX_FILES = 100_000;
/** Bytes of one path; every file system in use takes at most this. */
const MAX_PATH_BYTES = 4096;
/** Bytes of a file that one call reads as a whole. */
const MAX_WHOLE = 1024 * 1024;
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export interface DirectorySource extends SourceTree {
  readonly warnings: readonly KnownWarning[];
  /** Symbolic links that were left out, as paths of the source. */
  readonly links: readonly string[];
}

interface Listing {
  paths: string[];
  links: string[];
  warnings: KnownWarning[];
}

/**
 * The regular files below a folder as a source tree. The listing is taken once, contents are read on demand.
 * Symbolic links are never followed: not as files, not as folders, and not when a file was swapped for one
 * after the listing. Only listed paths can be read, so nothing outside the folder is reachable.
 * Throws SourceError when the folder cannot be read or holds more than 100,000 files, and the error of the system for
 * what is not about the folder, such as too many open files.
 */
export function directorySource(root: string, maxFiles = MAX_FILES): DirectorySource {
  const base = resolveRoot(root);
  const listing = listFiles(base, maxFiles);
  const known = new Set(listing.paths);
  const decoder = new TextDecoder();
  const read = (path: string, limit?: number): Uint8Array => {
    if (!known.has(path)) throw new Error(`source file not found: ${path}`);
    return readRegularFile(base, path, limit);
  };
  return {
    ...listing,
    has: (path) => known.has(path),
    size: (path) => (known.has(path) ? sizeOf(base, path) : 0),
    read: (path) => read(path),
    readStart: read,
    readText: (path) => decoder.decode(read(path)),
  };
}

function resolveRoot(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    throw new SourceError({
      file: '.',
      line: null,
      code: 'source-missing',
      message: 'The docs folder does not exist or cannot be read. Check the folder of the project.',
    });
  }
}

function listFiles(base: string, maxFiles: number): Listing {
  const listing: Listing = { paths: [], links: [], warnings: [] };
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readFolder(base, folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (SKIPPED_FOLDERS.has(entry.name)) continue;
      if (entry.isSymbolicLink()) listing.links.push(path);
      else if (path.includes('�') || Buffer.byteLength(path) > MAX_PATH_BYTES)
        listing.warnings.push(badName(path));
      else if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) listing.paths.push(path);
      else listing.warnings.push(notAFile(path));
    }
    if (listing.paths.length > maxFiles) throw tooManyFiles(maxFiles);
  }
  listing.paths.sort();
  listing.links.sort();
  listing.warnings.push(...listing.links.map(ignoredLink));
  return listing;
}

function readFolder(base: string, folder: string) {
  try {
    return readdirSync(join(base, folder), { withFileTypes: true });
  } catch (error) {
    throw isOfMachine(error) ? error : unreadable(folder === '' ? '.' : folder);
  }
}

function readRegularFile(base: string, path: string, limit = Infinity): Uint8Array {
  let descriptor: number;
  try {
    descriptor = openSync(join(base, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw isOfMachine(error) ? error : unreadable(path);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw unreadable(path);
    return limit === Infinity ? readWhole(descriptor, stat.size) : readStart(descriptor, limit);
  } catch (error) {
    throw error instanceof SourceError || isOfMachine(error) ? error : unreadable(path);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether an error is about the machine, such as too many open files, and not about the docs. */
function isOfMachine(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(?:EMFILE|ENFILE|ENOMEM|EIO)$/.test(String(error.code))
  );
}

/** One call for a file that has the size that the system reported; readFileSync would make four. */
function readWhole(descriptor: number, size: number): Uint8Array {
  if (size >= MAX_WHOLE) return readFileSync(descriptor);
  const bytes = Buffer.allocUnsafe(size + 1);
  const length = readSync(descriptor, bytes, 0, size + 1, 0);
  return length === size ? bytes.subarray(0, length) : readFileSync(descriptor);
}

function readStart(descriptor: number, limit: number): Uint8Array {
  const bytes = new Uint8Array(limit);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, limit, 0));
}

function sizeOf(base: string, path: string): number {
  const stat = lstatSync(join(base, path), { throwIfNoEntry: false });
  return stat?.isFile() ? stat.size : 0;
}

const ignoredLink = (file: string): KnownWarning => ({
  file,
  line: null,
  code: 'symlink-ignored',
  message: 'Symbolic links are not followed. Replace the link with the file itself.',
});

const notAFile = (file: string): KnownWarning => ({
  file,
  line: null,
  code: 'special-file-ignored',
  message: 'Neither a file nor a folder, so it was excluded. Remove it from the docs folder.',
});

const badName = (file: string): KnownWarning => ({
  file,
  line: null,
  code: 'unsafe-path',
  message: 'The file name is not valid UTF-8 or too long, so the file was excluded. Rename it.',
});

const unreadable = (file: string): SourceError =>
  new SourceError({
    file,
    line: null,
    code: 'unreadable-file',
    message:
      'Cannot be read. Check its permissions, and that no other process changes the folder during the export.',
  });

const tooManyFiles = (limit: number): SourceError =>
  new SourceError({
    file: '.',
    line: null,
    code: 'too-many-files',
    message: `The docs folder contains more than ${limit} files. Set the project's folder to the one that contains only the docs.`,
  });
