import { writeFolder } from './folder.ts';
import { manifestPath } from './manifest.ts';
import { type BundleSource, type ReadOptions, readBundle, type VerifiedBundle } from './read.ts';

/**
 * Unpacks a bundle to the folder `into`, which must not exist while its parent does. Everything is checked (see
 * `readBundle`) while it is written to a fresh folder beside it, which is synced and renamed at the end: the
 * folder is there whole or not at all. Throws a BundleError, also `target_exists`.
 */
export function unpackBundle(
  source: BundleSource,
  into: string,
  options: ReadOptions = {},
): Promise<VerifiedBundle> {
  return writeFolder(into, async (writer) => {
    const bundle = await readBundle(
      source,
      {
        manifest: (_manifest, text) => writer.write(manifestPath, [text]),
        file: (file, content) => writer.write(file.path, content),
      },
      options,
    );
    return { result: bundle, root: '.' };
  });
}
