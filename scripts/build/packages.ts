/** Writes the published packages, or those named by arguments, to dist/packages. `npm run build` builds the dashboard and exports the documentation first. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copiedPackages } from '@offprint/render/assets';
import { copyAssets } from './assets.ts';
import { buildClient } from './client.ts';
import { ROOT, readManifest, writePackage } from './manifest.ts';
import { bundlePrograms, launcherSource } from './programs.ts';

/** Programs that are started by their path; every one becomes a file of its own beside the command. */
const CHILDREN = [
  'apps/server/src/exports/render-child.ts',
  'apps/server/src/exports/images/image-child.ts',
  'apps/server/src/exports/path-child.ts',
  'apps/server/src/exports/query-child.ts',
  'apps/server/src/projects/connection-child.ts',
  'apps/server/src/agent/check/check-child.ts',
  'apps/server/src/platform/db/embedded/guard.ts',
  'apps/server/src/platform/sandbox/confine.mjs',
  'apps/server/src/platform/sandbox/use-compile-cache.mjs',
];

/** Found by their path at run time and for one platform each; or loaded only by sites that ask for it. */
const OPTIONAL = ['@koromix/koffi-linux-arm64', '@koromix/koffi-linux-x64', 'sharp'];

/** For editors, as a file with a short path: `./node_modules/offprint/docs.schema.json`. */
const SCHEMA = 'docs.schema.json';

/** Only imported, never loaded by name: together they are 120 small files, which a command would read at each start. */
const COMPILED: ReadonlySet<string> = new Set([
  '@csstools/css-tokenizer',
  '@scalar/openapi-upgrader',
  'acorn',
  'acorn-jsx',
  'ignore',
  'js-yaml',
  'json-p3',
  'saxes',
  'yaml',
]);

/** Loaded by name at run time, or native: dependencies of the package. The rest, workspaces too, is compiled into it. */
function staysOutside(): string[] {
  const { dependencies = {} } = readManifest('packages/render');
  return Object.keys(dependencies).filter(
    (name) => !copiedPackages.has(name) && !COMPILED.has(name) && !name.startsWith('@offprint/'),
  );
}

async function buildCommand(): Promise<void> {
  const folder = join(ROOT, 'dist/packages/offprint');
  const outside = staysOutside();
  const { imported, licenses } = await bundlePrograms({
    folder: join(folder, 'dist'),
    launcher: { file: 'offprint.mjs', source: launcherSource('offprint', 'apps/cli/src/main.ts', true) },
    programs: CHILDREN,
    outside: [...outside, 'sharp'],
  });
  await copyAssets(join(folder, 'dist/assets'));
  copyFileSync(join(ROOT, 'docs', SCHEMA), join(folder, SCHEMA));
  writePackage(folder, {
    from: 'apps/cli',
    bin: { offprint: './dist/offprint.mjs' },
    exports: { [`./${SCHEMA}`]: `./${SCHEMA}` },
    files: ['dist', SCHEMA],
    dependencies: [...new Set([...outside, ...imported])].filter((name) => !OPTIONAL.includes(name)),
    optionalDependencies: OPTIONAL,
    licenses,
  });
}

async function buildSite(): Promise<void> {
  const folder = join(ROOT, 'dist/packages/site');
  const { imported, licenses } = await bundlePrograms({
    folder: join(folder, 'dist'),
    launcher: {
      file: 'offprint-site.mjs',
      source: launcherSource('offprint-site', 'apps/site/src/main.ts', false),
    },
    programs: [],
    outside: [],
  });
  writePackage(folder, {
    from: 'apps/site',
    bin: { 'offprint-site': './dist/offprint-site.mjs' },
    files: ['dist'],
    dependencies: imported,
    licenses,
  });
}

const builders = { offprint: buildCommand, site: buildSite, client: buildClient };
const asked = process.argv.slice(2);
for (const [name, build] of Object.entries(builders)) {
  if (asked.length === 0 || asked.includes(name)) await build();
}
writeFileSync(join(ROOT, 'dist/packages/.gitignore'), '*\n');
