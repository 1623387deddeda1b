import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { joinDrawings } from '../../packages/render/src/assets.ts';
import { BUILT_RUNTIME, loadRuntime } from '../../packages/render/src/islands/runtime.ts';
import { BUILT_PLAYGROUND, loadPlayground } from '../../packages/render/src/reference/playground/script.ts';
import { fullServiceScripts } from '../../packages/render/src/services/parts.ts';
import { hashOf } from '../../packages/render/src/theme/hash.ts';
import { BUILT_SCRIPTS, fullSiteScript, shorten } from '../../packages/render/src/theme/scripts.ts';
import { fullSearchScript } from '../../packages/render/src/theme/search.ts';
import { BUILT_STYLES, commonStyles } from '../../packages/render/src/theme/stylesheet.ts';
import { onDemandPackages, ROOT } from './manifest.ts';

/** Files and folders that programs find with assetPath(), by their path in the repository. */
const OWN = [
  'apps/cli/package.json',
  'apps/cli/src/agent/bench/fixture/pages',
  'apps/cli/src/dev/client',
  'apps/dashboard/dist',
  'apps/server/src/platform/db/migrations',
  'apps/server/src/projects/starter',
  'deploy/helm/offprint',
  'dist/docs',
  'packages/render/package.json',
  'packages/render/src/components/client',
  'packages/render/src/diagrams/client.js',
  'packages/render/src/diagrams/notices.txt',
  'packages/render/src/icons/nearest.txt',
  'packages/render/src/reference/playground/playground.css',
  'packages/render/src/reference/playground/words',
  'packages/render/src/services/client',
  'packages/render/src/theme/client',
  'packages/render/src/theme/fonts',
  'packages/render/src/theme/styles',
  'packages/render/src/theme/words',
  'packages/search/src/engine',
];

/** Files of npm packages that programs find with packageFile(): the part of each that is needed. */
const OTHERS: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  '@asyncapi/specs': ['LICENSE', 'NOTICE', /^schemas\/3\.[01]\.0-without-\$id\.json$/],
  '@fontsource/inter': ['LICENSE', /^files\/inter-[a-z-]+-(400|600|700)-normal\.woff$/],
  '@fontsource-variable/inter': ['LICENSE', 'unicode.json', /^files\/inter-[a-z-]+-wght-\w+\.woff2$/],
  '@fontsource-variable/jetbrains-mono': ['LICENSE', 'unicode.json', /^files\/[a-z-]+-wght-normal\.woff2$/],
  '@fortawesome/fontawesome-free': ['LICENSE.txt', 'metadata/shims.yml'],
  '@tabler/icons': ['LICENSE'],
  katex: ['LICENSE', 'package.json', 'dist/katex.js', 'dist/katex.min.css', /^dist\/fonts\/[\w-]+\.woff2$/],
  'lucide-static': ['LICENSE'],
  mermaid: [
    'LICENSE',
    'package.json',
    'dist/mermaid.esm.min.mjs',
    /^dist\/chunks\/mermaid\.esm\.min\/.*\.mjs$/,
  ],
};

/** Folders of drawings; each becomes one file, which drawingText() reads. */
const DRAWINGS: Readonly<Record<string, readonly string[]>> = {
  '@fortawesome/fontawesome-free': ['svgs/brands', 'svgs/regular', 'svgs/solid'],
  '@tabler/icons': ['icons/filled', 'icons/outline'],
  'lucide-static': ['icons'],
};

/** Copies everything that programs read at run time. */
export async function copyAssets(folder: string): Promise<void> {
  for (const path of OWN) copy(join(ROOT, path), join(folder, path));
  await writeScript(join(folder, BUILT_RUNTIME), loadRuntime());
  await writeScripts(join(folder, BUILT_PLAYGROUND), loadPlayground());
  writeShortened(join(folder, BUILT_SCRIPTS));
  writeFileSync(join(folder, BUILT_STYLES), commonStyles());
  for (const [name, wanted] of Object.entries(OTHERS)) {
    const from = join(ROOT, 'node_modules', name);
    for (const path of filesOf(from, wanted))
      copy(join(from, path), join(folder, 'node_modules', name, path));
  }
  for (const [name, drawings] of Object.entries(DRAWINGS)) {
    for (const path of drawings)
      writeDrawings(
        join(ROOT, 'node_modules', name, path),
        join(folder, 'node_modules', name, `${path}.txt`),
      );
  }
  writeFileSync(join(folder, 'npm-packages.json'), `${JSON.stringify(onDemandPackages(), null, 2)}\n`);
}

interface Script {
  digest: string;
  content(): Promise<string>;
}

const finished = async ({ digest, content }: Script) => ({ digest, code: await content() });

/** A script that is made from TypeScript. */
async function writeScript(path: string, script: Script): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(await finished(script)));
}

/** Those of every site, by the digest of their full form. */
function writeShortened(path: string): void {
  const all = {
    'site.js': fullSiteScript(null, false),
    'site-with-variants.js': fullSiteScript(null, true),
    'search.js': fullSearchScript(),
    ...fullServiceScripts(),
  };
  const short = Object.entries(all).map(([name, full]) => [hashOf(full), shorten(name, full)]);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(Object.fromEntries(short)));
}

/** Several of them by name. */
async function writeScripts(path: string, scripts: ReadonlyMap<string, Script>): Promise<void> {
  const all: Record<string, { digest: string; code: string }> = {};
  for (const [name, script] of scripts) all[name] = await finished(script);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(all));
}

function writeDrawings(from: string, to: string): void {
  const names = readdirSync(from)
    .filter((name) => name.endsWith('.svg'))
    .sort();
  const texts = names.map((name) => [name, readFileSync(join(from, name), 'utf8')] as const);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, joinDrawings(texts));
}

function filesOf(folder: string, wanted: readonly (string | RegExp)[]): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return wanted.flatMap((want) => {
    const found = typeof want === 'string' ? [want] : all.filter((path) => want.test(path));
    if (found.length === 0) throw new Error(`${folder} has no file ${want}`);
    return found;
  });
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: statSync(from).isDirectory(), filter: (path) => !path.endsWith('.ts') });
}
