import { type Expression, parseExpression } from '../mdx/parse/ast.ts';
import { findImport, importedNames, type Module } from '../mdx/parse/modules.ts';
import type { SiteState } from '../mdx/state.ts';
import type { CodeRef, ComponentRef } from '../tree.ts';
import { reactModules } from './hooks.ts';
import { keyOf, type PageIslands } from './page-islands.ts';

/** JavaScript of a file of the docs, and where its imports lead. */
export interface IslandModule {
  code: string;
  /** By specifier. */
  imports: Record<string, ImportTarget>;
  /** Nested deeper than the bundler is given, which ends the process there. */
  tooDeep: boolean;
}

export type ImportTarget =
  | { kind: 'file'; file: string }
  | { kind: 'react' }
  /** Nothing that could be imported; the names are what is asked of it. */
  | { kind: 'missing'; names: string[] };

/** What the script of a page says: which file gives which component or piece of code, by key. */
export interface Entry {
  key: string;
  file: string;
  /** Name under which the file exports it. */
  name: string;
  kind: 'component' | 'factory' | 'code';
}

const maxFiles = 200;

/** The files behind the islands of a page, each with what it is asked for, and the entries in order of their keys. */
export function collectSources(
  islands: PageIslands,
  page: Module,
  site: SiteState,
): { modules: Map<string, IslandModule>; entries: Entry[] } {
  const entries: Entry[] = [];
  const added = new Map<string, string[]>();
  const deep = new Set<string>();
  const add = (ref: ComponentRef | CodeRef, kind: 'component' | 'code'): void => {
    const key = keyOf(ref);
    const exported = exportOf(ref, key);
    if (!('name' in ref) && isDeep(parseExpression(`(${ref.source}\n)`))) deep.add(ref.file);
    if (exported.text !== '') added.set(ref.file, [...(added.get(ref.file) ?? []), exported.text]);
    const isFactory = kind === 'component' && !('name' in ref);
    entries.push({ key, file: ref.file, name: exported.name, kind: isFactory ? 'factory' : kind });
  };
  for (const ref of islands.components.values()) add(ref, 'component');
  for (const ref of islands.code.values()) add(ref, 'code');
  const modules = new Map<string, IslandModule>();
  const queue = entries.map((entry) => entry.file);
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (modules.has(file) || modules.size >= maxFiles) continue;
    const module = file === page.file ? page : site.modules.get(file);
    const own = readModule(file, module, site);
    const code = [own.code, ...(added.get(file) ?? [])].join('\n');
    modules.set(file, { ...own, code, tooDeep: own.tooDeep || deep.has(file) });
    for (const target of Object.values(own.imports)) if (target.kind === 'file') queue.push(target.file);
  }
  const sorted = [...modules].sort(([a], [b]) => (a < b ? -1 : 1));
  return { modules: new Map(sorted), entries: entries.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

/** The line that makes a file export a component or a piece of code under its key. */
function exportOf(ref: ComponentRef | CodeRef, key: string): { name: string; text: string } {
  const name = `offprint_${key}`;
  if (!('name' in ref)) return { name, text: `export const ${name} = () => (${ref.source}\n);` };
  if (ref.name === 'default') return { name: 'default', text: '' };
  if (!ref.name.includes('.')) return { name, text: `export { ${ref.name} as ${name} };` };
  return { name, text: `export const ${name} = ${ref.name};` };
}

function readModule(file: string, module: Module | undefined, site: SiteState): IslandModule {
  if (module === undefined) return { code: '', imports: {}, tooDeep: false };
  const code = module.code.map(({ source }) => source);
  const imports: Record<string, ImportTarget> = Object.create(null);
  let hasDefault = false;
  for (const { statements } of module.code) {
    for (const statement of statements) {
      hasDefault ||= statement.type === 'ExportDefaultDeclaration';
      noteImport(statement, file, imports, site);
    }
  }
  // The content of a page or snippet is not sent to browsers; a component that shows it shows its children.
  if (module.children !== null && !hasDefault)
    code.push(`export { Missing as default } from 'offprint:components';`);
  const tooDeep = module.code.some(({ statements }) => statements.some(isDeep));
  return { code: code.join('\n'), imports, tooDeep };
}

/** Levels of a syntax tree that the native bundler can always follow. */
const maxDepth = 500;

/** Whether a tree has more levels than that; looks without recursion. */
function isDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const value of Object.values(item))
        if (typeof value === 'object' && value !== null) next.push(value);
    }
    level = next;
  }
  return false;
}

function noteImport(
  statement: Expression,
  file: string,
  imports: Record<string, ImportTarget>,
  site: SiteState,
): void {
  let names: string[];
  let specifier: string;
  if (statement.type === 'ImportDeclaration') {
    specifier = statement.source.value;
    names = importedNames(statement).map(({ imported }) => imported);
  } else if (statement.type === 'ExportNamedDeclaration' && statement.source !== null) {
    specifier = statement.source.value;
    names = statement.specifiers.map(({ local }) => local.name ?? local.value ?? '');
  } else if (statement.type === 'ExportAllDeclaration') {
    specifier = statement.source.value;
    names = [];
  } else return;
  const known = imports[specifier];
  if (known?.kind === 'missing') known.names.push(...names);
  if (known !== undefined) return;
  const found = reactModules.has(specifier) ? null : findImport(specifier, file, site.source);
  const isScript = found !== null && site.modules.get(found)?.broken === false;
  if (reactModules.has(specifier)) imports[specifier] = { kind: 'react' };
  else imports[specifier] = isScript ? { kind: 'file', file: found } : { kind: 'missing', names };
}
