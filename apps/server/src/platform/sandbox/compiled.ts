import type { Isolation } from './isolation.ts';

let folder: string | null = null;

/**
 * For tests, which start hundreds of children: a folder of Node's compile cache below one of the `node_modules` that
 * children read, from which they take their modules compiled. Null: they compile them. Somebody else fills it.
 */
export function readCompiled(from: string | null): void {
  folder = from;
}

/**
 * Flags for a child. Node asks for the right to write such a folder even where it only reads, so there are none unless
 * the kernel shows it read-only: who could write it would choose what the next child runs.
 */
export function compiledFlags({ files }: Isolation): string[] {
  if (folder === null || !files) return [];
  const enable = `import { enableCompileCache } from 'node:module'; enableCompileCache(${JSON.stringify(folder)})`;
  return [`--allow-fs-write=${folder}`, `--import=data:text/javascript,${encodeURIComponent(enable)}`];
}
