import { posix } from 'node:path';
import { substituteVariables } from '../../config/variables.ts';
import { compileScript } from '../../islands/script-source.ts';
import type { SourceTree } from '../../source.ts';
import { readTextFile } from '../../text-file.ts';
import type { Warn } from '../../warning.ts';
import { type Expression, type ImportNode, parseModule } from './ast.ts';
import { parseMdx } from './parse.ts';
import type { SyntaxNode } from './syntax.ts';

/** A file that pages import, parsed once per site. */
export interface Module {
  readonly file: string;
  /** Content without module code; null for a script. */
  readonly children: readonly SyntaxNode[] | null;
  readonly definitions: ReadonlyMap<string, SyntaxNode>;
  readonly code: readonly ModuleCode[];
  /** The script is not valid JavaScript or TypeScript; that has been reported. */
  readonly broken: boolean;
}

/** One block of `import` and `export` statements. */
export interface ModuleCode {
  readonly source: string;
  /** 1-based line of the file. */
  readonly line: number;
  readonly statements: readonly Expression[];
}

export interface ModuleOptions {
  source: SourceTree;
  variables: Readonly<Record<string, string>>;
  warn: Warn;
}

/** Parses a page or snippet into content, definitions and module code. */
export function makeModule(
  text: string,
  file: string,
  firstLine: number,
  frontMatter: boolean,
  options: ModuleOptions,
): Module {
  const substituted = substituteVariables(text, options.variables);
  const root = parseMdx(substituted, { file, firstLine, frontMatter, warn: options.warn });
  const code = takeCode(root, file, options);
  const children = (root.children ?? []).filter(({ type }) => type !== 'yaml' && type !== 'toml');
  return { file, children, definitions: collectDefinitions(children, text), code, broken: false };
}

/** Takes module code out of the content: statements between the children of an element count for the whole file too. */
function takeCode(root: SyntaxNode, file: string, options: ModuleOptions): ModuleCode[] {
  const code: ModuleCode[] = [];
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.children === undefined) continue;
    const children: SyntaxNode[] = [];
    for (const child of node.children) {
      if (child.type === 'mdxjsEsm') readCode(child, file, code, children, options);
      else children.push(child);
    }
    node.children = children;
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index] as SyntaxNode);
  }
  return code;
}

/** Text that follows the last statement without a blank line is content. */
function readCode(
  node: SyntaxNode,
  file: string,
  code: ModuleCode[],
  children: SyntaxNode[],
  options: ModuleOptions,
): void {
  const source = node.value ?? '';
  const line = node.position?.start.line ?? 1;
  try {
    code.push({ source, line, statements: parseModule(source) });
    return;
  } catch (error) {
    const at = (error as { pos?: unknown }).pos;
    const split = typeof at === 'number' ? source.lastIndexOf('\n', at) : -1;
    const head = split === -1 ? '' : source.slice(0, split);
    const statements = head === '' ? null : tryModule(head);
    if (statements !== null) {
      code.push({ source: head, line, statements });
      const root = parseMdx(source.slice(split + 1), {
        file,
        firstLine: line + lines(head),
        frontMatter: false,
        warn: options.warn,
      });
      for (const child of root.children ?? []) if (child.type !== 'mdxjsEsm') children.push(child);
      return;
    }
    const message = error instanceof Error ? error.message : 'not valid';
    options.warn({
      file,
      line,
      code: 'invalid-module',
      message: `This import or export cannot be parsed and is ignored: ${message}.`,
    });
  }
}

function lines(text: string): number {
  return text.split('\n').length - 1;
}

function tryModule(source: string): Expression[] | null {
  try {
    return parseModule(source);
  } catch {
    return null;
  }
}

/** Link definitions anywhere in the file; the first of a name counts. */
export function collectDefinitions(children: readonly SyntaxNode[], text: string): Map<string, SyntaxNode> {
  const definitions = new Map<string, SyntaxNode>();
  if (!text.includes(']:')) return definitions;
  const stack: SyntaxNode[] = [...children].reverse();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === 'definition' && node.identifier !== undefined) {
      if (!definitions.has(node.identifier)) definitions.set(node.identifier, node);
    } else if (node.children !== undefined) {
      for (let index = node.children.length - 1; index >= 0; index--)
        stack.push(node.children[index] as SyntaxNode);
    }
  }
  return definitions;
}

/** Reads a file that a page imports; scripts have code only. */
export function loadModule(file: string, options: ModuleOptions): Module {
  const text = readTextFile(options.source, file, options.warn);
  if (/\.mdx?$/.test(file)) return makeModule(text, file, 0, true, options);
  const empty = { file, children: null, definitions: new Map<string, SyntaxNode>() };
  if (!/\.[jt]sx?$/.test(file)) {
    const message = 'Only Markdown files and scripts can be imported, so nothing in this file can be used.';
    options.warn({ file, line: null, code: 'invalid-module', message });
    return { ...empty, code: [], broken: true };
  }
  const plain = text.length <= maxScript ? tryModule(text) : null;
  if (plain !== null)
    return { ...empty, code: [{ source: text, line: 1, statements: plain }], broken: false };
  const compiled = compileScript(text);
  const source = 'code' in compiled ? compiled.code : '';
  const statements = source === '' ? null : tryModule(source);
  if (statements !== null) return { ...empty, code: [{ source, line: 1, statements }], broken: false };
  const { fault, line } = 'fault' in compiled ? compiled : { fault: 'it cannot be parsed', line: 1 };
  const message = `The script cannot be parsed, so nothing in it can be used: ${fault}.`;
  options.warn({ file, line, code: 'invalid-module', message });
  return { ...empty, code: [], broken: true };
}

/** Characters of a script that is read. */
const maxScript = 500_000;

/** File in the source that an import names, or null: absolute from the docs root (also as `@/`), or relative to the importing file. */
export function findImport(specifier: string, from: string, source: SourceTree): string | null {
  const base = specifier.startsWith('.')
    ? posix.join(posix.dirname(from), specifier)
    : posix.normalize(specifier.replace(/^@?\/+/, ''));
  if (base.startsWith('..')) return null;
  for (const suffix of ['', '.mdx', '.md', '.jsx', '.tsx', '.js', '.ts']) {
    if (source.has(base + suffix)) return base + suffix;
  }
  return null;
}

/** File of `<Snippet file>`: below one of the two snippet folders, or a path of its own. */
export function findSnippet(name: string, from: string, source: SourceTree): string | null {
  const path = posix.normalize(name.replace(/^\/+/, ''));
  if (path.startsWith('..')) return null;
  for (const folder of ['snippets/', '_snippets/', '']) {
    const found = findImport(`/${folder}${path}`, from, source);
    if (found !== null) return found;
  }
  return null;
}

/** Local names of an import with what they stand for: `default`, `*` or an export. */
export function importedNames(node: ImportNode): { local: string; imported: string }[] {
  return node.specifiers.map((specifier) => {
    if (specifier.type === 'ImportDefaultSpecifier')
      return { local: specifier.local.name, imported: 'default' };
    if (specifier.type === 'ImportNamespaceSpecifier') return { local: specifier.local.name, imported: '*' };
    const imported = specifier.imported?.name ?? specifier.imported?.value ?? specifier.local.name;
    return { local: specifier.local.name, imported };
  });
}
