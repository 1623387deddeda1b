import { isNode, type UserFunction, type Value } from '../../tree.ts';
import type { Run } from './run.ts';

/**
 * Why an expression has no value. `client` marks code that only a browser can run, `invalid` what fails there too,
 * `budget` a limit of one value, `exhausted` the limit of all expressions of the page.
 */
export type RefusalReason =
  | 'client'
  | 'unknown-name'
  | 'unsupported'
  | 'invalid'
  | 'budget'
  | 'exhausted'
  | 'cycle';

/** Thrown inside the interpreter only; resolver.ts turns it into a warning. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly offset: number;
  constructor(reason: RefusalReason, message: string, offset: number) {
    super(message);
    this.reason = reason;
    this.offset = offset;
  }
}

/** Refuses a syntax that the interpreter does not know. */
export function unsupported(node: { start: number }, what: string): Refusal {
  return new Refusal('unsupported', `${what} cannot be evaluated`, node.start);
}

/** Longest string and list that an expression may build. */
export const maxLength = 1_000_000;

export function tooLong(offset: number): Refusal {
  return new Refusal('budget', `creates a string of more than ${maxLength} characters`, offset);
}

/** A plain object of the interpreter; without a prototype, which also distinguishes it from nodes of the tree. */
export function emptyObject(): { [key: string]: Value } {
  return Object.create(null) as { [key: string]: Value };
}

export function isFunction(value: Value): value is UserFunction {
  return typeof value === 'object' && value !== null && functions.has(value);
}

/** What a function of the interpreter does. It takes its steps from the run of its caller. */
type Implementation = (args: Value[], run: Run) => Value;

/** Only functions that the interpreter made count; data of a page can look like one. */
const functions = new WeakMap<object, Implementation>();

/** A function as a value of the interpreter. */
export function makeFunction(implementation: Implementation): UserFunction {
  const value: UserFunction = { kind: 'function' };
  functions.set(value, implementation);
  return value;
}

/** Calls a function of the interpreter in a run. Throws Refusal. */
export function callFunction(target: UserFunction, args: Value[], run: Run): Value {
  return functions.get(target)?.(args, run);
}

/** Represents a value that only a browser can create: reading it is refused, showing it as a component is not. */
export function browserOnly(name: string): UserFunction {
  const value = makeFunction(() => {
    throw new Refusal('client', `\`${name}\` exists in the browser only`, 0);
  });
  browserValues.add(value);
  return value;
}

const browserValues = new WeakSet<object>();

export function isBrowserOnly(value: Value): boolean {
  return typeof value === 'object' && value !== null && browserValues.has(value);
}

/** Marks the component that stands for an import that was not found: as a value it cannot be shown. */
export function markMissing(component: UserFunction): UserFunction {
  missingValues.add(component);
  return component;
}

const missingValues = new WeakSet<object>();

export function isMissing(value: UserFunction): boolean {
  return missingValues.has(value);
}

/** Whether a value is an object that the page made (no node, list or function). */
export function isRecord(value: Value): value is { [key: string]: Value } {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !isFunction(value) &&
    !isNode(value)
  );
}

/** Own data only: nothing of a prototype is ever reachable. A member of nothing is undefined, as `user.name` needs. */
export function member(value: Value, key: string): Value {
  if (typeof value === 'string') return key === 'length' ? value.length : indexed(value, key);
  if (Array.isArray(value)) return key === 'length' ? value.length : indexed(value, key);
  if (isRecord(value)) return value[key];
  return undefined;
}

function indexed(list: string | Value[], key: string): Value {
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 ? list[index] : undefined;
}
