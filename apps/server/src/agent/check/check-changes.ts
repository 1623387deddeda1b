import type { Change, Workspace } from '../workspace/workspace.ts';
import { blockingFindings, compareFindings, movedPaths } from './compare.ts';
import type { CheckResult, DocsCheck, Finding, FindingDifference } from './docs-check.ts';

/** Checks the base of the changes; more than once only while the check has no result. */
export type Baseline = (signal: AbortSignal) => Promise<CheckResult>;

/** A base whose findings are known. */
export const knownBaseline =
  (findings: readonly Finding[]): Baseline =>
  async () => ({ status: 'checked', findings: [...findings] });

/** How changed docs compare with their base. `not_checked`: nothing is known; `reason` is a sentence for people. */
export type ChangesCheck =
  | { status: 'checked'; difference: FindingDifference }
  | { status: 'not_checked'; reason: string };

/** Checks the changes of a workspace against its base, and first the base where its findings are unknown. */
export async function checkChanges(
  { check, baseline }: { check: DocsCheck; baseline: Baseline },
  workspace: Workspace,
  signal: AbortSignal,
): Promise<ChangesCheck> {
  const before = await baseline(signal);
  if (before.status === 'not_checked') return before;
  if (before.stopped !== undefined) {
    const reason = `the base has an error beyond which nothing is checked. ${before.stopped}`;
    return { status: 'not_checked', reason };
  }
  return compareWith(before.findings, await check.check(workspace, signal), workspace.changes());
}

/**
 * How the result for changed docs compares with complete findings of their base. A check that stopped has fixed nothing,
 * and is a result only if its error is a new finding that blocks.
 */
export function compareWith(
  known: readonly Finding[],
  now: CheckResult,
  changes: readonly Change[],
): ChangesCheck {
  if (now.status === 'not_checked') return now;
  const difference = compareFindings(known, now.findings, movedPaths(changes));
  if (now.stopped === undefined) return { status: 'checked', difference };
  if (blockingFindings(difference).length > 0)
    return { status: 'checked', difference: { ...difference, fixed: [] } };
  const reason = `the docs have an error beyond which nothing is checked. ${now.stopped}`;
  return { status: 'not_checked', reason };
}
