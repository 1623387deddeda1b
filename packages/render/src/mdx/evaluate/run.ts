import type { Node, UserFunction, Value } from '../../tree.ts';
import type { Expression } from '../parse/ast.ts';
import type { Module } from '../parse/modules.ts';

/** Names and their values; look-ups go outwards. */
export interface Scope {
  readonly names: Map<string, Value>;
  readonly parent: Scope | null;
}

/** The place of the source of an expression, for warnings and for the nodes it creates. */
export interface Origin {
  /** Path from the docs root. */
  readonly file: string;
  /** 1-based line of the file on which the source starts. */
  readonly line: number;
  readonly source: string;
}

/** A module after its code has run: its names, and those it exports. Pages of a site share it. */
export interface Instance {
  readonly module: Module;
  readonly scope: Scope;
  readonly exports: Map<string, Value>;
}

/** Which way the conditions of a component go, while its other views are searched. */
export interface Branches {
  /** `place` is the same for the same condition each time. */
  take(place: unknown, natural: boolean): boolean;
  /** First value of a state; one that is true or false is a condition too. */
  state(value: Value): Value;
}

/** An expression that has no value; `outcome` says what was done: "`x` is left out". */
export interface RefusedExpression {
  readonly error: unknown;
  readonly outcome: string;
  readonly origin: Origin;
  readonly offset: number;
}

/**
 * What the evaluation of expressions needs from the modules that use it. Statements and JSX are in expressions, and
 * contain expressions; components and snippets are called by expressions, and contain content with expressions.
 */
export interface RunHost {
  /** Value of an expression. Throws Refusal for what has no value without running code of the page. */
  evaluate(node: Expression, context: Context): Value;
  /** Content of an `<MDX>` element. */
  parseMdx(source: string, origin: Origin, scope: Scope): Node[];
  /** Calls a user component and shields the page from its failure. */
  callComponent(
    name: string,
    component: UserFunction,
    props: { [key: string]: Value },
    origin: Origin,
    line: number,
  ): Node[];
  /** Content of a snippet. */
  expandSnippet(instance: Instance, props: Value): Node[];
  /** Does work that costs the page nothing and reports nothing. */
  aside(work: () => void): void;
  /** Reports an expression that has no value. */
  report(refused: RefusedExpression): void;
}

/** State of the evaluation of one page. Functions of a page get it from their caller, since pages share snippets. */
export interface Run {
  readonly host: RunHost;
  /** Steps left; see guard/work.ts. */
  steps: number;
  /** Function calls that are open. */
  depth: number;
  /** Files on whose behalf snippets are being expanded, outermost first. */
  readonly chain: string[];
  /** Set by what a component does that only a browser can finish: state, effects, event handlers. */
  needsBrowser: boolean;
  /** Components being called that a browser will run: what is inside them is their first view, not an island. */
  islands: number;
  /** Set while the other views of a component are searched. */
  branches: Branches | null;
  /** Steps left for that on this page. */
  spare: number;
  /** Where refused expressions wait while it is not known whether a browser evaluates them; null = they are reported. */
  held: RefusedExpression[] | null;
  /**
   * Names of the page, which its snippets see behind their own: authors rely on snippets being included in the page.
   * Null while the code of modules runs, since pages share what it makes.
   */
  pageNames: ReadonlyMap<string, Value> | null;
}

/** What an expression is evaluated with. */
export interface Context {
  readonly run: Run;
  readonly origin: Origin;
  readonly scope: Scope;
}

/** Starts the evaluation of a page: `steps` for what it shows, `spare` for views that components show later. */
export function startRun(host: RunHost, steps: number, spare: number): Run {
  return {
    host,
    steps,
    depth: 0,
    chain: [],
    needsBrowser: false,
    islands: 0,
    branches: null,
    spare,
    held: null,
    pageNames: null,
  };
}

/** Value of an expression, for what is in expressions itself. Throws Refusal. */
export function evaluate(node: Expression, context: Context): Value {
  return context.run.host.evaluate(node, context);
}

/** Reports an expression that has no value, or holds it back while that is not decided. */
export function refuse(run: Run, refused: RefusedExpression): void {
  if (run.held === null) run.host.report(refused);
  else run.held.push(refused);
}

/** A scope without names. */
export function emptyScope(parent: Scope | null = null): Scope {
  return { names: new Map(), parent };
}

/** 1-based line of the file for an offset into the source of an origin. */
export function lineAt(origin: Origin, offset: number): number {
  let starts = lineStarts.get(origin);
  if (starts === undefined) {
    starts = [0];
    for (let at = origin.source.indexOf('\n'); at !== -1; at = origin.source.indexOf('\n', at + 1))
      starts.push(at + 1);
    lineStarts.set(origin, starts);
  }
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return origin.line + low;
}

/** Offsets of the lines of a source, made when the first place in it is asked for. */
const lineStarts = new WeakMap<Origin, number[]>();
