import type { Value } from '../../tree.ts';
import type { Expression } from '../parse/ast.ts';
import { isTruthy } from './operators.ts';
import { type Context, evaluate } from './run.ts';

/** Whether a condition is true, or is taken for true. */
export function holds(test: Expression, context: Context): boolean {
  return isChosen(evaluate(test, context), test, context);
}

/** The same for its value; `place` is the condition. */
export function isChosen(value: Value, place: Expression, { run }: Context): boolean {
  return run.branches === null ? isTruthy(value) : run.branches.take(place, isTruthy(value));
}
