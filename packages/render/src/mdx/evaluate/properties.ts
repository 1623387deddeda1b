import type { Value } from '../../tree.ts';
import { spend, steps } from '../guard/work.ts';
import type { Expression } from '../parse/ast.ts';
import { toText } from './operators.ts';
import { type Context, evaluate, type Run } from './run.ts';
import { isRecord, Refusal, unsupported } from './values.ts';

/** The elements of a list, or the characters of a text, to be read once. */
export function listOf(value: Value, run: Run, offset: number): Value[] {
  if (Array.isArray(value) || typeof value === 'string') spend(run, value.length, offset);
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  throw new Refusal('invalid', 'spreads a value that is not a list', offset);
}

/** Own entries of plain data; nodes, functions and texts give none. */
export function copyProperties(from: Value, to: { [key: string]: Value }, run: Run, offset: number): void {
  if (!isRecord(from)) return;
  const keys = Object.keys(from);
  spend(run, keys.length, offset);
  for (const key of keys) to[key] = from[key];
}

/** The name of a property that is not in brackets. */
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
