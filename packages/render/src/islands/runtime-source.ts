import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { assetPath } from '../assets.ts';

/** The modules of the script that runs components, by path below the source folder or by package name. */
export interface RuntimeSource {
  main: string;
  files: ReadonlyMap<string, string>;
}

const FOLDER = 'packages/render/src';
const MAIN = 'islands/client/runtime.js';
/** Imports that are there at run time; those of types alone are not. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;

/** Reads the runtime, with the definitions of the built-in components and Preact. */
export function readRuntime(): RuntimeSource {
  const require = createRequire(import.meta.url);
  const files = new Map<string, string>();
  const queue = [MAIN];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (files.has(path)) continue;
    const isOwn = /\.[jt]s$/.test(path);
    const file = isOwn ? assetPath(`${FOLDER}/${path}`) : require.resolve(path);
    const code = readFileSync(file, 'utf8');
    files.set(path, code);
    if (!isOwn) continue;
    for (const [, specifier = ''] of code.matchAll(IMPORT)) queue.push(moduleOf(specifier, path));
  }
  for (const name of ['preact', 'preact/hooks']) {
    if (!files.has(name)) files.set(name, readFileSync(require.resolve(name), 'utf8'));
  }
  return { main: MAIN, files };
}

/** The key of the module that another one imports. */
export function moduleOf(specifier: string, importer: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(importer), specifier) : specifier;
}
