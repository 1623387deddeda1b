import type { Page } from '../../site.ts';
import type { Node, Value } from '../../tree.ts';
import { maxSteps } from '../guard/work.ts';
import type { Module } from '../parse/modules.ts';
import type { SiteState } from '../state.ts';
import type { Run, Scope } from './run.ts';
import { Refusal } from './values.ts';

/** State while one page is resolved. */
export interface Resolver {
  site: SiteState;
  page: Page;
  run: Run;
  footnotes: Map<string, Node>;
  nodesLeft: number;
  overflowed: boolean;
  /** The steps of the page are used up, and that is reported. */
  isExhausted: boolean;
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
export function reportRefusal(
  resolver: Resolver,
  error: unknown,
  outcome: string,
  file: string,
  line: number,
): void {
  const refusal = error instanceof Refusal ? error : null;
  if (refusal?.reason === 'exhausted') {
    reportExhausted(resolver, outcome, file, line);
    return;
  }
  const reason =
    refusal?.message ??
    (error instanceof RangeError ? 'it is nested too deeply' : 'it is not valid JavaScript');
  const code = refusal === null ? 'invalid-expression' : codes[refusal.reason];
  resolver.site.warn({ file, line, code, message: `${outcome}: ${reason}.` });
}

/** Said once, since everything after it has no value for the same reason. */
function reportExhausted(resolver: Resolver, outcome: string, file: string, line: number): void {
  const { site, page } = resolver;
  if (resolver.isExhausted || site.isQuiet) return;
  resolver.isExhausted = true;
  const { ofSite } = site.budget.open(page, 0);
  const limit = ofSite.steps ? site.budget.takeReport('steps') : maxSteps;
  if (limit === null) return;
  const [all, rest] = ofSite.steps
    ? ['the pages of the site together', 'later pages']
    : [`the page ${page.source ?? page.path}`, 'the page after it'];
  const message = `${outcome}: the expressions of ${all} take more than ${limit} steps, so those of ${rest} are left out too. Use shorter lists and texts, or write the content as Markdown.`;
  site.warn({ file, line, code: codes.exhausted, message });
}

const codes = {
  client: 'client-component',
  'unknown-name': 'unknown-name',
  unsupported: 'unsupported-expression',
  invalid: 'unsupported-expression',
  budget: 'expression-too-large',
  exhausted: 'expression-too-large',
  cycle: 'snippet-cycle',
} as const;
