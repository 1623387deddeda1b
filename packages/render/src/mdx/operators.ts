import { isNode, type Value } from '../tree.ts';
import { isFunction, Refusal } from './values.ts';

export function isTruthy(value: Value): boolean {
  return Boolean(value);
}

/** Text of a primitive; lists join with commas as in JavaScript, objects and nodes give nothing readable. */
export function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  if (value === undefined) return 'undefined';
  if (Array.isArray(value)) return joinList(value, ',');
  return '';
}

/** Items of nested lists are counted so that shared lists cannot blow up. */
export function joinList(list: readonly Value[], separator: string): string {
  const state = { left: 100_000 };
  return joinBounded(list, separator, state, 0);
}

function joinBounded(
  list: readonly Value[],
  separator: string,
  state: { left: number },
  depth: number,
): string {
  let text = '';
  for (let index = 0; index < list.length; index++) {
    if (--state.left < 0 || depth > 50) throw new Refusal('budget', 'joins too many items', 0);
    const item = list[index];
    if (index > 0) text += separator;
    if (item === undefined || item === null) continue;
    text += Array.isArray(item) ? joinBounded(item, ',', state, depth + 1) : toText(item);
    if (text.length > 1_000_000) throw new Refusal('budget', 'creates a string that is too long', 0);
  }
  return text;
}

export function toNumber(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null) return 0;
  if (typeof value === 'string') return Number(value);
  return Number.NaN;
}

/** Result of a binary operator. Throws Refusal for operators that need prototypes or objects. */
export function binary(operator: string, left: Value, right: Value, offset: number): Value {
  switch (operator) {
    case '+':
      return add(left, right);
    case '===':
      return left === right;
    case '!==':
      return left !== right;
    case '==':
      return looselyEqual(left, right);
    case '!=':
      return !looselyEqual(left, right);
    case '<':
    case '>':
    case '<=':
    case '>=':
      return compare(operator, left, right);
    default:
      return arithmetic(operator, toNumber(left), toNumber(right), offset);
  }
}

function add(left: Value, right: Value): Value {
  if (typeof left === 'string' || typeof right === 'string' || isObject(left) || isObject(right)) {
    return toText(left) + toText(right);
  }
  return toNumber(left) + toNumber(right);
}

function isObject(value: Value): boolean {
  return typeof value === 'object' && value !== null;
}

function looselyEqual(left: Value, right: Value): boolean {
  if (left === null || left === undefined) return right === null || right === undefined;
  if (right === null || right === undefined) return false;
  if (typeof left === typeof right || isObject(left) || isObject(right)) return left === right;
  return toNumber(left) === toNumber(right);
}

function compare(operator: '<' | '>' | '<=' | '>=', left: Value, right: Value): boolean {
  const [a, b] =
    typeof left === 'string' && typeof right === 'string' ? [left, right] : [toNumber(left), toNumber(right)];
  if (operator === '<') return a < b;
  if (operator === '>') return a > b;
  return operator === '<=' ? a <= b : a >= b;
}

function arithmetic(operator: string, left: number, right: number, offset: number): number {
  switch (operator) {
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '**':
      return left ** right;
    case '|':
      return left | right;
    case '&':
      return left & right;
    case '^':
      return left ^ right;
    case '<<':
      return left << right;
    case '>>':
      return left >> right;
    case '>>>':
      return left >>> right;
    default:
      throw new Refusal('unsupported', `the operator \`${operator}\` cannot be evaluated`, offset);
  }
}

/** Whether a value can be the value of an HTML attribute. */
export function isPrimitive(value: Value): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** JSON of plain data; functions and nodes are left out. */
export function toJson(value: Value, indent: number): string | undefined {
  const state = { left: 100_000 };
  const convert = (item: Value, depth: number): unknown => {
    if (--state.left < 0 || depth > 50) throw new Refusal('budget', 'converts too much data to JSON', 0);
    if (typeof item !== 'object' || item === null) return item;
    if (Array.isArray(item)) return item.map((child) => convert(child, depth + 1) ?? null);
    if (isFunction(item) || isNode(item)) return undefined;
    const copy = Object.create(null) as Record<string, unknown>;
    for (const key of Object.keys(item)) copy[key] = convert(item[key], depth + 1);
    return copy;
  };
  return JSON.stringify(convert(value, 0), null, Math.min(indent, 10));
}
