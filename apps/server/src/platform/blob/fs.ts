import { randomBytes } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, link, lstat, open, opendir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncPath } from '@offprint/bundle';
import { makeFolder } from '@offprint/bundle/make-folder';
import type { Clock } from '../clock.ts';
import { requireKey } from './key.ts';
import { type LinkVerdict, signLink, verifyLink } from './link.ts';
import { type BlobInfo, type BlobStore, LINK_MAX_SECONDS } from './store.ts';

export interface FsBlobOptions {
  /** Folder of the store; made when missing. */
  folder: string;
  /** Key of the link signatures, 32 bytes or more. */
  secret: Uint8Array;
  /** Address under which `/blobs/` is served; asked for at each link, since a free port is known late. */
  publicUrl: () => string;
  now: Clock;
}

/** The local driver: what the server's `/blobs/` route needs besides the port. */
export interface FsBlobStore extends BlobStore {
  /** Judges a request for `/blobs/<key>?<query>`. */
  verifySignedUrl(key: string, query: URLSearchParams): LinkVerdict;
}

const SECRET_MIN_BYTES = 32;
const UNFINISHED = '.unfinished';

/**
 * Objects as files of one folder. An object appears by rename once all of it and its name are on the disk,
 * so that neither a reader nor a crash ever meets a part of one.
 */
export async function openFsBlobStore(options: FsBlobOptions): Promise<FsBlobStore> {
  const { secret, publicUrl, now } = options;
  if (secret.byteLength < SECRET_MIN_BYTES)
    throw new Error(`The link secret must have at least ${SECRET_MIN_BYTES} bytes`);
  const folder = resolve(options.folder);
  const unfinished = join(folder, UNFINISHED);
  await makeFolder(unfinished, 0o700);

  const pathOf = (key: string): string => {
    requireKey(key);
    return join(folder, key);
  };

  async function statObject(key: string): Promise<BlobInfo | null> {
    const info = await lstat(pathOf(key)).catch(missingIsNull);
    return info?.isFile() ? { key, bytes: info.size, modifiedAt: info.mtime } : null;
  }

  async function put(key: string, content: Uint8Array | Readable): Promise<{ key: string; bytes: number }> {
    const path = pathOf(key);
    const temporary = join(unfinished, randomBytes(16).toString('hex'));
    try {
      // `flush` syncs the file before it is closed.
      const target = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true });
      await pipeline(content instanceof Readable ? content : Readable.from([content]), target);
      await moveInto(folder, temporary, path);
      return { key, bytes: target.bytesWritten };
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async function get(key: string, range?: { start: number; end: number }): Promise<Readable | null> {
    const file = await open(pathOf(key), constants.O_RDONLY | constants.O_NOFOLLOW).catch(missingIsNull);
    if (!file) return null;
    const info = await file.stat();
    if (!info.isFile()) {
      await file.close();
      return null;
    }
    if (range && (range.start < 0 || range.end < range.start || range.end >= info.size)) {
      await file.close();
      throw new RangeError(
        `The range ${range.start}-${range.end} is outside ${key}, which has ${info.size} bytes`,
      );
    }
    return createReadStream('', { fd: file, ...range });
  }

  return {
    put,
    get,

    async copy(from, to) {
      const [source, target] = [pathOf(from), pathOf(to)];
      if ((await statObject(from)) === null) return false;
      try {
        await appear(folder, target, () => link(source, target));
        return true;
      } catch {
        // The target is there, the source has gone, or the file system has no second names.
      }
      const content = await get(from);
      if (content === null) return false;
      await put(to, content);
      return true;
    },

    stat: statObject,

    async delete(key) {
      const path = pathOf(key);
      await rm(path, { force: true }).catch(missingIsNull);
      await removeEmptyFolders(folder, dirname(path));
    },

    list: (prefix) => listFolder(folder, '', prefix),

    async signUrl(key, { expiresIn, fileName }) {
      const seconds = Math.min(Math.max(1, Math.floor(expiresIn)), LINK_MAX_SECONDS);
      const expiresAt = new Date((Math.floor(now().getTime() / 1000) + seconds) * 1000);
      return { url: signLink(secret, publicUrl(), { key, fileName, expiresAt }), expiresAt };
    },

    verifySignedUrl: (key, query) => verifyLink(secret, key, query, now()),

    removeUnfinished: (before) => removeOlder(unfinished, before),

    async check() {
      await access(unfinished, constants.R_OK | constants.W_OK).catch((error: Error) => {
        throw new Error(`Cannot write to the blob folder: ${error.message}`);
      });
    },
  };
}

/** In the order of the bytes of whole keys, as S3 lists: `a-b` precedes `a/b`. */
async function* listFolder(folder: string, below: string, prefix: string): AsyncGenerator<BlobInfo> {
  const names: string[] = [];
  const directory = await opendir(join(folder, below)).catch(missingIsNull);
  if (!directory) return;
  for await (const entry of directory) {
    if (entry.name[0] === '.') continue;
    const key = below + entry.name + (entry.isDirectory() ? '/' : '');
    if (key.startsWith(prefix) || (entry.isDirectory() && prefix.startsWith(key))) names.push(key);
  }
  // Keys are ASCII: the order of UTF-16 units is that of bytes.
  for (const key of names.sort()) {
    if (key.endsWith('/')) {
      yield* listFolder(folder, key, prefix);
      continue;
    }
    const info = await stat(join(folder, key)).catch(missingIsNull);
    if (info) yield { key, bytes: info.size, modifiedAt: info.mtime };
  }
}

const moveInto = (root: string, temporary: string, path: string): Promise<void> =>
  appear(root, path, () => rename(temporary, path));

/** Names an object on the disk. A delete may remove a folder that has just become empty: then it is made again. */
async function appear(root: string, path: string, name: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolderDurably(root, dirname(path));
      await name();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 50) throw error;
    }
  }
  // The folder is missing when the object is deleted again by now.
  await syncPath(dirname(path)).catch(missingIsNull);
}

/** Makes the folders of a key and syncs each new name, so that a finished object survives a power cut. */
async function makeFolderDurably(root: string, path: string): Promise<void> {
  const [first] = await makeFolder(path, 0o700);
  if (first === undefined) return;
  for (
    let folder = path;
    folder.startsWith(root) && folder.length >= dirname(first).length;
    folder = dirname(folder)
  ) {
    await syncPath(folder);
  }
}

/** Stops at the first folder that is in use. */
async function removeEmptyFolders(root: string, path: string): Promise<void> {
  for (let folder = path; folder !== root; folder = dirname(folder)) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

async function removeOlder(folder: string, before: Date): Promise<number> {
  let removed = 0;
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    const info = await stat(path).catch(missingIsNull);
    if (info === null || info.mtime >= before) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

function missingIsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'ELOOP') return null;
  throw error;
}
