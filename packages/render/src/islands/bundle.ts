import type { InputOptions, OutputChunk, Plugin } from 'rolldown';
import type { Warn } from '../warning.ts';
import { forBrowser } from './browser-definitions.ts';
import { moduleOf, type RuntimeSource } from './runtime-source.ts';
import type { Entry, ImportTarget, IslandModule } from './sources.ts';

/** All that the script of a page is made from. */
export interface BundleSource {
  /** By file of the docs, sorted. */
  modules: ReadonlyMap<string, IslandModule>;
  entries: readonly Entry[];
  /** Names of components that need no import. */
  builtIns: readonly string[];
}

/** What built-in components need in a browser. */
export interface KnownToBrowser {
  /** SVG by name, or by library and name (`lucide:info`). */
  icons: Readonly<Record<string, string>>;
  /** Words of the interface in the language of the page. */
  words: Readonly<Record<string, string>>;
  /** Languages of code by the name that the page uses. */
  languages: Readonly<Record<string, { name: string; label: string }>>;
}

/** Characters of all files of one script, and of the script. */
const maxSource = 2_000_000;
const maxOutput = 1_500_000;

/** Ids of modules that are not files; no import in the docs can name one. */
const ENTRY = '\0entry';
const REACT = '\0react';
const JSX = '\0jsx';
const BUILT_INS = '\0components';
const FILE = '\0file:';
const MISSING = '\0missing:';
const RUNTIME = '\0runtime:';

/** Names that React gives; all of `preact/compat`. */
const REACT_NAMES =
  'Children Component Fragment PureComponent StrictMode Suspense cloneElement createContext createElement createRef ' +
  'forwardRef isValidElement lazy memo startTransition useCallback useContext useDebugValue useDeferredValue useEffect ' +
  'useId useImperativeHandle useInsertionEffect useLayoutEffect useMemo useReducer useRef useState ' +
  'useSyncExternalStore useTransition createPortal render hydrate createRoot hydrateRoot flushSync h';
const HOOKS = REACT_NAMES.split(' ').filter((name) => name.startsWith('use'));

/**
 * The script of a page's islands. An error in the source is a warning, and the script then does nothing: the pages
 * keep their first views.
 */
export async function bundleIslands(
  source: BundleSource,
  known: KnownToBrowser,
  warn: Warn,
): Promise<string> {
  let size = 0;
  for (const { code } of source.modules.values()) size += code.length;
  const file = source.entries[0]?.file ?? '';
  const fail = (at: string, line: number | null, reason: string): string => {
    const message = `The components cannot run in the browser, so the page shows only their initial view: ${reason}.`;
    warn({ file: at, line, code: 'island-failed', message });
    return '/* The components of this page could not be built. */\n';
  };
  for (const [at, { tooDeep }] of source.modules) {
    if (tooDeep) return fail(at, null, 'the file is nested too deeply');
  }
  if (size > maxSource) return fail(file, null, `their source has more than ${maxSource} characters`);
  try {
    const code = await bundle(
      entrySource(source, known),
      (specifier, importer) => resolveImport(specifier, importer, source),
      (id) => loadModule(id, source),
      inject(source),
    );
    if (code.length > maxOutput)
      return fail(file, null, `their script has more than ${maxOutput} characters`);
    return `try {\n${code}} catch (error) {\n  console.warn('The components of this page failed to load.', error);\n}\n`;
  } catch (error) {
    const fault = readError(error);
    return fail(fault.file ?? file, fault.line, fault.reason);
  }
}

/** Preact and the runtime as one script, from their sources by path. */
export async function bundleRuntime({ main, files }: RuntimeSource): Promise<string> {
  const { parseAst } = await import('rolldown/parseAst');
  return bundle(
    `import ${JSON.stringify(RUNTIME + main)};`,
    (specifier, importer) => {
      if (specifier.startsWith('\0')) return specifier;
      const path = moduleOf(specifier, importer?.slice(RUNTIME.length) ?? '');
      return files.has(path) ? RUNTIME + path : null;
    },
    (id) => {
      const path = id.slice(RUNTIME.length);
      const code = files.get(path) ?? null;
      return code !== null && path.startsWith('components/') ? forBrowser(code, parseAst) : code;
    },
    {},
  );
}

/** What a module names without an import. */
function inject({ builtIns, modules }: BundleSource): Record<string, [string, string]> {
  const names: Record<string, [string, string]> = Object.create(null);
  // Components that are defined nowhere show their content, as they do in pages.
  for (const { code } of modules.values()) {
    for (const [, name = ''] of code.matchAll(/<([A-Z]\w{0,80})(?=[\s/>])/g))
      names[name] = [BUILT_INS, 'Missing'];
  }
  names.React = [REACT, 'default'];
  names.user = [REACT, 'user'];
  for (const name of HOOKS) names[name] = [REACT, name];
  for (const name of builtIns) names[name] = [BUILT_INS, name];
  return names;
}

function entrySource(source: BundleSource, known: KnownToBrowser): string {
  const imports: string[] = [];
  const components: string[] = [];
  const code: string[] = [];
  source.entries.forEach(({ key, file, name, kind }, index) => {
    imports.push(`import { ${name} as e${index} } from ${JSON.stringify(FILE + file)};`);
    if (kind === 'code') code.push(`${JSON.stringify(key)}: e${index}`);
    else components.push(`${JSON.stringify(key)}: ${kind === 'factory' ? '' : '() => '}e${index}`);
  });
  const args = [`{ ${components.join(', ')} }`, `{ ${code.join(', ')} }`, JSON.stringify(known)];
  return `${imports.join('\n')}\nwindow.offprintIslands.mount(${args.join(', ')});\n`;
}

function resolveImport(specifier: string, importer: string | undefined, source: BundleSource): string {
  if (importer === ENTRY || specifier.startsWith('\0')) return specifier;
  if (specifier === 'offprint:components') return BUILT_INS;
  if (/^react\/jsx-(?:dev-)?runtime$|\/jsx-runtime$/.test(specifier)) return JSX;
  const file = importer?.startsWith(FILE) === true ? importer.slice(FILE.length) : '';
  const target: ImportTarget | undefined = source.modules.get(file)?.imports[specifier];
  if (target?.kind === 'react') return REACT;
  if (target?.kind === 'file' && source.modules.has(target.file)) return FILE + target.file;
  return MISSING + JSON.stringify(target?.kind === 'missing' ? target.names : []);
}

function loadModule(id: string, source: BundleSource): string | null {
  if (id.startsWith(FILE)) return source.modules.get(id.slice(FILE.length))?.code ?? null;
  if (id === REACT) {
    const names = REACT_NAMES.split(' ').map((name) => `export const ${name} = React.${name};`);
    return `const React = window.offprintIslands.react;\nexport default React;\nexport const user = {};\n${names.join('\n')}`;
  }
  if (id === JSX)
    return 'const { jsx, jsxs, jsxDEV, Fragment } = window.offprintIslands.jsx;\nexport { jsx, jsxs, jsxDEV, Fragment };';
  if (id === BUILT_INS) {
    const names = source.builtIns.map((name) => `export const ${name} = /* @__PURE__ */ builtIn('${name}');`);
    return `const { builtIn } = window.offprintIslands;\nexport const { Missing } = window.offprintIslands;\n${names.join('\n')}`;
  }
  if (!id.startsWith(MISSING)) return null;
  return missingModule(JSON.parse(id.slice(MISSING.length)) as string[]);
}

/** Replaces a missing package or file: components show their children, everything else is undefined. */
function missingModule(names: readonly string[]): string {
  const lines = [...new Set(names)].map((name) => {
    if (name === 'default') return 'export default Missing;';
    if (name === '*' || !/^[A-Za-z_$][\w$]*$/.test(name)) return '';
    return `export const ${name} = ${/^[A-Z]/.test(name) ? 'Missing' : 'undefined'};`;
  });
  return `const { Missing } = window.offprintIslands;\n${lines.join('\n')}`;
}

/** One classic script from modules that all come out of `load`: the bundler reads no file and runs nothing. */
async function bundle(
  entry: string,
  resolve: (specifier: string, importer: string | undefined) => string | null,
  load: (id: string) => string | null,
  injected: Record<string, [string, string]>,
): Promise<string> {
  const { rolldown } = await import('rolldown');
  const plugin: Plugin = {
    name: 'offprint',
    resolveId(specifier, importer) {
      const id = specifier === ENTRY ? ENTRY : resolve(specifier, importer);
      if (id === null) throw new Error(`unknown module ${specifier}`);
      return { id, moduleSideEffects: id === ENTRY || id.startsWith(FILE) || /client\/\w+\.js$/.test(id) };
    },
    load(id) {
      const code = id === ENTRY ? entry : load(id);
      if (code === null) throw new Error(`unknown module ${id.replace('\0', '')}`);
      return { code, moduleType: id.endsWith('.ts') ? 'ts' : 'jsx' };
    },
  };
  const options: InputOptions = {
    input: ENTRY,
    cwd: '/',
    platform: 'browser',
    tsconfig: false,
    shimMissingExports: true,
    treeshake: { propertyReadSideEffects: false },
    onLog: () => {},
    transform: {
      target: 'es2022',
      jsx: { runtime: 'automatic', importSource: 'react' },
      inject: injected,
    },
    plugins: [plugin],
  };
  const build = await rolldown(options);
  try {
    const { output } = await build.generate({ format: 'iife', minify: true, codeSplitting: false });
    return (output[0] as OutputChunk).code;
  } finally {
    await build.close();
  }
}

/** File, line and words of what the bundler throws. */
function readError(error: unknown): { file: string | null; line: number | null; reason: string } {
  const { errors, message } = error as { errors?: Fault[]; message?: string };
  const first: Fault = errors?.[0] ?? { message };
  const place = first.loc?.file ?? first.id ?? '';
  const text = (first.message ?? 'unknown error').replace(/\u001b\[[\d;]*m/g, '');
  const reason = (text.split('\n').find((line) => line.trim() !== '') ?? '').replace(/^\[\w+\]\s*/, '');
  const file = place.includes('file:') ? place.slice(place.indexOf('file:') + 5) : null;
  return { file, line: file === null ? null : (first.loc?.line ?? null), reason: reason.slice(0, 300) };
}

interface Fault {
  message?: string | undefined;
  id?: string;
  loc?: { file?: string; line?: number };
}
