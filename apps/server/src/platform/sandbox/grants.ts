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

function packageRoot(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) throw new Error(`${file} is in no package`);
  }
}

/** Dependencies that are linked and not installed: their real path is outside node_modules. */
function workspaceDependencies(root: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  return Object.keys(manifest.dependencies ?? {}).filter((name) =>
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
