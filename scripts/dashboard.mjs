// Builds the dashboard when its sources are newer than what was built.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';
import { root } from './setup.mjs';

const SOURCES = ['apps/dashboard', 'packages/client/src', 'packages/contract/src', 'package-lock.json'];

/** Resolves with the exit code of the build, 0 when there was nothing to do. */
export async function buildDashboard(node) {
  const built =
    statSync(join(root, 'apps/dashboard/dist/index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (SOURCES.every((source) => newest(join(root, source)) <= built)) return 0;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  return run(node, [vite, 'build', '--logLevel', 'error'], {
    cwd: join(root, 'apps/dashboard'),
    stdio: ['ignore', 2, 2],
    // Any other value compiles the paths of this machine in.
    env: { NODE_ENV: 'production' },
  });
}

/** Time of the last change of a file, or of the files in a folder, in milliseconds; of a folder without what is built. */
export function newest(path) {
  const info = statSync(path);
  if (!info.isDirectory()) return info.mtimeMs;
  const children = readdirSync(path).filter((name) => name !== 'dist' && name !== 'node_modules');
  return Math.max(0, ...children.map((name) => newest(join(path, name))));
}
