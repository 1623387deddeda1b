import type { UserFunction, Value } from '../../tree.ts';
import { spend, steps } from '../guard/work.ts';
import { toNumber, toText } from './operators.ts';
import type { Run } from './run.ts';
import { isFunction, maxLength, Refusal, tooLong } from './values.ts';

/** A call of a function that the interpreter has: its owner, its arguments, and where it is written. */
export interface Call<Owner = Value> {
  owner: Owner;
  args: Value[];
  /** What the call takes its steps from, and functions of the page that it calls. */
  meter: Run;
  offset: number;
}

/** A function that the interpreter has. */
export interface BuiltIn<Owner = Value> {
  /** Steps that a call takes at worst, by the sizes of what it reads; charged before it runs. */
  work(call: Call<Owner>): number;
  run(call: Call<Owner>): Value;
}

/** The only way to call one: charges what it reads before, and what it created after. */
export function invoke<Owner>(builtIn: BuiltIn<Owner>, call: Call<Owner>): Value {
  const { meter, offset } = call;
  spend(meter, builtIn.work(call), offset);
  const value = builtIn.run(call);
  if (typeof value === 'string') {
    if (value.length > maxLength) throw tooLong(offset);
    spend(meter, steps('copy', value.length), offset);
  } else if (Array.isArray(value)) spend(meter, value.length, offset);
  return value;
}

// Arguments; reading one is charged where it takes work.

export function textOf({ args, meter, offset }: Call<unknown>, index: number, missing = 'undefined'): string {
  const value = args[index];
  return value === undefined ? missing : toText(value, meter, offset);
}

export function numberOf({ args, meter, offset }: Call<unknown>, index: number, missing: number): number {
  const value = args[index];
  return value === undefined ? missing : toNumber(value, meter, offset);
}

export function optionalNumber(call: Call<unknown>, index: number): number | undefined {
  return call.args[index] === undefined ? undefined : numberOf(call, index, 0);
}

/** The function of the page that is the first argument. Throws Refusal for anything else. */
export function functionOf({ args, offset }: Call<unknown>, name: string): UserFunction {
  const [target] = args;
  if (isFunction(target)) return target;
  throw new Refusal('unsupported', `\`${name}\` needs a function of this page`, offset);
}

// Work, where several functions take the same

/** As much as evaluating the call itself. */
export const nothing = (): number => 0;

/** A table of functions in which only own names are found. */
export function table<Owner>(
  functions: Record<string, BuiltIn<Owner>>,
): Readonly<Record<string, BuiltIn<Owner> | undefined>> {
  return Object.assign(Object.create(null) as Record<string, BuiltIn<Owner>>, functions);
}
