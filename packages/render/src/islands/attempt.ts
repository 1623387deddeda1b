import { type RefusedExpression, type Run, refuse } from '../mdx/evaluate/run.ts';
import { Refusal } from '../mdx/evaluate/values.ts';

/** What the interpreter made of something that a browser may have to finish. */
interface Attempt<T> {
  nodes: T | null;
  error: unknown;
  /** A browser can finish it: it has state or handlers, or the interpreter cannot do all of it. */
  needsBrowser: boolean;
  /** The interpreter cannot do all of it. */
  refused: boolean;
  /** Reports what was left out on the way. */
  report(): void;
}

/** Runs the interpreter and finds out whether a browser is needed; what it leaves out is not reported yet. */
export function attempt<T>(run: Run, evaluate: () => T): Attempt<T> {
  const outer = { needsBrowser: run.needsBrowser, held: run.held };
  const held: RefusedExpression[] = [];
  const { length } = run.chain;
  run.needsBrowser = false;
  run.held = held;
  let refused = false;
  let nodes: T | null = null;
  let error: unknown = null;
  try {
    nodes = evaluate();
    refused = held.some((one) => isForBrowser(one.error));
  } catch (thrown) {
    error = thrown;
    run.chain.length = length;
    refused = isForBrowser(thrown);
    // What cannot be shown at first may well be when it runs.
    if (!refused && !isReason(thrown, 'invalid')) run.needsBrowser = false;
  }
  const needsBrowser = run.needsBrowser || refused;
  run.needsBrowser = outer.needsBrowser;
  run.held = outer.held;
  return {
    nodes,
    error,
    needsBrowser,
    refused,
    report() {
      for (const one of held) refuse(run, one);
    },
  };
}

/** What the interpreter cannot do but a browser can. */
export function isForBrowser(error: unknown): boolean {
  return isReason(error, 'client') || isReason(error, 'unsupported');
}

/** Whether something was refused for a reason. */
export function isReason(error: unknown, reason: Refusal['reason']): boolean {
  return error instanceof Refusal && error.reason === reason;
}
