import type { Value } from '../../tree.ts';
import { spend } from '../guard/work.ts';
import type { Expression } from '../parse/ast.ts';
import { callGlobal, callMethod, isGlobal } from './built-ins.ts';
import { holds, isChosen } from './conditions.ts';
import { evaluateJsx } from './jsx.ts';
import { lookUp, ownerOf, reactValue, unknownName, valueOfName } from './names.ts';
import { binary, concatenate, isTruthy, toNumber, toText } from './operators.ts';
import { computedKey, copyProperties, listOf, propertyName } from './properties.ts';
import type { Context } from './run.ts';
import { functionValue } from './statements.ts';
import { callFunction, emptyObject, isFunction, isRecord, member, Refusal, unsupported } from './values.ts';

/** Value of an expression: `evaluate` of a `RunHost`. Throws Refusal. */
export function evaluateExpression(node: Expression, context: Context): Value {
  spend(context.run, 1, node.start);
  switch (node.type) {
    case 'Literal':
      if (node.regex !== undefined || node.bigint !== undefined)
        throw unsupported(node, 'a regular expression or BigInt');
      return node.value;
    case 'Identifier':
      return valueOfName(node.name, node.start, context);
    case 'TemplateLiteral':
      return template(node, context);
    case 'ArrayExpression':
      return arrayValue(node.elements, context);
    case 'ObjectExpression':
      return objectValue(node.properties, context);
    case 'MemberExpression':
      return member(evaluateExpression(node.object, context), memberKey(node, context));
    case 'ChainExpression':
    case 'ParenthesizedExpression':
      return evaluateExpression(node.expression, context);
    case 'ConditionalExpression':
      return evaluateExpression(holds(node.test, context) ? node.consequent : node.alternate, context);
    case 'LogicalExpression':
      return logical(node, context);
    case 'BinaryExpression':
      return binary(
        node.operator,
        evaluateExpression(node.left, context),
        evaluateExpression(node.right, context),
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
      return evaluateExpression(node.expression, context);
    case 'JSXEmptyExpression':
      return undefined;
    default:
      throw unsupported(node, node.type);
  }
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
    if (expression !== undefined) text += toText(evaluateExpression(expression, context), run, node.start);
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
      for (const item of listOf(evaluateExpression(element.argument, context), context.run, element.start))
        list.push(item);
    } else list.push(evaluateExpression(element, context));
  }
  return list;
}

function objectValue(properties: Expression[], context: Context): Value {
  const result = emptyObject();
  for (const property of properties) {
    if (property.type === 'SpreadElement')
      copyProperties(evaluateExpression(property.argument, context), result, context.run, property.start);
    else if (property.type === 'Property' && property.kind === 'init') {
      const key = property.computed ? computedKey(property.key, context) : propertyName(property.key);
      result[key] = evaluateExpression(property.value, context);
    } else throw unsupported(property, 'an accessor');
  }
  return result;
}

function memberKey(node: Expression & { type: 'MemberExpression' }, context: Context): string {
  if (node.computed) return computedKey(node.property, context);
  if (node.property.type === 'Identifier') return node.property.name;
  throw unsupported(node, 'a private member');
}

function logical(
  node: Expression & { type: 'LogicalExpression' | 'BinaryExpression' },
  context: Context,
): Value {
  const left = evaluateExpression(node.left, context);
  if (node.operator !== '??') {
    const isTrue = isChosen(left, node, context);
    if (isTrue === (node.operator === '&&')) return evaluateExpression(node.right, context);
    return isTrue === isTruthy(left) ? left : isTrue;
  }
  return left === undefined || left === null ? evaluateExpression(node.right, context) : left;
}

function unary(operator: string, argument: Expression, context: Context): Value {
  if (operator === 'typeof') return typeName(argument, context);
  const value = evaluateExpression(argument, context);
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
  const value = evaluateExpression(argument, context);
  return isFunction(value) ? 'function' : typeof value;
}

function sequence(expressions: Expression[], context: Context): Value {
  let value: Value;
  for (const expression of expressions) value = evaluateExpression(expression, context);
  return value;
}

function call(node: Expression & { type: 'CallExpression' }, context: Context): Value {
  const { callee } = node;
  if (callee.type === 'MemberExpression') return methodCall(node, callee, context);
  if (callee.type === 'Identifier' && lookUp(callee.name, context) === null) {
    const hook = reactValue(callee.name);
    if (isFunction(hook)) return callFunction(hook, args(node.arguments, context), context.run);
    if (!isGlobal(callee.name)) throw unknownName(callee.name, callee.start);
    return callGlobal(callee.name, null, args(node.arguments, context), context.run, node.start);
  }
  const target = evaluateExpression(callee, context);
  if (target === undefined && node.optional) return undefined;
  if (!isFunction(target))
    throw new Refusal('client', 'calls something that is not a function of this page', node.start);
  return callFunction(target, args(node.arguments, context), context.run);
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
  const target = evaluateExpression(owner, context);
  if ((target === undefined || target === null) && (callee.optional || node.optional)) return undefined;
  const own = isRecord(target) ? target[key] : undefined;
  const values = args(node.arguments, context);
  if (isFunction(own)) return callFunction(own, values, context.run);
  return callMethod(target, key, values, context.run, node.start);
}

function args(nodes: Expression[], context: Context): Value[] {
  return arrayValue(nodes, context);
}

function assign(node: Expression & { type: 'AssignmentExpression' }, context: Context): Value {
  if (node.left.type !== 'Identifier') throw unsupported(node, 'this assignment');
  const { name } = node.left;
  const owner = ownerOf(name, node.start, context);
  const right = evaluateExpression(node.right, context);
  const value =
    node.operator === '='
      ? right
      : binary(node.operator.slice(0, -1), owner.names.get(name), right, context.run, node.start);
  owner.names.set(name, value);
  return value;
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
