import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Folders that a module and everything it imports are loaded from: its own package's `src`, workspace packages it
 * depends on, and the `node_modules` folders above. No data folder is among them, wherever the project stands.
 */
export function moduleGraph(module: string): string[] {
  const folders = new Set<string>();
  const visit = (root: string): void => {
    if (folders.has(join(root, 'package.json'))) return;
    folders.add(join(root, 'package.json'));
    folders.add(join(root, 'src'));
    for (const name of workspaceDependencies(root)) {
      const linked = nodeModulesAbove(root)
        .map((folder) => join(folder, name))
        .find(existsSync);
      if (linked !== undefined) visit(realpathSync(linked));
    }
    for (const folder of nodeModulesAbove(root)) folders.add(folder);
  };
  visit(packageRoot(realpathSync(module)));
  // Outside a package's `src`, as tests have it: the module's own folder.
  folders.add(dirname(realpathSync(module)));
  return [...folders];
}

/**
 * Native modules of the packages that a module's package and its workspace packages depend on: such a package names one
 * package for each platform as an optional dependency, and only one of them is installed.
 */
export function nativeModules(module: string): string[] {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (root: string): void => {
    if (seen.has(root)) return;
    seen.add(root);
    const linked = new Set(workspaceDependencies(root));
    for (const name of Object.keys(readManifest(root).dependencies ?? {})) {
      const folder = installed(root, name);
      if (folder === null) continue;
      if (linked.has(name)) visit(folder);
      else for (const file of platformModules(folder)) files.add(file);
    }
  };
  visit(packageRoot(realpathSync(module)));
  return [...files];
}

function platformModules(folder: string): string[] {
  return Object.keys(readManifest(folder).optionalDependencies ?? {}).flatMap((name) => {
    const platform = installed(folder, name);
    const main = platform === null ? undefined : readManifest(platform).main;
    return platform === null || main?.endsWith('.node') !== true ? [] : [join(platform, main)];
  });
}

interface PackageManifest {
  main?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const readManifest = (folder: string): PackageManifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageManifest;

/** Real path of an installed package that `root` can import; null when it is not installed. */
function installed(root: string, name: string): string | null {
  const folder = nodeModulesAbove(root)
    .map((each) => join(each, name))
    .find((path) => existsSync(join(path, 'package.json')));
  return folder === undefined ? null : realpathSync(folder);
}

function packageRoot(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) throw new Error(`${file} is in no package`);
  }
}

/** Dependencies that are linked and not installed: their real path is outside node_modules. */
function workspaceDependencies(root: string): string[] {
  return Object.keys(readManifest(root).dependencies ?? {}).filter((name) =>
    nodeModulesAbove(root).some((folder) => {
      const path = join(folder, name);
      return existsSync(path) && !realpathSync(path).includes(`${'/'}node_modules${'/'}`);
    }),
  );
}

function nodeModulesAbove(folder: string): string[] {
  const found: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, 'node_modules');
    if (existsSync(candidate)) found.push(candidate);
    if (at === dirname(at)) return found;
  }
}
