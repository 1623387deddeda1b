import { existsSync, readFileSync } from 'node:fs';
import { assetPath } from '../assets.ts';
import { hashOf } from '../theme/hash.ts';
import { bundleRuntime } from './bundle.ts';
import { readRuntime } from './runtime-source.ts';

/** Changes whenever the same sources would give another script. */
export const VERSION = '10';

/** The script that runs components, and the digest of what it is made from. */
export interface Runtime {
  digest: string;
  content(): Promise<string>;
}

/** Where the build puts the finished script: a published package contains no TypeScript to make it from. */
export const BUILT_RUNTIME = 'packages/render/src/islands/runtime.json';

/** The script of this program: the one that was built, or one that is made from the sources when it is needed. */
export function loadRuntime(): Runtime {
  const built = assetPath(BUILT_RUNTIME);
  if (existsSync(built)) {
    const { digest, code }: { digest: string; code: string } = JSON.parse(readFileSync(built, 'utf8'));
    return { digest, content: () => Promise.resolve(code) };
  }
  const source = readRuntime();
  let code: Promise<string> | null = null;
  return {
    digest: hashOf(JSON.stringify([VERSION, [...source.files]])),
    content: () => (code ??= bundleRuntime(source)),
  };
}
