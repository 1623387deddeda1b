import { basename, extname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { licenseText, notices } from './licenses.ts';
import { onDemandPackages, ROOT } from './manifest.ts';

interface Programs {
  folder: string;
  launcher: { file: string; source: string };
  /** Further entry points, by their path in the repository. */
  programs: readonly string[];
  /** Packages that are loaded at run time. */
  outside: readonly string[];
}

/** What a package starts with: the launcher, with a program that it loads when Node is new enough. */
export function launcherSource(name: string, main: string, compileCache: boolean): string {
  const nodes = Object.entries(onDemandPackages()).filter(([each]) => each.startsWith('node-'));
  return [
    `import { launch } from ${JSON.stringify(join(ROOT, 'scripts/launch.mjs'))};`,
    `await launch({`,
    `  name: ${JSON.stringify(name)},`,
    `  url: import.meta.url,`,
    `  main: () => import(${JSON.stringify(join(ROOT, main))}),`,
    `  packages: ${JSON.stringify(Object.fromEntries(nodes))},`,
    `  compileCache: ${compileCache},`,
    `});`,
  ].join('\n');
}

/**
 * Compiles programs and everything they import into one folder; modules that several share become files of their own.
 * Returns the packages that stay imports, and the license texts of those compiled in.
 */
export async function bundlePrograms({ folder, launcher, programs, outside }: Programs) {
  const entry = '\0launcher';
  const name = launcher.file.replace(/\.mjs$/, '');
  const starts: ReadonlySet<string> = new Set(programs.map((path) => join(ROOT, path)));
  const input = {
    [name]: entry,
    ...Object.fromEntries(programs.map((path) => [basename(path, extname(path)), join(ROOT, path)])),
  };
  const isOutside = (id: string): boolean => outside.some((each) => id === each || id.startsWith(`${each}/`));
  const bundle = await rolldown({
    input,
    cwd: ROOT,
    platform: 'node',
    external: isOutside,
    // Its other form hides its imports from the compiler.
    resolve: { alias: { 'jsonc-parser': join(ROOT, 'node_modules/jsonc-parser/lib/esm/main.js') } },
    plugins: [
      {
        name: 'launcher',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? launcher.source : null),
      },
    ],
    logLevel: 'warn',
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    banner: (chunk) => (chunk.name === name && chunk.isEntry ? '#!/usr/bin/env node' : ''),
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    comments: { legal: false },
  });
  await bundle.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  for (const { fileName, code } of chunks) {
    const left = /\brequire\(["'](\.[^"']*)["']\)/.exec(code)?.[1];
    if (left !== undefined) throw new Error(`${fileName} requires ${left}, which is not in the package`);
  }
  const imports = chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);
  const started = chunks.find(({ moduleIds, fileName }) => {
    return moduleIds.some((id) => starts.has(id)) && imports.includes(fileName);
  });
  if (started !== undefined) throw new Error(`${started.fileName} is a program, and other files import it`);
  const imported = new Set(imports.filter((id) => !id.startsWith('node:') && isOutside(id)).map(packageName));
  const modules = chunks.flatMap((chunk) => chunk.moduleIds);
  return { imported: [...imported], licenses: licensesOf(modules) };
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

function licensesOf(modules: readonly string[]): string {
  const folders = new Map<string, string>();
  for (const id of modules) {
    const [, folder, name] = PACKAGE.exec(id.replace('\0', '')) ?? [];
    if (folder !== undefined && name !== undefined) folders.set(folder, name);
  }
  return notices(new Map([...folders].map(([folder, name]) => [name, licenseText(folder)])));
}
