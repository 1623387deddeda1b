import type { Page } from '../site.ts';
import type { Node, Value } from '../tree.ts';
import type { Run, Scope } from './evaluate.ts';
import type { Module } from './modules.ts';
import type { SiteState } from './state.ts';
import { Refusal } from './values.ts';

/** State while one page is resolved. */
export interface Resolver {
  site: SiteState;
  page: Page;
  run: Run;
  footnotes: Map<string, Node>;
  nodesLeft: number;
  overflowed: boolean;
  depth: number;
}

/** What the nodes of one file see. */
export interface Frame {
  file: string;
  scope: Scope;
  module: Module;
  /** Names that may be written as `{name}` inside code fences; null on the page itself. */
  fenceNames: ReadonlyMap<string, Value> | null;
}

/** Turns what the interpreter throws into a warning, `outcome` being its subject and verb: "`x` is left out". */
export function refuse(
  resolver: Resolver,
  error: unknown,
  outcome: string,
  file: string,
  line: number,
): void {
  const refusal = error instanceof Refusal ? error : null;
  const reason =
    refusal?.message ??
    (error instanceof RangeError ? 'it is nested too deeply' : 'it is not valid JavaScript');
  const code = refusal === null ? 'invalid-expression' : codes[refusal.reason];
  resolver.site.warn({ file, line, code, message: `${outcome}: ${reason}.` });
}

const codes = {
  client: 'client-component',
  'unknown-name': 'unknown-name',
  unsupported: 'unsupported-expression',
  invalid: 'unsupported-expression',
  budget: 'expression-too-large',
  cycle: 'snippet-cycle',
} as const;
