import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Files that programs read at run time. In the repository they are in the source folders; `scripts/build.mjs` copies
 * them into the folder `assets` beside the programs of a published package, under the same paths.
 */
const isSource = import.meta.url.endsWith('.ts');
const ROOT = fileURLToPath(new URL(isSource ? '../../../' : './assets/', import.meta.url));

/** Absolute path of a file or folder of the project. `path` is relative to the root of the repository. */
export function assetPath(path: string): string {
  return join(ROOT, path);
}

/** Code in the repository that decides about the bytes of an export of the same docs with the same options. */
export const exportSources: readonly string[] = [
  'packages/render/src',
  'packages/bundle/src',
  'packages/search/src',
  'apps/server/src/exports',
];

/**
 * Absolute paths of the files that the program consists of: those below `sources` (relative to the root of the
 * repository) where it runs from its sources, else the compiled ones.
 */
export function programFiles(sources: readonly string[]): string[] {
  if (isSource) return sources.flatMap((path) => filesBelow(assetPath(path)));
  const folder = dirname(ROOT);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => join(folder, name));
}

function filesBelow(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Absolute path of a file or folder of an npm package, whatever the package exports. Packages of which only a few
 * files are needed are copied into `assets/node_modules`; the others are dependencies. Throws when it is not installed.
 */
export function packageFile(name: string, path: string): string {
  let folder = packageFolders.get(name);
  if (folder === undefined) {
    folder = findPackage(name);
    packageFolders.set(name, folder);
  }
  return join(folder, path);
}

const packageFolders = new Map<string, string>();

function findPackage(name: string): string {
  if (!isSource && copiedPackages.has(name)) return join(ROOT, 'node_modules', name);
  const manifest = findPackageJSON(name, import.meta.url);
  if (manifest === undefined) throw new Error(`The package ${name} is not installed. Run npm install.`);
  return dirname(manifest);
}

/**
 * Text of a drawing in an icon package, null when it has none of that name. The build joins the files of a folder into
 * one, because thousands of small files take four times their size on a disk and minutes to install.
 */
export function drawingText(name: string, path: string): string | null {
  if (isSource) {
    const file = packageFile(name, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  }
  const joined = joinedDrawings(name, dirname(path));
  const before = `\n${basename(path)}\t`;
  const start = joined.indexOf(before);
  if (start < 0) return null;
  const text: string = JSON.parse(joined.slice(start + before.length, joined.indexOf('\n', start + 1)));
  return text;
}

/** Names of the drawings in a folder of an icon package, without extension. */
export function drawingNames(name: string, folder: string): string[] {
  const files = isSource
    ? readdirSync(packageFile(name, folder))
    : Array.from(joinedDrawings(name, folder).matchAll(/\n([^\t\n]+)\t/g), ([, file = '']) => file);
  return files.filter((file) => file.endsWith('.svg')).map((file) => file.slice(0, -'.svg'.length));
}

/** The drawings of a folder in one text: `joinDrawings` writes it. Searched and not parsed, for a few of thousands. */
function joinedDrawings(name: string, folder: string): string {
  const file = packageFile(name, `${folder}.txt`);
  let drawings = drawingFolders.get(file);
  if (drawings === undefined) {
    drawings = readFileSync(file, 'utf8');
    drawingFolders.set(file, drawings);
  }
  return drawings;
}

const drawingFolders = new Map<string, string>();

/** A line for each drawing: its file name, a tab, its text as JSON. */
export function joinDrawings(texts: readonly (readonly [name: string, text: string])[]): string {
  return `\n${texts.map(([name, text]) => `${name}\t${JSON.stringify(text)}\n`).join('')}`;
}

/** Packages of which the build copies a small part. */
export const copiedPackages: ReadonlySet<string> = new Set([
  '@asyncapi/specs',
  '@fontsource/inter',
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
  '@fortawesome/fontawesome-free',
  '@tabler/icons',
  // Its command needs a newer Node than ours, of which npm warns at each installation.
  'katex',
  'lucide-static',
  'mermaid',
]);
