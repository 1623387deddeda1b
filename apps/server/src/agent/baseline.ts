import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { type Database, json } from '../platform/db/database.ts';
import type { Fence } from '../platform/jobs/jobs.ts';
import { VERSION } from '../version.ts';
import type { Baseline } from './check/check-changes.ts';
import { type CheckResult, completeFindings, type DocsCheck, type Finding } from './check/docs-check.ts';
import { type AgentJobRow, updateJob } from './journal.ts';
import { createWorkspace } from './workspace/overlay.ts';
import type { BaseTree } from './workspace/workspace.ts';

/** Findings of a base that are stored. More are found again by each attempt that needs them. */
const MAX_STORED = 5_000;

/**
 * Findings of the base of a job, found when they are first needed: most of the work before the first call of the model
 * would be this. They are stored with the job, and taken from another job of the project on the same commit, folder and
 * version of the renderer.
 */
export function createBaseline(of: {
  db: Kysely<Database>;
  fence: Fence;
  row: AgentJobRow;
  folder: string;
  base: BaseTree;
  check: DocsCheck;
}): Baseline {
  const { db, fence, row, base, check } = of;
  const key = createHash('sha256')
    .update(JSON.stringify([VERSION, row.base_commit, of.folder]))
    .digest('hex');
  let known: CheckResult | null = null;
  return async (signal) => {
    if (known !== null) return known;
    const stored = await storedFindings(db, row, key);
    if (stored !== null) {
      known = { status: 'checked', findings: stored };
      return known;
    }
    const result = await check.check(createWorkspace(base, new Map()), signal);
    // Without a result it is checked again: the machine may have been busy.
    if (result.status === 'checked') known = result;
    const findings = completeFindings(result);
    if (findings !== null && findings.length <= MAX_STORED)
      await updateJob(db, fence, { baseline: json(findings), baseline_key: key });
    return result;
  };
}

async function storedFindings(
  db: Kysely<Database>,
  { organization_id, project_id }: AgentJobRow,
  key: string,
): Promise<Finding[] | null> {
  const stored = await db
    .selectFrom('agent_jobs')
    .select('baseline')
    .where('organization_id', '=', organization_id)
    .where('project_id', '=', project_id)
    .where('baseline_key', '=', key)
    .where('baseline', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return (stored?.baseline as Finding[] | undefined) ?? null;
}
