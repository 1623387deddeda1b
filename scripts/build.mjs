// `npm run build`: writes the published packages to `dist/packages`: offprint, @offprint/client and @offprint/site.
// In the repository TypeScript runs as it is; npm packages hold JavaScript, because Node strips no types below
// node_modules.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildDashboard } from './dashboard.mjs';
import { buildDocs } from './docs-site.mjs';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

/** Where the packages are, ready for `npm pack` and `npm publish`. */
export const PACKAGES = join(root, 'dist/packages');

/** Resolves with 0 when all packages are written. */
export async function build(node) {
  const dashboard = await buildDashboard(node);
  if (dashboard !== 0) return dashboard;
  const docs = await buildDocs(node);
  if (docs !== 0) return docs;
  rmSync(PACKAGES, { recursive: true, force: true });
  return run(node, [join(root, 'scripts/build/packages.ts')], { cwd: root });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await build(setup());
