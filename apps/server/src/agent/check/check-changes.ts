import { createWorkspace } from '../workspace/overlay.ts';
import type { BaseTree, Workspace } from '../workspace/workspace.ts';
import { compareFindings, movedPaths } from './compare.ts';
import type { DocsCheck, Finding, FindingDifference } from './docs-check.ts';

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
    known = before.findings;
  }
  const now = await check.check(workspace, signal);
  if (now.status === 'not_checked') return now;
  return {
    status: 'checked',
    difference: compareFindings(known, now.findings, movedPaths(workspace.changes())),
  };
}
