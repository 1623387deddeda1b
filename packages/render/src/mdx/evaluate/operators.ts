import { isNode, type Value } from '../../tree.ts';
import { type Meter, spend, steps } from '../guard/work.ts';
import { isFunction, maxLength, Refusal, tooLong } from './values.ts';

export function isTruthy(value: Value): boolean {
  return Boolean(value);
}

/** Text of a primitive; lists join with commas as in JavaScript, objects and nodes give nothing readable. */
export function toText(value: Value, meter: Meter, offset: number): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value, meter, offset);
  if (typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  if (value === undefined) return 'undefined';
  if (Array.isArray(value)) return joinList(value, ',', meter, offset);
  return '';
}

/** Fractions and large numbers take long to write. */
function numberText(value: number, meter: Meter, offset: number): string {
  if ((value | 0) !== value) spend(meter, 4, offset);
  return String(value);
}

/** Items of nested lists are counted so that shared lists cannot blow up. */
export function joinList(list: readonly Value[], separator: string, meter: Meter, offset: number): string {
  return joinNested(list, separator, meter, offset, 0);
}

function joinNested(
  list: readonly Value[],
  separator: string,
  meter: Meter,
  offset: number,
  depth: number,
): string {
  if (depth > 50) throw new Refusal('budget', 'joins lists that are nested more than 50 levels deep', offset);
  spend(meter, list.length, offset);
  let text = '';
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (index > 0) text += separator;
    if (item === undefined || item === null) continue;
    text += Array.isArray(item)
      ? joinNested(item, ',', meter, offset, depth + 1)
      : toText(item, meter, offset);
    if (text.length > maxLength) throw tooLong(offset);
  }
  spend(meter, steps('copy', text.length), offset);
  return text;
}

export function toNumber(value: Value, meter: Meter, offset: number): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null) return 0;
  if (typeof value === 'string') {
    spend(meter, steps('convert', value.length), offset);
    return Number(value);
  }
  return Number.NaN;
}

/** Whether two values are the same, as `===` says. */
export function isSame(left: Value, right: Value, meter: Meter, offset: number): boolean {
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length)
    spend(meter, steps('read', left.length), offset);
  return left === right;
}

/** Result of a binary operator. Throws Refusal for operators that need prototypes or objects. */
export function binary(operator: string, left: Value, right: Value, meter: Meter, offset: number): Value {
  switch (operator) {
    case '+':
      return add(left, right, meter, offset);
    case '===':
      return isSame(left, right, meter, offset);
    case '!==':
      return !isSame(left, right, meter, offset);
    case '==':
      return looselyEqual(left, right, meter, offset);
    case '!=':
      return !looselyEqual(left, right, meter, offset);
    case '<':
    case '>':
    case '<=':
    case '>=':
      return compare(operator, left, right, meter, offset);
    default:
      return arithmetic(operator, toNumber(left, meter, offset), toNumber(right, meter, offset), offset);
  }
}

function add(left: Value, right: Value, meter: Meter, offset: number): Value {
  if (typeof left === 'string' || typeof right === 'string' || isObject(left) || isObject(right)) {
    return concatenate(toText(left, meter, offset), toText(right, meter, offset), meter, offset);
  }
  return toNumber(left, meter, offset) + toNumber(right, meter, offset);
}

/** Reading the result later copies all of it, so that is charged here. */
export function concatenate(left: string, right: string, meter: Meter, offset: number): string {
  const length = left.length + right.length;
  if (length > maxLength) throw tooLong(offset);
  spend(meter, steps('copy', length), offset);
  return left + right;
}

function isObject(value: Value): boolean {
  return typeof value === 'object' && value !== null;
}

function looselyEqual(left: Value, right: Value, meter: Meter, offset: number): boolean {
  if (left === null || left === undefined) return right === null || right === undefined;
  if (right === null || right === undefined) return false;
  if (typeof left === typeof right || isObject(left) || isObject(right))
    return isSame(left, right, meter, offset);
  return toNumber(left, meter, offset) === toNumber(right, meter, offset);
}

function compare(
  operator: '<' | '>' | '<=' | '>=',
  left: Value,
  right: Value,
  meter: Meter,
  offset: number,
): boolean {
  const areTexts = typeof left === 'string' && typeof right === 'string';
  if (areTexts) spend(meter, steps('read', Math.min(left.length, right.length)), offset);
  const [a, b] = areTexts ? [left, right] : [toNumber(left, meter, offset), toNumber(right, meter, offset)];
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
export function toJson(value: Value, indent: number, meter: Meter, offset: number): string | undefined {
  const spaces = Math.min(Math.max(indent, 0) || 0, 10);
  let length = 0;
  const add = (characters: number, depth: number): void => {
    length += characters + spaces * depth + 4;
    if (length > maxLength) throw tooLong(offset);
    spend(meter, 1 + steps('convert', characters), offset);
  };
  const convert = (item: Value, depth: number): unknown => {
    if (depth > 50)
      throw new Refusal('budget', 'converts data to JSON that is nested more than 50 levels deep', offset);
    add(typeof item === 'string' ? item.length : 1, depth);
    if (typeof item !== 'object' || item === null) return item;
    if (Array.isArray(item)) return item.map((child) => convert(child, depth + 1) ?? null);
    if (isFunction(item) || isNode(item)) return undefined;
    const copy = Object.create(null) as Record<string, unknown>;
    for (const key of Object.keys(item)) {
      add(key.length, 0);
      copy[key] = convert(item[key], depth + 1);
    }
    return copy;
  };
  return JSON.stringify(convert(value, 0), null, spaces);
}
