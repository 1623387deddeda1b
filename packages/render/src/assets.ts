import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Files that programs read at run time. In the repository they stand where they are written; `scripts/build.mjs` copies
 * them into the folder `assets` beside the programs of a published package, under the same paths.
 */
const isSource = import.meta.url.endsWith('.ts');
const ROOT = fileURLToPath(new URL(isSource ? '../../../' : './assets/', import.meta.url));

/** Absolute path of a file or folder of the project. `path` is relative to the root of the repository. */
export function assetPath(path: string): string {
  return join(ROOT, path);
}

/**
 * Absolute path of a file or folder of an npm package, whatever the package exports. Packages of which only a few
 * files are needed are copied into `assets/node_modules`; the others are dependencies. Throws when it is not installed.
 */
export function packageFile(name: string, path: string): string {
  const manifest = isSource || !copiedPackages.has(name) ? findPackageJSON(name, import.meta.url) : undefined;
  if (manifest !== undefined) return join(dirname(manifest), path);
  if (!copiedPackages.has(name)) throw new Error(`The package ${name} is not installed. Run npm install.`);
  return join(ROOT, 'node_modules', name, path);
}

/** Packages of which the build copies a small part. */
export const copiedPackages: ReadonlySet<string> = new Set([
  '@fontsource/inter',
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
  '@fortawesome/fontawesome-free',
  '@tabler/icons',
  'lucide-static',
  'mermaid',
]);
