import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { BundleError } from './error.ts';

const maxOpenFiles = 32;

/** Writes files of a folder that nobody else writes to. The paths must have passed the path rules. */
export interface FolderWriter {
  write(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
}

/**
 * Makes the folder `into`, which must not exist while its parent does, all or nothing: `fill` writes to a fresh
 * folder beside it, which is synced to disk and renamed when all went well, and removed when not. `root` is the
 * folder below it that becomes `into` (`.` for all of it).
 */
export async function writeFolder<Result>(
  into: string,
  fill: (writer: FolderWriter) => Promise<{ result: Result; root: string }>,
): Promise<Result> {
  const target = resolve(into);
  const parent = dirname(target);
  await refuseExisting(target);
  const temporary = join(parent, `.${basename(target)}.${randomBytes(8).toString('hex')}.tmp`);
  await mkdir(temporary, { mode: 0o755 });
  try {
    const writer = createWriter(temporary);
    const { result, root } = await fill(writer).finally(writer.settle);
    await writer.finish();
    await refuseExisting(target);
    await rename(join(temporary, root), target);
    await rm(temporary, { recursive: true, force: true });
    await sync(parent);
    return result;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

async function refuseExisting(target: string): Promise<void> {
  const there = await lstat(target).catch(() => null);
  if (there !== null) {
    throw new BundleError('target_exists', `${target} is there already; nothing is overwritten.`);
  }
}

function createWriter(root: string): FolderWriter & { settle(): Promise<void>; finish(): Promise<void> } {
  const folders = new Set(['.']);
  const closing = new Set<Promise<void>>();
  let failure: unknown;
  const makeFolder = async (folder: string): Promise<void> => {
    if (folders.has(folder)) return;
    await mkdir(join(root, folder), { recursive: true, mode: 0o755 });
    for (let name = folder; !folders.has(name); name = dirname(name)) folders.add(name);
  };
  const close = (handle: FileHandle) => {
    const closed = handle
      .sync()
      .finally(() => handle.close())
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => closing.delete(closed));
    closing.add(closed);
  };
  return {
    async write(path, content) {
      await makeFolder(dirname(path));
      // wx: a name that is there already, even as a dangling link, is an error
      const handle = await open(join(root, path), 'wx', 0o644);
      try {
        for await (const piece of content) await handle.writeFile(piece);
      } catch (error) {
        await handle.close();
        throw error;
      }
      close(handle);
      if (closing.size >= maxOpenFiles) await Promise.race(closing);
      if (failure !== undefined) throw failure;
    },
    async settle() {
      await Promise.all(closing);
    },
    async finish() {
      await Promise.all(closing);
      if (failure !== undefined) throw failure;
      for (const folder of folders) await sync(join(root, folder));
    },
  };
}

async function sync(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
