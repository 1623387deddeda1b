import { isForBrowser } from '../../islands/attempt.ts';
import { noteComponents } from '../../islands/components.ts';
import type { Value } from '../../tree.ts';
import type { ExportSpecifier, Expression, ImportNode } from '../parse/ast.ts';
import { importedNames, type Module, type ModuleCode } from '../parse/modules.ts';
import { lookUp } from './names.ts';
import { type Context, emptyScope, evaluate, type Instance, lineAt, type Run } from './run.ts';
import { declare, functionValue } from './statements.ts';
import { browserOnly, emptyObject, Refusal } from './values.ts';

/** What running module code needs from the resolver. */
export interface ModuleHost {
  readonly run: Run;
  /** Value of an imported name; undefined, after a warning, if it does not exist. */
  importValue(specifier: string, imported: string, local: string, from: string, line: number): Value;
  /** Reports why an expression has no value. */
  refuse(error: unknown, outcome: string, file: string, line: number): void;
}

/** Runs the import and export statements of a module, in order; a statement that fails leaves its names undefined. */
export function instantiate(module: Module, host: ModuleHost): Instance {
  const scope = emptyScope();
  const instance: Instance = { module, scope, exports: new Map() };
  for (const code of module.code) {
    const origin = { file: module.file, line: code.line, source: code.source };
    for (const statement of code.statements) hoist(statement, { run: host.run, origin, scope });
  }
  for (const code of module.code) runCode(code, instance, host);
  noteComponents(module.file, scope.names);
  noteComponents(module.file, instance.exports);
  return instance;
}

/** Functions may be used before the line that declares them. */
function hoist(statement: Expression, context: Context): void {
  const node =
    'declaration' in statement && statement.declaration !== null ? statement.declaration : statement;
  if (node.type !== 'FunctionDeclaration' || node.id === null) return;
  try {
    context.scope.names.set(node.id.name, functionValue(node, context));
  } catch {
    // Reported when the statement itself runs.
  }
}

function runCode(code: ModuleCode, instance: Instance, host: ModuleHost): void {
  const { file } = instance.module;
  const origin = { file, line: code.line, source: code.source };
  const context: Context = { run: host.run, origin, scope: instance.scope };
  for (const statement of code.statements) {
    try {
      runStatement(statement, instance, context, host);
    } catch (error) {
      const names = defineWithout(statement, instance, isForBrowser(error));
      // What only a browser can make is reported where it is used, if nothing there is run by one.
      if (names > 0 && isForBrowser(error)) continue;
      host.refuse(
        error,
        `\`${firstWords(code.source, statement)}\` is left out`,
        file,
        lineAt(origin, error instanceof Refusal ? error.offset : statement.start),
      );
    }
  }
}

function firstWords(source: string, node: Expression): string {
  return source.slice(node.start, Math.min(node.end, node.start + 40)).split('\n')[0] ?? '';
}

function runStatement(node: Expression, instance: Instance, context: Context, host: ModuleHost): void {
  switch (node.type) {
    case 'ImportDeclaration':
      bindImports(node, instance, host, lineAt(context.origin, node.start));
      return;
    case 'ExportNamedDeclaration':
      exportNamed(node, instance, context, host);
      return;
    case 'ExportDefaultDeclaration':
      runDeclaration(node.declaration, context);
      instance.exports.set('default', defaultValue(node.declaration, context));
      return;
    default:
      runDeclaration(node, context);
  }
}

function exportNamed(
  node: Expression & { type: 'ExportNamedDeclaration' },
  instance: Instance,
  context: Context,
  host: ModuleHost,
): void {
  const { source, declaration, specifiers } = node;
  if (source !== null) {
    reExport(source.value, specifiers, instance, host, lineAt(context.origin, node.start));
    return;
  }
  if (declaration !== null) {
    runDeclaration(declaration, context);
    for (const name of declaredNames(declaration)) instance.exports.set(name, context.scope.names.get(name));
  }
  for (const { local, exported } of specifiers) {
    instance.exports.set(nameOf(exported), lookUp(nameOf(local), context)?.value);
  }
}

function defaultValue(node: Expression, context: Context): Value {
  if (node.type === 'FunctionDeclaration') return functionValue(node, context);
  return evaluate(node, context);
}

function runDeclaration(node: Expression, context: Context): void {
  if (node.type === 'VariableDeclaration') declare(node, context);
  else if (node.type === 'FunctionDeclaration' && node.id !== null) {
    context.scope.names.set(node.id.name, functionValue(node, context));
  } else if (node.type === 'ClassDeclaration') {
    throw new Refusal('client', 'a class exists in the browser only', 0);
  }
}

function nameOf(name: { name?: string; value?: string }): string {
  return name.name ?? name.value ?? '';
}

function declaredNames(node: Expression): string[] {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration')
    return node.id === null ? [] : [node.id.name];
  if (node.type !== 'VariableDeclaration') return [];
  return node.declarations.flatMap(({ id }) => patternNames(id));
}

function patternNames(pattern: Expression): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return patternNames(pattern.left);
    case 'RestElement':
      return patternNames(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : patternNames(element)));
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        property.type === 'Property' ? patternNames(property.value) : patternNames(property),
      );
    default:
      return [];
  }
}

/**
 * Names that a failed statement would have made exist without a value, so that their uses are not reported again, or
 * as values of the browser. Returns how many there are.
 */
function defineWithout(statement: Expression, instance: Instance, inBrowser: boolean): number {
  const isExport = 'declaration' in statement && statement.declaration !== null;
  const node = isExport ? (statement.declaration as Expression) : statement;
  const names = declaredNames(node);
  for (const name of names) {
    const { scope } = instance;
    if (!scope.names.has(name)) scope.names.set(name, inBrowser ? browserOnly(name) : undefined);
    if (isExport) instance.exports.set(name, scope.names.get(name));
  }
  if (statement.type !== 'ExportDefaultDeclaration') return names.length;
  const known = names[0] === undefined ? undefined : instance.scope.names.get(names[0]);
  instance.exports.set('default', known ?? (inBrowser ? browserOnly('default') : undefined));
  return names.length + 1;
}

function bindImports(node: ImportNode, instance: Instance, host: ModuleHost, line: number): void {
  for (const { local, imported } of importedNames(node)) {
    instance.scope.names.set(
      local,
      host.importValue(node.source.value, imported, local, instance.module.file, line),
    );
  }
}

function reExport(
  specifier: string,
  names: ExportSpecifier[],
  instance: Instance,
  host: ModuleHost,
  line: number,
): void {
  for (const { local, exported } of names) {
    const value = host.importValue(specifier, nameOf(local), nameOf(exported), instance.module.file, line);
    instance.exports.set(nameOf(exported), value);
  }
}

/** All exports as one object, for `import * as name`. */
export function exportsObject(instance: Instance): Value {
  const result = emptyObject();
  for (const [name, value] of instance.exports) result[name] = value;
  return result;
}
