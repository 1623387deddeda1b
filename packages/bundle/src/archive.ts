import { BundleError } from './error.ts';
import { type FolderOptions, writeFolder } from './folder.ts';
import { gunzip } from './gunzip.ts';
import { type ArchiveLimits, sourceLimits } from './limits.ts';
import { createPathGuard, pathFault } from './path.ts';
import { readTar } from './tar-read.ts';

export interface ArchiveFile {
  path: string;
  /** Bytes. */
  size: number;
  /** Must be read to its end, or is skipped. */
  content: AsyncIterable<Buffer>;
}

/** A skipped entry, and why. */
export interface SkippedEntry {
  path: string;
  reason: string;
}

export interface ArchiveOptions {
  limits?: Partial<ArchiveLimits>;
  /** `refuse` (default): a link or a device is an error. `skip`: it is skipped and reported. */
  links?: 'refuse' | 'skip';
}

export interface ArchiveSummary {
  /** Number of files read. */
  files: number;
  /** Bytes of their contents. */
  bytes: number;
  skipped: SkippedEntry[];
  /** The only top-level folder, which contains all files, without a slash; null if none exists. */
  topFolder: string | null;
}

/**
 * Reads an untrusted tar.gz, such as an uploaded docs folder: passes each regular file to `onFile` in the
 * order of the archive, under the path rules of bundles. Throws a BundleError for an unsafe or colliding
 * path, a damaged archive, or one above the limits. Some files may have been passed by then, so write them to
 * a folder that is removed on failure (as `unpackArchive` does).
 */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  onFile: (file: ArchiveFile) => Promise<void>,
  options: ArchiveOptions = {},
): Promise<ArchiveSummary> {
  const limits = { ...sourceLimits, ...options.limits };
  const guard = createPathGuard();
  const tops = new Set<string | null>();
  const skipped: SkippedEntry[] = [];
  let files = 0;
  let bytes = 0;
  let entries = 0;
  for await (const entry of readTar(gunzip(source, limits))) {
    if (++entries > 2 * limits.maxFiles) throw tooMany(limits);
    const path = cleanPath(entry.path);
    if (path === '') continue;
    const fault = pathFault(path);
    if (fault !== null) throw new BundleError('path_unsafe', `The path ${fault}.`, entry.path);
    if (entry.kind === 'folder') continue;
    if (entry.kind !== 'file') {
      const reason = entry.kind === 'link' ? 'It is a link.' : 'It is neither a file nor a folder.';
      if (options.links !== 'skip')
        throw new BundleError('entry_kind', `${reason} Replace it with a file.`, path);
      skipped.push({ path, reason });
      continue;
    }
    if (++files > limits.maxFiles) throw tooMany(limits);
    if (entry.size > limits.maxFileBytes) {
      throw new BundleError('too_large', `The file is larger than ${limits.maxFileBytes} bytes.`, path);
    }
    bytes += entry.size;
    guard(path);
    const slash = path.indexOf('/');
    tops.add(slash < 0 ? null : path.slice(0, slash));
    await onFile({ path, size: entry.size, content: entry.content });
  }
  const [top] = tops;
  return { files, bytes, skipped, topFolder: tops.size === 1 ? (top ?? null) : null };
}

/** Without the leading `./` and the trailing slash that tar programs write. */
function cleanPath(path: string): string {
  return path
    .replace(/^(?:\.\/+)+/, '')
    .replace(/^\.$/, '')
    .replace(/\/+$/, '');
}

function tooMany(limits: ArchiveLimits): BundleError {
  return new BundleError('too_large', `The archive contains more than ${limits.maxFiles} files.`);
}

/**
 * Unpacks an untrusted tar.gz (see `readArchive`) to the folder `into`, which must not exist, unlike its
 * parent. With `stripTopFolder`, a single top-level folder is removed. All or nothing.
 */
export function unpackArchive(
  source: AsyncIterable<Uint8Array>,
  into: string,
  options: ArchiveOptions & FolderOptions & { stripTopFolder?: boolean } = {},
): Promise<ArchiveSummary> {
  return writeFolder(into, options, async (writer) => {
    const summary = await readArchive(source, (file) => writer.write(file.path, file.content), options);
    const strip = options.stripTopFolder === true && summary.topFolder !== null;
    return { result: summary, root: strip ? summary.topFolder! : '.' };
  });
}
