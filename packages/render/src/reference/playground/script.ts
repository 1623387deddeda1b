import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { assetPath } from '../../assets.ts';
import type { PageAsset } from '../../page-asset.ts';
import { minifyCss } from '../../theme/css.ts';
import { hashOf } from '../../theme/hash.ts';

/** Changes whenever the same sources would give another script. */
const VERSION = '2';
const FOLDER = 'packages/render/src/reference/playground';
const STYLE = `${FOLDER}/playground.css`;
/** Relative imports that are there at run time; those of types alone are not. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'(\.[^']+)'/gm;

/** Where the build puts the finished scripts: a published package contains no TypeScript to make them from. */
export const BUILT_PLAYGROUND = `${FOLDER}/playground.json`;

/** A script of the playground, and the digest of what it is made from. */
export interface PlaygroundScript {
  digest: string;
  content(): Promise<string>;
}

/** A script by the module that it starts with. `code` is its text; null = the file has it. */
interface Entry {
  readonly path: string;
  readonly code: string | null;
}

/**
 * Functions that write samples, by file and by the key of their language. cURL is not here: the playground itself has it.
 */
export const SAMPLE_SCRIPTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  python: { python: 'pythonSample' },
  javascript: { javascript: 'javascriptSample', node: 'nodeSample', typescript: 'typescriptSample' },
  php: { php: 'phpSample' },
  go: { go: 'goSample' },
  java: { java: 'javaSample' },
  ruby: { ruby: 'rubySample' },
  powershell: { powershell: 'powershellSample' },
  swift: { swift: 'swiftSample' },
  csharp: { csharp: 'csharpSample', dotnet: 'csharpSample' },
  c: { c: 'cSample', 'c++': 'cppSample' },
  kotlin: { kotlin: 'kotlinSample' },
  rust: { rust: 'rustSample' },
  dart: { dart: 'dartSample' },
};

const SCRIPT_BY_LANGUAGE: ReadonlyMap<string, string> = new Map(
  Object.entries(SAMPLE_SCRIPTS).flatMap(([script, functions]) =>
    Object.keys(functions).map((key): [string, string] => [key, script]),
  ),
);

const ENTRIES: ReadonlyMap<string, Entry> = new Map([
  ['main', { path: `${FOLDER}/client/main.js`, code: null }],
  ['socket', { path: `${FOLDER}/client/socket.js`, code: null }],
  ...Object.entries(SAMPLE_SCRIPTS).map(([file, functions]): [string, Entry] => [
    file,
    { path: `${FOLDER}/client/samples-of-${file}.js`, code: sampleEntry(file, functions) },
  ]),
]);

/** Hands the functions to the playground. */
function sampleEntry(file: string, functions: Readonly<Record<string, string>>): string {
  const names = [...new Set(Object.values(functions))].join(', ');
  const members = Object.entries(functions).map(([key, name]) => `'${key}': ${name}`);
  return `import { ${names} } from '../../samples/${file}.ts';
window.offprintSamples = { ...window.offprintSamples, ${members.join(', ')} };
`;
}

/** The scripts of this program by name: those that were built, or those that are made from the sources when needed. */
export function loadPlayground(): ReadonlyMap<string, PlaygroundScript> {
  const built = assetPath(BUILT_PLAYGROUND);
  if (existsSync(built)) {
    const all: Record<string, { digest: string; code: string }> = JSON.parse(readFileSync(built, 'utf8'));
    return new Map(
      Object.entries(all).map(([name, { digest, code }]) => [
        name,
        { digest, content: () => Promise.resolve(code) },
      ]),
    );
  }
  return new Map([...ENTRIES].map(([name, entry]) => [name, fromSources(entry)]));
}

function fromSources(entry: Entry): PlaygroundScript {
  const files = readModules(entry);
  let code: Promise<string> | null = null;
  return {
    digest: hashOf(JSON.stringify([VERSION, [...files]])),
    content: () => (code ??= bundle(entry.path, files)),
  };
}

let scripts: ReadonlyMap<string, PageAsset> | null = null;
let styleAsset: PageAsset | null = null;

function scriptAsset(name: string): PageAsset {
  scripts ??= new Map(
    [...loadPlayground()].map(([one, { digest, content }]) => {
      const path = `_offprint/playground-${one === 'main' ? '' : `${one}-`}${digest}.js`;
      return [one, { kind: 'script', path, content }];
    }),
  );
  const script = scripts.get(name);
  if (script === undefined) throw new Error(`the playground has no script named ${name}`);
  return script;
}

function makeStyle(): PageAsset {
  const style = `@layer theme{${minifyCss(readFileSync(assetPath(STYLE), 'utf8'))}}`;
  return { kind: 'style', path: `_offprint/playground-${hashOf(style)}.css`, content: () => style };
}

/**
 * The files that a page with a playground names in `data-op-script` and `data-op-style`. The page does not load them: its
 * button does.
 */
export function playgroundAssets(): { script: PageAsset; style: PageAsset } {
  styleAsset ??= makeStyle();
  return { script: scriptAsset('main'), style: styleAsset };
}

/** The script of the panel of WebSockets, with the same style sheet. */
export const socketScript = (): PageAsset => scriptAsset('socket');

/** The script that writes samples of a language; null for cURL. */
export function sampleScript(language: string): PageAsset | null {
  const name = SCRIPT_BY_LANGUAGE.get(language);
  return name === undefined ? null : scriptAsset(name);
}

/** The modules by their path in the repository, in the order of their imports. */
function readModules(entry: Entry): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const queue = [entry.path];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (files.has(path)) continue;
    const isEntry = path === entry.path && entry.code !== null;
    const code = isEntry ? entry.code : readFileSync(assetPath(path), 'utf8');
    files.set(path, code);
    for (const [, specifier = ''] of code.matchAll(IMPORT)) queue.push(moduleOf(specifier, path));
  }
  return files;
}

const moduleOf = (specifier: string, importer: string): string =>
  posix.join(posix.dirname(importer), specifier);

/** One classic script, which works from `file://`. The bundler reads no file. */
async function bundle(entry: string, files: ReadonlyMap<string, string>): Promise<string> {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: entry,
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
          return { code, moduleType: id.endsWith('.ts') ? 'ts' : 'js', moduleSideEffects: id === entry };
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
