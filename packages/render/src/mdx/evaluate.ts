import type { Branches } from '../islands/branches.ts';
import type { Node, UserFunction, Value } from '../tree.ts';
import type { Expression, FunctionNode } from './ast.ts';
import { callGlobal, callMethod, isGlobal } from './built-ins.ts';
import { evaluateJsx } from './jsx.ts';
import { binary, concatenate, isTruthy, toNumber, toText } from './operators.ts';
import { bind, runBody } from './statements.ts';
import { emptyObject, isBrowserOnly, isFunction, isRecord, makeFunction, member, Refusal } from './values.ts';
import { charge, spend, steps } from './work.ts';

/** Names and their values; look-ups go outwards. */
export interface Scope {
  readonly names: Map<string, Value>;
  readonly parent: Scope | null;
}

/** The place of the source of an expression, for warnings and for the nodes it creates. */
export interface Origin {
  /** Path from the docs root. */
  readonly file: string;
  /** 1-based line of the file on which the source starts. */
  readonly line: number;
  readonly source: string;
}

/** State of one evaluation: the current place, and the remaining budgets of the page. */
export interface Run {
  /** Steps left; see work.ts. */
  steps: number;
  /** Function calls that are open. */
  depth: number;
  /** Reports an expression that has no value; `outcome` says what was done: "`x` is left out". */
  refuse(error: unknown, outcome: string, origin: Origin, offset: number): void;
  /** Content of an `<MDX>` element. */
  parseMdx(source: string, origin: Origin, scope: Scope): Node[];
  /** Calls a user component and shields the page from its failure. */
  callComponent(
    name: string,
    component: UserFunction,
    props: { [key: string]: Value },
    origin: Origin,
    line: number,
  ): Node[];
  /** Files on whose behalf snippets are being expanded, outermost first. */
  chain: string[];
  /** Set by what a component does that only a browser can finish: state, effects, event handlers. */
  needsBrowser: boolean;
  /** Components being called that a browser will run: what is inside them is their first view, not an island. */
  islands: number;
  /** Set while the other views of a component are searched. */
  branches: Branches | null;
  /** Steps left for that on this page. */
  spare: number;
  /** Does work that costs the page nothing and reports nothing. */
  aside(work: () => void): void;
  /** Globals that are values (`Boolean`). */
  readonly globals: ReadonlyMap<string, UserFunction>;
  /** What `React` names: its hooks as they are at the first view. */
  readonly react: { readonly [key: string]: Value };
}

export interface Context {
  readonly run: Run;
  readonly origin: Origin;
  readonly scope: Scope;
}

const maxCalls = 60;

export function emptyScope(parent: Scope | null = null): Scope {
  return { names: new Map(), parent };
}

/** Scopes that one step looks through. */
const scopesPerStep = 8;

export function lookUp(
  name: string,
  { scope, run }: Pick<Context, 'scope' | 'run'>,
): { value: Value } | null {
  let passed = 0;
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    if (at.names.has(name)) return { value: at.names.get(name) };
    if (++passed % scopesPerStep === 0) charge(run, 1);
  }
  return null;
}

/** 1-based line of the file for an offset into the source of an origin. */
export function lineAt(origin: Origin, offset: number): number {
  let starts = lineStarts.get(origin);
  if (starts === undefined) {
    starts = [0];
    for (let at = origin.source.indexOf('\n'); at !== -1; at = origin.source.indexOf('\n', at + 1))
      starts.push(at + 1);
    lineStarts.set(origin, starts);
  }
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return origin.line + low;
}

/** Offsets of the lines of a source, made when the first place in it is asked for. */
const lineStarts = new WeakMap<Origin, number[]>();

/** Value of an expression. Throws Refusal for what has no value without running code of the page. */
export function evaluate(node: Expression, context: Context): Value {
  spend(context.run, 1, node.start);
  switch (node.type) {
    case 'Literal':
      if (node.regex !== undefined || node.bigint !== undefined)
        throw unsupported(node, 'a regular expression or BigInt');
      return node.value;
    case 'Identifier':
      return identifier(node.name, node.start, context);
    case 'TemplateLiteral':
      return template(node, context);
    case 'ArrayExpression':
      return arrayValue(node.elements, context);
    case 'ObjectExpression':
      return objectValue(node.properties, context);
    case 'MemberExpression':
      return member(evaluate(node.object, context), memberKey(node, context));
    case 'ChainExpression':
    case 'ParenthesizedExpression':
      return evaluate(node.expression, context);
    case 'ConditionalExpression':
      return evaluate(holds(node.test, context) ? node.consequent : node.alternate, context);
    case 'LogicalExpression':
      return logical(node, context);
    case 'BinaryExpression':
      return binary(
        node.operator,
        evaluate(node.left, context),
        evaluate(node.right, context),
        context.run,
        node.start,
      );
    case 'UnaryExpression':
      return unary(node.operator, node.argument, context);
    case 'CallExpression':
      return call(node, context);
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return functionValue(node, context);
    case 'SequenceExpression':
      return sequence(node.expressions, context);
    case 'AssignmentExpression':
      return assign(node, context);
    case 'UpdateExpression':
      return update(node, context);
    case 'TaggedTemplateExpression':
      return rawTemplate(node, context);
    case 'JSXElement':
    case 'JSXFragment':
      return evaluateJsx(node, context);
    case 'JSXExpressionContainer':
      return evaluate(node.expression, context);
    case 'JSXEmptyExpression':
      return undefined;
    default:
      throw unsupported(node, node.type);
  }
}

export function unsupported(node: Expression, what: string): Refusal {
  return new Refusal('unsupported', `${what} cannot be evaluated`, node.start);
}

function identifier(name: string, offset: number, context: Context): Value {
  const found = lookUp(name, context);
  if (found !== null) {
    if (isBrowserOnly(found.value)) throw clientOnly(name, offset);
    return found.value;
  }
  if (name === 'undefined') return undefined;
  if (name === 'NaN') return Number.NaN;
  if (name === 'Infinity') return Number.POSITIVE_INFINITY;
  if (name === 'user') return emptyObject();
  const known = context.run.globals.get(name) ?? reactValue(name, context.run);
  if (known !== undefined) return known;
  throw unknownName(name, offset);
}

/** Hooks need no import, and all of React has a name. */
function reactValue(name: string, run: Run): Value {
  if (name === 'React') return run.react;
  return name.startsWith('use') ? run.react[name] : undefined;
}

const clientNames = new Set([
  'window',
  'document',
  'navigator',
  'location',
  'history',
  'localStorage',
  'sessionStorage',
  'fetch',
  'console',
  'setTimeout',
  'setInterval',
  'clearTimeout',
  'clearInterval',
  'requestAnimationFrame',
  'globalThis',
  'Date',
  'Intl',
  'Promise',
  'URL',
  'URLSearchParams',
  'Map',
  'Set',
  'RegExp',
  'Symbol',
  'crypto',
  'performance',
  'alert',
  'eval',
  'Function',
  'Reflect',
  'Proxy',
  'XMLHttpRequest',
  'WebSocket',
]);

function clientOnly(name: string, offset: number): Refusal {
  return new Refusal('client', `\`${name}\` exists in the browser only`, offset);
}

function unknownName(name: string, offset: number): Refusal {
  if (clientNames.has(name)) return clientOnly(name, offset);
  return new Refusal('unknown-name', `\`${name}\` is not defined`, offset);
}

function template(
  node: Expression & { type: 'TemplateLiteral' },
  context: Context,
  form: 'cooked' | 'raw' = 'cooked',
): string {
  const { run } = context;
  let text = node.quasis[0]?.value[form] ?? '';
  for (let index = 0; index < node.expressions.length; index++) {
    const expression = node.expressions[index];
    if (expression !== undefined) text += toText(evaluate(expression, context), run, node.start);
    text = concatenate(text, node.quasis[index + 1]?.value[form] ?? '', run, node.start);
  }
  return text;
}

function arrayValue(elements: (Expression | null)[], context: Context): Value[] {
  const list: Value[] = [];
  for (const element of elements) {
    if (element === null) {
      spend(context.run, 1, 0);
      list.push(undefined);
    } else if (element.type === 'SpreadElement') {
      for (const item of listOf(evaluate(element.argument, context), context.run, element.start))
        list.push(item);
    } else list.push(evaluate(element, context));
  }
  return list;
}

/** The elements of a list, or the characters of a text, to be read once. */
export function listOf(value: Value, run: Run, offset: number): Value[] {
  if (Array.isArray(value) || typeof value === 'string') spend(run, value.length, offset);
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  throw new Refusal('invalid', 'spreads a value that is not a list', offset);
}

function objectValue(properties: Expression[], context: Context): Value {
  const result = emptyObject();
  for (const property of properties) {
    if (property.type === 'SpreadElement')
      copyProperties(evaluate(property.argument, context), result, context.run, property.start);
    else if (property.type === 'Property' && property.kind === 'init') {
      const key = property.computed ? computedKey(property.key, context) : propertyName(property.key);
      result[key] = evaluate(property.value, context);
    } else throw unsupported(property, 'an accessor');
  }
  return result;
}

/** Own entries of plain data; nodes, functions and texts give none. */
export function copyProperties(from: Value, to: { [key: string]: Value }, run: Run, offset: number): void {
  if (!isRecord(from)) return;
  const keys = Object.keys(from);
  spend(run, keys.length, offset);
  for (const key of keys) to[key] = from[key];
}

export function propertyName(key: Expression): string {
  if (key.type === 'Identifier') return key.name;
  if (key.type === 'Literal') return String(key.value);
  throw unsupported(key, 'this property name');
}

/** The name in brackets. A long one is read as a number or compared with others. */
export function computedKey(node: Expression, context: Context): string {
  const key = toText(evaluate(node, context), context.run, node.start);
  spend(context.run, steps('convert', key.length), node.start);
  return key;
}

function memberKey(node: Expression & { type: 'MemberExpression' }, context: Context): string {
  if (node.computed) return computedKey(node.property, context);
  if (node.property.type === 'Identifier') return node.property.name;
  throw unsupported(node, 'a private member');
}

/** Whether a condition is true, or is taken for true. */
export function holds(test: Expression, context: Context): boolean {
  return wayOf(evaluate(test, context), test, context);
}

function wayOf(value: Value, place: Expression, { run }: Context): boolean {
  return run.branches === null ? isTruthy(value) : run.branches.take(place, isTruthy(value));
}

function logical(
  node: Expression & { type: 'LogicalExpression' | 'BinaryExpression' },
  context: Context,
): Value {
  const left = evaluate(node.left, context);
  if (node.operator !== '??') {
    const isTrue = wayOf(left, node, context);
    if (isTrue === (node.operator === '&&')) return evaluate(node.right, context);
    return isTrue === isTruthy(left) ? left : isTrue;
  }
  return left === undefined || left === null ? evaluate(node.right, context) : left;
}

function unary(operator: string, argument: Expression, context: Context): Value {
  if (operator === 'typeof') return typeName(argument, context);
  const value = evaluate(argument, context);
  switch (operator) {
    case '!':
      return !isTruthy(value);
    case '-':
      return -toNumber(toText(value, context.run, argument.start), context.run, argument.start);
    case '+':
      return toNumber(toText(value, context.run, argument.start), context.run, argument.start);
    case 'void':
      return undefined;
    default:
      throw new Refusal('unsupported', `the operator \`${operator}\` cannot be evaluated`, argument.start);
  }
}

function typeName(argument: Expression, context: Context): string {
  if (argument.type === 'Identifier' && lookUp(argument.name, context) === null && !isGlobal(argument.name)) {
    return 'undefined';
  }
  const value = evaluate(argument, context);
  return isFunction(value) ? 'function' : typeof value;
}

function sequence(expressions: Expression[], context: Context): Value {
  let value: Value;
  for (const expression of expressions) value = evaluate(expression, context);
  return value;
}

function call(node: Expression & { type: 'CallExpression' }, context: Context): Value {
  const { callee } = node;
  if (callee.type === 'MemberExpression') return methodCall(node, callee, context);
  if (callee.type === 'Identifier' && lookUp(callee.name, context) === null) {
    const hook = reactValue(callee.name, context.run);
    if (isFunction(hook)) return hook.call(args(node.arguments, context));
    if (!isGlobal(callee.name)) throw unknownName(callee.name, callee.start);
    return callGlobal(callee.name, null, args(node.arguments, context), context.run, node.start);
  }
  const target = evaluate(callee, context);
  if (target === undefined && node.optional) return undefined;
  if (!isFunction(target))
    throw new Refusal('client', 'calls something that is not a function of this page', node.start);
  return target.call(args(node.arguments, context));
}

function methodCall(
  node: Expression & { type: 'CallExpression' },
  callee: Expression & { type: 'MemberExpression' },
  context: Context,
): Value {
  const key = memberKey(callee, context);
  const owner = callee.object;
  if (owner.type === 'Identifier' && lookUp(owner.name, context) === null && isGlobal(owner.name)) {
    return callGlobal(owner.name, key, args(node.arguments, context), context.run, node.start);
  }
  const target = evaluate(owner, context);
  if ((target === undefined || target === null) && (callee.optional || node.optional)) return undefined;
  const own = isRecord(target) ? target[key] : undefined;
  const values = args(node.arguments, context);
  if (isFunction(own)) return own.call(values);
  return callMethod(target, key, values, context.run, node.start);
}

function args(nodes: Expression[], context: Context): Value[] {
  return arrayValue(nodes, context);
}

/** A function of the page as a value; it sees the scope it was written in and the budgets of its caller. */
export function functionValue(node: FunctionNode & { start: number }, context: Context): UserFunction {
  if (node.async || node.generator)
    throw new Refusal('client', 'an asynchronous function runs in the browser only', node.start);
  return makeFunction((values) => {
    const { run } = context;
    if (run.depth >= maxCalls) throw new Refusal('budget', 'calls itself too many times', node.start);
    run.depth++;
    try {
      const scope = emptyScope(context.scope);
      const inner: Context = { run, origin: context.origin, scope };
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

function assign(node: Expression & { type: 'AssignmentExpression' }, context: Context): Value {
  if (node.left.type !== 'Identifier') throw unsupported(node, 'this assignment');
  const { name } = node.left;
  const owner = ownerOf(name, node.start, context);
  const right = evaluate(node.right, context);
  const value =
    node.operator === '='
      ? right
      : binary(node.operator.slice(0, -1), owner.names.get(name), right, context.run, node.start);
  owner.names.set(name, value);
  return value;
}

/** The scope that has a name. Throws Refusal when none has. */
function ownerOf(name: string, offset: number, context: Context): Scope {
  let owner: Scope | null = context.scope;
  while (owner !== null && !owner.names.has(name)) {
    owner = owner.parent;
    charge(context.run, 1);
  }
  if (owner === null) throw unknownName(name, offset);
  return owner;
}

/** `i++` and its kind. */
function update(node: Expression & { type: 'UpdateExpression' }, context: Context): Value {
  if (node.argument.type !== 'Identifier') throw unsupported(node, 'this assignment');
  const { name } = node.argument;
  const owner = ownerOf(name, node.start, context);
  const before = toNumber(owner.names.get(name), context.run, node.start);
  const after = node.operator === '++' ? before + 1 : before - 1;
  owner.names.set(name, after);
  return node.prefix ? after : before;
}

/** A template of `String.raw`, in which backslashes are characters. */
function rawTemplate(node: Expression & { type: 'TaggedTemplateExpression' }, context: Context): string {
  const { tag, quasi } = node;
  const isRaw =
    tag.type === 'MemberExpression' &&
    tag.object.type === 'Identifier' &&
    tag.object.name === 'String' &&
    !tag.computed &&
    tag.property.type === 'Identifier' &&
    tag.property.name === 'raw';
  if (!isRaw) throw unsupported(node, 'a tagged template');
  return template(quasi, context, 'raw');
}
