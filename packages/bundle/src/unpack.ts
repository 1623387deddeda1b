import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { BundleError } from './error.ts';
import { type FolderOptions, writeFolder } from './folder.ts';
import { type Manifest, manifestPath } from './manifest.ts';
import { type BundleSource, type ReadOptions, readBundle, type VerifiedBundle } from './read.ts';

/**
 * Unpacks a bundle to the folder `into`, which must not exist, unlike its parent. Everything is verified (see
 * `readBundle`) while it is written to a new folder beside it, which is synced and renamed at the end: the
 * folder exists completely or not at all. Throws a BundleError, also `target_exists`.
 */
export function unpackBundle(
  source: BundleSource,
  into: string,
  options: ReadOptions & FolderOptions = {},
): Promise<VerifiedBundle> {
  return writeFolder(into, options, async (writer) => {
    const bundle = await readBundle(
      source,
      {
        manifest: async (manifest, text) => {
          await checkSpace(manifest, dirname(resolve(into)));
          await writer.write(manifestPath, [text]);
        },
        file: (file, content) => writer.write(file.path, content),
      },
      options,
    );
    return { result: bundle, root: '.' };
  });
}

/** A disk that fills up halfway affects everything else on it. */
async function checkSpace(manifest: Manifest, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = manifest.files.reduce((sum, file) => sum + Math.ceil(file.size / bsize) * bsize, 0);
  if (needed > bavail * bsize) {
    throw new BundleError(
      'no_space',
      `The bundle needs ${needed} bytes in ${folder}, where ${bavail * bsize} bytes are free. Free some space.`,
    );
  }
}
