import type { UserFunction, Value } from '../tree.ts';
import { type Run, spend } from './evaluate.ts';
import { isTruthy, joinList, toJson, toNumber, toText } from './operators.ts';
import { emptyObject, isFunction, isRecord, makeFunction, maxLength, Refusal } from './values.ts';

const globals = new Set([
  'Math',
  'Object',
  'Array',
  'JSON',
  'String',
  'Number',
  'Boolean',
  'parseInt',
  'parseFloat',
  'isNaN',
  'encodeURIComponent',
  'decodeURIComponent',
  'encodeURI',
]);

/** Whether the interpreter has an implementation of a global of that name. */
export function isGlobal(name: string): boolean {
  return globals.has(name);
}

const converters = new Map<string, UserFunction>([
  ['Boolean', makeFunction(([value]) => isTruthy(value))],
  ['String', makeFunction(([value]) => toText(value))],
  ['Number', makeFunction(([value]) => toNumber(value))],
]);

/** Globals that may be passed around as functions, as in `list.filter(Boolean)`. */
export function globalValue(name: string): Value {
  return converters.get(name);
}

const mathNames = [
  'abs',
  'ceil',
  'floor',
  'round',
  'trunc',
  'sign',
  'sqrt',
  'max',
  'min',
  'pow',
  'log2',
  'log10',
] as const;
const mathFunctions = new Map<string, (...values: number[]) => number>(
  mathNames.map((name) => [name, Math[name]]),
);

/** Calls a global function (`name`) or a function of a global (`name.key`). Throws Refusal for all others. */
export function callGlobal(name: string, key: string | null, args: Value[], run: Run, offset: number): Value {
  if (key === null) return callConverter(name, args, offset);
  if (name === 'Math') {
    const operation = mathFunctions.get(key);
    if (operation !== undefined) return operation(...args.slice(0, 1000).map(toNumber));
  }
  if (name === 'Object') return callObject(key, args, run, offset);
  if (name === 'Array') return callArray(key, args, run, offset);
  if (name === 'JSON' && key === 'stringify') return toJson(args[0], toNumber(args[2] ?? 0));
  if (name === 'Number' && key === 'isInteger') return Number.isInteger(args[0]);
  throw new Refusal('client', `\`${name}.${key}\` runs in the browser only`, offset);
}

function callConverter(name: string, args: Value[], offset: number): Value {
  const text = toText(args[0]);
  switch (name) {
    case 'parseInt':
      return Number.parseInt(text, args[1] === undefined ? 10 : toNumber(args[1]));
    case 'parseFloat':
      return Number.parseFloat(text);
    case 'isNaN':
      return Number.isNaN(toNumber(args[0]));
    case 'encodeURIComponent':
      return encodeURIComponent(text.toWellFormed());
    case 'encodeURI':
      return encodeURI(text.toWellFormed());
    case 'decodeURIComponent':
      return decode(text);
    case 'Array':
      return new Array<Value>(length(args[0], offset)).fill(undefined);
    default: {
      const converter = converters.get(name);
      if (converter !== undefined) return converter.call(args);
      throw new Refusal('client', `\`${name}\` runs in the browser only`, offset);
    }
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function length(value: Value, offset: number): number {
  const size = toNumber(value);
  if (!Number.isInteger(size) || size < 0 || size > 10_000)
    throw new Refusal('budget', 'creates a list that is too long', offset);
  return size;
}

function callObject(key: string, args: Value[], run: Run, offset: number): Value {
  const target = args[0];
  const record = isRecord(target) ? target : emptyObject();
  const keys = Object.keys(record);
  spend(run, keys.length, offset);
  switch (key) {
    case 'keys':
      return keys;
    case 'values':
      return keys.map((name) => record[name]);
    case 'entries':
      return keys.map((name) => [name, record[name]]);
    case 'freeze':
      return target;
    case 'fromEntries': {
      const result = emptyObject();
      for (const entry of Array.isArray(target) ? target : []) {
        if (Array.isArray(entry)) result[toText(entry[0])] = entry[1];
      }
      return result;
    }
    case 'assign': {
      const result = emptyObject();
      for (const source of args)
        if (isRecord(source)) for (const name of Object.keys(source)) result[name] = source[name];
      return result;
    }
    default:
      throw new Refusal('unsupported', `\`Object.${key}\` cannot be evaluated`, offset);
  }
}

function callArray(key: string, args: Value[], run: Run, offset: number): Value {
  if (key === 'isArray') return Array.isArray(args[0]);
  if (key === 'of') return args;
  if (key !== 'from') throw new Refusal('unsupported', `\`Array.${key}\` cannot be evaluated`, offset);
  const source = args[0];
  let list: Value[];
  if (Array.isArray(source)) list = [...source];
  else if (typeof source === 'string') list = [...source];
  else list = new Array<Value>(length(isRecord(source) ? source.length : 0, offset)).fill(undefined);
  spend(run, list.length, offset);
  const convert = args[1];
  return isFunction(convert) ? list.map((item, index) => convert.call([item, index])) : list;
}

/** Calls a method of a text, number or list. Throws Refusal for methods without an implementation here. */
export function callMethod(target: Value, key: string, args: Value[], run: Run, offset: number): Value {
  if (typeof target === 'string') return callText(target, key, args, offset);
  if (typeof target === 'number') return callNumber(target, key, args, offset);
  if (Array.isArray(target)) return callList(target, key, args, run, offset);
  if (isRecord(target) && key === 'hasOwnProperty') return Object.hasOwn(target, toText(args[0]));
  if (target === undefined || target === null)
    throw new Refusal('client', `calls \`${key}\` on a missing value`, offset);
  throw new Refusal('client', `\`${key}\` cannot be called without running the code of the page`, offset);
}

function optionalNumber(value: Value): number | undefined {
  return value === undefined ? undefined : toNumber(value);
}

function callText(text: string, key: string, args: Value[], offset: number): Value {
  const first = toText(args[0] ?? '');
  switch (key) {
    case 'toUpperCase':
      return text.toUpperCase();
    case 'toLowerCase':
      return text.toLowerCase();
    case 'trim':
      return text.trim();
    case 'trimStart':
      return text.trimStart();
    case 'trimEnd':
      return text.trimEnd();
    case 'toString':
      return text;
    case 'split':
      return args[0] === undefined ? [text] : text.split(first, 10_000);
    case 'slice':
      return text.slice(optionalNumber(args[0]), optionalNumber(args[1]));
    case 'substring':
      return text.substring(toNumber(args[0] ?? 0), optionalNumber(args[1]));
    case 'replace':
      return text.replace(first, () => toText(args[1]));
    case 'replaceAll':
      return replaceAll(text, first, toText(args[1]), offset);
    case 'includes':
      return text.includes(first);
    case 'startsWith':
      return text.startsWith(first);
    case 'endsWith':
      return text.endsWith(first);
    case 'indexOf':
      return text.indexOf(first);
    case 'lastIndexOf':
      return text.lastIndexOf(first);
    case 'charAt':
      return text.charAt(toNumber(args[0] ?? 0));
    case 'at':
      return text.at(toNumber(args[0] ?? 0));
    case 'charCodeAt':
      return text.charCodeAt(toNumber(args[0] ?? 0));
    case 'concat':
      return text + joinList(args, '');
    case 'repeat':
      return repeat(text, toNumber(args[0] ?? 0), offset);
    case 'padStart':
      return text.padStart(
        Math.min(toNumber(args[0]), maxLength),
        args[1] === undefined ? ' ' : toText(args[1]),
      );
    case 'padEnd':
      return text.padEnd(
        Math.min(toNumber(args[0]), maxLength),
        args[1] === undefined ? ' ' : toText(args[1]),
      );
    default:
      throw new Refusal('client', `\`${key}\` of a string cannot be evaluated`, offset);
  }
}

function replaceAll(text: string, search: string, replacement: string, offset: number): string {
  const parts = text.split(search);
  if (text.length + parts.length * replacement.length > maxLength)
    throw new Refusal('budget', 'creates a string that is too long', offset);
  return parts.join(replacement);
}

function repeat(text: string, count: number, offset: number): string {
  if (!(count >= 0) || text.length * count > maxLength)
    throw new Refusal('budget', 'creates a string that is too long', offset);
  return text.repeat(count);
}

function callNumber(value: number, key: string, args: Value[], offset: number): Value {
  if (key === 'toFixed') return value.toFixed(Math.min(Math.max(toNumber(args[0] ?? 0) || 0, 0), 100));
  if (key === 'toString') return value.toString(Math.min(Math.max(toNumber(args[0] ?? 10) || 10, 2), 36));
  throw new Refusal('client', `\`${key}\` of a number cannot be evaluated`, offset);
}

function callback(args: Value[], key: string, offset: number): (item: Value, index: number) => Value {
  const target = args[0];
  if (!isFunction(target))
    throw new Refusal('unsupported', `\`${key}\` needs a function of this page`, offset);
  return (item, index) => target.call([item, index]);
}

function callList(list: Value[], key: string, args: Value[], run: Run, offset: number): Value {
  spend(run, list.length, offset);
  const iterate = iterators[key];
  if (iterate !== undefined) return iterate(list, callback(args, key, offset), run, offset);
  switch (key) {
    case 'join':
      return joinList(list, args[0] === undefined ? ',' : toText(args[0]));
    case 'slice':
      return list.slice(optionalNumber(args[0]), optionalNumber(args[1]));
    case 'concat':
      return concat(list, args, run, offset);
    case 'includes':
      return list.includes(args[0]);
    case 'indexOf':
      return list.indexOf(args[0]);
    case 'at':
      return list.at(toNumber(args[0] ?? 0));
    case 'flat':
      return flat(list, args[0] === undefined ? 1 : toNumber(args[0]), run, offset);
    case 'reverse':
    case 'toReversed':
      return [...list].reverse();
    case 'sort':
    case 'toSorted':
      return sort(list, args[0], offset);
    case 'keys':
      return list.map((_, index) => index);
    case 'entries':
      return list.map((item, index) => [index, item]);
    case 'fill':
      return list.map(() => args[0]);
    case 'push':
      return push(list, args, run, offset);
    case 'reduce':
      return reduce(list, args, offset);
    default:
      throw new Refusal('client', `\`${key}\` of a list cannot be evaluated`, offset);
  }
}

type Iterator = (
  list: Value[],
  each: (item: Value, index: number) => Value,
  run: Run,
  offset: number,
) => Value;

const iterators: Readonly<Record<string, Iterator>> = Object.assign(
  Object.create(null) as Record<string, Iterator>,
  {
    map: (list, each) => list.map(each),
    filter: (list, each, run, offset) => {
      const kept = list.filter((item, index) => isTruthy(each(item, index)));
      const isAll = kept.length === list.length;
      return isAll || run.branches?.take(`filter ${offset}`, true) !== false ? kept : list;
    },
    find: (list, each) => list.find((item, index) => isTruthy(each(item, index))),
    findIndex: (list, each) => list.findIndex((item, index) => isTruthy(each(item, index))),
    some: (list, each) => list.some((item, index) => isTruthy(each(item, index))),
    every: (list, each) => list.every((item, index) => isTruthy(each(item, index))),
    flatMap: (list, each, run, offset) => flat(list.map(each), 1, run, offset),
    forEach: (list, each) => {
      for (let index = 0; index < list.length; index++) each(list[index], index);
      return undefined;
    },
  } satisfies Record<string, Iterator>,
);

function concat(list: Value[], args: Value[], run: Run, offset: number): Value[] {
  const result = [...list];
  for (const arg of args) {
    const items = Array.isArray(arg) ? arg : [arg];
    spend(run, items.length, offset);
    for (const item of items) result.push(item);
  }
  return result;
}

function flat(list: Value[], depth: number, run: Run, offset: number): Value[] {
  const result: Value[] = [];
  for (const item of list) {
    spend(run, 1, offset);
    if (!Array.isArray(item) || depth < 1) result.push(item);
    else for (const child of flat(item, Math.min(depth, 20) - 1, run, offset)) result.push(child);
  }
  return result;
}

function sort(list: Value[], order: Value, offset: number): Value[] {
  const copy = [...list];
  if (order === undefined) {
    return copy.sort((a, b) => (toText(a) < toText(b) ? -1 : toText(a) > toText(b) ? 1 : 0));
  }
  if (!isFunction(order)) throw new Refusal('unsupported', '`sort` needs a function of this page', offset);
  return copy.sort((a, b) => toNumber(order.call([a, b])));
}

function push(list: Value[], args: Value[], run: Run, offset: number): Value {
  spend(run, args.length, offset);
  if (list.length + args.length > maxLength)
    throw new Refusal('budget', 'creates a list that is too long', offset);
  for (const arg of args) {
    if (Array.isArray(arg) || isRecord(arg))
      throw new Refusal('unsupported', '`push` with a list or an object cannot be evaluated', offset);
    list.push(arg);
  }
  return list.length;
}

function reduce(list: Value[], args: Value[], offset: number): Value {
  const step = args[0];
  if (!isFunction(step)) throw new Refusal('unsupported', '`reduce` needs a function of this page', offset);
  let start = 0;
  let result = args[1];
  if (args.length < 2) {
    result = list[0];
    start = 1;
  }
  for (let index = start; index < list.length; index++) result = step.call([result, list[index], index]);
  return result;
}
