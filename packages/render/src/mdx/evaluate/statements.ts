import type { UserFunction, Value } from '../../tree.ts';
import { spend } from '../guard/work.ts';
import type { Expression, FunctionNode } from '../parse/ast.ts';
import { holds } from './conditions.ts';
import { isSame, isTruthy } from './operators.ts';
import { computedKey, copyProperties, listOf, propertyName } from './properties.ts';
import { type Context, emptyScope, evaluate } from './run.ts';
import { emptyObject, isRecord, makeFunction, member, Refusal, unsupported } from './values.ts';

const maxCalls = 60;

/** A function of the page as a value; it sees the scope it was written in and the run of its caller. */
export function functionValue(node: FunctionNode & { start: number }, context: Context): UserFunction {
  if (node.async || node.generator)
    throw new Refusal('client', 'an asynchronous function runs in the browser only', node.start);
  // A snippet outlives the page that evaluates it first, so the function keeps nothing of the run.
  const { origin, scope: outer } = context;
  return makeFunction((values, run) => {
    if (run.depth >= maxCalls) throw new Refusal('budget', 'calls itself too many times', node.start);
    run.depth++;
    try {
      const scope = emptyScope(outer);
      const inner: Context = { run, origin, scope };
      for (let index = 0; index < node.params.length; index++) {
        const parameter = node.params[index] as Expression;
        if (parameter.type === 'RestElement') {
          spend(run, values.length, node.start);
          bind(parameter.argument, values.slice(index), inner);
        } else bind(parameter, values[index], inner);
      }
      if (node.body.type !== 'BlockStatement') return evaluate(node.body, inner);
      return runBody(node.body.body, inner);
    } finally {
      run.depth--;
    }
  });
}

/** Binds a parameter or declaration to a value, defaults and destructuring included. */
function bind(pattern: Expression, value: Value, context: Context): void {
  spend(context.run, 1, pattern.start);
  switch (pattern.type) {
    case 'Identifier':
      context.scope.names.set(pattern.name, value);
      return;
    case 'AssignmentPattern':
      bind(pattern.left, value === undefined ? evaluate(pattern.right, context) : value, context);
      return;
    case 'ArrayPattern':
      bindList(pattern.elements, value, context);
      return;
    case 'ObjectPattern':
      bindObject(pattern.properties, value, context);
      return;
    default:
      throw unsupported(pattern, 'this pattern');
  }
}

function bindList(elements: (Expression | null)[], value: Value, context: Context): void {
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index];
    if (element === null || element === undefined) {
      spend(context.run, 1, 0);
      continue;
    }
    if (element.type === 'RestElement') {
      const rest = Array.isArray(value) ? value.slice(index) : [];
      spend(context.run, rest.length, element.start);
      bind(element.argument, rest, context);
    } else bind(element, member(value, String(index)), context);
  }
}

function bindObject(properties: Expression[], value: Value, context: Context): void {
  const taken = new Set<string>();
  for (const property of properties) {
    if (property.type === 'RestElement') {
      const rest = emptyObject();
      copyProperties(value, rest, context.run, property.start);
      for (const key of taken) delete rest[key];
      bind(property.argument, rest, context);
    } else if (property.type === 'Property') {
      const key = property.computed ? computedKey(property.key, context) : propertyName(property.key);
      taken.add(key);
      bind(property.value, member(value, key), context);
    }
  }
}

/** Binds the names of a `const`, `let` or `var`. */
export function declare(node: Expression & { type: 'VariableDeclaration' }, context: Context): void {
  for (const { id, init } of node.declarations) {
    bind(id, init === null ? undefined : evaluate(init, context), context);
  }
}

/** How a statement ended, other than by continuing with the next. */
type Ending = { kind: 'return'; value: Value } | { kind: 'break' | 'continue' };

/** Runs the body of a function: the value of the first `return` that is reached. */
function runBody(statements: Expression[], context: Context): Value {
  const ending = execute(statements, context);
  return ending?.kind === 'return' ? ending.value : undefined;
}

function execute(statements: readonly Expression[], context: Context): Ending | null {
  for (const statement of statements) {
    const ending = executeOne(statement, context);
    if (ending !== null) return ending;
  }
  return null;
}

function executeOne(node: Expression, context: Context): Ending | null {
  spend(context.run, 1, node.start);
  switch (node.type) {
    case 'ReturnStatement':
      return {
        kind: 'return',
        value: node.argument === null ? undefined : evaluate(node.argument, context),
      };
    case 'VariableDeclaration':
      declare(node, context);
      return null;
    case 'FunctionDeclaration':
      if (node.id !== null) context.scope.names.set(node.id.name, functionValue(node, context));
      return null;
    case 'ExpressionStatement':
      evaluate(node.expression, context);
      return null;
    case 'EmptyStatement':
      return null;
    case 'BlockStatement':
      return execute(node.body, within(context));
    case 'IfStatement':
      if (holds(node.test, context)) return executeOne(node.consequent, context);
      return node.alternate === null ? null : executeOne(node.alternate, context);
    case 'BreakStatement':
    case 'ContinueStatement':
      if (node.label !== null) throw unsupported(node, 'a label');
      return { kind: node.type === 'BreakStatement' ? 'break' : 'continue' };
    default:
      return executeLoop(node, context);
  }
}

/** Loops end by the budget of steps at the latest. */
function executeLoop(node: Expression, context: Context): Ending | null {
  switch (node.type) {
    case 'ForOfStatement':
      return eachOf([...listOf(evaluate(node.right, context), context.run, node.start)], node, context);
    case 'ForInStatement':
      return eachOf(keysOf(evaluate(node.right, context), node, context), node, context);
    case 'ForStatement':
      return forLoop(node, context);
    case 'WhileStatement':
      while (isTruthy(evaluate(node.test, context))) {
        const ending = executeOne(node.body, context);
        if (ending !== null && ending.kind !== 'continue') return afterLoop(ending);
      }
      return null;
    case 'SwitchStatement':
      return switchCase(node, context);
    default:
      throw unsupported(node, node.type);
  }
}

function within(context: Context): Context {
  return { ...context, scope: emptyScope(context.scope) };
}

/** A loop takes its own `break`. */
function afterLoop(ending: Ending): Ending | null {
  return ending.kind === 'return' ? ending : null;
}

function keysOf(value: Value, place: Expression, { run }: Context): string[] {
  if (Array.isArray(value)) {
    spend(run, value.length, place.start);
    return value.map((_, index) => String(index));
  }
  const keys = isRecord(value) ? Object.keys(value) : [];
  spend(run, keys.length, place.start);
  return keys;
}

function eachOf(
  items: readonly Value[],
  node: Expression & { type: 'ForOfStatement' | 'ForInStatement' },
  context: Context,
): Ending | null {
  if (node.left.type !== 'VariableDeclaration') throw unsupported(node, 'this loop');
  const pattern = node.left.declarations[0]?.id;
  for (const item of items) {
    const inner = within(context);
    if (pattern !== undefined) bind(pattern, item, inner);
    const ending = executeOne(node.body, inner);
    if (ending !== null && ending.kind !== 'continue') return afterLoop(ending);
  }
  return null;
}

/** Each round has its own names, so that a function made in it keeps them. */
function forLoop(node: Expression & { type: 'ForStatement' }, context: Context): Ending | null {
  let round = within(context);
  if (node.init?.type === 'VariableDeclaration') declare(node.init, round);
  else if (node.init !== null) evaluate(node.init, round);
  for (;;) {
    spend(context.run, 1 + round.scope.names.size, node.start);
    if (node.test !== null && !isTruthy(evaluate(node.test, round))) return null;
    const ending = executeOne(node.body, round);
    if (ending !== null && ending.kind !== 'continue') return afterLoop(ending);
    const next = within(context);
    for (const [name, value] of round.scope.names) next.scope.names.set(name, value);
    round = next;
    if (node.update !== null) evaluate(node.update, round);
  }
}

function switchCase(node: Expression & { type: 'SwitchStatement' }, context: Context): Ending | null {
  const value = evaluate(node.discriminant, context);
  const inner = within(context);
  let start = node.cases.findIndex(
    ({ test }) => test !== null && isSame(evaluate(test, inner), value, context.run, node.start),
  );
  if (start === -1) start = node.cases.findIndex(({ test }) => test === null);
  if (start === -1) return null;
  for (const { consequent } of node.cases.slice(start)) {
    const ending = execute(consequent, inner);
    if (ending !== null) return ending.kind === 'break' ? null : ending;
  }
  return null;
}
