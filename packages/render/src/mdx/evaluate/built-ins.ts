import type { UserFunction, Value } from '../../tree.ts';
import { spend, steps } from '../guard/work.ts';
import { type BuiltIn, type Call, invoke, nothing, numberOf, table, textOf } from './built-in.ts';
import { listMethods } from './list-methods.ts';
import { numberInLocale } from './number-format.ts';
import { isTruthy, toJson, toNumber, toText } from './operators.ts';
import type { Run } from './run.ts';
import { textMethods } from './text-methods.ts';
import { callFunction, emptyObject, isFunction, isRecord, makeFunction, Refusal } from './values.ts';

const maxItems = 10_000;

// Globals

/** A function whose work grows with the text of its first argument. */
function converts(run: (text: string, call: Call) => Value): BuiltIn {
  return {
    work: (call) => steps('parse', textOf(call, 0).length),
    run: (call) => run(textOf(call, 0), call),
  };
}

/** A function that takes its first argument as a value and charges what it reads of it. */
function takes(run: (value: Value, call: Call) => Value): BuiltIn {
  return { work: nothing, run: (call) => run(call.args[0], call) };
}

/** Globals that may be passed around as functions, as in `list.filter(Boolean)`. */
const converters = table<Value>({
  Boolean: takes(isTruthy),
  String: takes((value, { meter, offset }) => toText(value, meter, offset)),
  Number: takes((value, { meter, offset }) => toNumber(value, meter, offset)),
});

const functions = table<Value>({
  parseInt: converts((text, call) => Number.parseInt(text, numberOf(call, 1, 10))),
  parseFloat: converts((text) => Number.parseFloat(text)),
  isNaN: takes((value, { meter, offset }) => Number.isNaN(toNumber(value, meter, offset))),
  encodeURIComponent: converts((text) => encodeURIComponent(text.toWellFormed())),
  encodeURI: converts((text) => encodeURI(text.toWellFormed())),
  decodeURIComponent: converts(decode),
  Array: {
    work: (call) => lengthOf(call.args[0], call),
    run: (call) => new Array<Value>(lengthOf(call.args[0], call)).fill(undefined),
  },
});

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function lengthOf(value: Value, { meter, offset }: Call): number {
  const size = toNumber(value, meter, offset);
  if (!Number.isInteger(size) || size < 0 || size > maxItems)
    throw new Refusal('budget', `creates a list of more than ${maxItems} items`, offset);
  return size;
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

/** Values of a function of `Math` that are read. */
const maxNumbers = 1000;

const math = table<Value>(
  Object.fromEntries(
    mathNames.map((name): [string, BuiltIn] => {
      const operation: (...values: number[]) => number = Math[name];
      const work = ({ args }: Call): number => Math.min(args.length, maxNumbers);
      return [name, { work, run: (call) => operation(...numbersOf(call)) }];
    }),
  ),
);

function numbersOf({ args, meter, offset }: Call): number[] {
  return args.slice(0, maxNumbers).map((value) => toNumber(value, meter, offset));
}

/** A function of the own entries of its first argument; values without entries count as an empty object. */
function entries(run: (record: { [key: string]: Value }, keys: string[]) => Value): BuiltIn {
  return takes((value, { meter, offset }) => {
    const record = isRecord(value) ? value : emptyObject();
    const keys = Object.keys(record);
    spend(meter, keys.length, offset);
    return run(record, keys);
  });
}

const objects = table<Value>({
  keys: entries((_, keys) => keys),
  values: entries((record, keys) => keys.map((name) => record[name])),
  entries: entries((record, keys) => keys.map((name) => [name, record[name]])),
  freeze: takes((value) => value),
  fromEntries: takes((value, { meter, offset }) => {
    const result = emptyObject();
    const list = Array.isArray(value) ? value : [];
    spend(meter, list.length, offset);
    for (const entry of list) {
      if (Array.isArray(entry)) result[toText(entry[0], meter, offset)] = entry[1];
    }
    return result;
  }),
  assign: {
    work: ({ args }) => args.length,
    run({ args, meter, offset }) {
      const result = emptyObject();
      for (const source of args) {
        if (!isRecord(source)) continue;
        const keys = Object.keys(source);
        spend(meter, keys.length, offset);
        for (const name of keys) result[name] = source[name];
      }
      return result;
    },
  },
});

const arrays = table<Value>({
  isArray: takes((value) => Array.isArray(value)),
  of: { work: nothing, run: ({ args }) => args },
  from: {
    work(call) {
      const [source] = call.args;
      if (Array.isArray(source) || typeof source === 'string') return source.length;
      return lengthOf(isRecord(source) ? source.length : 0, call);
    },
    run(call) {
      const [source, convert] = call.args;
      const list: Value[] =
        Array.isArray(source) || typeof source === 'string'
          ? [...source]
          : new Array<Value>(lengthOf(isRecord(source) ? source.length : 0, call)).fill(undefined);
      return isFunction(convert)
        ? list.map((item, index) => callFunction(convert, [item, index], call.meter))
        : list;
    },
  },
});

const json = table<Value>({
  stringify: takes((value, call) => toJson(value, numberOf(call, 2, 0), call.meter, call.offset)),
});

const numbers = table<Value>({ isInteger: takes((value) => Number.isInteger(value)) });

/** Functions of a global; of those that are none of them, browsers have more. */
const members: Readonly<Record<string, ReturnType<typeof table<Value>> | undefined>> = Object.assign(
  Object.create(null) as Record<string, ReturnType<typeof table<Value>>>,
  { Math: math, Object: objects, Array: arrays, JSON: json, Number: numbers, String: table<Value>({}) },
);

/** Whether the interpreter has an implementation of a global of that name. */
export function isGlobal(name: string): boolean {
  return (members[name] ?? functions[name] ?? converters[name]) !== undefined;
}

/** The globals that are values. */
export const globalValues: ReadonlyMap<string, UserFunction> = new Map(
  Object.entries(converters).map(([name, builtIn]) => [
    name,
    makeFunction((args, meter) =>
      builtIn === undefined ? undefined : invoke(builtIn, { owner: undefined, args, meter, offset: 0 }),
    ),
  ]),
);

/** Calls a global function (`name`) or a function of a global (`name.key`). Throws Refusal for all others. */
export function callGlobal(
  name: string,
  key: string | null,
  args: Value[],
  meter: Run,
  offset: number,
): Value {
  const builtIn = key === null ? (functions[name] ?? converters[name]) : members[name]?.[key];
  if (builtIn !== undefined) return invoke(builtIn, { owner: undefined, args, meter, offset });
  if (key !== null && (name === 'Object' || name === 'Array'))
    throw new Refusal('unsupported', `\`${name}.${key}\` cannot be evaluated`, offset);
  const written = key === null ? name : `${name}.${key}`;
  throw new Refusal('client', `\`${written}\` runs in the browser only`, offset);
}

// Methods

const hasOwn: BuiltIn<{ [key: string]: Value }> = {
  work: (call) => steps('read', textOf(call, 0).length),
  run: (call) => Object.hasOwn(call.owner, textOf(call, 0)),
};

const numberToText: BuiltIn<number> = {
  work: ({ owner, args }) => (args[0] === undefined ? 4 : 20 + digits(owner)),
  run: (call) => call.owner.toString(Math.min(Math.max(numberOf(call, 0, 10) || 10, 2), 36)),
};

const numberMethods = table<number>({
  toFixed: {
    work: () => 20,
    run: (call) => call.owner.toFixed(Math.min(Math.max(numberOf(call, 0, 0) || 0, 0), 100)),
  },
  toString: numberToText,
  toLocaleString: numberInLocale,
});

/** Digits of other bases are divided off one by one. */
function digits(value: number): number {
  const bits = Math.abs(Math.log2(Math.abs(value)));
  return Number.isFinite(bits) ? bits : 0;
}

/** Calls a method of a text, number, list or object. Throws Refusal for methods without an implementation here. */
export function callMethod(owner: Value, key: string, args: Value[], meter: Run, offset: number): Value {
  if (typeof owner === 'string') return callOf(textMethods, 'a string', { owner, args, meter, offset }, key);
  if (typeof owner === 'number')
    return callOf(numberMethods, 'a number', { owner, args, meter, offset }, key);
  if (Array.isArray(owner)) return callOf(listMethods, 'a list', { owner, args, meter, offset }, key);
  if (isRecord(owner) && key === 'hasOwnProperty') return invoke(hasOwn, { owner, args, meter, offset });
  if (owner === undefined || owner === null)
    throw new Refusal('client', `calls \`${key}\` on a missing value`, offset);
  throw new Refusal('client', `\`${key}\` cannot be called without running the code of the page`, offset);
}

function callOf<Owner>(
  methods: Readonly<Record<string, BuiltIn<Owner> | undefined>>,
  what: string,
  call: Call<Owner>,
  key: string,
): Value {
  const method = methods[key];
  if (method === undefined)
    throw new Refusal('client', `\`${key}\` of ${what} cannot be evaluated`, call.offset);
  return invoke(method, call);
}

/** All functions that the interpreter has, for the test of what they charge. */
export const builtIns = {
  globals: { ...functions, ...converters },
  members,
  text: textMethods,
  list: listMethods,
  number: numberMethods,
};
