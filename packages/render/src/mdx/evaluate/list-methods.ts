import type { Value } from '../../tree.ts';
import { isMeasured, spend, steps } from '../guard/work.ts';
import {
  type BuiltIn,
  type Call,
  functionOf,
  nothing,
  numberOf,
  optionalNumber,
  table,
  textOf,
} from './built-in.ts';
import { isTruthy, joinList, toNumber, toText } from './operators.ts';
import { callFunction, isRecord, maxLength, Refusal } from './values.ts';

type ListCall = Call<Value[]>;

/** Reads each item once. */
function each(run: (call: ListCall) => Value): BuiltIn<Value[]> {
  return { work: ({ owner }) => owner.length, run };
}

/** Calls a function of the page for the items, in order. */
function iterates(
  name: string,
  run: (list: Value[], visit: (item: Value, index: number) => Value, call: ListCall) => Value,
): BuiltIn<Value[]> {
  return each((call) => {
    const target = functionOf(call, name);
    return run(call.owner, (item, index) => callFunction(target, [item, index], call.meter), call);
  });
}

/** Texts are compared as far as they may be equal. */
function finds(run: (call: ListCall) => Value): BuiltIn<Value[]> {
  return {
    work({ owner, args }) {
      const [searched] = args;
      const characters = typeof searched === 'string' ? searched.length : 0;
      return owner.length + steps('read', owner.length * characters);
    },
    run,
  };
}

export const listMethods = table<Value[]>({
  map: iterates('map', (list, visit) => list.map(visit)),
  filter: iterates('filter', (list, visit, { meter, offset }) => {
    const kept = list.filter((item, index) => isTruthy(visit(item, index)));
    const isAll = kept.length === list.length;
    return isAll || meter.branches?.take(`filter ${offset}`, true) !== false ? kept : list;
  }),
  find: iterates('find', (list, visit) => list.find((item, index) => isTruthy(visit(item, index)))),
  findIndex: iterates('findIndex', (list, visit) =>
    list.findIndex((item, index) => isTruthy(visit(item, index))),
  ),
  some: iterates('some', (list, visit) => list.some((item, index) => isTruthy(visit(item, index)))),
  every: iterates('every', (list, visit) => list.every((item, index) => isTruthy(visit(item, index)))),
  flatMap: iterates('flatMap', (list, visit, call) => flat(list.map(visit), 1, call)),
  forEach: iterates('forEach', (list, visit) => {
    for (let index = 0; index < list.length; index++) visit(list[index], index);
    return undefined;
  }),
  reduce: each(reduce),
  join: each((call) => joinList(call.owner, textOf(call, 0, ','), call.meter, call.offset)),
  slice: { work: nothing, run: (call) => call.owner.slice(optionalNumber(call, 0), optionalNumber(call, 1)) },
  concat: each(concat),
  includes: finds(({ owner, args }) => owner.includes(args[0])),
  indexOf: finds(({ owner, args }) => owner.indexOf(args[0])),
  at: { work: nothing, run: (call) => call.owner.at(numberOf(call, 0, 0)) },
  flat: each((call) => flat(call.owner, numberOf(call, 0, 1), call)),
  reverse: each(({ owner }) => [...owner].reverse()),
  toReversed: each(({ owner }) => [...owner].reverse()),
  sort: { work: sortWork, run: sort },
  toSorted: { work: sortWork, run: sort },
  keys: each(({ owner }) => owner.map((_, index) => index)),
  entries: each(({ owner }) => owner.map((item, index) => [index, item])),
  fill: each(({ owner, args }) => owner.map(() => args[0])),
  push: { work: ({ args }) => args.length, run: push },
});

function concat({ owner, args, meter, offset }: ListCall): Value[] {
  const result = [...owner];
  for (const arg of args) {
    const items = Array.isArray(arg) ? arg : [arg];
    spend(meter, items.length, offset);
    for (const item of items) result.push(item);
  }
  return result;
}

function flat(list: Value[], depth: number, call: ListCall): Value[] {
  const result: Value[] = [];
  for (const item of list) {
    spend(call.meter, 1, call.offset);
    if (!Array.isArray(item) || depth < 1) result.push(item);
    else for (const child of flat(item, Math.min(depth, 20) - 1, call)) result.push(child);
  }
  return result;
}

/** Comparisons of a sort. */
function sortWork({ owner }: ListCall): number {
  return owner.length * Math.ceil(Math.log2(owner.length + 2));
}

function sort(call: ListCall): Value[] {
  const { owner, args, meter, offset } = call;
  if (args[0] !== undefined) {
    const order = functionOf(call, 'sort');
    return [...owner].sort((a, b) => toNumber(callFunction(order, [a, b], meter), meter, offset));
  }
  const items = owner.map((value) => ({ value, text: toText(value, meter, offset) }));
  const longest = items.reduce((length, { text }) => Math.max(length, text.length), 0);
  spend(meter, steps('read', longest * sortWork(call)), offset);
  items.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return items.map(({ value }) => value);
}

function push({ owner, args, offset }: ListCall): Value {
  if (owner.length + args.length > maxLength)
    throw new Refusal('budget', `creates a list of more than ${maxLength} items`, offset);
  // Its size has been counted for what shows it.
  if (isMeasured(owner))
    throw new Refusal(
      'unsupported',
      '`push` to a list that content already shows cannot be evaluated',
      offset,
    );
  for (const arg of args) {
    if (Array.isArray(arg) || isRecord(arg))
      throw new Refusal('unsupported', '`push` with a list or an object cannot be evaluated', offset);
    owner.push(arg);
  }
  return owner.length;
}

function reduce(call: ListCall): Value {
  const { owner, args, meter } = call;
  const step = functionOf(call, 'reduce');
  const hasFirst = args.length >= 2;
  let result = hasFirst ? args[1] : owner[0];
  for (let index = hasFirst ? 0 : 1; index < owner.length; index++)
    result = callFunction(step, [result, owner[index], index], meter);
  return result;
}
