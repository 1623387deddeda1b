import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { assetPath } from '../../assets.ts';
import type { PageAsset } from '../../page-asset.ts';
import { minifyCss } from '../../theme/css.ts';
import { hashOf } from '../../theme/hash.ts';

/** Changes whenever the same sources would give another script. */
const VERSION = '1';
const FOLDER = 'packages/render/src/reference/playground';
const MAIN = `${FOLDER}/client/main.js`;
const STYLE = `${FOLDER}/playground.css`;
/** Relative imports that are there at run time; those of types alone are not. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'(\.[^']+)'/gm;

/** Where the build puts the finished script: a published package contains no TypeScript to make it from. */
export const BUILT_PLAYGROUND = `${FOLDER}/playground.json`;

/** The script of the playground, and the digest of what it is made from. */
export interface PlaygroundScript {
  digest: string;
  content(): Promise<string>;
}

/** The script of this program: the one that was built, or one that is made from the sources when it is needed. */
export function loadPlayground(): PlaygroundScript {
  const built = assetPath(BUILT_PLAYGROUND);
  if (existsSync(built)) {
    const { digest, code }: { digest: string; code: string } = JSON.parse(readFileSync(built, 'utf8'));
    return { digest, content: () => Promise.resolve(code) };
  }
  const files = readModules();
  let code: Promise<string> | null = null;
  return {
    digest: hashOf(JSON.stringify([VERSION, [...files]])),
    content: () => (code ??= bundle(files)),
  };
}

let assets: { script: PageAsset; style: PageAsset } | null = null;

/**
 * The files that a page with a playground names in `data-op-script` and `data-op-style`. The page does not load them: its
 * button does.
 */
export function playgroundAssets(): { script: PageAsset; style: PageAsset } {
  assets ??= makeAssets();
  return assets;
}

function makeAssets(): { script: PageAsset; style: PageAsset } {
  const { digest, content } = loadPlayground();
  const style = `@layer theme{${minifyCss(readFileSync(assetPath(STYLE), 'utf8'))}}`;
  return {
    script: { kind: 'script', path: `_offprint/playground-${digest}.js`, content },
    style: { kind: 'style', path: `_offprint/playground-${hashOf(style)}.css`, content: () => style },
  };
}

/** The part of the page's own script that shows the button. */
export const PLAYGROUND_BOOTSTRAP = `${FOLDER}/client/bootstrap.js`;

/** The modules by their path in the repository, in the order of their imports. */
function readModules(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const queue = [MAIN];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (files.has(path)) continue;
    const code = readFileSync(assetPath(path), 'utf8');
    files.set(path, code);
    for (const [, specifier = ''] of code.matchAll(IMPORT)) queue.push(moduleOf(specifier, path));
  }
  return files;
}

const moduleOf = (specifier: string, importer: string): string =>
  posix.join(posix.dirname(importer), specifier);

/** One classic script, which works from `file://`. The bundler reads no file. */
async function bundle(files: ReadonlyMap<string, string>): Promise<string> {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: MAIN,
    cwd: '/',
    platform: 'browser',
    tsconfig: false,
    onLog: () => {},
    transform: { target: 'es2022' },
    plugins: [
      {
        name: 'offprint-playground',
        resolveId: (specifier, importer) =>
          importer === undefined ? specifier : moduleOf(specifier, importer),
        load(id) {
          const code = files.get(id);
          if (code === undefined) throw new Error(`unknown module ${id}`);
          return { code, moduleType: id.endsWith('.ts') ? 'ts' : 'js', moduleSideEffects: id === MAIN };
        },
      },
    ],
  });
  try {
    const { output } = await build.generate({ format: 'iife', minify: true, codeSplitting: false });
    const [chunk] = output;
    return chunk.code;
  } finally {
    await build.close();
  }
}
