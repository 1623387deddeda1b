import { createWorkspace } from '../workspace/overlay.ts';
import type { BaseTree, Change, Workspace } from '../workspace/workspace.ts';
import { blockingFindings, compareFindings, movedPaths } from './compare.ts';
import type { CheckResult, DocsCheck, Finding, FindingDifference } from './docs-check.ts';

/** How changed docs compare with their base. `not_checked`: nothing is known; `reason` is a sentence for people. */
export type ChangesCheck =
  | { status: 'checked'; difference: FindingDifference }
  | { status: 'not_checked'; reason: string };

/** Checks the changes of a workspace against its base, and first the base where its findings are unknown. */
export async function checkChanges(
  { check, base, baseline }: { check: DocsCheck; base: BaseTree; baseline: readonly Finding[] | null },
  workspace: Workspace,
  signal: AbortSignal,
): Promise<ChangesCheck> {
  let known = baseline;
  if (known === null) {
    const before = await check.check(createWorkspace(base, new Map()), signal);
    if (before.status === 'not_checked') return before;
    if (before.stopped !== undefined) {
      const reason = `the base has an error beyond which nothing is checked. ${before.stopped}`;
      return { status: 'not_checked', reason };
    }
    known = before.findings;
  }
  return compareWith(known, await check.check(workspace, signal), workspace.changes());
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
